// Reduce, Allreduce, Scan, Exscan, Reduce_scatter, Reduce_scatter_block. Context: app.
//
// A predefined operator works on the user's memory as it is, and may run in a handler. A user's operator is called in
// app context; when its type is not contiguous, it works on copies whose elements have a stride of their own.
#include "mpi/collective_reduce.hpp"

#include <algorithm>

#include "coll/inter.hpp"

namespace vif::mpi {

namespace {

void call_user(const void* in, void* inout, uint64_t count, void* argument) {
  const auto& user = *static_cast<Staging::UserOperator*>(argument);
  const auto* from = static_cast<const std::byte*>(in);
  auto* to = static_cast<std::byte*>(inout);
  if (user.stride == 0) return call_user_operator(*user.op, *user.type, from, to, count);
  const MPI_Count shift = user.type->true_lb;
  if (user.stride == static_cast<uint64_t>(user.type->extent)) {
    return call_user_operator(*user.op, *user.type, from - shift, to - shift, count);
  }
  for (uint64_t i = 0; i < count; ++i) {  // elements of the user's type overlap: one at a time
    call_user_operator(*user.op, *user.type, from + i * user.stride - shift, to + i * user.stride - shift, 1);
  }
}

// A reduction, ready for src/coll.
struct Prepared {
  coll::Reduction reduction;
  Block send;
  Block receive;
  uint64_t stride = 0;  // not 0: elements are copied
  const void* in = nullptr;
  void* out = nullptr;
};

// Operator and type. The counts of `send` and `receive` are set by the caller.
int prepare_operator(Comm& comm, const Reducing& what, Staging& staging, Prepared& it) {
  Datatype* type = datatype_of(what.type);
  Op* op = op_of(what.op);
  if (type == nullptr) {
    return raise(&comm, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL, has been freed, or never was one");
  }
  if (!type->committed) {
    return raise(&comm, MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit before using it");
  }
  if (op == nullptr) return raise(&comm, MPI_ERR_OP, "the operator is MPI_OP_NULL, has been freed, or never was one");
  it.reduction.function = reduce_function(*op, *type);
  it.reduction.commutative = op->commutative;
  it.reduction.ordered = process()->ordered;
  it.reduction.element_size = static_cast<uint64_t>(std::max<MPI_Count>(type->extent, 0));
  if (it.reduction.function != nullptr) return MPI_SUCCESS;
  if (const std::string refusal = refusal_of(*op, *type); !refusal.empty()) return raise(&comm, MPI_ERR_OP, refusal);
  if (!type->contiguous) {
    it.stride = static_cast<uint64_t>(std::max(type->extent, type->true_extent));
    it.reduction.element_size = it.stride;
  }
  it.reduction.user = call_user;
  it.reduction.argument = staging.keep(*op, *type, it.stride);
  return MPI_SUCCESS;
}

// Where the operator reads and writes. `out_used`: this process gets a result. `partly`: or perhaps not all of it.
void prepare_buffers(Staging& staging, bool out_used, bool partly, Prepared& it) {
  const bool in_place = it.send.in_place();
  const Copies out_copies = in_place || partly ? Copies::both : Copies::after;
  if (in_place) {
    it.in = coll::in_place;
  } else {
    it.in = it.stride == 0 ? it.send.buffer : staging.elements_of(it.send, it.stride, Copies::before);
  }
  if (!out_used) return;
  it.out = it.stride == 0 ? it.receive.buffer : staging.elements_of(it.receive, it.stride, out_copies);
}

int prepare(Comm& comm, const Reducing& what, bool at_root, bool out_used, bool partly, Staging& staging,
            Prepared& it) {
  if (const int error = prepare_operator(comm, what, staging, it); error != MPI_SUCCESS) return error;
  it.send = block_of(what.send, what.count, what.type);
  it.receive = block_of(what.receive, what.count, what.type);
  if (const int error = look_up_block_or_in_place(comm, it.send, at_root); error != MPI_SUCCESS) return error;
  if (out_used) {
    if (const int error = look_up_block(comm, it.receive); error != MPI_SUCCESS) return error;
  }
  prepare_buffers(staging, out_used, partly, it);
  return MPI_SUCCESS;
}

// The vector of this process for the other side, and the result for this one.
int prepare_inter(Comm& comm, const Reducing& what, bool sends, bool receives, Staging& staging, Prepared& it) {
  if (const int error = prepare_operator(comm, what, staging, it); error != MPI_SUCCESS) return error;
  it.send = block_of(what.send, what.count, what.type);
  it.receive = block_of(what.receive, what.count, what.type);
  if (sends) {
    if (const int error = look_up_block(comm, it.send); error != MPI_SUCCESS) return error;
  }
  if (receives) {
    if (const int error = look_up_block(comm, it.receive); error != MPI_SUCCESS) return error;
  }
  if (it.stride == 0) {
    it.in = it.send.buffer;
    it.out = it.receive.buffer;
    return MPI_SUCCESS;
  }
  if (sends) it.in = staging.elements_of(it.send, it.stride, Copies::before);
  if (receives) it.out = staging.elements_of(it.receive, it.stride, Copies::after);
  return MPI_SUCCESS;
}

int inter_reduce(Comm& comm, const Reducing& what, int root, const Call& call) {
  coll::Group& group = comm.collectives;
  Staging staging;
  Prepared it{};
  const int place = inter_root(root);
  if (place != coll::beside_the_root) {
    const bool at_root = place == coll::this_is_root;
    if (const int error = prepare_inter(comm, what, !at_root, at_root, staging, it); error != MPI_SUCCESS) return error;
  }
  const auto count = static_cast<uint64_t>(what.count);
  return run_collective(
      comm, call, staging, [&] { return coll::inter_reduce(group, it.in, it.out, count, it.reduction, place); },
      [&](coll::Lifetime lifetime) {
        return coll::make_inter_reduce(group, it.in, it.out, count, it.reduction, place, lifetime);
      });
}

int inter_allreduce(Comm& comm, const Reducing& what, const Call& call) {
  coll::Group& group = comm.collectives;
  Staging staging;
  Prepared it{};
  if (const int error = prepare_inter(comm, what, true, true, staging, it); error != MPI_SUCCESS) return error;
  const auto count = static_cast<uint64_t>(what.count);
  return run_collective(
      comm, call, staging, [&] { return coll::inter_allreduce(group, it.in, it.out, count, it.reduction); },
      [&](coll::Lifetime lifetime) {
        return coll::make_inter_allreduce(group, it.in, it.out, count, it.reduction, lifetime);
      });
}

}  // namespace

int reduce(const Reducing& what, int root, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up_root(handle, comm, root); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_reduce(*comm, what, root, call);
  const bool at_root = comm->rank == root;
  Staging staging;
  Prepared it{};
  if (const int error = prepare(*comm, what, at_root, at_root, false, staging, it); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  const auto count = static_cast<uint64_t>(what.count);
  return run_collective(
      *comm, call, staging, [&] { return coll::reduce(group, it.in, it.out, count, it.reduction, root); },
      [&](coll::Lifetime lifetime) {
        return coll::make_reduce(group, it.in, it.out, count, it.reduction, root, lifetime);
      });
}

int allreduce(const Reducing& what, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up(handle, comm); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) return inter_allreduce(*comm, what, call);
  Staging staging;
  Prepared it{};
  if (const int error = prepare(*comm, what, true, true, false, staging, it); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  const auto count = static_cast<uint64_t>(what.count);
  return run_collective(
      *comm, call, staging, [&] { return coll::allreduce(group, it.in, it.out, count, it.reduction); },
      [&](coll::Lifetime lifetime) {
        return coll::make_allreduce(group, it.in, it.out, count, it.reduction, lifetime);
      });
}

int scan(const Reducing& what, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up_intra(handle, comm); error != MPI_SUCCESS) return error;
  Staging staging;
  Prepared it{};
  if (const int error = prepare(*comm, what, true, true, false, staging, it); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  const auto count = static_cast<uint64_t>(what.count);
  return run_collective(
      *comm, call, staging, [&] { return coll::scan(group, it.in, it.out, count, it.reduction); },
      [&](coll::Lifetime lifetime) { return coll::make_scan(group, it.in, it.out, count, it.reduction, lifetime); });
}

int exscan(const Reducing& what, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up_intra(handle, comm); error != MPI_SUCCESS) return error;
  Staging staging;
  Prepared it{};
  // Rank 0 gets nothing: what its buffer held must survive.
  if (const int error = prepare(*comm, what, true, true, true, staging, it); error != MPI_SUCCESS) return error;
  coll::Group& group = comm->collectives;
  const auto count = static_cast<uint64_t>(what.count);
  return run_collective(
      *comm, call, staging, [&] { return coll::exscan(group, it.in, it.out, count, it.reduction); },
      [&](coll::Lifetime lifetime) { return coll::make_exscan(group, it.in, it.out, count, it.reduction, lifetime); });
}

namespace {

template <class Direct, class Make>
int scatter_result(Comm& comm, const Reducing& what, MPI_Count total, MPI_Count own, const Call& call, Direct direct,
                   Make make) {
  Staging staging;
  Prepared it{};
  if (const int error = prepare_operator(comm, what, staging, it); error != MPI_SUCCESS) return error;
  it.send = block_of(what.send, total, what.type);
  // In place, the whole vector is where the result will be.
  it.receive = block_of(what.receive, it.send.in_place() ? total : own, what.type);
  if (const int error = look_up_block_or_in_place(comm, it.send, !comm.is_inter()); error != MPI_SUCCESS) return error;
  if (const int error = look_up_block(comm, it.receive); error != MPI_SUCCESS) return error;
  prepare_buffers(staging, true, false, it);
  return run_collective(
      comm, call, staging, [&] { return direct(it); }, [&](coll::Lifetime lifetime) { return make(it, lifetime); });
}

template <class Count>
int reduce_scatter_of(const Reducing& what, const Count* given, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up(handle, comm); error != MPI_SUCCESS) return error;
  if (given == nullptr) return raise_null_argument(comm, "recvcounts");
  std::vector<uint64_t> counts(static_cast<size_t>(comm->size));
  MPI_Count total = 0;
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    if (given[rank] < 0) {
      return raise(comm, MPI_ERR_COUNT, "the count of rank " + std::to_string(rank) + " is negative");
    }
    counts[rank] = static_cast<uint64_t>(given[rank]);
    total += given[rank];
  }
  coll::Group& group = comm->collectives;
  return scatter_result(
      *comm, what, total, given[comm->rank], call,
      [&](Prepared& it) {
        if (comm->is_inter()) return coll::inter_reduce_scatter(group, it.in, it.out, counts.data(), it.reduction);
        return coll::reduce_scatter(group, it.in, it.out, counts.data(), it.reduction);
      },
      [&](Prepared& it, coll::Lifetime lifetime) {
        return comm->is_inter()
                   ? coll::make_inter_reduce_scatter(group, it.in, it.out, counts.data(), it.reduction, lifetime)
                   : coll::make_reduce_scatter(group, it.in, it.out, counts.data(), it.reduction, lifetime);
      });
}

}  // namespace

int reduce_scatter_block(const Reducing& what, MPI_Comm handle, const Call& call) {
  Comm* comm;
  if (const int error = look_up(handle, comm); error != MPI_SUCCESS) return error;
  if (comm->is_inter()) {
    const std::vector<MPI_Count> counts(static_cast<size_t>(comm->size), what.count);
    return reduce_scatter_of(what, counts.data(), handle, call);
  }
  coll::Group& group = comm->collectives;
  const auto count = static_cast<uint64_t>(what.count);
  return scatter_result(
      *comm, what, what.count * comm->size, what.count, call,
      [&](Prepared& it) { return coll::reduce_scatter_block(group, it.in, it.out, count, it.reduction); },
      [&](Prepared& it, coll::Lifetime lifetime) {
        return coll::make_reduce_scatter_block(group, it.in, it.out, count, it.reduction, lifetime);
      });
}

int reduce_scatter(const Reducing& what, const int* counts, MPI_Comm comm, const Call& call) {
  return reduce_scatter_of(what, counts, comm, call);
}

int reduce_scatter(const Reducing& what, const MPI_Count* counts, MPI_Comm comm, const Call& call) {
  return reduce_scatter_of(what, counts, comm, call);
}

}  // namespace vif::mpi
