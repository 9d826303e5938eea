// Context: app, except arrived().
#include "sched/signals.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "sched/core.hpp"

namespace vif::sched {
namespace {

struct Subscription {
  std::atomic<int> signal{0};  // 0: a free place
  std::atomic<Core*> core{nullptr};
  std::atomic<Watch*> watch{nullptr};  // for the core
  std::atomic<uint32_t> arrivals{0};   // by handlers; taken by the core
};

std::array<Subscription, 16> subscriptions;
std::atomic<int> inside{0};  // handlers that walk over the subscriptions

std::mutex changes;                         // subscribe() and unsubscribe()
std::array<struct sigaction, NSIG> before;  // dispositions to restore

// Context: handler.
void arrived(int signal) {
  const int error = errno;
  // Sequentially consistent, with unsubscribe(): either it sees this handler inside, or the handler sees no core.
  inside.fetch_add(1, std::memory_order_seq_cst);
  for (Subscription& subscription : subscriptions) {
    if (subscription.signal.load(std::memory_order_seq_cst) != signal) continue;
    Core* core = subscription.core.load(std::memory_order_seq_cst);
    if (core == nullptr) continue;
    subscription.arrivals.fetch_add(1, std::memory_order_release);
    core->signal_news();
  }
  inside.fetch_sub(1, std::memory_order_release);
  errno = error;
}

bool wanted(int signal) noexcept {
  for (const Subscription& subscription : subscriptions) {
    if (subscription.signal.load(std::memory_order_relaxed) == signal) return true;
  }
  return false;
}

bool install(int signal) noexcept {
  struct sigaction action {};
  action.sa_handler = arrived;
  action.sa_flags = SA_RESTART;
  sigfillset(&action.sa_mask);
  return sigaction(signal, &action, &before[static_cast<std::size_t>(signal)]) == 0;
}

}  // namespace

bool subscribe(Watch& watch, Core& core) noexcept {
  const std::lock_guard guard(changes);
  for (Subscription& subscription : subscriptions) {
    if (subscription.signal.load(std::memory_order_relaxed) != 0) continue;
    if (!wanted(watch.number) && !install(watch.number)) return false;
    subscription.watch.store(&watch, std::memory_order_relaxed);
    subscription.arrivals.store(0, std::memory_order_relaxed);
    subscription.core.store(&core, std::memory_order_seq_cst);
    subscription.signal.store(watch.number, std::memory_order_seq_cst);
    return true;
  }
  errno = ENOSPC;
  return false;
}

void unsubscribe(Watch& watch) noexcept {
  const std::lock_guard guard(changes);
  for (Subscription& subscription : subscriptions) {
    if (subscription.watch.load(std::memory_order_relaxed) != &watch) continue;
    subscription.core.store(nullptr, std::memory_order_seq_cst);
    while (inside.load(std::memory_order_seq_cst) != 0) base::RealAtoms::pause();
    subscription.watch.store(nullptr, std::memory_order_relaxed);
    subscription.signal.store(0, std::memory_order_seq_cst);
    if (!wanted(watch.number)) sigaction(watch.number, &before[static_cast<std::size_t>(watch.number)], nullptr);
    return;
  }
}

void collect_signals(Core& core, void (*fire)(Core& core, Watch& watch)) {
  for (Subscription& subscription : subscriptions) {
    if (subscription.core.load(std::memory_order_relaxed) != &core) continue;
    if (subscription.arrivals.exchange(0, std::memory_order_acquire) == 0) continue;
    fire(core, *subscription.watch.load(std::memory_order_relaxed));
  }
}

}  // namespace vif::sched
