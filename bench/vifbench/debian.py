"""Peers that are Debian packages: from the system when they are installed, else fetched into the cache folder.

Fetching needs no root: `apt-get download` and `dpkg-deb --extract`. The system is not changed.
"""

import shutil
import subprocess
from pathlib import Path

from .peers import PeerError, cache_folder

LIBRARY_FOLDERS = ("usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/lib", "usr/local/lib")


def folder():
    return cache_folder() / "debian"


def _inside(root, path):
    """The path under a root folder; libraries may lie in several places."""
    if path.startswith("lib/"):
        for place in LIBRARY_FOLDERS:
            if (root / place / path[4:]).exists():
                return root / place / path[4:]
        return None
    return root / path if (root / path).exists() else None


def find(path):
    """A file such as lib/libuv.so.1 or usr/include/uv.h: in the system first, then in the cache; None if nowhere."""
    return _inside(Path("/"), path) or _inside(folder(), path)


def _run(command, where):
    return subprocess.run(
        command,
        cwd=where,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
        check=False,
    )


def fetch(packages, files, say):
    """Makes sure that the files can be found, and returns their paths; else a PeerError that says what to do."""
    found = [find(path) for path in files]
    if all(found):
        return found
    names = " ".join(packages)
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise PeerError(f"{', '.join(files)} not found: install what your system calls {names}.")
    say(f"Fetching {names} (Debian packages) into {folder()} ...")
    folder().mkdir(parents=True, exist_ok=True)
    done = _run(["apt-get", "download", *packages], folder())
    if done.returncode != 0:
        tail = " ".join(done.stdout.split()[-30:])
        raise PeerError(
            f"apt-get could not download {names} (as root: apt-get update; apt-get install {names}): {tail}"
        )
    for package in packages:
        for archive in folder().glob(f"{package}_*.deb"):
            _run(["dpkg-deb", "--extract", str(archive), str(folder())], folder())
    found = [find(path) for path in files]
    if not all(found):
        raise PeerError(f"the packages {names} do not hold {', '.join(files)}: another version of the system?")
    return found


def version(package):
    """The version of an installed or fetched package, for the record."""
    if shutil.which("dpkg-query"):
        done = _run(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", package], "/")
        status, _, number = done.stdout.partition(" ")
        if done.returncode == 0 and status == "installed":
            return number.strip()
    for archive in folder().glob(f"{package}_*.deb"):
        return archive.name.split("_")[1].replace("%3a", ":")
    return "of unknown version"
