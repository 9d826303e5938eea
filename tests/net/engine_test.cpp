// Messages between engines in processes of their own: contents, order, modes, cancellation, self, threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "net/job.hpp"
#include "net/traffic.hpp"

namespace vif::test {
namespace {

using net::Engine;
using net::Outcome;
using net::Request;

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }

 private:
  const char* name_;
};

int every_size(Engine& engine) {
  const int other = 1 - engine.process();
  for (uint64_t length : {0, 1, 8, 24, 25, 100, 2048, 2049, 4096, 16384, 16385, 65536, 100'001, 1 << 20, 5'000'003}) {
    std::vector<std::byte> out(length), in(length);
    fill(out, static_cast<uint32_t>(length + 1) + static_cast<uint32_t>(engine.process()));
    for (int round = 0; round < 3; ++round) {
      Request sending;
      start_send(engine, sending, other, 3, out.data(), length);
      const net::Status status = receive(engine, other, 3, in.data(), length);
      wait(engine, sending);
      JOB_CHECK(status.bytes == length && status.source == other && status.tag == 3);
      JOB_CHECK(holds(in, length, static_cast<uint32_t>(length + 1) + static_cast<uint32_t>(other)));
      std::fill(in.begin(), in.end(), std::byte{0});
    }
  }
  return 0;
}

TEST(Engine, MovesEverySize) { EXPECT_EQ(run_job(2, every_size), 0); }
TEST(Engine, MovesEverySizeBetweenThreadsThatShare) { EXPECT_EQ(run_job(2, every_size, 3), 0); }
TEST(Engine, MovesEverySizeByPollingOnly) {
  Environment poll("VIF_REACTION", "poll");
  EXPECT_EQ(run_job(2, every_size), 0);
}
TEST(Engine, MovesEverySizeSleepingAtOnce) {
  Environment sleep("VIF_REACTION", "sleep");
  EXPECT_EQ(run_job(2, every_size), 0);
}
TEST(Engine, MovesEverySizeWithoutCrossMemoryAccess) {
  Environment none("VIF_CMA", "0");
  EXPECT_EQ(run_job(2, every_size), 0);
}
TEST(Engine, MovesEverySizeByOffer) {
  Environment all("VIF_EAGER_LIMIT", "0");
  EXPECT_EQ(run_job(2, every_size), 0);
}
TEST(Engine, MovesEverySizeEagerly) {
  Environment limit("VIF_EAGER_LIMIT", "8388608");
  Environment credit("VIF_UNEXPECTED_LIMIT", "8388608");
  EXPECT_EQ(run_job(2, every_size), 0);
}

// Many messages in flight of random sizes and tags, received in another order by tag; within a tag the order is kept.
int shuffled(Engine& engine) {
  constexpr int count = 300, tags = 5;
  const char* given = std::getenv("VIF_TEST_SEED");
  std::mt19937 random(given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : 12345);
  std::vector<uint64_t> lengths(count);
  std::vector<int> tag(count);
  for (int i = 0; i < count; ++i) {
    lengths[static_cast<size_t>(i)] = random() % 4 == 0 ? random() % 200'000 : random() % 3000;
    tag[static_cast<size_t>(i)] = static_cast<int>(random() % tags);
  }
  if (engine.process() == 0) {
    std::vector<std::vector<std::byte>> buffers(count);
    std::vector<Request> requests(count);
    for (size_t i = 0; i < count; ++i) {
      buffers[i].resize(lengths[i]);
      fill(buffers[i], static_cast<uint32_t>(i));
      start_send(engine, requests[i], 1, tag[i], buffers[i].data(), lengths[i]);
    }
    for (Request& request : requests) wait(engine, request);
    return 0;
  }
  for (int t = tags - 1; t >= 0; --t) {
    for (size_t i = 0; i < count; ++i) {
      if (tag[i] != t) continue;
      std::vector<std::byte> in(200'000);
      const net::Status status = receive(engine, 0, t, in.data(), in.size());
      JOB_CHECK(status.bytes == lengths[i]);
      JOB_CHECK(holds(in, status.bytes, static_cast<uint32_t>(i)));
    }
  }
  return 0;
}

TEST(Engine, KeepsTheOrderWithinATag) { EXPECT_EQ(run_job(2, shuffled), 0); }
TEST(Engine, KeepsTheOrderWithinATagWithoutCrossMemoryAccess) {
  Environment none("VIF_CMA", "0");
  EXPECT_EQ(run_job(2, shuffled), 0);
}

TEST(Engine, AnySourceHearsEverybody) {
  EXPECT_EQ(run_job(6,
                    [](Engine& engine) {
                      constexpr int each = 200;
                      if (engine.process() != 0) {
                        for (int i = 0; i < each; ++i) send(engine, 0, i, &i, sizeof i);
                        return 0;
                      }
                      std::vector<int> next(6, 0);
                      for (int i = 0; i < 5 * each; ++i) {
                        int value = -1;
                        Request request;
                        {
                          net::ApiScope scope(engine);
                          prepare(request, -1, net::any_source, net::any_tag, &value, sizeof value);
                          engine.receive(request);
                          engine.wait(request);
                        }
                        const auto from = static_cast<size_t>(request.status.source);
                        JOB_CHECK(value == next[from] && request.status.tag == value);
                        ++next[from];
                      }
                      return 0;
                    }),
            0);
}

TEST(Engine, ReportsTruncation) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      for (uint64_t length : {100, 10'000, 1'000'000}) {
                        std::vector<std::byte> bytes(length), guard(length, std::byte{7});
                        fill(bytes, 1);
                        if (engine.process() == 0) {
                          send(engine, 1, 0, bytes.data(), length);
                          continue;
                        }
                        const net::Status status = receive(engine, 0, 0, guard.data(), length / 2);
                        JOB_CHECK(status.outcome == Outcome::truncated && status.bytes == length / 2);
                        JOB_CHECK(holds(guard, length / 2, 1) && guard[length / 2] == std::byte{7});
                      }
                      return 0;
                    }),
            0);
}

TEST(Engine, CancelsWhatWasNotMatched) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      std::vector<std::byte> big(1 << 20), small(8);
                      if (engine.process() == 0) {
                        Request sending;
                        start_send(engine, sending, 1, 1, big.data(), big.size());
                        engine.cancel(sending);
                        wait(engine, sending);
                        JOB_CHECK(sending.status.outcome == Outcome::cancelled);
                        send(engine, 1, 5, nullptr, 0);  // only now may the other look for it
                        send(engine, 1, 1, small.data(), small.size());
                        return 0;
                      }
                      Request receiving;
                      start_receive(engine, receiving, 0, 77, small.data(), small.size());
                      engine.cancel(receiving);
                      wait(engine, receiving);
                      JOB_CHECK(receiving.status.outcome == Outcome::cancelled);
                      receive(engine, 0, 5, nullptr, 0);
                      JOB_CHECK(receive(engine, 0, 1, big.data(), big.size()).bytes == 8);
                      return 0;
                    }),
            0);
}

TEST(Engine, ProbesAndTakesAside) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      for (uint64_t length : {10, 5000, 300'000}) {
                        std::vector<std::byte> bytes(length);
                        if (engine.process() == 0) {
                          fill(bytes, 9);
                          send(engine, 1, 4, bytes.data(), length);
                          receive(engine, 1, 5, nullptr, 0);
                          continue;
                        }
                        net::Status status;
                        net::Message* message = nullptr;
                        net::ApiScope scope(engine);
                        while (!engine.probe(0, 0, net::any_tag, status)) {
                        }
                        JOB_CHECK(status.bytes == length && status.tag == 4);
                        message = engine.match_probe(0, net::any_source, 4, status);
                        JOB_CHECK(message != nullptr && !engine.probe(0, 0, 4, status));
                        Request request;
                        prepare(request, 0, 0, 4, bytes.data(), length);
                        engine.receive_message(request, message);
                        engine.wait(request);
                        JOB_CHECK(holds(bytes, length, 9));
                        send(engine, 0, 5, nullptr, 0);
                      }
                      return 0;
                    }),
            0);
}

TEST(Engine, TalksToItself) {
  EXPECT_EQ(run_job(1,
                    [](Engine& engine) {
                      for (uint64_t length : {0, 8, 5000, 3'000'000}) {
                        std::vector<std::byte> out(length), in(length);
                        fill(out, 5);
                        Request sending, receiving;
                        start_send(engine, sending, 0, 1, out.data(), length);
                        start_receive(engine, receiving, 0, 1, in.data(), length);
                        wait(engine, sending);
                        wait(engine, receiving);
                        JOB_CHECK(holds(in, length, 5));
                        start_receive(engine, receiving, 0, 1, in.data(), length);
                        start_send(engine, sending, 0, 1, out.data(), length);
                        wait(engine, receiving);
                        wait(engine, sending);
                      }
                      return 0;
                    }),
            0);
}

TEST(Engine, ThreadsShareIt) {
  EXPECT_EQ(run_job(
                2,
                [](Engine& engine) {
                  std::atomic<int> wrong{0};
                  std::vector<std::thread> threads;
                  for (int t = 0; t < 4; ++t) {
                    threads.emplace_back([&, t] {
                      std::vector<std::byte> out(60'000), in(60'000);
                      for (int i = 0; i < 200; ++i) {
                        const uint64_t length = static_cast<uint64_t>(i) * 300;
                        fill(out, static_cast<uint32_t>(t * 1000 + i));
                        Request sending;
                        start_send(engine, sending, 1 - engine.process(), t, out.data(), length);
                        receive(engine, 1 - engine.process(), t, in.data(), length);
                        wait(engine, sending);
                        if (!holds(in, length, static_cast<uint32_t>(t * 1000 + i))) ++wrong;
                      }
                    });
                  }
                  for (auto& thread : threads) thread.join();
                  JOB_CHECK(wrong == 0);
                  return 0;
                },
                3),
            0);
}

}  // namespace
}  // namespace vif::test
