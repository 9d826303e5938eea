// The file of a tape: a head, and the slots. One for each process of the job, in a folder that `vif trace` has made.
// Context: app.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/tape.hpp"

namespace vif::trace {

struct TapeHead {
  static constexpr uint64_t right_magic = 0x7669'6654'6170'6531ull;  // also the version of all that is in the file
  uint64_t magic = 0;
  uint64_t capacity = 0;
  int32_t process = 0;  // its index in the job
  int32_t pid = 0;
  int32_t job = 0;  // process id of the launcher
  uint32_t main_thread = 0;
  int64_t monotonic = 0;  // nanoseconds of the two clocks at one moment
  int64_t real = 0;
  char host[64] = {};  // processes with the same boot have the same monotonic clock
  char boot[40] = {};
  char program[128] = {};
  alignas(64) std::atomic<uint64_t> used{0};  // slots taken, and those that there was no room for
};

inline constexpr uint64_t tape_slots_offset = 4096;
static_assert(sizeof(TapeHead) <= tape_slots_offset);

// Makes FOLDER/<job>-<process>.tape for this process, zeroed (it is made of holes until it is written), and maps it.
// Null with a full sentence in `error`.
TapeHead* make_tape(const std::string& folder, int process, uint64_t capacity, std::string& error);
TapeSlot<>* slots_of(TapeHead& head) noexcept;
// Puts the memory map of this process beside its tape, so that addresses can be named later. Again before it ends:
// what it has loaded meanwhile is in it then.
void keep_map(const std::string& folder, int process) noexcept;

// A tape that was read, its events in the order in which they were taken down.
struct Recorded {
  std::string path;
  int process = 0;
  int pid = 0;
  int job = 0;
  uint32_t main_thread = 0;
  int64_t monotonic = 0;
  int64_t real = 0;
  std::string host, boot, program;
  uint64_t lost = 0;
  std::vector<Event> events;
};
// False with a full sentence in `error`.
bool read_tape(const std::string& path, Recorded& recorded, std::string& error);

}  // namespace vif::trace
