#!/bin/sh
# Our program under another launcher: it must find its rank and meet the others.
#
# Usage: peer_launchers.sh PROGRAM [MPIEXEC...]
#   PROGRAM   launch_echo_ranks
#   MPIEXEC   paths of mpiexec commands that speak PMI-1 (MPICH, Intel MPI); without any, those of the variable
#             VIF_TEST_PEER_LAUNCHERS (separated by ':'). With none at all the test is skipped, which exit code 77 says.
set -u

program=$1
shift
if [ $# -eq 0 ] && [ -n "${VIF_TEST_PEER_LAUNCHERS:-}" ]; then
  old=$IFS
  IFS=:
  # shellcheck disable=SC2086
  set -- $VIF_TEST_PEER_LAUNCHERS
  IFS=$old
fi
if [ $# -eq 0 ]; then
  echo "SKIPPED: no other launcher was named (VIF_TEST_PEER_LAUNCHERS=/path/to/mpiexec:...)."
  exit 77
fi

failures=0
check() {  # check NAME EXPECTED SEEN
  if [ "$2" = "$3" ]; then
    echo "ok: $1"
  else
    echo "FAILED: $1"
    echo "  expected: $2"
    echo "  seen:     $3"
    failures=$((failures + 1))
  fi
}

for launcher do
  if [ ! -x "$launcher" ]; then
    echo "FAILED: '$launcher' is not an executable file."
    failures=$((failures + 1))
    continue
  fi
  for ranks in 1 2 7; do
    expected=$(i=0; while [ $i -lt $ranks ]; do
      echo "rank $i of $ranks under PMI-1 launcher, program 0, segment no"
      i=$((i + 1))
    done)
    seen=$(timeout 60 "$launcher" -n $ranks "$program" 2>&1 </dev/null | sort)
    check "$launcher: $ranks ranks meet" "$expected" "$seen"
  done
  timeout 60 "$launcher" -n 3 "$program" abort 1 5 >/dev/null 2>&1 </dev/null
  check "$launcher: MPI_Abort gives its code" 5 $?
done
[ $failures -eq 0 ]
