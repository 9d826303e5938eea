// The state word of a bell: how the thread that owns it wants to be told (design §5).
//
// Context: ring() is safe in any context, handlers included. The other functions are the owner's.
//
// States
//   quiet       ring nothing: the owner will look by itself, or has nothing that could progress
//   armed       the owner computes and something that it posted can progress: raise one interrupt
//   armed_user  the same, and the thread that computes takes user interrupts: raise one of those
//   away        the owner is blocked in a call of the program that an interrupt would cut short: wake its helper thread
//   sleeping    the owner sleeps on the word itself: wake it
// Transitions
//   owner:    quiet -> armed | armed_user | away | sleeping, and any -> quiet, by plain stores or exchanges
//   its thread that takes user interrupts, when it ends: armed_user -> armed, by compare-and-swap
//   ringer:   any but quiet -> quiet, by compare-and-swap; the one whose swap succeeds raises the interrupt, or wakes.
//             So a burst of events gives one interrupt, and nobody is interrupted who has not armed again.
//
// The pair of rule 3, "arm, then look again":
//   owner   store(state); full fence; look at the work          ringer   publish the work; full fence; load(state)
// Both fences are needed: without either, each side may read the other's old value, the owner rests, nobody rings, and
// the event waits for the owner to come by itself. Atoms::fence() is that fence on both sides.
#pragma once

#include <cstdint>

#include "base/atoms.hpp"

namespace vif::bell {

enum class Posture : uint32_t { quiet = 0, armed = 1, away = 2, sleeping = 3, armed_user = 4 };

constexpr bool is_armed(Posture posture) noexcept {
  return posture == Posture::armed || posture == Posture::armed_user;
}

// What a ringer must do after ring().
enum class Call : uint8_t { nothing, interrupt, user_interrupt, helper, wake };

template <class Atoms = base::RealAtoms>
class PostureWord {
 public:
  // Owner: announce how I rest. The caller must look at its work after it; the fence is inside.
  void rest(Posture posture) noexcept {
    word_.store(static_cast<uint32_t>(posture), std::memory_order_relaxed);
    Atoms::fence();
  }

  // Another context that keeps the owner's rest up (its helper, another thread of the process): rest() from quiet only.
  // A plain rest() here could replace the `sleeping` of an owner that came back meanwhile; who rings only sleepers
  // would then let it sleep for ever. The caller must look at the work after it; the fence is inside.
  void rest_again(Posture posture) noexcept {
    uint32_t seen = static_cast<uint32_t>(Posture::quiet);
    word_.compare_exchange_strong(seen, static_cast<uint32_t>(posture), std::memory_order_relaxed,
                                  std::memory_order_relaxed);
    Atoms::fence();
  }

  // One thread of several that share the bell: rest(), unless another of them sleeps on it. The caller must look at the
  // work after it; the fence is inside.
  void rest_unless_sleeping(Posture posture) noexcept {
    uint32_t seen = word_.load(std::memory_order_relaxed);
    while (seen != static_cast<uint32_t>(Posture::sleeping)) {
      if (word_.compare_exchange_strong(seen, static_cast<uint32_t>(posture), std::memory_order_relaxed,
                                        std::memory_order_relaxed)) {
        break;
      }
    }
    Atoms::fence();
  }

  // Owner: I look by myself again. True when somebody rang since rest() (an interrupt may be under way).
  bool stand_up() noexcept {
    return word_.exchange(static_cast<uint32_t>(Posture::quiet), std::memory_order_acquire) ==
           static_cast<uint32_t>(Posture::quiet);
  }

  // Owner, cheaper: without learning whether somebody rang.
  void be_quiet() noexcept { word_.store(static_cast<uint32_t>(Posture::quiet), std::memory_order_relaxed); }

  // Owner, after rest(sleeping) and a look: sleep until a ring (or the time-out, in ns; < 0: none).
  void sleep(int64_t timeout_ns) noexcept { Atoms::wait(word_, static_cast<uint32_t>(Posture::sleeping), timeout_ns); }

  // Ringer, after publishing the work. `only_sleepers`: the work does not need the attention of a computing owner (it
  // will find it when it looks), only of one that sleeps for it.
  Call ring(bool only_sleepers) noexcept {
    Atoms::fence();
    return ring_after_fence(only_sleepers);
  }

  // Ringer that has put a full fence after its publication already (one fence serves several bells).
  Call ring_after_fence(bool only_sleepers) noexcept {
    uint32_t seen = word_.load(std::memory_order_relaxed);
    if (seen == static_cast<uint32_t>(Posture::quiet)) return Call::nothing;
    if (only_sleepers && seen != static_cast<uint32_t>(Posture::sleeping)) return Call::nothing;
    // Relaxed failure: whoever changed the word first, the owner or another ringer, takes care of the event.
    if (!word_.compare_exchange_strong(seen, static_cast<uint32_t>(Posture::quiet), std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
      return seen == static_cast<uint32_t>(Posture::quiet) ? Call::nothing : ring_after_fence(only_sleepers);
    }
    switch (static_cast<Posture>(seen)) {
      case Posture::armed:
        return Call::interrupt;
      case Posture::armed_user:
        return Call::user_interrupt;
      case Posture::away:
        return Call::helper;
      default:
        Atoms::wake(word_, 1);
        return Call::wake;
    }
  }

  // The thread that takes user interrupts, at its end: they reach nobody from now on, signals reach the others. A
  // ringer that saw the old posture has published its work before; the caller must look at the work after this (or have
  // it looked at), the fence is inside.
  void lose_user_interrupts() noexcept {
    uint32_t seen = static_cast<uint32_t>(Posture::armed_user);
    word_.compare_exchange_strong(seen, static_cast<uint32_t>(Posture::armed), std::memory_order_relaxed,
                                  std::memory_order_relaxed);
    Atoms::fence();
  }

  Posture peek() const noexcept { return static_cast<Posture>(word_.load(std::memory_order_relaxed)); }

 private:
  typename Atoms::template Atomic<uint32_t> word_{0};
};

}  // namespace vif::bell
