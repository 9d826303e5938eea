// The atomics that lock-free code is written against.
//
// Every lock-free structure and every arm/look-again pair of this project is a template over an "atoms" policy, so that
// one body runs on the machine's atomics (RealAtoms, here) and under the deterministic scheduler of tests/model.
// A policy offers:
//   Atomic<T>        load, store, exchange, fetch_add, fetch_sub, fetch_or, fetch_and, compare_exchange_strong
//   Plain<T>         a variable for one context at a time; the scheduler finds unordered accesses to it
//   fence()          a full (sequentially consistent) fence
//   wait(word, expected, timeout)
//                    sleep while word == expected; returns on wake, on time-out (ns, < 0: none) or spuriously
//   wake(word, n)    wake at most n sleepers on word
//   pause()          one step of a spinning loop
// RealAtoms words may live in memory shared between processes.
// Context: everything but wait() is safe in a handler.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vif::base {

struct RealAtoms {
  template <class T>
  using Atomic = std::atomic<T>;
  template <class T>
  using Plain = T;

  static void fence() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

  static void pause() noexcept { __builtin_ia32_pause(); }

  static void wait(std::atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns) noexcept {
    timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
    syscall(SYS_futex, &word, FUTEX_WAIT, expected, timeout_ns < 0 ? nullptr : &limit, nullptr, 0);
  }

  static void wake(std::atomic<uint32_t>& word, int count) noexcept {
    syscall(SYS_futex, &word, FUTEX_WAKE, count, nullptr, nullptr, 0);
  }
};

}  // namespace vif::base
