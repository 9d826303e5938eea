// include/vif/event.h on include/vif/event.hpp. A vif_runtime is a vif::Runtime under another name; a vif_watch is a
// vif::Watch on the heap. Context: app and core.
#include <vif/event.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "sched/last_error.hpp"
#include "vif/event.hpp"

namespace {

using vif::Runtime;

Runtime& of(vif_runtime* runtime) { return *reinterpret_cast<Runtime*>(runtime); }
const Runtime& of(const vif_runtime* runtime) { return *reinterpret_cast<const Runtime*>(runtime); }
vif_runtime* handle(Runtime* runtime) { return reinterpret_cast<vif_runtime*>(runtime); }

int failed(int error, const char* why) noexcept { return vif::sched::fail_with(error, why); }

int stopped() {
  return failed(ESHUTDOWN, "The runtime has been stopped, so nothing is taken from outside any more: create another.");
}

int waits_for_itself() {
  return failed(EDEADLK, "A handler would wait for its own end: wait in a thread that is no core of the runtime.");
}

// What the C++ interface throws, as errors.
template <class Body>
int guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failed(ENOMEM, "There is no memory for an event: release some, or raise the limit (ulimit -v, cgroup).");
  } catch (const std::invalid_argument& error) {
    return failed(EINVAL, error.what());
  } catch (const std::system_error& error) {
    return failed(error.code().value(), error.what());
  } catch (const std::exception& error) {
    return failed(EIO, error.what());
  }
}

struct Call {
  vif_handler handler;
  void* argument;
  void operator()() const { handler(argument); }
};

thread_local vif::Watch* current_watch = nullptr;  // whose handler runs

struct WatchCall {
  vif_handler handler;
  void* argument;
  void operator()(vif::Watch& watch) const {
    struct Current {
      explicit Current(vif::Watch& now) { current_watch = &now; }
      ~Current() { current_watch = nullptr; }
    };
    const Current current(watch);
    handler(argument);
  }
};

template <class Start>
int watch(vif_watch** handle, Start start) {
  return guarded([&] {
    auto* made = handle != nullptr ? new vif::Watch : nullptr;
    try {
      vif::Watch started = start();
      if (made != nullptr) {
        *made = std::move(started);
        *handle = reinterpret_cast<vif_watch*>(made);
      }
    } catch (...) {
      delete made;
      throw;
    }
    return 0;
  });
}

vif::RuntimeOptions options_of(const vif_runtime_options& given) {
  // Programs that were compiled with another version know fewer members, or more.
  vif_runtime_options known = VIF_RUNTIME_OPTIONS;
  if (given.size < sizeof given.size || given.size > 4096) {
    throw std::invalid_argument("The options of a runtime must begin with VIF_RUNTIME_OPTIONS; their size is wrong.");
  }
  std::memcpy(&known, &given, std::min<std::size_t>(given.size, sizeof known));
  vif::RuntimeOptions options;
  options.cores = known.cores;
  options.bind = known.bind != 0;
  options.steal = known.steal != 0;
  options.batch = known.batch;
  options.turn_ns = known.turn_ns;
  options.stall_limit = std::chrono::nanoseconds(known.stall_limit_ns);
  if (known.on_stall != nullptr) {
    options.on_stall = [tell = known.on_stall, argument = known.on_stall_argument](const vif::StallReport& stall) {
      const vif_stall_report report{stall.core, stall.colour, stall.lasts.count(), stall.handler.c_str(),
                                    stall.text.c_str()};
      tell(&report, argument);
    };
  }
  return options;
}

std::chrono::nanoseconds ns(int64_t count) { return std::chrono::nanoseconds(count); }

}  // namespace

extern "C" {

int vif_runtime_create(int cores, vif_runtime** runtime) {
  vif_runtime_options options = VIF_RUNTIME_OPTIONS;
  options.cores = cores;
  return vif_runtime_create_with(&options, runtime);
}

int vif_runtime_create_with(const vif_runtime_options* options, vif_runtime** runtime) {
  return guarded([&] {
    *runtime = handle(new Runtime(options_of(*options)));
    return 0;
  });
}

void vif_runtime_destroy(vif_runtime* runtime) { delete &of(runtime); }

int vif_post(vif_runtime* runtime, vif_colour colour, vif_handler handler, void* argument) {
  return guarded([&] { return of(runtime).post(colour, Call{handler, argument}) ? 0 : stopped(); });
}

int vif_post_front(vif_runtime* runtime, vif_colour colour, vif_handler handler, void* argument) {
  return guarded([&] { return of(runtime).post_front(colour, Call{handler, argument}) ? 0 : stopped(); });
}

int vif_post_shared(vif_runtime* runtime, vif_colour colour, vif_handler handler, void* argument) {
  return guarded([&] { return of(runtime).post_shared(colour, Call{handler, argument}) ? 0 : stopped(); });
}

int vif_after(vif_runtime* runtime, int64_t delay_ns, vif_colour colour, vif_handler handler, void* argument,
              vif_watch** made) {
  return watch(made, [&] { return of(runtime).after(ns(delay_ns), colour, WatchCall{handler, argument}); });
}

int vif_every(vif_runtime* runtime, int64_t period_ns, vif_colour colour, vif_handler handler, void* argument,
              vif_watch** made) {
  return watch(made, [&] { return of(runtime).every(ns(period_ns), colour, WatchCall{handler, argument}); });
}

int vif_on_readable(vif_runtime* runtime, int descriptor, vif_colour colour, vif_handler handler, void* argument,
                    vif_watch** made) {
  return watch(made, [&] { return of(runtime).on_readable(descriptor, colour, WatchCall{handler, argument}); });
}

int vif_on_writable(vif_runtime* runtime, int descriptor, vif_colour colour, vif_handler handler, void* argument,
                    vif_watch** made) {
  return watch(made, [&] { return of(runtime).on_writable(descriptor, colour, WatchCall{handler, argument}); });
}

int vif_on_signal(vif_runtime* runtime, int signal, vif_colour colour, vif_handler handler, void* argument,
                  vif_watch** made) {
  return watch(made, [&] { return of(runtime).on_signal(signal, colour, WatchCall{handler, argument}); });
}

int vif_watch_cancel(vif_watch* watch) {
  auto* body = reinterpret_cast<vif::Watch*>(watch);
  const auto result = static_cast<int>(body->cancel());
  delete body;
  return result;
}
static_assert(static_cast<int>(vif::Watch::Cancelled::prevented) == VIF_PREVENTED);
static_assert(static_cast<int>(vif::Watch::Cancelled::under_way) == VIF_UNDER_WAY);
static_assert(static_cast<int>(vif::Watch::Cancelled::too_late) == VIF_TOO_LATE);

int vif_watch_cancel_current(void) {
  return current_watch != nullptr ? static_cast<int>(current_watch->cancel()) : VIF_TOO_LATE;
}

void vif_watch_forget(vif_watch* watch) { delete reinterpret_cast<vif::Watch*>(watch); }

void vif_flush(void) { Runtime::flush(); }

void vif_stop(vif_runtime* runtime) { of(runtime).stop(); }
void vif_stop_now(vif_runtime* runtime) { of(runtime).stop_now(); }

int vif_run(vif_runtime* runtime) {
  if (Runtime::current() == &of(runtime)) return waits_for_itself();
  return guarded([&] {
    of(runtime).run();
    return 0;
  });
}

int vif_wait_idle(vif_runtime* runtime) {
  if (Runtime::current() == &of(runtime)) return waits_for_itself();
  return guarded([&] {
    of(runtime).wait_idle();
    return 0;
  });
}

int vif_cores(const vif_runtime* runtime) { return of(runtime).cores(); }
int vif_core_of(const vif_runtime* runtime, vif_colour colour) { return of(runtime).core_of(colour); }
uint16_t vif_place_of(const vif_runtime* runtime, vif_colour colour) { return of(runtime).place_of(colour); }
vif_colour vif_new_colour(vif_runtime* runtime) { return of(runtime).new_colour(); }

int vif_set_priority(vif_runtime* runtime, vif_colour colour, int priority) {
  return guarded([&] {
    of(runtime).set_priority(colour, priority);
    return 0;
  });
}

vif_runtime* vif_current_runtime(void) { return handle(Runtime::current()); }
int vif_current_core(void) { return Runtime::current_core(); }
vif_colour vif_current_colour(void) { return Runtime::current_colour(); }

const char* vif_error_text(void) { return vif::sched::last_error(); }

}  // extern "C"
