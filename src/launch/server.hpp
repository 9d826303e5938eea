// The launcher's side of PMI-1: a state machine fed with the bytes that ranks send; it does no input or output.
//
// States of a rank: outside --init--> inside --finalize--> finished. A rank in the barrier has sent barrier_in and has
// had no barrier_out yet; the last one in lets all out.
// A rank that sends what the protocol does not allow is refused for good: feed() returns false.
//
// Worlds: the ranks that were started together have a barrier and a key-value space of their own. MPI_Comm_spawn adds
// one: a rank sends blocks ("mcmd=spawn" to "endcmd"), take_spawns() gives what it wants started, and add_world() or
// refuse_spawn() answers. A `rank` is counted over all worlds here. Service names are common to all.
// Context: app (the launcher's loop).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "launch/wire.hpp"

namespace vif::launch {

class PmiServer {
 public:
  enum class State { outside, inside, finished };

  // What a rank wants to have started, and what the new world shall find in its key-value space.
  struct Spawn {
    struct Program {
      std::vector<std::string> command;
      int ranks = 1;
      std::string directory;  // empty: the launcher's
    };
    int rank = 0;
    std::vector<Program> programs;
    std::vector<std::pair<std::string, std::string>> values;
  };

  struct Abort {
    int rank;
    int code;
    std::string why;
  };

  // One entry per rank: the number of its program (0 unless several programs form the job).
  PmiServer(std::vector<int> program_of_rank, std::string job_name);

  // Bytes from a rank. False, with the cause in `error`, when they are not PMI-1.
  bool feed(int rank, std::string_view bytes, std::string& error);

  // What must be sent now, and to whom. Emptied by the call.
  std::vector<std::pair<int, std::string>> take_answers() { return std::exchange(answers_, {}); }

  // Emptied by the call.
  std::vector<Spawn> take_spawns() { return std::exchange(spawns_, {}); }
  // The ranks of the new world follow those that exist.
  void add_world(const Spawn& spawn);
  void refuse_spawn(const Spawn& spawn, const std::string& why);

  int size() const { return static_cast<int>(ranks_.size()); }
  State state(int rank) const { return ranks_[static_cast<std::size_t>(rank)].state; }
  int inside() const { return inside_; }
  const std::optional<Abort>& aborted() const { return aborted_; }

  static constexpr long key_room = 64;
  static constexpr long value_room = 1024;
  static constexpr std::size_t space_limit = std::size_t{64}
                                             << 20;  // bytes of all keys and values, and names, of a job

 private:
  using Fields = std::vector<std::pair<std::string, std::string>>;

  struct World {
    int first = 0;
    int size = 0;
    std::string space;
    std::unordered_map<std::string, std::string> values;
    int in_barrier = 0;
  };

  struct Rank {
    LineBuffer lines{1 << 16};
    State state = State::outside;
    bool in_barrier = false;
    bool in_block = false;  // between "mcmd=..." and "endcmd"
    Fields block;
    Spawn spawn;  // what the blocks said so far, how many ranks that is, and from how many bytes
    int spawn_ranks = 0;
    std::size_t spawn_bytes = 0;
    int world = 0;
    int program = 0;
  };

  bool line(int rank, const std::string& text, std::string& error);
  bool dispatch(int rank, const Message& message, std::string& error);
  bool init(int rank, const Message& message, std::string& error);
  bool put(int rank, const Message& message);
  bool get(int rank, const Message& message);
  bool barrier(int rank, std::string& error);
  bool finalize(int rank);
  bool abort(int rank, const Message& message);
  bool publish(int rank, const Message& message);
  bool end_block(int rank, std::string& error);
  void open_world(int first, int size, const std::string& space);
  World& world_of(int rank) { return worlds_[static_cast<std::size_t>(ranks_[static_cast<std::size_t>(rank)].world)]; }
  bool answer(int rank, const Message& message);

  std::vector<Rank> ranks_;
  std::vector<World> worlds_;
  std::unordered_map<std::string, std::string> names_;  // of services, and their ports
  std::size_t stored_ = 0;
  int inside_ = 0;
  std::vector<Spawn> spawns_;
  std::vector<std::pair<int, std::string>> answers_;
  std::optional<Abort> aborted_;
};

}  // namespace vif::launch
