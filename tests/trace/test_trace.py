"""Traces and overlap reports, from the outside: vif trace, VIF_OVERLAP_REPORT, vif sim --paje.

usage: test_trace.py FOLDER_OF_VIF PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import paje

tools = pathlib.Path(sys.argv[1])
program = sys.argv[2]
TIMES = 20
RANKS = 3


def run(*command, **options):
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        env={**os.environ, **options},
        timeout=100,
    )


def job(times=TIMES):
    return tools / "mpirun", "-n", RANKS, program, times


def operations(report):
    return {(entry["place"].split(",")[0], entry["call"]): entry for entry in report["operations"]}


class Traces(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.json, cls.paje, cls.report = (
            pathlib.Path(cls.folder.name) / name for name in ("t.json", "t.paje", "overlap.json")
        )
        cls.done = run(
            tools / "vif", "trace", "-o", cls.json, "-o", cls.paje, "--overlap", "--json", cls.report, "--", *job()
        )

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_program_runs_as_always_and_the_summary_follows(self):
        self.assertEqual(0, self.done.returncode, self.done.stderr)
        self.assertIn("done\n", self.done.stdout)
        self.assertIn(f"{RANKS} ranks, ", self.done.stdout)
        self.assertIn("complete by", self.done.stdout)

    def test_every_operation_is_counted_at_its_place(self):
        report = json.loads(self.report.read_text())
        self.assertEqual((RANKS, 0), (report["ranks"], report["lost_events"]))
        found = operations(report)
        expected = {
            ("interrupted", "MPI_Irecv"): TIMES,
            ("started_and_waited", "MPI_Iallreduce"): TIMES * RANKS,
            ("begun_again", "MPI_Start"): TIMES * RANKS,
            ("main", "MPI_Isend"): TIMES * RANKS,
        }
        self.assertEqual(expected, {key: entry["times"] for key, entry in found.items()})
        for entry in found.values():
            self.assertEqual(entry["times"], sum(entry["complete_by"].values()))
        self.assertEqual(TIMES * RANKS * 800000, found[("started_and_waited", "MPI_Iallreduce")]["bytes"])

    def test_what_only_an_interrupt_could_bring_was_brought_by_one_and_hidden(self):
        entry = operations(json.loads(self.report.read_text()))[("interrupted", "MPI_Irecv")]
        self.assertEqual(TIMES, entry["complete_by"]["interrupt"])
        self.assertGreater(entry["hidden_ms"], 0)

    def test_blocking_calls_are_among_those_that_wait(self):
        report = json.loads(self.report.read_text())
        for entry in report["waiting"]:
            self.assertLessEqual(entry["waited_ms"], entry["spent_ms"] + 1e-6)

    def test_perfetto_events_lie_inside_each_other_or_apart(self):
        events = json.loads(self.json.read_text())["traceEvents"]
        rows = {}
        for event in events:
            if event["ph"] == "X":
                rows.setdefault((event["pid"], event["tid"]), []).append((event["ts"], -event["dur"], event["name"]))
        self.assertEqual(RANKS, len({process for process, _ in rows if process < 1000000}))
        for row in rows.values():
            ends = []
            for begin, less, name in sorted(row):
                end = begin - less
                while ends and ends[-1] <= begin + 1e-6:
                    ends.pop()
                self.assertTrue(not ends or end <= ends[-1] + 2e-3, name)
                ends.append(end)
        names = [event["name"] for event in events]
        self.assertEqual(TIMES * RANKS, names.count("MPI_Barrier"))
        self.assertGreaterEqual(names.count("interrupt"), 1)

    def test_paje_is_right_to_the_letter(self):
        trace = paje.Trace(self.paje.read_text())
        rows = {name for name in trace.names.values() if name.startswith("rank ")}
        self.assertTrue({f"rank {rank}" for rank in range(RANKS)} <= rows)
        computing = [name for name in trace.names if ("A0" in {value for _, value in trace.states.get(name, [])})]
        self.assertGreaterEqual(len(computing), RANKS)

    def test_simulated_machines_write_the_same_format(self):
        path = pathlib.Path(self.folder.name) / "sim.paje"
        done = run(tools / "vif", "sim", "--ranks", 4, "--bytes", 4096, "--paje", path)
        self.assertEqual(0, done.returncode, done.stderr)
        trace = paje.Trace(path.read_text())
        self.assertIn("CPU 7", trace.names.values())


class Wakes(unittest.TestCase):
    def test_who_moves_a_message_is_not_asleep(self):
        """A sleep ends by itself after a second. A job that gets on only so has lost a wake-up."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "t.json"
            command = (tools / "mpirun", "-n", 4, program, "reductions")
            done = run(tools / "vif", "trace", "-o", path, "--", *command)
            self.assertEqual(0, done.returncode, done.stderr)
            events = json.loads(path.read_text())["traceEvents"]
        # Two by chance, on a machine so busy that a rank stands still for a second.
        whole = [event for event in events if event["name"] == "sleep" and event.get("dur", 0) >= 990000]
        self.assertLessEqual(len(whole), 2)


class OnDemand(unittest.TestCase):
    def test_a_table_on_standard_error(self):
        done = run(*job(2), VIF_OVERLAP_REPORT="1")
        self.assertEqual((0, "done\n"), (done.returncode, done.stdout))
        self.assertRegex(done.stderr, r"started_and_waited, \S+ +MPI_Iallreduce +6 ")

    def test_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "report.json"
            done = run(*job(2), VIF_OVERLAP_REPORT=str(path))
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertEqual(6, operations(json.loads(path.read_text()))[("main", "MPI_Isend")]["times"])

    def test_nothing_when_nobody_asks(self):
        done = run(*job(1))
        self.assertEqual((0, "done\n", ""), (done.returncode, done.stdout, done.stderr))

    def test_a_full_tape_says_what_is_missing(self):
        done = run(tools / "vif", "trace", "--events", 10, "--overlap", "--", *job(2))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"\d+ events found no room")

    def test_codes_and_complaints(self):
        self.assertEqual(3, run(tools / "vif", "trace", "--overlap", "--", "sh", "-c", "exit 3").returncode)
        nothing = run(tools / "vif", "trace", "--overlap", "true")
        self.assertEqual(1, nothing.returncode)
        self.assertIn("nothing was recorded", nothing.stderr)
        self.assertEqual(2, run(tools / "vif", "trace", "--nonsense").returncode)
        self.assertEqual(0, run(tools / "vif", "trace", "--help").returncode)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
