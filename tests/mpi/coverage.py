#!/usr/bin/env python3
"""Checks that the conformance programs call every function of MPI: each must be referred to by one of them.

usage: coverage.py src/mpi/abi/functions.csv PROGRAM...
"""

import csv
import os
import re
import subprocess
import sys


def main():
    with open(sys.argv[1], newline="") as file:
        names = {row["name"] for row in csv.DictReader(file)}
    missing = [program for program in sys.argv[2:] if not os.path.exists(program)]
    if missing:
        sys.exit(f"not built: {' '.join(missing)}")
    listing = subprocess.run(
        ["nm", "-D", "--undefined-only", *sys.argv[2:]], check=True, capture_output=True, text=True
    ).stdout
    called = set(re.findall(r"\bU P?(MPI_\w+)", listing))
    for name in sorted(names - called):
        print(f"no program calls {name}: add it to one in tests/mpi")
    print(f"{len(names & called)} of {len(names)} functions are called by {len(sys.argv) - 2} programs")
    sys.exit(0 if names <= called else 1)


if __name__ == "__main__":
    main()
