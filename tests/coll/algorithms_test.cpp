// Every algorithm, for 1 to 17 processes, every root (for many processes:
// some), short, empty and uneven data, in place or not, with operators that
// commute and that do not, over an engine that completes things in any order.
#include "coll/algorithms.hpp"

#include <gtest/gtest.h>

#include "coll/fake_team.hpp"
#include "coll/problem.hpp"
#include "coll/schedule_operation.hpp"

namespace vif::test {
namespace {

using coll::Blocks;
using coll::Schedule;

struct Algorithm {
  const char* name;
  Kind kind;
  void (*write)(Schedule&, Problem&);
  bool power_of_two = false;
  bool commutative = false;
};

const void* source(Problem& problem, int rank) {
  const void* in = problem.in_pointer(rank);
  return in == coll::in_place ? problem.out_pointer(rank) : in;
}

std::vector<uint64_t> begins(const Problem& problem) {
  std::vector<uint64_t> all(1, 0);
  for (uint64_t part : problem.counts) all.push_back(all.back() + part);
  return all;
}

const Algorithm algorithms[] = {
    {"barrier_dissemination", Kind::barrier, [](Schedule& s, Problem&) { coll::barrier_dissemination(s); }},
    {"bcast_binomial", Kind::bcast,
     [](Schedule& s, Problem& p) { coll::bcast_binomial(s, p.out_pointer(s.rank()), p.count, p.root); }},
    {"bcast_chain", Kind::bcast,
     [](Schedule& s, Problem& p) { coll::bcast_chain(s, p.out_pointer(s.rank()), p.count, p.root, 16); }},
    {"bcast_scatter_allgather", Kind::bcast,
     [](Schedule& s, Problem& p) { coll::bcast_scatter_allgather(s, p.out_pointer(s.rank()), p.count, p.root); }},
    {"reduce_binomial", Kind::reduce,
     [](Schedule& s, Problem& p) {
       coll::reduce_binomial(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count, p.root);
     }},
    {"reduce_fold", Kind::reduce,
     [](Schedule& s, Problem& p) {
       coll::reduce_fold(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count, p.root);
     }},
    {"allreduce_fold", Kind::allreduce,
     [](Schedule& s, Problem& p) { coll::allreduce_fold(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count); }},
    {"scan_fold", Kind::scan,
     [](Schedule& s, Problem& p) { coll::scan_fold(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count); }},
    {"exscan_fold", Kind::exscan,
     [](Schedule& s, Problem& p) { coll::exscan_fold(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count); }},
    {"reduce_halving", Kind::reduce,
     [](Schedule& s, Problem& p) {
       coll::reduce_halving(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count, p.root);
     }},
    {"allreduce_doubling", Kind::allreduce,
     [](Schedule& s, Problem& p) {
       coll::allreduce_doubling(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count);
     }},
    {"allreduce_halving", Kind::allreduce,
     [](Schedule& s, Problem& p) {
       coll::allreduce_halving(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count);
     }},
    {"allreduce_ring", Kind::allreduce,
     [](Schedule& s, Problem& p) { coll::allreduce_ring(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count); },
     false, true},
    {"reduce_scatter_direct", Kind::reduce_scatter,
     [](Schedule& s, Problem& p) {
       coll::reduce_scatter_direct(s, source(p, s.rank()), p.out_pointer(s.rank()), begins(p));
     }},
    {"reduce_scatter_allreduce", Kind::reduce_scatter,
     [](Schedule& s, Problem& p) {
       coll::reduce_scatter_allreduce(s, source(p, s.rank()), p.out_pointer(s.rank()), begins(p));
     }},
    {"scan_doubling", Kind::scan,
     [](Schedule& s, Problem& p) { coll::scan_doubling(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count); }},
    {"exscan_doubling", Kind::exscan,
     [](Schedule& s, Problem& p) { coll::exscan_doubling(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count); }},
    {"scan_chain", Kind::scan,
     [](Schedule& s, Problem& p) {
       coll::scan_chain(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count, false);
     }},
    {"scan_chain_ordered", Kind::scan,
     [](Schedule& s, Problem& p) { coll::scan_chain(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count, true); }},
    {"exscan_chain", Kind::exscan,
     [](Schedule& s, Problem& p) {
       coll::exscan_chain(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count, false);
     }},
    {"exscan_chain_ordered", Kind::exscan,
     [](Schedule& s, Problem& p) {
       coll::exscan_chain(s, source(p, s.rank()), p.out_pointer(s.rank()), p.count, true);
     }},
    {"gather_linear", Kind::gather,
     [](Schedule& s, Problem& p) {
       const Blocks blocks{nullptr, nullptr, p.count};
       coll::gather_linear(s, p.in_pointer(s.rank()), p.count, p.out_pointer(s.rank()), blocks, p.root);
     }},
    {"gather_binomial", Kind::gather,
     [](Schedule& s, Problem& p) {
       coll::gather_binomial(s, p.in_pointer(s.rank()), p.count, p.out_pointer(s.rank()), p.root);
     }},
    {"scatter_linear", Kind::scatter,
     [](Schedule& s, Problem& p) {
       const Blocks blocks{nullptr, nullptr, p.count};
       coll::scatter_linear(s, p.in_pointer(s.rank()), blocks, p.out_pointer(s.rank()), p.count, p.root);
     }},
    {"scatter_binomial", Kind::scatter,
     [](Schedule& s, Problem& p) {
       coll::scatter_binomial(s, p.in_pointer(s.rank()), p.count, p.out_pointer(s.rank()), p.root);
     }},
    {"allgather_ring", Kind::allgather,
     [](Schedule& s, Problem& p) {
       coll::allgather_ring(s, p.in_pointer(s.rank()), p.out_pointer(s.rank()), Blocks{nullptr, nullptr, p.count});
     }},
    {"allgather_doubling", Kind::allgather,
     [](Schedule& s, Problem& p) {
       coll::allgather_doubling(s, p.in_pointer(s.rank()), p.count, p.out_pointer(s.rank()));
     },
     true},
    {"allgather_bruck", Kind::allgather,
     [](Schedule& s, Problem& p) {
       coll::allgather_bruck(s, p.in_pointer(s.rank()), p.count, p.out_pointer(s.rank()));
     }},
    {"alltoall_pairwise", Kind::alltoall,
     [](Schedule& s, Problem& p) {
       const Blocks blocks{nullptr, nullptr, p.count};
       coll::alltoall_pairwise(s, p.in_pointer(s.rank()), blocks, p.out_pointer(s.rank()), blocks);
     }},
    {"alltoall_bruck", Kind::alltoall,
     [](Schedule& s, Problem& p) {
       coll::alltoall_bruck(s, p.in_pointer(s.rank()), p.count, p.out_pointer(s.rank()));
     }},
};

// Starts the processes at random moments; each throws its operation away as
// soon as it is complete.
void run(const Algorithm& algorithm, Problem& problem, uint64_t seed) {
  FakeTeam team(problem.size, seed, false);
  const std::size_t size = static_cast<std::size_t>(problem.size);
  std::vector<std::unique_ptr<coll::ScheduleOperation>> operations(size);
  std::vector<bool> over(size, false);
  std::size_t left = size;
  for (uint64_t turn = 0; left != 0; ++turn) {
    ASSERT_LT(turn, 10'000'000u) << "no end: " << algorithm.name << ", " << problem.describe();
    const std::size_t rank = team.job.random() % size;
    if (!operations[rank] && !over[rank]) {
      operations[rank] = std::make_unique<coll::ScheduleOperation>(team.group(static_cast<int>(rank)));
      Schedule& schedule = operations[rank]->schedule();
      schedule.clear(1 << 12);
      schedule.set_reduction(problem.reduction);
      algorithm.write(schedule, problem);
      schedule.seal();
      operations[rank]->start();
    }
    team.job.step();
    if (operations[rank] && operations[rank]->complete()) {
      ASSERT_EQ(operations[rank]->outcome(), net::Outcome::success);
      operations[rank].reset();
      over[rank] = true;
      --left;
    }
  }
  EXPECT_TRUE(team.job.idle()) << "something is left over";
  for (int rank = 0; rank < problem.size; ++rank) problem.check(rank);
}

class Algorithms : public testing::TestWithParam<Algorithm> {};

TEST_P(Algorithms, gives_the_right_result) {
  const Algorithm& algorithm = GetParam();
  uint64_t seed = base_seed();
  const bool reduces = algorithm.kind >= Kind::reduce && algorithm.kind <= Kind::exscan;
  const bool rooted = algorithm.kind == Kind::bcast || algorithm.kind == Kind::reduce ||
                      algorithm.kind == Kind::gather || algorithm.kind == Kind::scatter;
  std::vector<Operator> operators{Operator::sum};
  if (reduces) operators = {Operator::sum, Operator::matrix, Operator::user_sum, Operator::user_matrix};
  for (int size = 1; size <= 17; ++size) {
    if (algorithm.power_of_two && (size & (size - 1)) != 0) continue;
    for (int root = 0; root<(rooted ? size : 1); root += size> 9 ? 5 : 1) {
      for (uint64_t count : {0, 1, 2, 7, 37, 200}) {
        for (Operator op : operators) {
          if (algorithm.commutative && !reduction_of(op).commutative) continue;
          for (bool in_place : {false, true}) {
            Problem problem(algorithm.kind, size, root, count, in_place, op);
            SCOPED_TRACE("seed " + std::to_string(seed) + ", " + problem.describe());
            run(algorithm, problem, ++seed);
            if (HasFatalFailure() || HasNonfatalFailure()) return;
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Algorithms, testing::ValuesIn(algorithms),
                         [](const auto& of) { return std::string(of.param.name); });

// Long enough for several slices of work, and for handlers that stop half-way.
TEST(Slices, long_reductions_and_copies_are_continued) {
  uint64_t seed = base_seed();
  for (const Algorithm& algorithm : algorithms) {
    const bool reduces = algorithm.kind >= Kind::reduce && algorithm.kind <= Kind::exscan;
    for (int size : {2, 3, 4}) {
      if (algorithm.power_of_two && size == 3) continue;
      Problem problem(algorithm.kind, size, size - 1, reduces ? 40'000 : 300'001, false);
      SCOPED_TRACE(std::string(algorithm.name) + ", seed " + std::to_string(seed));
      run(algorithm, problem, ++seed);
    }
  }
}

}  // namespace
}  // namespace vif::test
