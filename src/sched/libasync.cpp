// include/vif/libasync.hpp: what Libasync keeps for the program is kept here, under one lock. Context: app and core.
#include <vif/libasync.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <unordered_map>

namespace vif::libasync {

struct timecb_t {
  Watch watch;
};

namespace {

struct Watched {
  Watch watch;
  cbv event;
};

struct State {
  Runtime runtime;
  std::mutex lock;
  // Under the lock.
  std::map<std::pair<int, selop>, Watched> descriptors;
  std::unordered_map<int, Watched> signals;
  std::unordered_map<timecb_t*, std::unique_ptr<timecb_t>> timers;
};

State& state() {
  // Never destroyed: a handler may call exit().
  static State* const made = new State;
  return *made;
}

// Takes the timer out of the table: true for the one who is to run or to cancel it.
bool take(timecb_t* timer, std::unique_ptr<timecb_t>& taken) {
  State& all = state();
  const std::lock_guard guard(all.lock);
  const auto found = all.timers.find(timer);
  if (found == all.timers.end()) return false;
  taken = std::move(found->second);
  all.timers.erase(found);
  return true;
}

timecb_t* start_timer(std::chrono::nanoseconds delay, const cbv& event) {
  State& all = state();
  auto made = std::make_unique<timecb_t>();
  timecb_t* const timer = made.get();
  // The handler waits for this lock before it looks for the timer.
  const std::lock_guard guard(all.lock);
  all.timers.emplace(timer, std::move(made));
  timer->watch = all.runtime.after(delay, event->colour(), [timer, event] {
    std::unique_ptr<timecb_t> taken;
    if (take(timer, taken)) (*event)();
  });
  return timer;
}

}  // namespace

Runtime& runtime() { return state().runtime; }
void amain() { runtime().run(); }

void cpucb(const cbv& event) {
  runtime().post_front(event->colour(), [event] { (*event)(); });
}

void cpucb_tail(const cbv& event) {
  runtime().post(event->colour(), [event] { (*event)(); });
}

void fdcb(int descriptor, selop direction, const cbv& event) {
  State& all = state();
  const std::lock_guard guard(all.lock);
  const auto found = all.descriptors.find({descriptor, direction});
  if (found != all.descriptors.end()) {
    found->second.watch.cancel();
    all.descriptors.erase(found);
  }
  if (event == nullptr) return;
  auto run = [event] { (*event)(); };
  Watch watch = direction == selread ? all.runtime.on_readable(descriptor, event->colour(), run)
                                     : all.runtime.on_writable(descriptor, event->colour(), run);
  all.descriptors.emplace(std::make_pair(descriptor, direction), Watched{std::move(watch), event});
}

cbv sigcb(int signal, const cbv& event) {
  State& all = state();
  const std::lock_guard guard(all.lock);
  cbv before;
  Watched fresh;
  if (event != nullptr) {
    fresh = {all.runtime.on_signal(signal, event->colour(), [event] { (*event)(); }), event};
  }
  const auto found = all.signals.find(signal);
  if (found != all.signals.end()) {
    found->second.watch.cancel();
    before = found->second.event;
    all.signals.erase(found);
  }
  if (event != nullptr) all.signals.emplace(signal, std::move(fresh));
  return before;
}

timecb_t* timecb(const timespec& time, const cbv& event) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const auto delay =
      std::chrono::seconds(time.tv_sec - now.tv_sec) + std::chrono::nanoseconds(time.tv_nsec - now.tv_nsec);
  return start_timer(delay, event);
}

timecb_t* delaycb(std::time_t seconds, std::uint32_t nanoseconds, const cbv& event) {
  return start_timer(std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanoseconds), event);
}

void timecb_remove(timecb_t* timer) {
  std::unique_ptr<timecb_t> taken;
  if (take(timer, taken)) taken->watch.cancel();
}

}  // namespace vif::libasync
