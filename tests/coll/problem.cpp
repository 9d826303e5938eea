#include "coll/problem.hpp"

namespace vif::test {

namespace {

Bytes filled(uint64_t bytes, int rank, uint64_t salt) {
  Bytes data(bytes);
  std::mt19937_64 random(static_cast<uint64_t>(rank) * 7919 + salt);
  for (auto& byte : data) byte = static_cast<std::byte>(random());
  return data;
}

Bytes untouched(uint64_t bytes) { return Bytes(bytes, std::byte{0xee}); }

void put(Bytes& to, uint64_t where, const Bytes& from, uint64_t first, uint64_t bytes) {
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), bytes,
              to.begin() + static_cast<std::ptrdiff_t>(where));
}

}  // namespace

void Problem::prepare() {
  const std::size_t processes = static_cast<std::size_t>(size);
  in.assign(processes, {});
  out.assign(processes, {});
  expected.assign(processes, {});
  switch (kind) {
    case Kind::barrier:
      break;
    case Kind::bcast:
      for (int rank = 0; rank < size; ++rank) {
        out[at(rank)] = rank == root ? filled(count, root, count) : untouched(count);
        expected[at(rank)] = filled(count, root, count);
      }
      break;
    case Kind::gather:
    case Kind::scatter:
    case Kind::allgather:
    case Kind::alltoall:
      prepare_blocks();
      break;
    case Kind::gatherv:
    case Kind::scatterv:
    case Kind::allgatherv:
    case Kind::alltoallv:
      prepare_vector();
      break;
    default:
      prepare_reduction();
  }
  original = in;
  checked.clear();
  for (int rank = 0; rank < size; ++rank) {
    const bool part = kind == Kind::reduce_scatter || kind == Kind::reduce_scatter_block;
    checked.push_back(part ? counts[at(rank)] * reduction.element_size : out[at(rank)].size());
  }
}

// The combination of the vectors of the ranks from the first to the last, in
// their order.
void Problem::combine(Bytes& to, int first, int last) const {
  const auto function = reduction_of(reduction.commutative ? Operator::sum : Operator::matrix).function;
  to = in[at(first)];
  for (int rank = first + 1; rank <= last; ++rank) {
    Bytes right = in[at(rank)];
    function(to.data(), right.data(), right.size() / reduction.element_size);
    to = right;
  }
}

void Problem::prepare_reduction() {
  const bool parts = kind == Kind::reduce_scatter || kind == Kind::reduce_scatter_block;
  uint64_t total = 0;
  for (uint64_t part : counts) total += part;
  if (!parts) total = count;
  const uint64_t element = reduction.element_size;
  for (int rank = 0; rank < size; ++rank) in[at(rank)] = filled(total * element, rank, count);
  uint64_t first = 0;
  for (int rank = 0; rank < size; ++rank) {
    const bool place = in_place && (kind != Kind::reduce || rank == root);
    out[at(rank)] = place ? in[at(rank)] : untouched((parts ? counts[at(rank)] : count) * element);
    expected[at(rank)] = out[at(rank)];
    if (kind == Kind::allreduce || (kind == Kind::reduce && rank == root)) combine(expected[at(rank)], 0, size - 1);
    if (kind == Kind::scan) combine(expected[at(rank)], 0, rank);
    if (kind == Kind::exscan && rank > 0) combine(expected[at(rank)], 0, rank - 1);
    if (parts) {
      Bytes all;
      combine(all, 0, size - 1);
      put(expected[at(rank)], 0, all, first * element, counts[at(rank)] * element);
      first += counts[at(rank)];
    }
  }
}

void Problem::prepare_blocks() {
  const uint64_t all = count * static_cast<uint64_t>(size);
  const bool many_in = kind == Kind::scatter || kind == Kind::alltoall;
  for (int rank = 0; rank < size; ++rank) in[at(rank)] = filled(many_in ? all : count, rank, count);
  for (int rank = 0; rank < size; ++rank) {
    const bool gets = kind != Kind::gather || rank == root;
    out[at(rank)] = untouched(kind == Kind::scatter ? count : gets ? all : 0);
    if (in_place && gets && kind != Kind::scatter) {
      if (kind == Kind::alltoall) {
        out[at(rank)] = in[at(rank)];
      } else {
        put(out[at(rank)], count * at(rank), in[at(rank)], 0, count);
      }
    }
    expected[at(rank)] = out[at(rank)];
    if (kind == Kind::scatter && !(in_place && rank == root)) {
      put(expected[at(rank)], 0, in[at(root)], count * at(rank), count);
    }
    if (kind == Kind::scatter || !gets) continue;
    for (int from = 0; from < size; ++from) {
      put(expected[at(rank)], count * at(from), in[at(from)], kind == Kind::alltoall ? count * at(rank) : 0, count);
    }
  }
}

// Sizes: gatherv and allgatherv: process r gives length(r, r). scatterv: it
// gets that. Blocks lie with gaps.
void Problem::prepare_vector() {
  std::vector<uint64_t> own;
  for (int rank = 0; rank < size; ++rank) own.push_back(length(rank, rank));
  const std::vector<int64_t> own_places = places(own);
  const auto whole = [](const std::vector<int64_t>& begins) { return static_cast<uint64_t>(begins.back()); };
  for (int rank = 0; rank < size; ++rank) {
    const uint64_t bytes = kind == Kind::scatterv    ? whole(own_places)
                           : kind == Kind::alltoallv ? whole(places(lengths_from(rank)))
                                                     : own[at(rank)];
    in[at(rank)] = filled(bytes, rank, count);
  }
  for (int rank = 0; rank < size; ++rank) {
    const bool gets = kind != Kind::gatherv || rank == root;
    const std::vector<uint64_t> coming = kind == Kind::alltoallv ? lengths_to(rank) : own;
    const std::vector<int64_t> begins = places(coming);
    out[at(rank)] = untouched(kind == Kind::scatterv ? own[at(rank)] : gets ? whole(begins) : 0);
    if (in_place && gets && kind == Kind::alltoallv) out[at(rank)] = in[at(rank)];
    if (in_place && gets && (kind == Kind::gatherv || kind == Kind::allgatherv)) {
      put(out[at(rank)], static_cast<uint64_t>(begins[at(rank)]), in[at(rank)], 0, own[at(rank)]);
    }
    expected[at(rank)] = out[at(rank)];
    if (kind == Kind::scatterv) {
      if (in_place && rank == root) continue;
      put(expected[at(rank)], 0, in[at(root)], static_cast<uint64_t>(own_places[at(rank)]), own[at(rank)]);
    } else if (gets) {
      for (int from = 0; from < size; ++from) {
        const uint64_t first =
            kind == Kind::alltoallv ? static_cast<uint64_t>(places(lengths_from(from))[at(rank)]) : 0;
        put(expected[at(rank)], static_cast<uint64_t>(begins[at(from)]), in[at(from)], first, coming[at(from)]);
      }
    }
  }
}

namespace {

// Calls the right function with the arguments of one process; `extra` is what
// comes last for the non-blocking forms.
template <class Result, class... Extra>
Result call(Problem& problem, coll::Group& group, Extra... extra) {
  using namespace coll;
  constexpr bool blocking = sizeof...(Extra) == 0;
  const int rank = group.rank;
  const void* in = problem.in_pointer(rank);
  void* out = problem.out_pointer(rank);
  const uint64_t count = problem.count;
  const int root = problem.root;
  const Reduction& how = problem.reduction;
  std::vector<uint64_t> own;
  for (int each = 0; each < problem.size; ++each) own.push_back(problem.length(each, each));
  const std::vector<int64_t> own_places = Problem::places(own);
  const std::vector<uint64_t> to = problem.lengths_to(rank), from = problem.lengths_from(rank);
  const std::vector<int64_t> to_places = Problem::places(to), from_places = Problem::places(from);
  const uint64_t mine = own[static_cast<std::size_t>(rank)];
#define VIF_CALL(name, ...)                                         \
  if constexpr (blocking) {                                         \
    return name(group __VA_OPT__(, ) __VA_ARGS__);                  \
  } else {                                                          \
    return make_##name(group __VA_OPT__(, ) __VA_ARGS__, extra...); \
  }
  switch (problem.kind) {
    case Kind::barrier:
      VIF_CALL(barrier)
    case Kind::bcast:
      VIF_CALL(bcast, out, count, root)
    case Kind::reduce:
      VIF_CALL(reduce, in, out, count, how, root)
    case Kind::allreduce:
      VIF_CALL(allreduce, in, out, count, how)
    case Kind::reduce_scatter:
      VIF_CALL(reduce_scatter, in, out, problem.counts.data(), how)
    case Kind::reduce_scatter_block:
      VIF_CALL(reduce_scatter_block, in, out, count, how)
    case Kind::scan:
      VIF_CALL(scan, in, out, count, how)
    case Kind::exscan:
      VIF_CALL(exscan, in, out, count, how)
    case Kind::gather:
      VIF_CALL(gather, in, count, out, root)
    case Kind::scatter:
      VIF_CALL(scatter, in, count, out, root)
    case Kind::allgather:
      VIF_CALL(allgather, in, count, out)
    case Kind::alltoall:
      VIF_CALL(alltoall, in, count, out)
    case Kind::gatherv:
      VIF_CALL(gatherv, in, mine, out, own.data(), own_places.data(), root)
    case Kind::scatterv:
      VIF_CALL(scatterv, in, own.data(), own_places.data(), out, mine, root)
    case Kind::allgatherv:
      VIF_CALL(allgatherv, in, out, own.data(), own_places.data())
    case Kind::alltoallv:
      VIF_CALL(alltoallv, in, from.data(), from_places.data(), out, to.data(), to_places.data())
  }
#undef VIF_CALL
  return Result{};
}

}  // namespace

coll::OperationPointer Problem::make(coll::Group& group, coll::Lifetime lifetime) {
  return call<coll::OperationPointer>(*this, group, lifetime);
}

net::Outcome Problem::run(coll::Group& group) { return call<net::Outcome>(*this, group); }

}  // namespace vif::test
