#!/usr/bin/env python3
"""mpi4py's test suite on Vif, and beside it on peers: the same build of mpi4py, the same machine, one after the other.

usage: suite.py --build BUILD [--ranks N ...] [--library NAME ...] [--modules NAME ... | --short]
                [--stall SECONDS] [--limit SECONDS] [--update FILE]
       suite.py --build BUILD --prepare

NAME is vif, or mpich or impi with or without settings as in `vif bench` (mpich:yield, impi:waitmode); without it: Vif
alone. Ends with 1 when a test fails on Vif that exceptions.txt does not list. With several libraries it prints a table
of outcomes and times, and lists the tests that pass on one of Vif and the first peer only. Ends with 77 when the
packages cannot be fetched.
"""

import argparse
import fnmatch
import json
import math
import os
import pathlib
import re
import signal
import sys
import time

import outcomes
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
    parser.add_argument("--library", nargs="+", default=["vif"])
    parser.add_argument("--modules", nargs="+", help="test modules, such as test_comm; all of them unless given")
    parser.add_argument("--short", action="store_true", help="the modules of short.txt only")
    parser.add_argument("--prepare", action="store_true", help="build mpi4py, and run nothing")
    parser.add_argument("--stall", type=float, default=120, help="seconds without any event that end a shard")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds after which a library's run is given up")
    parser.add_argument("--update", metavar="FILE", help="a document: the table goes between its marks of that name")
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


def run_suite(installation, library, ranks, arguments):
    """One library's report: how each test ended, and how long all took."""
    folder = installation.folder / "runs" / re.sub(r"[^\w.-]", "-", f"{library}-{ranks}")
    modules, complete = arguments.modules, True
    began, results = time.time(), {}
    try:
        for first in range(0, len(modules), SHARD):
            place, part = folder / str(first // SHARD), modules[first : first + SHARD]
            deadline = began + arguments.limit
            results.update(shard.run(installation, library, ranks, part, place, arguments.stall, deadline))
    except shard.OutOfTime:
        complete = False
    report = {
        "library": library,
        "ranks": ranks,
        "seconds": time.time() - began,
        "complete": complete,
        "load": os.getloadavg(),
        "tests": results,
    }
    (folder / "report.json").write_text(json.dumps(report, indent=1))
    print(outcomes.sentence(report), flush=True)
    return report


def judge(results, ranks, listed):
    unexpected = {test: why for test, why in outcomes.failures(results).items() if not excepted(test, ranks, listed)}
    for test, why in sorted(unexpected.items()):
        print(f"FAILED with {ranks} ranks: {test}\n    {why[-300:]}")
    return not unexpected


def main():
    arguments = parse_arguments()
    # Told to end, it ends the ranks that run.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    installation = Installation(pathlib.Path(arguments.build) / "mpi4py", arguments.build)
    try:
        installation.prepare(arguments.library)
    except NoNetwork as problem:
        print(f"skipped: {problem}")
        return SKIPPED
    if arguments.prepare:
        return 0
    if arguments.short:
        arguments.modules = (HERE / "short.txt").read_text().split()
    arguments.modules = arguments.modules or sorted(path.stem for path in installation.tests.glob("test_*.py"))
    listed, good, reports = exceptions(), True, []
    for ranks in arguments.ranks:
        together = [run_suite(installation, library, ranks, arguments) for library in arguments.library]
        reports += together
        ours = [report for report in together if report["library"] == "vif"]
        theirs = [report for report in together if report["library"] != "vif"]
        if ours:
            good = judge(ours[0]["tests"], ranks, listed) and ours[0]["complete"] and good
        if ours and theirs:
            print("\n".join(outcomes.differences(ours[0], theirs[0])))
    if len(arguments.library) > 1:
        print("\n" + outcomes.table(reports))
    if arguments.update:
        outcomes.update(arguments.update, reports)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
