// include/vif/event.hpp on the scheduler. Context: app and core.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "sched/scheduler.hpp"
#include "vif/event.hpp"

namespace vif {
namespace {

sched::Settings settings_of(const RuntimeOptions& options) {
  sched::Settings settings;
  settings.cores = options.cores;
  settings.bind = options.bind;
  settings.padding = options.padding;
  settings.memory = static_cast<sched::MemoryRule>(options.memory);
  settings.wait = static_cast<sched::WaitRule>(options.wait);
  settings.wait_threshold_ns = options.wait_threshold_ns;
  settings.batch = options.batch;
  settings.queue = static_cast<sched::QueueRule>(options.queue);
  settings.wake = static_cast<sched::WakeRule>(options.wake);
  settings.poll = static_cast<sched::PollRule>(options.poll);
  settings.stall_ns = options.stall_limit.count();
  settings.steal = options.steal;
  settings.turn_ns = options.turn_ns;
  if (std::string complaint = sched::complete(settings); !complaint.empty()) throw std::invalid_argument(complaint);
  return settings;
}

static_assert(static_cast<int>(RuntimeOptions::Wait::spin) == static_cast<int>(sched::WaitRule::spin));
static_assert(static_cast<int>(RuntimeOptions::Memory::library) == static_cast<int>(sched::MemoryRule::library));
static_assert(static_cast<int>(RuntimeOptions::Queue::lock) == static_cast<int>(sched::QueueRule::lock));
static_assert(static_cast<int>(RuntimeOptions::Poll::io_uring) == static_cast<int>(sched::PollRule::io_uring));
static_assert(static_cast<int>(RuntimeOptions::Wake::pipe) == static_cast<int>(sched::WakeRule::pipe));

std::function<void(const sched::Stall&)> reporter(const RuntimeOptions& options) {
  return [on_stall = options.on_stall](const sched::Stall& stall) {
    const std::string text = sched::describe(stall);
    if (!on_stall) {
      std::fputs(text.c_str(), stderr);
    } else {
      on_stall({stall.core, stall.colour, stall.lasts, stall.handler, stall.stack, text});
    }
  };
}

void print_unseen(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    std::fprintf(stderr,
                 "Vif: an event threw an exception that nobody asked for, and its runtime stopped: %s. Call run() "
                 "to have it thrown there, or set on_exception.\n",
                 error.what());
  } catch (...) {
    std::fprintf(stderr,
                 "Vif: an event threw an exception that is no std::exception, and its runtime stopped. Call run() "
                 "to have it thrown there, or set on_exception.\n");
  }
}

bool in_handler_of(const sched::Scheduler& scheduler) noexcept {
  const sched::Core* core = sched::Core::current();
  return core != nullptr && &core->scheduler() == &scheduler;
}

void refuse_in_handler(const char* function, const sched::Scheduler& scheduler) {
  if (!in_handler_of(scheduler)) return;
  throw std::logic_error(std::string(function) +
                         " waits for the handlers of its runtime, and has been called in one of them: post what is to "
                         "come later, or wait in a thread that is no core");
}

}  // namespace

namespace detail {

void* make_event(sched::Scheduler& scheduler, Colour colour, Posting posting, Invoke invoke, std::size_t size) {
  sched::Event* event = scheduler.allocate(size, colour);
  event->invoke = invoke;
  event->kind = static_cast<sched::Kind>(posting);
  return event->payload();
}
static_assert(static_cast<int>(Posting::front) == static_cast<int>(sched::Kind::front));
static_assert(static_cast<int>(Posting::shared) == static_cast<int>(sched::Kind::shared));

bool submit(sched::Scheduler& scheduler, void* callable) { return scheduler.post(sched::Event::of_payload(callable)); }

void abandon(sched::Scheduler& scheduler, void* callable) noexcept {
  scheduler.abandon(sched::Event::of_payload(callable));
}

static_assert(static_cast<int>(Source::signal) == static_cast<int>(sched::WatchKind::signal));

void* make_watch(const WatchRequest& request, Notify notify, std::size_t size) {
  sched::Watch* watch = sched::Watch::make(size);
  watch->notify = notify;
  watch->colour = request.colour;
  watch->kind = static_cast<sched::WatchKind>(request.source);
  watch->number = request.number;
  watch->at_ns = request.at_ns;
  watch->period_ns = request.period_ns;
  return watch->callable();
}

Watch start_watch(sched::Scheduler& scheduler, void* callable) {
  sched::Watch* body = sched::Watch::of_callable(callable);
  body->scheduler = &scheduler;
  Watch watch(body);
  if (!scheduler.start(*body)) body->state.cancel();
  return watch;
}

void abandon_watch(void* callable) noexcept { sched::Watch::of_callable(callable)->drop_reference(); }

}  // namespace detail

Watch::Watch(sched::Watch* body) noexcept : body_(body) { body_->add_reference(); }

Watch::Watch(const Watch& other) noexcept : body_(other.body_) {
  if (body_ != nullptr) body_->add_reference();
}

Watch::~Watch() {
  if (body_ != nullptr) body_->drop_reference();
}

Watch::Cancelled Watch::cancel() noexcept {
  if (body_ == nullptr) return Cancelled::too_late;
  return static_cast<Cancelled>(sched::Scheduler::cancel(*body_));
}
static_assert(static_cast<int>(Watch::Cancelled::too_late) == static_cast<int>(sched::WatchState<>::Cancel::too_late));

bool Watch::active() const noexcept { return body_ != nullptr && body_->state.may_run(); }

Runtime::Runtime(const RuntimeOptions& options)
    : scheduler_(
          std::make_unique<sched::Scheduler>(settings_of(options), options.on_exception, this, reporter(options))) {}

Runtime::~Runtime() {
  if (in_handler_of(*scheduler_)) {
    std::fputs(
        "Vif: a handler destroys its own runtime, which waits for all handlers: call stop() in the handler, and "
        "destroy the runtime in the thread that made it.\n",
        stderr);
    std::abort();
  }
  scheduler_->stop();
  scheduler_->join();
  if (const std::exception_ptr exception = scheduler_->take_exception()) print_unseen(exception);
}

void Runtime::set_priority(Colour colour, int priority) {
  if (priority < 0 || priority > sched::highest_priority) {
    throw std::invalid_argument("A colour cannot have the priority " + std::to_string(priority) + ": give 0 to 20.");
  }
  scheduler_->set_priority(colour, static_cast<uint8_t>(priority));
}

void Runtime::stop() noexcept { scheduler_->stop(); }
void Runtime::stop_now() noexcept { scheduler_->stop_now(); }

void Runtime::run() {
  refuse_in_handler("run()", *scheduler_);
  scheduler_->join();
  if (const std::exception_ptr exception = scheduler_->take_exception()) std::rethrow_exception(exception);
}

void Runtime::wait_idle() {
  refuse_in_handler("wait_idle()", *scheduler_);
  scheduler_->wait_idle();
}
bool Runtime::stopping() const noexcept { return scheduler_->stopping(); }
int Runtime::cores() const noexcept { return scheduler_->cores(); }
int Runtime::core_of(Colour colour) const noexcept { return scheduler_->core_of(colour); }
std::uint16_t Runtime::place_of(Colour colour) const noexcept {
  return scheduler_->core(scheduler_->core_of(colour)).place();
}
Colour Runtime::new_colour() noexcept { return scheduler_->new_colour(); }

void Runtime::flush() noexcept {
  if (sched::Core* core = sched::Core::current()) core->hand_over_all();
}

void Runtime::flush_others(Runtime& runtime, Colour colour) noexcept {
  sched::Core* core = sched::Core::current();
  if (core == nullptr) return;
  if (&core->scheduler() != runtime.scheduler_.get()) return core->hand_over_all();
  core->hand_over_others(runtime.scheduler_->core_of(colour));
}

Runtime* Runtime::current() noexcept {
  const sched::Core* core = sched::Core::current();
  return core != nullptr ? static_cast<Runtime*>(core->scheduler().user()) : nullptr;
}

int Runtime::current_core() noexcept {
  const sched::Core* core = sched::Core::current();
  return core != nullptr ? core->index() : -1;
}

Colour Runtime::current_colour() noexcept {
  const sched::Core* core = sched::Core::current();
  return core != nullptr && core->running() != nullptr ? core->running()->colour : 0;
}

}  // namespace vif
