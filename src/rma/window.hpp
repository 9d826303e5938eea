// One-sided communication with the processes of one window.
//
// Three ways lead to the memory of a target:
//   mapped    both have it mapped: loads and stores
//   cross     the kernel copies (process_vm_readv, process_vm_writev)
//   message   the target does it, in whatever context its engine runs (slot.hpp)
// The first two never need the target. The origin does an accumulate under a lock of the part of the memory that the
// element lies in (ElementLock); by messages, the target's engine does one after the other. All processes of a window
// go the same way, so that accumulates exclude each other.
//
// Epochs, ranks and datatypes are the caller's; so are checks of arguments but for the range of what is touched.
// Context: app, with a net::ApiScope held, but for what is marked otherwise.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "net/engine.hpp"
#include "net/remote_memory.hpp"
#include "rma/combine.hpp"
#include "rma/slot.hpp"
#include "rma/target.hpp"

namespace vif::rma {

enum class Way : uint8_t { mapped, cross, message };

enum class Outcome : uint8_t { success, out_of_range, not_attached, no_memory, failed };

// What a process knows of another one in the window.
struct Peer {
  int process = 0;    // index in the job
  uint64_t base = 0;  // of its part, in its own memory
  uint64_t bytes = 0;
  std::byte* mapped = nullptr;  // the same, here; null when it is not
  uint64_t block = 0;           // its TargetBlock, as an offset in the shared memory of the job
};

// Memory at a target, by the addresses that it has there.
struct Place {
  int rank = 0;
  uint64_t address = 0;
  data::View view;
};

class Window {
 public:
  struct Setting {
    net::Engine* engine = nullptr;
    int rank = 0;  // mine
    Way way = Way::mapped;
    bool dynamic = false;  // what may be touched is what was attached
    std::vector<Peer> peers;
    Combine::Function (*function_of)(uint32_t code) = nullptr;  // any context; null for a number that is none
  };

  explicit Window(Setting setting);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // After open() others may come; before close() nobody may come any more.
  void open();
  void close();

  // The origin's memory may be used again when these return. What they did is complete at the target after flush().
  Outcome put(const data::View& origin, const std::byte* from, const Place& to);
  Outcome get(const data::View& origin, std::byte* to, const Place& from);
  // `old`: where what was there before goes; null: nowhere. `origin` is not looked at for Combine::Kind::nothing.
  // `target` gives elements by their addresses there.
  Outcome accumulate(const Elements& origin, const Elements* old, int rank, const Elements& target,
                     const Combine& combine);
  // Elements of `bytes` (at most 16) bytes.
  Outcome compare_and_swap(const std::byte* value, const std::byte* compare, std::byte* old, uint32_t bytes, int rank,
                           uint64_t address);
  Outcome flush(int rank);
  Outcome flush_all();

  void lock(int rank, bool exclusive);
  void unlock(int rank);

  // Dynamic windows: what others may touch here. False: it overlaps what is attached, or there is no memory.
  Outcome attach(uint64_t begin, uint64_t bytes);
  bool detach(uint64_t begin);

  const Peer& peer(int rank) const noexcept { return peers_[static_cast<std::size_t>(rank)]; }
  Way way() const noexcept { return way_; }

 private:
  static constexpr int slots = 4;
  static constexpr uint32_t slot_bytes = sizeof(Slot);

  struct Receiver : net::Poller {
    Window* window = nullptr;
  };
  struct Held {
    uint32_t ticket = 0;
    bool exclusive = false;
  };
  // Pieces of one accumulate that lie under one lock, for one call of the kernel.
  class Batch;

  TargetBlock& block(int rank) noexcept {
    return *reinterpret_cast<TargetBlock*>(engine_.shared_base() + peer(rank).block);
  }
  int size() const noexcept { return static_cast<int>(peers_.size()); }
  // The memory of a target as it is mapped here; null when the way is another one.
  std::byte* here(int rank, uint64_t address) const noexcept;
  Outcome check(int rank, uint64_t address, const data::View& view) noexcept;
  Outcome check_range(int rank, uint64_t begin, uint64_t end) noexcept;
  Attachments<>::Answer find_attached(int rank, uint64_t begin, uint64_t end) noexcept;

  Outcome cross_move(bool writing, const data::View& origin, std::byte* address, const Place& place);
  Outcome cross_swap(const std::byte* value, const std::byte* compare, std::byte* old, uint32_t bytes, int rank,
                     uint64_t address);

  // One run of elements of an accumulate, by any way. `last` ends what is collected.
  struct Run {
    uint64_t address;
    uint64_t bytes;
    const std::byte* origin;
    std::byte* old;
  };
  void apply_mapped(int rank, const Combine& combine, Run run);
  static uint64_t within_part(const Run& run, uint32_t element) noexcept;
  Outcome accumulate_chunk(const Elements& target, int rank, const Combine& combine, uint64_t first, uint64_t count,
                           const std::byte* origin, std::byte* old);

  // --- messages, origin ---
  Slot* take_slot();  // null: no shared memory
  bool is_usable(int slot) const noexcept;
  void post(Slot& slot, int rank);
  Outcome collect(Slot& slot) noexcept;  // a finished one
  void wait_finished(const Slot& slot);
  Outcome flush_slots(int rank);
  Outcome message_put(const data::View& origin, const std::byte* from, const Place& to);
  Outcome message_get(const data::View& origin, std::byte* to, const Place& from);
  Outcome message_chunk(const Elements& target, int rank, const Combine& combine, uint64_t first, uint64_t count,
                        const std::byte* origin, std::byte* old);
  Outcome message_swap(const std::byte* value, const std::byte* compare, std::byte* old, uint32_t bytes, int rank,
                       uint64_t address);

  // --- messages, target ---
  bool serve(net::Engine& engine) noexcept;
  void take_mail() noexcept;
  enum class Served : uint8_t { done, refused, later };
  Served serve_slot(Slot& slot) noexcept;
  Served check_slot(const Slot& slot) noexcept;

  net::Engine& engine_;
  net::RemoteMemory& memory_;
  const int rank_;
  const Way way_;
  const bool dynamic_;
  std::vector<Peer> peers_;
  Combine::Function (*const function_of_)(uint32_t);
  std::vector<Held> held_;  // by rank

  std::mutex slots_lock_;  // of the origin's threads, for what follows
  uint64_t slots_offset_ = 0;
  std::array<Slot*, slots> slots_{};
  std::array<int, slots> slot_rank_{};
  std::array<bool, slots> slot_read_{};  // what comes back in it is still to be read
  Outcome refused_ = Outcome::success;   // since the last flush

  // The engine's.
  Receiver receiver_;
  uint32_t backlog_ = 0, backlog_end_ = 0;
  std::atomic<bool> closing_{false};
  std::atomic<bool> closed_{true};

  std::vector<std::pair<uint64_t, uint64_t>> old_tables_;  // of attachments: offset and bytes
  uint64_t table_room_ = 0;
};

}  // namespace vif::rma
