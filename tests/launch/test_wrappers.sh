#!/bin/sh
# mpicc and mpicxx, in a tree of their own that is then moved: the paths must follow. The library and the header are
# stand-ins, so that this tests the wrappers and nothing else.
#
# Usage: test_wrappers.sh FOLDER_OF_BIN
set -eu

bin=$1
unset VIF_CC VIF_CXX LD_LIBRARY_PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/a tree"
mkdir -p "$tree/bin" "$tree/include" "$tree/lib"
cp "$bin/mpicc" "$bin/mpicxx" "$tree/bin/"
cd "$work"

fail() {
  echo "FAILED: $1" >&2
  exit 1
}

"$tree/bin/mpicc" a.c 2>"$work/errors" && fail "a tree without a library is accepted"
grep -q 'libmpi_abi.so.1 is not under' "$work/errors" || fail "the missing library is not named"

echo 'int answer(void);' >"$tree/include/mpi.h"
echo 'int answer(void) { return 42; }' >stub.c
cc -shared -fPIC -Wl,-soname,libmpi_abi.so.1 -o "$tree/lib/libmpi_abi.so.1" stub.c
printf '#include <mpi.h>\nint main(void) { return answer(); }\n' >a.c
{
  printf '#include <cstdio>\nextern "C" {\n#include <mpi.h>\n}\n'
  printf 'int main() { std::puts("c++"); return answer(); }\n'
} >a.cpp

run() {  # run EXPECTED COMMAND...
  expected=$1
  shift
  code=0
  "$@" >/dev/null || code=$?
  [ "$code" -eq "$expected" ] || fail "'$*' ended with $code, not $expected"
}

run 0 "$tree/bin/mpicc" a.c -o a
run 42 ./a
run 0 "$tree/bin/mpicxx" a.cpp -o b
run 42 ./b
run 0 "$tree/bin/mpicc" -c a.c -o a.o
run 0 "$tree/bin/mpicc" a.o -o c
run 42 ./c
run 0 "$tree/bin/mpicc" --version
run 0 "$tree/bin/mpicc" -help

# What -show prints can be pasted into a shell.
sh -c "$("$tree/bin/mpicc" -show a.c -o 'with space')" || fail "-show prints a command that does not work"
run 42 './with space'

VIF_CC='cc -DFROM_VARIABLE' "$tree/bin/mpicc" -show a.c | grep -q '^cc -DFROM_VARIABLE ' || fail "VIF_CC is not used"

# LD_LIBRARY_PATH must win: the same program runs on another library of the standard ABI.
mkdir other
echo 'int answer(void) { return 7; }' >other.c
cc -shared -fPIC -Wl,-soname,libmpi_abi.so.1 -o other/libmpi_abi.so.1 other.c
LD_LIBRARY_PATH=$PWD/other run 7 ./a

mv "$tree" moved
run 0 moved/bin/mpicc a.c -o d
run 42 ./d
ln -s "$work/moved/bin/mpicc" link
run 0 ./link a.c -o e
run 42 ./e
PATH="$work/moved/bin:$PATH" run 0 mpicc a.c -o f
run 42 ./f
echo "ok"
