// Coroutines on coloured events.
//
//   vif::Task<> serve(vif::Runtime& runtime, int socket) {
//     for (;;) {
//       co_await vif::readable(socket);                       // in the colour that it runs in
//       ...
//       co_await vif::sleep_for(std::chrono::milliseconds(5));
//       co_await vif::switch_to(runtime, other_colour);       // goes on as an event of that colour
//     }
//   }
//   vif::start(runtime, colour, serve(runtime, socket));
//
// Between two co_awaits a coroutine is one event of its colour, with all that event.hpp promises. A Task begins when it
// is awaited, or started; it runs where its awaiter ran, and its awaiter goes on where it ended. When the runtime
// stops, coroutines that wait are destroyed, from the outermost inwards, as if each co_await had left by a return.
// Context: handlers, except start().
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include <vif/event.hpp>

namespace vif {

template <class Result = void>
class Task;

namespace detail {

// What every promise has: whom to go on with at the end, and the outermost coroutine, which owns all others.
struct PromiseBase {
  std::coroutine_handle<> awaiter = nullptr;
  std::coroutine_handle<> outermost = nullptr;

  struct AtEnd {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      const std::coroutine_handle<> awaiter = ended.promise().awaiter;
      return awaiter != nullptr ? awaiter : std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };
  std::suspend_always initial_suspend() const noexcept { return {}; }
  AtEnd final_suspend() const noexcept { return {}; }
};

template <class Result>
struct Promise : PromiseBase {
  std::optional<Result> result;
  std::exception_ptr exception;

  Task<Result> get_return_object() noexcept;
  void unhandled_exception() noexcept { exception = std::current_exception(); }
  template <class Value>
  void return_value(Value&& value) {
    result.emplace(std::forward<Value>(value));
  }
  Result take() {
    if (exception) std::rethrow_exception(exception);
    return std::move(*result);
  }
};

template <>
struct Promise<void> : PromiseBase {
  std::exception_ptr exception;

  Task<void> get_return_object() noexcept;
  void unhandled_exception() noexcept { exception = std::current_exception(); }
  void return_void() const noexcept {}
  void take() const {
    if (exception) std::rethrow_exception(exception);
  }
};

// A callable that resumes a coroutine, or destroys all that it belongs to when the runtime ends before.
class Resumption {
 public:
  // Whether the coroutine has been handed over. Where the handing over can fail when the callable is already with the
  // library, it says so here: the callable, destroyed meanwhile, then leaves the coroutine to who hands it over.
  enum class Hold : std::uint8_t { handing, handed, dropped };

  template <class Promise>
  explicit Resumption(std::coroutine_handle<Promise> waits, std::atomic<Hold>* hold = nullptr) noexcept
      : waits_(waits), outermost_(waits.promise().outermost), hold_(hold) {
    static_assert(std::is_base_of_v<PromiseBase, Promise>, "only coroutines that return a vif::Task can await this");
  }
  Resumption(Resumption&& other) noexcept
      : waits_(other.waits_), outermost_(std::exchange(other.outermost_, nullptr)), hold_(other.hold_) {}
  Resumption& operator=(Resumption&&) = delete;
  ~Resumption() {
    if (outermost_ == nullptr) return;
    if (hold_ != nullptr && hold_->exchange(Hold::dropped, std::memory_order_acq_rel) == Hold::handing) return;
    outermost_.destroy();
  }

  void operator()() {
    const std::coroutine_handle<> outermost = release();
    try {
      waits_.resume();
    } catch (...) {
      // Only from the outermost coroutine, which is at its end with that.
      outermost.destroy();
      throw;
    }
  }
  std::coroutine_handle<> release() noexcept { return std::exchange(outermost_, nullptr); }

 private:
  std::coroutine_handle<> waits_;
  std::coroutine_handle<> outermost_;
  std::atomic<Hold>* hold_;
};

// A coroutine that nobody awaits: it destroys itself at its end. What it throws comes out of the event that runs it.
struct Detached {
  struct promise_type : PromiseBase {
    Detached get_return_object() noexcept {
      const auto self = std::coroutine_handle<promise_type>::from_promise(*this);
      outermost = self;
      return {self};
    }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    // It leaves the coroutine by resume(), and so the handler: with that the coroutine is at its end.
    void unhandled_exception() { throw; }
  };
  std::coroutine_handle<promise_type> self;
};

}  // namespace detail

// A piece of work that is done when somebody awaits it. Move-only; awaited once.
template <class Result>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<Result>;

  explicit Task(std::coroutine_handle<promise_type> self) noexcept : self_(self) {}
  Task(Task&& other) noexcept : self_(std::exchange(other.self_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(self_, other.self_);
    return *this;
  }
  ~Task() {
    if (self_ != nullptr) self_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> awaiter) noexcept {
    self_.promise().awaiter = awaiter;
    self_.promise().outermost = awaiter.promise().outermost;
    return self_;
  }
  // What the coroutine returned, or threw.
  Result await_resume() { return self_.promise().take(); }

 private:
  std::coroutine_handle<promise_type> self_;
};

namespace detail {

template <class Result>
Task<Result> Promise<Result>::get_return_object() noexcept {
  return Task<Result>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

inline Detached run_detached(Task<void> task) { co_await std::move(task); }

struct Switch {
  Runtime& runtime;
  Colour colour;
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waits) const {
    Resumption resumption(waits);
    try {
      // What the coroutine has posted so far comes before what it posts from there.
      Runtime::flush_others(runtime, colour);
      // It may be running elsewhere, or be destroyed (the runtime has stopped), before this returns.
      runtime.post(colour, std::move(resumption));
    } catch (...) {
      resumption.release();  // no memory: the exception goes into the coroutine
      throw;
    }
  }
  void await_resume() const noexcept {}
};

// Waits for a watch of its own colour: the coroutine cannot run before await_suspend() has returned.
struct WatchAwaiter {
  using Hold = Resumption::Hold;

  std::atomic<Hold> hold{Hold::handing};

  bool await_ready() const noexcept { return false; }
  void await_resume() const noexcept {}

  // start(resumption): starts the watch. What it throws goes into the coroutine.
  template <class Promise, class Start>
  void wait(std::coroutine_handle<Promise> waits, Start start) {
    hold.store(Hold::handing, std::memory_order_relaxed);
    const std::coroutine_handle<> outermost = waits.promise().outermost;
    start(Resumption(waits, &hold));
    // Dropped: the runtime has stopped, and nobody else destroys the coroutine.
    if (hold.exchange(Hold::handed, std::memory_order_acq_rel) == Hold::dropped) outermost.destroy();
  }
};

struct Sleep : WatchAwaiter {
  explicit Sleep(std::chrono::steady_clock::time_point time) noexcept : until(time) {}
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waits) {
    wait(waits, [this](Resumption resumption) {
      Runtime::current()->at(until, Runtime::current_colour(), std::move(resumption));
    });
  }
  std::chrono::steady_clock::time_point until;
};

struct Descriptor : WatchAwaiter {
  Descriptor(int watched, bool write) noexcept : descriptor(watched), writing(write) {}
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waits) {
    wait(waits, [this](Resumption resumption) {
      Runtime& runtime = *Runtime::current();
      auto once = [resumption = std::move(resumption)](Watch& watch) mutable {
        watch.cancel();
        resumption();
      };
      if (writing) {
        runtime.on_writable(descriptor, Runtime::current_colour(), std::move(once));
      } else {
        runtime.on_readable(descriptor, Runtime::current_colour(), std::move(once));
      }
    });
  }
  int descriptor;
  bool writing;
};

}  // namespace detail

// Starts a coroutine as an event of the colour. False: the runtime has stopped, and the coroutine has been destroyed.
// What it throws is an exception of that event. Any thread.
inline bool start(Runtime& runtime, Colour colour, Task<void> task) {
  const detail::Detached detached = detail::run_detached(std::move(task));
  return runtime.post(colour, detail::Resumption(detached.self));
}

// Goes on as an event of that colour, behind those that wait there. Of the same colour: lets others have their turn.
inline detail::Switch switch_to(Runtime& runtime, Colour colour) noexcept { return {runtime, colour}; }
inline detail::Switch switch_to(const Strand& strand) noexcept { return {strand.runtime(), strand.colour()}; }

// Goes on in the same colour, later. They throw std::system_error for what cannot be watched.
inline detail::Sleep sleep_until(std::chrono::steady_clock::time_point time) noexcept { return detail::Sleep(time); }
inline detail::Sleep sleep_for(std::chrono::nanoseconds delay) noexcept { return detail::Sleep(detail::later(delay)); }
// Goes on when the descriptor is readable (writable), in error, or at its end.
inline detail::Descriptor readable(int descriptor) noexcept { return detail::Descriptor(descriptor, false); }
inline detail::Descriptor writable(int descriptor) noexcept { return detail::Descriptor(descriptor, true); }

}  // namespace vif
