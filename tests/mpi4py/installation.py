"""A Python environment with mpi4py built from its source distribution by our mpicc, and the peers of `vif bench`.

One mpi4py serves Vif, MPICH and Intel MPI: they follow the standard binary interface, so LD_LIBRARY_PATH chooses.
"""

import os
import pathlib
import subprocess
import sys
import tarfile
import venv

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from vifbench import contenders  # noqa: E402  (the path comes first)

MPI4PY = "mpi4py==4.1.2"
OTHERS = ["numpy<3", "cffi"]
# What building mpi4py takes, so that pip need not fetch it into an environment of its own, twice.
BUILDERS = ["setuptools", "wheel", "cython"]
# Words of pip when it cannot reach the package index.
UNREACHABLE = (
    "No matching distribution",
    "ConnectionError",
    "NewConnectionError",
    "Max retries exceeded",
    "ReadTimeoutError",
    "Temporary failure in name resolution",
    "ProxyError",
)


class NoNetwork(Exception):
    """The packages cannot be had."""


def pip(environment, *arguments, **variables):
    command = [str(environment / "bin/python"), "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    ran = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **variables}
    )
    if ran.returncode != 0:
        if any(word in ran.stdout for word in UNREACHABLE):
            raise NoNetwork(f"pip could not fetch {' '.join(arguments)}: there is no network, or no package index.")
        sys.exit(f"{' '.join(command)} failed:\n{ran.stdout}")


class Installation:
    """Where everything lies below the folder that was given."""

    def __init__(self, folder, build):
        self.folder = pathlib.Path(folder).resolve()
        self.build = pathlib.Path(build).resolve()
        self.environment = self.folder / "venv"
        self.python = self.environment / "bin/python"
        name, version = MPI4PY.split("==")
        self.source = self.folder / f"{name}-{version}"
        self.tests = self.source / "test"
        self.contenders = {}

    def key(self):
        """What must be made again when it changes. Our mpi.h is not among it: the binary interface stays."""
        return "\n".join([MPI4PY, *OTHERS, sys.version])

    def prepare(self, libraries):
        """mpi4py, and the libraries that are to run it: vif, or a peer with settings such as impi:waitmode."""
        self.prepare_mpi4py()
        for name in libraries:
            try:
                chosen = self.vif() if name == "vif" else contenders.peer(name, self.build, print)
            except contenders.ContenderError as problem:
                raise NoNetwork(str(problem)) from problem
            self.contenders[name] = chosen

    def vif(self):
        return contenders.vif(self.build, self.build, "auto")

    def prepare_mpi4py(self):
        stamp = self.folder / "prepared"
        if stamp.exists() and stamp.read_text() == self.key():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        print(f"making {self.environment} and building {MPI4PY} there with our mpicc", flush=True)
        venv.create(self.environment, clear=True, with_pip=True)
        pip(self.environment, "install", "--quiet", *OTHERS, *BUILDERS)
        mpicc = str(self.build / "bin/mpicc")
        alone = ("--quiet", "--no-deps", "--no-cache-dir", "--no-build-isolation")
        fetch = ("--no-binary", "mpi4py", "--dest", str(self.folder), MPI4PY)
        pip(self.environment, "download", *alone, *fetch, MPICC=mpicc)
        archive = self.source.with_name(self.source.name + ".tar.gz")
        # Without debugging information and optimisation: the compilation takes a quarter of the time.
        pip(self.environment, "install", *alone, str(archive), MPICC=mpicc, CFLAGS="-O0 -g0")
        with tarfile.open(archive) as opened:
            opened.extractall(self.folder)
        stamp.write_text(self.key())

    def start(self, library, ranks, program):
        """The command that starts the ranks of a program on a library that was prepared, and its environment."""
        contender = self.contenders[library]
        return contender.command(ranks, program[0], list(map(str, program[1:]))), contender.environment()
