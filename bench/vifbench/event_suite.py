"""The benchmarks of `vif bench events`: what they run, how their points are told apart, and what is shown of them."""

import os
from dataclasses import dataclass, field

from .suite import Job


@dataclass
class Measure:
    member: str  # of a point
    title: str
    larger_is_better: bool = False


@dataclass
class Kind:
    what: str
    program: str
    keys: tuple  # the members that tell one point from another, in the order of the rows
    measures: list
    across: str = ""  # the key that pictures have on their horizontal axis
    logarithmic: bool = True
    quick: dict = field(default_factory=dict)  # arguments of the program
    full: dict = field(default_factory=dict)
    notes: str = ""
    contenders: str = "runtimes"  # allocators: those of malloc; runtimes: other event runtimes; none: Vif alone


KINDS = {
    "events-alloc": Kind(
        what="cycles of an allocation and its release, on one core and from one core to another",
        program="alloc",
        keys=("pattern", "size"),
        measures=[
            Measure("ticks", "Allocation and release (ticks of the time-stamp counter)"),
            Measure("through_ticks", "One core makes, another drops: ticks from one object to the next"),
        ],
        across="size",
        quick={"sizes": "64,512", "seconds": 0.05},
        full={"sizes": "16,32,64,128,256,512,1K", "seconds": 0.2},
        notes="pair: one object, again and again; batch: 64 made, then dropped; random: random sizes up to the one "
        "named, one of 1024 replaced; cross: made and written on one core, read and dropped on another.",
        contenders="allocators",
    ),
    "events-works": Kind(
        what="the same works on Vif and on other event runtimes, on one core and on two",
        program="works",
        keys=("work", "cores"),
        measures=[Measure("rate", "Millions of events per second", True)],
        across="cores",
        quick={"works": "ping-pong,fan-out empty,fan-out 1000ns,barrier", "seconds": 0.1},
        full={"seconds": 0.4},
        notes="ping-pong: each core has one event that posts the next; fan-out: one event posts 100 over all cores, "
        "the last of which posts it again (empty; taking a time; memory: 22 bytes filled and sorted 50 times); "
        "barrier: 8 events, the last of which starts the next 8. A lane is a colour in Vif, a strand in Asio "
        "(asio:percore: a context of its own thread), a loop in libuv, a goroutine or task with a channel in Go and "
        "Tokio; tbb has none.",
    ),
}


def short(benchmark):
    """What the user types: alloc for events-alloc."""
    return benchmark.removeprefix("events-")


def jobs_of(benchmark, quick, cores=""):
    kind = KINDS[benchmark]
    arguments = dict(kind.quick if quick else kind.full)
    if "cores" in kind.keys:
        arguments["cores"] = cores or ",".join(str(count) for count in (1, 2) if count <= len(os.sched_getaffinity(0)))
    return [Job(kind.what, kind.program, 1, arguments)]
