// What the TCP link says and understands: the keyed hash, greetings, frames, cards, addresses, numbers of messages.
#include <gtest/gtest.h>

#include <cstring>

#include "net/tcp/card.hpp"
#include "net/tcp/slots.hpp"
#include "net/tcp/wire.hpp"

namespace vif::net::tcp {
namespace {

// The vectors of the paper's reference code: key 00..0f, texts 00, 00 01, ...
TEST(KeyedHash, IsSipHash) {
  Secret key;
  std::byte text[16];
  for (size_t i = 0; i < 16; ++i) {
    key[i] = static_cast<uint8_t>(i);
    text[i] = static_cast<std::byte>(i);
  }
  EXPECT_EQ(keyed_hash(key, text, 0), 0x726fdb47dd0e0e31ull);
  EXPECT_EQ(keyed_hash(key, text, 1), 0x74f839c593dc67fdull);
  EXPECT_EQ(keyed_hash(key, text, 8), 0x93f5f5799a932462ull);
  EXPECT_EQ(keyed_hash(key, text, 15), 0xa129ca6149be45e5ull);
}

Greeting greeting_of(Step step, uint32_t from, uint32_t to) {
  Greeting greeting;
  greeting.step = step;
  greeting.from = from;
  greeting.to = to;
  greeting.eager_limit = 1000;
  greeting.nonce[3] = static_cast<uint8_t>(from);
  return greeting;
}

TEST(Greetings, AreReadInOrderWithTheSecretOnly) {
  const Secret secret{1, 2, 3}, other{1, 2, 4};
  std::byte bytes[greeting_bytes];
  Transcript here, there, stranger;
  Greeting seen;
  here.write(greeting_of(Step::hello, 1, 2), secret, bytes);
  EXPECT_STREQ(stranger.read(bytes, other, seen), "it does not know the secret of this job");
  ASSERT_EQ(there.read(bytes, secret, seen), nullptr);
  EXPECT_EQ(seen.from, 1u);
  EXPECT_EQ(seen.to, 2u);
  EXPECT_EQ(seen.eager_limit, 1000u);
  there.write(greeting_of(Step::challenge, 2, 1), secret, bytes);
  ASSERT_EQ(here.read(bytes, secret, seen), nullptr);
  // The same bytes again are not the next greeting.
  EXPECT_NE(here.read(bytes, secret, seen), nullptr);
}

TEST(Greetings, OfAnotherConnectionAreRefused) {
  const Secret secret{9};
  std::byte hello[greeting_bytes], challenge[greeting_bytes];
  Transcript first, second, listener;
  Greeting seen;
  Greeting mine = greeting_of(Step::hello, 1, 2);
  first.write(mine, secret, hello);
  ASSERT_EQ(listener.read(hello, secret, seen), nullptr);
  listener.write(greeting_of(Step::challenge, 2, 1), secret, challenge);
  mine.nonce[0] = 77;  // another connection of the same process
  second.write(mine, secret, hello);
  EXPECT_NE(second.read(challenge, secret, seen), nullptr);
  EXPECT_EQ(first.read(challenge, secret, seen), nullptr);
}

TEST(Greetings, EveryBitCounts) {
  const Secret secret{5};
  std::byte bytes[greeting_bytes];
  Transcript writer;
  writer.write(greeting_of(Step::hello, 1, 2), secret, bytes);
  for (size_t bit = 0; bit < greeting_bytes * 8; ++bit) {
    std::byte wrong[greeting_bytes];
    std::memcpy(wrong, bytes, sizeof wrong);
    wrong[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    Transcript reader;
    Greeting seen;
    EXPECT_NE(reader.read(wrong, secret, seen), nullptr) << "bit " << bit;
  }
}

TEST(Frames, ComeBackAsTheyWere) {
  Frame frame;
  frame.kind = FrameKind::offer;
  frame.context = 0xfffffff0u;
  frame.source = 12;
  frame.tag = 34;
  frame.length = 1ull << 40;
  frame.id = 0x100000002ull;
  frame.credit = 5;
  std::byte bytes[frame_bytes];
  write_frame(frame, bytes);
  Frame seen;
  ASSERT_EQ(read_frame(bytes, 64, seen), nullptr);
  EXPECT_EQ(std::memcmp(&seen.context, &frame.context, sizeof frame - offsetof(Frame, context)), 0);
  EXPECT_EQ(seen.kind, frame.kind);
}

TEST(Frames, ThatMakeNoSenseAreRefused) {
  const auto refused = [](Frame frame, int byte = -1) {
    std::byte bytes[frame_bytes];
    write_frame(frame, bytes);
    if (byte >= 0) bytes[byte] = std::byte{1};
    Frame seen;
    return read_frame(bytes, 64, seen) != nullptr;
  };
  Frame eager;
  eager.kind = FrameKind::eager;
  eager.length = 64;
  EXPECT_FALSE(refused(eager));
  EXPECT_TRUE(refused(eager, 1));
  EXPECT_TRUE(refused(eager, 2));
  eager.length = 65;
  EXPECT_TRUE(refused(eager));
  eager.length = 1;
  eager.source = -1;
  EXPECT_TRUE(refused(eager));
  Frame data;
  data.kind = FrameKind::data;
  data.length = 10;
  EXPECT_TRUE(refused(data));
  data.id = 1;
  EXPECT_FALSE(refused(data));
  data.other = ~0ull;
  EXPECT_TRUE(refused(data));
  Frame bye;
  bye.kind = FrameKind::bye;
  EXPECT_FALSE(refused(bye));
  bye.length = 1;
  EXPECT_TRUE(refused(bye));
  bye = {};
  bye.kind = static_cast<FrameKind>(9);
  EXPECT_TRUE(refused(bye));
  bye.kind = static_cast<FrameKind>(0);
  EXPECT_TRUE(refused(bye));
}

TEST(Cards, ComeBackAsTheyWere) {
  Card card;
  card.host = own_host("");
  card.process = 4711;
  card.segment = 5;
  for (const char* text : {"10.0.0.1:80", "[fd00::1]:65535", "[::1]:1"}) {
    Address address;
    ASSERT_TRUE(Address::parse(text, address)) << text;
    EXPECT_EQ(address.text(), text);
    card.addresses.push_back(address);
  }
  Card seen;
  ASSERT_TRUE(Card::parse(card.text(), seen));
  EXPECT_EQ(seen.text(), card.text());
}

TEST(Cards, ThatMakeNoSenseAreRefused) {
  Card seen;
  for (const char* text : {"", "vif1", "vif1 host", "vif1 host 0 1", "vif1 host 1 -2", "vif1 host x 1", "vif2 host 1 1",
                           "vif1 host 1 1 10.0.0.1", "vif1 host 1 1 10.0.0.1:0", "vif1 host 1 1 10.0.0.1:65536",
                           "vif1 host 1 1 [::1:80", "vif1 host 1 1 ]:80", "vif1 host 1 1 10.0.0.256:80"}) {
    EXPECT_FALSE(Card::parse(text, seen)) << text;
  }
}

TEST(Cards, HostsAreToldApart) {
  EXPECT_EQ(own_host(""), own_host(""));
  EXPECT_EQ(own_host("a"), own_host("a"));
  EXPECT_NE(own_host("a"), own_host("b"));
  EXPECT_NE(own_host("a"), own_host(""));
  EXPECT_EQ(own_host("a b\n").find(' '), std::string::npos);
}

TEST(Addresses, OfANetworkOfOursComeFirst) {
  std::vector<Address> mine(1), theirs(3);
  ASSERT_TRUE(Address::parse("192.168.7.9:1", mine[0]));
  ASSERT_TRUE(Address::parse("[fd00::1]:1", theirs[0]));
  ASSERT_TRUE(Address::parse("10.1.2.3:1", theirs[1]));
  ASSERT_TRUE(Address::parse("192.168.7.10:1", theirs[2]));
  prefer_near(mine, theirs);
  EXPECT_EQ(theirs[0].text(), "192.168.7.10:1");
  EXPECT_EQ(theirs[2].text(), "[fd00::1]:1");
}

TEST(Addresses, AreFoundByInterface) {
  std::vector<Address> found;
  std::string error;
  ASSERT_TRUE(find_addresses("lo", false, found, error)) << error;
  EXPECT_FALSE(find_addresses("no-such-interface,999.", false, found = {}, error));
  EXPECT_NE(error.find("VIF_TCP_INTERFACES"), std::string::npos);
}

TEST(Slots, NumbersOfAnotherTimeOrPeerAreNotFound) {
  Slots slots;
  slots.grow(2);
  Request request;
  const uint32_t place = slots.take(request, 7, Slot::State::offered);
  const uint64_t id = slots.id(place);
  uint32_t found;
  EXPECT_TRUE(slots.find(id, 7, found));
  EXPECT_EQ(found, place);
  EXPECT_FALSE(slots.find(id, 8, found));
  EXPECT_FALSE(slots.find(0, 7, found));
  EXPECT_FALSE(slots.find(99, 7, found));
  slots.give_back(place);
  EXPECT_FALSE(slots.find(id, 7, found));
  slots.take(request, 7, Slot::State::offered);
  EXPECT_FALSE(slots.find(id, 7, found));
}

}  // namespace
}  // namespace vif::net::tcp
