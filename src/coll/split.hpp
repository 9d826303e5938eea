// split-tree: tree collectives of which the steps nearest to the leaves are done by application threads, and the others
// by whatever progresses the engine (H. Taboada, thesis, Bordeaux 2018, chapter 5).
//
// A binomial tree of N processes has H = ceil(log2 N) steps, step 1 at the leaves, with about half of all messages.
// Where few cores serve the progress of many processes, step 1 alone takes them longer than all others. Done by the
// application's cores, all at once, the S nearest steps take S; but what they do is not hidden behind computation.
//
//   reduce, gather    S steps in the call that starts the operation, the others behind the computation
//   bcast, scatter    the upper steps behind the computation, the last S when the application waits or tests
//   allreduce         a reduce, then a bcast
//
// Unlike the source's, starting never depends on other processes, as MPI demands: it looks for them for `patience` at
// most, and leaves what is not done then to whatever progresses the engine. What is left for the end is put aside by
// Engine::run_in_app, so every call of the library drives it, whichever form of waiting or testing it is.
//
// Context: app for everything, except start() of a persistent operation's phases, which the engine does.
#pragma once

#include <memory>
#include <mutex>

#include "coll/coll.hpp"

namespace vif::coll {

// Steps of the tree of that many processes.
int tree_steps(int size) noexcept;

// The model of section 5.1.2, corrected: unit is a message. `cores` serve, and those on which no process runs progress
// the rest. Messages of step `step` (1 at the leaves):
int tree_messages(int size, int step) noexcept;

enum class Weights : uint8_t { constant, doubling };  // buffers of one size; gather and scatter

// Equations 5.6 and 5.8: alone. 5.7 and 5.9: beside a computation. `size` < `cores`.
double split_alone(int split, int size, int cores, Weights weights) noexcept;
double split_overlapped(int split, int size, int cores, Weights weights, double computation) noexcept;
// Equations 5.3 and 5.4 (inverted in print): a computation that as many processes as cores would just hide.
double split_computation(int size, int cores, Weights weights) noexcept;
// The best S, the smallest of equals; with no core left for progress, all steps. `computation` < 0: of 5.4.
int choose_split(int size, int cores, Weights weights, double computation = -1) noexcept;

// Adaptive S: what lies between start and wait is measured, in units of a message, and taken as the computation of the
// next time. One object for each call site.
class AdaptiveSplit {
 public:
  AdaptiveSplit(int size, int cores, Weights weights) noexcept
      : size_(size), cores_(cores), weights_(weights), split_(choose_split(size, cores, weights)) {}

  int split() const noexcept { return split_; }
  // After a run: nanoseconds from start to wait, and of one message.
  void measured(double computation_ns, double message_ns) noexcept;

 private:
  int size_;
  int cores_;
  Weights weights_;
  int split_;
  double computation_ = -1;  // smoothed
};

// The same where several threads complete operations.
class SplitSite {
 public:
  SplitSite(int size, int cores, Weights weights) noexcept : adaptive_(size, cores, weights) {}
  int split() {
    const std::lock_guard guard(lock_);
    return adaptive_.split();
  }
  void measured(double computation_ns, double message_ns) {
    const std::lock_guard guard(lock_);
    adaptive_.measured(computation_ns, message_ns);
  }

 private:
  std::mutex lock_;
  AdaptiveSplit adaptive_;
};

// Made as make_bcast() and the others; S is `split`, from 0 to tree_steps(). Reductions must commute. Roots and blocks
// as in coll.hpp; in place where those are.
struct SplitOptions {
  int split = 0;
  int64_t patience_ns = 50'000;
  Order order = Order::non_blocking;
  std::shared_ptr<SplitSite> site = nullptr;  // learns from the run; null: nobody does
  double message_ns = 0;                      // of one message, for it
};
OperationPointer make_split_bcast(Group&, void* buffer, uint64_t bytes, int root, SplitOptions) noexcept;
OperationPointer make_split_reduce(Group&, const void* in, void* out, uint64_t count, const Reduction&, int root,
                                   SplitOptions) noexcept;
OperationPointer make_split_allreduce(Group&, const void* in, void* out, uint64_t count, const Reduction&,
                                      SplitOptions) noexcept;
OperationPointer make_split_gather(Group&, const void* in, uint64_t bytes, void* out, int root, SplitOptions) noexcept;
OperationPointer make_split_scatter(Group&, const void* in, uint64_t bytes, void* out, int root, SplitOptions) noexcept;

}  // namespace vif::coll
