// The collectives of src/coll, all of them, on simulated machines: random machines, modes of progress, orders, delays,
// interrupts and failures, hundreds of ranks. A failure prints its seed; VIF_TEST_SEED=<that> repeats it first.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <vector>

#include "coll/problem.hpp"
#include "coll/split.hpp"
#include "sched/guard.hpp"
#include "sim/job.hpp"

namespace vif::sim {
namespace {

using test::Kind;
using test::Operator;
using test::Problem;

constexpr Kind kinds[] = {
    Kind::barrier, Kind::bcast,    Kind::reduce,     Kind::allreduce, Kind::reduce_scatter, Kind::reduce_scatter_block,
    Kind::scan,    Kind::exscan,   Kind::gather,     Kind::scatter,   Kind::allgather,      Kind::alltoall,
    Kind::gatherv, Kind::scatterv, Kind::allgatherv, Kind::alltoallv};

// What a seed makes: a machine, what happens on it, and how ranks progress.
struct Circumstances {
  explicit Circumstances(uint64_t seed) : random(seed) {
    machine.name = "random";
    machine.nodes = pick({1, 1, 2, 3});
    machine.numa_nodes = pick({1, 2});
    machine.cores = pick({2, 4, 6, 10});
    machine.threads_per_core = pick({1, 2});
    machine.switch_ns = pick({0, 100});
    machine.look_ns = 50;
    machine.message_ns = pick({0, 140});
    machine.latency_ns = pick({0, 100});
    machine.far_latency_ns = 200;
    machine.copy_rate = machine.combine_rate = pick({100, 10'000});
    machine.memory_rate = 3 * machine.copy_rate;
    machine.interrupt_ns = 1000;
    machine.interrupt_latency_ns = pick({0, 5000});
    machine.wake_ns = pick({0, 5000});
    machine.smt_share = machine.smt_copy_share = 0.6;
    machine.quantum_ns = pick({0, 0, 20'000});
    machine.network_latency_ns = 1000;
    machine.network_rate = 5000;
    chaos.shuffle = true;
    chaos.jitter = pick({0, 1}) * 0.3;
    chaos.interrupts = pick({0, 1, 20}) * 0.01;
    chaos.pauses = pick({0, 1, 10}) * 0.01;
    chaos.longest_pause = pick({100, 50'000});
    chaos.slow_threads = pick({0, 0, 1}) * 0.2;
    options.wire.delays = pick({0, 1, 10}) * 0.02;
    options.wire.longest_delay = pick({1000, 300'000});
    options.shuffle_ranks = pick({0, 1}) != 0;
    options.engine.eager_limit = static_cast<uint64_t>(pick({0, 64, 1024}));
    options.engine.mode = static_cast<Mode>(pick({0, 0, 1, 1, 2, 3}));
    options.engine.turns = static_cast<Turns>(pick({0, 1, 2}));
    options.engine.take_over = pick({0, 1}) != 0;
    options.engine.spin = pick({0, 20'000});
    options.engine.learns = pick({0, 1}) != 0;
    options.engine.copies = pick({1, 2});
    options.shuffle_threads = pick({0, 1}) != 0;
    options.progress_priority = pick({0, 20});
    options.place = static_cast<machine::ProgressPlace>(pick({0, 1, 2, 3, 4}));
    using machine::ProgressPlace;
    if (options.place == ProgressPlace::smt && machine.threads_per_core == 1) options.place = ProgressPlace::numa;
    const int room = machine.nodes * machine.numa_nodes *
                     (options.place == ProgressPlace::dedicated_core ? machine.cores / 2 : machine.cores);
    options.ranks = 1 + pick(std::min(room, 24));
  }

  int pick(int below) { return static_cast<int>(random() % static_cast<uint64_t>(below)); }
  int pick(std::initializer_list<int> list) { return list.begin()[pick(static_cast<int>(list.size()))]; }

  std::mt19937_64 random;
  Machine machine;
  Chaos chaos;
  JobOptions options;
};

std::unique_ptr<Problem> random_problem(Circumstances& of, int ranks) {
  const Kind kind = kinds[of.pick(std::size(kinds))];
  const bool reduces = kind >= Kind::reduce && kind <= Kind::exscan;
  const auto op = reduces ? static_cast<Operator>(of.pick(4)) : Operator::sum;
  const auto count = static_cast<uint64_t>(of.pick({0, 1, 7, 37, 200, 2000}));
  return std::make_unique<Problem>(kind, ranks, of.pick(ranks), count, of.pick(2) != 0, op);
}

// The collective itself, or where there is one and the seed wants it, its split-tree.
coll::OperationPointer make(Problem& problem, coll::Group& group, uint64_t choice) {
  const coll::SplitOptions split{static_cast<int>(choice % 6), static_cast<int64_t>(choice / 6 % 2 * 20'000)};
  const void* in = problem.in_pointer(group.rank);
  void* out = problem.out_pointer(group.rank);
  const auto normal = [&] { return problem.make(group, coll::Lifetime::once); };
  if (choice % 2 == 0 || !problem.reduction.commutative) return normal();
  switch (problem.kind) {
    case Kind::bcast:
      return make_split_bcast(group, out, problem.count, problem.root, split);
    case Kind::reduce:
      return make_split_reduce(group, in, out, problem.count, problem.reduction, problem.root, split);
    case Kind::allreduce:
      return make_split_allreduce(group, in, out, problem.count, problem.reduction, split);
    case Kind::gather:
      return make_split_gather(group, in, problem.count, out, problem.root, split);
    case Kind::scatter:
      return make_split_scatter(group, in, problem.count, out, problem.root, split);
    default:
      return normal();
  }
}

// Each rank starts one to three collectives, computes, and waits for them in any order.
std::string run_collectives(uint64_t seed, Planted planted, uint64_t most_events) {
  Circumstances of(seed);
  of.options.engine.planted = planted;
  std::vector<std::unique_ptr<Problem>> problems;
  for (int left = 1 + of.pick(3); left != 0; --left) problems.push_back(random_problem(of, of.options.ranks));
  const double compute = of.pick({0, 1000, 100'000});
  const uint64_t choice = of.random();
  // Not on the stacks of the ranks, which are not unwound when nothing can happen any more.
  std::vector<std::vector<coll::OperationPointer>> all_operations(static_cast<std::size_t>(of.options.ranks));
  Simulation simulation(of.machine, seed, of.chaos);
  std::string wrong;
  Job job(simulation, of.options, [&](Rank& rank) {
    rank.compute(compute * static_cast<double>(simulation.random() % 8));
    auto& operations = all_operations[static_cast<std::size_t>(rank.rank)];
    for (auto& problem : problems) {
      operations.push_back(make(*problem, rank.group, choice));
      rank.start(*operations.back());
      rank.compute(compute);
    }
    while (!operations.empty()) {
      const auto which = static_cast<std::ptrdiff_t>(simulation.random() % operations.size());
      auto operation = std::move(operations[static_cast<std::size_t>(which)]);
      operations.erase(operations.begin() + which);
      if (rank.wait(*operation) != net::Outcome::success) wrong = "an operation failed";
    }
  });
  if (!job.error().empty()) return job.error();
  if (!simulation.run(most_events)) {
    std::string text = simulation.what_is_left();
    for (auto& problem : problems) text += "\n  " + problem->describe();
    for (int rank = 0; rank < of.options.ranks; ++rank) text += "\n  " + job.engine(rank).describe();
    return text;
  }
  for (int rank = 0; rank < of.options.ranks; ++rank) {
    if (!job.engine(rank).idle()) wrong = "something is left over: " + job.engine(rank).describe();
    for (auto& problem : problems) {
      if (!problem->unchanged(rank) || !problem->right(rank)) {
        wrong = "rank " + std::to_string(rank) + " has a wrong result: " + problem->describe();
      }
    }
  }
  return wrong;
}

constexpr uint64_t plenty = 20'000'000;

void many(uint64_t seeds) {
  const uint64_t first = test::base_seed();
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    ASSERT_EQ(run_collectives(seed, Planted::none, plenty), "") << "VIF_TEST_SEED=" << seed;
  }
}

TEST(Collectives, give_the_right_results_under_random_circumstances) { many(250); }

TEST(CollectivesLong, give_the_right_results_for_ten_thousand_seeds) { many(10'000); }

TEST(Collectives, work_with_hundreds_of_ranks) {
  const uint64_t seed = test::base_seed();
  for (Kind kind : {Kind::barrier, Kind::bcast, Kind::reduce, Kind::allreduce, Kind::scan, Kind::gather}) {
    Circumstances of(seed);
    of.machine.cores = 300;
    of.chaos = {.shuffle = true, .jitter = 0.3};
    of.options.place = machine::ProgressPlace::numa;
    of.options.ranks = 256;
    of.options.engine.turns = Turns::on_events;
    Problem problem(kind, 256, 77, 37, false);
    Simulation simulation(of.machine, seed, of.chaos);
    Job job(simulation, of.options, [&](Rank& rank) {
      const auto operation = problem.make(rank.group, coll::Lifetime::once);
      rank.start(*operation);
      rank.compute(10'000);
      EXPECT_EQ(rank.wait(*operation), net::Outcome::success);
    });
    ASSERT_TRUE(simulation.run(plenty)) << simulation.what_is_left().substr(0, 500);
    for (int rank = 0; rank < 256; ++rank) problem.check(rank);
  }
}

TEST(Collectives, the_same_seed_gives_the_same_trace) {
  const auto digest = [](uint64_t seed) {
    Circumstances of(seed);
    Problem problem(Kind::allreduce, of.options.ranks, 0, 200, false);
    Simulation simulation(of.machine, seed, of.chaos);
    Job job(simulation, of.options, [&](Rank& rank) {
      const auto operation = problem.make(rank.group, coll::Lifetime::once);
      rank.start(*operation);
      rank.compute(5000);
      rank.wait(*operation);
    });
    EXPECT_TRUE(simulation.run());
    return simulation.trace().digest();
  };
  const uint64_t seed = test::base_seed();
  for (uint64_t index = 0; index < 20; ++index) EXPECT_EQ(digest(seed + index), digest(seed + index));
}

// Point to point: each rank sends to all, in an order of its own, and receives from each, in another one.
void exchange(uint64_t seeds) {
  const uint64_t first = test::base_seed();
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    Circumstances of(seed);
    const int ranks = of.options.ranks;
    const auto length = static_cast<std::size_t>(of.pick({0, 1, 100, 3000}));
    Simulation simulation(of.machine, seed, of.chaos);
    int right = 0;
    Job job(simulation, of.options, [&](Rank& rank) {
      std::vector<std::vector<char>> out, in;
      std::vector<net::Request> sends(static_cast<std::size_t>(ranks)), receives(sends.size());
      for (int peer = 0; peer < ranks; ++peer) {
        out.emplace_back(length, static_cast<char>(rank.rank + peer));
        in.emplace_back(length, 0);
      }
      const bool wild = simulation.random() % 2 == 0;
      const net::ApiScope scope(rank.engine);
      for (int index = 0; index < 2 * ranks; ++index) {
        const int peer = (index / 2 + rank.rank) % ranks;
        const bool sending = index % 2 == 0;
        net::Request& request = (sending ? sends : receives)[static_cast<std::size_t>(peer)];
        request.context = 3;
        request.process = rank.group.processes[peer];
        request.source = sending ? rank.rank : peer;
        request.tag = 5;
        if (!sending && wild) request.source = request.tag = net::any_tag, request.process = -1;
        request.buffer = (sending ? out : in)[static_cast<std::size_t>(peer)].data();
        request.length = length;
        sending ? rank.engine.send(request) : rank.engine.receive(request);
      }
      for (auto* list : {&sends, &receives}) {
        for (net::Request& request : *list) rank.engine.wait(request);
      }
      for (std::size_t index = 0; index < receives.size(); ++index) {
        const auto wanted = static_cast<char>(rank.rank + receives[index].status.source);
        right += receives[index].status.bytes == length && in[index] == std::vector<char>(length, wanted);
      }
    });
    ASSERT_TRUE(simulation.run(plenty)) << simulation.what_is_left();
    ASSERT_EQ(right, ranks * ranks) << "VIF_TEST_SEED=" << seed;
  }
}

TEST(PointToPoint, messages_arrive_whole_and_match) { exchange(60); }

TEST(PointToPointLong, messages_arrive_whole_and_match_for_ten_thousand_seeds) { exchange(10'000); }

// A process is cut off at some moment: nobody hangs, and whoever is told of success has the right result.
TEST(Failures, a_process_that_is_cut_off_is_an_error_and_no_hang) {
  const uint64_t first = test::base_seed();
  int failed = 0;
  for (uint64_t seed = first; seed < first + 100; ++seed) {
    Circumstances of(seed);
    const auto problem = random_problem(of, of.options.ranks);
    Simulation simulation(of.machine, seed, of.chaos);
    const int victim = of.pick(of.options.ranks);
    std::vector<net::Outcome> outcomes(static_cast<std::size_t>(of.options.ranks));
    Job job(simulation, of.options, [&](Rank& rank) {
      const auto operation = make(*problem, rank.group, seed);
      rank.start(*operation);
      rank.compute(3000);
      outcomes[static_cast<std::size_t>(rank.rank)] = rank.wait(*operation);
    });
    simulation.after(of.pick(20'000), [&] { job.engine(victim).fail(); });
    const bool ended = simulation.run(plenty);
    std::string text = simulation.what_is_left() + " " + problem->describe() + ", victim " + std::to_string(victim);
    for (int rank = 0; rank < of.options.ranks; ++rank) text += "\n  " + job.engine(rank).describe();
    ASSERT_TRUE(ended) << text;
    for (int rank = 0; rank < of.options.ranks; ++rank) {
      const bool success = outcomes[static_cast<std::size_t>(rank)] == net::Outcome::success;
      failed += success ? 0 : 1;
      if (!success || rank == victim || problem->kind == Kind::barrier) continue;
      ASSERT_TRUE(problem->right(rank)) << problem->describe() << ", rank " << rank << ", VIF_TEST_SEED=" << seed;
    }
  }
  EXPECT_GT(failed, 0);
}

// --- planted errors must be found ---

// Seeds until one shows it, for less than a minute.
template <class Try>
void expect_found(const char* what, Try attempt) {
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t seed = 1; seed < 100'000; ++seed) {
    if (attempt(seed)) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::cout << what << ": found by seed " << seed << " after " << took.count() << " s\n";
      return;
    }
    if (std::chrono::steady_clock::now() - begin > std::chrono::minutes(1)) break;
  }
  FAIL() << what << " was not found";
}

TEST(Planted, a_lost_wake_up_is_found) {
  expect_found("a lost wake-up", [](uint64_t seed) {
    return run_collectives(seed, Planted::lost_wake_up, plenty).find("sleeps") != std::string::npos;
  });
}

// All but rank 0 wait for a barrier, and rank 0 has started it and computes for a second: they need not wait so long.
Time last_to_pass(uint64_t seed, Planted planted) {
  Circumstances of(seed);
  of.options.engine.mode = Mode::react;
  of.options.engine.planted = planted;
  of.options.ranks = std::max(2, of.options.ranks);
  of.options.place = machine::ProgressPlace::bind;
  Simulation simulation(of.machine, seed, of.chaos);
  Time last = 0;
  Job job(simulation, of.options, [&](Rank& rank) {
    const auto operation = make_barrier(rank.group);
    rank.start(*operation);
    if (rank.rank == 0) return rank.compute(1e9), void(rank.wait(*operation));
    rank.wait(*operation);
    last = std::max(last, simulation.now());
  });
  EXPECT_TRUE(simulation.run(plenty)) << simulation.what_is_left();
  return last;
}

TEST(Planted, a_missing_arm_is_found) {
  for (uint64_t seed = 1; seed < 30; ++seed) EXPECT_LT(last_to_pass(seed, Planted::none), 900'000'000) << seed;
  expect_found("a missing arm", [](uint64_t seed) { return last_to_pass(seed, Planted::missing_arm) > 900'000'000; });
}

// Cores take colours from each other's queues under sched::Guard, as the thieves of src/sched do, and run what they
// took. Without the guard two of them take the same colour. True: two ran one colour at once.
bool a_colour_runs_twice(uint64_t seed, bool with_guard) {
  constexpr uint32_t cores = 4;
  constexpr uint32_t colours = 40;
  Machine machine;
  machine.cores = cores;
  Chaos chaos;
  chaos.shuffle = true;
  chaos.jitter = 0.5;
  chaos.pauses = 0.05;
  chaos.longest_pause = 300;
  Simulation simulation(machine, seed, chaos);
  sched::Guard<SimAtoms> guard;
  SimAtoms::Atomic<uint32_t> taken{0};
  std::vector<int> running(colours, 0);
  bool twice = false;
  for (uint32_t core = 0; core < cores; ++core) {
    simulation.spawn("core " + std::to_string(core), Type::task, static_cast<int>(core), [&] {
      for (;;) {
        if (with_guard) guard.close([&] { simulation.work(20, Activity::look); });
        const uint32_t colour = taken.load();
        if (colour < colours) taken.store(colour + 1);
        if (with_guard) guard.open();
        if (colour >= colours) return;
        twice = ++running[colour] > 1 || twice;
        simulation.work(200, Activity::compute);
        --running[colour];
      }
    });
  }
  EXPECT_TRUE(simulation.run()) << simulation.what_is_left();
  return twice;
}

TEST(Planted, a_double_run_of_a_colour_is_found) {
  for (uint64_t seed = 1; seed < 200; ++seed) EXPECT_FALSE(a_colour_runs_twice(seed, true)) << seed;
  expect_found("a double run of a colour", [](uint64_t seed) { return a_colour_runs_twice(seed, false); });
}

}  // namespace
}  // namespace vif::sim
