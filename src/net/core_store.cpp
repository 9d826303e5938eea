// The store of unexpected messages, and the reserves from which handlers take: nothing is allocated in a handler.
// Context: any; what allocates or frees does so only when the owner is not a handler.
#include <cstdlib>
#include <new>

#include "net/core.hpp"

namespace vif::net {
namespace {

constexpr size_t reserve_buffer_count = 16;
constexpr uint64_t largest_reserve_buffer = 1 << 20;

}  // namespace

// Room for an unexpected message. In a handler only from the reserve; nullptr when that is not enough.
Message* Core::new_message(uint64_t data_bytes) noexcept {
  const bool handler = owner_ == Owner::handler;
  const bool large = data_bytes > Message::inline_bytes;
  if (handler && large && (data_bytes > settings_.eager_limit || reserve_buffers_.empty())) return nullptr;
  if (free_messages_ == nullptr && !handler) refill();
  Message* message = free_messages_;
  if (message == nullptr) return nullptr;
  message->data = message->inline_data;
  if (large && handler) {
    message->data = reserve_buffers_.back();
    reserve_buffers_.pop_back();
  } else if (large) {
    message->data = static_cast<std::byte*>(std::malloc(data_bytes));
    if (message->data == nullptr) return nullptr;
  }
  free_messages_ = message->next;
  --free_message_count_;
  message->arrived = 0;
  message->receiver = nullptr;
  message->send = nullptr;
  return message;
}

void Core::free_message(Message& message) noexcept {
  if (message.data != message.inline_data && message.data != nullptr) {
    if (owner_ == Owner::handler) {
      // free() is not for handlers: the next app context does it.
      message.next = used_messages_;
      used_messages_ = &message;
      return;
    }
    std::free(message.data);
  }
  message.data = nullptr;
  message.next = free_messages_;
  free_messages_ = &message;
  ++free_message_count_;
}

// App context: fills the reserves from which handlers take.
void Core::refill() noexcept {
  while (used_messages_ != nullptr) {
    Message& message = *used_messages_;
    used_messages_ = message.next;
    free_message(message);
  }
  if (free_message_count_ < 32) {
    constexpr size_t chunk = 128;
    auto messages = std::unique_ptr<Message[]>(new (std::nothrow) Message[chunk]);
    if (messages != nullptr) {
      for (size_t i = 0; i < chunk; ++i) {
        messages[i].next = free_messages_;
        free_messages_ = &messages[i];
      }
      free_message_count_ += chunk;
      message_chunks_.push_back(std::move(messages));
    }
  }
  // Pages that no message ever used cost nothing.
  if (signal_ != 0 && settings_.eager_limit <= largest_reserve_buffer) {
    reserve_buffers_.reserve(reserve_buffer_count);
    while (reserve_buffers_.size() < reserve_buffer_count) {
      auto* buffer = static_cast<std::byte*>(std::malloc(settings_.eager_limit));
      if (buffer == nullptr) break;
      reserve_buffers_.push_back(buffer);
    }
  }
  if (free_transfers_.size() < 8 && processes_ > 1) grow_transfers();
}

}  // namespace vif::net
