// See watchdog.hpp. The report uses only system calls and backtrace(): the hung code may hold any lock, also malloc's.
#include "support/watchdog.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <execinfo.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The bounds of the program's code, given by the linker.
extern "C" const char __executable_start;
extern "C" const char etext;

namespace vif::support {
namespace {

constexpr int report_signal = SIGXCPU;
constexpr int default_test_limit = 100;

// Written by the listener between tests, read by the handler.
char test_name[256] = "(no test)";
int armed_seconds = 0;
timer_t timer{};
double program_end = 0;  // on the monotonic clock; 0: no limit

// The thread that writes the report, 0 while nobody does. Written once, by the handler that comes first.
std::atomic<int> reporter{0};
// The number of stacks printed by threads that the reporter asked. Written by those threads.
std::atomic<int> stacks_printed{0};

double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int seconds_from_environment(const char* name, int otherwise) {
  const char* text = getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const long seconds = strtol(text, &end, 10);
  if (*end == '\0' && seconds >= 0 && seconds <= 1'000'000) return static_cast<int>(seconds);
  fprintf(stderr, "%s must be a number of seconds, not '%s'. Unset it or write a number; 0 means no limit.\n", name,
          text);
  exit(2);
}

void say(const char* text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;  // Nothing can be done about a closed stderr.
}

void say_number(long number) {
  char digits[24];
  char* at = digits + sizeof digits - 1;
  *at = '\0';
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  say(at);
}

// Names the functions of this program among the frames by addr2line(1), where it is installed: hidden functions have no
// dynamic symbol, so backtrace_symbols_fd() shows only their addresses.
void say_function_names(void* const* frames, int count) {
  constexpr int options = 4;
  char program[48] = "";
  snprintf(program, sizeof program, "--exe=/proc/%d/exe", getpid());
  char offsets[64][20];
  const char* arguments[options + 64 + 1] = {"addr2line", program, "-Cfp", "--"};
  int named = 0;
  for (int index = 0; index < count && index < 64; ++index) {
    const char* frame = static_cast<const char*>(frames[index]);
    if (frame < &__executable_start || frame >= &etext) continue;
    snprintf(offsets[named], sizeof offsets[named], "%tx", frame - &__executable_start);
    arguments[options + named] = offsets[named];
    ++named;
  }
  if (named == 0) return;
  const pid_t child = vfork();
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(arguments[0], const_cast<char* const*>(arguments));
    _exit(127);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

void say_stack() {
  void* frames[64];
  const int count = backtrace(frames, 64);
  backtrace_symbols_fd(frames, count, STDERR_FILENO);
  say_function_names(frames, count);
}

// "/proc/self/task/" + thread + "/" + file, into `path`.
void task_path(char (&path)[96], const char* thread, const char* file) {
  path[0] = '\0';
  for (const char* part : {"/proc/self/task/", thread, "/", file}) strncat(path, part, sizeof path - strlen(path) - 1);
}

// Reads a small file of /proc/self/task into `text` as one line. Leaves it empty when it cannot be read.
template <std::size_t size>
void read_task_file(char (&text)[size], const char* thread, const char* file) {
  text[0] = '\0';
  char path[96];
  task_path(path, thread, file);
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  const ssize_t length = read(descriptor, text, size - 1);
  close(descriptor);
  text[std::max<ssize_t>(length, 0)] = '\0';
  for (char* at = text; *at != '\0'; ++at) {
    if (*at == '\n') *at = at[1] == '\0' ? '\0' : ' ';
  }
}

void say_task_file(const char* thread, const char* file) {
  char text[1024];
  read_task_file(text, thread, file);
  if (text[0] == '\0') return;
  say(" ");
  say(file);
  say("=");
  say(text);
}

// Asks another thread for its stack, and gives it three seconds to print it: it may block the signal.
void ask_for_stack(int thread) {
  const int before = stacks_printed.load();
  if (syscall(SYS_tgkill, getpid(), thread, report_signal) != 0) return;
  for (int tries = 0; tries < 300 && stacks_printed.load() == before; ++tries) {
    const timespec step{0, 10'000'000};
    nanosleep(&step, nullptr);
  }
  if (stacks_printed.load() == before) say("  (this thread blocks SIGXCPU or is stuck in the kernel: no stack)\n");
}

void say_thread(const char* name, int self) {
  const int thread = atoi(name);
  say("thread ");
  say(name);
  for (const char* file : {"comm", "wchan", "syscall", "stack"}) say_task_file(name, file);
  say("\n");
  if (thread == self) {
    say_stack();
  } else {
    ask_for_stack(thread);
  }
}

// What getdents64(2) returns; the C library declares it only for its own readdir().
struct DirectoryEntry {
  uint64_t inode;
  int64_t next;
  unsigned short length;
  unsigned char type;
  char name[1];
};

void say_all_threads(int self) {
  const int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return say_stack();
  alignas(DirectoryEntry) char entries[8192];
  for (;;) {
    const long length = syscall(SYS_getdents64, directory, entries, sizeof entries);
    if (length <= 0) break;
    for (long at = 0; at < length;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(entries + at);
      if (entry->name[0] != '.') say_thread(entry->name, self);
      at += entry->length;
    }
  }
  close(directory);
}

// Children of a hung test are part of the hang: they are named, and killed because nobody would end them.
void end_children(int self) {
  char name[24];
  snprintf(name, sizeof name, "%d", self);
  char children[1024];
  read_task_file(children, name, "children");
  char* rest = nullptr;
  for (char* child = strtok_r(children, " ", &rest); child != nullptr; child = strtok_r(nullptr, " ", &rest)) {
    say("child process ");
    say(child);
    say(" is killed\n");
    kill(atoi(child), SIGKILL);
  }
}

void report(int, siginfo_t*, void*) {
  const int saved_errno = errno;
  const int self = static_cast<int>(syscall(SYS_gettid));
  int nobody = 0;
  if (!reporter.compare_exchange_strong(nobody, self)) {
    if (nobody != self) say_stack();
    stacks_printed.fetch_add(1);
    errno = saved_errno;
    return;
  }
  say("watchdog: the test ");
  say(test_name);
  say(" has not ended after ");
  say_number(armed_seconds);
  say(" s and is ended now, with the stacks of its threads below. VIF_TEST_LIMIT and VIF_TEST_PROGRAM_LIMIT set the "
      "limit.\n");
  say_all_threads(self);
  end_children(getpid());
  _exit(watchdog_exit_code);
}

void arm(int seconds) {
  itimerspec when{};
  when.it_value.tv_sec = seconds;
  armed_seconds = seconds;
  timer_settime(timer, 0, &when, nullptr);
}

class Listener : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    snprintf(test_name, sizeof test_name, "%s.%s", test.test_suite_name(), test.name());
    int seconds = seconds_from_environment("VIF_TEST_LIMIT", default_test_limit);
    if (program_end > 0) {
      const int left = std::max(1, static_cast<int>(program_end - seconds_now()));
      seconds = seconds == 0 ? left : std::min(seconds, left);
    }
    arm(seconds);
  }
  void OnTestEnd(const testing::TestInfo&) override { arm(0); }
};

}  // namespace

void install_watchdog() {
  void* frame = nullptr;
  backtrace(&frame, 1);  // The first call loads a library, which a handler must not do.

  const int limit = seconds_from_environment("VIF_TEST_PROGRAM_LIMIT", 0);
  program_end = limit > 0 ? seconds_now() + limit : 0;

  struct sigaction action {};
  action.sa_sigaction = report;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(report_signal, &action, nullptr);

  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = report_signal;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
    fprintf(stderr, "The watchdog cannot make a timer: %s. Tests run without a limit.\n", strerror(errno));
    return;
  }
  testing::UnitTest::GetInstance()->listeners().Append(new Listener);
}

}  // namespace vif::support
