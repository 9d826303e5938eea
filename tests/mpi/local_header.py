#!/usr/bin/env python3
"""Compares the tables with another library's header of the same ABI, by having the compiler declare everything twice.

usage: local_header.py TABLE_FOLDER [OTHER_HEADER]
The other header is MPICH's mpi_abi.h, from VIF_TEST_MPICH_ABI_HEADER when no argument is given. Without one the exit
code is 77, which CTest reports as skipped.
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def rows(folder, name):
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def program(folder, header):
    """A C file that includes the header and then says the same things once more: any difference is an error."""
    lines = [f'#include "{header}"', ""]
    for handle in rows(folder, "handles"):
        lines.append(f"typedef struct {handle['structure']} *{handle['name']};")
    for callback in rows(folder, "callbacks"):
        if callback["returns"] == "alias":
            lines.append(f"typedef {callback['parameters']} {callback['name']};")
        else:
            lines.append(f"typedef {callback['returns']} ({callback['name']})({callback['parameters']});")
    for function in rows(folder, "functions"):
        for prefix in ("", "P"):
            lines.append(f"{function['returns']} {prefix}{function['name']}({function['parameters']});")
    for constant in rows(folder, "constants"):
        name, value = constant["name"], constant["value"]
        lines.append(f'_Static_assert((long)({name}) == (long)({value}), "{name}");')
        if constant["kind"] == "define" and value.startswith("(("):
            same = f"__builtin_types_compatible_p(__typeof__({name}), __typeof__({value}))"
            lines.append(f'_Static_assert({same}, "{name}");')
    lines.append('_Static_assert(sizeof(MPI_Status) == 32, "MPI_Status");')
    lines.append('_Static_assert(__builtin_offsetof(MPI_Status, MPI_internal) == 12, "MPI_Status");')
    return "\n".join(lines) + "\n"


def names_of(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return set(re.findall(r"\bMPI_\w+", text))


def missing(folder, header):
    """Names that the other header has and the tables lack."""
    own = {"MPI_Aint", "MPI_Offset", "MPI_Count", "MPI_Status", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal"}
    own |= {"MPI_T_cb_safety", "MPI_T_source_order"}
    for table in ("constants", "callbacks", "functions", "handles"):
        own |= {row["name"] for row in rows(folder, table)}
    own |= {row["structure"] for row in rows(folder, "handles")}
    for name in sorted(names_of(header.read_text(errors="replace")) - own):
        # Guards and macros by which that header lets its integers be chosen, not names of the interface.
        if not name.startswith(("MPI_ABI_", "MPI_H")):
            yield name


def main():
    folder = pathlib.Path(sys.argv[1])
    other = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("VIF_TEST_MPICH_ABI_HEADER", "")
    if not other or not os.path.exists(other):
        print("No other header to compare with: set VIF_TEST_MPICH_ABI_HEADER to the path of MPICH's mpi_abi.h.")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as temporary:
        source = pathlib.Path(temporary) / "compare.c"
        source.write_text(program(folder, os.path.abspath(other)))
        compiler = os.environ.get("CC", "cc")
        result = subprocess.run([compiler, "-std=gnu11", "-w", "-fsyntax-only", str(source)], check=False)
    absent = list(missing(folder, pathlib.Path(other)))
    for name in absent:
        print(f"{name} is in the other header and not in the tables")
    sys.exit(1 if result.returncode or absent else 0)


if __name__ == "__main__":
    main()
