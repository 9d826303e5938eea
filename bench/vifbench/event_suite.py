"""The benchmarks of `vif bench events`: what they run, how their points are told apart, and what is shown of them."""

import os
from dataclasses import dataclass, field, replace

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
    # Who takes part. allocators: those that replace malloc(); runtimes: other event runtimes; ablation: Vif step by
    # step; waiting: Vif with each way to wait; batches: with batches of fixed sizes; stealing: without it and with it;
    # vif: Vif alone.
    contenders: str = "runtimes"


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
        full={"sizes": "16,32,64,128,256,512,1K", "seconds": 0.1},
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
        quick={"works": "ping-pong,fan-out empty,fan-out 1000ns,fan-out memory,barrier", "seconds": 0.1},
        full={"seconds": 0.3},
        notes="ping-pong: each core has one event that posts the next; fan-out: one event posts 100 over all cores, "
        "the last of which posts it again (empty; taking a time; memory: 22 bytes filled and sorted 50 times); "
        "barrier: 8 events, the last of which starts the next 8. A lane is a colour in Vif, a strand in Asio "
        "(asio:percore: a context of its own thread), a loop in libuv, a goroutine or task with a channel in Go and "
        "Tokio; tbb has none.",
    ),
    "events-wake": Kind(
        what="how long a sleeping core takes to run an event, beside a bare futex, post by post in turn",
        program="wake",
        keys=("pause_us",),
        measures=[
            Measure("wake_us", "From the post to the handler (µs)"),
            Measure("futex_us", "From FUTEX_WAKE to the return of FUTEX_WAIT (µs)"),
            Measure("ratio", "The event over the bare futex"),
            Measure("ring_ticks", "What the posting thread spends (ticks)"),
            Measure("futex_ring_ticks", "What FUTEX_WAKE costs its caller (ticks)"),
        ],
        quick={"count": 200},
        full={"pauses": "50,200,1000,10000", "count": 500},
        notes="pause_us: how long the core has slept.",
        contenders="vif",
    ),
    "events-waiting": Kind(
        what="ways to wait, by the duration of handlers: learnt, the source's (fixed), sleeping, never sleeping (spin)",
        program="works",
        keys=("work", "cores"),
        measures=[Measure("rate", "Millions of events per second", True)],
        across="work",
        quick={"works": "fan-out empty,fan-out 1000ns,fan-out 10000ns", "seconds": 0.1},
        full={
            "works": "fan-out empty,fan-out 300ns,fan-out 1000ns,fan-out 3000ns,fan-out 10000ns,fan-out 30000ns,"
            "fan-out 100000ns",
            "seconds": 0.2,
        },
        notes="One event posts 100 over all cores, each of which takes the time named; the last posts it again.",
        contenders="waiting",
    ),
    "events-batches": Kind(
        what="batches of events for another core: learnt, and of fixed sizes (RuntimeOptions::batch)",
        program="works",
        keys=("work", "cores"),
        measures=[Measure("rate", "Millions of events per second", True)],
        across="work",
        quick={"works": "fan-out empty,fan-out 300ns,barrier", "seconds": 0.1},
        full={"works": "fan-out empty,fan-out 300ns,fan-out 1000ns,fan-out 3000ns,barrier", "seconds": 0.3},
        notes="vif learns; vif:4 hands 4 events over at once. One event posts 100 over all cores, each of which takes "
        "the time named; barrier: 8 events, the last of which starts the next 8.",
        contenders="batches",
    ),
    "events-idle": Kind(
        what="CPU time of a runtime to which an event comes now and then, and how late it runs",
        program="idle",
        keys=("period_us", "cores"),
        measures=[
            Measure("cpu_percent", "CPU time of the cores (% of one CPU)"),
            Measure("late_us", "From the post to the handler (µs)"),
        ],
        across="period_us",
        quick={"periods": "20,50,100,1000", "seconds": 0.2},
        full={"periods": "20,50,100,200,1000,10000", "seconds": 0.3},
        notes="Events come from a thread that is no core, for a core at random.",
        contenders="waiting",
    ),
    "events-stealing": Kind(
        what="idle cores that take colours from a busy one (RuntimeOptions::steal), where it should pay and where not",
        program="works",
        keys=("work", "cores"),
        measures=[Measure("rate", "Millions of events per second", True)],
        across="work",
        quick={"works": "skewed 1000ns,skewed 10000ns,fan-out 1000ns,fan-out empty", "seconds": 0.1},
        full={
            "works": "skewed empty,skewed 300ns,skewed 1000ns,skewed 10000ns,skewed 100000ns,fan-out empty,"
            "fan-out 1000ns,fan-out 10000ns",
            "seconds": 0.2,
        },
        notes="skewed: the colours of the 100 events all belong to the first core; fan-out: they are spread evenly.",
        contenders="stealing",
    ),
    "events-read": Kind(
        what="reading of memory that is each core's own: does one core slow another down?",
        program="read",
        keys=("reading", "cores"),
        measures=[Measure("bytes_per_tick", "Bytes per tick, all cores together", True)],
        quick={"size": "16M", "seconds": 0.1},
        full={"size": "256M", "seconds": 0.5},
        notes="wide: 32 bytes at a time; plain: 8.",
        contenders="vif",
    ),
}


KINDS["events-ablation"] = replace(
    KINDS["events-works"],
    what="the same works on Vif alone, its optimisations switched on step by step from the baseline of the source",
    contenders="ablation",
)


def short(benchmark):
    """What the user types: alloc for events-alloc."""
    return benchmark.removeprefix("events-")


def jobs_of(benchmark, quick, cores=""):
    kind = KINDS[benchmark]
    arguments = dict(kind.quick if quick else kind.full)
    if "cores" in kind.keys:
        arguments["cores"] = cores or ",".join(str(count) for count in (1, 2) if count <= len(os.sched_getaffinity(0)))
    return [Job(kind.what, kind.program, 1, arguments)]
