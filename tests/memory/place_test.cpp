// A place alone and three places that one thread plays in turn: where objects lie, and which way they come back.
#include "memory/place.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "memory/places.hpp"

namespace vif::memory {
namespace {

// Reserved places, which no other thread becomes while a test plays them.
class Places : public testing::Test {
 protected:
  void TearDown() override {
    for (Place* place : {a, d, f}) {
      place->trim();
      places::release(*place);
    }
  }
  Place* a = places::reserve();
  Place* d = places::reserve();
  Place* f = places::reserve();

  static std::size_t held() { return Heap::instance().figures().held_bytes; }
  static std::size_t per_block(unsigned size_class) { return block_room / class_bytes[size_class]; }
};

uintptr_t line_of(const void* object) { return reinterpret_cast<uintptr_t>(object) / 64; }

TEST_F(Places, ObjectsDoNotOverlapAndAreAligned) {
  std::map<uintptr_t, std::size_t> taken;
  std::vector<void*> objects;
  for (unsigned size_class = 0; size_class < classes; ++size_class) {
    for (int i = 0; i < 600; ++i) {
      void* object = a->allocate(size_class);
      ASSERT_NE(object, nullptr);
      objects.push_back(object);
      taken[reinterpret_cast<uintptr_t>(object)] = class_bytes[size_class];
      EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % natural_alignment, 0U);
      if (class_bytes[size_class] % 64 == 0) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(object) % 64, 0U);
      }
    }
  }
  ASSERT_EQ(taken.size(), objects.size());
  uintptr_t end = 0;
  for (auto [start, bytes] : taken) {
    EXPECT_GE(start, end);
    end = start + bytes;
  }
  for (void* object : objects) a->free(object);
}

// Requirements 23 and 24: objects for two destinations never share a line, nor a block. Requirement 25: blocks start on
// one.
TEST_F(Places, ObjectsOfTwoDestinationsNeverShareALine) {
  const unsigned size_class = class_of(22);
  std::map<uintptr_t, PlaceNumber> owner_of_line;
  std::vector<std::pair<Place*, void*>> objects;
  for (int i = 0; i < 3000; ++i) {
    Place* destination = (i % 3 == 0) ? a : (i % 3 == 1) ? d : f;
    void* object = a->allocate(size_class, destination->number());
    auto [place, fresh] = owner_of_line.try_emplace(line_of(object), destination->number());
    EXPECT_TRUE(fresh || place->second == destination->number());
    objects.emplace_back(destination, object);
  }
  for (auto [place, object] : objects) place->free(object);
}

// Requirement 29: what its allocator frees is taken again first, while it is in the cache.
TEST_F(Places, AnObjectFreedByItsAllocatorIsTakenAgain) {
  void* object = a->allocate(3);
  a->free(object);
  EXPECT_EQ(a->allocate(3), object);
  a->free(object);
}

// Requirement 30: the destination frees without the allocator, which finds whole blocks again.
TEST_F(Places, WhatTheDestinationFreesComesBackWhenABlockIsUsedUp) {
  const unsigned size_class = 3;
  std::set<void*> first;
  for (std::size_t i = 0; i < per_block(size_class); ++i) first.insert(a->allocate(size_class, d->number()));
  for (void* object : first) d->free(object);
  const std::size_t before = held();
  for (std::size_t i = 0; i < per_block(size_class); ++i) {
    void* object = a->allocate(size_class, d->number());
    EXPECT_TRUE(first.count(object)) << "the block is used again before another is taken";
    d->free(object);
  }
  EXPECT_EQ(held(), before);
}

// The source waits for the last object of a block; one that is kept must not hold the others back.
TEST_F(Places, OneObjectThatIsKeptDoesNotHoldItsBlockBack) {
  const unsigned size_class = 3;
  std::vector<void*> kept;
  for (int block = 0; block < 50; ++block) {
    kept.push_back(a->allocate(size_class, d->number()));
    for (std::size_t i = 1; i < per_block(size_class); ++i) d->free(a->allocate(size_class, d->number()));
  }
  const std::size_t before = held();
  for (int i = 0; i < 100'000; ++i) d->free(a->allocate(size_class, d->number()));
  EXPECT_EQ(held(), before);
  for (void* object : kept) d->free(object);
}

// Requirements 31 and 32: other frees travel in parcels, which go off when enough has come together.
TEST_F(Places, WhatAThirdPlaceFreesTravelsInParcels) {
  std::vector<void*> objects;
  for (unsigned i = 0; i < parcel_capacity; ++i) objects.push_back(a->allocate(3, d->number()));
  for (unsigned i = 0; i + 1 < parcel_capacity; ++i) {
    f->free(objects[i]);
    EXPECT_FALSE(a->has_mail());
  }
  f->free(objects.back());
  EXPECT_TRUE(a->has_mail());
  a->collect();
  EXPECT_FALSE(a->has_mail());
  std::set<void*> back(objects.begin(), objects.end());
  for (unsigned i = 0; i < parcel_capacity; ++i) EXPECT_TRUE(back.count(a->allocate(3, d->number())));
  for (void* object : objects) d->free(object);
}

TEST_F(Places, LargeCrumbsAreHandedOverSooner) {
  const unsigned size_class = class_of(2048);
  for (uint32_t bytes = 0; bytes < parcel_enough_bytes; bytes += 2048) {
    EXPECT_FALSE(a->has_mail());
    f->free(a->allocate(size_class));
  }
  EXPECT_TRUE(a->has_mail());
}

TEST_F(Places, FlushHandsOverWhatIsBegun) {
  f->free(a->allocate(3));
  f->free(d->allocate(3));
  f->flush();
  EXPECT_TRUE(a->has_mail());
  EXPECT_TRUE(d->has_mail());
}

TEST_F(Places, AnObjectCanBeItsOwnParcel) {
  void* small = a->allocate(0);
  a->post_alone(small);
  a->collect();
  EXPECT_EQ(a->allocate(0), small);
  a->free(small);
}

// After a burst, what is not needed goes back, whoever frees.
TEST_F(Places, ABurstIsGivenBack) {
  for (Place* place : {f, d, a, f}) place->trim();
  const std::size_t before = held();
  for (Place* freeing : {a, d, f}) {
    std::vector<void*> objects;
    for (int i = 0; i < 20'000; ++i) objects.push_back(a->allocate(7, d->number()));
    EXPECT_GT(held(), before + 20'000 * 128UL);
    for (void* object : objects) freeing->free(object);
    freeing->flush();
    // No trim: ordinary traffic must do it.
    for (int i = 0; i < 100'000; ++i) freeing->free(a->allocate(7, d->number()));
    EXPECT_LT(held(), before + 400'000) << "freed by place " << freeing->number() << " of " << a->number();
  }
}

TEST_F(Places, TrimGivesAllBack) {
  for (Place* place : {f, d, a, f}) place->trim();
  const std::size_t before = held();
  for (unsigned size_class = 0; size_class < classes; ++size_class) {
    d->free(a->allocate(size_class, d->number()));
    a->free(a->allocate(size_class));
    f->free(d->allocate(size_class));
  }
  EXPECT_GT(held(), before);
  for (Place* place : {f, d, a, f}) place->trim();
  EXPECT_EQ(held(), before);
}

// Blocks change their size, their destination and their owner; the bits go on from where they were.
TEST_F(Places, BlocksServeAnyPurposeAgain) {
  Place* all[] = {a, d, f};
  for (int turn = 0; turn < 200; ++turn) {
    Place& owner = *all[turn % 3];
    Place& destination = *all[turn / 3 % 3];
    const unsigned size_class = static_cast<unsigned>(turn) % classes;
    std::vector<void*> objects;
    for (int i = 0; i < 300; ++i) objects.push_back(owner.allocate(size_class, destination.number()));
    EXPECT_EQ(std::set<void*>(objects.begin(), objects.end()).size(), objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) (i % 5 == 0 ? f : &destination)->free(objects[i]);
    f->flush();
    owner.trim();
  }
}

}  // namespace
}  // namespace vif::memory
