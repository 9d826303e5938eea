// The doors: many operations of all kinds under way at once on one group, with
// and without shared memory, persistent ones restarted in different orders, and
// blocking ones with a thread for each process.
#include <gtest/gtest.h>

#include <thread>

#include "coll/choice.hpp"
#include "coll/fake_team.hpp"
#include "coll/problem.hpp"
#include "coll/split_plan.hpp"

namespace vif::test {
namespace {

constexpr int kinds = static_cast<int>(Kind::alltoallv) + 1;

Problem random_problem(std::mt19937_64& random, int size) {
  static constexpr uint64_t counts[] = {0, 1, 3, 8, 31, 100, 700, 3000};
  const Kind kind = static_cast<Kind>(random() % kinds);
  const uint64_t count = counts[random() % std::size(counts)];
  const int root = static_cast<int>(random() % static_cast<uint64_t>(size));
  return Problem(kind, size, root, count, random() % 3 == 0, static_cast<Operator>(random() % 4));
}

// What one process has started and not yet completed, oldest first.
struct Pending {
  std::size_t problem;
  coll::OperationPointer operation;
};

// Every mode of progress, and what is used where it is asked for, in turn.
class Setting {
 public:
  Setting(FakeTeam& team, int trial) {
    for (auto& group : team.groups) group->progress = static_cast<net::Progress>(trial % 3);
    EXPECT_EQ(coll::set_choices(trial % 2 == 1 ? on_demand : ""), "");
    coll::set_split_rule(std::to_string(trial % 5));
    if (trial % 4 == 1) coll::set_split_rule("adapt");
  }
  ~Setting() {
    coll::set_choices("");
    coll::set_split_rule("adapt");
  }

 private:
  static constexpr const char* on_demand =
      "bcast=split,gather=split,scatter=split,reduce=split,allreduce=split,scan=chain_ordered,exscan=chain";
};

class Doors : public testing::TestWithParam<bool> {};

TEST_P(Doors, many_operations_at_once) {
  uint64_t seed = base_seed();
  for (int size : {1, 2, 3, 4, 5, 8, 13}) {
    for (int trial = 0; trial < 20; ++trial) {
      SCOPED_TRACE("seed " + std::to_string(++seed) + ", processes " + std::to_string(size));
      FakeTeam team(size, seed, GetParam());
      const Setting setting(team, trial);
      std::vector<Problem> problems;
      for (int index = 0; index < 24; ++index) problems.push_back(random_problem(team.job.random, size));
      std::vector<std::size_t> next(static_cast<std::size_t>(size), 0);
      std::vector<std::vector<Pending>> pending(static_cast<std::size_t>(size));
      std::size_t left = problems.size() * static_cast<std::size_t>(size);
      for (uint64_t turn = 0; left != 0; ++turn) {
        ASSERT_LT(turn, 10'000'000u) << "no end";
        const std::size_t rank = team.job.random() % static_cast<std::size_t>(size);
        if (next[rank] < problems.size() && pending[rank].size() < 9 && team.job.random() % 8 == 0) {
          Problem& problem = problems[next[rank]];
          auto operation = problem.make(team.group(static_cast<int>(rank)), coll::Lifetime::once);
          ASSERT_NE(operation, nullptr);
          operation->start();
          pending[rank].push_back({next[rank]++, std::move(operation)});
        }
        team.job.step();
        const auto over = std::find_if(pending[rank].begin(), pending[rank].end(),
                                       [](const Pending& each) { return each.operation->complete(); });
        if (over == pending[rank].end()) continue;
        ASSERT_EQ(over->operation->outcome(), net::Outcome::success);
        problems[over->problem].check(static_cast<int>(rank));
        if (HasFatalFailure()) return;
        pending[rank].erase(over);
        --left;
      }
      EXPECT_TRUE(team.job.idle()) << "something is left over";
    }
  }
}

TEST_P(Doors, persistent_operations_start_in_any_order) {
  uint64_t seed = base_seed();
  for (int size : {1, 2, 3, 5, 8}) {
    SCOPED_TRACE("seed " + std::to_string(++seed) + ", processes " + std::to_string(size));
    FakeTeam team(size, seed, GetParam());
    const Setting setting(team, static_cast<int>(seed));
    std::vector<Problem> problems;
    for (int index = 0; index < kinds; ++index) problems.push_back(random_problem(team.job.random, size));
    std::vector<std::vector<coll::OperationPointer>> operations;
    for (int rank = 0; rank < size; ++rank) {
      auto& mine = operations.emplace_back();
      for (Problem& problem : problems) mine.push_back(problem.make(team.group(rank), coll::Lifetime::persistent));
    }
    for (int round = 0; round < 3; ++round) {
      for (Problem& problem : problems) {
        // The same memory with fresh data: the operations hold pointers to it.
        Problem fresh(problem.kind, size, problem.root, problem.count, problem.in_place, problem.op);
        for (std::size_t rank = 0; rank < fresh.out.size(); ++rank) {
          std::copy(fresh.out[rank].begin(), fresh.out[rank].end(), problem.out[rank].begin());
        }
      }
      for (auto& mine : operations) {
        std::vector<std::size_t> order(mine.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), team.job.random);
        for (std::size_t index : order) mine[index]->start();
      }
      const auto all_complete = [&] {
        for (auto& mine : operations) {
          for (auto& operation : mine) {
            if (!operation->complete()) return false;
          }
        }
        return true;
      };
      for (uint64_t turn = 0; !all_complete(); ++turn) {
        ASSERT_LT(turn, 10'000'000u) << "no end";
        team.job.step();
      }
      for (Problem& problem : problems) {
        for (int rank = 0; rank < size; ++rank) problem.check(rank);
      }
      EXPECT_TRUE(team.job.idle()) << "something is left over";
    }
  }
}

// One thread per process; the area is then written and read by several threads
// at once.
void run_blocking(int size, bool with_area, bool several_threads, uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", processes " + std::to_string(size));
  FakeTeam team(size, seed, with_area);
  std::vector<Problem> problems;
  for (int index = 0; index < 40; ++index) problems.push_back(random_problem(team.job.random, size));
  for (auto& group : team.groups) group->several_threads = several_threads;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      for (Problem& problem : problems) {
        EXPECT_EQ(problem.run(team.group(rank)), net::Outcome::success);
        problem.check(rank);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Doors, blocking) {
  uint64_t seed = base_seed();
  for (int size : {1, 2, 3, 4, 5, 8}) {
    for (int trial = 0; trial < 3; ++trial) run_blocking(size, GetParam(), trial == 2, ++seed);
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutArea, Doors, testing::Bool(),
                         [](const auto& of) { return of.param ? "area" : "messages"; });

// Requirement 33 of Spec 2: what lies between start and the first question is the computation of the next time.
TEST(Split, learns_how_long_the_program_computed) {
  FakeTeam team(8, base_seed(), false);
  ASSERT_EQ(coll::set_choices("bcast=split"), "");
  coll::set_split_rule("adapt");
  int64_t& clock = team.job.engine(team.processes[0]).clock_ns;
  clock = 0;
  std::vector<char> data(1 << 20);
  const auto split_after = [&](int64_t computation) {
    for (int turn = 0; turn < 20; ++turn) {
      std::vector<coll::OperationPointer> all;
      for (int rank = 0; rank < 8; ++rank) {
        team.group(rank).free_cores = 2;
        all.push_back(coll::make_bcast(team.group(rank), data.data(), data.size(), 0));
        all.back()->start();
        clock += 1;
      }
      clock += computation;
      all[0]->asked();
      clock += 1'000'000'000;
      const auto complete = [](const auto& operation) { return operation->complete(); };
      while (!std::all_of(all.begin(), all.end(), complete)) team.job.step();
    }
    const auto site = team.group(0).split_sites->at(coll::Collective::bcast, data.size(), 8, 10);
    return site->split();
  };
  EXPECT_EQ(split_after(1'000'000'000), 0) << "everything is hidden";
  EXPECT_EQ(split_after(10), 3) << "nothing can be";
  coll::set_choices("");
}

TEST(Area, a_root_may_run_ahead_of_the_others_until_all_slots_are_full) {
  FakeTeam team(3, base_seed(), true);
  std::vector<int> values(16, 0);
  std::vector<coll::OperationPointer> sent;
  for (int& value : values) {
    value = static_cast<int>(&value - values.data()) + 1;
    sent.push_back(coll::make_bcast(team.group(0), &value, sizeof value, 0));
    sent.back()->start();
  }
  for (int turn = 0; turn < 10'000; ++turn) team.job.step();
  const auto complete = std::count_if(sent.begin(), sent.end(), [](const auto& each) { return each->complete(); });
  EXPECT_EQ(complete, 4) << "the area has four slots, and nobody else has come";
  for (std::size_t index = 0; index < values.size(); ++index) {
    int got[2] = {};
    for (int rank : {1, 2}) {
      auto operation = coll::make_bcast(team.group(rank), &got[rank - 1], sizeof(int), 0);
      operation->start();
      for (int turn = 0; turn < 10'000 && !operation->complete(); ++turn) team.job.step();
      ASSERT_TRUE(operation->complete());
      EXPECT_EQ(got[rank - 1], values[index]);
    }
  }
  while (!sent.back()->complete()) team.job.step();
  EXPECT_TRUE(team.job.idle());
}

TEST(Area, only_those_who_wait_are_rung_by_a_reduction_to_a_root) {
  FakeTeam team(4, base_seed(), true);
  Problem problem(Kind::reduce, 4, 2, 4, false);
  std::vector<coll::OperationPointer> operations;
  for (int rank : {2, 0, 1, 3}) {
    operations.push_back(problem.make(team.group(rank), coll::Lifetime::once));
    operations.back()->start();
    for (int turn = 0; turn < 1000; ++turn) team.job.step();
  }
  for (int rank = 0; rank < 4; ++rank) {
    EXPECT_TRUE(operations[static_cast<std::size_t>(rank)]->complete());
    const int process = team.processes[static_cast<std::size_t>(rank)];
    EXPECT_EQ(team.job.engine(process).rings, rank == 2 ? 1u : 0u);
    problem.check(rank);
  }
}

TEST(Area, who_waits_for_a_dead_process_learns_it) {
  FakeTeam team(3, 1, true);
  std::vector<coll::OperationPointer> waiting;
  for (int rank = 0; rank < 2; ++rank) {
    waiting.push_back(coll::make_barrier(team.group(rank)));
    waiting.back()->start();
  }
  for (int turn = 0; turn < 1000; ++turn) team.job.step();
  EXPECT_FALSE(waiting[0]->complete());
  for (int rank = 0; rank < 2; ++rank)
    team.job.engine(team.processes[static_cast<std::size_t>(rank)]).dead_process = team.processes[2];
  for (int turn = 0; turn < 100000 && !(waiting[0]->complete() && waiting[1]->complete()); ++turn) team.job.step();
  for (int rank = 0; rank < 2; ++rank) {
    ASSERT_TRUE(waiting[static_cast<std::size_t>(rank)]->complete());
    EXPECT_EQ(waiting[static_cast<std::size_t>(rank)]->outcome(), net::Outcome::peer_dead);
    EXPECT_EQ(coll::barrier(team.group(rank)), net::Outcome::peer_dead) << "no later one hangs";
  }
}

TEST(Area, a_group_without_shared_memory_says_so) {
  coll::Group group;
  EXPECT_FALSE(group.attach_area(0));
  EXPECT_EQ(group.slots, nullptr);
}

}  // namespace
}  // namespace vif::test
