#!/usr/bin/env python3
"""mpirun with ordinary programs, and with one that uses the bootstrap alone: launch_echo_ranks.

Usage: test_jobs.py FOLDER_OF_BIN FOLDER_OF_TESTS [unittest arguments]
"""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIN = Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin").resolve()
TESTS = Path(sys.argv[2] if len(sys.argv) > 2 else "build/tests").resolve()
MPIRUN = str(BIN / "mpirun")
ECHO = str(TESTS / "launch_echo_ranks")
# Seconds after which a job hangs.
PATIENCE = int(os.environ.get("VIF_TEST_PATIENCE", "60"))
CAPTURE = {"capture_output": True, "text": True, "timeout": PATIENCE, "check": False}


def mpirun(*arguments, **options):
    """Runs a job to its end: exit code, standard output, standard error."""
    options.setdefault("input", "")
    done = subprocess.run(
        [MPIRUN, *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE, check=False, **options
    )
    return done.returncode, done.stdout, done.stderr


def shell(script):
    return ("sh", "-c", script)


class Running:
    """A job that is still running; ended at the latest when the test is over."""

    count = 0

    def __init__(self, *arguments, **options):
        # A mark in the environment finds everything that came from this job, whoever its parent is now.
        self.read = b""  # of standard output, not yet given
        Running.count += 1
        self.mark = f"LAUNCH_TEST_MARK={os.getpid()}.{Running.count}"
        name, value = self.mark.split("=")
        options.setdefault("stdin", subprocess.DEVNULL)
        self.process = subprocess.Popen(
            [MPIRUN, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, name: value},
            **options,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def line(self):
        while b"\n" not in self.read:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            assert ready, "the job says nothing"
            piece = os.read(self.process.stdout.fileno(), 4096)
            assert piece, "the job has ended"
            self.read += piece
        line, _, self.read = self.read.partition(b"\n")
        return line.decode()

    def lines(self, count):
        return sorted(self.line() for _ in range(count))

    def end(self):
        output, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, (self.read + output).decode(), errors.decode()

    def survivors(self):
        """Processes that carry the mark, zombies excepted (their environment is gone)."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if self.mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(int(entry.name))
                except OSError:
                    pass
        return found

    def wait_until_nobody_is_left(self):
        """Ends when the last process is gone; the test's own time-out ends it otherwise."""
        while left := self.survivors():
            for process in left:
                try:
                    descriptor = os.pidfd_open(process)
                except ProcessLookupError:
                    continue
                ready, _, _ = select.select([descriptor], [], [], PATIENCE)
                os.close(descriptor)
                assert ready, f"process {process} is left behind"


class ExitCodes(unittest.TestCase):
    def test_success(self):
        self.assertEqual(mpirun("-n", 3, "true"), (0, "", ""))

    def test_code_of_the_rank_that_failed(self):
        code, _, errors = mpirun("-n", 4, *shell("test $PMI_RANK != 2 || exit 7"))
        self.assertEqual(code, 7)
        self.assertRegex(errors, r"^vif run: rank 2 \(sh on .*, process \d+\) ended with exit code 7")
        self.assertEqual(errors.count("\n"), 1)

    def test_signal(self):
        code, _, errors = mpirun("-n", 2, *shell("test $PMI_RANK = 0 || kill -SEGV $$; sleep 1000"))
        self.assertEqual(code, 128 + signal.SIGSEGV)
        self.assertIn(os.uname().nodename, errors)
        self.assertRegex(errors, r"rank 1 \(sh on .*\) was killed by signal 11 \(SIGSEGV, Segmentation fault\)")

    def test_ranks_that_ignore_sigterm_are_killed(self):
        script = "trap '' TERM; test $PMI_RANK != 1 || exit 3; while :; do sleep 1000; done"
        code, _, _ = mpirun("-n", 3, *shell(script))
        self.assertEqual(code, 3)

    def test_missing_program(self):
        code, output, errors = mpirun("-n", 3, "./does-not-exist")
        self.assertEqual((code, output), (127, ""))
        self.assertEqual(errors, "vif run: cannot start './does-not-exist': No such file or directory.\n")

    def test_program_that_is_not_executable(self):
        code, _, errors = mpirun("/etc/passwd")
        self.assertEqual(code, 126)
        self.assertIn("Permission denied", errors)

    def test_missing_second_program_ends_the_first(self):
        with Running("sleep", 1000, ":", "./does-not-exist") as job:
            self.assertEqual(job.end()[0], 127)
            self.assertEqual(job.survivors(), [])

    def test_missing_directory(self):
        code, _, errors = mpirun("-wdir", "/does/not/exist", "true")
        self.assertEqual(code, 127)
        self.assertIn("cannot enter the directory '/does/not/exist'", errors)

    def test_time_limit(self):
        code, _, errors = mpirun("--timeout", "0.2", "-n", 2, "sleep", 1000)
        self.assertEqual(code, 124)
        self.assertIn("time limit", errors)

    def test_wrong_command_line(self):
        code, output, errors = mpirun("--wrong", "true")
        self.assertEqual((code, output), (2, ""))
        self.assertTrue(errors.startswith("vif run: The option '--wrong' is unknown"))

    def test_wrong_variable_is_told_once(self):
        code, _, errors = mpirun("-n", 8, "-x", "VIF_REACTION=sometimes", "true")
        self.assertEqual(code, 2)
        self.assertEqual(errors.count("VIF_REACTION"), 1)


class Streams(unittest.TestCase):
    def test_each_rank_writes_its_lines_in_order(self):
        count = 500
        _, output, errors = mpirun(
            "-n", 8, "-l", *shell(f"i=0; while [ $i -lt {count} ]; do echo line $i; echo err $i >&2; i=$((i+1)); done")
        )
        for text, word in ((output, "line"), (errors, "err")):
            lines = text.splitlines()
            self.assertEqual(len(lines), 8 * count)
            for rank in range(8):
                mine = [line for line in lines if line.startswith(f"[{rank}] ")]
                self.assertEqual(mine, [f"[{rank}] {word} {i}" for i in range(count)])

    def test_lines_written_in_pieces_stay_whole(self):
        script = "for i in 1 2 3 4 5 6 7 8 9; do printf 'rank '; printf '%s' $PMI_RANK; echo ' end'; done"
        _, output, _ = mpirun("-n", 8, *shell(script))
        self.assertEqual(sorted(set(output.splitlines())), [f"rank {rank} end" for rank in range(8)])
        self.assertEqual(output.count("\n"), 72)

    def test_a_last_line_without_an_end(self):
        self.assertEqual(mpirun("printf", "abc")[1], "abc")
        self.assertEqual(mpirun("-l", "-n", 2, "printf", "abc")[1].count("abc\n"), 2)

    def test_bytes_pass_unchanged(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(os.urandom(1 << 21))
            file.flush()
            done = subprocess.run([MPIRUN, "cat", file.name], capture_output=True, timeout=PATIENCE, check=False)
            file.seek(0)
            self.assertEqual(done.stdout, file.read())

    def test_input_goes_to_rank_0_alone(self):
        text = "".join(f"line {i}\n" for i in range(10000))
        _, output, _ = mpirun("-n", 3, *shell("wc -l"), input=text)
        self.assertEqual(sorted(map(int, output.split())), [0, 0, 10000])

    def test_input_that_rank_0_does_not_read_is_left(self):
        script = f"{MPIRUN} head -c 0; cat"
        done = subprocess.run(shell(script), input="kept\n", **CAPTURE)
        self.assertEqual(done.stdout, "kept\n")

    def test_a_reader_that_goes_away_ends_the_job_quietly(self):
        done = subprocess.run(shell(f"{MPIRUN} -n 2 yes | head -n 1"), **CAPTURE)
        self.assertEqual((done.stdout, done.stderr), ("y\n", ""))

    def test_a_slow_reader_does_not_delay_the_news_of_a_death(self):
        # Nobody reads standard output until the job has told, on standard error, that a rank died.
        with Running("-n", 2, *shell("test $PMI_RANK = 0 || { sleep 0.3; exit 9; }; exec yes")) as job:
            ready, _, _ = select.select([job.process.stderr], [], [], PATIENCE)
            self.assertTrue(ready)
            self.assertIn(b"exit code 9", job.process.stderr.readline())
            self.assertEqual(job.end()[0], 9)

    def test_full_disk_is_told(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run(
                [MPIRUN, "echo", "x"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False
            )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("No space left", done.stderr)

    def test_closed_standard_descriptors(self):
        done = subprocess.run(shell(f"{MPIRUN} -n 2 sh -c 'exit 5' <&- >&- 2>&-"), timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 5)


class Environment(unittest.TestCase):
    def test_variables(self):
        code, output, _ = mpirun(
            "-genv", "A", "1 2", "-x", "B=3", "-n", 1, "-env", "C", "4", *shell("echo $A,$B,$C,$PMI_RANK/$PMI_SIZE"),
            ":", "-n", 2, *shell("echo $A,$B,$C,$PMI_RANK/$PMI_SIZE"),
        )
        self.assertEqual(code, 0)
        self.assertEqual(sorted(output.split("\n")), ["", "1 2,3,,1/3", "1 2,3,,2/3", "1 2,3,4,0/3"])

    def test_directory(self):
        self.assertEqual(mpirun("-wdir", "/usr", "pwd")[1], "/usr\n")

    def test_the_launcher_keeps_its_descriptors_to_itself(self):
        _, output, _ = mpirun("-n", 2, *shell("ls -l /proc/self/fd | grep -c -v -e /proc -e total"))
        # Standard input, output and errors, PMI_FD, the segment.
        self.assertEqual(output.split(), ["5", "5"])

    def test_limits_and_signals_of_ranks_are_those_of_the_caller(self):
        _, output, _ = mpirun(*shell("ulimit -n; grep -E '^Sig(Blk|Ign)' /proc/self/status"))
        expected = subprocess.run(
            shell("ulimit -n; grep -E '^Sig(Blk|Ign)' /proc/self/status"), capture_output=True, text=True, check=True
        ).stdout
        self.assertEqual(output, expected)

    def test_binding(self):
        cpus = sorted(os.sched_getaffinity(0))
        show = ("grep", "Cpus_allowed_list", "/proc/self/status")
        free = mpirun("-n", 2, *show)[1].splitlines()
        self.assertEqual(len(set(free)), 1)
        bound = mpirun("--bind-to", "core", "-n", 2, *show)
        if len(cpus) >= 4 or (len(cpus) == 2 and "bound" not in bound[2]):
            self.assertEqual(len(set(bound[1].splitlines())), 2)
        many = mpirun("--bind-to", "core", "-n", len(cpus) + 1, *show)
        self.assertEqual(set(many[1].splitlines()), set(free))
        self.assertIn("not bound", many[2])

    def test_any_host_name_and_no_network(self):
        script = f"hostname -- 'a..b_c-' && ip link set lo down; exec {MPIRUN} -n 2 {ECHO}"
        probe = subprocess.run(("unshare", "-Urnu", "true"), capture_output=True, check=False)
        if probe.returncode != 0:
            self.skipTest("this machine does not let us make a network name space")
        done = subprocess.run(("unshare", "-Urnu", *shell(script)), **CAPTURE)
        self.assertEqual((done.returncode, done.stdout.count("of 2 under vif run")), (0, 2), done.stderr)


class Signals(unittest.TestCase):
    def test_a_signal_of_the_user_reaches_all_ranks(self):
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM):
            name = number.name[3:]
            script = f"trap 'echo got; kill $! 2>/dev/null; exit 0' {name}; sleep 1000 & echo ready; wait"
            with Running("-n", 3, *shell(script)) as job:
                self.assertEqual(job.lines(3), ["ready"] * 3)
                job.process.send_signal(number)
                code, output, errors = job.end()
                self.assertEqual((code, output, errors), (0, "got\n" * 3, ""), name)

    def test_ranks_may_end_well_after_sigterm(self):
        with Running("-n", 2, *shell("trap 'echo saved; exit 0' TERM; sleep 1000 & echo ready; wait")) as job:
            job.lines(2)
            job.process.terminate()
            self.assertEqual(job.end(), (0, "saved\nsaved\n", ""))

    def test_ranks_killed_by_the_signal_give_its_code(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with Running("-n", 2, *shell("echo ready; exec sleep 1000")) as job:
                job.lines(2)
                job.process.send_signal(number)
                code, _, errors = job.end()
                self.assertEqual(code, 128 + number)
                self.assertEqual(errors.count("\n"), 1)
                self.assertEqual(job.survivors(), [])

    def test_a_second_signal_kills(self):
        with Running("-n", 2, *shell("trap '' INT TERM; echo ready; while :; do sleep 1000; done")) as job:
            job.lines(2)
            job.process.send_signal(signal.SIGINT)
            job.process.send_signal(signal.SIGTERM)
            self.assertEqual(job.end()[0] > 128, True)
            self.assertEqual(job.survivors(), [])

    def test_stop_and_continue(self):
        with Running("-n", 2, *shell("echo ready; sleep 0.2; read x; echo end")) as job:
            job.lines(2)
            job.process.send_signal(signal.SIGTSTP)
            os.waitid(os.P_PID, job.process.pid, os.WSTOPPED)
            job.process.send_signal(signal.SIGCONT)
            self.assertEqual(job.end()[0], 0)


class NothingLeft(unittest.TestCase):
    def test_kill_of_a_rank(self):
        with Running("-n", 4, *shell("echo $$; exec sleep 1000")) as job:
            victim = int(job.lines(4)[2])
            os.kill(victim, signal.SIGKILL)
            code, _, errors = job.end()
            self.assertEqual(code, 137)
            self.assertRegex(errors, rf"rank \d \(sh on .*, process {victim}\) was killed by signal 9")
            self.assertEqual(job.survivors(), [])

    def test_a_stopped_rank_does_not_hold_up_the_end(self):
        with Running("-n", 2, *shell("echo $PMI_RANK $$; exec sleep 1000")) as job:
            ranks = [int(line.split()[1]) for line in job.lines(2)]
            os.kill(ranks[0], signal.SIGSTOP)
            os.kill(ranks[1], signal.SIGKILL)
            self.assertEqual(job.end()[0], 137)
            self.assertEqual(job.survivors(), [])

    def test_what_ranks_leave_behind_is_ended(self):
        script = "sleep 1000 & setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM HUP; sleep 1000' &) & echo ready"
        with Running("-n", 2, *shell(script)) as job:
            code, output, errors = job.end()
            self.assertEqual((code, output, errors), (0, "ready\nready\n", ""))
            self.assertEqual(job.survivors(), [])

    def test_kill_of_the_launcher_ends_all(self):
        script = "sleep 1000 & setsid sleep 1000 & echo ready; wait"
        with Running("-n", 3, *shell(script)) as job:
            job.lines(3)
            job.process.kill()
            job.process.wait()
            job.wait_until_nobody_is_left()

    def test_kill_of_the_launcher_in_a_job_in_a_job(self):
        with Running("-n", 1, MPIRUN, "-n", 2, *shell("echo ready; sleep 1000 & wait")) as job:
            job.lines(2)
            job.process.kill()
            job.process.wait()
            job.wait_until_nobody_is_left()


class Bootstrap(unittest.TestCase):
    def test_singleton(self):
        done = subprocess.run([ECHO], **CAPTURE)
        self.assertEqual(done.stdout, "rank 0 of 1 under singleton, program 0, segment no\n", done.stderr)

    def test_ranks_meet(self):
        for count in (1, 2, 5, 64):
            code, output, errors = mpirun("-n", count, ECHO)
            self.assertEqual((code, errors), (0, ""))
            expected = sorted(f"rank {rank} of {count} under vif run, program 0, segment yes" for rank in range(count))
            self.assertEqual(sorted(output.splitlines()), expected)

    def test_programs_are_numbered(self):
        code, output, errors = mpirun("-n", 2, ECHO, ":", "-n", 1, ECHO)
        self.assertEqual((code, errors), (0, ""))
        programs = sorted((int(r), int(p)) for r, p in re.findall(r"rank (\d) of 3 .* program (\d)", output))
        self.assertEqual(programs, [(0, 0), (1, 0), (2, 1)])

    def test_a_job_in_a_rank_is_a_job_of_its_own(self):
        code, output, errors = mpirun("-n", 2, MPIRUN, "-n", 2, ECHO)
        self.assertEqual((code, errors, output.count("of 2 under vif run")), (0, "", 4))

    def test_abort(self):
        for code, seen in ((42, 42), (256, 1), (0, 0)):
            status, _, errors = mpirun("-n", 3, ECHO, "abort", 1, code)
            self.assertEqual(status, seen)
            words = rf"called MPI_Abort with code {code}: the test asked for it"
            self.assertRegex(errors, rf"^vif run: rank 1 \(.*\) {words}\n$")

    def test_death_before_finalize(self):
        status, _, errors = mpirun("-n", 3, ECHO, "die", 2, int(signal.SIGKILL))
        self.assertEqual(status, 137)
        self.assertRegex(errors, r"rank 2 .* was killed by signal 9 \(SIGKILL, Killed\)")

    def test_exit_before_finalize(self):
        status, _, errors = mpirun("-n", 3, ECHO, "exit", 0, 5)
        self.assertEqual(status, 5)
        self.assertIn("ended with exit code 5 before MPI_Finalize", errors)

    def test_end_without_finalize(self):
        status, _, errors = mpirun("-n", 3, ECHO, "skip-finalize", 1)
        self.assertEqual(status, 1)
        self.assertIn("ended without calling MPI_Finalize", errors)

    def test_end_without_init_while_others_wait(self):
        status, _, errors = mpirun("-n", 2, ECHO, ":", "true")
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"rank 2 \(true on .*\) ended without calling MPI_Init")

    def test_two_programs_in_one_rank(self):
        status, _, errors = mpirun("-n", 2, *shell(f"{ECHO} && {ECHO}"))
        self.assertNotEqual(status, 0)
        self.assertIn("can be initialised once", errors)

    def test_garbage_on_the_connection(self):
        # Not sh: Debian's knows descriptors of one digit alone.
        script = "test $PMI_RANK = 0 || echo hello >&$PMI_FD; sleep 1000"
        status, _, errors = mpirun("-n", 2, "bash", "-c", script)
        self.assertEqual(status, 1)
        self.assertRegex(errors, r"rank 1 .* sent something that is not PMI-1")

    def test_a_launcher_that_speaks_something_else(self):
        done = subprocess.run(
            [ECHO], env={**os.environ, "PMIX_RANK": "0"}, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("PMIx", done.stderr)


class Terminal(unittest.TestCase):
    def start(self, *arguments):
        """A job in a session of its own on a new terminal, as under an interactive shell."""
        process, descriptor = pty.fork()
        if process == 0:
            os.execv(MPIRUN, [MPIRUN, *map(str, arguments)])
        return process, descriptor

    def read_until(self, descriptor, text, times=1):
        seen = b""
        while seen.count(text) < times:
            ready, _, _ = select.select([descriptor], [], [], PATIENCE)
            self.assertTrue(ready, seen)
            try:
                seen += os.read(descriptor, 4096)
            except OSError:
                self.fail(f"the terminal closed after {seen!r}")
        return seen

    def test_a_prompt_is_shown_and_the_answer_reaches_rank_0(self):
        script = "test $PMI_RANK = 1 || { printf 'name? '; read n; echo hello $n; }"
        process, descriptor = self.start("-n", 2, *shell(script))
        self.read_until(descriptor, b"name? ")
        os.write(descriptor, b"you\n")
        self.read_until(descriptor, b"hello you")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 0)
        os.close(descriptor)

    def test_end_of_input(self):
        process, descriptor = self.start("-n", 2, *shell("cat >/dev/null; echo over"))
        os.write(descriptor, b"text\n\x04")
        self.read_until(descriptor, b"over", times=2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 0)
        os.close(descriptor)

    def test_control_c_is_a_death_by_sigint(self):
        process, descriptor = self.start("-n", 2, *shell("echo ready; exec sleep 1000"))
        self.read_until(descriptor, b"ready", times=2)
        os.write(descriptor, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), -signal.SIGINT)
        os.close(descriptor)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
