#!/bin/sh
# Runs a command where /dev/shm has room for 16 MB only, in a mount namespace of its own.
#
# Usage: small_shm.sh COMMAND ARGUMENT...     Exit code 77: this machine does not permit it.
set -u
if [ "${VIF_TEST_IN_NAMESPACE:-}" != 1 ]; then
  # As root, or as root of a user namespace where those are permitted.
  for how in "-m" "-rm"; do
    if unshare $how sh -c 'mount -t tmpfs -o size=16M none /dev/shm' >/dev/null 2>&1; then
      VIF_TEST_IN_NAMESPACE=1 exec unshare $how "$0" "$@"
    fi
  done
  echo "SKIPPED: no small /dev/shm can be mounted here (it takes root, or user namespaces)."
  exit 77
fi
mount -t tmpfs -o size=16M none /dev/shm || exit 2
size=$(df -k --output=size /dev/shm | tail -n 1 | tr -d ' ')
if [ "$size" != 16384 ]; then
  echo "FAILED: /dev/shm has $size KB, not 16384."
  exit 1
fi
unset VIF_TEST_IN_NAMESPACE
"$@" || exit $?
left=$(ls -A /dev/shm)
if [ -n "$left" ]; then
  echo "FAILED: left in /dev/shm: $left"
  exit 1
fi
