// The long messages under way, by the numbers under which the two sides know them. A number says its place and how
// often that was used, so one of another time is recognised. Owner of the engine only; only grow() allocates.
// Context: handler, but for grow().
#pragma once

#include <cstdint>
#include <vector>

#include "net/request.hpp"

namespace vif::net::tcp {

struct Slot {
  enum class State : uint8_t { free, offered, sending, accepting, receiving, withdrawing };

  State state = State::free;
  bool listed = false;    // waits for its frame to be written
  bool accepted = false;  // while it was being withdrawn
  int32_t process = -1;
  uint32_t generation = 0;
  uint32_t next = 0;  // place + 1 of the next one in a list
  Request* request = nullptr;
  uint64_t other = 0;    // its number at the other side
  uint64_t at = 0;       // bytes moved
  uint64_t length = 0;   // that move in all
  uint64_t offered = 0;  // receiver: length of the message
};

// A list of slots, by place + 1.
struct SlotList {
  uint32_t head = 0, tail = 0;
  bool empty() const noexcept { return head == 0; }
};

class Slots {
 public:
  // App context. Room for so many more without allocation.
  void grow(uint32_t count) {
    while (free_ < count) {
      slots_.emplace_back();
      give_back(static_cast<uint32_t>(slots_.size()) - 1);
    }
  }
  uint32_t unused() const noexcept { return free_; }
  Slot& at(uint32_t place) noexcept { return slots_[place]; }
  uint32_t places() const noexcept { return static_cast<uint32_t>(slots_.size()); }
  uint64_t id(uint32_t place) const noexcept { return uint64_t{slots_[place].generation} << 32 | (place + 1); }

  // There must be a free one.
  uint32_t take(Request& request, int process, Slot::State state) noexcept {
    const uint32_t place = pool_.head - 1;
    Slot& slot = slots_[place];
    pool_.head = slot.next;
    --free_;
    const uint32_t generation = slot.generation + 1;
    slot = {};
    slot.state = state;
    slot.process = process;
    slot.generation = generation;
    slot.request = &request;
    return place;
  }
  void give_back(uint32_t place) noexcept {
    Slot& slot = slots_[place];
    slot.state = Slot::State::free;
    slot.request = nullptr;
    slot.next = pool_.head;
    pool_.head = place + 1;
    ++free_;
  }
  // The place of a number that came from `process`; false when it is none of its.
  bool find(uint64_t id, int process, uint32_t& place) const noexcept {
    const uint64_t low = id & 0xffffffffu;
    if (low == 0 || low > slots_.size()) return false;
    place = static_cast<uint32_t>(low - 1);
    const Slot& slot = slots_[place];
    return slot.state != Slot::State::free && slot.process == process && slot.generation == id >> 32;
  }

  void push(SlotList& list, uint32_t place) noexcept {
    slots_[place].next = 0;
    slots_[place].listed = true;
    (list.tail == 0 ? list.head : slots_[list.tail - 1].next) = place + 1;
    list.tail = place + 1;
  }
  uint32_t pop(SlotList& list) noexcept {
    const uint32_t place = list.head - 1;
    list.head = slots_[place].next;
    slots_[place].listed = false;
    if (list.head == 0) list.tail = 0;
    return place;
  }

 private:
  std::vector<Slot> slots_;  // style: allow banned-call, because only grow() allocates
  SlotList pool_;
  uint32_t free_ = 0;
};

}  // namespace vif::net::tcp
