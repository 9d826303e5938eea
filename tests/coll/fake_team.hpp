// A fake job and a group of all its processes, seen by each of them. The group is shuffled: rank is not process.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "coll/coll.hpp"
#include "coll/fake_engine.hpp"

namespace vif::test {

struct FakeTeam {
  FakeTeam(int size, uint64_t seed, bool with_area)
      : job(size, seed, coll::area_bytes(size)), processes(static_cast<std::size_t>(size)) {
    std::iota(processes.begin(), processes.end(), 0);
    std::shuffle(processes.begin(), processes.end(), job.random);
    std::string error;
    const uint64_t offset = with_area ? job.engine(0).shared_allocate(coll::area_bytes(size), error) : 0;
    EXPECT_EQ(error, "");
    for (int rank = 0; rank < size; ++rank) {
      groups.push_back(std::make_unique<coll::Group>());
      coll::Group& group = *groups.back();
      group.engine = &job.engine(processes[static_cast<std::size_t>(rank)]);
      group.context = 7;
      group.rank = rank;
      group.size = size;
      group.processes = processes.data();
      EXPECT_EQ(group.attach_area(offset), with_area);
    }
  }

  coll::Group& group(int rank) { return *groups[static_cast<std::size_t>(rank)]; }

  FakeJob job;
  std::vector<int> processes;
  std::vector<std::unique_ptr<coll::Group>> groups;
};

}  // namespace vif::test
