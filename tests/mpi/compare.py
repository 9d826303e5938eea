#!/usr/bin/env python3
"""Runs the conformance programs on MPICH, the same binaries, and compares what comes out with what is expected.

usage: compare.py BUILD [PREFIX]
  BUILD   our build folder, with the programs in tests/
  PREFIX  where MPICH 5 or later is installed, such as a venv with `pip install mpich`; without it, VIF_TEST_MPICH.
          With neither the exit code is 77: skipped.

A program passes where it ends with 0. The programs that MPICH is known not to pass are those of mpich_differences.txt,
each with the reason; any other is printed, and so is each of those that passes after all. Then the exit code is 1.
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# With how many ranks; those that are not named run with two. Programs of our extensions, and those that take part in
# starting processes, are left out.
RANKS = {
    **dict.fromkeys("local_surface rest_abi rest_grequest rest_session rest_small rest_tool type_darray".split(), 1),
    **dict.fromkeys("type_external type_f90 type_made comm_refusals large_rest_small large_type_made".split(), 1),
    **dict.fromkeys("p2p_matching comm_neighbor_forms large_comm_neighbor_forms rma_windows".split(), 3),
    **dict.fromkeys("comm_cart comm_graph p2p_comm p2p_collectives_types".split(), 4),
}
LEFT_OUT = ("ext_", "rest_spawn", "rest_join", "rest_wrong", "rest_hosts", "local_", "rma_passive", "p2p_flood")


def expected():
    found = {}
    for line in (HERE / "mpich_differences.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, reason = line.split(None, 1)
            found[name] = reason
    return found


def run(prefix, program, ranks):
    command = [prefix / "bin/mpiexec", "-n", str(ranks), program]
    variables = {**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")}
    try:
        ran = subprocess.run(
            list(map(str, command)), env=variables, capture_output=True, text=True, timeout=60, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return "it does not end"
    return "" if ran.returncode == 0 else (ran.stdout + ran.stderr).strip().splitlines()[0]


def main():
    build = pathlib.Path(sys.argv[1])
    prefix = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("VIF_TEST_MPICH", "")
    if not prefix:
        print("SKIPPED: no MPICH was named (VIF_TEST_MPICH=/prefix, such as a venv with 'pip install mpich').")
        return 77
    known, good = expected(), True
    for program in sorted((build / "tests").glob("mpi_*")):
        name = program.name[len("mpi_") :]
        if name != "local_surface" and name.startswith(LEFT_OUT) or program.suffix or not os.access(program, os.X_OK):
            continue
        trouble = run(pathlib.Path(prefix), program, RANKS.get(name, 2))
        if (trouble != "") != (name in known):
            good = False
            print(f"{name}: {trouble or 'passes on MPICH, unlike mpich_differences.txt says'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
