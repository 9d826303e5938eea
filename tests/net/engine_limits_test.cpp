// Floods, more processes than CPUs, calls that the system forbids.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include <seccomp.h>
#include <sys/resource.h>

#include "net/job.hpp"
#include "net/traffic.hpp"

namespace vif::test {
namespace {

using net::Engine;
using net::Request;

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
constexpr bool kMemoryIsKeptAfterFree = true;
#else
constexpr bool kMemoryIsKeptAfterFree = false;
#endif

bool forbid(int call) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  const bool done =
      filter != nullptr && seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0) == 0 && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return done;
}

int exchange_large(Engine& engine) {
  std::vector<std::byte> out(2'000'001), in(out.size());
  fill(out, static_cast<uint32_t>(engine.process()));
  const int other = 1 - engine.process();
  for (int round = 0; round < 5; ++round) {
    Request sending;
    start_send(engine, sending, other, round, out.data(), out.size());
    receive(engine, other, round, in.data(), in.size());
    wait(engine, sending);
    JOB_CHECK(holds(in, in.size(), static_cast<uint32_t>(other)));
  }
  return 0;
}

TEST(EngineLimits, WorksWhereReadingOtherMemoryIsForbidden) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      JOB_CHECK(forbid(SCMP_SYS(process_vm_readv)));
                      JOB_CHECK(forbid(SCMP_SYS(process_vm_writev)));
                      const int result = exchange_large(engine);
                      JOB_CHECK(engine.counters().copied_waiting == 0 && engine.counters().fragments > 0);
                      return result;
                    }),
            0);
}

TEST(EngineLimits, WorksWhereOneSideMayNotWriteOtherMemory) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      if (engine.process() == 0) JOB_CHECK(forbid(SCMP_SYS(process_vm_writev)));
                      return exchange_large(engine);
                    }),
            0);
}

// A flood of unexpected messages: all accepted by non-blocking sends, received last first, in bounded memory.
TEST(EngineLimits, AFloodNeitherEatsTheMemoryNorDeadlocks) {
  setenv("VIF_UNEXPECTED_LIMIT", "262144", 1);
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      constexpr int count = 20'000;
                      constexpr uint64_t length = 1000;
                      if (engine.process() == 0) {
                        std::vector<std::byte> bytes(length);
                        fill(bytes, 3);
                        std::vector<Request> requests(count);
                        for (int i = 0; i < count; ++i) {
                          start_send(engine, requests[static_cast<size_t>(i)], 1, i, bytes.data(), length);
                        }
                        for (Request& request : requests) wait(engine, request);
                        meet(engine);
                        return 0;
                      }
                      rusage before, after;
                      getrusage(RUSAGE_SELF, &before);
                      std::vector<std::byte> in(length);
                      for (int i = count - 1; i >= 0; --i) {
                        JOB_CHECK(receive(engine, 0, i, in.data(), length).bytes == length && holds(in, length, 3));
                      }
                      getrusage(RUSAGE_SELF, &after);
                      // 20 000 messages of 1000 bytes would be 20 MB: only their envelopes may be here. The address
                      // sanitizer keeps what was freed, so memory says nothing there.
                      JOB_CHECK(kMemoryIsKeptAfterFree || after.ru_maxrss - before.ru_maxrss < 12 * 1024);
                      meet(engine);
                      return 0;
                    }),
            0);
  unsetenv("VIF_UNEXPECTED_LIMIT");
}

// The flood of blocking sends waits for its receiver instead of filling its memory.
TEST(EngineLimits, AFloodOfBlockingSendsIsHeldBack) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      constexpr int count = 30'000;
                      std::vector<std::byte> bytes(500), in(500);
                      if (engine.process() == 0) {
                        for (int i = 0; i < count; ++i) send(engine, 1, 1, bytes.data(), bytes.size());
                      } else {
                        for (int i = 0; i < count; ++i) receive(engine, 0, 1, in.data(), in.size());
                        JOB_CHECK(engine.counters().unexpected <= count);
                      }
                      return 0;
                    }),
            0);
}

// A peer that ends without a word fails the requests that need it, and only those.
TEST(EngineLimits, ADeadPeerIsAnErrorAndNotAHang) {
  EXPECT_EQ(run_job(3,
                    [](Engine& engine) {
                      std::vector<std::byte> big(1 << 20);
                      if (engine.process() == 2) {
                        receive(engine, 1, 1, nullptr, 0);
                        _exit(0);
                      }
                      if (engine.process() == 0) {
                        receive(engine, 1, 2, nullptr, 0);
                        return leave_without_meeting;
                      }
                      Request from_dead, from_living, to_dead;
                      start_receive(engine, from_dead, 2, 7, big.data(), big.size());
                      send(engine, 2, 1, nullptr, 0);
                      wait(engine, from_dead);
                      JOB_CHECK(from_dead.status.outcome == net::Outcome::peer_dead);
                      start_send(engine, to_dead, 2, 7, big.data(), big.size());
                      wait(engine, to_dead);
                      JOB_CHECK(to_dead.status.outcome == net::Outcome::peer_dead);
                      start_send(engine, from_living, 0, 2, nullptr, 0);
                      wait(engine, from_living);
                      JOB_CHECK(from_living.status.outcome == net::Outcome::success);
                      return leave_without_meeting;
                    }),
            0);
}

TEST(EngineLimits, ManyMoreProcessesThanCpus) {
  EXPECT_EQ(run_job(24,
                    [](Engine& engine) {
                      const int n = engine.processes();
                      const int right = (engine.process() + 1) % n, left = (engine.process() + n - 1) % n;
                      std::vector<std::byte> out(70'000), in(out.size());
                      for (int round = 0; round < 30; ++round) {
                        fill(out, static_cast<uint32_t>(engine.process() + round));
                        Request sending;
                        start_send(engine, sending, right, round, out.data(), out.size());
                        receive(engine, left, round, in.data(), in.size());
                        wait(engine, sending);
                        JOB_CHECK(holds(in, in.size(), static_cast<uint32_t>(left + round)));
                      }
                      return 0;
                    }),
            0);
}

}  // namespace
}  // namespace vif::test
