#include "coll/halving.hpp"

namespace vif::coll {

Halving::Halving(Schedule& schedule, const void* in, std::byte* work, uint64_t count)
    : schedule_(schedule), work_(work), count_(count), element_size_(schedule.reduction().element_size) {
  while (power_ * 2 <= schedule.size()) power_ *= 2;
  extra_ = schedule.size() - power_;
  fold(in);
  if (takes_part()) halve();
}

void Halving::fold(const void* in) {
  const int rank = schedule_.rank();
  const uint64_t bytes = count_ * element_size_;
  if (rank < 2 * extra_ && rank % 2 == 0) {
    folded_ = schedule_.send(rank + 1, in, bytes, fold_lane);
    return;
  }
  place_ = place_of(rank);
  ready_ = schedule_.copy(work_, in, bytes);
  if (rank < 2 * extra_) {
    std::byte* const theirs = schedule_.temporary(bytes);
    const Step received = schedule_.receive(rank - 1, theirs, bytes, fold_lane);
    ready_ = schedule_.reduce(theirs, work_, count_, {ready_, received});
  }
}

void Halving::halve() {
  uint64_t begin = 0;
  uint64_t end = count_;
  uint32_t lane = 0;
  for (int bit = 1; bit < power_; bit *= 2, ++lane) {
    const int partner_place = place_ ^ bit;
    const int partner = process_at(partner_place);
    const bool partner_is_lower = partner_place < place_;
    const uint64_t middle = begin + (end - begin) / 2;
    Round round{begin, middle, middle, end, Schedule::none};
    if (partner_is_lower) round = Round{middle, end, begin, middle, Schedule::none};
    begin = round.kept_begin;
    end = round.kept_end;

    const uint64_t kept = end - begin;
    std::byte* const theirs = schedule_.temporary(kept * element_size_);
    const Step received = schedule_.receive(partner, theirs, kept * element_size_, lane);
    round.sent = schedule_.send(partner, at(round.sent_begin), (round.sent_end - round.sent_begin) * element_size_,
                                lane, {ready_});
    if (partner_is_lower || schedule_.reduction().commutative) {
      ready_ = schedule_.reduce(theirs, at(begin), kept, {ready_, received});
    } else {
      const Step combined = schedule_.reduce(at(begin), theirs, kept, {ready_, received});
      ready_ = schedule_.copy(at(begin), theirs, kept * element_size_, {combined});
    }
    rounds_.push_back(round);
  }
}

// What was sent in a round comes back combined. Not before that sending is done: it reads the same memory.
Step Halving::receive_back(std::size_t round, uint32_t lane) {
  const Round& it = rounds_[round];
  return schedule_.receive(process_at(place_ ^ (1 << round)), at(it.sent_begin),
                           (it.sent_end - it.sent_begin) * element_size_, lane, {it.sent});
}

Step Halving::send_kept(std::size_t round, uint32_t lane) {
  const Round& it = rounds_[round];
  return schedule_.send(process_at(place_ ^ (1 << round)), at(it.kept_begin),
                        (it.kept_end - it.kept_begin) * element_size_, lane, {ready_});
}

void Halving::allgather() {
  for (std::size_t round = rounds_.size(); round-- > 0;) {
    const uint32_t lane = 100 + static_cast<uint32_t>(round);
    const Step received = receive_back(round, lane);
    send_kept(round, lane);
    ready_ = schedule_.join({ready_, received});
  }
}

// Rounds backwards. Of each pair the place that agrees with the target in the bit of the round receives, the other
// sends and is done. Only places that agree in the higher bits are still there.
void Halving::gather(int target) {
  for (std::size_t round = rounds_.size(); round-- > 0;) {
    const uint32_t lane = 100 + static_cast<uint32_t>(round);
    if (((place_ ^ target) >> round & 1) != 0) {
      send_kept(round, lane);
      return;
    }
    ready_ = schedule_.join({ready_, receive_back(round, lane)});
  }
}

}  // namespace vif::coll
