"""Two hosts on one machine: network name spaces joined by one or two cables, on which every library starts its ranks.

A launcher runs on the first host and reaches the second one through an agent that stands for ssh. Each host has the
name of its address, so that nothing needs to be resolved. Everything is taken down at the end, and what an earlier run
that was killed has left behind is taken down at the beginning.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import peers


@dataclass
class Kind:
    words: str
    cables: int = 1
    shape: tuple = ()  # words for `tc`, at each end of each cable


# Long frames: the shaper cuts what TCP gives it into frames, which a network card would do without the CPU. With 1500
# bytes it takes a CPU 470 µs for 64 KB here, on that of the rank that sends: there is nothing left to be hidden.
FRAME = "9000"
# A burst as small as this lets no message pass unshaped; the queue is long enough that nothing is lost in it.
GIGABIT = ("tbf", "rate", "1gbit", "burst", "16kb", "latency", "20ms")
KINDS = {
    "tcp": Kind("two network name spaces, one cable without a limit"),
    "shaped": Kind("two network name spaces, one cable of 1 Gb/s", 1, GIGABIT),
    "rails": Kind("two network name spaces, two cables of 1 Gb/s each", 2, GIGABIT),
}

HOSTS = ("a", "b")
AGENT = """#!/bin/sh
# Stands for ssh: enters the name spaces of a host, and runs there what ssh would run.
while :; do
  case $1 in
    -[lpio]) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
host=$1
shift
case $host in
{cases}
  *) echo "agent: there is no host $host" >&2; exit 255 ;;
esac
exec ip netns exec "$space" unshare --uts sh -c 'hostname "$0" && eval "$1"' "$host" "$*"
"""


class NetworkError(Exception):
    """There is no such network here; the message says why and what to do."""


def _run(*words, must=True):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if must and done.returncode != 0:
        raise NetworkError(f"The network cannot be made: `{' '.join(words)}` says: {done.stderr.strip()}")
    return done.stdout


def _alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _remove(space):
    """Ends what runs in a name space, and takes it down; its cables go with it."""
    for word in _run("ip", "netns", "pids", space, must=False).split():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(word), signal.SIGKILL)
    _run("ip", "netns", "del", space, must=False)


def _remove_left_behind():
    for line in _run("ip", "netns", "list", must=False).splitlines():
        found = re.match(r"vif-bench-(\d+)-[ab]\b", line)
        if found and not _alive(int(found.group(1))):
            _remove(found.group(0))


class Network:
    def __init__(self, kind):
        self.kind = kind
        self.words = KINDS[kind].words
        self.cables = [f"vif{number}" for number in range(KINDS[kind].cables)]
        self.spaces = {host: f"vif-bench-{os.getpid()}-{host}" for host in HOSTS}
        self.folder = None

    def address(self, host, cable=0):
        return f"10.77.{cable}.{1 + HOSTS.index(host)}"

    def __enter__(self):
        if os.geteuid() != 0:
            raise NetworkError("--link makes network name spaces, which only root may do: run it as root.")
        for tool in ("ip", "tc", "unshare", "hostname"):
            if shutil.which(tool) is None:
                raise NetworkError(f"--link needs the command `{tool}`: install iproute2, util-linux and hostname.")
        _remove_left_behind()
        try:
            self._make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *reason):
        for space in self.spaces.values():
            _remove(space)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _make(self):
        one, other = (self.spaces[host] for host in HOSTS)
        for space in (one, other):
            _run("ip", "netns", "add", space)
            _run("ip", "-n", space, "link", "set", "lo", "up")
        for number, cable in enumerate(self.cables):
            ends = ("type", "veth", "peer", "name", cable, "netns", other)
            _run("ip", "-n", one, "link", "add", cable, *ends)
            for host, space in self.spaces.items():
                _run(
                    "ip",
                    "-n",
                    space,
                    "addr",
                    "add",
                    f"{self.address(host, number)}/24",
                    "dev",
                    cable,
                )
                _run("ip", "-n", space, "link", "set", cable, "mtu", FRAME, "up")
                if KINDS[self.kind].shape:
                    _run(
                        "tc",
                        "-n",
                        space,
                        "qdisc",
                        "replace",
                        "dev",
                        cable,
                        "root",
                        *KINDS[self.kind].shape,
                    )
        self.folder = Path(tempfile.mkdtemp(prefix="vif-bench-"))
        agent = self.folder / "agent"
        cases = (f"  {self.address(host)}) space={space} ;;" for host, space in self.spaces.items())
        agent.write_text(AGENT.replace("{cases}", "\n".join(cases)), encoding="utf-8")
        agent.chmod(0o755)

    def end_all(self):
        """Ends what a run that was broken off has left in the hosts."""
        for space in self.spaces.values():
            for word in _run("ip", "netns", "pids", space, must=False).split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(word), signal.SIGKILL)

    def environment(self, library):
        """What makes a library use this network: TCP, over these cables. Both hosts have the same CPUs: no binding."""
        cables = ",".join(self.cables)
        fabric = {"FI_PROVIDER": "tcp", "FI_TCP_IFACE": self.cables[0]}
        return {
            "vif": {"VIF_TCP_INTERFACES": cables},
            # UCX, where it is installed, would find that both hosts are one machine, and use its memory.
            "mpich": {**fabric, "UCX_TLS": "self,tcp", "UCX_NET_DEVICES": cables},
            "impi": {**fabric, "I_MPI_PIN": "0", "I_MPI_HYDRA_IFACE": self.cables[0]},
            "openmpi": {
                "OMPI_MCA_pml": "ob1",
                "OMPI_MCA_btl": "self,tcp",
                "OMPI_MCA_btl_tcp_if_include": cables,
                "PRTE_MCA_plm_ssh_agent": str(self.folder / "agent"),
                "PRTE_MCA_prte_if_include": self.cables[0],
            },
        }[library]

    def command(self, contender, ranks, program):
        """The launcher on the first host, with half of the ranks on each. Vif's ranks are started by MPICH's hydra."""
        per_host = (ranks + 1) // 2
        hosts = [self.address(host) for host in HOSTS]
        agent = str(self.folder / "agent")
        if contender.library == "openmpi":
            launcher = [
                str(contender.folder / "bin" / "mpirun"),
                "--allow-run-as-root",
                "--bind-to",
                "none",
            ]
            launcher += ["--host", ",".join(f"{host}:{per_host}" for host in hosts)]
        elif contender.library == "impi":
            launcher = [
                str(contender.folder / "bin" / "mpiexec.hydra"),
                "-bootstrap",
                "ssh",
                "-bootstrap-exec",
                agent,
            ]
            launcher += ["-hosts", ",".join(hosts), "-ppn", str(per_host)]
        else:
            launcher = [
                str(peers.install("mpich") / "bin" / "mpiexec.hydra"),
                "-launcher",
                "ssh",
            ]
            launcher += ["-launcher-exec", agent, "-iface", self.cables[0]]
            launcher += ["-hosts", ",".join(hosts), "-ppn", str(per_host)]
        first = HOSTS[0]
        enter = [
            "ip",
            "netns",
            "exec",
            self.spaces[first],
            "unshare",
            "--uts",
            "sh",
            "-c",
        ]
        enter += ['hostname "$0" && exec "$@"', self.address(first)]
        return [*enter, *launcher, "-n", str(ranks), str(program)]
