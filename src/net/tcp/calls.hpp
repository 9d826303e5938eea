// Calls of the kernel by number: the C library's functions of these names are ours when the program calls them
// (bell/foreign_calls.hpp), and would take the engine for the program. Context: any.
#pragma once

#include <csignal>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace vif::net::tcp {

inline int look_at(int set, epoll_event* events, int count, int timeout_ms) noexcept {
  return static_cast<int>(syscall(SYS_epoll_pwait, set, events, count, timeout_ms, nullptr, _NSIG / 8));
}

inline int look_at(pollfd* descriptors, size_t count, int timeout_ms) noexcept {
  timespec time{timeout_ms / 1000, timeout_ms % 1000 * 1'000'000L};
  return static_cast<int>(syscall(SYS_ppoll, descriptors, count, &time, nullptr, _NSIG / 8));
}

}  // namespace vif::net::tcp
