// Random calls between processes, repeated by VIF_TEST_SEED: sizes, places, delays, cancelling and deadlines at any
// moment. Every call completes once, and what completes with a reply has the right one.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <random>
#include <thread>

#include "rpc/door.hpp"

namespace vif::test {
namespace {

using rpc::Error;
using rpc::Node;
using rpc::Reply;
using rpc::Request;

uint64_t seed() {
  static const uint64_t value = [] {
    const char* given = std::getenv("VIF_TEST_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  }();
  return value;
}

// What a call asks for, in its header.
struct Question {
  uint32_t salt;
  uint32_t answer_bytes;
  uint32_t body_bytes;
  uint32_t manner;  // 0: answers at once; 1: after the body; 2: later, by another event; 3: not at all; 4: throws
};

std::atomic<int> completed, replies, wrong;

void answer(const Request& request, const Question& question) {
  auto body = std::make_shared<std::vector<std::byte>>(question.answer_bytes);
  fill(*body, question.salt);
  request.reply(request.header(), body->data(), body->size(), question.salt % 2 == 0 ? body : nullptr);
}

void serve(Node& node) {
  rpc::ServeOptions options;
  options.parallel = true;
  node.serve(
      1,
      [&node](const Request& request) {
        Question question;
        std::memcpy(&question, request.header().data(), sizeof question);
        if (question.manner == 0) return answer(request, question);
        if (question.manner == 3) return;
        if (question.manner == 4) throw std::runtime_error("4");
        if (question.manner == 2) {
          node.runtime().after(std::chrono::microseconds(question.salt % 500), question.salt,
                               [request, question] { answer(request, question); });
          return;
        }
        auto body = std::make_shared<std::vector<std::byte>>(request.body_bytes());
        request.receive(body->data(), body->size(), [body, question](const Request& again) {
          if (again.body_error() == Error::none && !holds(*body, question.body_bytes, question.salt)) ++wrong;
          answer(again, question);
        });
      },
      options);
}

void check(const Reply& reply, const Question& question, bool may_end) {
  ++completed;
  switch (reply.error) {
    case Error::none:
      ++replies;
      if (std::memcmp(reply.header.data(), &question, sizeof question) != 0) ++wrong;
      if (reply.body.size() != question.answer_bytes || !holds(reply.body, question.answer_bytes, question.salt)) {
        ++wrong;
      }
      return;
    case Error::no_reply:
      wrong += question.manner == 3 ? 0 : 1;
      return;
    case Error::handler_threw:
      wrong += question.manner == 4 ? 0 : 1;
      return;
    default:
      wrong += may_end && (reply.error == Error::cancelled || reply.error == Error::deadline) ? 0 : 1;
  }
}

int storm(net::Engine& engine, Node& node) {
  std::mt19937_64 random(seed() * 1000 + static_cast<uint64_t>(engine.process()));
  const auto below = [&random](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  serve(node);
  meet(engine);
  constexpr int count = 400, in_flight = 30;
  constexpr uint32_t sizes[] = {0, 10, 3000, 4090, 20'000, 100'000, 400'000};
  std::vector<rpc::Call> calls;
  for (int i = 0; i < count; ++i) {
    const Question question{below(1u << 30), sizes[below(7)] + below(16), sizes[below(7)] + below(16), below(5)};
    std::vector<std::byte> body(question.body_bytes);
    fill(body, question.salt);
    rpc::CallOptions options;
    const bool late = below(10) == 0;
    if (late) options.deadline = std::chrono::microseconds(1 + below(1000));
    const bool cancelled = below(5) == 0;
    const rpc::Bytes header(reinterpret_cast<const std::byte*>(&question), sizeof question);
    const auto take = [question, may_end = late || cancelled](const Reply& reply) { check(reply, question, may_end); };
    const int rank = static_cast<int>(below(static_cast<uint32_t>(node.size())));
    const rpc::Call call = node.call(rank, 1, header, body.data(), body.size(), take, options);
    if (cancelled) calls.push_back(call);
    if (!calls.empty() && below(3) == 0) {
      calls.back().cancel();
      calls.pop_back();
    }
    while (completed < i - in_flight) std::this_thread::yield();
  }
  for (const rpc::Call& call : calls) call.cancel();
  while (completed != count) std::this_thread::yield();
  meet(engine);
  if (wrong != 0) std::fprintf(stderr, "rank %d: %d wrong of %d\n", node.rank(), wrong.load(), count);
  JOB_CHECK(wrong == 0 && completed == count && replies > 0);
  return 0;
}

TEST(RpcStorm, EveryCallCompletesOnce) {
  std::printf("seed %llu (VIF_TEST_SEED repeats it)\n", static_cast<unsigned long long>(seed()));
  EXPECT_EQ(run_nodes(3, storm), 0);
}

// Without interrupts the runtime asks.
TEST(RpcStorm, EveryCallCompletesOnceWithoutInterrupts) {
  setenv("VIF_REACTION", "sleep", 1);
  EXPECT_EQ(run_nodes(2, storm), 0);
  unsetenv("VIF_REACTION");
}

}  // namespace
}  // namespace vif::test
