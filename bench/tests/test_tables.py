"""Tables and verdicts show what the record says."""

import unittest

from tests.documents import job, measure, overlap_point, record
from vifbench import merge, suite, tables, verdicts


def merged(program, *points):
    return merge.points([list(points)] * 3, suite.KEYS[program])


def latency_record(ours, theirs):
    return record(
        "latency",
        [
            job(
                "latency",
                {
                    "vif": merged("latency", {"size": 8, "one_way_us": measure(ours)}),
                    "mpich": merged("latency", {"size": 8, "one_way_us": measure(theirs)}),
                },
            )
        ],
    )


class Tables(unittest.TestCase):
    def test_latency_has_a_column_for_each_contender_and_the_ratio(self):
        (table,) = tables.of_record(latency_record(0.25, 0.5))
        self.assertEqual(table.headers, ["size", "vif", "mpich", "vif / best peer"])
        self.assertEqual(table.rows, [["8 B", "0.25 ±0%", "0.50 ±0%", "0.50 (mpich)"]])

    def test_the_terminal_table_is_aligned(self):
        lines = tables.terminal(tables.of_record(latency_record(0.25, 12.5))[0]).splitlines()
        self.assertEqual(len({len(line) for line in lines[1:]}), 1)

    def test_more_is_better_for_bandwidth(self):
        points = {
            name: merged(
                "bandwidth",
                {"size": 1024, "window": 64, "megabytes_per_second": measure(value)},
            )
            for name, value in (("vif", 100), ("mpich", 50), ("impi", 200))
        }
        (table,) = tables.of_record(record("bandwidth", [job("bandwidth", points)], ("vif", "mpich", "impi")))
        self.assertEqual(table.rows[0][-1], "0.50 (impi)")

    def test_a_failure_is_named(self):
        (table,) = tables.of_record(
            record(
                "latency",
                [
                    job(
                        "latency",
                        {"vif": merged("latency", {"size": 8, "one_way_us": measure(1)})},
                        failures={"mpich": "no end after 300 s"},
                    )
                ],
            )
        )
        self.assertIn("mpich has no result here: no end after 300 s", table.notes)

    def test_start_times_of_several_rank_counts_are_one_table(self):
        none = {"operations": "none"}
        jobs = [job("oversubscribe", {"vif": []}, ranks, none) for ranks in (2, 64)]
        (table,) = tables.of_record(record("oversubscribe", jobs, ("vif",)))
        self.assertEqual([row[0] for row in table.rows], ["2", "64"])

    def collectives(self):
        def points(name, times):
            return [
                {"operation": name, "form": "blocking", "size": size, "call_us": measure(time)}
                for size, time in times.items()
            ]

        results = {
            "vif": points("bcast", {8: 1.0, 1024: 4.0}),
            "mpich": points("bcast", {8: 2.0, 1024: 2.0}),
            "impi": [{"operation": "bcast", "form": "blocking", "size": 8, "wrong": True}],
        }
        merged_points = {name: merged("collectives", *given) for name, given in results.items()}
        return record("collectives", [job("collectives", merged_points, 2, title="2 ranks")], tuple(results))

    def test_collectives_stand_beside_the_best_peer_of_each_point(self):
        summary, times, behind = tables.of_record(self.collectives())
        self.assertEqual(summary.rows, [["2", "2", "1", "0", "1", "2.00", "2.00"]])
        self.assertEqual(times.headers, ["operation", "8 B", "1 KB"])
        self.assertEqual(times.rows, [["bcast", "1.00 (0.50 mpich)", "4.00 (2.00 mpich)"]])
        self.assertEqual([row[0] for row in behind.rows], ["bcast, blocking, 1 KB"])
        self.assertEqual(behind.notes, ["impi gave wrong results with 2 ranks: bcast (blocking, 8 B)"])
        (promise,) = verdicts.of_records([self.collectives()]).rows
        self.assertEqual(promise[2:], ["1 of 2", "NOT MET"])

    def test_markdown_has_one_line_for_each_row(self):
        text = tables.markdown(tables.of_record(latency_record(0.25, 0.5))[0])
        self.assertIn("| 8 B | 0.25 ±0% | 0.50 ±0% | 0.50 (mpich) |", text)

    def test_an_interrupt_method_that_the_kernel_refuses_is_said(self):
        point = {
            "placement": "threads",
            "method": "pidfd_send_signal",
            "available": False,
        }
        (table,) = tables.of_record(
            record(
                "interrupt",
                [job("interrupt", {"kernel": merged("interrupt", point)})],
                ("kernel",),
            )
        )
        self.assertIn("not available here", table.rows[0])

    def test_emulated_user_interrupts_are_no_figure(self):
        point = {
            "placement": "threads",
            "method": "senduipi",
            "available": False,
            "why": "emulated: not a measurement",
        }
        (table,) = tables.of_record(
            record(
                "interrupt",
                [job("interrupt", {"kernel": merged("interrupt", point)})],
                ("kernel",),
            )
        )
        self.assertIn("emulated: not a measurement", table.rows[0])

    def test_numbers_keep_three_digits(self):
        self.assertEqual(
            [tables.number(value) for value in (0.123, 12.34, 1234.5, None)],
            ["0.12", "12.3", "1234", "–"],
        )
        self.assertEqual(
            [tables.size_text(value) for value in (0, 1000, 1024, 4194304)],
            ["0 B", "1000 B", "1 KB", "4 MB"],
        )


def nbc_record(ours, theirs):
    def point(both):
        return {
            "collective": "bcast",
            "size": 65536,
            "mode": "equivalent",
            "kernel": "product",
            "t_comm_us": measure(10),
            "t_comp_us": measure(20),
            "t_both_us": measure(both),
            "overlap": 0.5,
            "unclamped": 0.5,
        }

    results = {"vif": merged("nbc", point(ours)), "mpich": merged("nbc", point(theirs))}
    return record("nbc", [job("nbc", results, title="2 ranks")])


class Nbc(unittest.TestCase):
    def test_totals_are_held_against_the_best_peer(self):
        (table,) = tables.of_record(nbc_record(20, 25))
        self.assertEqual(table.rows, [["bcast", "64 KB", "20.0 ±0% (50 %)", "25.0 ±0% (50 %)", "0.80 (mpich)"]])
        self.assertEqual(verdicts.of_records([nbc_record(20, 25)]).rows[0][3], "met")
        lost = verdicts.of_records([nbc_record(30, 25)]).rows[0]
        self.assertEqual(lost[2:], ["0 of 1; worst 1.20 × (bcast, mpich)", "NOT MET"])


class Verdicts(unittest.TestCase):
    def rows(self, *records):
        return {(row[0], row[1]): row[3] for row in verdicts.of_records(list(records)).rows}

    def test_latency_is_held_against_the_best_peer(self):
        met = self.rows(latency_record(0.25, 0.5))
        self.assertEqual(set(met.values()), {"met"})
        lost = self.rows(latency_record(0.25, 0.2))
        self.assertEqual(lost[("8 B one-way latency", "≤ best peer (mpich, 0.20 µs)")], "NOT MET")

    def overlap(self, both, size=1048576):
        point = overlap_point("receiver", size, "equal", 100, 100, both)
        return record("overlap", [job("overlap", {"vif": merged("overlap", point)})], ("vif",))

    def interrupt(self, median):
        point = {
            "placement": "processes",
            "method": "tgkill",
            "available": True,
            "latency_us": measure(median),
        }
        return record(
            "interrupt",
            [job("interrupt", {"kernel": merged("interrupt", point)})],
            ("kernel",),
        )

    def test_overlap_is_held_against_twice_the_interrupt(self):
        what = "overlap, receiver computes, 1 MB"
        met = self.rows(self.overlap(104), self.interrupt(2.0))
        self.assertEqual(
            met,
            {
                (what, "excess ≤ 4.00 µs (2 × interrupt)"): "met",
                (what, "ratio ≥ 0.95"): "met",
            },
        )
        lost = self.rows(self.overlap(106), self.interrupt(2.0))
        self.assertEqual(set(lost.values()), {"NOT MET"})

    def test_without_an_interrupt_measure_there_is_no_verdict_on_the_excess(self):
        self.assertEqual(self.rows(self.overlap(500, 1024)), {})

    def test_auto_is_held_against_the_best_fixed_reaction(self):
        points = {
            name: merged("latency", {"size": 8, "one_way_us": measure(value)})
            for name, value in (("vif", 0.28), ("vif:poll", 0.25), ("vif:sleep", 5.0))
        }
        rows = self.rows(record("latency", [job("latency", points)], tuple(points)))
        self.assertEqual(
            rows[
                (
                    "auto against the best fixed reaction, latency",
                    "≤ 5 % worse at each point",
                )
            ],
            "NOT MET",
        )

    def test_start_and_collectives(self):
        none = job("oversubscribe", {"vif": []}, 2, {"operations": "none"})
        points = {
            name: merged("oversubscribe", {"operation": "barrier", "call_us": measure(value)})
            for name, value in (("vif", 60), ("impi", 100))
        }
        rows = self.rows(
            record(
                "oversubscribe",
                [none, job("oversubscribe", points, 64)],
                ("vif", "impi"),
            )
        )
        self.assertEqual(rows[("start, init and finalize, 2 ranks", "≤ 0.1 s")], "met")
        self.assertEqual(rows[("barrier, 64 ranks", "≤ ½ of best peer (impi, 100 µs)")], "NOT MET")


if __name__ == "__main__":
    unittest.main()
