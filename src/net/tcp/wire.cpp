#include "net/tcp/wire.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace vif::net::tcp {
namespace {

static_assert(std::endian::native == std::endian::little, "the wire is little-endian: other machines must swap here");

class Writer {
 public:
  explicit Writer(std::byte* at) noexcept : at_(at) {}
  template <class T>
  void put(const T& value) noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

 private:
  std::byte* at_;
};

class Reader {
 public:
  explicit Reader(const std::byte* at) noexcept : at_(at) {}
  template <class T>
  T take() noexcept {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

 private:
  const std::byte* at_;
};

constexpr size_t hash_offset = greeting_bytes - sizeof(uint64_t);
constexpr uint64_t longest_message = uint64_t{1} << 56;

}  // namespace

void Transcript::write(const Greeting& greeting, const Secret& secret, std::byte* out) noexcept {
  std::byte* at = text_.data() + used_;
  Writer to(at);
  to.put(wire_magic);
  to.put(greeting.version);
  to.put(greeting.step);
  to.put(greeting.from);
  to.put(greeting.to);
  to.put(greeting.refusal);
  to.put(uint32_t{0});
  to.put(greeting.eager_limit);
  to.put(greeting.unexpected_limit);
  to.put(greeting.nonce);
  to.put(hash(secret));
  used_ += greeting_bytes;
  std::memcpy(out, at, greeting_bytes);
}

const char* Transcript::read(const std::byte* in, const Secret& secret, Greeting& greeting) noexcept {
  Reader from(in);
  if (used_ == text_.size()) return "it sends one greeting too many";
  if (from.take<uint32_t>() != wire_magic) return "it does not speak Vif's protocol";
  greeting.version = from.take<uint16_t>();
  if (greeting.version != wire_version) return "it uses another version of Vif";
  greeting.step = from.take<Step>();
  greeting.from = from.take<uint32_t>();
  greeting.to = from.take<uint32_t>();
  greeting.refusal = from.take<Refusal>();
  const auto zero = from.take<uint32_t>();
  greeting.eager_limit = from.take<uint64_t>();
  greeting.unexpected_limit = from.take<uint64_t>();
  greeting.nonce = from.take<decltype(greeting.nonce)>();
  const auto seen = from.take<uint64_t>();
  std::memcpy(text_.data() + used_, in, hash_offset);
  if (seen != hash(secret)) return "it does not know the secret of this job";
  std::memcpy(text_.data() + used_ + hash_offset, &seen, sizeof seen);
  const auto expected = static_cast<Step>(used_ / greeting_bytes + 1);
  used_ += greeting_bytes;
  if (zero != 0 || greeting.step != expected) return "its greeting makes no sense";
  return nullptr;
}

uint64_t Transcript::hash(const Secret& secret) const noexcept {
  return keyed_hash(secret, text_.data(), used_ + hash_offset);
}

void write_frame(const Frame& frame, std::byte* out) noexcept {
  Writer to(out);
  to.put(frame.kind);
  to.put(uint8_t{0});
  to.put(uint16_t{0});
  to.put(frame.context);
  to.put(frame.source);
  to.put(frame.tag);
  to.put(frame.length);
  to.put(frame.id);
  to.put(frame.other);
  to.put(frame.credit);
}

const char* read_frame(const std::byte* in, uint64_t eager_limit, Frame& frame) noexcept {
  Reader from(in);
  frame.kind = from.take<FrameKind>();
  const auto flags = from.take<uint8_t>();
  const auto zero = from.take<uint16_t>();
  frame.context = from.take<uint32_t>();
  frame.source = from.take<int32_t>();
  frame.tag = from.take<int32_t>();
  frame.length = from.take<uint64_t>();
  frame.id = from.take<uint64_t>();
  frame.other = from.take<uint64_t>();
  frame.credit = from.take<uint64_t>();
  if (flags != 0 || zero != 0) return "a frame with unknown flags";
  const bool enveloped =
      frame.kind == FrameKind::eager || frame.kind == FrameKind::offer || frame.kind == FrameKind::withdraw;
  if (enveloped ? frame.source < 0 || frame.tag < 0 : (frame.context | static_cast<uint32_t>(frame.source)) != 0) {
    return "a frame with an impossible envelope";
  }
  switch (frame.kind) {
    case FrameKind::eager:
      return frame.length <= eager_limit && frame.id == 0 && frame.other == 0 ? nullptr
                                                                              : "a message of impossible length";
    case FrameKind::offer:
      return frame.length <= longest_message && frame.other == 0 ? nullptr : "an offer of impossible length";
    case FrameKind::accept:
    case FrameKind::data:
    case FrameKind::withdraw:
    case FrameKind::withdrawn:
      return frame.length <= longest_message && frame.other <= longest_message && frame.id != 0
                 ? nullptr
                 : "a frame about an impossible message";
    case FrameKind::credit:
    case FrameKind::bye:
      return frame.length == 0 && frame.id == 0 && frame.other == 0 ? nullptr : "a frame with unknown contents";
  }
  return "a frame of a kind that does not exist";
}

}  // namespace vif::net::tcp
