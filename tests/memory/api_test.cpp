// What programs call: allocation, the pmr resource, the standard allocator, threads that come and go, fork.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vif/memory.h>
#include <vif/memory.hpp>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

#include "memory/heap.hpp"

extern "C" int vif_test_c_api(void);

namespace vif::memory {
namespace {

TEST(MemoryApi, EverySizeAndAlignmentIsServed) {
  for (std::size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (std::size_t bytes : {0, 1, 22, 64, 100, 2048, 2049, 100'000}) {
      void* object = allocate(bytes, alignment);
      ASSERT_NE(object, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % alignment, 0U);
      EXPECT_GE(usable_bytes(object), bytes);
      std::memset(object, 1, bytes);
      release(object);
    }
  }
  release(nullptr);
}

// Run as it is, and with VIF_EMA_LARGEST=100. Requirement 28.
TEST(MemoryApi, TheCutOffIsObeyed) {
  const char* given = std::getenv("VIF_EMA_LARGEST");
  const std::size_t largest = given != nullptr ? std::strtoull(given, nullptr, 10) : 2048;
  for (const std::size_t bytes : {largest - 1, largest, largest + 1}) {
    void* object = allocate(bytes);
    EXPECT_EQ(Heap::owns(object), bytes <= largest) << bytes;
    release(object);
  }
}

TEST(MemoryApi, AnUnknownPlaceIsTheCallersOwn) {
  void* object = allocate_for(no_place, 10);
  ASSERT_NE(object, nullptr);
  release(object);
  object = allocate_for(PlaceNumber{500}, 10);
  ASSERT_NE(object, nullptr);
  release(object);
}

// Requirement 37: for the buffers of applications.
TEST(MemoryApi, TheResourceServesContainers) {
  Resource resource;
  std::pmr::map<int, std::pmr::string> map(&resource);
  for (int i = 0; i < 1000; ++i) map.try_emplace(i, std::string(static_cast<std::size_t>(i % 300), 'x'));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(map.at(i).size(), static_cast<std::size_t>(i % 300));
  const Resource other(this_place());
  EXPECT_TRUE(resource.is_equal(other));
  EXPECT_FALSE(resource.is_equal(*std::pmr::new_delete_resource()));
  EXPECT_THROW(static_cast<void>(resource.allocate(SIZE_MAX / 2)), std::bad_alloc);
}

TEST(MemoryApi, TheAllocatorServesContainers) {
  std::list<int, Allocator<int>> list;
  for (int i = 0; i < 1000; ++i) list.push_back(i);
  int expected = 0;
  for (int number : list) EXPECT_EQ(number, expected++);
  std::vector<double, Allocator<double>> vector(100'000, 1.5);
  EXPECT_EQ(vector[99'999], 1.5);
  EXPECT_THROW(static_cast<void>(Allocator<double>().allocate(SIZE_MAX / 4)), std::bad_array_new_length);
}

TEST(MemoryApi, AnObjectOutlivesItsThread) {
  std::vector<void*> objects;
  PlaceNumber first = no_place;
  std::thread([&] {
    first = this_place();
    for (int i = 0; i < 1000; ++i) objects.push_back(std::memset(allocate(48), i & 0xff, 48));
  }).join();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(static_cast<unsigned char*>(objects[i])[47], i & 0xff);
    release(objects[i]);
  }
  trim();
  PlaceNumber second = no_place;
  std::thread([&] { second = this_place(); }).join();
  EXPECT_EQ(second, first) << "the place of a thread that ended serves the next";
}

// More threads at once than there are places: the others are served all the same, and may release anything.
TEST(MemoryApi, ThreadsWithoutAPlaceAreServed) {
  constexpr int many = 530;
  std::vector<std::thread> threads;
  std::atomic<int> ready{0};
  std::atomic<int> without{0};
  std::vector<void*> objects(many);
  for (int i = 0; i < many; ++i) {
    threads.emplace_back([&, i] {
      if (this_place() == no_place) ++without;
      objects[static_cast<std::size_t>(i)] = allocate(64);
      ready.fetch_add(1);
      ready.notify_all();
      for (int now = ready; now < many; now = ready) ready.wait(now);
      release(objects[static_cast<std::size_t>((i + 1) % many)]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(without, many - 512);
}

TEST(MemoryApi, AChildProcessGoesOn) {
  void* object = allocate(64);
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 10'000; ++i) static_cast<void>(allocate(64));
    release(object);
    _exit(0);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  release(object);
}

TEST(MemoryApi, TheCInterfaceWorks) { EXPECT_EQ(vif_test_c_api(), 0); }

#ifdef __SANITIZE_ADDRESS__
TEST(MemoryApi, TheAddressSanitizerSeesAUseAfterRelease) {
  EXPECT_DEATH(
      {
        auto* object = static_cast<volatile char*>(allocate(64));
        release(const_cast<char*>(object));
        object[3] = 1;
      },
      "use-after-poison");
}
#endif

}  // namespace
}  // namespace vif::memory
