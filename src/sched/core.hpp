// Core: a kernel thread that is the server of its own state (the colours that belong to it).
//
// Nobody else touches the state: others push events into the inbox, and the core treats them between two handlers. In
// the configuration with locks (the source's baseline) whoever posts takes the core's lock and writes its state
// instead.
//
// One turn of the loop: take what is in the inbox; urgent events; granted shared events; one turn of the colour that is
// due. With nothing of these: hand over what is held back for others, look for work for a while, sleep.
// Context: core, on the core's own thread, except receive() and what says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "sched/batch.hpp"
#include "sched/colour_table.hpp"
#include "sched/descriptors.hpp"
#include "sched/door.hpp"
#include "sched/event_memory.hpp"
#include "sched/guard.hpp"
#include "sched/ready.hpp"
#include "sched/settings.hpp"
#include "sched/stall.hpp"
#include "sched/tally.hpp"
#include "sched/theft.hpp"
#include "sched/timers.hpp"
#include "sched/waiting.hpp"

namespace vif::sched {

class Scheduler;

// What others write of a core: one cache line, where there is padding.
struct CoreLine {
  Door<> door;
  std::atomic<int64_t> rung_at{0};       // ticks; by whoever finds the core asleep
  std::atomic<uint32_t> signal_news{0};  // set by handlers of signals, taken back by the core
};
static_assert(sizeof(CoreLine) <= 64);

class Core {
 public:
  Core(Scheduler& scheduler, uint16_t index, CoreLine& line);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  // The body of the thread.
  void run();

  // Any thread: events for this core, linked from the newest to the oldest. Wakes it where it sleeps.
  void receive(Event& newest, Event& oldest) noexcept;
  // Any thread: look at the flags of the scheduler.
  void ring() noexcept;

  // The core of the calling thread, or nullptr.
  static Core* current() noexcept { return current_; }
  // In the child of a fork by a handler: the thread is no core any more.
  static void forget_current() noexcept { current_ = nullptr; }

  // Where memory is for what this core will use.
  memory::PlaceNumber place() const noexcept { return place_.number(); }
  // An event posted by a handler of this core.
  void post(Event& event, uint16_t to) noexcept;

  uint64_t steals() const noexcept { return steals_.load(std::memory_order_relaxed); }
  // Before the threads start: whom to steal from.
  void set_victims(std::vector<int> cores) { victims_ = std::move(cores); }

  void set_priority(ColourId colour, uint8_t priority);
  // A watch of a colour of this core; it was nobody's before. Throws std::bad_alloc and std::system_error.
  void keep(Watch& watch);
  void let_go(Watch& watch) noexcept;
  // For ever, when the runtime stops.
  void let_go_of_all() noexcept;
  // Context: handler. A signal that this core watches has arrived.
  void signal_news() noexcept;

  Scheduler& scheduler() const noexcept { return scheduler_; }
  uint16_t index() const noexcept { return index_; }
  const Event* running() const noexcept { return running_; }
  const CoreWork& work() const noexcept { return work_; }
  Tally<>& tally() noexcept { return tally_; }
  uint64_t events_run() const noexcept { return work_.events.load(std::memory_order_relaxed); }
  // All threads have ended: first of each core, hands over what it still held for others; then, destroys what is left.
  void hand_over_all() noexcept;
  // The same, but for what is held for one core.
  void hand_over_others(uint16_t core) noexcept;
  void clear() noexcept;

 private:
  // core.cpp: the state
  void enqueue(Event& event);
  void make_ready(Colour& colour) noexcept;
  void take_in();
  void run_turn(Colour& colour);
  void shared_is_back(Event& message);
  bool lend_shared(Colour& colour, Event& event);
  void invoke(Event& event) noexcept;
  bool run_extras();
  void account(Colour* colour, uint32_t events);
  void look_around(Colour* colour);

  // core_post.cpp: towards other cores
  void hand_over(uint16_t to) noexcept;
  void hand_over_old(int64_t now) noexcept;
  void hand_over_due() noexcept;
  void hand_over_full(uint16_t to) noexcept;
  void note_ring() noexcept;

  // core_idle.cpp
  void idle();
  bool nothing_to_run();
  void count_as_idle() noexcept;
  bool look_for(int64_t budget, int64_t began, uint32_t arrivals);
  void open_pipe();
  void sleep(int64_t worked, int64_t idle_since);
  void wait_on_pipe(int64_t timeout_ns) noexcept;
  void wake_through_descriptor() noexcept;
  bool something_to_run() const noexcept {
    return !(ready_.empty() && urgent_.empty() && granted_.empty() && loans_.empty());
  }

  // core_steal.cpp: the loop of the configuration with stealing, and the thief
  struct Loan {
    ColourId colour = 0;
    EventList events{};
  };
  struct Seen {
    uint64_t ran;   // events that the victim had run
    int64_t since;  // ticks, when it was first seen so
  };
  // Whose event runs: a colour of this core, or a loan.
  struct Turn {
    Colour* colour = nullptr;
    bool is_loan = false;
    Loan loan{};
  };
  void run_stealing();
  void run_chosen(Event& event, Turn& turn);
  void close_guard() noexcept;
  Event* choose_stealing(Turn& turn);
  Event* choose_own(Turn& turn);
  void put_back(Colour& colour) noexcept;
  bool steal();
  bool lend(Core& thief);
  Loan borrow(Colour& colour);
  void wake_a_thief(int64_t each) noexcept;
  bool nothing_stealing();
  void post_stealing(Event& event) noexcept;
  int64_t until_next_theft() noexcept;

  // core_watch.cpp
  bool fire(Watch& watch) noexcept;
  void fire_timers();
  void fire_signals();
  bool poll_sources(int64_t timeout_ns);
  bool has_sources() const noexcept { return !timers_.empty() || (descriptors_ && !descriptors_->empty()); }
  int64_t until_next_timer() const noexcept;
  void open_descriptors();

  // core_locked.cpp: the loop of the configuration with locks
  void run_locked();
  Event* choose_locked(Colour*& colour);
  bool nothing_locked();
  void receive_locked(Event& newest, Event& oldest);

  static thread_local Core* current_ __attribute__((tls_model("initial-exec")));

  Scheduler& scheduler_;
  CoreLine& line_;
  const uint16_t index_;
  const bool locked_;
  uint16_t next_reader_;
  Event* running_ = nullptr;
  base::InboxTray<> tray_;
  CorePlace place_;
  ReadyList ready_;
  ColourTable colours_;
  EventList urgent_;
  EventList granted_;
  std::vector<Batch> batches_;  // by core
  std::vector<uint16_t> due_;   // batches that are worth handing over after the handler
  uint32_t held_ = 0;           // events in all batches
  BatchLimit limit_;
  uint32_t unmeasured_ = 0;  // full batches since the last measure
  int64_t handed_at_ = 0;    // ticks after the last of them
  Waiting waiting_;
  int64_t resumed_at_ = 0;      // ticks at the end of the last wait
  int64_t looked_at_ = 0;       // ticks at the last look at the clock
  uint32_t turns_to_look_ = 1;  // turns until the next
  uint32_t events_since_look_ = 0;
  const int64_t turn_ticks_;
  CoreWork work_;
  Tally<> tally_;
  // Stealing. The guard keeps thieves from: tray_, ready_, colours_, urgent_, granted_, loans_, queued_,
  // borrowed_, and what tally_ took.
  const bool stealing_;
  Guard<> guard_;
  std::atomic<uint32_t> queued_{0};  // events of ready colours
  std::atomic<int64_t> mean_{0};     // ticks that an event took lately; for thieves
  int next_source_ = 0;              // of an event, in turn
  std::deque<Loan> loans_;
  std::deque<Loan> stolen_;            // just now: on the way into loans_
  std::atomic<uint32_t> borrowed_{0};  // loans that wait
  int64_t theft_began_ = 0;            // ticks; until a stolen event has run
  int64_t theft_usual_ = 0;            // ticks that the victim's events take
  Loan* present_loan_ = nullptr;       // of which an event runs
  std::vector<int> victims_;
  std::vector<Seen> seen_;  // by core
  Theft theft_;
  uint32_t theft_pause_ = 1;  // looks for work, from one look at the victims to the next
  uint32_t unstolen_ = 0;     // of them, since the last
  int64_t nap_ns_ = 0;        // how long the core sleeps before it looks for victims again
  std::atomic<uint64_t> steals_{0};
  Timers timers_;
  std::vector<Watch*> signals_;
  std::unique_ptr<Descriptors> descriptors_;  // from the first on
  bool fired_ = false;                        // something, since poll_sources() began
  int64_t polled_at_ = 0;                     // ticks at the last look at the descriptors
  const int64_t poll_ticks_;
  const int64_t contested_ticks_;  // a look at the inbox that takes so long was interrupted
  // To wait on, and to write to: a pipe, an event descriptor twice, or none. Read by who wakes.
  std::atomic<int> wake_ends_[2] = {-1, -1};
  std::mutex lock_;
  std::atomic<uint32_t> arrivals_{
      0};  // of the configuration with locks: how often something was put in, under the lock
};

}  // namespace vif::sched
