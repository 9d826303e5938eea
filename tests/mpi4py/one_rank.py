#!/usr/bin/env python3
"""One rank of mpi4py's test suite: runs the tests that it is told, and writes down what becomes of each at once.

usage: one_rank.py TESTS_FOLDER RECORDS_FOLDER MODULES SKIPPED
  TESTS_FOLDER    the folder `test` of mpi4py's source distribution
  RECORDS_FOLDER  receives RANK.txt, one line per event: a letter, the name of the test, and why
                  S started, P passed, F failed, K skipped; the last line is D, done
  MODULES         a regular expression of file names
  SKIPPED         a file of names of tests that are not to be run

A rank that hangs or dies leaves the name of the test that it was in.
"""

import os
import pathlib
import sys
import unittest


class Recorder(unittest.TextTestResult):
    """A result that writes each event to `Recorder.file` before anything else can happen."""

    file = None

    def record(self, letter, test, why=""):
        line = f"{letter}\t{test.id()}\t{' | '.join(str(why).splitlines())}\n"
        os.write(self.file, line.encode())

    def startTest(self, test):
        super().startTest(test)
        self.record("S", test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.record("P", test)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.record("P", test)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.record("F", test, "it was expected to fail, and passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.record("K", test, reason)

    def addError(self, test, err):
        super().addError(test, err)
        self.record("F", test, self.errors[-1][1])

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.record("F", test, self.failures[-1][1])

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.record("F", test, f"{subtest}: {self._exc_info_to_string(err, test)}")


def main():
    tests, records, modules, skipped = sys.argv[1:5]
    sys.dont_write_bytecode = True
    sys.path.insert(0, tests)
    # The suite's own program finds the tests; it must import mpi4py itself, with its own settings.
    from main import TestProgram

    number = next(os.environ[name] for name in ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK") if name in os.environ)
    path = pathlib.Path(records) / f"{number}.txt"
    Recorder.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
    with open(os.devnull, "w") as nowhere:
        runner = unittest.TextTestRunner(stream=nowhere, resultclass=Recorder)
        arguments = ["mpi4py", "--quiet", "--no-builddir", "-i", modules, "--xfile", skipped]
        try:
            TestProgram(module=None, argv=arguments, testRunner=runner)
        except SystemExit as ended:
            os.write(Recorder.file, b"D\n")
            sys.exit(0 if ended.code in (0, None, 1, 5) else ended.code)


if __name__ == "__main__":
    main()
