// Context: core.
#include "sched/timers.hpp"

namespace vif::sched {

void Timers::add(Watch& timer) {
  heap_.push_back(&timer);
  timer.turn = turns_++;
  timer.place = heap_.size() - 1;
  rise(timer.place);
}

void Timers::remove(Watch& timer) noexcept {
  const std::size_t hole = timer.place;
  Watch* last = heap_.back();
  heap_.pop_back();
  if (last == &timer) return;
  put(hole, last);
  rise(hole);
  sink(last->place);
}

void Timers::rise(std::size_t place) noexcept {
  Watch* timer = heap_[place];
  while (place != 0) {
    const std::size_t parent = (place - 1) / 2;
    if (!before(*timer, *heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, timer);
}

void Timers::sink(std::size_t place) noexcept {
  Watch* timer = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(*heap_[child + 1], *heap_[child])) ++child;
    if (!before(*heap_[child], *timer)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, timer);
}

}  // namespace vif::sched
