#include "sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vif::sim {

Simulation* Simulation::live_ = nullptr;

namespace {
// The real code that threads run is deeper than the bodies of models.
constexpr std::size_t stack_bytes = std::size_t{256} * 1024;
// Work that is this short is done.
constexpr double nothing = 1e-6;
// So many accesses at one moment are a loop that waits for something and lets no time pass.
constexpr uint64_t most_accesses = 1'000'000;
}  // namespace

Simulation::Simulation(const Machine& machine, uint64_t seed, const Chaos& chaos)
    : machine_(machine),
      chaos_(chaos),
      seed_(seed),
      random_(seed),
      cpus_(static_cast<std::size_t>(machine.cpus())),
      copiers_(static_cast<std::size_t>(machine.nodes * machine.numa_nodes), 0) {
  live_ = this;
}

Simulation::~Simulation() { live_ = nullptr; }

bool Simulation::happens(double chance) {
  if (chance <= 0) return false;
  return static_cast<double>(random_() >> 11) * 0x1p-53 < chance;
}

Thread& Simulation::spawn(std::string name, Type type, int cpu, std::function<void()> body, int priority) {
  Thread& thread = threads_.emplace_back();
  thread.name_ = std::move(name);
  thread.index_ = static_cast<int>(threads_.size()) - 1;
  thread.cpu_ = cpu;
  thread.type_ = type;
  thread.turn_.id = static_cast<uint32_t>(thread.index_);
  thread.body_ = std::move(body);
  thread.fiber_.prepare(&Simulation::enter_thread, stack_bytes);
  if (type == Type::task && happens(chaos_.slow_threads)) thread.slowness_ = 4;
  set_priority(thread, priority);
  trace_.add_thread(thread.name_, type);
  make_ready(thread);
  return thread;
}

void Simulation::enter_thread() {
  Simulation& self = *live_;
  Thread& thread = *self.current_;
  thread.body_();
  thread.state_ = Thread::State::finished;
  self.give_up_cpu(thread);
  self.leave();
}

void Simulation::add_event(Time at, Event::Kind kind, int subject, uint64_t ticket) {
  queue_.push({at, chaos_.shuffle ? random_() : 0, events_made_++, kind, subject, ticket});
}

void Simulation::after(Time delay, std::function<void()> action) {
  const uint64_t key = events_made_;
  actions_.emplace(key, std::move(action));
  add_event(now_ + delay, Event::Kind::action, 0, key);
}

bool Simulation::run(uint64_t most_events) {
  for (uint64_t events = 0; !queue_.empty(); ++events) {
    too_long_ = events == most_events;
    if (too_long_ || looping_ != nullptr) return false;
    const Event event = queue_.top();
    queue_.pop();
    now_ = std::max(now_, event.at);
    treat(event);
  }
  return looping_ == nullptr &&
         std::all_of(threads_.begin(), threads_.end(), [](const Thread& thread) { return thread.finished(); });
}

std::string Simulation::what_is_left() const {
  std::string text = too_long_ ? "The simulation does not end; at " : "Nothing can happen any more; at ";
  text += std::to_string(now_) + " ns:";
  if (looping_ != nullptr) text += " " + looping_->name_ + " loops without time passing,";
  for (const Thread& thread : threads_) {
    if (thread.finished()) continue;
    text += " " + thread.name_ + (thread.state_ == Thread::State::blocked ? " sleeps," : " wants to run,");
  }
  text.back() = '.';
  return text + " Seed " + std::to_string(seed_) + ".";
}

void Simulation::treat(const Event& event) {
  if (event.kind == Event::Kind::action) {
    const auto found = actions_.find(event.ticket);
    const std::function<void()> action = std::move(found->second);
    actions_.erase(found);
    return action();
  }
  if (event.kind == Event::Kind::quantum_ends) return end_quantum(event.subject);
  Thread& thread = threads_[static_cast<std::size_t>(event.subject)];
  switch (event.kind) {
    case Event::Kind::work_ends:
      if (event.ticket != thread.ticket_) return;
      pause_work(thread);
      thread.remaining_ = 0;
      return resume(thread);
    case Event::Kind::starts:
      thread.state_ = Thread::State::running;
      cpu_of(thread).running_since = now_;
      if (!thread.at_work_) return resume(thread);
      begin_work(thread);
      if (thread.interrupts_ != 0 && !thread.in_handler_) deliver_interrupt(thread);
      return;
    case Event::Kind::becomes_ready:
      return make_ready(thread);
    case Event::Kind::interrupt:
      ++thread.interrupts_;
      return deliver_interrupt(thread);
    default:
      return;
  }
}

// The thread runs until it works, waits or ends.
void Simulation::resume(Thread& thread) {
  current_ = &thread;
  base::Fiber::switch_to(main_, thread.fiber_);
  current_ = nullptr;
}

void Simulation::leave() { base::Fiber::switch_to(current_->fiber_, main_); }

void Simulation::make_ready(Thread& thread) {
  thread.state_ = Thread::State::ready;
  Cpu& cpu = cpu_of(thread);
  cpu.ready.push(thread.turn_);
  dispatch(thread.cpu_);
  // Who spins sees that another one wants the CPU.
  if (!cpu.ready.empty() && cpu.running != nullptr && cpu.running->spinning_) wake(*cpu.running);
  if (machine_.quantum_ns <= 0 || cpu.ready.empty() || cpu.quantum_pending) return;
  cpu.quantum_pending = true;
  const Time end = cpu.running_since + static_cast<Time>(machine_.quantum_ns);
  add_event(std::max(now_, end), Event::Kind::quantum_ends, thread.cpu_);
}

void Simulation::dispatch(int index) {
  Cpu& cpu = cpus_[static_cast<std::size_t>(index)];
  if (cpu.running != nullptr || cpu.ready.empty()) return;
  Thread& thread = threads_[static_cast<std::size_t>(cpu.ready.take()->id)];
  cpu.running = &thread;
  thread.state_ = Thread::State::starting;
  ++thread.turns_;
  const Time change = cpu.last == &thread || cpu.last == nullptr ? 0 : static_cast<Time>(machine_.switch_ns);
  cpu.last = &thread;
  cpu.running_since = now_ + change;
  trace_.add({now_, now_ + change, index, thread.index_, Activity::change});
  add_event(now_ + change, Event::Kind::starts, thread.index_);
}

void Simulation::give_up_cpu(Thread& thread) {
  cpu_of(thread).running = nullptr;
  dispatch(thread.cpu_);
}

void Simulation::end_quantum(int index) {
  Cpu& cpu = cpus_[static_cast<std::size_t>(index)];
  cpu.quantum_pending = false;
  if (cpu.ready.empty() || cpu.running == nullptr) return;
  Thread& thread = *cpu.running;
  const Time end = cpu.running_since + static_cast<Time>(machine_.quantum_ns);
  if (now_ < end || thread.state_ != Thread::State::running || !thread.at_work_) {
    cpu.quantum_pending = true;
    add_event(std::max(end, now_ + static_cast<Time>(machine_.switch_ns) + 1), Event::Kind::quantum_ends, index);
    return;
  }
  pause_work(thread);
  cpu.running = nullptr;
  make_ready(thread);
}

void Simulation::yield() {
  Thread& thread = *current_;
  if (!is_wanted()) return;
  cpu_of(thread).running = nullptr;
  make_ready(thread);
  leave();
  run_handlers(thread);
}

void Simulation::block() {
  Thread& thread = *current_;
  if (std::exchange(thread.permit_, false)) return;
  thread.state_ = Thread::State::blocked;
  give_up_cpu(thread);
  leave();
  thread.permit_ = false;
  run_handlers(thread);
}

void Simulation::wake(Thread& thread) {
  if (thread.state_ == Thread::State::blocked && !thread.permit_) {
    const bool idle = cpu_of(thread).running == nullptr;
    const double delay = !idle ? 0 : idle_looks_ ? machine_.look_ns : machine_.wake_ns;
    add_event(now_ + static_cast<Time>(delay), Event::Kind::becomes_ready, thread.index_);
  }
  thread.permit_ = true;
  if (!thread.spinning_) return;
  thread.spinning_ = false;
  if (thread.state_ != Thread::State::running) {
    thread.remaining_ = 0;
  } else {
    pause_work(thread);
    thread.remaining_ = machine_.look_ns;
    begin_work(thread);
  }
}

void Simulation::interrupt(Thread& thread) {
  add_event(now_ + static_cast<Time>(machine_.interrupt_latency_ns), Event::Kind::interrupt, thread.index_);
}

void Simulation::deliver_interrupt(Thread& thread) {
  if (thread.state_ != Thread::State::running || !thread.at_work_ || thread.in_handler_) return;
  pause_work(thread);
  resume(thread);
}

// On the thread's own stack, on top of what it does.
void Simulation::run_handlers(Thread& thread) {
  while (thread.interrupts_ != 0 && !thread.in_handler_) {
    --thread.interrupts_;
    if (!thread.handler) continue;
    const bool spinning = std::exchange(thread.spinning_, false);
    thread.in_handler_ = true;
    do_work(thread, machine_.interrupt_ns, Activity::interrupt, false);
    thread.handler();
    thread.in_handler_ = false;
    thread.spinning_ = spinning && !thread.permit_;
  }
}

void Simulation::work(double ns, Activity activity) {
  if (current_ == nullptr || ns <= 0) return;
  Thread& thread = *current_;
  if (chaos_.jitter > 0) ns *= 1 + chaos_.jitter * (static_cast<double>(random_() >> 11) * 0x1p-53);
  do_work(thread, ns * thread.slowness_, activity, false);
}

bool Simulation::spin(Time limit) {
  Thread& thread = *current_;
  if (!thread.permit_) {
    thread.spinning_ = true;
    do_work(thread, static_cast<double>(limit), Activity::wait, true);
    thread.spinning_ = false;
  }
  return std::exchange(thread.permit_, false);
}

// True when it was done to its end; a handler may have run meanwhile, with work of its own.
bool Simulation::do_work(Thread& thread, double ns, Activity activity, bool spinning) {
  double left = ns;
  while (left > nothing) {
    thread.at_work_ = true;
    thread.activity_ = activity;
    thread.remaining_ = left;
    begin_work(thread);
    if (thread.interrupts_ != 0 && !thread.in_handler_) {
      pause_work(thread);
    } else {
      leave();
    }
    thread.at_work_ = false;
    left = thread.remaining_;
    const bool was_spinning = thread.spinning_;
    run_handlers(thread);
    // Woken while its handler ran.
    if (spinning && was_spinning && !thread.spinning_) return false;
  }
  return true;
}

void Simulation::begin_work(Thread& thread) {
  thread.since_ = now_;
  thread.active_ = true;
  if (uses_memory(thread.activity_)) ++copiers_[static_cast<std::size_t>(machine_.numa_of(thread.cpu_))];
  thread.rate_ = rate_of(thread);
  add_event(now_ + static_cast<Time>(std::ceil(thread.remaining_ / thread.rate_)), Event::Kind::work_ends,
            thread.index_, ++thread.ticket_);
  retime_around(thread);
}

void Simulation::pause_work(Thread& thread) {
  ++thread.ticket_;
  const double done = static_cast<double>(now_ - thread.since_) * thread.rate_;
  thread.remaining_ = std::max(0.0, thread.remaining_ - done);
  trace_.add({thread.since_, now_, thread.cpu_, thread.index_, thread.activity_});
  if (uses_memory(thread.activity_)) --copiers_[static_cast<std::size_t>(machine_.numa_of(thread.cpu_))];
  thread.since_ = now_;
  thread.active_ = false;
  retime_around(thread);
}

double Simulation::rate_of(const Thread& thread) const {
  double rate = 1;
  const int first = machine_.core_of(thread.cpu_) * machine_.threads_per_core;
  for (int cpu = first; cpu < first + machine_.threads_per_core; ++cpu) {
    const Thread* other = cpus_[static_cast<std::size_t>(cpu)].running;
    if (cpu == thread.cpu_ || other == nullptr || !other->active_) continue;
    const bool copies = uses_memory(other->activity_) || uses_memory(thread.activity_);
    rate = std::min(rate, copies ? machine_.smt_copy_share : machine_.smt_share);
  }
  if (uses_memory(thread.activity_)) {
    const int together = copiers_[static_cast<std::size_t>(machine_.numa_of(thread.cpu_))];
    rate = std::min(rate, machine_.memory_rate / (machine_.copy_rate * std::max(1, together)));
  }
  return rate;
}

void Simulation::retime(Thread& thread) {
  const double rate = rate_of(thread);
  if (rate == thread.rate_) return;
  thread.remaining_ -= static_cast<double>(now_ - thread.since_) * thread.rate_;
  thread.remaining_ = std::max(0.0, thread.remaining_);
  trace_.add({thread.since_, now_, thread.cpu_, thread.index_, thread.activity_});
  thread.since_ = now_;
  thread.rate_ = rate;
  add_event(now_ + static_cast<Time>(std::ceil(thread.remaining_ / rate)), Event::Kind::work_ends, thread.index_,
            ++thread.ticket_);
}

// What a thread begins or stops doing changes the speed of its neighbours.
void Simulation::retime_around(const Thread& thread) {
  int first = machine_.core_of(thread.cpu_) * machine_.threads_per_core;
  int last = first + machine_.threads_per_core;
  if (uses_memory(thread.activity_) && machine_.memory_rate < machine_.copy_rate * machine_.cpus_per_numa()) {
    first = machine_.numa_of(thread.cpu_) * machine_.cpus_per_numa();
    last = first + machine_.cpus_per_numa();
  }
  for (int cpu = first; cpu < last; ++cpu) {
    Thread* other = cpus_[static_cast<std::size_t>(cpu)].running;
    if (other == nullptr || other == &thread || !other->active_) continue;
    retime(*other);
  }
}

void Simulation::access() {
  if (current_ == nullptr) return;
  Thread& thread = *current_;
  if (now_ != last_access_) accesses_ = 0;
  last_access_ = now_;
  if (++accesses_ > most_accesses) {
    looping_ = &thread;
    leave();
  }
  if (happens(chaos_.interrupts) && thread.handler && !thread.in_handler_) ++thread.interrupts_;
  if (happens(chaos_.pauses)) {
    const auto longest = static_cast<uint64_t>(std::max<Time>(1, chaos_.longest_pause));
    do_work(thread, static_cast<double>(1 + random_() % longest), Activity::pause, false);
  }
  run_handlers(thread);
}

void Simulation::set_priority(Thread& thread, int priority) {
  thread.turn_.base_priority = thread.turn_.current_priority = static_cast<uint8_t>(priority);
}

void Simulation::set_priority(Type type, int priority) {
  for (Thread& thread : threads_) {
    if (thread.type_ == type) set_priority(thread, priority);
  }
}

void Simulation::wait_on(const void* word, Time limit) {
  Thread& thread = *current_;
  sleepers_[word].push_back(&thread);
  thread.permit_ = false;
  if (limit >= 0) after(limit, [this, &thread] { wake(thread); });
  block();
  auto& here = sleepers_[word];
  here.erase(std::remove(here.begin(), here.end(), &thread), here.end());
}

void Simulation::wake_on(const void* word, int count) {
  auto& here = sleepers_[word];
  while (count-- > 0 && !here.empty()) {
    Thread& thread = *here.front();
    here.erase(here.begin());
    wake(thread);
  }
}

}  // namespace vif::sim
