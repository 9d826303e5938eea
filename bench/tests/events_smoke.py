"""Runs each program of `vif bench events` for an instant and checks its document: names and counts, never durations."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from vifbench import event_contenders, event_suite, rounds, suite  # noqa: E402  (the path comes first)

PREFIX = Path(sys.argv.pop()).absolute() if len(sys.argv) > 1 else Path("build").absolute()
PROGRAMS = PREFIX / "libexec" / "vif" / "bench" / "events"


def run(contender, program, **arguments):
    document, _ = rounds.run_once(contender, suite.Job("smoke", program, 1, arguments, 60))
    return document


def keys_of(benchmark, document):
    return [tuple(point[key] for key in event_suite.KINDS[benchmark].keys) for point in document["points"]]


class Allocators(unittest.TestCase):
    def test_each_pattern_is_measured_on_vif_and_on_malloc(self):
        chosen, missing = event_contenders.allocators(PROGRAMS, [], print)
        self.assertEqual(missing, [])
        for contender in chosen:
            document = run(contender, "alloc", sizes="32,512", seconds=0.001)
            patterns = ("pair", "batch", "random") + (("cross",) if document["usable_cpus"] > 1 else ())
            expected = [(pattern, size) for size in (32, 512) for pattern in patterns]
            self.assertEqual(keys_of("events-alloc", document), expected)
            for point in document["points"]:
                ticks = point["ticks"]
                self.assertGreater(ticks["median"] if isinstance(ticks, dict) else ticks, 0)

    def test_a_library_that_was_not_loaded_is_noticed(self):
        (vif, *_), _ = event_contenders.allocators(PROGRAMS, [], print)
        vif.signature = "libother"
        with self.assertRaises(rounds.RunError):
            run(vif, "alloc", sizes="32", seconds=0.001, patterns="pair")


class Works(unittest.TestCase):
    def test_each_work_ends_on_one_core_and_on_more_cores_than_there_are(self):
        works = "ping-pong,fan-out empty,fan-out 1000ns,fan-out memory,barrier"
        (vif,), _ = event_contenders.runtimes(PROGRAMS, [], print)
        for contender in (vif, event_contenders.ablation(PROGRAMS)[0]):
            document = run(contender, "works", works=works, cores="1,3", seconds=0.01)
            self.assertEqual(
                keys_of("events-works", document), [(work, cores) for work in works.split(",") for cores in (1, 3)]
            )
            self.assertTrue(all(point["rate"]["count"] == 10 for point in document["points"]))


class Alone(unittest.TestCase):
    def vif(self):
        (vif, *_) = event_contenders.waiting(PROGRAMS)
        return vif

    def test_wake(self):
        document = run(self.vif(), "wake", pauses="20,100", count=5)
        if document["usable_cpus"] > 1:
            self.assertEqual(keys_of("events-wake", document), [(20,), (100,)])
            self.assertTrue(
                all(point["wake_us"]["count"] == point["futex_us"]["count"] == 5 for point in document["points"])
            )

    def test_idle(self):
        document = run(self.vif(), "idle", periods="100,1000", seconds=0.02, cores="1,2")
        self.assertEqual(keys_of("events-idle", document), [(100, 1), (1000, 1), (100, 2), (1000, 2)])
        self.assertTrue(all(point["late_us"]["count"] > 0 for point in document["points"]))

    def test_read(self):
        document = run(self.vif(), "read", size="2M", seconds=0.02, cores="1,2")
        self.assertEqual(keys_of("events-read", document), [("wide", 1), ("plain", 1), ("wide", 2), ("plain", 2)])
        self.assertTrue(all(point["bytes_per_tick"]["count"] == 10 for point in document["points"]))


if __name__ == "__main__":
    rounds.stop_on_signal()
    unittest.main()
