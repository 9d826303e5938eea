"""Tables, pictures and verdicts of event benchmarks, from small records."""

import unittest
from pathlib import Path
from unittest import mock

from tests.documents import job, measure, record
from vifbench import debian, event_suite, figures, merge, rounds, tables, verdicts
from vifbench.peers import PeerError


def alloc_point(pattern, size, ticks):
    return {"pattern": pattern, "size": size, "ticks": measure(ticks)}


def alloc_record():
    def merged(*points):
        return merge.points([list(points)] * 3, rounds.keys_of("alloc"))

    results = {
        "vif": merged(alloc_point("pair", 64, 12), alloc_point("cross", 64, 20), alloc_point("cross", 512, 30)),
        "jemalloc": merged(alloc_point("pair", 64, 10), alloc_point("cross", 64, 40), alloc_point("cross", 512, 300)),
    }
    return record("events-alloc", [job("alloc", results, ranks=1)], contenders=("vif", "jemalloc"))


class Events(unittest.TestCase):
    def test_a_row_for_each_point_with_the_ratio_to_the_best_peer(self):
        (table,) = tables.of_record(alloc_record())
        self.assertEqual(table.headers, ["pattern, size", "vif", "jemalloc", "vif / best peer"])
        self.assertEqual([row[0] for row in table.rows], ["pair, 64 B", "cross, 64 B", "cross, 512 B"])
        self.assertEqual([row[-1] for row in table.rows], ["1.20 (jemalloc)", "0.50 (jemalloc)", "0.10 (jemalloc)"])

    def test_pictures_have_a_line_for_each_contender(self):
        (picture,) = figures.of_record(alloc_record())
        self.assertEqual(picture.title, "Allocation and release (ticks of the time-stamp counter), pattern: cross")
        self.assertEqual(picture.labels, ["64 B", "512 B"])
        self.assertEqual(dict(picture.series), {"vif": [20, 30], "jemalloc": [40, 300]})

    def test_every_benchmark_is_complete(self):
        for name, kind in event_suite.KINDS.items():
            self.assertTrue(name.startswith("events-"))
            self.assertTrue(kind.measures and kind.keys and event_suite.jobs_of(name, quick=True))
            if kind.across:
                self.assertIn(kind.across, kind.keys)


class Promises(unittest.TestCase):
    def rows(self, benchmark, program, points, **others):
        contenders = {**others, "vif": points}
        results = {name: merge.points([list_] * 3, rounds.keys_of(program)) for name, list_ in contenders.items()}
        made = record(benchmark, [job(program, results, ranks=1)], contenders=tuple(contenders))
        return {row[0]: row[3] for row in verdicts.of_records([made]).rows}

    def test_allocation(self):
        ours = [alloc_point("pair", 64, 71), alloc_point("cross", 64, 20), alloc_point("cross", 512, 30)]
        peer = [alloc_point("cross", 64, 40), alloc_point("cross", 512, 25)]
        self.assertEqual(
            self.rows("events-alloc", "alloc", ours, jemalloc=peer),
            {
                "allocation and release on one core": "NOT MET",
                "allocation across cores, 64 B": "met",
                "allocation across cores, 512 B": "NOT MET",
            },
        )

    def test_a_step_of_the_ablation_that_loses_is_named(self):
        def point(rate):
            return [{"work": "fan-out empty", "cores": 2, "rate": measure(rate)}]

        steps = {"vif:baseline": point(10), "vif:+padding": point(9)}
        rows = self.rows("events-ablation", "works", point(16), **steps)
        self.assertEqual(rows["fan-out empty, cores: 2: all optimisations"], "met")
        self.assertEqual(rows["fan-out empty, cores: 2: each optimisation"], "NOT MET")

    def test_learnt_batches_stand_beside_the_best_fixed_one(self):
        def point(rate):
            return [{"work": "barrier", "cores": 2, "rate": measure(rate)}]

        what = "learnt batches, barrier, cores: 2"
        for ours, verdict in ((9, "met"), (7, "NOT MET")):
            others = {"vif:1": point(3), "vif:4": point(9)}
            self.assertEqual(self.rows("events-batches", "works", point(ours), **others)[what], verdict)

    def test_a_peer_within_the_spread_decides_nothing(self):
        def point(*rates):
            return [[{"work": "barrier", "cores": 2, "rate": measure(rate)}] for rate in rates]

        def verdict(ours, theirs):
            results = {"vif": merge.points(point(*ours), ("work", "cores"))}
            results["tbb"] = merge.points(point(*theirs), ("work", "cores"))
            made = record("events-works", [job("works", results, ranks=1)], contenders=("vif", "tbb"))
            return [row[3] for row in verdicts.of_records([made]).rows]

        self.assertEqual(verdict((10, 11, 12), (8, 9, 9)), ["met"])
        self.assertEqual(verdict((8, 9, 10), (9, 10, 11)), ["undecided"])
        self.assertEqual(verdict((6, 7, 8), (9, 10, 11)), ["NOT MET"])

    def test_waiting_and_idling(self):
        def point(rate):
            return [{"work": "fan-out 1000ns", "cores": 2, "rate": measure(rate)}]

        rows = self.rows("events-waiting", "works", point(96), **{"vif:spin": point(100)})
        self.assertEqual(list(rows.values()), ["NOT MET"])
        idle = [{"period_us": 1000, "cores": 2, "cpu_percent": 1.5, "late_us": measure(5)}]
        self.assertEqual(list(self.rows("events-idle", "idle", idle).values()), ["met"])


class Merging(unittest.TestCase):
    def test_numbers_that_tell_points_apart_stay_numbers(self):
        points = [{"work": "ping-pong", "cores": 2, "rate": measure(5)}]
        (merged,) = merge.points([points, points], ("work", "cores"))
        self.assertEqual((merged["work"], merged["cores"]), ("ping-pong", 2))
        self.assertEqual(merged["rate"]["median"], 5)


class Packages(unittest.TestCase):
    def test_without_apt_the_sentence_names_the_packages(self):
        with (
            mock.patch.object(debian, "find", return_value=None),
            mock.patch.object(debian.shutil, "which", return_value=None),
            self.assertRaisesRegex(PeerError, "install what your system calls libnothing1"),
        ):
            debian.fetch(["libnothing1"], ["lib/libnothing.so.1"], print)

    def test_what_the_system_has_is_not_fetched(self):
        with mock.patch.object(debian, "find", return_value=Path("/usr/lib/there")):
            self.assertEqual(debian.fetch(["package"], ["lib/there"], self.fail), [Path("/usr/lib/there")])


if __name__ == "__main__":
    unittest.main()
