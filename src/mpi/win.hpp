// Windows: the memory that processes offer for one-sided communication (MPI_Win).
//
// The moving of bytes is src/rma; here are handles, arguments and epochs. A window has a communicator of its own, for
// the barrier of a fence, for the messages of post and start, and for its requests. Context: app.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/comm.hpp"
#include "mpi/handle.hpp"
#include "rma/window.hpp"

namespace vif::mpi {

struct AttributeSet;
struct Errhandler;
struct Info;

// What the program may do to one target now.
enum class Access : uint8_t { none, shared, exclusive, unchecked, started };

// One side of post, start, complete and wait: the empty messages that are under way.
struct Handshake {
  bool open = false;
  std::vector<int> ranks;
  std::unique_ptr<net::Request[]> sends;
  std::unique_ptr<net::Request[]> receives;
};

struct Win {
  static constexpr uint32_t alive = 0x57696e64;

  uint32_t magic = alive;
  MPI_Win handle = MPI_WIN_NULL;
  Comm* comm = nullptr;  // its own; counted
  int flavor = MPI_WIN_FLAVOR_CREATE;
  int model = MPI_WIN_UNIFIED;
  void* base = nullptr;
  MPI_Aint size = 0;
  int unit = 1;
  std::unique_ptr<rma::Window> core;
  std::vector<MPI_Aint> units;  // displacement units, by rank

  // Memory of the window's own.
  std::byte* mapped = nullptr;
  uint64_t mapped_bytes = 0;
  uint64_t pages = 0;
  uint64_t block = 0;  // the shared memory of this process's TargetBlock

  // Epochs.
  std::vector<Access> access;  // by rank: by MPI_Win_lock and MPI_Win_start
  std::atomic<int> locks{0};   // how many targets are locked one by one
  bool all_locked = false;
  bool all_checked = false;  // MPI_Win_lock_all without MPI_MODE_NOCHECK
  bool fence_open = false;   // a fence opened an epoch, which lasts if it is used
  std::atomic<bool> fence_used{false};
  std::atomic<uint32_t> flushes{0};
  Handshake exposure;   // post, wait
  Handshake admission;  // start, complete

  std::mutex lock;  // guards what follows
  std::string name;
  Errhandler* errhandler = nullptr;    // null: the default, MPI_ERRORS_ARE_FATAL
  AttributeSet* attributes = nullptr;  // null: none
  Info* info = nullptr;                // the hints
};

inline Win* win_of(MPI_Win handle) noexcept { return user_object<Win>(handle); }

// As raise() and raise_code() of errors.hpp, through the error handler of a window.
[[gnu::cold, gnu::noinline]] int raise_on(Win& win, int error_class, std::string_view sentence);
[[gnu::cold, gnu::noinline]] int raise_code_on(Win& win, int error_code);

// Raises MPI_ERR_WIN for a handle that names no window.
[[gnu::cold]] int raise_no_win();
// The error of what src/rma could not do; MPI_SUCCESS for success.
int raise_outcome_on(Win& win, rma::Outcome outcome);

std::string describe(Win& win);

// The time in the library of a call that may have to wait for another process, or that others wait for.
// Operations on memory that this process can touch itself do without.
class WinScope {
 public:
  explicit WinScope(const Win& win) noexcept : engine_(win.core->way() == rma::Way::message ? &engine() : nullptr) {
    if (engine_ != nullptr) engine_->enter();
  }
  ~WinScope() {
    if (engine_ != nullptr) engine_->leave();
  }
  WinScope(const WinScope&) = delete;
  WinScope& operator=(const WinScope&) = delete;

 private:
  net::Engine* engine_;
};

}  // namespace vif::mpi
