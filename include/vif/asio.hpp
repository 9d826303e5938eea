// An executor for Asio (1.19 or newer) on the event runtime: handlers of Asio run as events of a colour, and so one at
// a time, like on a strand, and beside handlers of other colours on other cores.
//
//   vif::Runtime runtime;
//   vif::AsioContext context(runtime);
//   asio::post(context.executor(7), [] { ... });                        an event of colour 7
//   asio::ip::tcp::socket socket(context.executor(fd_colour));         its handlers are events of that colour
//   asio::co_spawn(context.executor(1), session(), asio::detached);    a coroutine of colour 1
//
// Sockets, timers and signals of Asio that are made with such an executor wait in a thread that Asio starts for the
// context; their handlers come to the runtime from there. While they wait the runtime has nothing to do: keep it from
// being stopped (runtime.stop()) until they are done. After that, a handler that comes is destroyed without being run.
// Context: as for Asio's own executors: any thread, not signal handlers.
#pragma once

#include <asio/detail/scheduler.hpp>
#include <asio/execution/blocking.hpp>
#include <asio/execution/context.hpp>
#include <asio/execution/mapping.hpp>
#include <asio/execution_context.hpp>

#include <utility>

#include <vif/event.hpp>

namespace vif {

class AsioContext;

// A colour of a runtime, as Asio sees it. Cheap to copy.
class AsioExecutor {
 public:
  AsioExecutor(AsioContext& context, Colour colour) noexcept : context_(&context), colour_(colour) {}

  template <class Function>
  void execute(Function&& function) const;

  // What Asio asks executors about. execute() never runs the function before it returns.
  asio::execution_context& query(asio::execution::context_t) const noexcept;
  static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
    return asio::execution::blocking.never;
  }
  static constexpr asio::execution::mapping_t query(asio::execution::mapping_t) noexcept {
    return asio::execution::mapping.thread;
  }

  AsioContext& context() const noexcept { return *context_; }
  Colour colour() const noexcept { return colour_; }
  bool operator==(const AsioExecutor&) const noexcept = default;

 private:
  AsioContext* context_;
  Colour colour_;
};

// Where Asio keeps its services for a runtime. It must outlive the objects and executors made with it, and the runtime
// must outlive it.
class AsioContext : public asio::execution_context {
 public:
  using executor_type = AsioExecutor;

  explicit AsioContext(Runtime& runtime) : runtime_(&runtime) {}
  ~AsioContext() {
    // First the thread that Asio has started for this context: it still destroys what comes after the runtime has
    // stopped, sockets too, and the reactor takes leave of its descriptors without a lock.
    if (asio::has_service<asio::detail::scheduler>(*this)) asio::use_service<asio::detail::scheduler>(*this).shutdown();
    shutdown();
    destroy();
  }
  AsioContext(const AsioContext&) = delete;
  AsioContext& operator=(const AsioContext&) = delete;

  AsioExecutor executor(Colour colour) noexcept { return {*this, colour}; }
  // With a colour of its own.
  AsioExecutor new_executor() noexcept { return {*this, runtime_->new_colour()}; }
  // Of colour 0.
  AsioExecutor get_executor() noexcept { return {*this, 0}; }

  Runtime& runtime() const noexcept { return *runtime_; }

 private:
  Runtime* runtime_;
};

template <class Function>
void AsioExecutor::execute(Function&& function) const {
  context_->runtime().post(colour_, [function = std::forward<Function>(function)]() mutable {
    std::move(function)();  // once, as Asio wants it
  });
}

inline asio::execution_context& AsioExecutor::query(asio::execution::context_t) const noexcept { return *context_; }

}  // namespace vif
