"""The benchmarks of `vif bench events`: what they run, how their points are told apart, and what is shown of them."""

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
    ),
}


def short(benchmark):
    """What the user types: alloc for events-alloc."""
    return benchmark.removeprefix("events-")


def jobs_of(benchmark, quick):
    kind = KINDS[benchmark]
    return [Job(kind.what, kind.program, 1, dict(kind.quick if quick else kind.full))]
