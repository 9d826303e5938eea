// Requirement 38: memory stays bounded while one thread allocates and another releases. The short form is for every
// run; VIF_TEST_CROSS_CORE_FREES asks for more (10^9 in the long tests).
#include <gtest/gtest.h>
#include <vif/memory.hpp>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

namespace vif::memory {
namespace {

uint64_t frees() {
  const char* given = std::getenv("VIF_TEST_CROSS_CORE_FREES");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 1'000'000;
}

// A ring of pointers between two threads, filled and emptied in batches.
class Ring {
 public:
  static constexpr uint64_t size = 4096;
  static constexpr uint64_t batch = 128;

  template <class Make>
  void fill(Make make) {
    while (head_ + batch - tail_.load(std::memory_order_acquire) > size) std::this_thread::yield();
    for (uint64_t i = 0; i < batch; ++i) slots_[(head_ + i) % size] = make();
    head_ += batch;
    published_.store(head_, std::memory_order_release);
  }

  template <class Use>
  void empty(Use use) {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    while (published_.load(std::memory_order_acquire) == tail) std::this_thread::yield();
    for (uint64_t i = 0; i < batch; ++i) use(slots_[(tail + i) % size]);
    tail_.store(tail + batch, std::memory_order_release);
  }

 private:
  void* slots_[size] = {};
  uint64_t head_ = 0;
  alignas(64) std::atomic<uint64_t> published_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};
};

// allocate is called on one thread with the other's place; returns the most that was held meanwhile.
template <class Allocate>
std::size_t most_held(uint64_t count, Allocate allocate_one) {
  auto ring = std::make_unique<Ring>();
  std::atomic<PlaceNumber> place{no_place};
  const uint64_t batches = count / Ring::batch;
  std::thread consumer([&] {
    place = this_place();
    for (uint64_t i = 0; i < batches; ++i) ring->empty([](void* object) { release(object); });
  });
  while (place == no_place) std::this_thread::yield();
  std::size_t most = 0;
  for (uint64_t i = 0; i < batches; ++i) {
    ring->fill([&] {
      void* object = allocate_one(place.load(std::memory_order_relaxed));
      *static_cast<char*>(object) = 1;
      return object;
    });
    if (i % 64 == 0) most = std::max(most, figures().held);
  }
  consumer.join();
  return most;
}

// In use at once: the ring, full of objects of 96 bytes, is 400 KB; parcels, spares and partly used blocks come on top.
constexpr std::size_t enough = std::size_t{2} << 20;

TEST(MemoryBounded, FreedByTheDestination) {
  const std::size_t before = figures().held;
  EXPECT_LT(most_held(frees(), [](PlaceNumber to) { return allocate_for(to, 96); }), before + enough);
}

TEST(MemoryBounded, FreedByAThirdPlace) {
  const std::size_t before = figures().held;
  EXPECT_LT(most_held(frees() / 4, [](PlaceNumber) { return allocate(96); }), before + enough);
}

// Sizes in turn, so that every slot has blocks that are used in part.
TEST(MemoryBounded, OfManySizes) {
  const std::size_t before = figures().held;
  uint64_t number = 0;
  EXPECT_LT(most_held(frees() / 4,
                      [&](PlaceNumber to) {
                        const std::size_t bytes = 16 + number++ * 7 % 240;
                        return number % 3 == 0 ? allocate(bytes) : allocate_for(to, bytes);
                      }),
            before + 2 * enough);
}

}  // namespace
}  // namespace vif::memory
