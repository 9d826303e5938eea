#!/usr/bin/env python3
"""Runs examples/stencil.py with several numbers of ranks: the sums must agree.

usage: example.py BUILD EXAMPLE

It needs the environment that suite.py makes; without it the exit code is 77.
"""

import os
import pathlib
import subprocess
import sys


def total(build, python, example, ranks):
    command = [build / "bin/mpirun", "-n", str(ranks), python, "-B", example, "120", "40"]
    variables = {**os.environ, "LD_LIBRARY_PATH": str(build / "lib")}
    output = subprocess.run(list(map(str, command)), env=variables, check=True, capture_output=True, text=True).stdout
    print(output, end="")
    return float(output.split("sum ")[1].split(",")[0])


def main():
    build, example = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    python = build / "mpi4py/venv/bin/python"
    if not python.exists():
        print("skipped: mpi4py is not there; tests/mpi4py/suite.py --prepare builds it")
        return 77
    sums = [total(build, python, example, ranks) for ranks in (1, 2, 3, 4)]
    return 0 if all(abs(each - sums[0]) <= 1e-8 * abs(sums[0]) for each in sums) else 1


if __name__ == "__main__":
    sys.exit(main())
