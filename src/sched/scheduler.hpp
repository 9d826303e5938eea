// Scheduler: the cores of one runtime, their threads, and the life of both.
//
// States: running -> stopping (what is queued still runs, and what that posts; nothing from outside is taken) -> ended;
//         running or stopping -> ended directly, by stop_now(): what is queued is destroyed.
// join() makes the last step of a graceful stop, when no event is left anywhere (tally.hpp).
// A forked child has no cores: there the state is `ended` from the start. Context: app, except what says core.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <pthread.h>

#include "sched/core.hpp"

namespace vif::sched {

// Colours with this bit are given out by new_colour(), and belong to the cores in turn; the others by a hash.
inline constexpr ColourId given_out = ColourId{1} << 63;

class Scheduler {
 public:
  using OnException = std::function<void(std::exception_ptr, ColourId)>;

  // Starts the threads. Throws std::system_error when there can be none; complete() has accepted the settings.
  // on_exception: called with what a handler threw, instead of stopping. user: for user(). on_stall: told of handlers
  // that run for longer than the settings allow.
  explicit Scheduler(const Settings& settings, OnException on_exception = nullptr, void* user = nullptr,
                     std::function<void(const Stall&)> on_stall = nullptr);
  // Stops gracefully when nobody has stopped it.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  const Settings& settings() const noexcept { return settings_; }
  uint16_t cores() const noexcept { return static_cast<uint16_t>(cores_.size()); }
  Core& core(std::size_t index) const noexcept { return *cores_[index]; }
  uint16_t core_of(ColourId colour) const noexcept {
    const uint64_t count = cores_.size();
    if ((colour & given_out) != 0) return static_cast<uint16_t>((colour & ~given_out) % count);
    return static_cast<uint16_t>(((mix(colour) >> 32) * count) >> 32);
  }
  ColourId new_colour() noexcept { return given_out | next_colour_.fetch_add(1, std::memory_order_relaxed); }

  // Any thread, a handler of an event too. The event comes from allocate() on the same thread. False: the scheduler has
  // stopped; the event has been destroyed. Throws std::bad_alloc, with the event destroyed.
  Event* allocate(std::size_t size, ColourId colour);
  void abandon(Event* event) noexcept;
  bool post(Event* event);
  // An urgent event of one core.
  bool post_to(uint16_t core, Event* event);
  // Takes effect in order with the posts of the calling thread. Throws std::bad_alloc.
  void set_priority(ColourId colour, uint8_t priority);
  void* user() const noexcept { return user_; }

  // The watch comes from Watch::make(), filled in; its first use is handed over, even when this throws
  // (std::system_error, std::bad_alloc). False: the scheduler has stopped, and the watch will never fire.
  bool start(Watch& watch);
  // The guarantee of WatchState::cancel(). Throws nothing: without memory the watch is kept until it fires once more.
  // The scheduler of the watch may be gone, if it has ended.
  static WatchState<>::Cancel cancel(Watch& watch) noexcept;

  void stop() noexcept;
  void stop_now() noexcept;
  // Waits until all cores have ended. Once; nobody's handler may call it.
  void join() noexcept;
  // What the first handler that threw threw, once.
  std::exception_ptr take_exception() noexcept;
  // Waits until no event is queued or running.
  void wait_idle() noexcept;
  bool stopping() const noexcept { return state_.load(std::memory_order_relaxed) != running; }

  // Core context.
  bool ended() const noexcept { return state_.load(std::memory_order_relaxed) == ended_state; }
  void handler_threw(ColourId colour) noexcept;
  void core_is_idle() noexcept;

 private:
  static constexpr uint32_t running = 0, stopping_state = 1, ended_state = 2;

  void make_cores();
  void start_threads();
  void watch_for_stalls(std::function<void(const Stall&)> on_stall);
  void release_cores() noexcept;
  // True: this call has made the step.
  bool advance(uint32_t state) noexcept;
  bool quiet() noexcept;
  static void in_forked_child() noexcept;

  Settings settings_;
  OnException on_exception_;
  void* user_;
  std::vector<Core*> cores_;
  std::vector<memory::PlaceNumber> places_;  // of the cores
  std::vector<CoreLine*> lines_;
  std::byte* memory_ = nullptr;  // of cores and lines
  std::vector<pthread_t> threads_;
  std::vector<Tally<>*> tallies_;
  std::unique_ptr<StallDetector> stalls_;
  Tally<> outside_;  // of threads that are no cores; always idle
  bool joined_ = false;
  bool forked_ = false;
  std::mutex exception_lock_;
  std::exception_ptr exception_;
  std::atomic<ColourId> next_colour_{0};
  Watchers<> watchers_;
  alignas(64) std::atomic<uint32_t> state_{running};
};

}  // namespace vif::sched
