// Matching against a plain list that does what the MPI standard says, on random traffic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <memory>
#include <random>
#include <vector>

#include "net/matching.hpp"

namespace vif::net {
namespace {

uint32_t seed() {
  const char* given = std::getenv("VIF_TEST_SEED");
  const uint32_t value =
      given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  std::printf("VIF_TEST_SEED=%u\n", value);
  return value;
}

bool accepts(const Request& r, const Message& m) {
  return r.context == m.context && (r.source == any_source || r.source == m.source) &&
         (r.tag == any_tag || r.tag == m.tag);
}

TEST(Matching, FirstPostedReceiveThatMatchesWins) {
  std::mt19937 random(seed());
  PostedReceives posted;
  std::list<std::unique_ptr<Request>> model;
  for (int step = 0; step < 200'000; ++step) {
    const auto pick = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    if (pick(2) == 0) {
      auto request = std::make_unique<Request>();
      request->context = static_cast<uint32_t>(pick(2));
      request->source = pick(4) == 0 ? any_source : pick(3);
      request->tag = pick(4) == 0 ? any_tag : pick(3);
      posted.add(*request);
      model.push_back(std::move(request));
    } else if (pick(8) == 0 && !model.empty()) {
      auto victim = std::next(model.begin(), pick(static_cast<int>(model.size())));
      posted.remove(**victim);
      model.erase(victim);
    } else {
      Message message;
      message.context = static_cast<uint32_t>(pick(2));
      message.source = pick(3);
      message.tag = pick(3);
      const auto expected =
          std::find_if(model.begin(), model.end(), [&](const auto& r) { return accepts(*r, message); });
      Request* found = posted.match(message.context, message.source, message.tag);
      ASSERT_EQ(found, expected == model.end() ? nullptr : expected->get()) << "step " << step;
      if (expected != model.end()) model.erase(expected);
    }
    ASSERT_EQ(posted.size(), model.size());
  }
}

TEST(Matching, FirstArrivedMessageThatMatchesWins) {
  std::mt19937 random(seed());
  UnexpectedMessages store;
  std::list<std::unique_ptr<Message>> model;
  for (int step = 0; step < 200'000; ++step) {
    const auto pick = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(bound)); };
    if (pick(2) == 0) {
      auto message = std::make_unique<Message>();
      message->context = static_cast<uint32_t>(pick(2));
      message->source = pick(3);
      message->tag = pick(3);
      store.add(*message);
      model.push_back(std::move(message));
      continue;
    }
    Request request;
    request.context = static_cast<uint32_t>(pick(2));
    request.source = pick(4) == 0 ? any_source : pick(3);
    request.tag = pick(4) == 0 ? any_tag : pick(3);
    const auto expected = std::find_if(model.begin(), model.end(), [&](const auto& m) { return accepts(request, *m); });
    Message* found = store.find(request.context, request.source, request.tag);
    ASSERT_EQ(found, expected == model.end() ? nullptr : expected->get()) << "step " << step;
    if (found != nullptr) {
      store.remove(*found);
      model.erase(expected);
    }
    ASSERT_EQ(store.size(), model.size());
  }
}

}  // namespace
}  // namespace vif::net
