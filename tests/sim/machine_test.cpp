// The simulated machine by itself: virtual time, CPUs, interrupts, contention, traces, descriptions.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "sim/simulation.hpp"

namespace vif::sim {
namespace {

// Round costs, so that times can be computed by hand.
Machine plain(int cores, int threads_per_core = 1) {
  Machine machine;
  machine.name = "plain";
  machine.cores = cores;
  machine.threads_per_core = threads_per_core;
  machine.switch_ns = 10;
  machine.look_ns = 5;
  machine.interrupt_ns = 100;
  machine.interrupt_latency_ns = 50;
  machine.wake_ns = 20;
  machine.smt_share = 0.5;
  machine.smt_copy_share = 0.25;
  machine.copy_rate = 1000;
  machine.memory_rate = 2000;
  return machine;
}

TEST(Simulation, threads_of_one_cpu_take_turns_and_those_of_two_run_at_once) {
  Simulation simulation(plain(2), 1);
  std::vector<Time> ends(3);
  for (int index = 0; index < 3; ++index) {
    simulation.spawn("t" + std::to_string(index), Type::task, index == 2 ? 1 : 0, [&simulation, &ends, index] {
      simulation.work(100, Activity::compute);
      simulation.yield();
      simulation.work(100, Activity::compute);
      ends[static_cast<std::size_t>(index)] = simulation.now();
    });
  }
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(ends[2], 200);
  // 100, change, 100, change, 100, change, 100.
  EXPECT_EQ(ends[0], 320);
  EXPECT_EQ(ends[1], 430);
}

TEST(Simulation, an_interrupt_delays_what_it_interrupts_by_what_it_takes) {
  Simulation simulation(plain(1), 1);
  Time handled = 0;
  Time end = 0;
  Thread& thread = simulation.spawn("computes", Type::task, 0, [&] {
    simulation.work(1000, Activity::compute);
    end = simulation.now();
  });
  thread.handler = [&] {
    EXPECT_TRUE(thread.in_handler());
    handled = simulation.now();
    simulation.work(40, Activity::message);
  };
  simulation.after(300, [&] { simulation.interrupt(thread); });
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(handled, 300 + 50 + 100);
  EXPECT_EQ(end, 1000 + 100 + 40);
}

TEST(Simulation, a_wake_up_that_comes_before_the_sleep_is_not_lost) {
  Simulation simulation(plain(2), 1);
  Thread* sleeper = nullptr;
  Time woken = -1;
  sleeper = &simulation.spawn("sleeps", Type::task, 0, [&] {
    simulation.work(100, Activity::compute);
    simulation.block();
    EXPECT_EQ(simulation.now(), 100) << "the permit was there";
    simulation.block();
    woken = simulation.now();
  });
  simulation.spawn("wakes", Type::task, 1, [&] {
    simulation.work(50, Activity::compute);
    simulation.wake(*sleeper);
    simulation.work(150, Activity::compute);
    simulation.wake(*sleeper);
  });
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(woken, 200 + 20);
}

TEST(Simulation, a_thread_that_nobody_wakes_is_named) {
  Simulation simulation(plain(1), 7);
  simulation.spawn("waits in vain", Type::task, 0, [&] { simulation.block(); });
  EXPECT_FALSE(simulation.run());
  EXPECT_NE(simulation.what_is_left().find("waits in vain sleeps"), std::string::npos) << simulation.what_is_left();
  EXPECT_NE(simulation.what_is_left().find("Seed 7"), std::string::npos);
}

TEST(Simulation, a_spinning_thread_goes_on_when_it_is_woken_and_when_its_time_is_over) {
  Simulation simulation(plain(2), 1);
  Thread& spinner = simulation.spawn("spins", Type::task, 0, [&] {
    EXPECT_TRUE(simulation.spin(1000));
    EXPECT_EQ(simulation.now(), 300 + 5);
    EXPECT_FALSE(simulation.spin(1000));
    EXPECT_EQ(simulation.now(), 1305);
  });
  simulation.after(300, [&] { simulation.wake(spinner); });
  EXPECT_TRUE(simulation.run());
}

TEST(Simulation, hardware_threads_of_one_core_slow_each_other_down) {
  Simulation simulation(plain(1, 2), 1);
  Time first = 0;
  Time second = 0;
  simulation.spawn("long", Type::task, 0, [&] {
    simulation.work(1000, Activity::compute);
    first = simulation.now();
  });
  simulation.spawn("short", Type::task, 1, [&] {
    simulation.work(100, Activity::compute);
    second = simulation.now();
  });
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(second, 200);
  EXPECT_EQ(first, 200 + 900) << "half as fast for as long as both compute";
}

TEST(Simulation, copies_share_the_memory_of_their_numa_node) {
  Simulation simulation(plain(4), 1);
  Time last = 0;
  for (int cpu = 0; cpu < 4; ++cpu) {
    simulation.spawn("copies", Type::task, cpu, [&] {
      simulation.work(100, Activity::copy);
      last = simulation.now();
    });
  }
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(last, 200) << "four at full speed would need twice the rate of the memory";
}

TEST(Simulation, a_quantum_takes_the_cpu_from_a_thread_that_does_not_give_it_up) {
  Machine machine = plain(1);
  machine.quantum_ns = 100;
  Simulation simulation(machine, 1);
  Time ends[2] = {};
  for (Time& end : ends) {
    simulation.spawn("greedy", Type::task, 0, [&simulation, &end] {
      simulation.work(250, Activity::compute);
      end = simulation.now();
    });
  }
  EXPECT_TRUE(simulation.run());
  EXPECT_EQ(ends[0], 100 + 10 + 100 + 10 + 100 + 10 + 100 + 10 + 50);
  EXPECT_EQ(ends[1], ends[0] + 10 + 50);
}

// Priorities as in H. Taboada's thesis, section 6.4: see sched::ReadyList.
TEST(Simulation, priorities_age) {
  Simulation simulation(plain(1), 1);
  bool over = false;
  const auto loop = [&] {
    while (!over) {
      simulation.work(10, Activity::compute);
      simulation.yield();
    }
  };
  Thread& low = simulation.spawn("low", Type::task, 0, loop);
  Thread& high = simulation.spawn("high", Type::progress, 0, loop);
  simulation.set_priority(Type::progress, 20);
  simulation.after(200'000, [&] { over = true; });
  EXPECT_TRUE(simulation.run());
  const double ratio = static_cast<double>(high.turns()) / static_cast<double>(low.turns());
  EXPECT_NEAR(ratio, 21, 0.5) << "nobody starves";
}

// Threads that compute, yield, wake each other and are interrupted, under all kinds of chaos.
uint64_t busy_machine(uint64_t seed, bool keep, std::string* perfetto, std::string* paje) {
  Chaos chaos;
  chaos.shuffle = true;
  chaos.jitter = 0.2;
  chaos.interrupts = 0.1;
  chaos.pauses = 0.1;
  chaos.longest_pause = 500;
  Simulation simulation(plain(4, 2), seed, chaos);
  simulation.trace().keep(keep);
  SimAtoms::Atomic<uint32_t> turn{0};
  uint32_t landed = 0;
  for (uint32_t index = 0; index < 24; ++index) {
    Thread& thread = simulation.spawn("t" + std::to_string(index), index % 2 ? Type::task : Type::progress,
                                      static_cast<int>(index % 8), [&simulation, &turn, index] {
                                        while (turn.load() != index) {
                                          SimAtoms::wait(turn, turn.load(), 5000);
                                          simulation.yield();
                                        }
                                        simulation.mark("its turn");
                                        simulation.work(300, index % 3 ? Activity::compute : Activity::copy);
                                        turn.store(index + 1);
                                        SimAtoms::wake(turn, 100);
                                      });
    thread.handler = [&] { ++landed; };
  }
  EXPECT_TRUE(simulation.run()) << simulation.what_is_left();
  EXPECT_GT(landed, 0u);
  std::ostringstream text;
  if (perfetto != nullptr) simulation.trace().write_perfetto(text, simulation.machine()), *perfetto = text.str();
  text.str("");
  if (paje != nullptr) simulation.trace().write_paje(text, simulation.machine()), *paje = text.str();
  return simulation.trace().digest();
}

TEST(Trace, the_same_seed_gives_the_same_trace) {
  std::string first, second, paje_first, paje_second;
  EXPECT_EQ(busy_machine(42, true, &first, &paje_first), busy_machine(42, true, &second, &paje_second));
  EXPECT_EQ(first, second);
  EXPECT_EQ(paje_first, paje_second);
  EXPECT_NE(busy_machine(42, false, nullptr, nullptr), busy_machine(43, false, nullptr, nullptr));
  EXPECT_NE(first.find("\"name\":\"t4: compute\""), std::string::npos);
  EXPECT_NE(paje_first.find("4 0 c7 CPU m \"CPU 7\""), std::string::npos);
}

TEST(Machines, each_description_is_complete) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(VIF_MACHINES)) {
    std::string error;
    const Machine machine = read_machine(entry.path().string(), error);
    EXPECT_EQ(error, "");
    EXPECT_EQ(machine.name + ".json", entry.path().filename().string());
    EXPECT_GE(machine.memory_rate, machine.copy_rate) << machine.name << ": one core cannot copy more than all";
    ++found;
  }
  EXPECT_GE(found, 6);
}

TEST(Machines, a_value_without_a_source_is_refused) {
  const auto error_of = [](const std::string& text) {
    std::string error;
    parse_machine(text, error);
    return error;
  };
  const std::string shape = R"({"name": "m", "nodes": 1, "numa_nodes": 1, "cores": 2, "threads_per_core": 1)";
  EXPECT_NE(error_of("cores: 3").find("not JSON"), std::string::npos);
  EXPECT_NE(error_of(shape + R"(, "kores": 1, "parameters": {}})").find("no 'kores'"), std::string::npos);
  EXPECT_NE(error_of(shape + R"(, "parameters": {}})").find("'switch_ns' is missing"), std::string::npos);
  const std::string no_source = shape + R"(, "parameters": {"switch_ns": {"value": 1, "source": ""}}})";
  EXPECT_NE(error_of(no_source).find("has no source"), std::string::npos);
  const std::string unknown = shape + R"(, "parameters": {"speed": {"value": 1, "source": "x"}}})";
  EXPECT_NE(error_of(unknown).find("no parameter 'speed'"), std::string::npos);
}

}  // namespace
}  // namespace vif::sim
