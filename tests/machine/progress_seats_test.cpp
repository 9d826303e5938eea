// The places of ranks and progress threads on the CPUs of a host, given as a tree of files.
#include "machine/progress_seats.hpp"

#include <gtest/gtest.h>

#include "machine/places.hpp"

namespace vif::machine {
namespace {

// Two NUMA nodes of `cores` cores; the hardware threads of a core are CPU c and c + 2 * cores, as Linux numbers them.
FileReader host_of(int cores, int threads) {
  return [cores, threads](const std::string& path, std::string& text) {
    const int all = 2 * cores;
    const auto threads_of = [&](int core) {
      return std::to_string(core) + (threads == 2 ? "," + std::to_string(core + all) : "");
    };
    if (path == "/sys/devices/system/node/online") return text = "0-1\n", true;
    for (int node = 0; node < 2; ++node) {
      if (path != "/sys/devices/system/node/node" + std::to_string(node) + "/cpulist") continue;
      const int first = node * cores;
      text = std::to_string(first) + "-" + std::to_string(first + cores - 1);
      if (threads == 2) text += "," + std::to_string(first + all) + "-" + std::to_string(first + all + cores - 1);
      return true;
    }
    for (int cpu = 0; cpu < all * threads; ++cpu) {
      if (path != "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/core_cpus_list") continue;
      return text = threads_of(cpu % all), true;
    }
    return false;
  };
}

TEST(ProgressSeats, are_those_of_the_regular_machine_on_its_cpus) {
  const HostMap host = map_host(cpus_in("0-15"), host_of(4, 2));
  EXPECT_EQ(host.shape.numa_nodes, 2);
  EXPECT_EQ(host.shape.cores, 4);
  EXPECT_EQ(host.shape.threads_per_core, 2);
  const std::vector<int> cpus = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
  EXPECT_EQ(host.cpus, cpus);

  const Seats numa = seat_ranks(7, host, ProgressPlace::numa);
  EXPECT_EQ(numa.note, "");
  EXPECT_EQ(numa.serving, 1);
  EXPECT_EQ(numa.list[0].task, 0);
  EXPECT_EQ(numa.list[0].progress, -1) << "the first NUMA node is full: with its rank";
  EXPECT_EQ(numa.list[4].task, 4);
  EXPECT_EQ(numa.list[4].progress, 7);
  EXPECT_FALSE(numa.list[4].alone) << "three share that core";

  const Seats smt = seat_ranks(8, host, ProgressPlace::smt);
  EXPECT_EQ(smt.list[5].task, 5);
  EXPECT_EQ(smt.list[5].progress, 13);
  EXPECT_FALSE(smt.list[5].alone) << "a rank computes on that core";

  const Seats dedicated = seat_ranks(4, host, ProgressPlace::dedicated_core);
  EXPECT_EQ(dedicated.list[1].task, 2);
  EXPECT_EQ(dedicated.list[1].progress, 3);
  EXPECT_TRUE(dedicated.list[1].alone);

  const Seats pairs = seat_ranks(6, host, ProgressPlace::pair_impair);
  EXPECT_EQ(pairs.list[0].progress, pairs.list[2].progress);
  EXPECT_EQ(pairs.list[1].progress, pairs.list[3].progress);
  EXPECT_NE(pairs.list[0].progress, pairs.list[1].progress);
}

TEST(ProgressSeats, that_cannot_be_had_are_not_laid_down_and_say_why) {
  const HostMap host = map_host(cpus_in("0-7"), host_of(4, 1));
  for (const auto& [ranks, place] : {std::pair{9, ProgressPlace::numa}, std::pair{5, ProgressPlace::dedicated_core},
                                     std::pair{2, ProgressPlace::smt}}) {
    const Seats seats = seat_ranks(ranks, host, place);
    EXPECT_NE(seats.note, "");
    for (const Seat& seat : seats.list) {
      EXPECT_EQ(seat.task, -1);
      EXPECT_EQ(seat.progress, -1);
      EXPECT_FALSE(seat.alone);
    }
  }
}

TEST(ProgressSeats, on_a_host_that_tells_nothing_are_those_of_one_numa_node) {
  const FileReader nothing = [](const std::string&, std::string&) { return false; };
  const HostMap host = map_host(cpus_in("2-5"), nothing);
  EXPECT_EQ(host.shape.numa_nodes, 1);
  EXPECT_EQ(host.shape.cores, 4);
  EXPECT_EQ(seat_ranks(2, host, ProgressPlace::numa).list[1].task, 4);
  EXPECT_EQ(map_host({}, nothing).cpus.size(), 0U);
}

// Fewer CPUs of one core, or of one NUMA node: a regular machine remains.
TEST(ProgressSeats, leave_out_what_is_irregular) {
  const HostMap host = map_host(cpus_in("0-2,4-7,8-9"), host_of(4, 2));
  EXPECT_EQ(host.shape.cores, 3);
  EXPECT_EQ(host.shape.threads_per_core, 1);
  const std::vector<int> cpus = {0, 1, 2, 4, 5, 6};
  EXPECT_EQ(host.cpus, cpus);
}

TEST(ProgressSeats, cpus_are_written_as_the_kernel_writes_them) {
  for (const char* text : {"0", "0-3", "0-3,8", "1,3,5-6", ""}) EXPECT_EQ(cpu_list(cpus_in(text)), text);
}

}  // namespace
}  // namespace vif::machine
