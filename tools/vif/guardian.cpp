// The guardian of a job. Context: app.
#include "guardian.hpp"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descendants.hpp"

namespace vif::tool {

namespace {

[[noreturn]] void guard(int pipe, const std::string& mark) {
  setsid();
  prctl(PR_SET_NAME, "vif-guardian");
  // Whoever waits for the end of the launcher's output must not wait for the guardian.
  if (pipe != 0) {
    dup2(pipe, 0);
    pipe = 0;
  }
  close_range(1, ~0U, 0);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  char byte = 0;
  ssize_t count = 0;
  do {
    count = read(pipe, &byte, 1);
  } while (count < 0 && errno == EINTR);
  if (count > 0) _exit(0);
  // A process that forks faster than it is found gets several rounds.
  for (int round = 0; round < 20 && kill_marked(mark) > 0; ++round) usleep(10'000);
  _exit(0);
}

}  // namespace

Guardian::Guardian(const std::string& mark) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  // A fork without an exit signal: waitpid() leaves such a child out unless asked for it, and so says reliably whether
  // anything else is left. (The list of children that /proc gives is not reliable while children end.)
  process_ = static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (process_ == 0) {
    close(ends[1]);
    guard(ends[0], mark);
  }
  close(ends[0]);
  pipe_ = ends[1];
}

void Guardian::dismiss() {
  if (pipe_ >= 0) {
    // A guardian that somebody killed leaves a closed pipe: SIGPIPE is ignored by the launcher.
    [[maybe_unused]] const ssize_t count = write(pipe_, "", 1);
    close(pipe_);
    pipe_ = -1;
  }
  if (process_ > 0) waitpid(process_, nullptr, __WCLONE);
  process_ = -1;
}

}  // namespace vif::tool
