// Mailbox: records from any context for a taker that must be called, and is called as seldom as possible.
//
// Context: put() any; the others are the taker's, one at a time.
//
// States of `called_`
//   0  nobody has called the taker since it began its last round: the next who puts something calls it
//   1  the taker has been called, and will begin a round
// Orderings, each with its partner: put: exchange(called_, 1, acq_rel) after the push; begin: exchange(called_, 0,
// acq_rel) before the first take. Who reads 1 in put() came before a begin() in the order of exchanges, and that
// begin() acquires what it pushed; who reads 0 calls. Without acquire in begin(), a record could be missed by the round
// that its putter relied on.
#pragma once

#include "base/inbox.hpp"

namespace vif::rpc {

template <class Atoms = base::RealAtoms>
class Mailbox {
 public:
  using Record = base::InboxRecord<Atoms>;

  // True: call the taker.
  bool put(Record& record) noexcept {
    inbox_.push(record);
    return called_.exchange(1, std::memory_order_acq_rel) == 0;
  }

  // A round: begin(), then take() until nothing comes.
  void begin() noexcept { called_.exchange(0, std::memory_order_acq_rel); }
  Record* take() noexcept { return inbox_.take(); }

 private:
  base::Inbox<Atoms> inbox_;
  typename Atoms::template Atomic<uint32_t> called_{0};
};

}  // namespace vif::rpc
