// Coloured events: callables that run on the cores of a runtime, each to its end.
//
//   vif::Runtime runtime;                                   // a core (a kernel thread) for each CPU that may be used
//   runtime.post(7, [] { std::puts("seven"); });            // 7 is the colour
//   runtime.stop();                                         // what is queued still runs, and what that posts
//   runtime.run();                                          // returns when all has run
//
// What is promised
// - Two events of one colour never run at once.
// - Order: what one thread, the handlers of one colour, the handlers that run on one core, or one coroutine post to a
//   colour runs in the order of the posts. Between different posters there is no order, even where one has posted
//   because of the other: a core may hold events for another core back for a moment, to hand several over at once.
//   Runtime::flush() hands them over: what anybody posts after it comes later. With RuntimeOptions::batch = 1 nothing
//   is held back, and an event always comes after those whose posting was the cause of its own.
// - post_front() puts an event before those of the colour that wait.
// - Shared events (post_shared) of a colour run beside each other, never beside an exclusive one, and in order with
//   them.
// - Events of colours that belong to different cores run at the same time. A colour always belongs to the same core.
// - An event that was posted runs exactly once, unless the runtime is stopped by stop_now() or by an exception: then it
//   is destroyed without being run.
// - A handler is not preempted by another one of its core: it should not block. If it does, only its core waits.
//
// Threads: every function may be called from any thread and from handlers, unless it says otherwise. Not from signal
// handlers. A callable of up to 96 bytes is stored in the event itself; a larger one costs an allocation.
//
// Exceptions: what a handler throws stops the runtime at once, and run() throws it again; RuntimeOptions::on_exception
// may decide otherwise. fork(): the child has no cores. Posting there is refused, run() returns at once, and the
// runtime may only be destroyed; a handler that forks must not return in the child. A child may make runtimes of its
// own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#define VIF_PUBLIC __attribute__((visibility("default")))

namespace vif {

// Any number. Zero is the colour of those who do not care.
using Colour = std::uint64_t;

namespace sched {
class Scheduler;
struct Watch;
}  // namespace sched

// A handler that has held its core for longer than RuntimeOptions::stall_limit, and still does.
struct StallReport {
  int core;
  Colour colour;
  std::chrono::nanoseconds lasts;  // so far
  std::string handler;             // where its code is: a name where there is one, else the file and the offset
  std::vector<std::string> stack;  // of the core's thread, innermost first; empty when it could not be had
  std::string text;                // all of it, for people
};

// What is left at its default can be set by the environment (`vif info --options`), and what is set too: the user of a
// program has the last word.
struct RuntimeOptions {
  // Cores; 0: one for each CPU that the affinity mask and the control group allow.
  int cores = 0;
  // Bind each core to a CPU of its own, when there are as many CPUs as cores.
  bool bind = true;

  // Called on the core, with the exception and the colour, instead of stopping the runtime. It must not throw.
  std::function<void(std::exception_ptr, Colour)> on_exception = {};

  // Handlers that run for longer are reported, once each; zero: none. The report is printed to standard error, or given
  // to on_stall, on a thread of its own. A real-time signal, the highest that nobody handles, then fetches the stack
  // from the core's thread. VIF_STALL_MS sets the limit from outside.
  std::chrono::nanoseconds stall_limit{0};
  std::function<void(const StallReport&)> on_stall = {};

  // How long a colour may run before others that are ready have their turn, in nanoseconds. A turn is at least one
  // event.
  std::int64_t turn_ns = 20'000;

  // Cores without work take whole colours from cores that have much, where that pays. Colours then run where there is
  // time, still one event at a time and in order; core_of() says where a colour is at home. Posting costs a little
  // more.
  bool steal = false;

  // The parts that can be exchanged, to measure what each gains. The source's baseline is {padding: false, memory:
  // library, wait: sleep, batch: 1, queue: lock, wake: pipe}.
  enum class Wait : std::uint8_t { learnt, fixed, sleep, spin };
  enum class Memory : std::uint8_t { ema, library };
  enum class Queue : std::uint8_t { inbox, lock };
  enum class Wake : std::uint8_t { futex, pipe };
  // The data of each core on cache lines of its own.
  bool padding = true;
  // Events in memory of the core that will run them, or in the C library's.
  Memory memory = Memory::ema;
  // How a core without events waits. learnt: it looks where that would have been cheaper lately than to sleep: for what
  // comes sooner than a wake-up takes, and where it works for a third of its time or more, within 24 wake-ups; else it
  // sleeps at once. fixed: for wait_threshold_ns if its last sleep was shorter than that, as the source does. sleep: it
  // sleeps at once. spin: it never sleeps.
  Wait wait = Wait::learnt;
  std::int64_t wait_threshold_ns = 0;  // of Wait::fixed; 0: ten times the cost of a wake-up, as measured
  // How many events for another core are handed over at once; 0: learnt.
  std::uint32_t batch = 0;
  // How descriptors are watched; automatic: as `vif info --machine` says. io_uring where the system refuses it is an
  // error of the constructor.
  enum class Poll : std::uint8_t { automatic, epoll, io_uring };
  Poll poll = Poll::automatic;
  Queue queue = Queue::inbox;
  Wake wake = Wake::futex;
};

// A timer, a descriptor or a signal that is watched. It goes on without the handle; handles are cheap to copy.
class VIF_PUBLIC Watch {
 public:
  // prevented: no run of the function is under way, and none will begin. under_way: one is (perhaps the caller itself),
  // and none will begin after it. too_late: it was cancelled before, or was to run once and has.
  enum class Cancelled : std::uint8_t { prevented, under_way, too_late };

  Watch() noexcept = default;
  Watch(const Watch& other) noexcept;
  Watch(Watch&& other) noexcept : body_(std::exchange(other.body_, nullptr)) {}
  Watch& operator=(Watch other) noexcept {
    std::swap(body_, other.body_);
    return *this;
  }
  ~Watch();

  // The function is destroyed on the core of its colour, soon, or when the run that is under way has ended. A handle
  // may outlive its runtime, with which all watches end: too_late. Not while the runtime is being destroyed.
  Cancelled cancel() noexcept;
  // It may still run.
  bool active() const noexcept;

  explicit Watch(sched::Watch* body) noexcept;  // for the library

 private:
  sched::Watch* body_ = nullptr;
};

namespace detail {

enum class Source : std::uint8_t { timer, readable, writable, signal };

struct WatchRequest {
  Colour colour;
  Source source;
  int number;              // descriptor or signal
  std::int64_t at_ns;      // timer: CLOCK_MONOTONIC
  std::int64_t period_ns;  // timer; 0: it fires once
};

// watch: run the callable; nullptr: destroy it.
using Notify = void (*)(void* callable, sched::Watch* watch);

// A place for a callable of `size` bytes, aligned to 16; then exactly one of start_watch() and abandon_watch().
VIF_PUBLIC void* make_watch(const WatchRequest& request, Notify notify, std::size_t size);
VIF_PUBLIC Watch start_watch(sched::Scheduler& scheduler, void* callable);
VIF_PUBLIC void abandon_watch(void* callable) noexcept;

template <class Callable>
void notify_callable(void* place, sched::Watch* body) {
  auto& callable = *static_cast<Callable*>(place);
  if (body == nullptr) {
    callable.~Callable();
  } else if constexpr (std::is_invocable_v<Callable&, Watch&>) {
    Watch watch(body);
    callable(watch);
  } else {
    callable();
  }
}

template <class Function>
Watch watch(sched::Scheduler& scheduler, const WatchRequest& request, Function&& function) {
  using Callable = std::decay_t<Function>;
  static_assert(std::is_invocable_v<Callable&, Watch&> || std::is_invocable_v<Callable&>,
                "a watch runs a callable without arguments, or with a Watch&");
  static_assert(alignof(Callable) <= 16, "put what needs a larger alignment behind a pointer");
  void* place = make_watch(request, &notify_callable<Callable>, sizeof(Callable));
  try {
    new (place) Callable(std::forward<Function>(function));
  } catch (...) {
    abandon_watch(place);
    throw;
  }
  return start_watch(scheduler, place);
}

// A delay that no clock can hold never ends.
inline std::chrono::steady_clock::time_point later(std::chrono::nanoseconds delay) noexcept {
  const auto now = std::chrono::steady_clock::now();
  const auto last = std::chrono::steady_clock::time_point::max();
  return delay < last - now ? now + delay : last;
}

enum class Posting : std::uint8_t { back, front, shared };

// Runs the callable and destroys it, or destroys it alone.
using Invoke = void (*)(void* callable, bool run);

// A place for a callable of `size` bytes, aligned to 16; then exactly one of submit() and abandon().
VIF_PUBLIC void* make_event(sched::Scheduler& scheduler, Colour colour, Posting posting, Invoke invoke,
                            std::size_t size);
VIF_PUBLIC bool submit(sched::Scheduler& scheduler, void* callable);
VIF_PUBLIC void abandon(sched::Scheduler& scheduler, void* callable) noexcept;

template <class Callable>
void invoke_callable(void* place, bool run) {
  struct Destroyed {
    Callable& callable;
    ~Destroyed() { callable.~Callable(); }
  };
  const Destroyed destroyed{*static_cast<Callable*>(place)};
  if (run) destroyed.callable();
}

template <class Function>
bool post(sched::Scheduler& scheduler, Colour colour, Posting posting, Function&& function) {
  using Callable = std::decay_t<Function>;
  static_assert(std::is_invocable_v<Callable&>, "an event is a callable without arguments");
  if constexpr (alignof(Callable) > 16) {
    auto boxed = std::make_unique<Callable>(std::forward<Function>(function));
    return post(scheduler, colour, posting, [boxed = std::move(boxed)] { (*boxed)(); });
  } else {
    void* place = make_event(scheduler, colour, posting, &invoke_callable<Callable>, sizeof(Callable));
    if constexpr (std::is_nothrow_constructible_v<Callable, Function&&>) {
      new (place) Callable(std::forward<Function>(function));
    } else {
      try {
        new (place) Callable(std::forward<Function>(function));
      } catch (...) {
        abandon(scheduler, place);
        throw;
      }
    }
    return submit(scheduler, place);
  }
}

}  // namespace detail

class VIF_PUBLIC Runtime {
 public:
  // Starts the cores. Throws std::invalid_argument when the options, or the environment, ask for what cannot be, and
  // std::system_error when the system gives no threads; both say what to do.
  explicit Runtime(const RuntimeOptions& options = {});
  // As stop() and run(), if that has not been done. An exception of a handler that run() has not thrown is printed.
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Posts an event: `function()` will run. False: the runtime has been stopped, and the function was destroyed;
  // handlers may post until the last one has returned. Throws std::bad_alloc, and what copying the function throws.
  template <class Function>
  bool post(Colour colour, Function&& function) {
    return detail::post(*scheduler_, colour, detail::Posting::back, std::forward<Function>(function));
  }
  // The same, before the events of the colour that have not begun.
  template <class Function>
  bool post_front(Colour colour, Function&& function) {
    return detail::post(*scheduler_, colour, detail::Posting::front, std::forward<Function>(function));
  }
  // An event that only reads what the colour protects. The cores run those of a colour in turn.
  template <class Function>
  bool post_shared(Colour colour, Function&& function) {
    return detail::post(*scheduler_, colour, detail::Posting::shared, std::forward<Function>(function));
  }

  // Hands over what the handlers of this core have posted and the core still holds back. For a handler that tells
  // others by memory or a descriptor that it has posted, or that posts and then computes for long. Elsewhere: does
  // nothing.
  static void flush() noexcept;
  // The same, but for what is held for the core of `colour`: for who goes on there.
  static void flush_others(Runtime& runtime, Colour colour) noexcept;

  // Timers, descriptors and signals: when one fires, an event of the colour runs the function, which may take a Watch&
  // to cancel itself. What fires again while that event waits or runs is one more run after it at most; a timer that
  // repeats keeps its rhythm and leaves out what it has missed. After stop() nothing fires any more. They throw
  // std::system_error, and std::bad_alloc.
  template <class Function>
  Watch at(std::chrono::steady_clock::time_point time, Colour colour, Function&& function) {
    return timer(colour, time, std::chrono::nanoseconds::zero(), std::forward<Function>(function));
  }
  template <class Function>
  Watch after(std::chrono::nanoseconds delay, Colour colour, Function&& function) {
    return timer(colour, detail::later(delay), std::chrono::nanoseconds::zero(), std::forward<Function>(function));
  }
  // First after one period. A period is at least a nanosecond.
  template <class Function>
  Watch every(std::chrono::nanoseconds period, Colour colour, Function&& function) {
    if (period < std::chrono::nanoseconds(1)) period = std::chrono::nanoseconds(1);
    return timer(colour, detail::later(period), period, std::forward<Function>(function));
  }
  // Again and again while the descriptor is readable (writable), or in error, or at its end. Cancel before closing it.
  template <class Function>
  Watch on_readable(int descriptor, Colour colour, Function&& function) {
    return detail::watch(*scheduler_, {colour, detail::Source::readable, descriptor, 0, 0},
                         std::forward<Function>(function));
  }
  template <class Function>
  Watch on_writable(int descriptor, Colour colour, Function&& function) {
    return detail::watch(*scheduler_, {colour, detail::Source::writable, descriptor, 0, 0},
                         std::forward<Function>(function));
  }
  // From the return on, the signal is the runtime's: its disposition of before comes back with the last watch of it.
  // Signals that arrive before the function runs are one run. The cores themselves block all but real-time signals and
  // those of faults, so that events are not interrupted: another thread must leave the signal unblocked.
  template <class Function>
  Watch on_signal(int signal, Colour colour, Function&& function) {
    return detail::watch(*scheduler_, {colour, detail::Source::signal, signal, 0, 0}, std::forward<Function>(function));
  }

  // 0 (as all colours are) to 20: a colour of priority p has p + 1 turns on its core for each turn of one of priority
  // 0.
  void set_priority(Colour colour, int priority);

  // Graceful: nothing is taken from outside any more; what is queued runs, and what it posts. Returns at once.
  void stop() noexcept;
  // Each core ends after the handler that it runs; events that wait are destroyed. Returns at once.
  void stop_now() noexcept;
  // Waits until the runtime has stopped; throws what a handler threw. Once, from one thread that is no core; a handler
  // of the runtime gets std::logic_error.
  void run();
  // Waits until no event is queued or running anywhere. From a thread that is no core; else as run().
  void wait_idle();
  // After stop() or stop_now(): for handlers that post themselves again and again.
  bool stopping() const noexcept;

  int cores() const noexcept;
  int core_of(Colour colour) const noexcept;
  // For vif::memory::allocate_for(): where an object lies best that events of this colour will use and release.
  std::uint16_t place_of(Colour colour) const noexcept;
  // A colour that nobody else has; such colours belong to the cores in turn.
  Colour new_colour() noexcept;

  // Inside a handler: its runtime, core and colour. Elsewhere: nullptr, -1, 0.
  static Runtime* current() noexcept;
  static int current_core() noexcept;
  static Colour current_colour() noexcept;

 private:
  template <class Function>
  Watch timer(Colour colour, std::chrono::steady_clock::time_point at, std::chrono::nanoseconds period,
              Function&& function) {
    const auto at_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
    return detail::watch(*scheduler_, {colour, detail::Source::timer, -1, at_ns, period.count()},
                         std::forward<Function>(function));
  }

  std::unique_ptr<sched::Scheduler> scheduler_;
};

// A colour with its runtime, to hand around: posts to it are serial. Cheap to copy; the runtime must outlive its use.
class Strand {
 public:
  // With a colour of its own.
  explicit Strand(Runtime& runtime) noexcept : Strand(runtime, runtime.new_colour()) {}
  Strand(Runtime& runtime, Colour colour) noexcept : runtime_(&runtime), colour_(colour) {}

  template <class Function>
  bool post(Function&& function) const {
    return runtime_->post(colour_, std::forward<Function>(function));
  }
  template <class Function>
  bool post_front(Function&& function) const {
    return runtime_->post_front(colour_, std::forward<Function>(function));
  }
  template <class Function>
  bool post_shared(Function&& function) const {
    return runtime_->post_shared(colour_, std::forward<Function>(function));
  }
  // Runs it now when the caller is an event of this strand, else posts it.
  template <class Function>
  bool dispatch(Function&& function) const {
    if (running_here()) {
      std::forward<Function>(function)();
      return true;
    }
    return post(std::forward<Function>(function));
  }

  bool running_here() const noexcept { return Runtime::current() == runtime_ && Runtime::current_colour() == colour_; }
  Runtime& runtime() const noexcept { return *runtime_; }
  Colour colour() const noexcept { return colour_; }
  friend bool operator==(const Strand&, const Strand&) = default;

 private:
  Runtime* runtime_;
  Colour colour_;
};

}  // namespace vif
