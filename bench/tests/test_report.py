"""Pages, Markdown and the demo's story."""

import json
import tempfile
import unittest
import xml.dom.minidom
from pathlib import Path

from tests.documents import job, measure, overlap_point, record
from vifbench import demo, figures, merge, report, suite, svg


def overlap_record(names=("vif:poll", "vif")):
    results = {}
    for name in names:
        points = []
        for size in (65536, 1048576):
            for compute in ("20", "100", "equal"):
                computation = 100 if compute == "equal" else float(compute)
                both = 100 + computation if name == "vif:poll" else max(100, computation) + 2
                points.append(overlap_point("receiver", size, compute, 100, computation, both))
        results[name] = merge.points([points] * 3, suite.KEYS["overlap"])
    return record("overlap", [job("overlap", results)], names)


class Pictures(unittest.TestCase):
    def test_the_colours_of_the_scale(self):
        self.assertEqual(svg.colour_of(0), "#0c1026")
        self.assertEqual(svg.colour_of(-3), svg.colour_of(0))
        self.assertEqual(svg.colour_of(9), svg.colour_of(2))
        self.assertNotEqual(svg.colour_of(1), svg.colour_of(0))

    def test_a_heat_map_for_each_side_and_contender(self):
        drawings = [drawing for drawing in figures.of_record(overlap_record()) if isinstance(drawing, figures.HeatMap)]
        self.assertEqual(
            [drawing.name for drawing in drawings],
            ["overlap-receiver-vif-poll", "overlap-receiver-vif"],
        )
        self.assertEqual(drawings[0].values[(65536, 20.0)], 1)
        self.assertAlmostEqual(drawings[1].values[(65536, 20.0)], 0.1)

    def test_every_picture_is_well_formed(self):
        latency = record(
            "latency",
            [
                job(
                    "latency",
                    {
                        "a<b": merge.points(
                            [
                                [
                                    {"size": 8, "one_way_us": measure(1)},
                                    {"size": 1024, "one_way_us": measure(3)},
                                ]
                            ],
                            ("size",),
                        )
                    },
                )
            ],
            ("a<b",),
        )
        for one in (overlap_record(), latency):
            drawings = figures.of_record(one)
            self.assertTrue(drawings)
            for drawing in drawings:
                xml.dom.minidom.parseString(report.draw(drawing))


class Page(unittest.TestCase):
    def test_the_page_needs_nothing_beside_it(self):
        page = report.page([overlap_record()])
        self.assertEqual(page.count("<svg"), 3)
        for outside in ("src=", "<link", "@import", "href='http"):
            self.assertNotIn(outside, page)

    def test_a_busy_machine_is_marked(self):
        busy = overlap_record()
        busy["conditions"] = {
            "idle": False,
            "sentence": "The machine was NOT idle.",
            "looks": [],
        }
        self.assertIn("<p class='busy'>The machine was NOT idle.</p>", report.page([busy]))

    def test_files_that_are_not_records_are_refused_with_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.json"
            path.write_text("[]", encoding="utf-8")
            with self.assertRaisesRegex(report.ReportError, "not a file that vif bench"):
                report.load([path])
            with self.assertRaisesRegex(report.ReportError, "cannot be read"):
                report.load([Path(folder) / "none.json"])
            path.write_text(json.dumps({"records": [overlap_record()]}), encoding="utf-8")
            self.assertEqual(len(report.load([path, path])), 2)

    def test_markdown_is_filled_between_its_marks_and_nowhere_else(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "b.md"
            path.write_text(
                "before\n<!-- results:overlap -->old<!-- end -->\nkept <!-- results:wait -->w<!-- end -->\n",
                encoding="utf-8",
            )
            self.assertEqual(report.update(path, [overlap_record()]), ["overlap"])
            text = path.read_text(encoding="utf-8")
            self.assertNotIn("old", text)
            self.assertIn("| 64 KB | 20 | vif |", text)
            self.assertIn("kept <!-- results:wait -->w<!-- end -->", text)
            report.update(path, [overlap_record()])
            self.assertEqual(text, path.read_text(encoding="utf-8"))


class Story(unittest.TestCase):
    def test_a_gain_is_told_with_its_numbers(self):
        text = demo.story(overlap_record())
        self.assertIn(
            "together they take 200 µs when the library only polls, and 102 µs when Vif chooses",
            text,
        )
        self.assertIn("the program is done 49 % earlier", text)

    def test_a_loss_is_told_too(self):
        one = overlap_record(("vif", "vif:poll"))
        results = one["jobs"][0]["results"]
        results["vif"], results["vif:poll"] = results["vif:poll"], results["vif"]
        self.assertIn("Here Vif LOSES", demo.story(one))

    def test_failed_runs_are_told(self):
        one = record("overlap", [job("overlap", {}, failures={"vif": "ended with code 3"})])
        self.assertIn("vif: ended with code 3", demo.story(one))


if __name__ == "__main__":
    unittest.main()
