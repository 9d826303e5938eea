#!/usr/bin/env python3
"""Checks what libmpi_abi.so.1 exports against the table: each function strong as PMPI_, weak as MPI_, and nothing
else but what the linker's list names one by one (the calls of the C library that we stand in front of,
and our extensions).

usage: local_exports.py LIBRARY src/mpi/abi/functions.csv exports.map
"""
import csv
import pathlib
import re
import subprocess
import sys


def main():
    library, table, exports = sys.argv[1:4]
    with open(table, newline="") as file:
        names = [row["name"] for row in csv.DictReader(file)]
    expected = {f"P{name}": "T" for name in names} | {name: "W" for name in names}
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    found = {}
    for line in listing.splitlines():
        _, kind, name = line.split()
        found[name.split("@")[0]] = kind
    named = set(re.findall(r"\b((?:[a-z_]|VIF_)\w*);", pathlib.Path(exports).read_text()))
    wrong = [f"{name} is not exported" for name in expected.keys() - found.keys()]
    wrong += [f"{name} is named in the linker's list and not exported" for name in named - found.keys()]
    wrong += [f"{name} is exported and not in the table" for name in found.keys() - expected.keys() - named]
    for name, kind in expected.items():
        if found.get(name, kind) != kind:
            wrong.append(f"{name} is of kind {found[name]}, not {kind}")
    header = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    if "[libmpi_abi.so.1]" not in header:
        wrong.append("the soname is not libmpi_abi.so.1")
    if len(names) != 664:
        wrong.append(f"the table has {len(names)} functions, not 664")
    for sentence in sorted(wrong):
        print(sentence)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
