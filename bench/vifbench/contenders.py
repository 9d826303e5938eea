"""A contender is an MPI library with its settings: how to start a program on it, and how to know that it really ran."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from . import peers

REACTIONS = ("auto", "poll", "sleep", "signal")

# Words that the text of MPI_Get_library_version must contain.
SIGNATURES = {"vif": "Vif", "mpich": "MPICH", "openmpi": "Open MPI", "impi": "Intel"}

# Named settings of the peers. Any other is written as mpich:NAME=VALUE.
SETTINGS = {
    "mpich": {
        "async": {"MPIR_CVAR_ASYNC_PROGRESS": "1"},
        "yield": {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"},
    },
    "openmpi": {
        "yield": {"OMPI_MCA_mpi_yield_when_idle": "1"},
        "async": {"OMPI_MCA_btl_tcp_progress_thread": "1"},  # between hosts only; it has no other
    },
    "impi": {
        "async": {"I_MPI_ASYNC_PROGRESS": "1"},
        "waitmode": {"I_MPI_WAIT_MODE": "1"},
        "yield2": {"I_MPI_THREAD_YIELD": "2"},
        "yield3": {"I_MPI_THREAD_YIELD": "3"},
    },
}


class ContenderError(Exception):
    """A contender cannot take part; the message says why and what to do."""


@dataclass
class Contender:
    name: str  # as the user wrote it, e.g. "vif:poll" or "impi:async"
    library: str  # vif, mpich, openmpi, impi, or none (no MPI at all)
    folder: Path  # prefix of the library
    settings: dict = field(default_factory=dict)
    programs: Path = None  # folder of the compiled programs
    sources: Path = None
    network: object = None  # between two hosts (network.Network); None: all ranks on this one

    def environment(self):
        environment = dict(os.environ)
        for name in ("LD_LIBRARY_PATH", "LD_PRELOAD", "VIF_REACTION"):
            environment.pop(name, None)
        if self.library != "none":
            environment["LD_LIBRARY_PATH"] = str(self.folder / "lib")
        if self.library == "openmpi":
            environment["OPAL_PREFIX"] = str(self.folder)
        if self.library == "impi":
            environment["I_MPI_ROOT"] = str(self.folder)
            environment["FI_PROVIDER_PATH"] = str(self.folder / "lib")
        if self.network is not None:
            environment.update(self.network.environment(self.library))
        environment.update(self.settings)
        return environment

    def program(self, name):
        if self.library == "openmpi":
            # Open MPI 5 does not have the ABI library: its own compiler makes the same sources into another binary.
            return peers.compile_with(
                self.folder / "bin" / "mpicc",
                self.environment(),
                self.sources,
                name,
                self.folder,
            )
        path = self.programs / name
        if not path.exists():
            raise ContenderError(f"The benchmark program {path} is missing; build it first (make build).")
        return path

    def command(self, ranks, program, arguments):
        if self.library == "none":
            return [str(program), *arguments]
        if self.network is not None:
            return [*self.network.command(self, ranks, program), *arguments]
        launcher = self.folder / "bin" / ("mpirun" if self.library in ("vif", "openmpi") else "mpiexec")
        if not launcher.exists():
            raise ContenderError(f"{self.name}: there is no {launcher}; build the project first (make build).")
        command = [str(launcher)]
        if self.library == "openmpi":
            command += ["--allow-run-as-root"] if os.geteuid() == 0 else []
            if ranks > len(os.sched_getaffinity(0)):
                command += ["--map-by", ":OVERSUBSCRIBE"]
        return [*command, "-n", str(ranks), str(program), *arguments]

    def is_really(self, document):
        """Did the document come from this library, loaded from its own folder?"""
        if self.library == "none":
            return True
        loaded = document.get("library_file", "")
        inside = loaded == "unknown" or Path(loaded).resolve().is_relative_to(self.folder.resolve())
        return SIGNATURES[self.library] in document.get("library", "") and inside


def vif(prefix, here, reaction):
    if reaction not in REACTIONS:
        raise ContenderError(f"'{reaction}' is not a reaction; known are {', '.join(REACTIONS)}.")
    name = "vif" if reaction == "auto" else f"vif:{reaction}"
    return Contender(
        name,
        "vif",
        prefix,
        {"VIF_REACTION": reaction},
        programs=here,
        sources=here / "programs",
    )


def parse_setting(library, text):
    if not text:
        return {}
    if "=" in text:
        name, value = text.split("=", 1)
        return {name: value}
    known = SETTINGS.get(library, {})
    if text not in known:
        raise ContenderError(
            f"'{library}:{text}' is not known; known are "
            f"{', '.join(f'{library}:{key}' for key in known)} and {library}:NAME=VALUE."
        )
    return known[text]


def peer(text, here, say):
    """mpich, impi:async, openmpi:NAME=VALUE …; sets the library up if it is not there."""
    library, _, setting = text.partition(":")
    if library not in peers.PEERS:
        raise ContenderError(f"'{library}' is not a known peer; known are {', '.join(peers.PEERS)} and all.")
    settings = parse_setting(library, setting)
    try:
        folder = peers.install(library, say)
    except (peers.PeerError, OSError) as error:
        raise ContenderError(f"{text} cannot take part: {error}") from error
    return Contender(text, library, folder, settings, programs=here, sources=here / "programs")


def kernel(here):
    """For programs without MPI."""
    return Contender("kernel", "none", Path("/"), {}, programs=here, sources=here / "programs")
