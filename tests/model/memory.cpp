// Loads, stores and fences by views; see execution.hpp for what the model promises.
#include "model/memory.hpp"

#include "model/execution.hpp"

namespace vif::model {

namespace {

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_consume ||
         order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}

const char* load_name(std::memory_order order) {
  if (order == std::memory_order_seq_cst) return "load seq_cst";
  return acquires(order) ? "load acquire" : "load relaxed";
}

const char* store_name(std::memory_order order) {
  if (order == std::memory_order_seq_cst) return "store seq_cst";
  return releases(order) ? "store release" : "store relaxed";
}

}  // namespace

Location::Location(uint64_t initial) : number_(Execution::now().new_location()) { history_.push_back({initial, {}}); }

uint32_t Location::oldest_visible(std::memory_order order) const {
  Execution& execution = Execution::now();
  if (!execution.inside()) return newest_time();
  uint32_t oldest = execution.views().current.at(number_);
  if (order == std::memory_order_seq_cst) oldest = std::max(oldest, execution.sequential().at(number_));
  return oldest;
}

// The running thread reads the value stored at `time`.
const Location::Stored& Location::see(uint32_t time, std::memory_order order) const {
  Execution& execution = Execution::now();
  ThreadViews& views = execution.views();
  const Stored& stored = history_[time];
  views.current.raise(number_, time);
  views.acquired.join(stored.view);
  if (acquires(order)) views.current.join(stored.view);
  if (order == std::memory_order_seq_cst) execution.sequential().raise(number_, time);
  return stored;
}

uint64_t Location::load(std::memory_order order) const {
  Execution& execution = Execution::now();
  execution.point();
  uint32_t visible = newest_time() - oldest_visible(order) + 1;
  auto stale = static_cast<uint32_t>(execution.choose_stale(visible));
  uint64_t value = see(newest_time() - stale, order).value;
  execution.record(load_name(order), this, value, stale);
  return value;
}

void Location::store(uint64_t value, std::memory_order order) {
  Execution& execution = Execution::now();
  execution.point();
  ThreadViews& views = execution.views();
  uint32_t time = newest_time() + 1;
  views.current.raise(number_, time);
  View view = releases(order) ? views.current : views.released;
  view.raise(number_, time);
  history_.push_back({value, std::move(view)});
  if (order == std::memory_order_seq_cst) execution.sequential().raise(number_, time);
  execution.record(store_name(order), this, value);
}

// The second half of a read-modify-write: it goes on the release sequence of the value that it replaces.
uint64_t Location::replace(uint64_t value, std::memory_order order) {
  ThreadViews& views = Execution::now().views();
  uint32_t time = newest_time();
  uint64_t old = see(time, order).value;
  views.current.raise(number_, time + 1);
  View view = releases(order) ? views.current : views.released;
  view.join(history_[time].view);
  view.raise(number_, time + 1);
  history_.push_back({value, std::move(view)});
  if (order == std::memory_order_seq_cst) Execution::now().sequential().raise(number_, time + 1);
  return old;
}

uint64_t Location::modify(const std::function<uint64_t(uint64_t)>& update, std::memory_order order,
                          const char* operation) {
  Execution& execution = Execution::now();
  execution.point();
  uint64_t value = update(newest());
  uint64_t old = replace(value, order);
  execution.record(operation, this, value);
  return old;
}

bool Location::compare_exchange(uint64_t& expected, uint64_t desired, std::memory_order success,
                                std::memory_order failure) {
  Execution& execution = Execution::now();
  execution.point();
  // What it may see: the newest value, or an older visible one that makes it fail.
  std::vector<uint32_t> times{newest_time()};
  for (uint32_t time = newest_time(); time-- > oldest_visible(failure);) {
    if (history_[time].value != expected) times.push_back(time);
  }
  std::size_t chosen = execution.choose_stale(times.size());
  uint32_t time = times[chosen];
  if (history_[time].value == expected) {
    replace(desired, success);
    execution.record("compare_exchange yes", this, desired);
    return true;
  }
  expected = see(time, failure).value;
  execution.record("compare_exchange no", this, expected, newest_time() - time);
  return false;
}

void full_fence() {
  Execution& execution = Execution::now();
  execution.point();
  ThreadViews& views = execution.views();
  views.current.join(views.acquired);
  views.current.join(execution.sequential());
  execution.sequential().join(views.current);
  views.released = views.current;
  execution.record("fence", nullptr, 0);
}

uint32_t RaceDetector::tick() {
  Execution& execution = Execution::now();
  View& view = execution.views().current;
  uint32_t time = view.at(execution.clock()) + 1;
  view.raise(execution.clock(), time);
  return time;
}

void RaceDetector::check(const Access& access, const void* variable, const char* what) {
  Execution& execution = Execution::now();
  if (access.thread < 0 || execution.views().current.at(access.clock) >= access.time) return;
  execution.record(what, variable, 0);
  execution.fail(std::string("Data race: ") + what + " of a plain variable by one thread, and an access by another " +
                 "that nothing orders before it.");
}

void RaceDetector::read(const void* variable) const {
  Execution& execution = Execution::now();
  if (!execution.inside()) return;
  execution.handler_point();
  check(written_, variable, "plain read");
  Access access{execution.clock(), tick(), execution.self()};
  for (Access& known : reads_) {
    if (known.thread != access.thread) continue;
    known = access;
    return;
  }
  reads_.push_back(access);
}

void RaceDetector::write(const void* variable) {
  Execution& execution = Execution::now();
  if (!execution.inside()) return;
  execution.handler_point();
  check(written_, variable, "plain write");
  for (const Access& access : reads_) check(access, variable, "plain write");
  reads_.clear();
  written_ = {execution.clock(), tick(), execution.self()};
}

}  // namespace vif::model
