// Simulation: threads on the CPUs of a machine, in virtual time.
//
// Each thread is a fiber of the one kernel thread that calls run(), so real code, blocking calls included, runs on it
// unchanged; a thread says itself how long what it does takes (work()). Between two such calls no time passes. Time
// goes from event to event; of events at one moment the first made comes first, or, with Chaos::shuffle, any.
// Everything random comes from the seed: the same seed gives the same trace.
//
// A thread stays on the CPU that it was given. Of the threads that are ready there, the next is chosen as by the cores
// of src/sched (sched::ReadyList: priorities 0 to 20 with ageing). It keeps the CPU until it yields, blocks or ends,
// or, where the machine has a quantum, until that is over.
//
//   ready -> running    chosen by its CPU               running -> ready    yield(), end of the quantum
//   running -> blocked  block()                         blocked -> ready    wake()
// wake() leaves a permit that the next block() takes, so a wake-up that comes first is not lost; block() may return
// without one.
//
// An interrupt runs the thread's handler on top of it: while it works or spins, or at an access of SimAtoms. While the
// handler runs, others wait; one that comes while the thread does not run waits until it does.
// Context: app, one kernel thread; one Simulation at a time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fiber.hpp"
#include "sched/ready.hpp"
#include "sim/machine.hpp"
#include "sim/trace.hpp"

namespace vif::sim {

// What the seed decides, beyond the machine. All zero: nothing.
struct Chaos {
  bool shuffle = false;     // events of one moment in any order
  double jitter = 0;        // work takes up to this part of its time longer
  double interrupts = 0;    // chance that an interrupt lands at an access that nobody asked for
  double pauses = 0;        // chance that the CPU is taken away at an access
  Time longest_pause = 0;   // nanoseconds
  double slow_threads = 0;  // part of the tasks that work four times slower
};

class Simulation;

class Thread {
 public:
  const std::string& name() const { return name_; }
  int index() const { return index_; }
  int cpu() const { return cpu_; }
  Type type() const { return type_; }
  bool in_handler() const { return in_handler_; }
  bool finished() const { return state_ == State::finished; }
  uint64_t turns() const { return turns_; }  // how often its CPU chose it

  std::function<void()> handler;  // of interrupts

 private:
  friend class Simulation;
  enum class State : uint8_t { ready, starting, running, blocked, finished };

  std::string name_;
  int index_ = 0;
  int cpu_ = 0;
  Type type_ = Type::task;
  sched::Colour turn_{0};  // its place in the ready list
  std::function<void()> body_;
  base::Fiber fiber_;
  State state_ = State::ready;
  bool permit_ = false;
  bool in_handler_ = false;
  bool at_work_ = false;   // inside work() or spin(): time passes for it while it runs
  bool active_ = false;    // time passes for it now
  bool spinning_ = false;  // wake() ends its work
  int interrupts_ = 0;     // that have come and are not treated
  uint64_t turns_ = 0;
  double slowness_ = 1;
  // Of the work under way.
  Activity activity_ = Activity::compute;
  double remaining_ = 0;  // nanoseconds at full speed
  double rate_ = 1;
  Time since_ = 0;       // remaining_ is of that moment
  uint64_t ticket_ = 0;  // of the event that ends it
};

class Simulation {
 public:
  Simulation(const Machine& machine, uint64_t seed, const Chaos& chaos = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // The one that runs now.
  static Simulation& now_running() { return *live_; }
  static bool is_running() { return live_ != nullptr; }

  const Machine& machine() const { return machine_; }
  const Chaos& chaos() const { return chaos_; }
  uint64_t seed() const { return seed_; }
  Time now() const { return now_; }
  Trace& trace() { return trace_; }
  uint64_t random() { return random_(); }
  // True with that chance; no number is drawn when it is zero.
  bool happens(double chance);

  // An idle CPU looks all the time for a thread that is ready, as runtimes of user-level threads do: waking one takes a
  // look. Else it sleeps in the kernel, and waking takes Machine::wake_ns.
  void let_idle_cpus_look(bool look) { idle_looks_ = look; }

  Thread& spawn(std::string name, Type type, int cpu, std::function<void()> body, int priority = 0);
  // Until nothing can happen any more, or `most_events` have. True: all threads have ended. Else who has not, and how
  // they stand, is in what_is_left().
  bool run(uint64_t most_events = 500'000'000);
  std::string what_is_left() const;
  void after(Time delay, std::function<void()> action);

  // --- of the running thread ---
  Thread* current() { return current_; }
  void work(double ns, Activity activity);
  // Keeps the CPU until wake(), or that long; true: woken.
  bool spin(Time limit);
  void yield();
  void block();
  // A place where an interrupt or a pause may come (SimAtoms).
  void access();
  // Whether others are ready on its CPU.
  bool is_wanted() const { return !cpus_[static_cast<std::size_t>(current_->cpu_)].ready.empty(); }
  void mark(std::string what) { trace_.mark(now_, current_->index_, std::move(what)); }

  // --- of any ---
  void wake(Thread& thread);
  void interrupt(Thread& thread);
  // Base and current priority, of one thread or of all of a type.
  void set_priority(Thread& thread, int priority);
  void set_priority(Type type, int priority);
  // Sleeping on a word (SimAtoms).
  void wait_on(const void* word, Time limit);
  void wake_on(const void* word, int count);

 private:
  struct Event {
    Time at;
    uint64_t tie;
    uint64_t order;
    enum class Kind : uint8_t { work_ends, starts, quantum_ends, becomes_ready, interrupt, action } kind;
    int subject;  // thread or CPU
    uint64_t ticket;
    bool operator<(const Event& other) const {
      if (at != other.at) return at > other.at;
      return tie != other.tie ? tie > other.tie : order > other.order;
    }
  };

  struct Cpu {
    Thread* running = nullptr;  // or being changed to
    Thread* last = nullptr;
    sched::ReadyList ready;
    bool quantum_pending = false;
    Time running_since = 0;
  };

  static void enter_thread();
  Cpu& cpu_of(const Thread& thread) { return cpus_[static_cast<std::size_t>(thread.cpu_)]; }
  void add_event(Time at, Event::Kind kind, int subject, uint64_t ticket = 0);
  void treat(const Event& event);
  void resume(Thread& thread);
  void leave();  // back to run(), until the thread is resumed
  void make_ready(Thread& thread);
  void dispatch(int cpu);
  void give_up_cpu(Thread& thread);
  void end_quantum(int cpu);
  void deliver_interrupt(Thread& thread);
  void run_handlers(Thread& thread);
  bool do_work(Thread& thread, double ns, Activity activity, bool spinning);
  void begin_work(Thread& thread);
  void pause_work(Thread& thread);
  double rate_of(const Thread& thread) const;
  void retime(Thread& thread);
  void retime_around(const Thread& thread);
  static bool uses_memory(Activity activity) { return activity == Activity::copy || activity == Activity::combine; }

  static Simulation* live_;
  Machine machine_;
  Chaos chaos_;
  uint64_t seed_;
  std::mt19937_64 random_;
  Time now_ = 0;
  uint64_t events_made_ = 0;
  bool too_long_ = false;
  bool idle_looks_ = false;
  Thread* looping_ = nullptr;  // accesses words all the time while no time passes
  Time last_access_ = -1;
  uint64_t accesses_ = 0;  // at that moment
  Trace trace_;
  base::Fiber main_;
  Thread* current_ = nullptr;
  std::deque<Thread> threads_;
  std::vector<Cpu> cpus_;
  std::vector<int> copiers_;  // by NUMA node: threads that copy or combine now
  std::priority_queue<Event> queue_;
  std::unordered_map<uint64_t, std::function<void()>> actions_;
  std::unordered_map<const void*, std::vector<Thread*>> sleepers_;
};

// Atomics (base/atoms.hpp) of the simulated threads. Every access may be interrupted, or held up; what others see is
// sequentially consistent: orderings are the business of tests/model.
struct SimAtoms {
  template <class T>
  class Atomic {
   public:
    constexpr Atomic() noexcept : value_() {}
    explicit constexpr Atomic(T value) noexcept : value_(value) {}
    T load(std::memory_order = std::memory_order_seq_cst) const noexcept { return access(), value_; }
    void store(T value, std::memory_order = std::memory_order_seq_cst) noexcept { access(), value_ = value; }
    T exchange(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
      access();
      return std::exchange(value_, value);
    }
    bool compare_exchange_strong(T& expected, T wanted, std::memory_order, std::memory_order) noexcept {
      access();
      if (value_ != expected) {
        expected = value_;
        return false;
      }
      value_ = wanted;
      return true;
    }

   private:
    T value_;
  };

  static void access() noexcept {
    if (Simulation::is_running()) Simulation::now_running().access();
  }
  static void fence() noexcept { access(); }
  static void wait(Atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns) noexcept {
    if (word.load() == expected) Simulation::now_running().wait_on(&word, timeout_ns);
  }
  static void wake(Atomic<uint32_t>& word, int count) noexcept { Simulation::now_running().wake_on(&word, count); }
};

}  // namespace vif::sim
