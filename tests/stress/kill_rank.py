#!/usr/bin/env python3
"""kill -9 of a rank, or of mpirun, at random moments of a job that communicates: the job ends, and nothing stays.

Usage: kill_rank.py MPIRUN STORM [--times N] [--ranks N] [--seed X]

Of each job: mpirun ends within three seconds, with an exit code that is not zero and one sentence that names the rank
and the signal; no process of the job is left, nor a new file in /dev/shm. When mpirun itself is killed, its ranks end.
"""

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

# One second is promised. Machines that run tests are loaded.
ENDS_WITHIN = 3.0
STARTS_WITHIN = 30.0
SHARED = Path("/dev/shm")


def environment(pid):
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def processes(mark):
    """Every process that has the mark of this job in its environment."""
    numbers = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in numbers if mark in environment(pid) and running(pid)]


def ranks(mark, program):
    """Process of each rank that has started the program."""
    found = {}
    for pid in processes(mark):
        for entry in environment(pid):
            if entry.startswith(b"PMI_RANK="):
                try:
                    if os.path.samefile(f"/proc/{pid}/exe", program):
                        found[int(entry[9:])] = pid
                except OSError:
                    pass
    return found


def eventually(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


def shared_files():
    return {entry.name for entry in SHARED.iterdir()} if SHARED.is_dir() else set()


def in_use(name):
    """Somebody else's, then: every process of the job has ended."""
    path = f"{SHARED}/{name}"
    for maps in Path("/proc").glob("[0-9]*/maps"):
        try:
            if path in maps.read_text(encoding="utf-8", errors="replace"):
                return True
        except OSError:
            pass
    return False


class Trial:
    def __init__(self, options, number, chance):
        self.options = options
        self.mark = f"VIF_TEST_KILL_MARK={os.getpid()}.{number}".encode()
        self.victim = chance.randrange(-1, options.ranks)  # -1: mpirun itself
        self.delay = chance.choice([0, chance.uniform(0, 0.05), chance.uniform(0, 0.6)])
        name, value = self.mark.decode().split("=")
        variables = {**os.environ, name: value, "VIF_REACTION": chance.choice(["auto", "poll", "sleep", "signal"])}
        command = [options.mpirun, "-n", str(options.ranks), options.storm, "--seconds", "120"]
        command += ["--seed", str(chance.randrange(10**6)), "--limit", "100"]
        self.what = f"{self.name()} after {self.delay:.3f} s, VIF_REACTION={variables['VIF_REACTION']}"
        self.shared = shared_files()
        self.job = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=variables
        )

    def name(self):
        return "mpirun" if self.victim < 0 else f"rank {self.victim}"

    def run(self):
        """What went wrong, as a list of sentences."""
        awaited = max(self.victim, 0)
        if not eventually(lambda: awaited in ranks(self.mark, self.options.storm), STARTS_WITHIN):
            return [f"rank {awaited} did not start"]
        time.sleep(self.delay)
        process = self.job.pid if self.victim < 0 else ranks(self.mark, self.options.storm).get(self.victim)
        if process is None:
            return [f"{self.name()} ended before it was killed"]
        moment = time.monotonic()
        os.kill(process, signal.SIGKILL)
        # The error output ends when the last process of the job has closed it.
        try:
            _, errors = self.job.communicate(timeout=ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            return [f"the job had not ended after {ENDS_WITHIN} s"]
        took = time.monotonic() - moment
        print(f"  {self.what}: over in {took:.3f} s, exit code {self.job.returncode}", flush=True)
        return self.check_words(errors.decode(errors="replace")) + self.check_rest(moment)

    def check_words(self, errors):
        if self.victim < 0:
            return []
        problems = []
        if self.job.returncode != 128 + signal.SIGKILL:
            problems.append(f"mpirun ended with {self.job.returncode}")
        sentences = [line for line in errors.splitlines() if re.search(r"\bSIGKILL\b", line)]
        if len(sentences) != 1 or not re.search(rf"\brank {self.victim}\b", sentences[0]):
            problems.append("not one sentence names the rank and the signal")
        if len(errors.splitlines()) > 1:
            problems.append("more than one line was printed")
        return problems + ([f"printed: {errors}"] if problems else [])

    def check_rest(self, moment):
        problems = []
        left = ENDS_WITHIN - (time.monotonic() - moment)
        if not eventually(lambda: not processes(self.mark), max(left, 0.1)):
            problems.append(f"processes are left: {processes(self.mark)}")
        files = {name for name in shared_files() - self.shared if not in_use(name)}
        if files:
            problems.append(f"files are left in {SHARED}: {sorted(files)}")
        return problems

    def end(self):
        for pid in processes(self.mark):
            os.kill(pid, signal.SIGKILL)
        self.job.communicate()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mpirun")
    parser.add_argument("storm")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("VIF_TEST_SEED") or random.randrange(10**6)))
    options = parser.parse_args()
    print(f"kill_rank: seed {options.seed} (--seed or VIF_TEST_SEED repeats it)", flush=True)
    chance = random.Random(options.seed)
    failures = 0
    for number in range(options.times):
        trial = Trial(options, number, chance)
        try:
            problems = trial.run()
        finally:
            trial.end()
        for problem in problems:
            print(f"FAILED, job {number}, {trial.what}: {problem}", flush=True)
        failures += bool(problems)
    print(f"kill_rank: {options.times} jobs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
