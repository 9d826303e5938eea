// VIF_Waitable_*: see waitable.hpp. Context: app, except poll() and enter().
#include "mpi/waitable.hpp"

#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <new>

#include "mpi/completion.hpp"
#include "mpi/entry.hpp"
#include "vif/mpi_ext.h"

namespace vif::mpi {

namespace {

bool satisfied(const Waitable& waitable) noexcept {
  const auto complete = [](RequestObject* request) { return is_complete(*request); };
  return waitable.any ? std::any_of(waitable.requests.begin(), waitable.requests.end(), complete)
                      : std::all_of(waitable.requests.begin(), waitable.requests.end(), complete);
}

// Context: any
void make_readable(int descriptor) noexcept {
  const uint64_t one = 1;
  const int saved = errno;
  // It cannot fail: a counter of 64 bits does not fill up.
  [[maybe_unused]] const ssize_t written = write(descriptor, &one, sizeof one);
  errno = saved;
}

// Context: engine. After `state` is set the waitable may be gone.
bool poll_waitable(net::Engine& engine, net::Poller& poller) noexcept {
  auto& waitable = static_cast<Waitable&>(poller);
  if (waitable.unwanted.load(std::memory_order_acquire)) {
    engine.demand(-1);
    waitable.state.store(Waitable::State::withdrawn, std::memory_order_release);
    return true;
  }
  if (satisfied(waitable)) {
    engine.demand(-1);
    waitable.state.store(Waitable::State::firing, std::memory_order_release);
    if (!waitable.ticks) make_readable(waitable.descriptor);
    waitable.state.store(Waitable::State::fired, std::memory_order_release);
    return true;
  }
  const bool needed = engine.wants_application();
  if (needed && !waitable.asked_for_app && !waitable.ticks) make_readable(waitable.descriptor);
  waitable.asked_for_app = needed;
  return false;
}

// Context: engine.
void enter_engine(net::Engine& engine, net::Task& task) noexcept {
  Waitable& waitable = *static_cast<WaitableEntrance&>(task).waitable;
  engine.demand(+1);
  engine.add_poller(waitable);
}

// A descriptor that becomes readable every millisecond; -1 when there is none.
int new_ticker() noexcept {
  const int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  const itimerspec every{{0, 1'000'000}, {0, 1'000'000}};
  if (descriptor >= 0) timerfd_settime(descriptor, 0, &every, nullptr);
  return descriptor;
}

Waitable* waitable_of(VIF_Waitable handle) noexcept { return user_object<Waitable>(handle); }

int raise_no_waitable() {
  return raise(nullptr, MPI_ERR_ARG, "the waitable is VIF_WAITABLE_NULL, has been freed, or never was one");
}

int create(int count, const MPI_Request* requests, int mode, VIF_Waitable* out) {
  if (out == nullptr) return raise_null_argument(nullptr, "waitable");
  *out = VIF_WAITABLE_NULL;
  if (mode != VIF_WAIT_ALL && mode != VIF_WAIT_ANY) {
    return raise(nullptr, MPI_ERR_ARG, "the mode is neither VIF_WAIT_ALL nor VIF_WAIT_ANY");
  }
  if (count > 0 && requests == nullptr) return raise_null_argument(nullptr, "requests");
  if (const int error = check_requests(count, requests); error != MPI_SUCCESS) return error;
  auto* waitable = new Waitable;
  waitable->any = mode == VIF_WAIT_ANY;
  waitable->poll = poll_waitable;
  for (int i = 0; i < count; ++i) {
    if (!has_nothing(requests[i])) waitable->requests.push_back(request_of(requests[i]));
  }
  waitable->ticks = !engine().acts_alone() && !waitable->requests.empty();
  waitable->descriptor = waitable->ticks ? new_ticker() : eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (waitable->descriptor < 0) {
    delete waitable;
    return raise(nullptr, MPI_ERR_NO_MEM, "no file descriptor can be had for a waitable; raise the limit (ulimit -n)");
  }
  *out = reinterpret_cast<VIF_Waitable>(waitable);
  if (waitable->requests.empty()) {
    make_readable(waitable->descriptor);
    waitable->state.store(Waitable::State::fired, std::memory_order_release);
    return MPI_SUCCESS;
  }
  waitable->entrance.waitable = waitable;
  waitable->entrance.run = enter_engine;
  net::ApiScope scope(engine());
  engine().submit(waitable->entrance);
  return MPI_SUCCESS;
}

// The engine has left it.
bool settled(void* waitable) {
  const Waitable::State now = static_cast<Waitable*>(waitable)->state.load(std::memory_order_acquire);
  return now == Waitable::State::fired || now == Waitable::State::withdrawn;
}

int test(Waitable& waitable, int* flag) {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(waitable.descriptor, &count, sizeof count);
  net::ApiScope scope(engine());
  if (!waitable.has_fired()) engine().progress();
  // Another thread may have run the engine just then, and cannot give what an application thread is needed for.
  engine().wait_until([](void*) { return !engine().wants_application(); }, nullptr);
  *flag = waitable.has_fired() ? 1 : 0;
  return MPI_SUCCESS;
}

int destroy_waitable(VIF_Waitable* handle) {
  Waitable* waitable = waitable_of(*handle);
  if (waitable == nullptr) return raise_no_waitable();
  forget(*waitable);
  {
    net::ApiScope scope(engine());
    waitable->unwanted.store(true, std::memory_order_release);
    engine().wait_until(settled, waitable);
  }
  close(waitable->descriptor);
  waitable->magic = 0;
  delete waitable;
  *handle = VIF_WAITABLE_NULL;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace vif::mpi

#pragma GCC visibility push(default)
extern "C" {

int VIF_Waitable_create(int count, const MPI_Request requests[], int mode, VIF_Waitable* waitable) {
  vif::mpi::enter("VIF_Waitable_create");
  return vif::mpi::create(count, requests, mode, waitable);
}

int VIF_Waitable_fd(VIF_Waitable waitable, int* fd) {
  vif::mpi::enter("VIF_Waitable_fd");
  const vif::mpi::Waitable* object = vif::mpi::waitable_of(waitable);
  if (object == nullptr) return vif::mpi::raise_no_waitable();
  *fd = object->descriptor;
  return MPI_SUCCESS;
}

int VIF_Waitable_test(VIF_Waitable waitable, int* flag) {
  vif::mpi::enter("VIF_Waitable_test");
  vif::mpi::Waitable* object = vif::mpi::waitable_of(waitable);
  return object == nullptr ? vif::mpi::raise_no_waitable() : vif::mpi::test(*object, flag);
}

int VIF_Waitable_on_complete(VIF_Waitable waitable, void (*function)(void*), void* argument) {
  vif::mpi::enter("VIF_Waitable_on_complete");
  vif::mpi::Waitable* object = vif::mpi::waitable_of(waitable);
  if (object == nullptr) return vif::mpi::raise_no_waitable();
  if (function == nullptr) return vif::mpi::raise_null_argument(nullptr, "function");
  vif::mpi::notify(*object, function, argument);
  return MPI_SUCCESS;
}

int VIF_Waitable_free(VIF_Waitable* waitable) {
  vif::mpi::enter("VIF_Waitable_free");
  return vif::mpi::destroy_waitable(waitable);
}

}  // extern "C"
#pragma GCC visibility pop
