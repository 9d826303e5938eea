// Waiting in the library: look, yield, sleep. Context: app.
//
// Looking is bounded by what was learnt (bell/spin.hpp). With more ranks than CPUs every look gives the CPU to another
// rank: it is the one waited for, or it will be soon, and a yield costs far less than a sleep and a wake-up.
//
// Several threads: one of those that wait leads (it progresses the engine, and sleeps on the bell of the process); the
// others look for a while beside it, and then sleep on `epoch_`, which moves when something completed or when the
// leader leaves. Who looks while the leader sleeps takes the bell from `sleeping` to `quiet`: messages then cost no
// wake-up. It wakes the leader when what that one waits for is there, and puts the bell back when it stops.
#include <sched.h>

#include "base/clock.hpp"
#include "net/core.hpp"
#include "react/load.hpp"

namespace vif::net {

namespace {

// Even with a CPU for every rank, the kernel may have put on this CPU the very process that this one has just woken and
// waits for: 30 us became the whole time of looking. A yield costs 0.2 us when nobody else wants the CPU.
constexpr int64_t yield_every_ns = 5'000;
constexpr int first_looks = 32;                   // less than a microsecond
constexpr int64_t long_wait_ns = 5'000;           // from then on it is worth while to look at the machine
constexpr int64_t peer_check_ns = 1'000'000'000;  // a wait without any event looks that often whether its peers live

}  // namespace

react::Hand& own_hand() noexcept {
  static thread_local react::Hand hand;
  return hand;
}

void Core::wait_until(bool (*condition)(void*), void* argument) noexcept {
  if (condition(argument)) return;
  if (!multiple_) {
    wait_as_leader(condition, argument);
    return;
  }
  while (!condition(argument)) {
    if (!led_.exchange(true, std::memory_order_acquire)) {
      wait_as_leader(condition, argument);
      led_.store(false, std::memory_order_release);
      // Another one must lead now.
      epoch_.fetch_add(1, std::memory_order_seq_cst);
      if (followers_.load(std::memory_order_seq_cst) != 0) base::RealAtoms::wake(epoch_, INT_MAX);
      return;
    }
    wait_as_follower(condition, argument);
  }
}

void Core::wait_as_follower(bool (*condition)(void*), void* argument) noexcept {
  if (look_beside(condition, argument) || !led_.load(std::memory_order_relaxed)) return;
  me_->bell.ring(true);  // what this thread began may need the leader, who may sleep
  followers_.fetch_add(1, std::memory_order_seq_cst);
  const uint32_t epoch = epoch_.load(std::memory_order_seq_cst);
  if (!condition(argument) && led_.load(std::memory_order_seq_cst)) {
    const trace::Span span(trace::What::sleep);
    base::RealAtoms::wait(epoch_, epoch, -1);
  }
  followers_.fetch_sub(1, std::memory_order_relaxed);
}

// True: the condition holds.
bool Core::look_beside(bool (*condition)(void*), void* argument) noexcept {
  static thread_local bell::SpinBudget budget(20'000, 200'000);
  const int64_t start = base::now_ns();
  uint64_t seen = 0;
  bool known = false;  // what was complete before the leader stopped being told
  if (own(Owner::waiting)) {
    seen = completions_;
    known = true;
    disown();
  }
  {
    const std::lock_guard guard(rest_mutex_);
    ++lookers_;
  }
  bool holds = false;
  for (uint32_t turns = 0; led_.load(std::memory_order_relaxed); ++turns) {
    if (turns % 16 == 0) {
      const std::lock_guard guard(rest_mutex_);
      if (leader_rests_ && me_->bell.peek() == bell::Posture::sleeping) me_->bell.be_quiet();
    }
    turn_beside(seen, known);
    holds = condition(argument);
    if (holds) break;
    if (oversubscribed_) {
      sched_yield();
    } else {
      base::RealAtoms::pause();
      if (turns % 16 != 15) continue;
    }
    if (base::now_ns() - start > budget.budget()) break;
    if (turns % 64 == 63) sched_yield();  // the thread of this process that is to answer may want this CPU
  }
  const int64_t looked = base::now_ns() - start;
  holds ? budget.came(looked) : budget.slept(looked);
  bool restored = false;
  {
    const std::lock_guard guard(rest_mutex_);
    restored = --lookers_ == 0 && leader_rests_;
    if (restored) me_->bell.rest_unless_sleeping(bell::Posture::sleeping);
  }
  if (restored) turn_beside(seen, known);  // what came while nobody was to be rung
  return holds;
}

// One pass of a thread that is not the leader. The leader is told of what completed since the last one, in any context.
void Core::turn_beside(uint64_t& seen, bool& known) noexcept {
  if (!own(Owner::waiting)) return;
  turn();
  const bool completed = !known || completions_ != seen;
  seen = completions_;
  known = true;
  disown();
  if (completed) tell_leader();
}

// Something completed: wakes the leader if it is what that one waits for, or if nobody knows what that is.
void Core::tell_leader() noexcept {
  const std::lock_guard guard(rest_mutex_);
  if (!leader_rests_ || (leader_wants_ != nullptr && !leader_wants_->complete())) return;
  me_->bell.rest_unless_sleeping(bell::Posture::sleeping);  // so that the ring finds somebody
  me_->bell.ring(true);
}

void Core::wait_as_leader(bool (*condition)(void*), void* argument) noexcept {
  if (link_ != nullptr) link_->want(react::Method::look, 0);  // the first look sees to it
  if (multiple_) me_->bell.be_quiet();  // another thread may have armed it; the leader looks by itself
  me_->waiting_since.store(0, std::memory_order_relaxed);
  me_->waiting.store(1, std::memory_order_relaxed);
  if (!oversubscribed_ && look_at_once(condition, argument)) {
    me_->waiting.store(0, std::memory_order_relaxed);
    return;
  }
  const trace::Span span(trace::What::look);
  if (span.records()) trace::long_waits.fetch_add(1, std::memory_order_relaxed);
  const int64_t start = base::now_ns();
  me_->waiting_since.store(start, std::memory_order_relaxed);
  if (look_for_a_while(condition, argument, start)) {
    learn_wait(base::now_ns() - start, true);
    me_->waiting.store(0, std::memory_order_relaxed);
    return;
  }
  ++counters_.sleeps;
  while (!condition(argument)) sleep_once(condition, argument);
  learn_wait(base::now_ns() - start, false);
  me_->waiting.store(0, std::memory_order_relaxed);
}

void Core::look() noexcept {
  if (!own(Owner::waiting)) return;
  looking_ = true;
  turn();
  looking_ = false;
  disown();
}

// The first looks, without a clock: reading it twice costs as much as the rest of a message that is there already.
// Where nothing but messages can make progress, only the rings are looked at.
bool Core::look_at_once(bool (*condition)(void*), void* argument) noexcept {
  look();
  for (int looks = 1; looks < first_looks; ++looks) {
    if (condition(argument)) return true;
    if (others_may_sleep() || debt_count_ != 0 || hidden_work()) {
      look();
    } else if (const int process = ring_with_packet(); process >= 0 && own(Owner::waiting)) {
      looking_ = true;
      poll(process);
      looking_ = false;
      disown();
      continue;
    }
    base::RealAtoms::pause();
  }
  return condition(argument);
}

bool Core::look_for_a_while(bool (*condition)(void*), void* argument, int64_t start) noexcept {
  const bool sleeps = settings_.may_sleep;
  int64_t yielded = start;
  int64_t peers_checked = start;
  for (uint32_t turns = 0;; ++turns) {
    look();
    if (condition(argument)) return true;
    if (oversubscribed_) {
      sched_yield();
    } else {
      base::RealAtoms::pause();
      if (turns % 16 != 15) continue;
    }
    int64_t now = base::now_ns();
    if (rests_early(now, now - start)) return false;
    if (!oversubscribed_ && !crowded() && now - yielded > yield_every_ns) {
      sched_yield();
      yielded = base::now_ns();
      if (crowd_.yielded(yielded, yielded - now)) move_apart();
      now = yielded;
    }
    if (sleeps && now - start > spin_.budget()) return false;
    if (!sleeps && now - peers_checked > peer_check_ns && own(Owner::waiting)) {
      check_peers();
      disown();
      peers_checked = now;
    }
  }
}

// Do others want the CPUs? Then a yield would give this one away for a whole slice, and looking would use up the share
// by which a woken thread gets a CPU at once. The machine is looked at once a wait lasts longer than most, and then
// not for a while. True: rest now.
bool Core::rests_early(int64_t now, int64_t waited) noexcept {
  if (!settings_.adapts || oversubscribed_ || waited < (crowded() ? pace_.look_ns : long_wait_ns)) return false;
  if (pressure_.due(now)) {
    pressure_.learn(react::look_at_machine(machine_cpus_, may_use_all_), now);
    react::Situation situation;
    situation.crowded = pressure_.crowded();
    situation.learnt_look_ns = (situation.crowded ? crowded_spin_ : spin_).budget();
    pace_ = react::choose(situation);
    ++(crowded() ? counters_.decided_crowded : counters_.decided_alone);
    crowded() ? static_cast<void>(own_hand().pull(lever_)) : own_hand().let_go();
  }
  return crowded() && waited >= pace_.look_ns;
}

// What a wait has taught: its length, and whether it ended while looking. Each state has its own memory.
void Core::learn_wait(int64_t waited, bool came) noexcept {
  bell::SpinBudget& budget = crowded() ? crowded_spin_ : spin_;
  came ? budget.came(waited) : budget.slept(waited);
  if (crowded()) pace_.look_ns = budget.budget();
}

// Processes that wait for each other by looking may stay on one CPU for long while another idles: they yield to each
// other all the time, and the kernel finds them too busy to be moved. A message then costs two switches instead of a
// cache miss. Only for jobs with a CPU for each: where processes must share, small collectives are as fast on one CPU
// as spread (measured: barrier of 4 on 2 CPUs, 2.6 us packed, 3 to 7 us when spread by us).
void Core::move_apart() noexcept {
  if (!settings_.may_move) return;
  std::vector<int> others;
  for (int i = 0; i < segment_.begun(); ++i) {
    const bell::Address& address = segment_.record(i).address;
    if (i == process_ || address.pid_space != me_->address.pid_space) continue;
    others.push_back(machine::cpu_of(address.process, address.thread != 0 ? address.thread : address.process));
  }
  machine::CpuMask usable;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) usable.set(static_cast<size_t>(cpu), CPU_ISSET(cpu, &mask) != 0);
  const int target = machine::cpu_apart(sched_getcpu(), others, usable);
  if (target < 0 || !machine::move_to(target)) return;
  ++counters_.moves;
  crowd_.helped(base::now_ns());
}

// One sleep, by "arm, then look again".
void Core::sleep_once(bool (*condition)(void*), void* argument) noexcept {
  if (multiple_) {
    const std::lock_guard guard(rest_mutex_);
    leader_rests_ = true;
    leader_wants_ = argument == begun_last ? begun_last : nullptr;
  }
  if (link_ != nullptr && !sleeps_on_link()) link_->want(react::Method::exported, 0);
  me_->bell.rest(bell::Posture::sleeping);
  sleep_on_bell(condition, argument);
}

void Core::stand_up() noexcept {
  if (!multiple_) return me_->bell.be_quiet();
  const std::lock_guard guard(rest_mutex_);
  me_->bell.be_quiet();
  leader_rests_ = false;
}

void Core::sleep_on_bell(bool (*condition)(void*), void* argument) noexcept {
  if (own(Owner::waiting)) {
    if (debt_count_ != 0) pay_debts(true);
    turn();
    if (disown()) {  // there is more to do at once
      stand_up();
      return;
    }
  }
  bool rung = true;
  if (!condition(argument)) {
    const trace::Span span(trace::What::sleep);
    if (sleeps_on_link()) {
      rung = link_->sleep(peer_check_ns);
    } else {
      sleep_now();
      rung = me_->bell.peek() != bell::Posture::sleeping;
    }
  }
  stand_up();
  if (own(Owner::waiting)) {
    if (rung) {
      turn();
    } else {
      check_peers();
    }
    disown();
  }
}

void Core::sleep_now() noexcept {
  // Where it will wake up is where it sleeps, or where its waker runs: with a process for each CPU all are seen to.
  if (crowded() && lever_ == react::Lever::nudge) {
    nudger_.keep(base::now_ns(), cpu_to_nudge_ >= 0 ? cpu_to_nudge_ : sched_getcpu());
  }
  asleep_.store(true, std::memory_order_relaxed);
  me_->bell.sleep(peer_check_ns);
  asleep_.store(false, std::memory_order_relaxed);
  counters_.stuck = nudger_.stuck();
}

// Something completed: whoever sleeps for it must look. Owned; any context.
void Core::tell_sleepers() noexcept {
  const bool left_for_app = (owner_ == Owner::handler || owner_ == Owner::helper) && !app_inbox_.empty();
  if (completions_ == completions_told_ && !left_for_app) return;
  completions_told_ = completions_;
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (followers_.load(std::memory_order_seq_cst) != 0) base::RealAtoms::wake(epoch_, INT_MAX);
  if (owner_ == Owner::waiting) return;
  base::RealAtoms::fence();  // partner: the fence of rest(sleeping), before the sleeper looks at its condition
  // The leader may sleep on the bell for what another thread has just completed.
  if (me_->bell.peek() == bell::Posture::sleeping) wake_sleeper();
}

}  // namespace vif::net
