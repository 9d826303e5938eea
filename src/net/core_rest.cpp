// Resting: what the application does outside the library with something pending, and how it is interrupted there.
//
// enter() and leave() bracket each API call. leave() arms the bell when something of ours could progress, then looks
// again (design §4, rule 3). The interrupt progresses what it can within a budget, re-raises itself for the rest, and
// arms again.
#include <csignal>
#include <system_error>

#include <unistd.h>

#include "base/clock.hpp"
#include "bell/foreign_calls.hpp"
#include "net/core.hpp"
#include "trace/recording.hpp"

namespace vif::net {
namespace {

constexpr int passes_before_interrupt = 4;
// An interrupt costs 3 us and more: that long its handler waits for the next piece of a transfer under way.
constexpr int64_t interrupt_cost_ns = 4'000;  // about, to the one who takes it, beside what the handler does
constexpr int64_t linger_ns = 2'000;

}  // namespace

// Somebody came while the engine was owned as `as`, and left it to its owner.
bool Core::go_round_again(Owner as) noexcept {
  bool more;
  do {
    owner_ = as;  // a handler may have owned it in between
    turn();
    publish_completions();
    more = more_;  // the next owner's, once it is released
  } while (ownership_.release());
  return more;
}

void Core::enter() noexcept {
  if (gap_open_) {
    gap_open_ = false;
    gaps_.learn(site_.number(), base::now_ns() - left_at_ - interrupted_ns_);
  }
  if (resting_.load(std::memory_order_relaxed) == bell::Posture::quiet || multiple_) return;
  resting_.store(bell::Posture::quiet, std::memory_order_relaxed);
  me_->bell.be_quiet();
}

void Core::leave() noexcept {
  if (link_ != nullptr) rest_link();
  // What was handed over to the helper may become pending when this thread is gone: it must find a posture to keep up.
  const bool handed_over =
      helper_runs_.load(std::memory_order_relaxed) && (ownership_.held() || !inbox_.empty() || entrusted());
  if (pending() == 0 && debt_count_ == 0 && !handed_over) return;
  if (!multiple_) open_gap();
  if (candidate_ != nullptr) announce_candidate();
  if (pending() != 0 || handed_over) rest_outside();
  if (debt_count_ != 0 && me_->back_soon.load(std::memory_order_relaxed) == 0) settle();
}

void Core::rest_outside() noexcept {
  const bool by_thread = entrusted();
  if (!by_thread && (!interruptible() || !worth_reacting())) {
    // Nobody will come for us: look once, so that a peer that sleeps for our part of something is told.
    if (!multiple_ && visible_work() && own(Owner::app)) {
      turn();
      disown();
    }
    return;
  }
  if (multiple_ && led_.load(std::memory_order_seq_cst)) {
    me_->bell.ring(true);  // the leader sees to it, asleep or not
    return;
  }
  if (!bell::calls_are_covered()) start_helper();
  const bool away = by_thread || (!bell::calls_are_covered() && helper_runs_.load(std::memory_order_relaxed));
  resting_.store(away ? bell::Posture::away : armed_posture(), std::memory_order_relaxed);
  rest(resting_.load(std::memory_order_relaxed), Owner::app);
  if (by_thread && !thread_inbox_.empty()) wake_helper(process_);
}

// User interrupts reach one thread; where another one arms, a signal may land in any.
bell::Posture Core::armed_posture() const noexcept {
  return bell::receives_user_interrupts() ? bell::Posture::armed_user : bell::Posture::armed;
}

// What the program does next, as far as its past tells: whoever wants it may wait a moment for it.
void Core::open_gap() noexcept {
  const uint32_t soon = gaps_.expects_short(site_.number()) ? 1 : 0;
  if (me_->back_soon.load(std::memory_order_relaxed) != soon) me_->back_soon.store(soon, std::memory_order_relaxed);
  gap_open_ = true;
  interrupted_ns_ = 0;
  left_at_ = base::now_ns();
}

// The program turns to something else: no ring that it owes may wait for its return.
void Core::settle() noexcept {
  if (!own(Owner::app)) return;  // a handler, or another thread: it pays when its turn finds them due
  pay_debts(true);
  disown();
}

// Who owns the word at this moment decides how it may be changed: the application's thread alone may replace anything;
// with other threads about, never the `sleeping` of one of them; a handler or the helper only keeps up a rest that was
// rung away.
void Core::take_posture(bell::Posture posture, Owner as) noexcept {
  if (as != Owner::app) {
    me_->bell.rest_again(posture);
    // Read after the fence of rest_again(); partner: the fence of on_departure(). One of the two sees the other.
    if (posture == bell::Posture::armed_user && resting_.load(std::memory_order_relaxed) != posture) {
      me_->bell.lose_user_interrupts();
    }
  } else if (multiple_) {
    me_->bell.rest_unless_sleeping(posture);
  } else {
    me_->bell.rest(posture);
  }
}

// Arms, then looks again.
void Core::rest(bell::Posture posture, Owner as) noexcept {
  take_posture(posture, as);
  const bool alone = !multiple_ && !helper_runs_.load(std::memory_order_relaxed) && link_ == nullptr;
  if (alone && !visible_work()) return;
  bool again = true;
  const bool by_thread = as == Owner::app && entrusted();
  for (int pass = 0; again && pass < (by_thread ? 1 : passes_before_interrupt); ++pass) {
    if (!own(as)) return;             // whoever owns it goes round once more
    if (by_thread) copy_budget_ = 0;  // the progress thread copies
    turn();
    again = disown();
  }
  // Rung while this pass ran: the interrupt found the engine owned, and nobody has armed since.
  const bool rung = pending() != 0 && me_->bell.peek() == bell::Posture::quiet;
  if (again || rung) call_again(posture, as);
}

// Work is left, or the posture is lost: have it seen to as soon as this context is over.
void Core::call_again(bell::Posture posture, Owner as) noexcept {
  if (resting_.load(std::memory_order_relaxed) != posture) return;
  if (posture == bell::Posture::away || as == Owner::helper) {
    wake_helper(process_);
  } else {
    bell::interrupt_self(signal_);
  }
}

// Whether a pass would find something. Single thread and its handlers only: it reads the owner's own state.
bool Core::visible_work() noexcept {
  return ring_with_packet() >= 0 || hidden_work() || (!app_inbox_.empty() && !bell::in_handler());
}

// A peer that has sent something; -1: none.
int Core::ring_with_packet() noexcept {
  for (int i = 0; i < incoming_count_; ++i) {
    if (channel(incoming_list_[i]).in.peek() != nullptr) return incoming_list_[i];
  }
  return -1;
}

// What a pass would find beside packets, and tasks for the application.
bool Core::hidden_work() noexcept {
  return me_->connections.load(std::memory_order_relaxed) != connections_seen_ || !me_->matched.empty() ||
         !outgoing_.empty() || !incoming_.empty() || queued_count_ != 0 || pollers_ != nullptr || !inbox_.empty();
}

// A peer that waits keeps the pieces of a transfer coming, or taking: the handler goes on with it as long as it does.
void Core::linger() noexcept {
  const uint64_t end = moved_ + bounded_copy_budget;
  uint64_t moved = moved_;
  int64_t last = base::now_ns();
  while (!outgoing_.empty() || !incoming_.empty()) {
    turn();
    const int64_t now = base::now_ns();
    if (moved_ != moved) {
      moved = moved_;
      last = now;
    } else if (now - last > linger_ns) {
      return;
    } else {
      base::RealAtoms::pause();
    }
    if (moved_ > end) {
      more_ = true;
      return;
    }
  }
}

// Context: handler
void Core::on_interrupt(bell::Interrupt kind) noexcept {
  counters_.interrupts_taken.add_together();  // whether or not it comes to own the engine
  if (kind == bell::Interrupt::user) counters_.user_interrupts_taken.add_together();
  trace::Span span(trace::What::interrupt);
  const uint64_t moved = span.records() ? moved_so_far() : 0;
  const int64_t start = base::now_ns();
  react();
  if (span.records()) tell_recorder(span, trace::Reaction::interrupt, moved);
  if (multiple_) return;  // nobody learns from gaps
  interrupted_ns_ = interrupted_ns_ + base::now_ns() - start + interrupt_cost_ns;
}

// Context: handler
uint64_t Core::moved_so_far() const noexcept {
  return counters_.copied_waiting + counters_.copied_app + counters_.copied_handler + counters_.fragments;
}

// Context: handler
void Core::tell_recorder(trace::Span& span, trace::Reaction by, uint64_t moved_before) const noexcept {
  const uint64_t moved = moved_so_far() - moved_before;
  span.event().bytes = moved;
  if (const auto watcher = trace::reaction_watcher.load(std::memory_order_acquire)) watcher(by, moved != 0);
}

// Context: app. The thread that took user interrupts ends, and was perhaps counted on: one of the others is called by a
// signal, looks, and keeps the rest up. Both words change before that; an interrupt that a peer has raised for the old
// posture is made good by the look.
void Core::on_departure() noexcept {
  bell::Posture lost = bell::Posture::armed_user;
  resting_.compare_exchange_strong(lost, bell::Posture::armed, std::memory_order_relaxed);
  base::RealAtoms::fence();
  me_->bell.lose_user_interrupts();
  kill(getpid(), signal_);
}

void Core::react() noexcept {
  if (!own(Owner::handler)) return;  // the owner goes round once more, and arms when it leaves
  const uint64_t moved = moved_;
  turn();
  if (moved_ != moved) linger();
  if (disown()) {
    bell::interrupt_self(signal_);
    return;
  }
  const bell::Posture posture = resting_.load(std::memory_order_relaxed);
  if (posture == bell::Posture::quiet || !worth_reacting()) return;
  if (multiple_ && led_.load(std::memory_order_relaxed)) return;  // the leader looks by itself
  rest(posture, Owner::handler);
}

// Context: helper
void Core::on_helper() noexcept {
  counters_.helper_runs.add_together();
  trace::Span span(trace::What::helper);
  const uint64_t moved = span.records() ? moved_so_far() : 0;
  bool more = true;
  while (more) {
    if (!own(Owner::helper)) break;  // the owner goes round once more
    turn();
    more = disown();
  }
  if (span.records()) tell_recorder(span, trace::Reaction::helper, moved);
  const bell::Posture posture = resting_.load(std::memory_order_relaxed);
  if (posture == bell::Posture::quiet || (!worth_reacting() && !entrusted())) return;
  rest(posture, Owner::helper);
}

// The program is about to block in a call that an interrupt would cut short; the interrupt signal is blocked already.
bool Core::before_foreign_call() noexcept {
  if (debt_count_ != 0) settle();
  if (!interruptible() || !bell::is_armed(resting_.load(std::memory_order_relaxed))) return false;
  // With a helper something may become pending during the call; an interrupt, which is blocked here, must not be asked
  // for then.
  if (pending() == 0 && !helper_runs_.load(std::memory_order_relaxed)) return false;
  start_helper();
  if (!helper_runs_.load(std::memory_order_relaxed))
    return false;  // no thread to be had: the events wait for the end of the call
  resting_.store(bell::Posture::away, std::memory_order_relaxed);
  link_beside_call(true);
  rest_around_call(bell::Posture::away);
  return true;
}

void Core::after_foreign_call() noexcept {
  link_beside_call(false);
  bell::Posture away = bell::Posture::away;
  const bell::Posture armed = armed_posture();
  if (!resting_.compare_exchange_strong(away, armed)) return;  // another thread entered the library meanwhile
  rest_around_call(armed);
}

// As rest() by the application's thread, but inside a call of the program, perhaps in its own signal handler: what a
// pass does there is held to the rules of handlers.
void Core::rest_around_call(bell::Posture posture) noexcept {
  take_posture(posture, Owner::app);
  call_again(posture, Owner::app);
}

void Core::start_helper() noexcept {
  if (helper_runs_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(helper_mutex_);
  if (helper_.joinable() || stopping_.load(std::memory_order_relaxed)) return;
  // From now on two threads use the engine.
  while (ownership_.held() || !own(Owner::handler)) base::RealAtoms::pause();
  ownership_.set_shared(true);
  disown();
  // The helper takes no signal of the program, but for its own faults: a program may have handlers for those, and a
  // fault that is blocked ends it without them.
  sigset_t all, before;
  sigfillset(&all);
  for (int fault : {SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP}) sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    helper_ = std::thread([this] { helper_loop(); });
    helper_runs_.store(true, std::memory_order_release);
  } catch (const std::system_error&) {
    // No thread to be had now: the next call tries again.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Core::helper_loop() noexcept {
  pthread_setname_np(pthread_self(), "vif-helper");
  uint32_t seen = 0;
  while (!stopping_.load(std::memory_order_acquire)) {
    const uint32_t now = me_->helper.load(std::memory_order_acquire);
    if (now == seen) {
      base::RealAtoms::wait(me_->helper, seen, -1);
      continue;
    }
    seen = now;
    if (progress_alone_.load(std::memory_order_relaxed)) look_beside_program();
    on_helper();
  }
}

}  // namespace vif::net
