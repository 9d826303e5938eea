// The registry of places. Context: core and app.
#include "memory/places.hpp"

#include <pthread.h>

#include <mutex>
#include <new>

namespace vif::memory::places {

namespace detail {
std::atomic<Place*> all[most_places];
thread_local constinit Place* mine __attribute__((tls_model("initial-exec"))) = nullptr;
}  // namespace detail

namespace {

// Constant-initialised and never destroyed: threads come and go before and after everything else.
constinit std::mutex lock;
PlaceNumber free_numbers[most_places];
unsigned free_count = 0;
unsigned made_count = 0;

pthread_key_t at_thread_end;

void prepare() {
  pthread_key_create(&at_thread_end, [](void*) { leave(); });
  // A child process must not find the lock held by a thread that it does not have.
  pthread_atfork([] { lock.lock(); }, [] { lock.unlock(); }, [] { lock.unlock(); });
}

}  // namespace

Place* reserve() noexcept {
  const std::lock_guard hold(lock);
  if (free_count != 0) return detail::all[free_numbers[--free_count]].load(std::memory_order_relaxed);
  if (made_count == most_places) return nullptr;
  auto* made = new (std::nothrow) Place(static_cast<PlaceNumber>(made_count));
  if (made == nullptr) return nullptr;
  // Release: with the acquire load of of(); the place is complete for whoever sees it.
  detail::all[made_count++].store(made, std::memory_order_release);
  return made;
}

void release(Place& place) noexcept {
  const std::lock_guard hold(lock);
  free_numbers[free_count++] = place.number();
}

void enter(Place& place) noexcept {
  static const int prepared = (prepare(), 0);
  static_cast<void>(prepared);
  if (detail::mine == &place) return;
  if (detail::mine != nullptr) leave();
  detail::mine = &place;
  // Not null: leave() runs when the thread ends, as often as its other destructors make it join again.
  pthread_setspecific(at_thread_end, &place);
}

void leave() noexcept {
  Place* place = detail::mine;
  if (place == nullptr) return;
  place->trim();
  detail::mine = nullptr;
  pthread_setspecific(at_thread_end, nullptr);
  release(*place);
}

Place* join() noexcept {
  if (detail::mine != nullptr) return detail::mine;
  Place* place = reserve();
  if (place != nullptr) enter(*place);
  return place;
}

}  // namespace vif::memory::places
