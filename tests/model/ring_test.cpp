// Model of net/shm/cell_ring.hpp: packets arrive once, in order, whole; a producer that waits for room is told.
// Cells, pieces and the data area are shrunk; both sides sleep on bells, as engines do.
#include <gtest/gtest.h>

#include "bell/posture.hpp"
#include "model/explore.hpp"
#include "net/shm/cell_ring.hpp"

namespace vif::model {
namespace {

constexpr uint32_t cells = 4;
constexpr uint32_t data_bytes = 256;  // four pieces of 64

template <class Atoms>
struct Wire {
  net::shm::RingMemory<Atoms, cells> memory;
  net::shm::RingProducer<Atoms, cells> producer;
  net::shm::RingConsumer<Atoms, cells> consumer;
  bell::PostureWord<Atoms> producer_bell;
  bell::PostureWord<Atoms> consumer_bell;
  // What lies in the cells and in the data area: an unordered access of the two sides is a data race here.
  ModelPlain<int> cell_contents[cells];
  ModelPlain<int> data_contents[data_bytes / 64];
  int refused = 0;

  // again_every: the data area begins again when it is found empty after so many bytes.
  explicit Wire(uint32_t again_every = 0) {
    producer.open(&memory, 0, data_bytes, again_every);
    consumer.open(&memory);
    consumer.look_every(64);
  }

  // False when there is no room.
  bool try_send(int number, uint32_t outside) {
    auto* cell = producer.reserve(outside);
    if (cell == nullptr) return false;
    cell->payload = outside;
    cell_contents[static_cast<uint32_t>(number) % cells] = number;
    for (uint32_t at = 0; at < outside; at += 64) data_contents[(cell->data_offset + at) / 64] = number;
    producer.publish(*cell);
    consumer_bell.ring(true);
    return true;
  }

  void send(int number, uint32_t outside, bool announce) {
    while (!try_send(number, outside)) {
      ++refused;
      producer_bell.rest(bell::Posture::sleeping);
      if (announce) producer.want_room();
      if (try_send(number, outside)) break;
      producer_bell.sleep(-1);
      producer_bell.be_quiet();
    }
    producer_bell.be_quiet();
  }

  // False when nothing is there.
  bool try_receive(int number, uint32_t outside) {
    const auto* cell = consumer.peek();
    if (cell == nullptr) return false;
    require(cell->payload == outside, "the packet has its own size");
    require(cell_contents[static_cast<uint32_t>(number) % cells] == number, "packets come whole and in order");
    for (uint32_t at = 0; at < outside; at += 64) {
      require(data_contents[(cell->data_offset + at) / 64] == number, "the data is the packet's own");
    }
    if (consumer.consume()) producer_bell.ring(true);
    return true;
  }

  void receive(int number, uint32_t outside) {
    while (!try_receive(number, outside)) {
      consumer_bell.rest(bell::Posture::sleeping);
      if (try_receive(number, outside)) break;
      consumer_bell.sleep(-1);
      consumer_bell.be_quiet();
    }
    consumer_bell.be_quiet();
  }
};

// Packet sizes outside the cells, in a fixed pattern: none, one piece, and two pieces (which wrap round).
uint32_t size_of(int number, bool with_data) { return with_data ? static_cast<uint32_t>(number % 3) * 64 : 0; }

template <class Atoms>
Body wire(int packets, bool with_data, bool announce = true, uint32_t again_every = 0) {
  return [=](Program& program) {
    auto state = program.make<Wire<Atoms>>("wire", again_every);
    program.name(state->memory, "ring");
    program.thread("producer", [=] {
      for (int n = 0; n < packets; ++n) state->send(n, size_of(n, with_data), announce);
    });
    program.thread("consumer", [=] {
      for (int n = 0; n < packets; ++n) state->receive(n, size_of(n, with_data));
    });
    program.at_end([=] { require(state->consumer.peek() == nullptr, "no packet is left"); });
  };
}

Limits bounds(int preemptions, int stale_reads) {
  Limits limits;
  limits.preemptions = preemptions;
  limits.stale_reads = stale_reads;
  return limits;
}

TEST(RingModel, PacketsArriveWholeAndInOrder) {
  Result result = check(wire<ModelAtoms>(6, false), bounds(2, 1), 5000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(RingModel, DataPiecesAreFreedWhenConsumed) {
  Result result = check(wire<ModelAtoms>(7, true), bounds(2, 1), 10000);
  EXPECT_TRUE(result.passed) << result.report;
}

TEST(RingModel, TheDataAreaBeginsAgainOnlyWhenAllIsConsumed) {
  Result result = check(wire<ModelAtoms>(7, true, true, 64), bounds(2, 1), 10000);
  EXPECT_TRUE(result.passed) << result.report;
  EXPECT_FALSE(explore(wire<AtomsWithoutAcquire>(6, true, true, 64), bounds(2, 1)).passed);
}

TEST(RingModel, FindsMissingOrderings) {
  EXPECT_FALSE(explore(wire<AtomsWithoutRelease>(6, true), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(wire<AtomsWithoutAcquire>(6, true), bounds(2, 1)).passed);
  EXPECT_FALSE(explore(wire<AtomsWithoutFences>(6, false), bounds(2, 1)).passed);
}

TEST(RingModel, FindsAProducerThatWaitsWithoutAnnouncingIt) {
  Result result = explore(wire<ModelAtoms>(6, false, false), bounds(2, 1));
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.report.find("Deadlock"), std::string::npos) << result.report;
}

}  // namespace
}  // namespace vif::model
