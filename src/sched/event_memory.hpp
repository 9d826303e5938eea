// The memory of events: per core, by size, without a lock or an atomic operation where a core frees what it allocated.
//
// An event freed by another core than its owner goes on a chain for that owner; a chain of `chain_length` events, or
// any when the core has nothing to do, is handed back by one push into the owner's box of returns, which the owner
// empties when it runs out. So a core keeps at most chain_length - 1 events of each other core. Threads that are no
// cores use the C++ heap. Context: core, the core's own thread only; take_outside() and give_outside(): app.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/inbox.hpp"
#include "sched/event.hpp"

namespace vif::sched {

class EventMemory {
 public:
  static constexpr uint16_t outside = UINT16_MAX;
  static constexpr std::size_t classes = 3;  // 64, 128 and 256 bytes with the header; larger ones are the heap's
  static constexpr std::size_t chain_length = 32;

  // `returns`: where others push what they free of mine; one per core.
  EventMemory(uint16_t core, std::vector<base::InboxDoor<>*> returns);
  ~EventMemory();
  EventMemory(const EventMemory&) = delete;
  EventMemory& operator=(const EventMemory&) = delete;

  // An event with room for `size` bytes of payload, aligned to 16. Throws std::bad_alloc.
  Event* take(std::size_t size) {
    const std::size_t place = class_of(size);
    if (place == classes) return take_outside(size);
    Event* event = free_[place];
    if (event == nullptr) return refill(place);
    free_[place] = event->following();
    return event;
  }

  void give(Event* event) noexcept {
    if (event->owner == core_) {
      event->lead_to(free_[event->size_class]);
      free_[event->size_class] = event;
    } else {
      give_elsewhere(event);
    }
  }

  // Hands back every chain, full or not: before the core sleeps.
  void hand_back() noexcept;

  static Event* take_outside(std::size_t size);
  static void give_outside(Event* event) noexcept;

 private:
  struct Chain {
    Event* newest = nullptr;
    Event* oldest = nullptr;
    std::size_t length = 0;
  };

  static std::size_t class_of(std::size_t size) noexcept {
    return size <= 32 ? 0 : size <= 96 ? 1 : size <= 224 ? 2 : 3;
  }

  Event* refill(std::size_t place);
  void give_elsewhere(Event* event) noexcept;
  void hand_back(std::size_t core) noexcept;

  std::array<Event*, classes> free_{};
  uint16_t core_;
  std::size_t waiting_ = 0;  // events on all chains
  base::InboxTray<> returned_;
  std::vector<base::InboxDoor<>*> returns_;
  std::vector<Chain> chains_;
  std::vector<std::byte*> slabs_;
};

}  // namespace vif::sched
