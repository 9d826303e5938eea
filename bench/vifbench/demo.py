"""`vif demo`: the overlap benchmark in poll and in auto mode, told in words, in at most about two minutes."""

import argparse
import json
import sys
from pathlib import Path

from . import contenders as contending
from . import machine, report, rounds, tables
from .cli import find_programs, say
from .suite import MPI_MEMORY, Job

WHO = {
    "receiver": "The receiver computes while a message arrives",
    "sender": "The sender computes while its message leaves",
    "both": "Both compute while they exchange messages",
}


def jobs(quick):
    """About 20 s for each mode and round."""
    sides = "receiver,sender,both"
    equal = {
        "side": sides,
        "sizes": "64K,1M" if quick else "16K,64K,256K,1M,4M",
        "compute": "equal",
        "seconds": 0.05 if quick else 0.2,
    }
    grid = {
        "side": "receiver,sender",
        "sizes": "64K,1M" if quick else "1K,16K,64K,256K,1M,4M",
        "compute": "20,1000" if quick else "5,20,100,500,2000",
        "seconds": 0.03 if quick else 0.08,
    }
    chosen = dict(equal, sizes="1M" if quick else "256K,1M,4M", side="receiver,sender", memory="mpi")
    return [
        Job("computation as long as the transfer", "overlap", 2, equal, 40),
        Job(MPI_MEMORY, "overlap", 2, chosen, 40),
        Job("sizes and computations", "overlap", 2, grid, 40),
    ]


# What is told of each job: its place, what to say of it, sizes, computation.
CHAPTERS = (
    (1, "Buffers of MPI_Alloc_mem, and a computation as long as the transfer", (1048576, 4194304), "equal"),
    (2, "Buffers of malloc, and a computation longer than the transfer", (4194304, 1048576), ("2000", "1000")),
    (0, "Buffers of malloc, and a computation as long as the transfer", (65536, 1048576), "equal"),
)


def _sentence(side, poll, auto):
    transfer, computation = auto["t_comm_us"]["median"], auto["t_comp_us"]["median"]
    poll_total, auto_total = poll["t_both_us"]["median"], auto["t_both_us"]["median"]
    hidden = 100 * min(max(auto["ratio"]["median"], 0), 1)
    text = (
        f"{WHO[side]} ({tables.size_text(auto['size'])}):\n"
        f"  the transfer alone takes {tables.number(transfer)} µs, "
        f"the computation alone {tables.number(computation)} µs;\n"
        f"  together they take {tables.number(poll_total)} µs when the library only polls, and "
        f"{tables.number(auto_total)} µs when Vif chooses.\n"
    )
    gain = 100 * (poll_total - auto_total) / poll_total
    if gain >= 3:
        return text + f"  {hidden:.0f} % of the shorter of the two is hidden: the program is done {gain:.0f} % earlier."
    if gain > -3:
        return text + f"  No difference worth naming here ({gain:+.0f} %); {hidden:.0f} % is hidden."
    return text + f"  Here Vif LOSES: the program is done {-gain:.0f} % later."


def _chapter(job, sizes, computation):
    wanted = (computation,) if isinstance(computation, str) else computation
    told = []
    for side in WHO:
        for size in sizes:
            for compute in wanted:
                poll = tables.find(job, "vif:poll", side=side, size=size, compute=compute)
                auto = tables.find(job, "vif", side=side, size=size, compute=compute)
                if poll and auto:
                    told.append(_sentence(side, poll, auto))
                    break
    return told


def story(record):
    """The result in plain words, from a record with the contenders vif:poll and vif."""
    parts = []
    for place, title, sizes, computation in CHAPTERS:
        told = _chapter(record["jobs"][place], sizes, computation) if place < len(record["jobs"]) else []
        if told:
            parts += [f"{title}\n{'-' * len(title)}", *told]
    failures = [f"{name}: {sentence}" for part in record["jobs"] for name, sentence in part["failures"].items()]
    if failures:
        parts.append("Some runs failed:\n  " + "\n  ".join(failures))
    if len(parts) == len(failures[:1]):
        parts.append("There is nothing to tell: no size was measured in both modes.")
    return "\n\n".join(parts)


def main(arguments, script):
    parser = argparse.ArgumentParser(
        prog="vif demo",
        description="Two ranks exchange messages while they compute: first with "
        "a library that polls, then with Vif's own choice. At most about two minutes.",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="where the pictures go [demo in the build folder]",
    )
    parser.add_argument("--prefix", metavar="DIR", type=Path, help="the Vif installed or built there")
    parser.add_argument("--quick", action="store_true", help="a few seconds, fewer points")
    options = parser.parse_args(arguments)
    rounds.stop_on_signal()
    prefix, programs = find_programs(Path(script).absolute().parent, options.prefix)
    # An installation is not a place for results; a build folder is.
    output = options.output or (prefix / "demo" if (prefix / "CMakeCache.txt").exists() else Path("vif-demo"))
    both = [contending.vif(prefix, programs, reaction) for reaction in ("poll", "auto")]
    print(
        "Vif demo: do messages travel while the program computes? Two ranks, two modes, under two minutes.\n",
        flush=True,
    )
    record = rounds.run_benchmark("overlap", jobs(options.quick), both, 1 if options.quick else 2, say)
    record["mode"] = "demo"
    print("\n" + story(record) + "\n")
    if not record["conditions"]["idle"]:
        print(record["conditions"]["sentence"] + "\n")
    page = report.write([record], output, say)
    (output / "overlap.json").write_text(json.dumps({"records": [record]}, indent=1), encoding="utf-8")
    print(
        "The heat maps (dark: the transfer is hidden, yellow: it is not, red: worse than one after the other)\n"
        f"are in {page.absolute()}"
    )
    usable = machine.describe()["usable_cpus"]
    if usable < 2:
        print(
            f"Only {usable} CPU is usable here: the ranks share it, and there is little to hide.",
            file=sys.stderr,
        )
    return 1 if any(job["failures"] for job in record["jobs"]) else 0


__all__ = ["jobs", "main", "story"]
