"""Who takes part in event benchmarks: Vif, allocators put in the place of malloc(), and other event runtimes."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from . import debian, event_peers
from .contenders import ContenderError
from .peers import PeerError

# name -> (Debian package, library that replaces malloc)
ALLOCATORS = {
    "jemalloc": ("libjemalloc2", "libjemalloc.so.2"),
    "mimalloc": ("libmimalloc2.0", "libmimalloc.so.2"),
    "tcmalloc": ("libtcmalloc-minimal4", "libtcmalloc_minimal.so.4"),
    "tbbmalloc": ("libtbbmalloc2", "libtbbmalloc_proxy.so.2"),
}


@dataclass
class EventContender:
    """The same interface as contenders.Contender, without ranks."""

    name: str
    library: str
    programs: Path
    settings: dict = field(default_factory=dict)  # environment
    extra: list = field(default_factory=list)  # arguments
    prefix: str = ""  # of the program's file name
    signature: str = ""  # that the library file's name must contain
    file: Path = None  # the program, where it is not one of ours

    def environment(self):
        environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "VIF_REACTION")}
        environment.update(self.settings)
        return environment

    def program(self, name):
        path = self.file or self.programs / f"{self.prefix}{name}"
        if not path.exists():
            raise ContenderError(f"The benchmark program {path} is missing; build it first (make build).")
        return path

    def command(self, ranks, program, arguments):
        del ranks
        return [str(program), *arguments, *self.extra]

    def is_really(self, document):
        return self.signature in (document.get("library_file") or "")


def allocators(programs, names, say):
    """Vif, with and without telling who will use an object, the C library, and the peers that can be had."""
    chosen = [
        EventContender("vif", "vif", programs, prefix="vif_"),
        EventContender("vif:unhinted", "vif", programs, extra=["--hint", "no"], prefix="vif_"),
        EventContender("glibc", "glibc", programs, extra=["--as", "the C library"], prefix="malloc_"),
    ]
    missing = []
    for name in ALLOCATORS if names is None else [name for name in names if name in ALLOCATORS]:
        package, library = ALLOCATORS[name]
        try:
            (path,) = debian.fetch([package], [f"lib/{library}"], say)
        except (PeerError, OSError) as error:
            missing.append(f"{name} cannot take part: {error}")
            say(missing[-1])
            continue
        words = ["--as", f"{name} {debian.version(package)}"]
        preload = {"LD_PRELOAD": str(path)}
        chosen.append(EventContender(name, name, programs, preload, words, "malloc_", library.split(".so")[0]))
    return chosen, missing


# The source's optimisations, one after the other: what each step switches on. The rest stays as it was.
ABLATION = [
    (
        "vif:baseline",
        {
            "VIF_SCHED_PADDING": "0",
            "VIF_SCHED_MEMORY": "library",
            "VIF_SCHED_WAIT": "sleep",
            "VIF_SCHED_BATCH": "1",
            "VIF_SCHED_QUEUE": "lock",
            "VIF_SCHED_WAKE": "pipe",
        },
    ),
    ("vif:+padding", {"VIF_SCHED_PADDING": "1"}),
    ("vif:+ema", {"VIF_SCHED_MEMORY": "ema"}),
    ("vif:+waiting", {"VIF_SCHED_WAIT": "learnt", "VIF_SCHED_WAKE": "futex"}),
    ("vif:+batching", {"VIF_SCHED_BATCH": "auto"}),
    ("vif", {"VIF_SCHED_QUEUE": "auto"}),
]


def ablation(programs):
    """The runtime with the optimisations switched on step by step; the last is Vif as it is."""
    chosen, settings = [], {}
    for name, switched in ABLATION:
        settings = {**settings, **switched}
        chosen.append(EventContender(name, "vif", programs, dict(settings), signature="libvif"))
    return chosen


def waiting(programs):
    """The runtime with each way to wait for events; `vif` learns."""
    chosen = [EventContender("vif", "vif", programs, signature="libvif")]
    for rule in ("fixed", "sleep", "spin"):
        settings = {"VIF_SCHED_WAIT": rule}
        chosen.append(EventContender(f"vif:{rule}", "vif", programs, settings, signature="libvif"))
    return chosen


def batches(programs):
    """The runtime with batches of fixed sizes for other cores; `vif` learns."""
    chosen = [EventContender("vif", "vif", programs, signature="libvif")]
    for size in (1, 4, 8, 16, 50):
        settings = {"VIF_SCHED_BATCH": str(size)}
        chosen.append(EventContender(f"vif:{size}", "vif", programs, settings, signature="libvif"))
    return chosen


def stealing(programs):
    """The runtime as it is, and with stealing."""
    plain = EventContender("vif", "vif", programs, signature="libvif")
    return [plain, EventContender("vif:steal", "vif", programs, {"VIF_SCHED_STEAL": "1"}, signature="libvif")]


def runtimes(programs, names, say):
    """Vif and the event runtimes that can be had."""
    chosen = [EventContender("vif", "vif", programs, signature="libvif")]
    missing = []
    for name in event_peers.PEERS if names is None else [name for name in names if name in event_peers.PEERS]:
        try:
            file = event_peers.build(name, programs.parent / "peers", say)
        except (PeerError, OSError) as error:
            missing.append(f"{name} cannot take part: {error}")
            say(missing[-1])
            continue
        chosen.append(EventContender(name, name, programs, file=file))
    return chosen, missing
