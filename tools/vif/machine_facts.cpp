// What this machine offers to communications. Context: app.
#include "machine_facts.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bell/user_interrupt.hpp"
#include "binding.hpp"
#include "machine/cpus.hpp"
#include "react/levers.hpp"
#include "react/load.hpp"
#include "sched/poller.hpp"

namespace vif::tool {

namespace {

// Flags and calls that the headers of the build may not know yet.
constexpr unsigned pidfd_of_thread = O_EXCL;
constexpr long futex_waitv_call = 449;

std::string verdict(bool works, int error) {
  return works ? "yes" : "no (" + std::generic_category().message(error) + ")";
}

// Starts a process that runs `body` and ends with its value.
template <class Body>
pid_t start(Body body) {
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process == 0) _exit(body());
  return process;
}

int outcome(pid_t process) {
  int status = 0;
  if (process < 0 || waitpid(process, &status, 0) != process || !WIFEXITED(status)) return ECHILD;
  return WEXITSTATUS(status);
}

// Two children of this process, as two ranks are of mpirun: may one read the memory of the other? 0, or an errno value.
int try_memory_of_sibling() {
  static volatile int word = 42;
  int ready[2];
  if (pipe2(ready, O_CLOEXEC) != 0) return errno;
  const pid_t owner = start([&ready] {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    if (write(ready[1], "", 1) != 1) return 1;
    pause();
    return 0;
  });
  char byte = 0;
  close(ready[1]);
  const bool told = owner > 0 && read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  const int result = !told ? ECHILD : outcome(start([owner] {
    int copy = 0;
    const iovec local{&copy, sizeof copy};
    const iovec remote{const_cast<int*>(&word), sizeof word};
    const ssize_t count = process_vm_readv(owner, &local, 1, &remote, 1, 0);
    return count == static_cast<ssize_t>(sizeof copy) && copy == 42 ? 0 : errno;
  }));
  if (owner > 0) {
    kill(owner, SIGKILL);
    waitpid(owner, nullptr, 0);
  }
  return result;
}

Fact pidfd_fact() {
  const auto open_thread = static_cast<int>(syscall(SYS_pidfd_open, gettid(), pidfd_of_thread));
  Fact fact{"thread pidfd", verdict(open_thread >= 0, errno),
            "Rings one thread of another process, whatever became of its number."};
  if (open_thread >= 0) {
    const bool sends = syscall(SYS_pidfd_send_signal, open_thread, 0, nullptr, 0) == 0;
    fact.value = verdict(sends, errno);
    close(open_thread);
    return fact;
  }
  const auto open_process = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  if (open_process >= 0) {
    fact.value += ", but of processes: yes";
    close(open_process);
  }
  return fact;
}

Fact futex_waitv_fact() {
  // No waiters is an error of its own (EINVAL); a kernel without the call says ENOSYS.
  const long result = syscall(futex_waitv_call, nullptr, 0, 0, nullptr, 0);
  const bool known = result == 0 || errno == EINVAL;
  return {"futex_waitv", verdict(known, errno), "Sleeps on several words at once."};
}

Fact shared_memory_fact() {
  struct statvfs space {};
  std::string free = "no /dev/shm";
  if (statvfs("/dev/shm", &space) == 0) {
    free =
        std::to_string(static_cast<unsigned long long>(space.f_bavail) * space.f_frsize >> 20) + " MB free in /dev/shm";
  }
  const auto segment = static_cast<int>(syscall(SYS_memfd_create, "vif-info", 1U));
  const std::string made = verdict(segment >= 0, errno);
  if (segment >= 0) close(segment);
  return {"memfd", made + "; " + free,
          "Holds the memory that the ranks of a job share, with no name to be left behind."};
}

Fact user_interrupt_fact() {
  const bell::UserInterruptSupport& support = bell::user_interrupt_support();
  std::string value = "yes, and used";
  if (support.emulated && !support.in_hardware()) {
    value = "emulated, for tests: used when VIF_REACTION=uintr asks for them";
  } else if (!support.usable()) {
    value = std::string("no, signals are used (") + support.missing() + ")";
  }
  return {"user interrupts", value, "Interrupts in 0.6 microseconds instead of the 5 of a signal."};
}

Fact poller_fact() {
  std::string why;
  const bool epoll = sched::chosen_poller(why) == sched::PollRule::epoll;
  return {"descriptors of events", (epoll ? "epoll (" : "io_uring (") + why + ")",
          "How event runtimes learn that a descriptor is readable or writable."};
}

Fact lever_fact() {
  return {"wake-up levers", react::describe_levers(),
          "What puts a rank on a CPU when its message comes and others compute; VIF_LEVER chooses."};
}

Fact load_fact() {
  const react::Load load = react::look_at_machine(static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)), false);
  const std::string counted =
      load.runnable < 0 ? "not told (/proc/loadavg)" : std::to_string(load.runnable) + " of the machine";
  const std::string delayed =
      load.delayed_ns < 0 ? "; a thread's own delay is not told (/proc/thread-self/schedstat)" : "";
  return {"runnable threads now", counted + delayed, "With more of them than CPUs a rank that waits sleeps at once."};
}

std::string yama() {
  std::string text = read_whole_file("/proc/sys/kernel/yama/ptrace_scope");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.empty() ? "" : " (kernel.yama.ptrace_scope = " + text + ")";
}

Fact cpu_fact() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  sched_getaffinity(0, sizeof usable, &usable);
  const double quota = machine::cgroup_quota();
  char limit[64] = "no quota";
  if (quota > 0) std::snprintf(limit, sizeof limit, "a quota of %.2f CPUs", quota);
  return {"usable CPUs",
          std::to_string(machine::usable_cpus()) + " (" + std::to_string(CPU_COUNT(&usable)) + " by affinity, on " +
              std::to_string(cores(usable, read_whole_file).size()) + " cores; " + limit + ")",
          "Ranks that wait spin only while there are no more of them than this."};
}

}  // namespace

std::vector<Fact> machine_facts() {
  utsname system{};
  uname(&system);
  const int memory = try_memory_of_sibling();
  return {
      {"kernel", std::string(system.sysname) + " " + system.release + " on " + system.machine, ""},
      cpu_fact(),
      load_fact(),
      lever_fact(),
      {"memory of other ranks", verdict(memory == 0, memory) + yama(),
       "Large messages are copied once (process_vm_readv); otherwise twice, through shared memory."},
      pidfd_fact(),
      futex_waitv_fact(),
      poller_fact(),
      shared_memory_fact(),
      user_interrupt_fact(),
  };
}

}  // namespace vif::tool
