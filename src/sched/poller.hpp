// How a core asks the system about descriptors: by epoll, or by io_uring. Context: core, except probe_ring(): app.
//
// Both report as long as something is ready, whether it has been reported before or not. io_uring's polls are of one
// shot, and armed again by the next wait, with the same system call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace vif::sched {

enum class PollRule : uint8_t { automatic, epoll, io_uring };

class Poller {
 public:
  struct Ready {
    int descriptor;
    uint32_t events;  // EPOLLIN and its like, which are POLLIN and its like
  };
  static constexpr int at_once = 64;

  // Throws std::system_error.
  static std::unique_ptr<Poller> make(PollRule rule);
  virtual ~Poller() = default;

  // What is wanted of a descriptor from now on; 0: nothing. False: the system does not watch it (errno says why).
  virtual bool want(int descriptor, uint32_t events) = 0;
  // Waits at most timeout_ns (0: not, < 0: for ever) for what is wanted; how many are in `ready`, or a number below 0.
  virtual int wait(int64_t timeout_ns, Ready (&ready)[at_once]) noexcept = 0;
};

// What `automatic` comes to here, and why: a few words.
PollRule chosen_poller(std::string& why);
// Whether the system offers what the io_uring of this file needs; else `why` gets a few words.
bool probe_ring(std::string& why);

// For poller.cpp. Throw std::system_error.
std::unique_ptr<Poller> make_epoll();
std::unique_ptr<Poller> make_ring();

}  // namespace vif::sched
