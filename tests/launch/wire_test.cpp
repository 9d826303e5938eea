// Messages and lines of PMI-1, and what a parser must survive. Context: app.
#include "launch/wire.hpp"

#include <gtest/gtest.h>

#include "launch/random_text.hpp"

namespace vif::launch {
namespace {

TEST(Wire, a_message_comes_back_from_its_line) {
  const Message sent = Message("put").add("key", "name").add("value", "(vector,(0,1,2))").add("rc", -7);
  std::string error;
  std::string line = sent.line();
  ASSERT_EQ(line.back(), '\n');
  line.pop_back();
  const auto read = parse(line, error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(read->command(), "put");
  EXPECT_EQ(*read->find("value"), "(vector,(0,1,2))");
  EXPECT_EQ(read->number("rc"), -7);
  EXPECT_EQ(read->number("key"), std::nullopt);
  EXPECT_EQ(read->find("nothing"), nullptr);
}

TEST(Wire, spaces_may_be_many_and_values_may_be_empty_or_hold_equal_signs) {
  std::string error;
  const auto read = parse("  cmd=a   b=  c==d ", error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(*read->find("b"), "");
  EXPECT_EQ(*read->find("c"), "=d");
}

TEST(Wire, what_is_not_a_message_is_refused_with_a_cause) {
  for (const char* line : {"", "   ", "hello", "key=value", "cmd=", "cmd=a word", "cmd=a =b", "cmd=a b=1 b=2"}) {
    std::string error;
    EXPECT_FALSE(parse(line, error)) << line;
    EXPECT_FALSE(error.empty()) << line;
  }
}

TEST(Wire, a_message_of_more_fields_than_any_is_refused) {
  std::string line = "cmd=x";
  std::string error;
  for (std::size_t i = 0; i < Message::most_fields; ++i) line += " k" + std::to_string(i) + "=";
  EXPECT_TRUE(parse(line, error));
  EXPECT_FALSE(parse(line + " one=more", error));
  EXPECT_NE(error, "");
}

TEST(Wire, small_numbers_fit_an_int) {
  std::string error;
  const auto message = parse("cmd=x a=2147483647 b=4294967297 c=x", error);
  EXPECT_EQ(message->small_number("a"), 2147483647);
  EXPECT_EQ(message->small_number("b"), std::nullopt);
  EXPECT_EQ(message->small_number("c"), std::nullopt);
}

TEST(Wire, numbers_are_whole_or_nothing) {
  EXPECT_EQ(parse_number("12"), 12);
  EXPECT_EQ(parse_number("-3"), -3);
  for (const char* text : {"", "1x", " 1", "1 ", "+1", "0x10", "99999999999999999999", "--1"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(Wire, any_bytes_survive_escaping_and_nothing_that_has_a_meaning_is_left) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_bytes(engine, 60);
    const std::string safe = escape(text);
    EXPECT_EQ(unescape(safe), text);
    for (const char c : safe) {
      EXPECT_TRUE(c > ' ' && c < 0x7f && c != '=' && c != ';') << safe;
    }
  }
}

TEST(Wire, a_percent_sign_that_means_nothing_stays) {
  EXPECT_EQ(unescape("100%"), "100%");
  EXPECT_EQ(unescape("%zz%4"), "%zz%4");
  EXPECT_EQ(unescape("%41"), "A");
}

TEST(Lines, come_out_whole_however_they_come_in) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> lines;
    std::string stream;
    for (std::size_t i = below(engine, 20); i > 0; --i) {
      std::string line = escape(random_bytes(engine, 50));
      stream += line + (below(engine, 3) == 0 ? "\r\n" : "\n");
      lines.push_back(std::move(line));
    }
    LineBuffer buffer;
    std::vector<std::string> read;
    std::string line;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t length = std::min(1 + below(engine, 30), stream.size() - at);
      ASSERT_TRUE(buffer.append(std::string_view(stream).substr(at, length)));
      at += length;
      while (buffer.take(line)) read.push_back(line);
    }
    ASSERT_EQ(read, lines);
    EXPECT_EQ(buffer.pending(), 0U);
  }
}

TEST(Lines, a_line_without_an_end_has_a_limit) {
  LineBuffer buffer(100);
  EXPECT_TRUE(buffer.append(std::string(60, 'a')));
  EXPECT_TRUE(buffer.append(std::string(40, 'a')));
  EXPECT_FALSE(buffer.append("a"));
  LineBuffer whole(100);
  EXPECT_FALSE(whole.append(std::string(101, 'a') + "\n"));
}

TEST(Wire, garbage_is_parsed_or_refused) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 20000; ++round) {
    std::string line;
    for (std::size_t i = below(engine, 6); i > 0; --i) line += random_protocol_text(engine);
    std::string error;
    const auto message = parse(line, error);
    EXPECT_EQ(message.has_value(), error.empty()) << line;
  }
}

}  // namespace
}  // namespace vif::launch
