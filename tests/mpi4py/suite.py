#!/usr/bin/env python3
"""mpi4py's test suite on Vif, and beside it on MPICH: the same build of mpi4py, the same machine.

usage: suite.py --build BUILD [--ranks N ...] [--library vif|mpich ...] [--modules NAME ... | --short] [--stall SECONDS]
       suite.py --build BUILD --prepare

Without --library: Vif alone. Ends with 1 when a test fails on Vif that exceptions.txt does not list, and, when both
libraries run, lists the tests that pass on MPICH and not on Vif. Ends with 77 when the packages cannot be fetched.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import sys
import time

import shard
from installation import Installation, NoNetwork

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
# Modules per shard: few starts of the interpreter, and a hang does not cost much.
SHARD = 8


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build folder of Vif")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 3, 5])
    parser.add_argument("--library", nargs="+", choices=("vif", "mpich"), default=["vif"])
    parser.add_argument("--modules", nargs="+", help="test modules, such as test_comm; all of them unless given")
    parser.add_argument("--short", action="store_true", help="the modules of short.txt only")
    parser.add_argument("--prepare", action="store_true", help="build mpi4py, and run nothing")
    parser.add_argument("--stall", type=float, default=120, help="seconds without any event that end a shard")
    return parser.parse_args()


def exceptions():
    """(ranks, pattern) of each line `RANKS PATTERN REASON`; RANKS is * or numbers with commas."""
    found = []
    for line in (HERE / "exceptions.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            ranks, pattern, _reason = line.split(None, 2)
            found.append((ranks, pattern))
    return found


def excepted(test, ranks, listed):
    return any(
        (numbers == "*" or str(ranks) in numbers.split(",")) and fnmatch.fnmatchcase(test, pattern)
        for numbers, pattern in listed
    )


def run_suite(installation, library, ranks, modules, stall):
    folder = installation.folder / "runs" / f"{library}-{ranks}"
    began, results = time.time(), {}
    for first in range(0, len(modules), SHARD):
        part = modules[first : first + SHARD]
        results.update(shard.run(installation, library, ranks, part, folder / str(first // SHARD), stall))
    seconds = time.time() - began
    report = {"library": library, "ranks": ranks, "seconds": seconds, "load": os.getloadavg(), "tests": results}
    (folder / "report.json").write_text(json.dumps(report, indent=1))
    counts = {kind: sum(r["outcome"] == kind for r in results.values()) for kind in ("passed", "failed", "skipped")}
    words = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    print(f"{library}, {ranks} ranks: {words}, in {seconds:.1f} s (load {os.getloadavg()[0]:.1f})", flush=True)
    return results


def failures(results):
    return {test: result["why"] for test, result in results.items() if result["outcome"] == "failed"}


def judge(results, ranks, listed):
    unexpected = {test: why for test, why in failures(results).items() if not excepted(test, ranks, listed)}
    for test, why in sorted(unexpected.items()):
        print(f"FAILED with {ranks} ranks: {test}\n    {why[-300:]}")
    return not unexpected


def compare(ours, theirs, ranks):
    worse = [test for test in failures(ours) if theirs.get(test, {}).get("outcome") == "passed"]
    for test in sorted(worse):
        print(f"passes on MPICH and not on Vif, with {ranks} ranks: {test}")
    better = [test for test in failures(theirs) if ours.get(test, {}).get("outcome") == "passed"]
    print(f"{ranks} ranks: {len(worse)} tests pass on MPICH only, {len(better)} on Vif only")


def main():
    arguments = parse_arguments()
    installation = Installation(pathlib.Path(arguments.build) / "mpi4py", arguments.build)
    try:
        installation.prepare("mpich" in arguments.library)
    except NoNetwork as problem:
        print(f"skipped: {problem}")
        return SKIPPED
    if arguments.prepare:
        return 0
    if arguments.short:
        arguments.modules = (HERE / "short.txt").read_text().split()
    modules = arguments.modules or sorted(path.stem for path in installation.tests.glob("test_*.py"))
    listed, good = exceptions(), True
    for ranks in arguments.ranks:
        reports = {}
        for library in arguments.library:
            reports[library] = run_suite(installation, library, ranks, modules, arguments.stall)
        if "vif" in reports:
            good = judge(reports["vif"], ranks, listed) and good
        if len(reports) == 2:
            compare(reports["vif"], reports["mpich"], ranks)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
