// Tests of the intrusive lists (against std::list, at random), the pool and the counters.
#include "base/list.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/counter.hpp"
#include "base/pool.hpp"

namespace vif::base {
namespace {

struct Element {
  int number = 0;
  ListLink<Element> link;
  Element* next = nullptr;
};
using Elements = List<Element, &Element::link>;
using Queue = Fifo<Element, &Element::next>;

uint64_t seed() {
  const char* given = std::getenv("VIF_TEST_SEED");
  uint64_t value = given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
  std::cout << "VIF_TEST_SEED=" << value << '\n';
  return value;
}

std::vector<int> contents(const Elements& list) {
  std::vector<int> numbers;
  for (Element* e = list.first(); e != nullptr; e = Elements::next(*e)) numbers.push_back(e->number);
  return numbers;
}

TEST(List, BehavesAsADequeWithRemovalAnywhere) {
  std::mt19937_64 random(seed());
  std::vector<Element> elements(8);
  for (int i = 0; i < 8; ++i) elements[static_cast<std::size_t>(i)].number = i;
  Elements list;
  std::deque<int> expected;
  for (int step = 0; step < 5000; ++step) {
    Element& element = elements[random() % elements.size()];
    if (element.link.linked()) {
      list.remove(element);
      expected.erase(std::find(expected.begin(), expected.end(), element.number));
    } else if (random() % 2 == 0) {
      list.push_back(element);
      expected.push_back(element.number);
    } else {
      list.push_front(element);
      expected.push_front(element.number);
    }
    ASSERT_EQ(contents(list), std::vector<int>(expected.begin(), expected.end()));
    ASSERT_EQ(list.empty(), expected.empty());
  }
  while (!expected.empty()) {
    Element* element = list.pop_front();
    ASSERT_NE(element, nullptr);
    EXPECT_EQ(element->number, expected.front());
    EXPECT_FALSE(element->link.linked());
    expected.pop_front();
  }
  EXPECT_EQ(list.pop_front(), nullptr);
}

TEST(Fifo, GivesTheOldestFirst) {
  std::vector<Element> elements(3);
  Queue queue;
  EXPECT_EQ(queue.pop(), nullptr);
  for (int round = 0; round < 3; ++round) {
    for (Element& element : elements) queue.push(element);
    for (Element& element : elements) EXPECT_EQ(queue.pop(), &element);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(queue.pop(), nullptr);
  }
  queue.push(elements[0]);
  queue.push(elements[1]);
  EXPECT_EQ(queue.pop(), &elements[0]);
  queue.push(elements[0]);
  EXPECT_EQ(queue.pop(), &elements[1]);
  EXPECT_EQ(queue.pop(), &elements[0]);
}

TEST(Pool, GivesEachPlaceOnceUntilItComesBack) {
  std::vector<Pool<>::Link> links(3);
  Pool<> pool(links.data(), 3);
  std::set<uint32_t> places;
  for (int i = 0; i < 3; ++i) places.insert(pool.take());
  EXPECT_EQ(places, (std::set<uint32_t>{0, 1, 2}));
  EXPECT_EQ(pool.take(), Pool<>::none);
  pool.give(1);
  EXPECT_EQ(pool.take(), 1u);
  EXPECT_EQ(pool.take(), Pool<>::none);
}

TEST(Pool, MayBeEmpty) {
  Pool<> pool(nullptr, 0);
  EXPECT_EQ(pool.take(), Pool<>::none);
}

Counter one("test.one", "The first.");
Counter two("test.two", "The second.");

TEST(Counter, IsFoundByNameAndCounts) {
  one.add();
  one.add(4);
  std::map<std::string, uint64_t> values;
  for (const Counter* counter = Counter::first(); counter != nullptr; counter = counter->next()) {
    values[counter->name()] = counter->value();
  }
  ASSERT_TRUE(values.count("test.one") == 1 && values.count("test.two") == 1);
  EXPECT_EQ(values["test.one"], 5u);
  EXPECT_EQ(values["test.two"], 0u);
}

}  // namespace
}  // namespace vif::base
