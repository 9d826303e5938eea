// The first bytes of the memory of a job. Private to the segment. Context: any.
#pragma once

#include <atomic>
#include <cstdint>

namespace vif::net::shm {

struct Header {
  std::atomic<uint64_t> magic;
  std::atomic<uint64_t> places;      // for processes
  std::atomic<uint64_t> begun;       // those that have had a process: each that opens the segment raises it
  std::atomic<uint64_t> pages_used;  // bytes of pages given out, behind everything else
};

}  // namespace vif::net::shm
