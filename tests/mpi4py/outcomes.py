"""What became of the runs of several libraries: a sentence for each, a table of all, and the tests that differ."""

import pathlib
import re
import time

KINDS = ("passed", "failed", "skipped")
MARKS = r"(<!-- results:mpi4py -->).*?(<!-- end -->)"


def counts(report):
    ends = [result["outcome"] for result in report["tests"].values()]
    return [ends.count(kind) for kind in KINDS]


def sentence(report):
    words = ", ".join(f"{count} {kind}" for count, kind in zip(counts(report), KINDS, strict=True))
    end = "in" if report["complete"] else "given up after"
    where = f"{report['library']}, {report['ranks']} ranks"
    return f"{where}: {words}, {end} {report['seconds']:.1f} s (load {report['load'][0]:.1f})"


def failures(results):
    return {test: result["why"] for test, result in results.items() if result["outcome"] == "failed"}


def differences(ours, theirs):
    """Lines: what passes on one of the two only."""
    first, second = ours["tests"], theirs["tests"]
    worse = [test for test in failures(first) if second.get(test, {}).get("outcome") == "passed"]
    better = [test for test in failures(second) if first.get(test, {}).get("outcome") == "passed"]
    name, ranks = theirs["library"], ours["ranks"]
    return [
        *(f"passes on {name} and not on Vif, with {ranks} ranks: {test}" for test in sorted(worse)),
        f"{ranks} ranks: {len(worse)} tests pass on {name} only, {len(better)} on Vif only",
    ]


def table(reports):
    """In Markdown. The last column: the time over that of Vif with as many ranks."""
    ours = {report["ranks"]: report["seconds"] for report in reports if report["library"] == "vif"}
    lines = ["| ranks | library | passed | failed | skipped | seconds | over Vif |", "|---|---|---|---|---|---|---|"]
    for report in reports:
        least = "" if report["complete"] else "> "
        over = f"{least}{report['seconds'] / ours[report['ranks']]:.2f}" if report["ranks"] in ours else "–"
        cells = [report["ranks"], report["library"], *counts(report), f"{least}{report['seconds']:.0f}", over]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def update(path, reports):
    document = pathlib.Path(path)
    when = time.strftime("%Y-%m-%d", time.gmtime())
    loads = " ".join(f"{report['load'][0]:.1f}" for report in reports)
    text = f"\n\n{when}; load after each run: {loads}.\n\n{table(reports)}\n\n"
    filled = re.sub(MARKS, lambda marks: marks[1] + text + marks[2], document.read_text(), flags=re.DOTALL)
    document.write_text(filled)
