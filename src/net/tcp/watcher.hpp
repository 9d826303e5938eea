// The thread that sees to it that the engine runs when something comes over the network while the application's thread
// computes or sleeps: it is blocked in epoll and calls back. This is the `export` of the reaction to sockets.
//
// Two sets of descriptors: `doors` (listening, greeting) are always watched, because a peer that connects must not wait
// for the application; `traffic` (connections) is watched from arm() to disarm(). Both are watched once per event
// (EPOLLONESHOT on the sets themselves), so a thread that looks by itself costs at most one useless wake-up.
// Context: app, except where said; the call-back runs in the context "helper".
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

namespace vif::net::tcp {

class Watcher {
 public:
  Watcher() = default;
  ~Watcher() { stop(); }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // False with a sentence in `error`.
  bool start(int doors, int traffic, void (*wake)(void*), void* argument, std::string& error);
  void stop() noexcept;
  void abandon() noexcept;  // in a forked child: the thread is not here

  void arm() noexcept;
  void disarm() noexcept;
  // Any context. Whether the call-back is to come now and then even when nothing does: there are deadlines.
  void tick(bool wanted) noexcept;
  bool ticks() const noexcept { return ticking_.load(std::memory_order_relaxed); }

 private:
  void loop() noexcept;
  void watch(int set, bool on) noexcept;
  void want_traffic(bool wanted) noexcept;

  int set_ = -1, bell_ = -1, doors_ = -1, traffic_ = -1;
  void (*wake_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::mutex mutex_;     // guards the next two, and what the kernel knows of them
  bool wanted_ = false;  // arm() came last
  bool armed_ = false;   // the kernel watches
  std::atomic<bool> ticking_{false};
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace vif::net::tcp
