// Runs a program that may not read or write the memory of another process: process_vm_readv and process_vm_writev fail
// with EPERM for it and all it starts, as in a container with a strict seccomp profile.
//
// Usage: forbid_copy PROGRAM ARGUMENT...     Exit code 77: this machine permits no filter.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int forbid(void) {
  const unsigned refused = SECCOMP_RET_ERRNO | EPERM;
  struct sock_filter lines[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, refused),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof lines / sizeof *lines, lines};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "Usage: forbid_copy PROGRAM ARGUMENT...\n");
    return 2;
  }
  if (forbid() != 0) {
    fprintf(stderr, "SKIPPED: no system-call filter can be set here: %s\n", strerror(errno));
    return 77;
  }
  // The test would show nothing if the filter did not work.
  char from = 1, to = 0;
  const struct iovec here = {&to, 1}, there = {&from, 1};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) >= 0 || errno != EPERM ||
      process_vm_writev(getpid(), &here, 1, &there, 1, 0) >= 0 || errno != EPERM) {
    fprintf(stderr, "forbid_copy: the filter is set, but memory can still be copied between processes.\n");
    return 2;
  }
  execvp(argv[1], argv + 1);
  fprintf(stderr, "forbid_copy: '%s' cannot be run: %s\n", argv[1], strerror(errno));
  return 2;
}
