"""A Python environment with mpi4py built from its source distribution by our mpicc, and with MPICH beside it.

One mpi4py serves both libraries: both follow the standard binary interface, so LD_LIBRARY_PATH chooses.
"""

import os
import pathlib
import subprocess
import sys
import tarfile
import venv

MPI4PY = "mpi4py==4.1.2"
MPICH = "mpich==5.0.2"
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

    def key(self):
        """What must be made again when it changes. Our mpi.h is not among it: the binary interface stays."""
        return "\n".join([MPI4PY, *OTHERS, sys.version])

    def prepare(self, with_mpich):
        self.prepare_mpi4py()
        stamp = self.folder / "prepared-mpich"
        if with_mpich and not (stamp.exists() and stamp.read_text() == self.key() + MPICH):
            pip(self.environment, "install", "--quiet", MPICH)
            stamp.write_text(self.key() + MPICH)

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

    def launcher(self, library):
        """The command that starts ranks, and the folder of the library that they must load."""
        if library == "vif":
            return self.build / "bin/mpirun", self.build / "lib"
        return self.environment / "bin/mpiexec", self.environment / "lib"
