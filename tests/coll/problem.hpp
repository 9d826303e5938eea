// One collective with its data: what each process passes, and what it must find afterwards.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "coll/coll.hpp"
#include "coll/fake_engine.hpp"

namespace vif::test {

inline uint64_t base_seed() {
  static const uint64_t seed = [] {
    const char* given = std::getenv("VIF_TEST_SEED");
    const uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
    std::cout << "VIF_TEST_SEED=" << value << std::endl;
    return value;
  }();
  return seed;
}

using Bytes = std::vector<std::byte>;

// sum: commutative. matrix: 2 x 2 matrices, which do not commute. The user ones check that they are not in a handler.
enum class Operator { sum, matrix, user_sum, user_matrix };

inline void sum(const void* in, void* inout, uint64_t count) {
  for (uint64_t index = 0; index < count; ++index) {
    uint64_t a, b;
    std::memcpy(&a, static_cast<const std::byte*>(in) + index * 8, 8);
    std::memcpy(&b, static_cast<std::byte*>(inout) + index * 8, 8);
    b += a;
    std::memcpy(static_cast<std::byte*>(inout) + index * 8, &b, 8);
  }
}

inline void matrix(const void* in, void* inout, uint64_t count) {
  for (uint64_t index = 0; index < count; ++index) {
    uint32_t a[4], b[4];
    std::memcpy(a, static_cast<const std::byte*>(in) + index * 16, 16);
    std::memcpy(b, static_cast<std::byte*>(inout) + index * 16, 16);
    const uint32_t product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                                 a[2] * b[1] + a[3] * b[3]};
    std::memcpy(static_cast<std::byte*>(inout) + index * 16, product, 16);
  }
}

inline coll::Reduction reduction_of(Operator kind) {
  const bool sums = kind == Operator::sum || kind == Operator::user_sum;
  coll::Reduction reduction;
  reduction.element_size = sums ? 8 : 16;
  reduction.commutative = sums;
  if (kind == Operator::sum || kind == Operator::matrix) {
    reduction.function = sums ? sum : matrix;
    return reduction;
  }
  reduction.argument = reinterpret_cast<void*>(sums ? sum : matrix);
  reduction.user = [](const void* in, void* inout, uint64_t count, void* argument) {
    if (in_fake_handler) std::abort();
    reinterpret_cast<void (*)(const void*, void*, uint64_t)>(argument)(in, inout, count);
  };
  return reduction;
}

enum class Kind {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  gather,
  scatter,
  allgather,
  alltoall,
  gatherv,
  scatterv,
  allgatherv,
  alltoallv
};

class Problem {
 public:
  // `count`: elements for reductions, bytes of a block otherwise (v: about).
  Problem(Kind its_kind, int its_size, int its_root, uint64_t its_count, bool place, Operator with = Operator::sum)
      : kind(its_kind), size(its_size), root(its_root), count(its_count), in_place(place), op(with) {
    reduction = reduction_of(op);
    for (int rank = 0; rank < size; ++rank) {
      counts.push_back(kind == Kind::reduce_scatter ? (count + 3 * static_cast<uint64_t>(rank)) % (count + 2) : count);
    }
    prepare();
  }

  const void* in_pointer(int rank) const {
    const bool only_root = kind == Kind::reduce || kind == Kind::gather || kind == Kind::gatherv;
    const bool everybody = !only_root && kind != Kind::scatter && kind != Kind::scatterv && kind != Kind::bcast;
    const bool place = in_place && (everybody || (only_root && rank == root));
    return place ? coll::in_place : static_cast<const void*>(in[at(rank)].data());
  }
  void* out_pointer(int rank) {
    const bool place = in_place && rank == root && (kind == Kind::scatter || kind == Kind::scatterv);
    return place ? coll::in_place : out[at(rank)].data();
  }

  bool unchanged(int rank) const { return in[at(rank)] == original[at(rank)]; }
  bool right(int rank) const {
    const std::ptrdiff_t length = static_cast<std::ptrdiff_t>(checked[at(rank)]);
    return std::equal(out[at(rank)].begin(), out[at(rank)].begin() + length, expected[at(rank)].begin());
  }
  void check(int rank) const {
    ASSERT_TRUE(unchanged(rank)) << "process " << rank << ": what was sent has been changed: " << describe();
    ASSERT_TRUE(right(rank)) << "process " << rank << " has a wrong result: " << describe();
  }

  std::string describe() const {
    return "kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(size) + " processes, root " +
           std::to_string(root) + ", count " + std::to_string(count) + (in_place ? ", in place" : "") + ", operator " +
           std::to_string(static_cast<int>(op));
  }

  // The vector of a v-variant: what `from` sends to `to`, and where blocks lie (with gaps).
  uint64_t length(int from, int to) const {
    const uint64_t number = static_cast<uint64_t>(in_place ? from + to : 3 * from + to);
    return number % 4 == 0 ? 0 : (count * number) % (2 * count + 1);
  }
  std::vector<uint64_t> lengths_to(int rank) const {  // by sender
    std::vector<uint64_t> all;
    for (int from = 0; from < size; ++from) all.push_back(length(from, rank));
    return all;
  }
  std::vector<uint64_t> lengths_from(int rank) const {
    std::vector<uint64_t> all;
    for (int to = 0; to < size; ++to) all.push_back(length(rank, to));
    return all;
  }
  static std::vector<int64_t> places(const std::vector<uint64_t>& lengths) {
    std::vector<int64_t> all;
    int64_t next = 2;
    for (uint64_t bytes : lengths) {
      all.push_back(next);
      next += static_cast<int64_t>(bytes) + 3;
    }
    all.push_back(next);
    return all;
  }

  // Started by its process. Not for barriers of the blocking kind.
  coll::OperationPointer make(coll::Group& group, coll::Lifetime lifetime);
  net::Outcome run(coll::Group& group);

  Kind kind;
  int size;
  int root;
  uint64_t count;
  bool in_place;
  Operator op;
  coll::Reduction reduction;
  std::vector<uint64_t> counts;
  std::vector<Bytes> in, out;

  // Data as before the first run.
  void prepare();

 private:
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  void combine(Bytes& to, int first, int last) const;
  void prepare_reduction();
  void prepare_blocks();
  void prepare_vector();

  std::vector<Bytes> original, expected;
  std::vector<std::size_t> checked;
};

}  // namespace vif::test
