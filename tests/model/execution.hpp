// Execution: one run of a modelled program, one shared access at a time, in the order that a chooser gives.
//
// Threads. Each is a fiber. Before each access to a shared variable it stops at a point, and the chooser names the step
// to do: this or another thread's access, a handler on top of a thread ("the interrupt lands here"), the end of a timed
// wait. What lies between two points is done together with the access before it.
//
//   ready -> blocked      wait() found the expected value            blocked -> ready      wake(), or the time is over
//   ready -> finished     the body returned; from then on the thread "computes": only its raised signals still run
//
// Handlers are masked while one runs on the same thread, as a signal is. A raised signal runs once, at any later
// moment, at the latest before the execution ends. A handler that lands in a wait makes the wait start again, as the
// kernel does.
//
// Memory. Each location keeps all its values; what a load may return follows from views (view.hpp): release/acquire,
// relaxed, fences, seq_cst, as in RC11. Stores of one location are ordered as they were executed, and no load returns a
// value stored later: a little less than C++ allows, never more; so a reported failure is a real one.
//
// A spinning loop must call pause(): the thread then runs again only after another step.
// Context: model tests only, one kernel thread; one execution at a time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fiber.hpp"
#include "model/chooser.hpp"
#include "model/trace.hpp"
#include "model/view.hpp"

namespace vif::model {

using base::Fiber;

class Location;

enum class TimeOuts : uint8_t {
  never,      // timed waits end by a wake only: a lost wake-up is a deadlock even where a time-out would hide it
  when_idle,  // only when nothing else can run
  any         // at any moment
};

struct Limits {
  int preemptions = 2;  // switches away from a thread that could go on; -1: no limit
  int stale_reads = 2;  // loads that do not return the newest value; -1: no limit
  int steps = 3000;     // accesses, beyond which the execution is said not to end
  TimeOuts time_outs = TimeOuts::never;
  uint64_t executions = 3'000'000;  // an enumeration that would need more stops there and says so
};

// What a test body fills in: see explore.hpp.
struct ThreadPlan {
  std::string name;
  std::function<void()> body;
  std::function<void()> handler;
  int interrupts = 0;  // how often the handler may land without having been raised
};

struct Plan {
  std::vector<ThreadPlan> threads;
  std::vector<std::function<void()>> at_end;
};

class Execution {
 public:
  explicit Execution(const Limits& limits);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // The execution that is being set up or run now.
  static Execution& now();

  // Runs the plan that `set_up` made. Returns true when nothing failed.
  bool run(const std::function<void(Plan&)>& set_up, Chooser& chooser, int preemptions, int stale_reads);

  const std::string& failure() const { return failure_; }
  std::string trace() const;
  Trace& names() { return trace_; }

  // --- called by what is modelled (memory.cpp, atoms.hpp) ---
  uint32_t new_location() { return locations_++; }
  // Stops before an access until the scheduler lets it happen.
  void point();
  // A place where only the running thread's own handler may land: an access to a plain variable.
  void handler_point();
  void fail(const std::string& why);
  void yield();
  void wait_on(Location& word, uint64_t expected, bool timed);
  void wake(Location& word, int count);
  void raise(int thread);
  std::size_t choose(std::size_t count);  // a number below count
  // How many of the newest values a load shall not see, when it may return any of `visible` ones.
  std::size_t choose_stale(std::size_t visible);

  bool inside() const { return current_ != nullptr; }  // false: in the set-up or at the end, outside of all threads
  int self() const { return current_ != nullptr ? current_->index : -1; }
  bool in_handler() const { return current_ != nullptr && current_->in_handler; }
  uint32_t clock() const;  // location number that stands for the running thread's clock
  ThreadViews& views() { return current_ != nullptr ? current_->views : outside_; }
  View& sequential() { return sequential_; }
  void record(const char* operation, const void* address, uint64_t value, uint32_t stale = 0);

 private:
  enum class State : uint8_t { ready, blocked, finished };

  struct Thread {
    uint16_t index = 0;
    ThreadPlan* plan = nullptr;
    Fiber* fiber = nullptr;
    State state = State::ready;
    Action action = Action::go;
    bool yielded = false;
    bool in_handler = false;
    bool timed = false;
    int interrupts = 0;  // that may still come unraised
    int raised = 0;
    const Location* waits_on = nullptr;
    uint32_t clock = 0;
    ThreadViews views;
  };

  static void enter_thread();
  void start(Plan& plan);
  // Chooses the next step and goes to its thread. Returns, in the thread that called it, when it is that thread's turn.
  void dispatch();
  bool collect_steps();
  void collect_threads(bool may_switch, bool current_can_go);
  bool handler_may_land(const Thread& thread) const;
  void run_handler(Thread& thread);
  void leave_for_good();
  std::string describe_deadlock() const;

  Limits limits_;
  int preemptions_left_ = 0;
  int stale_reads_left_ = 0;
  int steps_left_ = 0;
  uint32_t locations_ = 0;
  Chooser* chooser_ = nullptr;
  Thread* current_ = nullptr;
  bool starting_ = false;
  std::deque<Thread> threads_;
  std::vector<std::string> thread_names_;
  std::vector<std::unique_ptr<Fiber>> fibers_;  // kept from one execution to the next
  Fiber main_;
  ThreadViews outside_;
  View sequential_;
  std::vector<Thread*> waiters_;  // oldest first
  std::vector<Step> steps_;
  std::string failure_;
  Trace trace_;
};

}  // namespace vif::model
