// Reductions whose result all processes get, by messages. Context: app.
#include "coll/algorithms.hpp"
#include "coll/halving.hpp"

namespace vif::coll {

namespace {

// Recursive doubling, written by one process. `combined_` is where its combination so far is: in the user's buffer, or
// in what it received last. A commutative reduction never changes memory that is being sent.
class Doubling {
 public:
  Doubling(Schedule& schedule, const void* in, uint64_t count)
      : schedule_(schedule), count_(count), bytes_(count * schedule.reduction().element_size), combined_(in) {
    while (power_ * 2 <= schedule.size()) power_ *= 2;
    extra_ = schedule.size() - power_;
  }

  Step write(void* out);

 private:
  int process_at(int place) const noexcept { return place < extra_ ? 2 * place + 1 : place + extra_; }
  void take_over();
  void combine(Step received, std::byte* theirs, bool theirs_first, Step sent);

  Schedule& schedule_;
  uint64_t count_;
  uint64_t bytes_;
  const void* combined_;
  std::byte* own_ = nullptr;  // combined_, when it may be changed
  int power_ = 1;
  int extra_ = 0;
  Step ready_ = Schedule::none;
  Step first_sent_ = Schedule::none;  // the sending that reads the user's buffer
};

// combined = theirs (op) combined, or combined (op) theirs.
void Doubling::combine(Step received, std::byte* theirs, bool theirs_first, Step sent) {
  if (theirs_first && !schedule_.reduction().commutative) {
    if (own_ == nullptr) {
      own_ = schedule_.temporary(bytes_);
      ready_ = schedule_.copy(own_, combined_, bytes_, {ready_});
      sent = Schedule::none;  // it reads what was copied, not the copy
    }
    ready_ = schedule_.reduce(theirs, own_, count_, {ready_, received, sent});
  } else {
    ready_ = schedule_.reduce(combined_, theirs, count_, {ready_, received});
    own_ = theirs;
  }
  combined_ = own_;
}

// Among the first 2 * extra_ processes the odd ones take over the vectors of the even ones.
void Doubling::take_over() {
  std::byte* const theirs = schedule_.temporary(bytes_);
  const Step received = schedule_.receive(schedule_.rank() - 1, theirs, bytes_, Halving::fold_lane);
  combine(received, theirs, true, Schedule::none);
}

Step Doubling::write(void* out) {
  const int rank = schedule_.rank();
  const bool folds = rank < 2 * extra_;
  if (folds && rank % 2 == 0) {
    const Step sent = schedule_.send(rank + 1, combined_, bytes_, Halving::fold_lane);
    return schedule_.receive(rank + 1, out, bytes_, Halving::unfold_lane, {sent});
  }
  if (folds) take_over();
  const int place = folds ? rank / 2 : rank - extra_;
  uint32_t lane = 0;
  for (int bit = 1; bit < power_; bit *= 2, ++lane) {
    const int partner = process_at(place ^ bit);
    std::byte* const theirs = schedule_.temporary(bytes_);
    const Step received = schedule_.receive(partner, theirs, bytes_, lane);
    const Step sent = schedule_.send(partner, combined_, bytes_, lane, {ready_});
    if (lane == 0) first_sent_ = sent;
    combine(received, theirs, (place & bit) != 0, sent);
  }
  if (folds) schedule_.send(rank - 1, combined_, bytes_, Halving::unfold_lane, {ready_});
  return schedule_.copy(out, combined_, bytes_, {ready_, first_sent_});
}

}  // namespace

// Recursive doubling (Hockney, Jesshope 1981, as "cascade sum"): in round k each process exchanges all it has with the
// one that differs in bit k. Few messages, all of the data in each.
Step allreduce_doubling(Schedule& schedule, const void* in, void* out, uint64_t count) {
  return Doubling(schedule, in, count).write(out);
}

// Rabenseifner (1997): reduce-scatter by recursive halving, allgather by recursive doubling.
void allreduce_halving(Schedule& schedule, const void* in, void* out, uint64_t count) {
  const uint64_t bytes = count * schedule.reduction().element_size;
  Halving halving(schedule, in, static_cast<std::byte*>(out), count);
  const int rank = schedule.rank();
  if (!halving.takes_part()) {
    schedule.receive(rank + 1, out, bytes, Halving::unfold_lane, {halving.folded()});
    return;
  }
  halving.allgather();
  const int other = rank - 1;
  if (other >= 0 && halving.process_at(halving.place_of(other)) == rank) {
    schedule.send(other, out, bytes, Halving::unfold_lane, {halving.ready()});
  }
}

// Ring (Patarasuk, Yuan 2009): parts of the vector travel once around to be combined, and once more as results. Each
// process sends and receives twice the data at most, the least possible, in 2 * (n - 1) messages.
void allreduce_ring(Schedule& schedule, const void* in, void* out, uint64_t count) {
  const int size = schedule.size();
  const int rank = schedule.rank();
  const uint64_t element = schedule.reduction().element_size;
  const std::byte* const own = static_cast<const std::byte*>(in);
  std::byte* const result = static_cast<std::byte*>(out);
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  const auto begin = [&](int part) { return part_begin(count, size, part) * element; };
  const auto length = [&](int part) { return begin(part + 1) - begin(part); };
  if (size == 1) {
    schedule.copy(out, in, count * element);
    return;
  }
  std::vector<Step> sent(static_cast<std::size_t>(size), Schedule::none);
  Step ready = Schedule::none;
  for (int round = 0; round + 1 < size; ++round) {
    const int leaving = (rank - round + size) % size;
    const int coming = (rank - round - 1 + size) % size;
    const uint32_t lane = static_cast<uint32_t>(round);
    const std::byte* const from = (round == 0 ? own : result) + begin(leaving);
    sent[static_cast<std::size_t>(leaving)] = schedule.send(right, from, length(leaving), lane, {ready});
    std::byte* const place = result + begin(coming);
    if (own != result) {
      const Step received = schedule.receive(left, place, length(coming), lane);
      ready = schedule.reduce(own + begin(coming), place, length(coming) / element, {received});
    } else {
      std::byte* const theirs = schedule.temporary(length(coming));
      const Step received = schedule.receive(left, theirs, length(coming), lane);
      ready = schedule.reduce(theirs, place, length(coming) / element, {received});
    }
  }
  for (int round = 0; round + 1 < size; ++round) {
    const int leaving = (rank + 1 - round + size) % size;
    const int coming = (rank - round + size) % size;
    const uint32_t lane = static_cast<uint32_t>(size + round);
    schedule.send(right, result + begin(leaving), length(leaving), lane, {ready});
    ready =
        schedule.receive(left, result + begin(coming), length(coming), lane, {sent[static_cast<std::size_t>(coming)]});
  }
}

}  // namespace vif::coll
