"""`vif report`: one HTML page that needs nothing beside it, PNGs, and the tables in Markdown."""

import argparse
import html
import json
import os
import re
import sys
from pathlib import Path

from . import figures, pictures, svg, tables, verdicts

STYLE = """body{font-family:sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#222}
table{border-collapse:collapse;margin:.5em 0 1.5em}
th,td{padding:.25em .8em;border-bottom:1px solid #ddd;text-align:right}
th:first-child,td:first-child{text-align:left}.note{color:#555;font-size:.9em}.busy{background:#fff3cd;padding:.5em}
svg{max-width:100%;height:auto;margin:.5em 1em .5em 0}pre{background:#f6f6f6;padding:.6em;overflow-x:auto}"""


class ReportError(Exception):
    """A file cannot be used; the message says why."""


def load(paths):
    records = []
    for path in paths:
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
            records += document["records"]
        except OSError as error:
            raise ReportError(f"'{path}' cannot be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ReportError(f"'{path}' is not a file that vif bench --json wrote.") from error
    return records


def draw(drawing):
    if isinstance(drawing, figures.HeatMap):
        return svg.heat_map(drawing.title, drawing.sizes, drawing.computations, drawing.values)
    return svg.lines(drawing.title, drawing.labels, drawing.series, drawing.unit)


def _machine_words(machine):
    limit = f", control group limit {machine['cgroup_cpus']:g} CPUs" if machine.get("cgroup_cpus") else ""
    kind = "virtual" if machine.get("virtual") else "real"
    return (
        f"{machine['cpu']} ({kind}), {machine['usable_cpus']} usable CPUs{limit}, {machine['memory_gb']} GB, "
        f"{machine['system']}, Linux {machine['kernel']}, frequency governor {machine['governor']}"
    )


def _section(record):
    busy = "" if record["conditions"]["idle"] else " class='busy'"
    parts = [
        f"<h2 id='{tables.name_of(record)}'>{tables.name_of(record)}</h2><p>{html.escape(record['what'])}. "
        f"{record['rounds']} rounds, {record.get('mode', 'full')} mode, {record['when']}.</p>",
        f"<p{busy}>{html.escape(record['conditions']['sentence'])}</p>",
        "<pre>" + html.escape("\n".join(tables.libraries(record))) + "</pre>",
    ]
    parts += [draw(drawing) for drawing in figures.of_record(record)]
    parts += [tables.html_table(table) for table in tables.of_record(record)]
    return "\n".join(parts)


def page(records):
    promises = verdicts.of_records(records)
    machines = sorted({_machine_words(record["machine"]) for record in records})
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Vif benchmarks</title>",
        f"<style>{STYLE}</style></head><body><h1>Vif benchmarks</h1>",
        *(f"<p>{html.escape(words)}</p>" for words in machines),
        "<p>"
        + " · ".join(f"<a href='#{tables.name_of(record)}'>{tables.name_of(record)}</a>" for record in records)
        + "</p>",
    ]
    if promises.rows:
        parts.append(tables.html_table(promises))
    parts += [_section(record) for record in records]
    return "\n".join(parts) + "\n</body></html>\n"


def markdown_of(record):
    parts = [
        f"{record['rounds']} rounds, {record.get('mode', 'full')} mode, {record['when']}. "
        f"{_machine_words(record['machine'])}. {record['conditions']['sentence']}",
        "",
    ]
    parts += [f"- {line}" for line in tables.libraries(record, folders=False)] + [""]
    parts += [tables.markdown(table) for table in tables.of_record(record)]
    return "\n".join(parts).strip()


def update(path, records):
    """Replaces what stands between <!-- results:NAME --> and <!-- end --> in Markdown. Returns the names filled."""
    text = Path(path).read_text(encoding="utf-8")
    contents = {tables.name_of(record): markdown_of(record) for record in records}
    # What is promised of networks is measured in runs of their own, and stands in a table of its own.
    for name, some in (
        ("promises", [record for record in records if not record.get("link")]),
        ("promises-links", [record for record in records if record.get("link")]),
    ):
        promises = verdicts.of_records(some)
        if promises.rows:
            contents[name] = tables.markdown(promises).strip()
    filled = []

    def fill(match):
        if match.group(1) not in contents:
            return match.group(0)
        filled.append(match.group(1))
        return f"<!-- results:{match.group(1)} -->\n\n{contents[match.group(1)]}\n\n<!-- end -->"

    text = re.sub(r"<!-- results:([\w-]+) -->.*?<!-- end -->", fill, text, flags=re.DOTALL)
    Path(path).write_text(text, encoding="utf-8")
    return filled


def write(records, folder, say=lambda text: print(text, file=sys.stderr)):
    """Writes index.html and, with matplotlib, the PNGs. Returns the path of the page."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "index.html"
    target.write_text(page(records), encoding="utf-8")
    if pictures.available():
        drawings = [drawing for record in records for drawing in figures.of_record(record)]
        written = pictures.write(drawings, folder)
        say(f"{len(written)} PNG pictures are in {folder}.")
    else:
        say(
            "No PNG pictures: matplotlib is not there (scripts/setup --python puts it into ./.venv). "
            "The page has all pictures as SVG."
        )
    return target


def use_own_python(script):
    """Starts again with the project's own Python when that one has matplotlib and this one does not."""
    own = Path(script).resolve().parent.parent / ".venv" / "bin" / "python3"
    if pictures.available() or not own.exists() or Path(sys.prefix) == own.parent.parent:
        return
    os.execv(str(own), [str(own), str(Path(script).absolute()), *sys.argv[1:]])


def main(arguments, script):
    parser = argparse.ArgumentParser(
        prog="vif report",
        description="Makes one HTML page with tables and pictures (and PNGs) of what vif bench --json wrote.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="files written by vif bench --json")
    parser.add_argument(
        "-o",
        "--output",
        default="vif-report",
        metavar="DIR",
        help="folder for the page [vif-report]",
    )
    parser.add_argument(
        "--markdown",
        action="store_true",
        help="print the tables in Markdown instead of making a page",
    )
    parser.add_argument(
        "--update",
        metavar="FILE",
        help="fill the tables into a Markdown file, between <!-- results:NAME --> and <!-- end -->",
    )
    options = parser.parse_args(arguments)
    try:
        records = load(options.files)
    except ReportError as error:
        print(f"vif report: {error}", file=sys.stderr)
        return 2
    if options.markdown:
        for record in records:
            print(f"## {tables.name_of(record)}\n\n{markdown_of(record)}\n")
        return 0
    if options.update:
        print(f"{options.update}: filled {', '.join(update(options.update, records)) or 'nothing'}.")
        return 0
    use_own_python(script)
    print(f"The page is {write(records, options.output).absolute()}")
    return 0
