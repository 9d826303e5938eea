// What happens while a process computes: messages arrive without any call of the library.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "net/job.hpp"
#include "net/traffic.hpp"

namespace vif::test {
namespace {

using net::Engine;
using net::Request;

// Computes until the bytes are there, without a call of the library. False after ten seconds. (The request itself is
// seen to be complete at the next call: nobody is interrupted to be told what it does not wait for.)
bool compute_until_here(const std::vector<std::byte>& bytes, uint32_t salt) {
  const int64_t limit = base::now_ns() + 10'000'000'000;
  while (!holds(bytes, bytes.size(), salt)) {
    asm volatile("" ::: "memory");
    if (base::now_ns() > limit) return false;
  }
  return true;
}

int computing_receiver(Engine& engine) {
  std::vector<std::byte> bytes(3'000'000);
  for (int round = 0; round < 20; ++round) {
    if (engine.process() == 0) {
      receive(engine, 1, 1, nullptr, 0);
      fill(bytes, static_cast<uint32_t>(round));
      send(engine, 1, 2, bytes.data(), bytes.size());
      continue;
    }
    Request receiving;
    start_receive(engine, receiving, 0, 2, bytes.data(), bytes.size());
    send(engine, 0, 1, nullptr, 0);
    JOB_CHECK(compute_until_here(bytes, static_cast<uint32_t>(round)));
    wait(engine, receiving);
  }
  // With cross-memory access the sender may write into an announced buffer, and disturb nobody.
  const char* copies = std::getenv("VIF_CMA");
  if (engine.process() == 1 && copies != nullptr) JOB_CHECK(engine.counters().interrupts_taken > 0);
  const char* reaction = std::getenv("VIF_REACTION");
  if (reaction != nullptr && std::strcmp(reaction, "uintr") == 0) {
    JOB_CHECK(engine.counters().user_interrupts_taken == engine.counters().interrupts_taken);
    JOB_CHECK(engine.counters().user_interrupts_raised == engine.counters().interrupts_raised);
  }
  return 0;
}

TEST(Reaction, ALongMessageReachesAComputingReceiver) { EXPECT_EQ(run_job(2, computing_receiver), 0); }
TEST(Reaction, ALongMessageReachesAComputingReceiverWithThreads) { EXPECT_EQ(run_job(2, computing_receiver, 3), 0); }
TEST(Reaction, ALongMessageReachesAComputingReceiverWithoutCrossMemoryAccess) {
  setenv("VIF_CMA", "0", 1);
  EXPECT_EQ(run_job(2, computing_receiver), 0);
  unsetenv("VIF_CMA");
}

int computing_sender(Engine& engine) {
  std::vector<std::byte> bytes(3'000'000);
  for (int round = 0; round < 20; ++round) {
    if (engine.process() == 0) {
      receive(engine, 1, 2, bytes.data(), bytes.size());
      JOB_CHECK(holds(bytes, bytes.size(), static_cast<uint32_t>(round)));
      continue;
    }
    fill(bytes, static_cast<uint32_t>(round));
    Request sending;
    start_send(engine, sending, 0, 2, bytes.data(), bytes.size());
    // The receiver reads and finishes; the sender sees it without a call only where something interrupts it, so it
    // asks.
    const int64_t limit = base::now_ns() + 10'000'000'000;
    while (!sending.complete() && base::now_ns() < limit) {
      net::ApiScope scope(engine);
      engine.progress();
    }
    JOB_CHECK(sending.complete());
  }
  return 0;
}

TEST(Reaction, AComputingSenderIsReadByItsReceiver) { EXPECT_EQ(run_job(2, computing_sender), 0); }
TEST(Reaction, AComputingSenderPushesWithoutCrossMemoryAccess) {
  setenv("VIF_CMA", "0", 1);
  EXPECT_EQ(run_job(2, computing_sender), 0);
  unsetenv("VIF_CMA");
}

// The sender writes into the buffer that was announced: but for the first rounds, nobody is interrupted.
TEST(Reaction, AnAnnouncedReceiveNeedsNoInterrupt) {
  setenv("VIF_CMA", "1", 1);
  setenv("VIF_SPIN_US", "1000", 1);  // looks whatever else runs: woken from a sleep, it may be too early
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      std::vector<std::byte> bytes(1'000'000);
                      for (int round = 0; round < 20; ++round) {
                        if (engine.process() == 0) {
                          receive(engine, 1, 1, nullptr, 0);
                          fill(bytes, static_cast<uint32_t>(round));
                          send(engine, 1, 2, bytes.data(), bytes.size());
                          continue;
                        }
                        Request receiving;
                        {
                          net::ApiScope scope(engine);
                          start_receive(engine, receiving, 0, 2, bytes.data(), bytes.size());
                        }
                        send(engine, 0, 1, nullptr, 0);
                        JOB_CHECK(compute_until_here(bytes, static_cast<uint32_t>(round)));
                        wait(engine, receiving);
                      }
                      if (engine.process() == 0) JOB_CHECK(engine.counters().announced_used >= 10);
                      if (engine.process() == 1) JOB_CHECK(engine.counters().interrupts_taken <= 10);
                      return 0;
                    }),
            0);
  unsetenv("VIF_SPIN_US");
  unsetenv("VIF_CMA");
}

// An announced receive still takes what MPI's order gives it: a short message of the same kind, a cancel.
TEST(Reaction, AnAnnouncedReceiveIsTakenBack) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      std::vector<std::byte> bytes(1'000'000);
                      for (int round = 0; round < 20; ++round) {
                        if (engine.process() == 0) {
                          receive(engine, 1, 1, nullptr, 0);
                          fill(bytes, static_cast<uint32_t>(round));
                          send(engine, 1, 2, bytes.data(), 1000);
                          send(engine, 1, 2, bytes.data(), bytes.size());
                          continue;
                        }
                        Request first, second, never;
                        start_receive(engine, never, 0, 3, bytes.data(), bytes.size());
                        start_receive(engine, first, 0, 2, bytes.data(), bytes.size());
                        start_receive(engine, second, 0, 2, bytes.data(), bytes.size());
                        {
                          net::ApiScope scope(engine);
                          engine.cancel(never);
                        }
                        send(engine, 0, 1, nullptr, 0);
                        wait(engine, never);
                        wait(engine, first);
                        wait(engine, second);
                        JOB_CHECK(never.status.outcome == net::Outcome::cancelled);
                        JOB_CHECK(first.status.bytes == 1000 && second.status.bytes == bytes.size());
                        JOB_CHECK(holds(bytes, bytes.size(), static_cast<uint32_t>(round)));
                      }
                      return 0;
                    }),
            0);
}

// Both compute: where a single copy is worth it, the interrupt makes it.
TEST(Reaction, BothComputeAndTheMessageArrives) {
  setenv("VIF_CMA", "1", 1);
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      const int other = 1 - engine.process();
                      std::vector<std::byte> out(2'000'000), in(out.size());
                      for (int round = 0; round < 10; ++round) {
                        fill(out, static_cast<uint32_t>(engine.process() + round));
                        Request sending, receiving;
                        start_receive(engine, receiving, other, 5, in.data(), in.size());
                        meet(engine);
                        start_send(engine, sending, other, 5, out.data(), out.size());
                        JOB_CHECK(compute_until_here(in, static_cast<uint32_t>(other + round)));
                        wait(engine, receiving);
                        wait(engine, sending);
                        meet(engine);
                      }
                      return 0;
                    }),
            0);
  unsetenv("VIF_CMA");
}

// A program with nothing pending is never interrupted, whatever arrives.
TEST(Reaction, NothingPendingNothingInterrupted) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      std::vector<std::byte> bytes(500'000);
                      if (engine.process() == 0) {
                        Request sends[4];
                        receive(engine, 1, 1, nullptr, 0);
                        for (Request& request : sends) start_send(engine, request, 1, 2, bytes.data(), bytes.size());
                        for (Request& request : sends) wait(engine, request);
                        return 0;
                      }
                      send(engine, 0, 1, nullptr, 0);
                      const int64_t until = base::now_ns() + 50'000'000;
                      while (base::now_ns() < until) {
                      }
                      JOB_CHECK(engine.counters().interrupts_taken == 0);
                      for (int i = 0; i < 4; ++i) receive(engine, 0, 2, bytes.data(), bytes.size());
                      return 0;
                    }),
            0);
}

}  // namespace
}  // namespace vif::test
