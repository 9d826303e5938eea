// What the functions of the recorder do beside calling the library: see README.md. Context: app.
#pragma once

#include <cstdint>

#include <mpi.h>

#include "trace/watchlist.hpp"

namespace vif::tracer {

// The function of that name of the library that comes after this one. Ends the process when there is none.
void* next(const char* name) noexcept;

// One call of the program. Recorded when it ends.
class Call {
 public:
  Call(uint16_t function, const void* site) noexcept;
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // The library runs from now on: is there a tape?
  void initialised() noexcept;
  // The call has started an operation.
  void started(int code, MPI_Request handle) noexcept;
  void started(int code, int count, const MPI_Request* handles) noexcept;

  int64_t begin() const noexcept { return begin_; }
  bool records() const noexcept { return begin_ != 0; }

 private:
  uint16_t function_;
  uint64_t site_;
  int64_t begin_ = 0;  // 0: nothing is recorded
};

// A call that may complete operations: made before it, told afterwards which ones it has completed.
class Completion {
 public:
  Completion(const Call& call, int count, const MPI_Request* handles) noexcept;
  ~Completion();  // the others are under way still
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  void all(int code, bool complete) noexcept;
  void one(int code, int index) noexcept;
  void some(int code, int count, const int* indices) noexcept;

 private:
  using Place = trace::Watchlist<>::Place;
  struct Entry {
    Place* place;  // null: it was not watched
    uintptr_t handle;
  };
  void finish(int index) noexcept;

  static constexpr int most = 64;  // operations of one call that are followed; the others are taken for calls alone
  const Call& call_;
  int count_ = 0;
  int incomplete_ = 0;  // when the call began
  uint64_t copied_ = 0;
  uint64_t long_waits_ = 0;
  int64_t end_ = 0;
  Entry entries_[most];
};

}  // namespace vif::tracer
