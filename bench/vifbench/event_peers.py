"""Other event runtimes: programs in bench/peers, built on demand into the cache folder when their tools are there."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from . import debian
from .peers import PeerError, cache_folder


@dataclass
class Compiled:
    """A C++ source with a library from Debian packages."""

    source: str
    packages: list
    header: str  # under usr/include
    library: str = ""  # file name; empty: headers only
    defines: list = field(default_factory=list)


@dataclass
class Tool:
    """A folder of sources that a tool of its language builds."""

    folder: str
    tool: str
    command: list  # {output} is the folder for the results
    result: str  # the program, under {output}
    cure: str


PEERS = {
    "asio": Compiled("asio.cpp", ["libasio-dev"], "asio.hpp"),
    "asio:percore": Compiled("asio.cpp", ["libasio-dev"], "asio.hpp", defines=["PEER_PER_CORE"]),
    "tbb": Compiled("tbb.cpp", ["libtbb-dev", "libtbb12"], "tbb/version.h", "libtbb.so.12"),
    "libuv": Compiled("libuv.cpp", ["libuv1-dev", "libuv1"], "uv.h", "libuv.so.1"),
    "go": Tool("go", "go", ["go", "build", "-o", "{output}/works", "."], "works", "install Go (golang-go, go.dev)"),
    "tokio": Tool(
        "tokio",
        "cargo",
        ["cargo", "build", "--quiet", "--release", "--target-dir", "{output}"],
        "release/works",
        "install Rust with Cargo (rustup.rs); crates.io must be reachable",
    ),
}

SUPPORT = ["support.c", "json.c", "together.c"]


def _digest(files, words):
    digest = hashlib.sha256(" ".join(words).encode())
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _run(command, where, what):
    try:
        done = subprocess.run(
            command,
            cwd=where,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise PeerError(f"{what} took more than ten minutes") from error
    if done.returncode != 0:
        raise PeerError(f"{what} failed:\n" + "\n".join(done.stdout.strip().splitlines()[-8:]))


def _place(name, digest):
    return cache_folder() / "events" / f"{name.replace(':', '-')}-{digest}"


def _build_compiled(name, peer, peers_folder, say):
    header = f"usr/include/{peer.header}"
    wanted = [header] + ([f"lib/{peer.library}"] if peer.library else [])
    paths = debian.fetch(peer.packages, wanted, say)
    compiler = os.environ.get("CXX", "c++")
    if not shutil.which(compiler):
        raise PeerError(f"there is no compiler '{compiler}': install g++, or set CXX")
    include = Path(str(paths[0])[: -len(peer.header) - 1])
    flags = ["-std=gnu++20", "-O3", *(f"-D{word}" for word in peer.defines)]
    flags += [] if include == Path("/usr/include") else ["-isystem", str(include)]
    libraries = [str(paths[1]), f"-Wl,-rpath,{paths[1].parent}"] if peer.library else []
    programs = peers_folder.parent / "programs"
    sources = [peers_folder / peer.source, programs / "events" / "works.hpp", programs / "events" / "document.hpp"]
    sources += [programs / file for file in [*SUPPORT, "support.h", "together.h"]]
    place = _place(name, _digest(sources, [compiler, *flags, *libraries, debian.version(peer.packages[-1])]))
    program = place / "works"
    if program.exists():
        return program
    say(f"Building the peer {name} ...")
    place.mkdir(parents=True, exist_ok=True)
    objects = []
    for file in SUPPORT:
        objects.append(str(place / f"{file}.o"))
        _run(["cc", "-std=gnu11", "-O3", "-c", str(programs / file), "-o", objects[-1]], place, f"compiling {file}")
    fresh = place / f"works.{os.getpid()}"
    command = [compiler, *flags, str(sources[0]), *objects, "-o", str(fresh), *libraries, "-lpthread", "-ldl", "-lm"]
    _run(command, place, f"compiling {peer.source}")
    fresh.rename(program)
    return program


def _build_with_tool(name, peer, peers_folder, say):
    if not shutil.which(peer.tool):
        raise PeerError(f"there is no '{peer.tool}': {peer.cure}")
    source = peers_folder / peer.folder
    files = [file for file in source.rglob("*") if file.is_file()]
    version = subprocess.run([peer.tool, "version"], capture_output=True, text=True, check=False).stdout
    place = _place(name, _digest(files, [*peer.command, version]))
    program = place / peer.result
    if program.exists():
        return program
    say(f"Building the peer {name} with {peer.tool} ...")
    # A copy: the tool writes beside the sources.
    copy = place / f"source-{os.getpid()}"
    shutil.copytree(source, copy)
    _run([word.replace("{output}", str(place)) for word in peer.command], copy, f"building {name} ({peer.cure})")
    shutil.rmtree(copy)
    return program


def build(name, peers_folder, say):
    """The program of a peer, built if need be."""
    if name not in PEERS:
        raise PeerError(f"'{name}' is not a known peer; known are {', '.join(PEERS)}")
    peer = PEERS[name]
    make = _build_compiled if isinstance(peer, Compiled) else _build_with_tool
    return make(name, peer, peers_folder, say)
