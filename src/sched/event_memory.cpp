// Context: core.
#include "sched/event_memory.hpp"

#include <new>

namespace vif::sched {
namespace {

constexpr std::size_t slab_bytes = 16384;
constexpr std::align_val_t slab_alignment{64};

constexpr std::size_t bytes_of(std::size_t place) { return std::size_t{64} << place; }

}  // namespace

EventMemory::EventMemory(uint16_t core, std::vector<base::InboxDoor<>*> returns)
    : core_(core), returns_(std::move(returns)), chains_(returns_.size()) {}

EventMemory::~EventMemory() {
  for (std::byte* slab : slabs_) ::operator delete(slab, slab_alignment);
}

Event* EventMemory::refill(std::size_t place) {
  // What others have given back may be of any size.
  while (auto* record = returned_.take(*returns_[core_])) {
    auto* event = static_cast<Event*>(record);
    event->lead_to(free_[event->size_class]);
    free_[event->size_class] = event;
  }
  if (free_[place] == nullptr) {
    slabs_.reserve(slabs_.size() + 1);
    auto* slab = static_cast<std::byte*>(::operator new(slab_bytes, slab_alignment));
    slabs_.push_back(slab);
    for (std::size_t at = slab_bytes; at >= bytes_of(place); at -= bytes_of(place)) {
      auto* event = new (slab + at - bytes_of(place)) Event;
      event->size_class = static_cast<uint8_t>(place);
      event->owner = core_;
      event->lead_to(free_[place]);
      free_[place] = event;
    }
  }
  Event* event = free_[place];
  free_[place] = event->following();
  return event;
}

void EventMemory::give_elsewhere(Event* event) noexcept {
  if (event->owner == outside) return give_outside(event);
  Chain& chain = chains_[event->owner];
  event->lead_to(chain.newest);
  chain.newest = event;
  if (chain.oldest == nullptr) chain.oldest = event;
  ++waiting_;
  if (++chain.length == chain_length) hand_back(event->owner);
}

void EventMemory::hand_back(std::size_t core) noexcept {
  Chain& chain = chains_[core];
  waiting_ -= chain.length;
  returns_[core]->push_chain(*chain.newest, *chain.oldest);
  chain = {};
}

void EventMemory::hand_back() noexcept {
  for (std::size_t core = 0; waiting_ != 0; ++core) {
    if (chains_[core].newest != nullptr) hand_back(core);
  }
}

Event* EventMemory::take_outside(std::size_t size) {
  auto* event = new (::operator new(sizeof(Event) + size)) Event;
  event->owner = outside;
  return event;
}

void EventMemory::give_outside(Event* event) noexcept { ::operator delete(event); }

}  // namespace vif::sched
