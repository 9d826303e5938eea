"""Documents are parsed and merged as promised."""

import unittest

from tests.documents import document, measure, overlap_point
from vifbench import merge, rounds, suite


class ParseDocument(unittest.TestCase):
    def test_lines_of_a_launcher_around_the_document_are_ignored(self):
        parsed = rounds.parse_document('a warning\n{"benchmark": "x", "points": []}\nbye {\n')
        self.assertEqual(parsed["points"], [])

    def test_a_cut_document_is_an_error(self):
        with self.assertRaisesRegex(rounds.RunError, "broken"):
            rounds.parse_document('{"benchmark": "x", "points": [')

    def test_no_document_and_no_points_are_errors(self):
        for text in ("", "nothing here", '{"benchmark": "x"}'):
            with self.assertRaises(rounds.RunError):
                rounds.parse_document(text)


class Merge(unittest.TestCase):
    def test_the_median_of_three_rounds_and_their_extremes(self):
        runs = [document("latency", [{"size": 8, "one_way_us": measure(value)}])["points"] for value in (0.3, 0.9, 0.4)]
        (point,) = merge.points(runs, suite.KEYS["latency"])
        self.assertEqual(point["size"], 8)
        self.assertEqual(point["one_way_us"]["median"], 0.4)
        self.assertEqual((point["one_way_us"]["low"], point["one_way_us"]["high"]), (0.3, 0.9))
        self.assertEqual(point["one_way_us"]["rounds"], [0.3, 0.9, 0.4])
        self.assertEqual(point["one_way_us"]["samples"], 30)

    def test_points_are_told_apart_by_all_their_keys(self):
        run = [
            overlap_point("receiver", 1024, "equal", 2, 2, 2),
            overlap_point("sender", 1024, "equal", 2, 2, 4),
            overlap_point("receiver", 1024, "100", 2, 100, 100),
        ]
        merged = merge.points([run, run], suite.KEYS["overlap"])
        self.assertEqual(
            [(point["side"], point["compute"]) for point in merged],
            [("receiver", "equal"), ("sender", "equal"), ("receiver", "100")],
        )
        self.assertEqual(merged[1]["ratio"]["median"], 0)

    def test_a_point_missing_in_one_run_is_merged_from_the_others(self):
        merged = merge.points([[], [{"size": 8, "one_way_us": measure(1.0)}]], ("size",))
        self.assertEqual(merged[0]["one_way_us"]["rounds"], [1.0])

    def test_histograms_add_up_and_flags_stay(self):
        run = [
            {
                "placement": "self",
                "method": "tgkill",
                "available": True,
                "bin_ns": 300,
                "histogram": [1, 2],
            }
        ]
        (point,) = merge.points([run, run, run], suite.KEYS["interrupt"])
        self.assertEqual(point["histogram"], [3, 6])
        self.assertIs(point["available"], True)
        self.assertEqual(point["bin_ns"], 300)

    def test_null_values_do_not_count(self):
        self.assertEqual(merge.spread([None, 2.0])["rounds"], [2.0])
        self.assertIsNone(merge.spread([None])["median"])


if __name__ == "__main__":
    unittest.main()
