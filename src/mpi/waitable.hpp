// Waitables: requests that make a file descriptor readable, or a function called, when they are complete
// (include/vif/mpi_ext.h).
//
// A waitable is a poller of the engine: whoever runs the engine (the application, an interrupt, the helper thread of a
// program that sleeps) sees the completion and writes the descriptor. Callbacks are called by one thread of the
// library, the notifier, which sleeps on all descriptors that have one.
//
// States, changed by the engine: watching -> firing -> fired, or watching -> withdrawn (asked for by free). From firing
// on it has fired for all who ask: whoever the descriptor wakes must find that. It may go when fired or withdrawn.
// Context: app, except poll(): engine.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "mpi/request.hpp"
#include "net/engine.hpp"

namespace vif::mpi {

struct Waitable;

struct WaitableEntrance : net::Task {
  Waitable* waitable = nullptr;
};

struct Waitable : net::Poller {
  static constexpr uint32_t alive = 0x57616974;
  enum class State : uint32_t { watching, firing, fired, withdrawn };

  uint32_t magic = alive;
  bool any = false;
  int descriptor = -1;
  bool ticks = false;  // the engine does not act alone (VIF_REACTION=poll): the program is called in again and again
  std::vector<RequestObject*> requests;
  std::atomic<State> state{State::watching};
  bool has_fired() const noexcept {
    const State now = state.load(std::memory_order_acquire);
    return now == State::firing || now == State::fired;
  }
  std::atomic<bool> unwanted{false};  // written by free
  bool asked_for_app = false;         // engine: the descriptor says already that an application thread is needed
  WaitableEntrance entrance;          // puts the poller into the engine
};

// The notifier: calls functions when descriptors become readable. App context.
void notify(Waitable& waitable, void (*function)(void*), void* argument);
// No callback of it begins after this; one that runs in another thread is waited for.
void forget(Waitable& waitable);
void stop_notifier();  // MPI_Finalize

}  // namespace vif::mpi
