"""What is said of a job that hangs: by `vif hang`, on SIGQUIT, and after VIF_HANG_TIMEOUT.

usage: test_hang.py FOLDER_OF_VIF PROGRAM
"""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

tools = pathlib.Path(sys.argv[1])
program = sys.argv[2]

ODD_ONE = "rank 1 began MPI_Barrier, the collective 0"
TAG = "what rank 0 sent to rank 1 there lately: with other tags: 8"


def begin(**options):
    environment = {**os.environ, **options}
    command = [tools / "mpirun", "-n", "3", program]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )


def reports(pid):
    """What `vif hang` says, asked until every rank has come to its last call."""
    while True:
        answer = subprocess.run([tools / "vif", "hang", str(pid)], capture_output=True, text=True)
        if answer.returncode != 0 or (ODD_ONE in answer.stdout and "ranks 0, 2: in MPI_Barrier" in answer.stdout):
            return answer


class Hang(unittest.TestCase):
    def test_the_command_and_sigquit(self):
        job = begin()
        try:
            self.assertEqual("hanging\n", job.stdout.readline())
            answer = reports(job.pid)
            self.assertEqual(0, answer.returncode, answer.stderr)
            self.assertIn(TAG, answer.stdout)
            job.send_signal(signal.SIGQUIT)
            said = ""
            while "Last operations" not in said:
                said += job.stderr.readline()
            self.assertIn(ODD_ONE, said)
            self.assertIsNone(job.poll(), "the job goes on")
        finally:
            job.kill()
            job.communicate()

    def test_the_time_limit_ends_the_job(self):
        job = begin(VIF_HANG_TIMEOUT="1")
        _, said = job.communicate()
        self.assertEqual(124, job.returncode)
        self.assertIn("no rank got further for 1 seconds", said)
        self.assertIn(ODD_ONE, said)
        self.assertIn(TAG, said)

    def test_a_process_that_is_in_no_job(self):
        answer = subprocess.run([tools / "vif", "hang", "1"], capture_output=True, text=True)
        self.assertEqual(1, answer.returncode)
        self.assertIn("neither mpirun nor a rank", answer.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
