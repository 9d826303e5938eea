// Collectives over the real engine, in processes of their own.
#include <gtest/gtest.h>

#include <cstdio>
#include <thread>

#include "coll/problem.hpp"
#include "net/job.hpp"

namespace vif::test {
namespace {

using net::ApiScope;
using net::Engine;

// The group of all processes of the job. The first one gives everybody its shared memory.
struct Team {
  Team(Engine& engine, bool with_area) {
    for (int process = 0; process < engine.processes(); ++process) processes.push_back(process);
    group.engine = &engine;
    group.context = 9;
    group.rank = engine.process();
    group.size = engine.processes();
    group.processes = processes.data();
    ApiScope scope(engine);
    uint64_t offset = 0;
    std::string error;
    if (with_area && group.rank == 0) offset = engine.shared_allocate(coll::area_bytes(group.size), error);
    coll::bcast(group, &offset, sizeof offset, 0);  // by messages: there is no area yet
    attached = group.attach_area(offset) == with_area;
  }

  std::vector<int> processes;
  coll::Group group;
  bool attached = false;
};

bool holds(const Problem& problem, int rank) {
  if (problem.unchanged(rank) && problem.right(rank)) return true;
  std::fprintf(stderr, "wrong: %s\n", problem.describe().c_str());
  return false;
}

Problem draw(std::mt19937_64& random, int size, bool users) {
  static constexpr uint64_t counts[] = {0, 1, 3, 31, 700, 5000, 40'000};
  const auto kind = static_cast<Kind>(random() % (static_cast<uint64_t>(Kind::alltoallv) + 1));
  const uint64_t count = counts[random() % (size > 8 ? 5 : std::size(counts))];
  const int root = static_cast<int>(random() % static_cast<uint64_t>(size));
  return Problem(kind, size, root, count, random() % 3 == 0, static_cast<Operator>(random() % (users ? 4 : 2)));
}

int blocking(Engine& engine, uint64_t seed, bool with_area, bool several_threads) {
  Team team(engine, with_area);
  JOB_CHECK(team.attached);
  team.group.several_threads = several_threads;
  std::mt19937_64 random(seed);
  for (int round = 0; round < 60; ++round) {
    Problem problem = draw(random, team.group.size, true);
    ApiScope scope(engine);
    JOB_CHECK(problem.run(team.group) == net::Outcome::success);
    JOB_CHECK(holds(problem, team.group.rank));
  }
  ApiScope scope(engine);
  coll::barrier(team.group);
  return 0;
}

// Operations are started in one call and end while the program computes: it never calls the library again until then.
int computing(Engine& engine, uint64_t seed, bool with_area) {
  Team team(engine, with_area);
  JOB_CHECK(team.attached);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 20; ++round) {
    std::vector<Problem> problems;
    for (int each = 0; each < 3; ++each) problems.push_back(draw(random, team.group.size, false));
    std::vector<coll::OperationPointer> operations;
    {
      ApiScope scope(engine);
      for (Problem& problem : problems) {
        operations.push_back(problem.make(team.group, coll::Lifetime::once));
        operations.back()->start();
      }
    }
    volatile uint64_t work = 0;
    for (auto& operation : operations) {
      while (!operation->complete()) work = work + 1;
    }
    for (Problem& problem : problems) JOB_CHECK(holds(problem, team.group.rank));
  }
  ApiScope scope(engine);
  coll::barrier(team.group);
  return 0;
}

class OnEngine : public testing::TestWithParam<bool> {};

TEST_P(OnEngine, blocking) {
  const uint64_t seed = base_seed();
  for (int size : {1, 2, 3, 4, 7, 16}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(run_job(size, [&](Engine& engine) { return blocking(engine, seed, GetParam(), false); }), 0);
  }
}

TEST_P(OnEngine, blocking_with_several_threads_allowed) {
  const uint64_t seed = base_seed();
  for (int size : {2, 5}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(run_job(
                  size, [&](Engine& engine) { return blocking(engine, seed, GetParam(), true); }, 3),
              0);
  }
}

TEST_P(OnEngine, ends_while_the_program_computes) {
  const uint64_t seed = base_seed();
  for (int size : {1, 2, 3}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(run_job(size, [&](Engine& engine) { return computing(engine, seed, GetParam()); }), 0);
  }
}

// Two groups, a thread for each in every process: one thread waits for the engine on behalf of both.
TEST_P(OnEngine, two_threads_with_a_group_each) {
  const uint64_t seed = base_seed();
  const auto body = [&](Engine& engine) {
    Team one(engine, GetParam()), other(engine, GetParam());
    JOB_CHECK(one.attached && other.attached);
    other.group.context = 10;
    one.group.several_threads = other.group.several_threads = true;
    int results[2] = {};
    const auto run = [&](Team& team, int& result) {
      std::mt19937_64 random(seed);
      result = [&] {
        for (int round = 0; round < 100; ++round) {
          Problem problem = draw(random, team.group.size, false);
          ApiScope scope(engine);
          JOB_CHECK(problem.run(team.group) == net::Outcome::success);
          JOB_CHECK(holds(problem, team.group.rank));
        }
        return 0;
      }();
    };
    std::thread second([&] { run(other, results[1]); });
    run(one, results[0]);
    second.join();
    ApiScope scope(engine);
    coll::barrier(one.group);
    return results[0] + results[1];
  };
  for (int size : {2, 3}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(run_job(size, body, 3), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutArea, OnEngine, testing::Bool(),
                         [](const auto& of) { return of.param ? "area" : "messages"; });

}  // namespace
}  // namespace vif::test
