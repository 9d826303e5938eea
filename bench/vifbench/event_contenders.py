"""Who takes part in event benchmarks: Vif, allocators put in the place of malloc(), and other event runtimes."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from . import debian
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

    def environment(self):
        environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "VIF_REACTION")}
        environment.update(self.settings)
        return environment

    def program(self, name):
        path = self.programs / f"{self.prefix}{name}"
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
