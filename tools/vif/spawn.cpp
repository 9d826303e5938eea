// Starts one process of a job.
//
// The child shares the launcher's memory until it executes the program (CLONE_VM and CLONE_VFORK, as posix_spawn does),
// which costs no copy of page tables, and lets it report the cause of a failure in a plain variable. It runs on a stack
// of its own and calls nothing that allocates. The launcher has no signal handlers (it reads a signalfd), so none can
// run in the child by accident. Context: app, in a launcher that has one thread.
#include "spawn.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vif::tool {

namespace {

enum class Step { none, descriptors, directory, program };

struct Child {
  const Birth* birth;
  char* const* arguments;
  char* const* environment;
  pid_t launcher;
  Step step = Step::none;  // where it failed
  int error = 0;
};

[[noreturn]] void give_up(Child& child, Step step) {
  child.error = errno;
  child.step = step;
  _exit(127);
}

bool move_to(int from, int to) {
  // dup2 on itself would leave close-on-exec set.
  return from == to ? fcntl(to, F_SETFD, 0) == 0 : dup2(from, to) == to;
}

void default_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  // The launcher ignores SIGPIPE for itself; what it inherited as ignored (nohup) stays so.
  sigaction(SIGPIPE, &standard, nullptr);
}

int live(void* argument) {
  Child& child = *static_cast<Child*>(argument);
  const Birth& birth = *child.birth;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The launcher may have died before the line above.
  if (getppid() != child.launcher) _exit(127);
  if (!move_to(birth.input, 0) || !move_to(birth.output, 1) || !move_to(birth.errors, 2)) {
    give_up(child, Step::descriptors);
  }
  for (const int descriptor : birth.keep) {
    if (fcntl(descriptor, F_SETFD, 0) != 0) give_up(child, Step::descriptors);
  }
  if (!birth.directory.empty() && chdir(birth.directory.c_str()) != 0) give_up(child, Step::directory);
  // A mask that another process changed meanwhile is no reason not to start.
  if (birth.cpus != nullptr) sched_setaffinity(0, sizeof *birth.cpus, birth.cpus);
  if (birth.files != nullptr) setrlimit(RLIMIT_NOFILE, birth.files);
  default_signals();
  sigprocmask(SIG_SETMASK, &birth.mask, nullptr);
  execvpe(child.arguments[0], child.arguments, child.environment);
  give_up(child, Step::program);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  return list;
}

std::string describe(const Child& child) {
  const Birth& birth = *child.birth;
  if (child.step == Step::directory) return "enter the directory '" + birth.directory + "'";
  if (child.step == Step::descriptors) return "prepare the descriptors of '" + birth.command[0] + "'";
  return "start '" + birth.command[0] + "'";
}

}  // namespace

pid_t start_process(const Birth& birth, int& error, std::string& sentence_part) {
  constexpr std::size_t stack_bytes = 64 << 10;
  static const std::unique_ptr<std::byte[]> stack(new std::byte[stack_bytes]);
  const std::vector<char*> arguments = pointers(birth.command);
  const std::vector<char*> environment = pointers(birth.environment);
  Child child{.birth = &birth, .arguments = arguments.data(), .environment = environment.data(), .launcher = getpid()};
  const pid_t process = clone(live, stack.get() + stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
  if (process > 0 && child.step == Step::none) return process;
  if (process > 0) {
    waitpid(process, nullptr, 0);
    error = child.error;
  } else {
    error = errno;
  }
  sentence_part = describe(child);
  return -1;
}

}  // namespace vif::tool
