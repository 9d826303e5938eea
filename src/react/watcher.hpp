// Watches descriptors, and has the engine run when one of them becomes ready: nobody need look in between.
//
// The descriptors are in one epoll set. How its owner is told is a state of the watcher, not of each descriptor:
//   nothing armed   the owner looks by itself: look() is one system call that never blocks
//   exported        a helper thread is blocked in a second epoll set that holds the first one, one-shot: after one
//                   event it stays quiet until armed again, so that a burst wakes it once and an owner that looks is
//                   never disturbed. Descriptors may be added and removed while it is blocked, without waking it.
//   interrupt       the kernel interrupts a thread (socket_signals.hpp), in whose handler the owner runs
// The helper is made by the first arm() that needs it, and ends when nobody has needed it for a while; it stays where a
// descriptor is to be told of at all times (keep()).
//
// "Arm, then look again": after arm() the caller looks once more; what became ready before may have given no sign.
//
// Context: open(), close() app; prepare() app; add(), change(), remove(), look(), arm(), disarm() any, by whoever owns
// the engine: one at a time. Nothing is allocated after open().
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "react/method.hpp"
#include "react/socket_signals.hpp"
#include "react/tenure.hpp"

namespace vif::react {

// What runs when a descriptor is ready: in the helper thread. With `interrupt` it is the bell's handler that runs.
struct Duty {
  void (*run)(void* self) noexcept = nullptr;
  void* self = nullptr;
};

struct WatcherLimits {
  int signal = 0;                 // of the bell; 0: no interrupts
  int signalled = 64;             // descriptors for which signals are asked; with more of them, not at all
  int64_t idle_ns = 500'000'000;  // a helper that nobody has wanted for so long ends
};

class Watcher {
 public:
  struct Ready {
    uint64_t tag;
    uint32_t events;  // EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR
  };

  Watcher() = default;
  ~Watcher() { close(); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // False with a sentence in `error`.
  bool open(const Duty& duty, const WatcherLimits& limits, std::string& error);
  // When it returns, the duty does not run and will not. In a forked child: only the memory is given back.
  void close() noexcept;
  bool is_open() const noexcept { return inner_ >= 0; }

  // What is ready at this descriptor (often an epoll set of its own) is told to the helper whatever is armed. One, and
  // before prepare(): the helper that this one starts stays until close().
  bool keep(int descriptor) noexcept;
  // Where there is no helper for it: a descriptor that gives signals while those are armed, and is not in look().
  void attend(int descriptor) noexcept { signals_.add(descriptor); }
  void neglect(int descriptor) noexcept { signals_.remove(descriptor); }
  // To be waited for beside others: readable when one of those watched is ready.
  int descriptor() const noexcept { return inner_; }

  // events: EPOLLIN | EPOLLOUT, level-triggered; 0: watched for errors alone. False: errno says why.
  bool add(int descriptor, uint32_t events, uint64_t tag) noexcept;
  bool change(int descriptor, uint32_t events, uint64_t tag) noexcept;
  // Before the descriptor is closed.
  void remove(int descriptor) noexcept;
  int count() const noexcept { return count_; }

  // What is ready now; 0: nothing. Never blocks.
  int look(Ready* ready, int capacity) noexcept;

  // Starts the helper if there is none: a handler cannot. False: none can be had now.
  bool prepare() noexcept;
  // The next event is told by `wish`, or where that cannot be had by the other one, or not at all: what was armed is
  // returned (exported, interrupt, or look). thread: who is interrupted.
  Method arm(Method wish, int32_t thread) noexcept;
  // The owner looks by itself again. An event that was under way may still be told.
  void disarm() noexcept;
  Method armed() const noexcept { return armed_; }
  // Why the last arm() did not do what was wished; nullptr: it did.
  const char* why_not() const noexcept { return why_not_; }

  struct Counters {
    uint64_t helpers_started = 0;
    uint64_t helpers_refused = 0;
    uint64_t fell_back = 0;                  // arms that could not do what was wished
    std::atomic<uint64_t> exported_runs{0};  // of the duty, by the helper
  };
  const Counters& counters() const noexcept { return counters_; }
  bool helper_is_present() const noexcept { return tenure_.is_present(); }

 private:
  bool arm_export() noexcept;
  void let_go() noexcept;
  bool start_helper() noexcept;
  void serve() noexcept;
  void wake() noexcept;

  Duty duty_;
  WatcherLimits limits_;
  SocketSignals signals_;
  int inner_ = -1;  // epoll: the descriptors
  int outer_ = -1;  // epoll: inner_, one-shot, and stop_
  int stop_ = -1;   // eventfd
  int kept_ = -1;   // in outer_, one-shot; the helper asks for it again. Written before the helper is made
  int count_ = 0;
  int process_ = 0;  // that opened it
  Method armed_ = Method::look;
  const char* why_not_ = nullptr;
  Counters counters_;

  Tenure<> tenure_;
  std::mutex starting_;  // app context alone
  std::thread helper_;
  std::atomic<bool> stopping_{false};
};

}  // namespace vif::react
