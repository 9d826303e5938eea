"""What the command lines of all benchmarks share: their common options, one benchmark after the other, and the end."""

import json

from . import rounds, tables, verdicts


def add_options(parser, usual_rounds):
    parser.add_argument("--quick", action="store_true", help="fewer points and shorter measures")
    parser.add_argument(
        "--rounds",
        type=int,
        default=usual_rounds,
        metavar="N",
        help=f"rounds in which contenders take turns [{usual_rounds}]",
    )
    parser.add_argument("--json", metavar="FILE", help="write the whole record, for vif report")


def complaint(options):
    """A sentence about the common options, or nothing."""
    return "" if options.rounds >= 1 else "--rounds must be at least 1."


def take(name, jobs, contenders, missing, options, say):
    """The record of one benchmark."""
    record = rounds.run_benchmark(name, jobs, contenders, options.rounds, say)
    record["mode"] = "quick" if options.quick else "full"
    record["missing"] = missing
    return record


def finish(records, options, say):
    """Shows what was promised, writes the file; returns the exit code."""
    promised = verdicts.of_records(records)
    if promised.rows:
        print("\n" + tables.terminal(promised))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"records": records}, file, indent=1)
        say(f"The record is in {options.json}; make pictures of it with: vif report {options.json} -o DIR")
    failed = any(name.startswith("vif") for record in records for job in record["jobs"] for name in job["failures"])
    return 1 if failed else 0
