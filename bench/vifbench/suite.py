"""What each benchmark runs: programs, arguments, ranks; in quick and in full mode."""

from dataclasses import dataclass, field


@dataclass
class Job:
    title: str
    program: str
    ranks: int
    arguments: dict = field(default_factory=dict)
    timeout: float = 300.0

    def argument_list(self):
        return [word for name, value in self.arguments.items() for word in (f"--{name}", str(value))]


BENCHMARKS = {
    "latency": "one-way latency between two ranks, by message size",
    "bandwidth": "bandwidth between two ranks, one way and both ways",
    "overlap": "does a transfer advance while the receiver, the sender or both compute?",
    "nbc": "the 17 non-blocking collectives beside a computation: overlap, and total time",
    "wait": "CPU time burnt by a rank that waits, and how late it wakes up",
    "oversubscribe": "collectives with more ranks than cores; start, init and finalize",
    "collectives": "every collective, blocking and non-blocking, by size, with 2, 4 and 16 ranks",
    "quiet": "how much a computation slows down when nothing is pending",
    "datatypes": "packing of derived datatypes beside loops written by hand, and messages of them",
    "reactivity": "round trip of 4 bytes beside threads that compute, and what these keep of the CPU",
    "interrupt": "latency of an interrupt from sending to handler (no MPI, no peers)",
}

# The members that tell one point of a program from another.
KEYS = {
    "latency": ("size",),
    "bandwidth": ("size",),
    "overlap": ("side", "size", "compute"),
    "nbc": ("collective", "size", "mode", "kernel"),
    "wait": ("operation",),
    "oversubscribe": ("operation",),
    "collectives": ("operation", "form", "size"),
    "quiet": ("when",),
    "datatypes": ("layout",),
    "reactivity": ("form", "threads"),
    "interrupt": ("placement", "method"),
}

GRID_SIZES = "1K,4K,16K,64K,256K,1M,4M,16M"
GRID_COMPUTE = "1,5,20,100,500,2000,10000"


def _latency(quick, options):
    arguments = {
        "sizes": options.sizes or ("0,8,1K,16K,64K,1M" if quick else "0,1,8,64,256,1K,4K,16K,64K,256K,1M,4M"),
        "seconds": 0.05 if quick else 0.3,
    }
    return [Job("one way", "latency", 2, arguments)]


def _bandwidth(quick, options):
    sizes = options.sizes or ("1K,64K,1M" if quick else "1,64,1K,4K,16K,64K,256K,1M,4M")
    seconds = 0.1 if quick else 0.3
    return [
        Job("one way", "bandwidth", 2, {"sizes": sizes, "seconds": seconds}),
        Job(
            "both ways",
            "bandwidth",
            2,
            {"sizes": sizes, "seconds": seconds, "both": "yes"},
        ),
    ]


# Its buffers are of MPI_Alloc_mem, those of the other jobs of malloc.
MPI_MEMORY = "computation as long as the transfer, memory of MPI_Alloc_mem"


# Between hosts: what a cable of 1 Gb/s takes long for.
def _overlap_between_hosts(quick, options):
    arguments = {
        "side": options.side or "receiver,sender,both",
        "sizes": options.sizes or "64K,256K,1M,4M",
        "compute": options.compute or "equal",
        "seconds": 0.1 if quick else 0.5,
    }
    return [Job("computation as long as the transfer", "overlap", 2, arguments)]


def _overlap(quick, options):
    if options.link:
        return _overlap_between_hosts(quick, options)
    side = options.side or "receiver,sender,both"
    equal = {
        "side": side,
        "sizes": options.sizes or ("1K,64K,1M" if quick else GRID_SIZES),
        "compute": options.compute or "equal",
        "seconds": 0.1 if quick else 0.3,
    }
    jobs = [
        Job(
            "computation as long as the transfer" if not options.compute else "chosen computations",
            "overlap",
            2,
            equal,
        )
    ]
    # What the whole table asks for, in memory that an MPI library can choose.
    chosen = dict(equal, memory="mpi")
    if not options.sizes:
        chosen["sizes"] = "256K,1M" if quick else "256K,1M,4M,16M"
    jobs.append(Job(MPI_MEMORY, "overlap", 2, chosen))
    if not options.compute:
        grid = {
            "side": side,
            "sizes": options.sizes or ("1K,16K,256K,4M" if quick else GRID_SIZES),
            "compute": "5,100,2000" if quick else GRID_COMPUTE,
            "seconds": 0.03 if quick else 0.1,
        }
        jobs.append(Job("sizes and computations", "overlap", 2, grid))
    return jobs


def _nbc(quick, options):
    """The four combinations of mode and kernel in full; the product alone when quick."""
    arguments = {
        "sizes": options.sizes or ("64K,4M" if quick else "64K,256K,1M,4M"),
        "kernels": "product" if quick else "all",
        "seconds": 0.02 if quick else 0.15,
    }
    if options.collectives:
        arguments["collectives"] = options.collectives
    ranks = [int(text) for text in (options.ranks or ("2" if options.link else "2,4")).split(",")]
    return [Job(f"{number} ranks", "nbc", number, arguments, 300 if quick else 1200) for number in ranks]


def _wait(quick, options):
    arguments = {"seconds": 0.5 if quick else 3, "wakes": 20 if quick else 100}
    return [Job("waiting", "wait", 2, arguments)]


def _oversubscribe(quick, options):
    wanted = options.ranks or ("2,4,16" if quick else "2,4,16,64")
    jobs = []
    for ranks in (int(text) for text in wanted.split(",")):
        jobs.append(
            Job(
                f"collectives, {ranks} ranks",
                "oversubscribe",
                ranks,
                {"seconds": 0.1 if quick else 0.5},
            )
        )
        jobs.append(
            Job(
                f"start, init and finalize, {ranks} ranks",
                "oversubscribe",
                ranks,
                {"operations": "none"},
            )
        )
    return jobs


def _collectives(quick, options):
    arguments = {
        "sizes": options.sizes or ("8,1K,64K,1M" if quick else "8,64,1K,8K,64K,256K,1M"),
        "seconds": 0.005 if quick else 0.1,
    }
    wanted = (int(text) for text in (options.ranks or "2,4,16").split(","))
    return [Job(f"collectives, {ranks} ranks", "collectives", ranks, arguments, 600) for ranks in wanted]


def _quiet(quick, options):
    return [Job("nothing pending", "quiet", 2, {"pairs": 100 if quick else 500})]


def _datatypes(quick, options):
    arguments = {"sizes": options.sizes or "8K,256K,4M", "seconds": 0.03 if quick else 0.2}
    return [Job("derived datatypes", "datatypes", 2, arguments)]


def _reactivity(quick, options):
    arguments = {"threads": "0,1,2,4", "seconds": 0.5 if quick else 3}
    return [Job("beside threads that compute", "reactivity", 2, arguments)]


def _interrupt(quick, options):
    count = 10000 if quick else 200000
    return [
        Job("signals", "interrupt", 1, {"count": count}),
        Job(
            "signals on an alternate stack",
            "interrupt",
            1,
            {"count": count, "altstack": "yes"},
        ),
    ]


def jobs_of(benchmark, quick, options):
    makers = {
        "latency": _latency,
        "bandwidth": _bandwidth,
        "overlap": _overlap,
        "nbc": _nbc,
        "wait": _wait,
        "oversubscribe": _oversubscribe,
        "collectives": _collectives,
        "quiet": _quiet,
        "datatypes": _datatypes,
        "reactivity": _reactivity,
        "interrupt": _interrupt,
    }
    return makers[benchmark](quick, options)
