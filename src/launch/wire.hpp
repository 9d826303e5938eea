// The PMI-1 wire format: one message per line, "cmd=NAME key=value key=value\n".
//
// Both sides use it: the client in every rank, the server in `vif run`. Nothing here does input or output, so that the
// parser can be fed with anything by a test.
// Context: app.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vif::launch {

// One message. Keys are unique; values hold no space and no newline (see escape()).
class Message {
 public:
  // More than any message of PMI-1 has. Reading a message compares each key with those before it.
  static constexpr std::size_t most_fields = 64;

  explicit Message(std::string command) : command_(std::move(command)) {}

  const std::string& command() const { return command_; }
  Message& add(std::string key, std::string value);
  Message& add(std::string key, long value) { return add(std::move(key), std::to_string(value)); }

  // The value of a key, or nullptr.
  const std::string* find(std::string_view key) const;
  std::size_t fields() const { return fields_.size(); }
  // The value of a key as a whole decimal number, or nothing when it is absent or is not one.
  std::optional<long> number(std::string_view key) const;
  // The same, where it must be one that an int can hold.
  std::optional<int> small_number(std::string_view key) const;

  // The line to send, newline included.
  std::string line() const;

 private:
  std::string command_;
  std::vector<std::pair<std::string, std::string>> fields_;
};

// Reads one line (without its newline). Nothing, with the cause in `error`, when it is not a message.
std::optional<Message> parse(std::string_view line, std::string& error);

// A whole decimal number, or nothing.
std::optional<long> parse_number(std::string_view text);

// Makes any bytes fit for a value: what the format or another launcher's parser could misread becomes %XX.
std::string escape(std::string_view text);
// The inverse. A '%' that is not followed by two hexadecimal digits stays as it is.
std::string unescape(std::string_view text);

// What a peer sent, in a form fit for a sentence: escaped, cut at 80 characters, in quotes.
std::string quote(std::string_view text);

// Cuts a stream of bytes into lines. A peer that sends no newline cannot make it grow without bound.
class LineBuffer {
 public:
  static constexpr std::size_t default_limit = 1 << 20;

  explicit LineBuffer(std::size_t limit = default_limit) : limit_(limit) {}

  // False when a line longer than the limit has begun: nothing more can be understood from this peer.
  bool append(std::string_view bytes);
  // Takes the oldest whole line, without its newline (a carriage return before it is dropped too).
  bool take(std::string& line);
  std::size_t pending() const { return bytes_.size() - begin_; }

 private:
  std::size_t limit_;
  std::string bytes_;
  std::size_t begin_ = 0;    // first byte not yet taken
  std::size_t scanned_ = 0;  // no newline in [begin_, scanned_)
};

}  // namespace vif::launch
