// Futex, sleep and CPU placement for the benchmark programs. Context: app.
#define _GNU_SOURCE
#include "together.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void futex_wait_while(_Atomic uint32_t* word, uint32_t seen) {
  while (atomic_load(word) == seen) syscall(SYS_futex, word, FUTEX_WAIT, seen, NULL, NULL, 0);
}

void futex_wake_one(_Atomic uint32_t* word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

void sleep_seconds(double seconds) {
  struct timespec left = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) continue;
}

// The CPUs allowed when the program started: binding one thread must not shrink the choice of the next.
static const cpu_set_t* allowed_at_start(void) {
  static cpu_set_t allowed;
  static int known = 0;
  if (!known) {
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    known = 1;
  }
  return &allowed;
}

int usable_cpus(void) { return CPU_COUNT(allowed_at_start()); }

int bind_to_usable_cpu(int index) {
  const cpu_set_t* allowed = allowed_at_start();
  int wanted = index % CPU_COUNT(allowed);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, allowed) || wanted-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    return cpu;
  }
  return -1;
}
