#include "sim/engine.hpp"

#include <algorithm>

#include "react/policy.hpp"
#include "sim/task_pool.hpp"

namespace vif::sim {

SimEngine::SimEngine(Simulation& simulation, Wire& wire, std::vector<SimEngine*>& all, int process, int cpu,
                     const EngineOptions& options)
    : simulation_(simulation), wire_(wire), all_(all), cpu_(cpu), options_(options), failed_(all.size(), false) {
  process_ = process;
  processes_ = together_ = static_cast<int>(all.size());
  ownership_.set_shared(is_helped());
}

void SimEngine::serve(Thread& rank, Thread* progress, TaskPool* pool) {
  rank_ = &rank;
  progress_ = progress;
  pool_ = pool;
  rank.handler = [this] { interrupted(); };
}

// --- who runs it ---

SimEngine::Who SimEngine::me() const {
  const Thread* thread = simulation_.current();
  if (thread != nullptr && thread->type() == Type::progress) return Who::progress;
  return thread != nullptr && thread->in_handler() ? Who::handler : Who::application;
}

// A rank with a progress thread treats only what is left to itself, unless it waits and takes over.
bool SimEngine::serves_all(Who who) const {
  return !is_helped() || who == Who::progress || (options_.take_over && waiting_);
}

bool SimEngine::has_work(Who who) const {
  if (serves_all(who) && (!inbox_.empty() || !incoming_.empty() || again_)) return true;
  return who == Who::application && (!incoming_for_app_.empty() || !meetings_for_app_.empty() || !app_tasks_.empty());
}

// False: another context, or the one that this one interrupts, owns the engine; it has been told.
bool SimEngine::run(Who who) {
  if (!ownership_.try_acquire()) return false;
  const uint64_t before = epoch_;
  do {
    who_ = who;
    turn(who);
    who_ = Who::nobody;
  } while (ownership_.release_and_look([&] { return who != Who::handler && has_work(who); }));
  // Whoever found the engine owned meanwhile, and has work that was not mine.
  if (who != Who::application && (epoch_ != before || has_work(Who::application))) ring_application();
  if (who != Who::progress && progress_may_run() && has_work(Who::progress)) ring_progress();
  return true;
}

template <class Queue>
auto take_first(Queue& queue) {
  auto first = std::move(queue.front());
  queue.pop_front();
  return first;
}

void SimEngine::turn(Who who) {
  if (serves_all(who)) {
    while (base::Inbox<>::Record* record = inbox_.take()) {
      auto& task = static_cast<net::Task&>(*record);
      ++epoch_;
      task.run(*this, task);
    }
    while (!incoming_.empty()) {
      Packet packet = take_first(incoming_);
      if (who != Who::application && is_helped() && is_for_application(packet)) {
        incoming_for_app_.push_back(std::move(packet));
      } else {
        treat(std::move(packet), who);
      }
    }
    again_ = false;
    for (std::size_t index = 0; index < pollers_.size();) {
      net::Poller* const poller = pollers_[index];
      pollers_.erase(pollers_.begin() + static_cast<std::ptrdiff_t>(index));
      ++epoch_;
      if (!poller->poll(*this, *poller)) {
        pollers_.insert(pollers_.begin() + static_cast<std::ptrdiff_t>(index), poller);
        ++index;
      }
    }
  }
  if (who != Who::application) return release_for_others(who);
  while (!app_tasks_.empty() || !incoming_for_app_.empty() || !meetings_for_app_.empty()) {
    if (!app_tasks_.empty()) {
      net::Task& task = *take_first(app_tasks_);
      ++epoch_;
      task.run(*this, task);
    } else if (!incoming_for_app_.empty()) {
      treat(take_first(incoming_for_app_), who);
    } else {
      Meeting meeting = take_first(meetings_for_app_);
      meet(*meeting.receive, std::move(meeting.packet), who);
    }
  }
}

// What was put aside for the application, and is not for it any more.
void SimEngine::release_for_others(Who who) {
  for (std::size_t left = incoming_for_app_.size(); left != 0; --left) {
    Packet packet = take_first(incoming_for_app_);
    if (is_for_application(packet)) {
      incoming_for_app_.push_back(std::move(packet));
    } else {
      treat(std::move(packet), who);
    }
  }
  for (std::size_t left = meetings_for_app_.size(); left != 0; --left) {
    Meeting meeting = take_first(meetings_for_app_);
    if (meeting.receive->by_application) {
      meetings_for_app_.push_back(std::move(meeting));
    } else {
      meet(*meeting.receive, std::move(meeting.packet), who);
    }
  }
}

// --- resting, and being rung ---

void SimEngine::enter() noexcept {
  if (depth_++ == 0) posture_.be_quiet();
}

void SimEngine::leave() noexcept {
  if (--depth_ != 0 || options_.mode != Mode::react || options_.planted == Planted::missing_arm) return;
  while (something_pending()) {
    posture_.rest(bell::Posture::armed);
    if (!has_work(Who::application)) return;
    posture_.be_quiet();
    run(Who::application);
  }
}

void SimEngine::interrupted() {
  while (options_.mode == Mode::react) {
    if (!run(Who::handler)) return;
    if (depth_ != 0 || !something_pending()) return;
    posture_.rest(bell::Posture::armed);
    if (!has_work(Who::handler)) return;
    posture_.be_quiet();
    if (!again_) continue;
    simulation_.interrupt(*rank_);  // bounded work was cut: the rest comes with the next interrupt
    return;
  }
}

void SimEngine::wait_until(bool (*condition)(void*), void* argument) noexcept {
  waiting_ = true;
  while (!condition(argument)) {
    const uint64_t seen = epoch_;
    run(Who::application);
    if (condition(argument)) break;
    if (epoch_ == seen) rest_until_rung(seen);
  }
  waiting_ = false;
  if (is_helped() && something_pending()) ring_progress();
}

void SimEngine::wait_at_most(bool (*condition)(void*), void* argument, int64_t ns) noexcept {
  const Time deadline = simulation_.now() + ns;
  while (!condition(argument)) {
    const uint64_t seen = epoch_;
    run(Who::application);
    const Time left = deadline - simulation_.now();
    if (condition(argument) || left <= 0) return;
    if (simulation_.is_wanted()) {
      simulation_.work(simulation_.machine().look_ns, Activity::look);
      simulation_.yield();
      continue;
    }
    spins_ = true;
    if (epoch_ == seen && (!has_work(Who::application) || ownership_.held())) simulation_.spin(left);
    spins_ = false;
  }
}

void SimEngine::rest_until_rung(uint64_t seen) {
  // Who owns the engine now rings when it has left work.
  const auto something = [&] { return epoch_ != seen || (has_work(Who::application) && !ownership_.held()); };
  const Time begin = simulation_.now();
  bell::SpinBudget& budget = simulation_.is_wanted() ? crowded_look_ : look_;
  if (const Time look = look_time(); look > 0) {
    spins_ = true;
    if (!something()) simulation_.spin(look);
    spins_ = false;
    if (something()) return budget.came(simulation_.now() - begin);
  }
  posture_.rest(bell::Posture::sleeping);
  if (options_.planted == Planted::lost_wake_up || !something()) posture_.sleep(-1);
  posture_.be_quiet();
  budget.slept(simulation_.now() - begin);
}

// How long to look before a sleep, as Core::rests_early() of src/net asks it.
Time SimEngine::look_time() {
  if (!options_.learns) return simulation_.is_wanted() ? 0 : options_.spin;
  react::Situation situation;
  situation.crowded = simulation_.is_wanted();
  situation.learnt_look_ns = (situation.crowded ? crowded_look_ : look_).budget();
  return react::choose(situation).look_ns;
}

void SimEngine::progress_loop() {
  while (!stopping_) {
    if (progress_may_run()) run(Who::progress);
    if (!stopping_) rest_of_progress();
  }
}

void SimEngine::rest_of_progress() {
  const bool polls = options_.turns == Turns::round_robin ||
                     (options_.turns == Turns::suspended && something_pending() && progress_may_run());
  if (polls) {
    simulation_.work(simulation_.machine().look_ns, Activity::look);
    if (simulation_.is_wanted()) return simulation_.yield();
    progress_spins_ = true;
    if (!has_work(Who::progress) && !stopping_) simulation_.spin(1'000'000);
    progress_spins_ = false;
    return;
  }
  progress_posture_.rest(bell::Posture::sleeping);
  // Whoever owns the engine now rings when it has left work.
  const bool may_go_on = progress_may_run() && has_work(Who::progress) && !ownership_.held();
  if (!may_go_on && !stopping_) progress_posture_.sleep(-1);
  progress_posture_.be_quiet();
}

void SimEngine::run_by_pool() {
  if (progress_may_run()) run(Who::progress);
}

void SimEngine::copied(Packet packet) {
  packet.kind = Packet::Kind::copied;
  incoming_.push_back(std::move(packet));
  if (progress_may_run()) {
    run(Who::progress);
  } else {
    ring_application();
  }
}

void SimEngine::stop() {
  stopping_ = true;
  ring_progress();
}

void SimEngine::ring_me() {
  switch (options_.mode) {
    case Mode::thread:
    case Mode::tasks:
      return progress_may_run() ? ring_progress() : ring_application();
    case Mode::react:
      if (spins_) simulation_.wake(*rank_);
      if (posture_.ring(false) == bell::Call::interrupt) simulation_.interrupt(*rank_);
      return;
    case Mode::poll:
      return ring_application();
  }
}

void SimEngine::ring_application() {
  if (spins_) simulation_.wake(*rank_);
  posture_.ring(true);
}

void SimEngine::ring_progress() {
  if (pool_ != nullptr) return pool_->run(*this);
  if (progress_ == nullptr) return;
  if (progress_spins_) simulation_.wake(*progress_);
  progress_posture_.ring(true);
}

void SimEngine::ring(int process) noexcept {
  SimEngine& other = *all_[static_cast<std::size_t>(process)];
  if (&other == this) {
    again_ = true;
    if (who_ != Who::nobody) return;
  }
  other.ring_me();
}

// --- submitting ---

void SimEngine::send(net::Request& request) noexcept {
  request.run = [](net::Engine& engine, net::Task& task) noexcept {
    engine.start_send(static_cast<net::Request&>(task));
  };
  request.done.store(0, std::memory_order_relaxed);
  submit(request);
}

void SimEngine::receive(net::Request& request) noexcept {
  request.run = [](net::Engine& engine, net::Task& task) noexcept {
    engine.start_receive(static_cast<net::Request&>(task));
  };
  request.done.store(0, std::memory_order_relaxed);
  submit(request);
}

void SimEngine::submit(net::Task& task) noexcept {
  inbox_.push(task);
  const Who who = me();
  if (serves_all(who)) {
    run(who);
  } else {
    ring_progress();
  }
}

void SimEngine::submit_to_app(net::Task& task) noexcept {
  app_tasks_.push_back(&task);
  if (me() == Who::application) {
    run(Who::application);
  } else {
    ring_application();
  }
}

void SimEngine::run_in_app(net::Task& task) noexcept {
  app_tasks_.push_back(&task);
  if (me() != Who::application) ring_application();
}

void SimEngine::progress() noexcept { run(Who::application); }

void SimEngine::add_poller(net::Poller& poller) noexcept { pollers_.push_back(&poller); }

void SimEngine::worked(uint64_t bytes, bool combined) noexcept {
  const Machine& machine = simulation_.machine();
  const double rate = combined ? machine.combine_rate : machine.copy_rate;
  simulation_.work(static_cast<double>(bytes) * 1000 / rate, combined ? Activity::combine : Activity::copy);
}

bool SimEngine::has_failed(int process) const noexcept { return failed_[static_cast<std::size_t>(process)]; }

bool SimEngine::idle() const {
  return outstanding_ == 0 && pollers_.empty() && inbox_.empty() && incoming_.empty() && incoming_for_app_.empty() &&
         meetings_for_app_.empty() && app_tasks_.empty() && unexpected_.empty();
}

std::string SimEngine::describe() const {
  return "process " + std::to_string(process_) + ": " + std::to_string(outstanding_) + " requests, " +
         std::to_string(incoming_.size() + incoming_for_app_.size()) + " packets to treat, " +
         std::to_string(app_tasks_.size()) + " tasks for the application, " + std::to_string(unexpected_.size()) +
         " unexpected";
}

}  // namespace vif::sim
