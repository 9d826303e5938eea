// A thread that does nothing, often: it makes the kernel choose again who has the CPU.
//
// A thread that waits for messages, sleeps and is woken many times pays for each bit of CPU time that it used: under
// EEVDF (Linux 6.6 and later) it is put on a CPU at once only while it has used no more than its share since it last
// had to stand back. When it has used more by some microseconds, it is right again some microseconds later; but as long
// as threads compute on that CPU, nothing makes the kernel look before the next tick, up to 4 ms later (measured: 1 in
// 200 wake-ups beside one computing thread). This thread, which uses next to nothing and so always has its share, wakes
// up every 1.7 milliseconds while its subject waits: it takes the CPU, leaves it, and with that the kernel chooses
// again, and finds the subject. It does so on one CPU; with a process for each CPU, all are seen to.
//
// It costs less than 1 % of a CPU while it works. It works only while its subject waits beside threads that compute,
// and for a little while after that; then it sleeps, and later it ends.
//
// Context: keep() and stop() app, by the thread that waits. The callback: the nudging thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "bell/posture.hpp"
#include "react/tenure.hpp"

namespace vif::react {

class Nudger {
 public:
  // Says whether the subject was woken and does not run yet: counted.
  struct Subject {
    bool (*is_stuck)(void* self) noexcept = nullptr;
    void* self = nullptr;
  };

  explicit Nudger(const Subject& subject) : subject_(subject) {}
  ~Nudger() { stop(); }
  Nudger(const Nudger&) = delete;
  Nudger& operator=(const Nudger&) = delete;

  // The subject is about to sleep beside threads that compute, and will wake up on `cpu`, as far as one can tell. Never
  // fails: without a thread to be had there are no nudges.
  void keep(int64_t now_ns, int cpu) noexcept;
  // When it returns the callback does not run and will not. Not in a forked child, where the thread is not: abandon().
  void stop() noexcept;
  void abandon() noexcept;

  bool is_present() const noexcept { return tenure_.is_present(); }
  uint64_t nudges() const noexcept { return nudges_.load(std::memory_order_relaxed); }
  uint64_t stuck() const noexcept { return stuck_.load(std::memory_order_relaxed); }

 private:
  void start() noexcept;
  void work() noexcept;
  bool rest() noexcept;
  void follow() noexcept;

  Subject subject_;
  bell::PostureWord<> posture_;              // of the nudging thread, who sleeps on it when it is not wanted
  std::atomic<int64_t> wanted_until_ns_{0};  // written by the subject
  std::atomic<int> cpu_{-1};                 // the same
  std::atomic<uint32_t> never_{0};           // nobody wakes it: a word to sleep on for a period
  std::atomic<uint64_t> nudges_{0}, stuck_{0};
  Tenure<> tenure_;
  std::mutex starting_;
  std::thread helper_;
  int bound_ = -1;          // the nudging thread's
  int64_t refused_ns_ = 0;  // the last time that no thread was to be had
  std::atomic<bool> stopping_{false};
};

}  // namespace vif::react
