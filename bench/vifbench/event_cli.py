"""The command line of `vif bench events`."""

import argparse

from . import event_contenders as contending
from . import event_suite as suite
from . import rounds, session

DESCRIPTION = (
    "Measures the event runtime and its allocator, and peers beside them in the same run.\n\nbenchmarks:\n"
    + (
        "\n".join(f"  {suite.short(name):14} {kind.what}" for name, kind in suite.KINDS.items())
        + "\n  all            each of them"
    )
)

EPILOG = """Contenders take turns, round by round; figures are medians over the rounds, with ± half the distance between
the extremes. Peers that are not installed are fetched from the package lists of Debian or Ubuntu, without root, into
~/.cache/vif/peers; one that cannot be had is left out with a sentence."""


def parser():
    made = argparse.ArgumentParser(
        prog="vif bench events",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [suite.short(name) for name in suite.KINDS]
    made.add_argument("benchmark", choices=[*names, "all"], metavar="NAME", nargs="+", help="benchmarks named above")
    made.add_argument("--peers", metavar="LIST", help="the peers to compare with, with commas; none for none [all]")
    made.add_argument(
        "--cores", metavar="LIST", default="", help="numbers of cores, such as 1,2 [1, and 2 if there are]"
    )
    made.add_argument(
        "--ablate",
        action="store_true",
        help="ablation in the place of works: no peers, but Vif's optimisations one after the other",
    )
    session.add_options(made, usual_rounds=3)
    return made


def wrong_peer(text):
    """A sentence about a peer that nobody knows, or nothing."""
    known = ["none", *contending.ALLOCATORS, *contending.event_peers.PEERS]
    unknown = [name for name in (text or "none").split(",") if name not in known]
    return f"'{unknown[0]}' is not a known peer; known are {', '.join(known)}." if unknown else ""


def contenders_of(benchmark, options, programs, say):
    """(contenders, sentences about those that cannot be had)."""
    who = suite.KINDS[benchmark].contenders
    wanted = None if options.peers is None else options.peers.split(",")
    if who == "allocators":
        return contending.allocators(programs, wanted, say)
    if who == "ablation":
        return contending.ablation(programs), []
    if who in ("waiting", "batches", "stealing"):
        return getattr(contending, who)(programs), []
    return contending.runtimes(programs, wanted if who == "runtimes" else [], say)


def main(arguments, programs, say, show):
    options = parser().parse_args(arguments)
    rounds.stop_on_signal()
    names = list(suite.KINDS) if "all" in options.benchmark else [f"events-{name}" for name in options.benchmark]
    if options.ablate:
        names = ["events-ablation" if name == "events-works" else name for name in names]
    complaint = session.complaint(options) or wrong_peer(options.peers)
    if complaint:
        say(f"vif bench: {complaint}")
        return 2
    records = []
    for name in names:
        say(f"{name} ...")
        who, missing = contenders_of(name, options, programs / "events", say)
        jobs = suite.jobs_of(name, options.quick, options.cores)
        records.append(session.take(name, jobs, who, missing, options, say))
        show(records[-1])
    return session.finish(records, options, say)
