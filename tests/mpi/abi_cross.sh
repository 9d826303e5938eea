#!/bin/sh
# Binaries cross between MPIs: compiled with MPICH's mpicc_abi it runs on our library, compiled with our mpicc on
# MPICH's. The program prints which library it runs on (MPI_Get_library_version) and checks what it exchanges.
#
# Usage: abi_cross.sh BUILD [PREFIX]
#   BUILD    our build folder: bin/mpicc, bin/mpirun, lib/libmpi_abi.so.1
#   PREFIX   where MPICH 5 or later is installed, with nothing else, such as a venv with `pip install mpich`; without
#            it, VIF_TEST_MPICH. With neither, or with an MPICH that has no mpicc_abi, the test is skipped (exit code
#            77).
set -u

build=$1
prefix=${2:-${VIF_TEST_MPICH:-}}
if [ -z "$prefix" ]; then
  echo "SKIPPED: no MPICH was named (VIF_TEST_MPICH=/prefix, such as a venv with 'pip install mpich')."
  exit 77
fi
if [ ! -x "$prefix/bin/mpicc_abi" ]; then
  echo "SKIPPED: '$prefix/bin/mpicc_abi' is not an executable file; MPICH 5 or later has it."
  exit 77
fi

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
program=$(dirname "$0")/abi_cross.c
failures=0

compile() {  # compile COMPILER OUTPUT
  if ! "$1" -Wall -Wextra -o "$folder/$2" "$program" >"$folder/words" 2>&1; then
    echo "FAILED: $1 cannot compile the program:"
    cat "$folder/words"
    exit 1
  fi
}

# check NAME LIBRARY_FOLDER LIBRARY_WORD LAUNCHER PROGRAM: two processes, which must say that they run on that library.
check() {
  LD_LIBRARY_PATH=$2 timeout 60 "$4" -n 2 "$folder/$5" >"$folder/words" 2>&1 </dev/null
  code=$?
  lines=$(grep -c "^rank [01] of 2 on $3" "$folder/words")
  if [ $code -eq 0 ] && [ "$lines" -eq 2 ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1: exit code $code, and $lines of 2 processes said that they run on $3. All that was printed:"
    cat "$folder/words"
    failures=$((failures + 1))
  fi
}

compile "$prefix/bin/mpicc_abi" theirs
compile "$build/bin/mpicc" ours

check "compiled with MPICH, our library, our mpirun" "$build/lib" Vif "$build/bin/mpirun" theirs
check "compiled with MPICH, our library, MPICH's mpiexec" "$build/lib" Vif "$prefix/bin/mpiexec" theirs
check "compiled with ours, our library, MPICH's mpiexec" "$build/lib" Vif "$prefix/bin/mpiexec" ours
check "compiled with ours, MPICH's library, MPICH's mpiexec" "$prefix/lib" MPICH "$prefix/bin/mpiexec" ours
# Shows that the library, and not the compilation, makes the difference.
check "compiled with MPICH, MPICH's library, MPICH's mpiexec" "$prefix/lib" MPICH "$prefix/bin/mpiexec" theirs
[ $failures -eq 0 ]
