"""Runs each program for an instant under our mpirun, and checks its document: names and counts, never durations."""

import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from vifbench import contenders, rounds, suite  # noqa: E402  (the path comes first)

PREFIX = Path(sys.argv.pop()).absolute() if len(sys.argv) > 1 else Path("build").absolute()
PROGRAMS = PREFIX / "libexec" / "vif" / "bench"


def run(program, ranks=2, **arguments):
    who = contenders.kernel(PROGRAMS) if program == "interrupt" else contenders.vif(PREFIX, PROGRAMS, "auto")
    document, _ = rounds.run_once(who, suite.Job("smoke", program, ranks, arguments, 40))
    return document


def medians_positive(points, *measures):
    return all(point[measure]["median"] > 0 and point[measure]["count"] > 0 for point in points for measure in measures)


class Smoke(unittest.TestCase):
    def test_latency(self):
        points = run("latency", sizes="0,8,64K", seconds=0.001)["points"]
        self.assertEqual([point["size"] for point in points], [0, 8, 65536])
        self.assertTrue(medians_positive(points, "one_way_us"))

    def test_bandwidth_both_ways(self):
        points = run("bandwidth", sizes="1,64K", seconds=0.001, both="yes")["points"]
        self.assertEqual(
            [(point["size"], point["window"]) for point in points],
            [(1, 64), (65536, 64)],
        )
        self.assertTrue(medians_positive(points, "megabytes_per_second"))

    def test_overlap_has_a_point_for_each_side_size_and_computation(self):
        points = run("overlap", sizes="1K,256K", compute="equal,50", seconds=0.001)["points"]
        expected = [
            (side, size, compute)
            for side in ("receiver", "sender", "both")
            for size in (1024, 262144)
            for compute in ("equal", "50")
        ]
        self.assertEqual(
            [(point["side"], point["size"], point["compute"]) for point in points],
            expected,
        )
        self.assertTrue(medians_positive(points, "t_comm_us", "t_comp_us", "t_both_us"))
        for point in points:
            # The three derived numbers say the same thing.
            self.assertAlmostEqual(point["ratio"] + point["colour"], 1, places=3)

    def test_nbc_measures_and_checks_all_17_collectives(self):
        points = run("nbc", 3, sizes="1000,64K", kernels="all", seconds=0.0001)["points"]
        names = {point["collective"] for point in points}
        self.assertEqual(len(names), 17)
        self.assertEqual(len(points), 2 * 2 * (17 + 16))
        self.assertTrue(medians_positive(points, "t_comm_us", "t_comp_us", "t_both_us"))
        for point in points:
            self.assertEqual(point["overlap"], min(1, max(0, point["unclamped"])))

    def test_wait(self):
        points = run("wait", seconds=0.02, wakes=3, pause=200)["points"]
        self.assertEqual([point["operation"] for point in points], ["Recv", "Barrier", "Wait"])
        self.assertTrue(medians_positive(points, "wake_us", "futex_wake_us"))

    def test_oversubscribe_with_more_ranks_than_cores(self):
        points = run("oversubscribe", 5, seconds=0.01)["points"]
        self.assertEqual(
            [point["operation"] for point in points],
            ["barrier", "allreduce8", "allreduce64k", "alltoall8"],
        )
        self.assertTrue(medians_positive(points, "call_us"))
        self.assertEqual(run("oversubscribe", 3, operations="none")["points"], [])

    def test_collectives(self):
        points = run("collectives", 3, sizes="8,16K", seconds=0.001)["points"]
        self.assertEqual(len(points), 2 * (1 + 16 * 2))
        self.assertEqual(len({(point["operation"], point["form"], point["size"]) for point in points}), len(points))
        self.assertTrue(medians_positive(points, "call_us"))
        chosen = run("collectives", 1, sizes="64", operations="reduce,scan", seconds=0.001)["points"]
        self.assertEqual([point["operation"] for point in chosen], ["reduce", "scan"] * 2)

    def test_reactivity(self):
        points = run("reactivity", threads="0,1", seconds=0.02, pause=500)["points"]
        expected = [(form, threads) for threads in (0, 1) for form in ("paced", "back to back")]
        self.assertEqual([(point["form"], point["threads"]) for point in points], expected)
        self.assertTrue(medians_positive(points, "round_us"))
        self.assertIsNone(points[0]["compute_percent"])
        self.assertGreater(points[2]["compute_percent"], 0)

    def test_quiet(self):
        points = run("quiet", pairs=2, slice=100)["points"]
        self.assertEqual([point["when"] for point in points], ["initialised", "after traffic"])

    def test_datatypes(self):
        points = run("datatypes", sizes="8K", seconds=0.001)["points"]
        self.assertEqual(len(points), 7)
        self.assertTrue(medians_positive(points, "pack_us", "hand_unpack_us", "message_us", "contiguous_us"))

    def test_interrupt(self):
        points = run("interrupt", count=20)["points"]
        self.assertEqual(len(points), 9)
        for point in points:
            self.assertTrue(point["available"] or point["method"] != "senduipi" or point["why"])
            if point["available"]:
                self.assertEqual(sum(point["histogram"]), 20)
        self.assertTrue(any(point["available"] for point in points))

    def test_wrong_arguments_and_too_few_ranks_are_refused(self):
        for ranks, arguments in ((2, {"size": "8"}), (2, {"sizes": "8,x"}), (1, {})):
            with self.assertRaises(rounds.RunError):
                run("latency", ranks, **arguments)

    def test_help_of_each_command(self):
        for script in ("vif_bench.py", "vif_report.py", "demo.py"):
            done = subprocess.run(
                [sys.executable, str(PREFIX / "libexec" / "vif" / script), "--help"],
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("usage: vif ", done.stdout)


if __name__ == "__main__":
    rounds.stop_on_signal()
    unittest.main()
