// Stress of places on real threads: objects of random sizes go to random threads, are passed on, and are released by
// whoever has them last. Each carries its own description, which must be intact wherever it arrives.
#include <gtest/gtest.h>
#include <vif/memory.hpp>

#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "base/inbox.hpp"
#include "memory/places.hpp"

namespace vif::memory {
namespace {

constexpr int threads = 4;
constexpr int objects_each = 30'000;

// What every object begins with. The bytes that follow are all equal to `mark`.
struct Letter : base::Inbox<>::Record {
  uint32_t bytes = 0;
  uint16_t hops = 0;
  unsigned char mark = 0;
};

struct Office {
  base::Inbox<> boxes[threads];
  std::atomic<PlaceNumber> places[threads] = {};
  std::atomic<int> ready{0};
  std::atomic<int> in_flight{0};
  std::atomic<bool> intact{true};
};

uint64_t seed() {
  const char* given = std::getenv("VIF_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

class Clerk {
 public:
  Clerk(Office& office, int number)
      : office_(office), number_(number), random_(seed() + static_cast<uint64_t>(number)) {}

  void work() {
    office_.places[number_] = this_place();
    ++office_.ready;
    while (office_.ready < threads) std::this_thread::yield();
    for (int i = 0; i < objects_each; ++i) {
      write_one();
      if (i % 4 == 0) take_all();
      if (i % 5000 == 0) trim();
      while (office_.in_flight > 4000) {
        take_all();
        std::this_thread::yield();
      }
    }
    --office_.ready;
    while (office_.ready != 0 || office_.in_flight != 0) {
      take_all();
      std::this_thread::yield();
    }
    take_all();
  }

 private:
  void write_one() {
    const std::size_t bytes = random_() % 10 == 0 ? 32 + random_() % 2500 : 32 + random_() % 100;
    const auto addressee = static_cast<int>(random_() % threads);
    void* room = random_() % 2 == 0 ? allocate(bytes) : allocate_for(office_.places[addressee], bytes);
    auto* letter = new (room) Letter;
    letter->bytes = static_cast<uint32_t>(bytes);
    letter->hops = random_() % 4;
    letter->mark = static_cast<unsigned char>(random_());
    auto* rest = reinterpret_cast<unsigned char*>(letter + 1);
    for (std::size_t i = 0; i < bytes - sizeof *letter; ++i) rest[i] = letter->mark;
    ++office_.in_flight;
    office_.boxes[addressee].push(*letter);
  }

  void take_all() {
    while (auto* record = office_.boxes[number_].take()) {
      auto* letter = static_cast<Letter*>(record);
      const auto* rest = reinterpret_cast<const unsigned char*>(letter + 1);
      for (std::size_t i = 0; i < letter->bytes - sizeof *letter; ++i) {
        if (rest[i] != letter->mark) office_.intact = false;
      }
      if (letter->hops-- > 0) {
        office_.boxes[random_() % threads].push(*letter);
      } else {
        release(letter);
        --office_.in_flight;
      }
    }
  }

  Office& office_;
  const int number_;
  std::mt19937_64 random_;
};

TEST(MemoryStress, ObjectsKeepTheirContentsOnTheirWay) {
  RecordProperty("seed", std::to_string(seed()));
  Office office;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back([&office, i] { Clerk(office, i).work(); });
  for (std::thread& thread : all) thread.join();
  EXPECT_TRUE(office.intact) << "VIF_TEST_SEED=" << seed();
  EXPECT_LT(figures().held, std::size_t{64} << 20);
}

// Threads that come and go leave nothing behind: each place is trimmed and used again.
TEST(MemoryStress, PlacesOfThreadsThatEndAreUsedAgain) {
  std::vector<void*> left;
  for (int turn = 0; turn < 60; ++turn) {
    std::vector<void*> made;
    std::thread([&] {
      for (void* object : left) release(object);
      for (int i = 0; i < 500; ++i) made.push_back(allocate(96));
    }).join();
    left = std::move(made);
  }
  for (void* object : left) release(object);
  trim();
  EXPECT_LT(figures().held, std::size_t{64} << 20);
}

}  // namespace
}  // namespace vif::memory
