#include "react/policy.hpp"

#include <algorithm>

namespace vif::react {
namespace {

constexpr int64_t look_of_interrupt_wish_ns = 50'000;
// Where the wake-up was not measured: what two take at most between CPUs that are awake.
constexpr int64_t usual_wake_ns = 20'000;
// Below this the kernel's own transfer costs more system calls than it saves.
constexpr uint64_t least_bytes_for_kernel = 16 * 1024;
constexpr int64_t urgency = 4;  // how much more lateness counts for an urgent event

const Price& price(const Situation& s, Method method) noexcept { return s.prices[static_cast<size_t>(method)]; }

// The way to rest that brings a waiting thread back soonest.
Method rest_of(const Situation& s) noexcept {
  Method best = Method::block;
  int64_t least = price(s, Method::block).available ? price(s, Method::block).reacts_ns : INT64_MAX;
  for (const Method method : {Method::kernel, Method::interrupt, Method::exported}) {
    const Price& other = price(s, method);
    if (!other.available || other.reacts_ns >= least) continue;
    least = other.reacts_ns;
    best = method;
  }
  return best;
}

Choice choose_waiting(const Situation& s) noexcept {
  if (s.wish == Wish::look) return {Method::look, look_forever, s.job_is_large, Reason::wished};
  const Method rest = rest_of(s);
  if (s.wish == Wish::block) return {rest, s.learnt_look_ns, s.job_is_large, Reason::wished};
  if (s.crowded && !s.job_is_large) {
    const Price& wake = price(s, rest);
    const int64_t worth = wake.available && wake.reacts_ns > 0 ? 2 * wake.reacts_ns : usual_wake_ns;
    return {rest, std::min(worth, s.learnt_look_ns), false, Reason::crowded};
  }
  if (s.wish == Wish::interrupt) {
    return {rest, std::min(look_of_interrupt_wish_ns, s.learnt_look_ns), s.job_is_large, Reason::wished};
  }
  return {rest, s.learnt_look_ns, s.job_is_large, s.job_is_large ? Reason::large_job : Reason::alone};
}

// What an event costs by this method: the computation's loss, and its lateness.
int64_t burden(const Situation& s, Method method) noexcept {
  const Price& of = price(s, method);
  const bool beside = method == Method::exported && s.idle_cpus > 0;
  return (beside ? 0 : of.takes_ns) + of.reacts_ns * (s.priority > 0 ? urgency : 1);
}

Choice choose_computing(const Situation& s) noexcept {
  if (s.wish == Wish::look || s.wish == Wish::block) return {Method::look, 0, false, Reason::wished};
  if (s.wish == Wish::interrupt && price(s, Method::interrupt).available) {
    return {Method::interrupt, 0, false, Reason::wished};
  }
  if (price(s, Method::kernel).available && s.bytes >= least_bytes_for_kernel) {
    return {Method::kernel, 0, false, Reason::kernel_does_it};
  }
  Choice best{Method::look, 0, false, Reason::nothing_else};
  int64_t least = INT64_MAX;
  for (const Method method : {Method::interrupt, Method::exported}) {
    if (!price(s, method).available || burden(s, method) >= least) continue;
    least = burden(s, method);
    best.method = method;
    best.reason = method == Method::exported && s.idle_cpus > 0 ? Reason::idle_cpu : Reason::cheapest;
  }
  if (best.method == Method::look) return best;
  // An interrupt that reaches a program on its way back costs both more than the event (bell/gap.hpp).
  if (s.expected_ns >= 0 && s.expected_ns <= price(s, best.method).reacts_ns) {
    return {Method::look, 0, false, Reason::soon_back};
  }
  return best;
}

}  // namespace

const char* sentence_of(Reason reason) noexcept {
  switch (reason) {
    case Reason::wished:
      return "as the user wished";
    case Reason::alone:
      return "nobody else wants the CPUs";
    case Reason::large_job:
      return "the job has more processes than CPUs";
    case Reason::crowded:
      return "others wait for the CPUs";
    case Reason::soon_back:
      return "the program is expected back sooner";
    case Reason::kernel_does_it:
      return "the kernel moves the bytes by itself";
    case Reason::idle_cpu:
      return "a CPU idles";
    case Reason::cheapest:
      return "it costs least";
    default:
      return "no other method can be had";
  }
}

Choice choose(const Situation& situation) noexcept {
  return situation.waits ? choose_waiting(situation) : choose_computing(situation);
}

}  // namespace vif::react
