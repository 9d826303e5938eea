"""Jobs over several hosts: MPI programs started as a launcher on many hosts would, by PMI-1 and without shared memory.

Hosts are made of names (VIF_HOST, over the loopback), and, where network name spaces may be made, of those.
Usage: tcp_hosts.py FOLDER-OF-PROGRAMS [names | namespaces]
"""

import os
import re
import select
import shutil
import socket
import subprocess
import sys
import time

SKIPPED = 77


class Pmi:
    """The launcher's side of PMI-1, for one job."""

    def __init__(self, size):
        self.size = size
        self.values = {}
        self.waiting = []
        self.ends = [socket.socketpair() for _ in range(size)]
        self.rest = [b""] * size

    def answer(self, rank, text):
        self.ends[rank][0].sendall((text + "\n").encode())

    def take(self, rank, line):
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        command = words["cmd"]
        if command == "init":
            self.answer(
                rank, "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1"
            )
        elif command == "get_maxes":
            self.answer(rank, "cmd=maxes kvsname_max=64 keylen_max=64 vallen_max=1024")
        elif command == "get_appnum":
            self.answer(rank, "cmd=appnum appnum=0")
        elif command == "get_my_kvsname":
            self.answer(rank, "cmd=my_kvsname kvsname=job")
        elif command == "put":
            self.values[words["key"]] = words["value"]
            self.answer(rank, "cmd=put_result rc=0 msg=success")
        elif command == "get":
            value = self.values.get(words["key"])
            found = (
                "rc=-1 msg=missing"
                if value is None
                else f"rc=0 msg=success value={value}"
            )
            self.answer(rank, f"cmd=get_result {found}")
        elif command == "barrier_in":
            self.waiting.append(rank)
            if len(self.waiting) == self.size:
                for one in self.waiting:
                    self.answer(one, "cmd=barrier_out")
                self.waiting = []
        elif command == "finalize":
            self.answer(rank, "cmd=finalize_ack")

    def serve(self, seconds):
        """Until every rank has closed its end. False: that took too long."""
        end = time.monotonic() + seconds
        opened = {near.fileno(): rank for rank, (near, _) in enumerate(self.ends)}
        while opened and time.monotonic() < end:
            for descriptor in select.select(list(opened), [], [], 1)[0]:
                rank = opened[descriptor]
                try:
                    data = self.ends[rank][0].recv(65536)
                except ConnectionResetError:
                    data = b""
                if not data:
                    del opened[descriptor]
                    continue
                *lines, self.rest[rank] = (self.rest[rank] + data).split(b"\n")
                for line in lines:
                    self.take(rank, line.decode())
        return not opened


def run(command, hosts, prefix_of=None, **variables):
    """Runs a rank on each of `hosts` (one entry per rank). The output, and the worst exit code."""
    pmi = Pmi(len(hosts))
    ranks = []
    for rank, host in enumerate(hosts):
        far = pmi.ends[rank][1]
        place = {
            "PMI_FD": str(far.fileno()),
            "PMI_RANK": str(rank),
            "PMI_SIZE": str(len(hosts)),
        }
        environment = {**os.environ, **place, **variables}
        if prefix_of is None:
            environment["VIF_HOST"] = host
        prefix = [] if prefix_of is None else prefix_of(host)
        ranks.append(
            subprocess.Popen(
                prefix + command,
                env=environment,
                pass_fds=[far.fileno()],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
        )
        far.close()
    if not pmi.serve(60):
        for rank in ranks:
            rank.kill()
    outputs = [rank.communicate()[0] for rank in ranks]
    return "".join(outputs), max(abs(rank.returncode) for rank in ranks)


failures = 0


def check(name, good, output=""):
    global failures
    print(("ok: " if good else "FAILED: ") + name)
    if not good:
        failures += 1
        print(output)


def check_job(name, programs, hosts, prefix_of=None, **variables):
    output, code = run(
        [os.path.join(programs, "mpi_rest_hosts")], hosts, prefix_of, **variables
    )
    lines = re.findall(r"rank (\d+) of \d+ on (\S+) shares memory with (\d+)", output)
    near = {int(rank): int(count) for rank, _, count in lines}
    expected = {rank: hosts.count(host) for rank, host in enumerate(hosts)}
    check(
        name,
        code == 0 and near == expected,
        f"exit code {code}, seen {near}, expected {expected}\n{output}",
    )
    if prefix_of is None:
        check(
            f"{name}: names",
            all(hosts[int(rank)] == host for rank, host, _ in lines),
            output,
        )
    output, code = run(
        [os.path.join(programs, "mpi_p2p_probe")], hosts, prefix_of, **variables
    )
    check(f"{name}: probe", code == 0, output)


def with_names(programs):
    check_job(
        "two hosts, two ranks each",
        programs,
        ["a", "b", "a", "b"],
        VIF_TCP_INTERFACES="lo",
    )
    check_job("IPv6", programs, ["a", "b"], VIF_TCP_INTERFACES="::1")
    check_job("one host", programs, ["a", "a", "a"], VIF_TCP_INTERFACES="lo")
    check_job(
        "all by TCP", programs, ["a", "b"], VIF_TCP_INTERFACES="lo", VIF_REACTION="poll"
    )
    output, code = run(
        [os.path.join(programs, "mpi_rest_hosts")],
        ["a", "b"],
        VIF_TCP_INTERFACES="nowhere",
    )
    check(
        "an interface that is not there is an error",
        code != 0 and "matches no address" in output,
        output,
    )


def with_namespaces(programs):
    if os.geteuid() != 0 or shutil.which("ip") is None:
        print(
            "SKIPPED: network name spaces can be made by root only, with the command `ip`."
        )
        return SKIPPED
    spaces = {name: f"vif{os.getpid()}{name}" for name in "ab"}

    def ip(*words):
        return subprocess.run(
            ["ip", *words], check=False, capture_output=True, text=True
        )

    try:
        for space in spaces.values():
            made = ip("netns", "add", space)
            if made.returncode != 0:
                print("SKIPPED: a network name space cannot be made here:", made.stderr)
                return SKIPPED
        ip(
            "-n",
            spaces["a"],
            "link",
            "add",
            "v0",
            "type",
            "veth",
            "peer",
            "name",
            "v0",
            "netns",
            spaces["b"],
        )
        for number, space in enumerate(spaces.values(), 1):
            ip("-n", space, "addr", "add", f"10.77.0.{number}/24", "dev", "v0")
            ip("-n", space, "link", "set", "v0", "up")
            ip("-n", space, "link", "set", "lo", "up")
        check_job(
            "two network name spaces",
            programs,
            ["a", "b", "b", "a", "a"],
            prefix_of=lambda host: ["ip", "netns", "exec", spaces[host]],
        )
    finally:
        for space in spaces.values():
            ip("netns", "del", space)
    return 0


def main():
    programs = os.path.abspath(sys.argv[1])
    way = sys.argv[2] if len(sys.argv) > 2 else "names"
    code = with_namespaces(programs) if way == "namespaces" else with_names(programs)
    sys.exit(code or (1 if failures else 0))


main()
