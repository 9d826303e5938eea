// Context: as in split.hpp.
#include "coll/split.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "coll/algorithms.hpp"
#include "coll/collectives.hpp"
#include "coll/schedule_operation.hpp"

namespace vif::coll {

namespace {

// A collective in phases, one after the other on each process.
//
// By the mode of the group: moved by `thread`, what is not the application's is handed over to the progress thread;
// moved by `poll`, all of it is the application's, and nobody is interrupted for it.
class SplitOperation final : public Operation {
 public:
  explicit SplitOperation(Group& group, const SplitOptions& options) noexcept
      : group_(group), site_(options.site), patience_ns_(options.patience_ns), message_ns_(options.message_ns) {
    by_thread_ = group.progress == net::Progress::thread;
    polled_ = group.progress == net::Progress::poll;
    next_task_.run = phase_done;
    release_task_.run = patience_over;
    next_task_.owner = release_task_.owner = this;
  }
  ~SplitOperation() override { learn(); }

  Schedule& add(int32_t tag, const Reduction& reduction, bool by_application) {
    ScheduleOperation& phase = phases_[at(count_++)].emplace(group_);
    if (polled_) phase.move_by(net::Progress::poll);
    if (by_application) phase.leave_to_application();
    phase.schedule().clear(tag);
    phase.schedule().set_reduction(reduction);
    phase.then(next_task_);
    return phase.schedule();
  }
  void seal() {
    for (int index = 0; index < count_; ++index) phases_[at(index)]->schedule().seal();
  }
  bool starts_with_application = false;

  void start() noexcept override {
    learn();
    outcome_ = net::Outcome::success;
    done_.store(0, std::memory_order_relaxed);
    current_ = 0;
    net::Engine& engine = *group_.engine;
    entrusted_ = by_thread_ && engine.entrust();
    const bool waits = starts_with_application && !polled_;
    patient_ = waits;
    if (waits) phases_[0]->leave_to_application();  // again: the last run may have left it to anybody
    first_over_.store(0, std::memory_order_relaxed);
    phases_[0]->start_after(net::Outcome::success, entrusted_ && !starts_with_application);
    if (waits) {
      engine.wait_at_most(
          [](void* it) { return static_cast<SplitOperation*>(it)->first_over_.load(std::memory_order_acquire) != 0; },
          this, patience_ns_);
      engine.submit(release_task_);
    }
    asked_ns_.store(0, std::memory_order_relaxed);
    started_ns_ = engine.now_ns();
  }

  void asked() noexcept override {
    int64_t not_yet = 0;
    if (asked_ns_.load(std::memory_order_relaxed) != 0) return;
    asked_ns_.compare_exchange_strong(not_yet, group_.engine->now_ns(), std::memory_order_relaxed);
  }

 private:
  struct OwnTask : net::Task {
    SplitOperation* owner = nullptr;
  };
  static std::size_t at(int index) noexcept { return static_cast<std::size_t>(index); }

  // App, while it does not run. What the program did between start and wait teaches the next S. A run that was over
  // before anybody asked was hidden whole, by a computation at least as long as until now.
  void learn() noexcept {
    if (site_ == nullptr || started_ns_ == 0) return;
    const int64_t asked = asked_ns_.load(std::memory_order_relaxed);
    const int64_t until = asked != 0 ? asked : group_.engine->now_ns();
    site_->measured(static_cast<double>(until - started_ns_), message_ns_);
    started_ns_ = 0;
  }

  // Engine. The phase that ran is complete.
  static void phase_done(net::Engine& engine, net::Task& task) noexcept {
    SplitOperation& self = *static_cast<OwnTask&>(task).owner;
    const net::Outcome outcome = self.phases_[at(self.current_)]->outcome();
    if (self.outcome_ == net::Outcome::success) self.outcome_ = outcome;
    ++self.current_;
    self.first_over_.store(1, std::memory_order_release);
    if (self.current_ < self.count_) {
      self.phases_[at(self.current_)]->start_after(self.outcome_, self.entrusted_ && engine.in_application());
    } else if (!self.patient_) {
      self.finish(engine);
    }
  }

  // Engine. Whatever of the first phase is not done is done by anybody.
  static void patience_over(net::Engine& engine, net::Task& task) noexcept {
    SplitOperation& self = *static_cast<OwnTask&>(task).owner;
    self.patient_ = false;
    if (self.current_ == 0) {
      self.phases_[0]->leave_to_anybody(engine);
    } else if (self.current_ == self.count_) {
      self.finish(engine);
    }
  }

  // Engine, the last thing: whoever sees it may free everything.
  void finish(net::Engine& engine) noexcept {
    if (entrusted_) engine.relieve();
    done_.store(1, std::memory_order_release);
  }

  Group& group_;
  std::shared_ptr<SplitSite> site_;
  int64_t patience_ns_;
  double message_ns_;
  std::array<std::optional<ScheduleOperation>, 4> phases_;
  int count_ = 0;
  int current_ = 0;         // written by the engine
  bool patient_ = false;    // the starting call still looks; written by the engine after start()
  bool by_thread_ = false;  // while the program computes
  bool polled_ = false;
  bool entrusted_ = false;  // this run, to the progress thread
  std::atomic<uint32_t> first_over_{0};
  int64_t started_ns_ = 0;            // when the start returned; 0: not, or learnt from
  std::atomic<int64_t> asked_ns_{0};  // when the program came to wait
  OwnTask next_task_;
  OwnTask release_task_;
};

// The place of a process in the tree, counted from the root.
struct Tree {
  int size;
  int root;
  int place;
  int process(int at) const noexcept { return (at + root) % size; }
};

Tree tree_of(const Schedule& schedule, int root) noexcept {
  const int size = schedule.size();
  return {size, root, (schedule.rank() - root + size) % size};
}

// Steps [from, to) of a broadcast, as distances.
void bcast_steps(Schedule& schedule, void* buffer, uint64_t bytes, int root, int from, int to) {
  const Tree tree = tree_of(schedule, root);
  Step received = Schedule::none;
  for (int distance = to / 2; distance >= std::max(1, from); distance /= 2) {
    if (tree.place % (2 * distance) == distance) {
      received = schedule.receive(tree.process(tree.place - distance), buffer, bytes, 0);
    } else if (tree.place % (2 * distance) == 0 && tree.place + distance < tree.size) {
      schedule.send(tree.process(tree.place + distance), buffer, bytes, 0, {received});
    }
  }
}

// Steps [from, to) of a reduction. What is combined so far goes from phase to phase in `combined`; on the root that is
// soon `out`, so that nothing is copied at the end.
void reduce_steps(Schedule& schedule, const void*& combined, void* out, uint64_t count, int root, int from, int to) {
  const Tree tree = tree_of(schedule, root);
  const uint64_t bytes = count * schedule.reduction().element_size;
  Step ready = Schedule::none;
  for (int distance = std::max(1, from); distance < to; distance *= 2) {
    if (tree.place % (2 * distance) == distance) {
      schedule.send(tree.process(tree.place - distance), combined, bytes, 0, {ready});
      return;
    }
    if (tree.place % (2 * distance) != 0) return;
    if (tree.place + distance >= tree.size) continue;
    const bool home = tree.place == 0 && combined != out;
    void* const theirs = home ? out : schedule.temporary(bytes);
    const Step received = schedule.receive(tree.process(tree.place + distance), theirs, bytes, 0);
    if (tree.place == 0 && !home) {
      ready = schedule.reduce(theirs, out, count, {ready, received});
    } else {
      ready = schedule.reduce(combined, theirs, count, {ready, received});
      combined = theirs;
    }
  }
}

// The places below a place, itself first, in a tree cut off above `limit`.
int places_below(const Tree& tree, int limit) noexcept {
  int bit = 1;
  while (bit < limit && (tree.place & bit) == 0) bit *= 2;
  return std::min(bit, tree.size - tree.place);
}

// Steps [from, to) of a gather into, and of a scatter out of, `blocks`, which hold the places below this one in order.
void gather_steps(Schedule& schedule, std::byte* blocks, uint64_t bytes, int root, int from, int to) {
  const Tree tree = tree_of(schedule, root);
  Step ready = Schedule::none;
  for (int distance = std::max(1, from); distance < to; distance *= 2) {
    const int here = std::min(distance, tree.size - tree.place);
    if (tree.place % (2 * distance) == distance) {
      schedule.send(tree.process(tree.place - distance), blocks, static_cast<uint64_t>(here) * bytes, 0, {ready});
      return;
    }
    if (tree.place % (2 * distance) != 0) return;
    if (tree.place + distance >= tree.size) continue;
    const int theirs = std::min(distance, tree.size - tree.place - distance);
    std::byte* const to_here = blocks + static_cast<uint64_t>(distance) * bytes;
    const uint64_t length = static_cast<uint64_t>(theirs) * bytes;
    ready = schedule.join({ready, schedule.receive(tree.process(tree.place + distance), to_here, length, 0)});
  }
}

void scatter_steps(Schedule& schedule, std::byte* blocks, uint64_t bytes, int root, int from, int to) {
  const Tree tree = tree_of(schedule, root);
  Step received = Schedule::none;
  for (int distance = to / 2; distance >= std::max(1, from); distance /= 2) {
    if (tree.place % (2 * distance) == distance) {
      const int here = std::min(distance, tree.size - tree.place);
      const uint64_t length = static_cast<uint64_t>(here) * bytes;
      received = schedule.receive(tree.process(tree.place - distance), blocks, length, 0);
    } else if (tree.place % (2 * distance) == 0 && tree.place + distance < tree.size) {
      const int theirs = std::min(distance, tree.size - tree.place - distance);
      schedule.send(tree.process(tree.place + distance), blocks + static_cast<uint64_t>(distance) * bytes,
                    static_cast<uint64_t>(theirs) * bytes, 0, {received});
    }
  }
}

int top_of(int size) noexcept { return 1 << tree_steps(size); }
int cut_of(int split, int size) noexcept { return 1 << std::clamp(split, 0, tree_steps(size)); }

// Leaves and the rest as two schedules, in the order in which they run. A phase without steps is nothing.
template <class Write>
OperationPointer make_phases(Group& group, const SplitOptions& options, const Write& write) noexcept {
  try {
    auto operation = std::make_unique<SplitOperation>(group, options);
    write(*operation, next_tag(group, options.order));
    operation->seal();
    return operation;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void add_reduce(SplitOperation& operation, int32_t tag, const void* in, void* out, uint64_t count,
                const Reduction& reduction, int root, int cut) {
  const void* combined = in;
  Schedule& leaves = operation.add(tag, reduction, true);
  reduce_steps(leaves, combined, out, count, root, 1, cut);
  Schedule& rest = operation.add(tag, reduction, false);
  reduce_steps(rest, combined, out, count, root, cut, top_of(leaves.size()));
  if (rest.rank() == root && combined != out) rest.copy(out, combined, count * reduction.element_size);
}

void add_bcast(SplitOperation& operation, int32_t tag, void* buffer, uint64_t bytes, int root, int cut) {
  Schedule& upper = operation.add(tag, {}, false);
  bcast_steps(upper, buffer, bytes, root, cut, top_of(upper.size()));
  bcast_steps(operation.add(tag, {}, true), buffer, bytes, root, 1, cut);
}

}  // namespace

OperationPointer make_split_bcast(Group& group, void* buffer, uint64_t bytes, int root, SplitOptions options) noexcept {
  return make_phases(group, options, [&](SplitOperation& operation, int32_t tag) {
    add_bcast(operation, tag, buffer, bytes, root, cut_of(options.split, group.size));
  });
}

OperationPointer make_split_reduce(Group& group, const void* in, void* out, uint64_t count, const Reduction& reduction,
                                   int root, SplitOptions options) noexcept {
  return make_phases(group, options, [&](SplitOperation& operation, int32_t tag) {
    operation.starts_with_application = options.split > 0;
    const void* const from = in == in_place ? out : in;
    add_reduce(operation, tag, from, out, count, reduction, root, cut_of(options.split, group.size));
  });
}

OperationPointer make_split_allreduce(Group& group, const void* in, void* out, uint64_t count,
                                      const Reduction& reduction, SplitOptions options) noexcept {
  return make_phases(group, options, [&](SplitOperation& operation, int32_t tag) {
    operation.starts_with_application = options.split > 0;
    const int cut = cut_of(options.split, group.size);
    add_reduce(operation, tag, in == in_place ? out : in, out, count, reduction, 0, cut);
    add_bcast(operation, next_tag(group, options.order), out, count * reduction.element_size, 0, cut);
  });
}

OperationPointer make_split_gather(Group& group, const void* in, uint64_t bytes, void* out, int root,
                                   SplitOptions options) noexcept {
  return make_phases(group, options, [&](SplitOperation& operation, int32_t tag) {
    operation.starts_with_application = options.split > 0;
    const int cut = cut_of(options.split, group.size);
    Schedule& leaves = operation.add(tag, {}, true);
    const Tree tree = tree_of(leaves, root);
    const int below = tree.place == 0 ? tree.size : places_below(tree, top_of(tree.size));
    std::byte* const blocks = leaves.temporary(static_cast<uint64_t>(below) * bytes);
    std::byte* const result = static_cast<std::byte*>(out);
    const void* const own = in == in_place ? result + static_cast<uint64_t>(root) * bytes : in;
    leaves.copy(blocks, own, bytes);
    leaves.next_phase();
    gather_steps(leaves, blocks, bytes, root, 1, cut);
    Schedule& rest = operation.add(tag, {}, false);
    gather_steps(rest, blocks, bytes, root, cut, top_of(tree.size));
    if (tree.place != 0) return;
    rest.next_phase();
    const uint64_t upper = static_cast<uint64_t>(tree.size - root) * bytes;  // the root's block and those above
    rest.copy(result + static_cast<uint64_t>(root) * bytes, blocks, upper);
    rest.copy(result, blocks + upper, static_cast<uint64_t>(root) * bytes);
  });
}

OperationPointer make_split_scatter(Group& group, const void* in, uint64_t bytes, void* out, int root,
                                    SplitOptions options) noexcept {
  return make_phases(group, options, [&](SplitOperation& operation, int32_t tag) {
    const int cut = cut_of(options.split, group.size);
    Schedule& upper = operation.add(tag, {}, false);
    const Tree tree = tree_of(upper, root);
    const int below = tree.place == 0 ? tree.size : places_below(tree, top_of(tree.size));
    std::byte* const blocks = upper.temporary(static_cast<uint64_t>(below) * bytes);
    if (tree.place == 0) {
      const std::byte* const all = static_cast<const std::byte*>(in);
      const uint64_t above = static_cast<uint64_t>(tree.size - root) * bytes;
      upper.copy(blocks, all + static_cast<uint64_t>(root) * bytes, above);
      upper.copy(blocks + above, all, static_cast<uint64_t>(root) * bytes);
      upper.next_phase();
    }
    scatter_steps(upper, blocks, bytes, root, cut, top_of(tree.size));
    Schedule& leaves = operation.add(tag, {}, true);
    scatter_steps(leaves, blocks, bytes, root, 1, cut);
    leaves.next_phase();
    if (out != in_place) leaves.copy(out, blocks, bytes);
  });
}

}  // namespace vif::coll
