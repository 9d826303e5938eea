// A test in a child process of its own, where system calls may be forbidden for good.
#pragma once

#include <gtest/gtest.h>
#include <seccomp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace vif::test {

// Ends the child with 1 and a sentence when `what` does not hold.
#define CHILD_CHECK(what)                                                     \
  do {                                                                        \
    if (!(what)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
      return 1;                                                               \
    }                                                                         \
  } while (false)

// From now on these calls end with `error` in this process, in threads to come as well.
inline bool forbid(std::initializer_list<int> calls, int error) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  bool good = filter != nullptr;
  for (const int call : calls) {
    good = good && seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, 0) == 0;
  }
  good = good && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return good;
}

// The exit code of `body` in a forked child; 128 and more: it ended by a signal.
template <class Body>
int in_child(Body body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) std::_Exit(body());
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace vif::test
