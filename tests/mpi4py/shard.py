"""Runs some modules of the suite with some ranks, and finds out what became of each test, whatever happens.

A test that hangs or kills its process costs itself only: it is noted, and the rest runs again without it.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
MOST_RESTARTS = 200


class OutOfTime(Exception):
    """The time of the whole run is over."""


class Records:
    """The events that the ranks wrote down: per rank the tests in the order in which they were started."""

    def __init__(self, folder, ranks):
        self.outcomes = {}  # test -> {rank: (letter, why)}
        self.order = []
        self.last = {}  # rank -> the test that it is in, or None
        self.done = 0
        for rank in range(ranks):
            path = folder / f"{rank}.txt"
            for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
                self.note(rank, *(line.split("\t", 2) + ["", ""])[:3])

    def note(self, rank, letter, test, why):
        if letter == "D":
            self.done += 1
            return
        if test not in self.outcomes:
            self.order.append(test)
            self.outcomes[test] = {}
        if letter == "S":
            self.last[rank] = test
            return
        if self.last.get(rank) == test:
            self.last[rank] = None
        if self.outcomes[test].get(rank, ("",))[0] != "F":
            self.outcomes[test][rank] = (letter, why)

    def verdict(self, test):
        letters = {letter for letter, _ in self.outcomes[test].values()}
        if "F" in letters:
            rank, why = next((rank, why) for rank, (letter, why) in self.outcomes[test].items() if letter == "F")
            return {"outcome": "failed", "why": f"rank {rank}: {why}"}
        if letters == {"K"}:
            return {"outcome": "skipped", "why": next(iter(self.outcomes[test].values()))[1]}
        return {"outcome": "passed", "why": ""}

    def blamed(self):
        """The earliest test that some rank did not end; None when all did."""
        stuck = [test for test in self.last.values() if test is not None]
        return min(stuck, key=self.order.index) if stuck else None


def newest_change(folder):
    return max((path.stat().st_mtime for path in folder.iterdir()), default=0)


def end(job):
    """Ends a launcher and its ranks: politely, so that it can end them itself, then by force."""
    os.killpg(job.pid, signal.SIGTERM)
    try:
        job.wait(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def watch(job, records, stall, deadline):
    """Waits for the end of the job. The reason why it did not end by itself, or an empty string."""
    began = time.time()
    while True:
        try:
            code = job.wait(timeout=0.2)
            return "" if code == 0 else f"the job ended with code {code}"
        except subprocess.TimeoutExpired:
            now = time.time()
            if now > deadline:
                raise OutOfTime from None
            if now - max(began, newest_change(records)) > stall:
                return f"no test began or ended for {stall} s"


def run_once(installation, library, ranks, modules, finished, folder, stall, deadline):
    """One start of the ranks. The reason why they did not all end by themselves, or an empty string."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "records").mkdir(parents=True)
    skipped = folder / "skipped.txt"
    skipped.write_text("".join(f"*{name}\n" for name in finished) or "*no test has this name\n")
    expression = "^(" + "|".join(modules) + r")\.py$"
    program = [installation.python, HERE / "one_rank.py", installation.tests, folder / "records", expression, skipped]
    command, variables = installation.start(library, ranks, program)
    # For the processes that tests spawn.
    variables |= {"PYTHONFAULTHANDLER": "1", "PYTHONPATH": str(installation.tests), "TMPDIR": str(folder)}
    with open(folder / "output.txt", "wb") as output:
        job = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=variables,
            cwd=folder,
            start_new_session=True,
        )
        try:
            return watch(job, folder / "records", stall, deadline)
        finally:
            if job.poll() is None:
                end(job)


def run(installation, library, ranks, modules, folder, stall, deadline):
    """The verdict of each test of the modules. OutOfTime at the deadline (of time.time())."""
    results = {}
    for _ in range(MOST_RESTARTS):
        trouble = run_once(installation, library, ranks, modules, list(results), folder, stall, deadline)
        records = Records(folder / "records", ranks)
        blamed = records.blamed()
        if not trouble and blamed is None and records.done == ranks:
            results.update({test: records.verdict(test) for test in records.order})
            return results
        output = (folder / "output.txt").read_text(errors="replace")[-2000:]
        whole = records.order if blamed is None else records.order[: records.order.index(blamed)]
        results.update({test: records.verdict(test) for test in whole})
        why = f"{trouble or 'the job ended'}: {output}"
        if blamed is None:
            results[f"{modules[0]}: the end"] = {"outcome": "failed", "why": why}
            return results
        results[blamed] = {"outcome": "failed", "why": why}
    return results
