// Halving: reduce-scatter by recursive halving, the first part of Rabenseifner's algorithms for reduce and allreduce
// (Rabenseifner 1997; Thakur, Rabenseifner, Gropp 2005).
//
// A power of two of processes takes part; of the others, each folds its vector into its neighbour's first: among the
// first 2 * (size - power) processes the even ones give theirs to the odd ones. Those that take part are numbered by
// "places", in the order of ranks. In round k a place exchanges half of its window with the place that differs in bit
// k, so what it has combined always covers consecutive ranks: the order is kept, for reductions that do not commute.
// Context: app.
#pragma once

#include <vector>

#include "coll/algorithms.hpp"

namespace vif::coll {

class Halving {
 public:
  static constexpr uint32_t fold_lane = 200;
  static constexpr uint32_t unfold_lane = 201;

  // Writes the rounds. The vector is worked on in `work`; `in == work` when it is already there.
  Halving(Schedule& schedule, const void* in, std::byte* work, uint64_t count);

  bool takes_part() const noexcept { return place_ >= 0; }
  Step folded() const noexcept { return folded_; }  // my vector was sent to my neighbour
  Step ready() const noexcept { return ready_; }    // what I should have is in `work`

  // The place of a process, or of the neighbour into which it was folded; and back.
  int place_of(int rank) const noexcept { return rank < 2 * extra_ ? rank / 2 : rank - extra_; }
  int process_at(int place) const noexcept { return place < extra_ ? 2 * place + 1 : place + extra_; }

  // The second part, for those that take part: everybody gets everything, or one place does.
  void allgather();
  void gather(int target);

 private:
  // What a place kept and what it sent in a round, in elements.
  struct Round {
    uint64_t kept_begin, kept_end;
    uint64_t sent_begin, sent_end;
    Step sent;
  };

  void fold(const void* in);
  void halve();
  std::byte* at(uint64_t element) const noexcept { return work_ + element * element_size_; }
  Step receive_back(std::size_t round, uint32_t lane);
  Step send_kept(std::size_t round, uint32_t lane);

  Schedule& schedule_;
  std::byte* work_;
  uint64_t count_;
  uint64_t element_size_;
  int power_ = 1;
  int extra_ = 0;
  int place_ = -1;
  Step folded_ = Schedule::none;
  Step ready_ = Schedule::none;
  std::vector<Round> rounds_;
};

}  // namespace vif::coll
