// The memory of events (O2): of the core that will run them, given back before ordinary events, bounded.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "memory/places.hpp"
#include "vif/event.hpp"
#include "vif/memory.hpp"

namespace vif {
namespace {

// A pair of colours of different cores.
struct Two {
  explicit Two(Runtime& runtime) : first(runtime.new_colour()), second(runtime.new_colour()) {
    EXPECT_NE(runtime.core_of(first), runtime.core_of(second));
  }
  Colour first, second;
};

RuntimeOptions two_cores(RuntimeOptions::Memory memory) {
  RuntimeOptions options;
  options.cores = 2;
  options.memory = memory;
  return options;
}

TEST(EventMemory, ACoreUsesItsOwnPlace) {
  Runtime runtime(two_cores(RuntimeOptions::Memory::ema));
  const Two colours(runtime);
  std::atomic<memory::PlaceNumber> first{memory::no_place};
  std::atomic<memory::PlaceNumber> second{memory::no_place};
  runtime.post(colours.first, [&] { first = memory::this_place(); });
  runtime.post(colours.second, [&] { second = memory::this_place(); });
  runtime.wait_idle();
  EXPECT_EQ(first, runtime.place_of(colours.first));
  EXPECT_EQ(second, runtime.place_of(colours.second));
  EXPECT_NE(first, second);
}

// Requirement 22: the memory of an event is chosen by its colour.
TEST(EventMemory, AnEventLiesInMemoryForItsCore) {
  Runtime runtime(two_cores(RuntimeOptions::Memory::ema));
  const Two colours(runtime);
  for (const Colour colour : {colours.first, colours.second}) {
    void* callable = nullptr;
    struct Finder {
      void** found;
      char rest[40];
      void operator()() { *found = this; }
    };
    runtime.post(colour, Finder{&callable, {}});
    runtime.wait_idle();
    ASSERT_TRUE(memory::Heap::owns(callable));
    EXPECT_EQ(memory::block_of(callable)->destination, runtime.place_of(colour));
  }
}

// Requirement 38, and 33: what a third place frees is back before the next event of its owner.
TEST(EventMemory, CrumbsComeBackBeforeTheNextEvent) {
  Runtime runtime(two_cores(RuntimeOptions::Memory::ema));
  const Two colours(runtime);
  std::vector<void*> objects(1000);
  runtime.post(colours.first, [&] {
    for (void*& object : objects) object = memory::allocate(100);
  });
  runtime.wait_idle();
  runtime.post(colours.second, [&] {
    for (void* object : objects) memory::release(object);
    memory::trim();  // hands over the last parcel too
  });
  runtime.wait_idle();
  bool mail = true;
  runtime.post(colours.first, [&] { mail = memory::places::current()->has_mail(); });
  runtime.wait_idle();
  EXPECT_FALSE(mail);
}

// Each event posts the next to the other core: every one is allocated on one core and freed on the other.
struct BackAndForth {
  Runtime* runtime;
  Two colours;
  int left;
  void operator()() {
    if (left-- == 0) return;
    std::swap(colours.first, colours.second);
    runtime->post(colours.first, BackAndForth(*this));
  }
};

TEST(EventMemory, EventsAcrossCoresKeepMemoryBounded) {
  for (auto memory : {RuntimeOptions::Memory::ema, RuntimeOptions::Memory::library}) {
    Runtime runtime(two_cores(memory));
    const Two colours(runtime);
    const std::size_t before = memory::figures().held;
    for (int chain = 0; chain < 8; ++chain) runtime.post(colours.first, BackAndForth{&runtime, colours, 5000});
    runtime.wait_idle();
    EXPECT_LT(memory::figures().held, before + (std::size_t{1} << 20));
  }
}

// A hundred runtimes use far fewer places than there are: each gives its own back.
TEST(EventMemory, PlacesAreGivenBack) {
  memory::PlaceNumber highest = 0;
  for (int turn = 0; turn < 100; ++turn) {
    Runtime runtime(two_cores(RuntimeOptions::Memory::ema));
    for (Colour colour = 0; colour < 4; ++colour) {
      highest = std::max(highest, runtime.place_of(colour));
      runtime.post(colour, [] {});
    }
  }
  EXPECT_LT(highest, 20);
}

}  // namespace
}  // namespace vif
