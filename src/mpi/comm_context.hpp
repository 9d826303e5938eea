// Context ids: what keeps the messages of one communicator apart from those of all others.
//
// An id is made by one process, the leader of the new communicator: its own index in the job and a number that it does
// not use at present. So ids are unique in the job without any agreement, several threads may make communicators at the
// same time, and a non-blocking duplication needs one broadcast. The leader alone takes the number back, when the last
// reference to the object is gone in every process (comm_create.hpp). A number comes back into use as late as possible.
//
//   31            18 17           3 2  0
//   [ leader        | number        | use ]   use: 0 user's messages, 1 collectives, 2 making of communicators,
//                                                3 announcements, 4 partitioned messages,
//                                                5 to 7 of a process's self: other libraries (net/door.hpp)
// Context: app.
#pragma once

#include <cstdint>
#include <mutex>

namespace vif::mpi {

inline constexpr uint32_t context_uses = 1 << 3;
inline constexpr uint32_t collective_use = 1;
inline constexpr uint32_t creation_use = 2;
inline constexpr uint32_t announcing_use = 3;  // of each process's self
inline constexpr uint32_t partitioned_use = 4;
inline constexpr uint32_t outside_use = 5;  // and the next two, of each process's self: net/door.hpp
inline constexpr int context_use_bits = 3;
inline constexpr int context_number_bits = 15;
inline constexpr int context_leaders = 1 << 14;

class ContextIds {
 public:
  explicit ContextIds(int process) noexcept : process_(process) {}

  // An id whose use is 0, or `none` when this process already leads as many communicators as there are numbers.
  uint32_t take() noexcept;
  // Ids made by other processes are ignored: their maker takes them back.
  void give_back(uint32_t context) noexcept;

  static constexpr uint32_t none = ~0u;
  static constexpr uint32_t make(int leader, uint32_t number) noexcept {
    return (static_cast<uint32_t>(leader) << (context_number_bits + context_use_bits)) | (number * context_uses);
  }
  static constexpr int maker(uint32_t context) noexcept {
    return static_cast<int>(context >> (context_number_bits + context_use_bits));
  }
  // A context in which a process alone sends: what it tells those who have no communicator in common with it yet.
  static constexpr uint32_t announcements(int process) noexcept { return make(process, 1) + announcing_use; }

 private:
  static constexpr uint32_t numbers = 1u << context_number_bits;
  static constexpr uint32_t first_number = 2;  // 0: the world (of leader 0), 1: each process's self

  std::mutex lock_;
  int process_;
  uint32_t next_ = first_number;
  uint64_t used_[numbers / 64] = {};
};

}  // namespace vif::mpi
