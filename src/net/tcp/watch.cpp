// How the link's owner learns that something came (react/watcher.hpp): a thread blocked in the kernel, or signals.
//
// Who wants what is a word that anybody may write; the owner of the engine reads it at the end of each look, and sees
// to it. So whoever cannot own the engine now has told its owner, who goes round once more.
// Context: handler, except where said.
#include <algorithm>
#include <csignal>

#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "net/tcp/tcp_link.hpp"

namespace vif::net::tcp {
namespace {

constexpr int tries = 5;
constexpr int64_t probe_limit_ns =
    500'000;  // on a busy machine the thread may have to wait for a CPU: no price is known
constexpr int64_t usual_interrupt_ns = 4'000;
// To ask for signals of a descriptor, and to do without again, is six calls of the kernel.
constexpr int64_t arming_signals_ns = 2'000;
// Where the thread has no CPU of its own, it takes one: there and back, and what it does.
constexpr int64_t switches = 2;

// What a signal costs the thread that it interrupts.
int64_t price_of_interrupt() noexcept {
  struct sigaction now;
  if (sigaction(SIGIO, nullptr, &now) != 0 || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN ||
      react::blocks_signal(SIGIO)) {
    return usual_interrupt_ns;
  }
  int64_t least = INT64_MAX;
  for (int i = 0; i < tries; ++i) {
    const int64_t start = base::now_ns();
    std::raise(SIGIO);
    least = std::min(least, base::now_ns() - start);
  }
  return least;
}

}  // namespace

// App context.
bool TcpLink::open_watcher(std::string& error) {
  react::WatcherLimits limits;
  limits.signal = setting_.signal;
  const react::Duty duty{[](void* self) noexcept { static_cast<TcpLink*>(self)->on_event(); }, this};
  if (!watcher_.open(duty, limits, error)) return false;
  react::Price& interrupt = prices_[static_cast<size_t>(react::Method::interrupt)];
  interrupt.available = setting_.signal != 0;
  interrupt.reacts_ns = price_of_interrupt();
  interrupt.takes_ns = interrupt.reacts_ns + arming_signals_ns;
  react::Price& exported = prices_[static_cast<size_t>(react::Method::exported)];
  exported.available = setting_.threads && watcher_.keep(doors_) && watcher_.prepare();
  if (!exported.available) return true;
  exported.reacts_ns = price_of_thread();
  exported.takes_ns = switches * exported.reacts_ns;
  return true;
}

// App context. From an event to the first instruction of the thread that is blocked for it.
int64_t TcpLink::price_of_thread() noexcept {
  int64_t least = INT64_MAX;
  for (int i = 0; i < tries && least != probe_limit_ns; ++i) {
    probed_ns_.store(-1, std::memory_order_relaxed);
    const int64_t start = base::now_ns();
    itimerspec at_once{};
    at_once.it_value.tv_nsec = 1;
    timerfd_settime(timer_, 0, &at_once, nullptr);
    int64_t came = -1;
    while (came < 0 && base::now_ns() - start < probe_limit_ns) came = probed_ns_.load(std::memory_order_acquire);
    least = std::min(least, came >= 0 ? came - start : probe_limit_ns);
  }
  probed_ns_.store(0, std::memory_order_relaxed);
  return least;
}

void TcpLink::want(react::Method method, int32_t thread) noexcept {
  const auto whom = static_cast<uint32_t>(method == react::Method::interrupt ? thread : 0);
  wanted_.store(static_cast<uint64_t>(method) | uint64_t{whom} << 32, std::memory_order_release);
}

// What the bytes of one event have cost lately, whoever copied them: the kernel copies about so many a nanosecond.
void TcpLink::learn_treatment(uint64_t bytes) noexcept {
  constexpr int64_t bytes_per_ns = 8;
  const int64_t known = treatment_ns_.load(std::memory_order_relaxed);
  treatment_ns_.store(known + (static_cast<int64_t>(bytes) / bytes_per_ns - known) / 8, std::memory_order_relaxed);
}

react::Prices TcpLink::prices() const noexcept {
  react::Prices prices = prices_;
  for (react::Price& price : prices) price.takes_ns += treatment_ns_.load(std::memory_order_relaxed);
  return prices;
}

void TcpLink::beside_call(bool begins) noexcept { beside_call_.store(begins, std::memory_order_release); }

// What is wanted now, all things considered.
uint64_t TcpLink::wish() const noexcept {
  const uint64_t wanted = wanted_.load(std::memory_order_acquire);
  const bool interrupt = static_cast<react::Method>(wanted & 0xff) == react::Method::interrupt;
  if (!interrupt || !beside_call_.load(std::memory_order_acquire)) return wanted;
  return static_cast<uint64_t>(react::Method::exported);
}

bool TcpLink::unsettled() const noexcept {
  const uint64_t wanted = wish();
  return wanted != settled_.load(std::memory_order_relaxed) || (wanted != 0 && told_.load(std::memory_order_relaxed));
}

void TcpLink::settle() noexcept {
  static_assert(static_cast<int>(react::Method::look) == 0);
  // Taken before it is looked at what to do: what the thread says from here on is for the next round.
  const bool told = told_.load(std::memory_order_relaxed) && told_.exchange(false, std::memory_order_acquire);
  const uint64_t wanted = wish();
  if (wanted == settled_.load(std::memory_order_relaxed) && (wanted == 0 || !told)) return;
  settled_.store(wanted, std::memory_order_relaxed);
  if (wanted == 0) return watcher_.disarm();
  const react::Method armed =
      watcher_.arm(static_cast<react::Method>(wanted & 0xff), static_cast<int32_t>(wanted >> 32));
  ++(armed == react::Method::exported    ? counters_.by_thread
     : armed == react::Method::interrupt ? counters_.by_interrupt
                                         : counters_.by_nobody);
  if (armed != react::Method::interrupt) return;
  port_.come_again();  // what came before gives no signal
  for (const int process : connected_) {
    if (peer(process).blocked) ask_for_room(peer(process));
  }
}

// Context: helper
void TcpLink::on_event() noexcept {
  if (probed_ns_.load(std::memory_order_relaxed) < 0) {
    probed_ns_.store(base::now_ns(), std::memory_order_release);
    return hear_timer();  // else it would be told again
  }
  doors_told_.store(true, std::memory_order_relaxed);
  told_.store(true, std::memory_order_relaxed);
  setting_.wake(setting_.argument);
}

}  // namespace vif::net::tcp
