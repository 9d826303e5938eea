// What the collective calls share.
//
// Every collective is written once, as a function that takes a Call: run it now, start it and give a request, or make a
// persistent request. src/coll works on contiguous bytes; a Staging holds the packed forms of what is not contiguous,
// with the copies to make before and after. It also holds what a user's operator needs. Context: app.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "coll/coll.hpp"
#include "mpi.h"
#include "mpi/comm.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/datatype.hpp"
#include "mpi/errors.hpp"
#include "mpi/op.hpp"
#include "mpi/request.hpp"

namespace vif::mpi {

struct Call {
  enum class Kind : uint8_t { now, later, persistent };
  Kind kind = Kind::now;
  MPI_Request* request = nullptr;

  static Call now() noexcept { return {}; }
  static Call later(MPI_Request* request) noexcept { return {Kind::later, request}; }
  static Call persistent(MPI_Request* request) noexcept { return {Kind::persistent, request}; }
};

// A buffer as the user gave it, and its type as it was looked up.
struct Block {
  void* buffer;
  MPI_Count count;
  MPI_Datatype handle;
  Datatype* type = nullptr;
  int64_t bytes = 0;

  bool in_place() const noexcept { return buffer == MPI_IN_PLACE; }
};

inline Block block_of(const void* buffer, MPI_Count count, MPI_Datatype type) noexcept {
  return Block{const_cast<void*>(buffer), count, type};
}

// Looks up and checks; raises what is wrong. `look_up_root` also checks the root.
int look_up(MPI_Comm handle, Comm*& comm);
int look_up_root(MPI_Comm handle, Comm*& comm, int root);
// The same for one that no inter-communicator may be given to.
int look_up_intra(MPI_Comm handle, Comm*& comm);
int look_up_block(Comm& comm, Block& block);
// The buffer of a block that may be MPI_IN_PLACE: its count and type are not looked at then.
int look_up_block_or_in_place(Comm& comm, Block& block, bool in_place_allowed);

// How src/coll names the root of a collective of an inter-communicator.
int inter_root(int root) noexcept;

// Which copies a packed form needs.
enum class Copies : uint8_t { before, after, both };

class Staging {
 public:
  Staging() = default;
  ~Staging();
  Staging(Staging&& other) noexcept;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // The contiguous bytes of `repeat` blocks that lie one after the other: the user's memory, or a packed form. Null
  // when there is no memory (`failed` tells).
  void* bytes_of(const Block& block, int64_t repeat, Copies copies);
  // A packed form of given size, and its parts, added one by one.
  std::byte* packed_form(uint64_t bytes);
  void add(Datatype& type, MPI_Count count, void* user, std::byte* packed, Copies copies);
  // Elements laid out `stride` bytes apart, for a user's operator on a type that is not contiguous.
  void* elements_of(const Block& block, uint64_t stride, Copies copies);

  bool failed() const noexcept { return failed_; }
  void before() const;
  void after() const;

  // What the callback of a user's operator needs.
  struct UserOperator {
    Op* op;
    Datatype* type;
    uint64_t stride;
  };
  UserOperator* keep(Op& op, Datatype& type, uint64_t stride);

 private:
  struct Piece {
    Datatype* type;  // counted
    MPI_Count count;
    std::byte* user;
    std::byte* packed;
    Copies copies;
    uint64_t stride;  // 0: packed
  };
  static void copy_in(const Piece& piece);
  static void copy_out(const Piece& piece);

  std::vector<Piece> pieces_;
  std::vector<void*> memory_;
  std::unique_ptr<UserOperator> user_;  // counted
  bool failed_ = false;
};

Ending ending_of(net::Outcome outcome);
int raise_outcome(Comm& comm, net::Outcome outcome);

// Makes the request of a collective that nobody waits for yet; starts it unless persistent.
int give_collective(Comm& comm, const Call& call, coll::OperationPointer operation, Staging&& staging);
int raise_no_collective_memory(Comm& comm);

// Runs a collective in the way of the call: `direct()` blocks and returns the outcome, `make(lifetime)` makes the
// operation.
template <class Direct, class Make>
int run_collective(Comm& comm, const Call& call, Staging& staging, Direct direct, Make make) {
  if (staging.failed()) return raise_no_collective_memory(comm);
  net::ApiScope scope(engine());
  if (call.kind != Call::Kind::now) {
    const auto lifetime = call.kind == Call::Kind::later ? coll::Lifetime::once : coll::Lifetime::persistent;
    return give_collective(comm, call, make(lifetime), std::move(staging));
  }
  staging.before();
  const net::Outcome outcome = direct();
  if (outcome != net::Outcome::success) [[unlikely]]
    return raise_outcome(comm, outcome);
  staging.after();
  return MPI_SUCCESS;
}

}  // namespace vif::mpi
