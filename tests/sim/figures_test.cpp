// What Spec 2 says of progress threads, chains and split-tree, on simulated machines. No number is expected that the
// machine's parameters do not imply; orders (this is faster than that) are.
#include <gtest/gtest.h>

#include "coll/split.hpp"
#include "sim/scenario.hpp"

namespace vif::sim {
namespace {

using coll::Weights;
using machine::ProgressPlace;

Machine named(const std::string& name) {
  std::string error;
  Machine machine = read_machine(std::string(VIF_MACHINES) + "/" + name + ".json", error);
  EXPECT_EQ(error, "");
  return machine;
}

// Requirements 27 and 29: the exact number of messages of each step, and the S that the model chooses.
TEST(SplitModel, gives_the_numbers_of_the_source) {
  for (int size = 1; size < 200; ++size) {
    int messages = 0;
    for (int step = 1; step <= coll::tree_steps(size); ++step) messages += coll::tree_messages(size, step);
    EXPECT_EQ(messages, size - 1);
  }
  const auto optimum = [](int cores) {
    int best = 2;
    const auto cost = [cores](int size) {
      return coll::split_overlapped(0, size, cores, Weights::constant,
                                    coll::split_computation(size, cores, Weights::constant));
    };
    for (int size = 2; size < cores; ++size) best = cost(size) < cost(best) ? size : best;
    return best;
  };
  const auto first_with = [](int cores, int split) {
    int size = cores / 2;
    while (coll::choose_split(size, cores, Weights::constant) < split) ++size;
    return size;
  };
  EXPECT_EQ(optimum(64), 51);
  EXPECT_EQ(first_with(64, 1), 52);
  EXPECT_EQ(first_with(64, 2), 58);
  EXPECT_EQ(first_with(64, 3), 62);
  EXPECT_EQ(optimum(48), 38);
  EXPECT_EQ(first_with(48, 1), 39);
  EXPECT_EQ(first_with(48, 2), 44);
  EXPECT_EQ(first_with(48, 3), 47);
  EXPECT_EQ(coll::choose_split(64, 64, Weights::constant), 6) << "no core is left: all by the application";
  EXPECT_LE(coll::split_alone(6, 63, 64, Weights::doubling), coll::split_alone(0, 63, 64, Weights::doubling));
}

// Requirement 33.
TEST(SplitModel, adapts_to_the_computation_that_was_measured) {
  coll::AdaptiveSplit split(62, 64, Weights::constant);
  EXPECT_EQ(split.split(), 3);
  for (int turn = 0; turn < 20; ++turn) split.measured(1e9, 1e6);
  EXPECT_EQ(split.split(), 0) << "the computation hides everything";
  for (int turn = 0; turn < 20; ++turn) split.measured(1e3, 1e6);
  EXPECT_EQ(split.split(), 6) << "nothing can be hidden";
}

// Requirement 30: a message is a unit of time, nothing else takes any.
TEST(Folded, a_reduction_of_16_ranks_takes_15_rounds_on_one_core_and_8_on_two) {
  Machine machine;
  machine.copy_rate = 1000;
  machine.combine_rate = 1e12;
  machine.memory_rate = 1e12;
  for (const auto& [cores, rounds] : {std::pair{17, 15}, std::pair{18, 8}, std::pair{32, 4}}) {
    machine.cores = cores;
    Measured measured;
    Scenario scenario;
    scenario.bytes = 1'000'000;
    scenario.split = 0;
    const Time unit = 1'000'000;
    const Time time =
        run_once(machine, source_job(16, ProgressPlace::numa, Turns::on_events), scenario, true, false, measured);
    EXPECT_EQ(measured.error, "");
    EXPECT_NEAR(static_cast<double>(time) / static_cast<double>(unit), rounds, 0.01) << cores;
  }
}

// Requirement 56: tasks are ordered by their data alone, and any free core takes them.
TEST(Tasks, a_broadcast_of_16_ranks_takes_4_rounds_on_4_cores) {
  Machine machine;
  machine.copy_rate = 1000;
  machine.combine_rate = 1e12;
  machine.memory_rate = 1e12;
  const auto rounds = [&](int serving, const char* collective) {
    machine.cores = 16 + serving;
    JobOptions options = source_job(16, ProgressPlace::numa, Turns::on_events);
    options.engine.mode = Mode::tasks;
    Measured measured;
    Scenario scenario;
    scenario.collective = collective;
    scenario.split = 0;  // the binomial tree
    scenario.bytes = 1'000'000;
    const Time time = run_once(machine, options, scenario, true, false, measured);
    EXPECT_EQ(measured.error, "");
    return static_cast<double>(time) / 1e6;
  };
  for (const auto& [cores, expected] : {std::pair{1, 15}, std::pair{2, 8}, std::pair{3, 5}, std::pair{4, 4}}) {
    EXPECT_NEAR(rounds(cores, "bcast"), expected, 0.01) << cores;
  }
  // A reduction gains nothing: each rank combines one after the other (chapter 7 says the same).
  EXPECT_NEAR(rounds(1, "reduce"), 15, 0.01);
  EXPECT_NEAR(rounds(2, "reduce"), 8, 0.01);
}

// Requirement 26.
TEST(Split, with_no_step_split_off_the_application_moves_nothing_and_with_all_nobody_else_does) {
  const Machine machine = named("knl-64");
  for (const char* collective : {"reduce", "bcast", "gather", "scatter", "allreduce"}) {
    Scenario scenario;
    scenario.collective = collective;
    scenario.bytes = 200'000;
    scenario.compute_ns = 1e6;
    for (int split : {0, 6}) {
      scenario.split = split;
      const Measured measured = measure(machine, source_job(60, ProgressPlace::numa, Turns::on_events), scenario);
      EXPECT_EQ(measured.error, "");
      const uint64_t all = scenario.collective == "allreduce" ? 118 : 59;
      EXPECT_EQ(measured.by_application, split == 0 ? 0 : all) << collective;
      EXPECT_EQ(measured.by_others, split == 0 ? all : 0) << collective;
    }
  }
}

// Requirement 31.
TEST(Split, beats_folding_everything_where_few_cores_are_left) {
  const Machine machine = named("knl-64");
  Scenario scenario;
  scenario.compute_ns = 64.0 / 62 * 6 * message_time(machine, scenario);
  scenario.split = 0;
  const JobOptions options = source_job(62, ProgressPlace::numa, Turns::on_events);
  const Measured folded = measure(machine, options, scenario);
  scenario.split = -2;
  const Measured split = measure(machine, options, scenario);
  EXPECT_EQ(folded.error + split.error, "");
  EXPECT_EQ(split.split, 3);
  EXPECT_LT(split.both, folded.both);
}

// The sum over orders in which ranks begin: one of them may happen to suit the chain.
Time chain_time(int ranks, ProgressPlace place, Turns turns, const char* collective, uint64_t bytes, int copies) {
  const Machine machine = named("knl-64");
  Scenario scenario;
  scenario.collective = collective;
  scenario.bytes = bytes;
  Time sum = 0;
  for (scenario.seed = 1; scenario.seed <= 3; ++scenario.seed) {
    JobOptions options = source_job(ranks, place, turns);
    options.shuffle_threads = true;
    options.engine.copies = copies;
    Measured measured;
    sum += run_once(machine, options, scenario, true, false, measured);
    EXPECT_EQ(measured.error, "");
  }
  return sum;
}

// Requirements 35 and 36: where the sender copies too, its copy and the receiver's go on at once on two cores.
TEST(Chain, even_and_odd_ranks_on_a_core_each_are_faster_than_halves) {
  const auto time = [](ProgressPlace place) {
    return chain_time(62, place, Turns::on_events, "scan-chain", 2 << 20, 2);
  };
  EXPECT_LT(time(ProgressPlace::pair_impair), time(ProgressPlace::numa));
}

// Requirement 41.
TEST(Chain, semaphores_beat_suspension_which_beats_taking_turns) {
  const auto time = [](const char* collective, Turns turns) {
    return chain_time(63, ProgressPlace::numa, turns, collective, 8, 1);
  };
  const Time suspended = time("scan-chain", Turns::suspended);
  EXPECT_LT(suspended, time("scan-chain", Turns::round_robin));
  EXPECT_LT(time("scan-chain-ordered", Turns::on_events), suspended);
}

// Requirement 20, and the source's section 4.3.2: between nodes the network moves the bytes, and little CPU time is
// enough, on the other hardware thread or by interrupts.
TEST(Smt, siblings_and_interrupts_hide_an_alltoall_between_nodes) {
  const Machine machine = named("cluster-8x32");
  Scenario scenario;
  scenario.collective = "alltoall";
  scenario.compute_ns = 4e6;
  const auto overlap = [&](Mode mode, ProgressPlace place) {
    JobOptions options = source_job(8, place, Turns::on_events);
    options.engine.mode = mode;
    const Measured measured = measure(machine, options, scenario);
    EXPECT_EQ(measured.error, "");
    return measured.overlap();
  };
  EXPECT_GE(overlap(Mode::thread, ProgressPlace::smt), 0.9);
  EXPECT_GE(overlap(Mode::thread, ProgressPlace::dedicated_core), 0.9);
  EXPECT_GE(overlap(Mode::react, ProgressPlace::bind), 0.9);
  EXPECT_LE(overlap(Mode::thread, ProgressPlace::bind), 0.1);
}

// Requirement 46 and 47 on the machine: tests/sim/machine_test.cpp. Requirement 48: on the cores of their ranks,
// progress threads of higher priority make a gather not slower.
TEST(Priorities, of_progress_threads_do_not_slow_a_gather_down) {
  const Machine machine = named("knl-64");
  Scenario scenario;
  scenario.bytes = 10'000;
  scenario.compute_ns = 1e5;
  for (const char* collective : {"gather", "scatter"}) {
    scenario.collective = collective;
    JobOptions options = source_job(64, ProgressPlace::bind, Turns::suspended);
    const Measured low = measure(machine, options, scenario);
    options.progress_priority = 20;
    const Measured high = measure(machine, options, scenario);
    EXPECT_EQ(low.error + high.error, "");
    EXPECT_LE(high.both, low.both * 1.01) << collective;
  }
}

}  // namespace
}  // namespace vif::sim
