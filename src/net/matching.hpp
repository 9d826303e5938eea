// Matching of messages with receives in the order that MPI prescribes.
//
// Receives without wildcards are found by hash of (context, source, tag); those with wildcards are in one list; of the
// two candidates the one posted first wins. Unexpected messages are found the same way, or in order of arrival for a
// receive with a wildcard. Owner of the engine only; nothing here waits or allocates. Context: handler.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/message.hpp"
#include "net/request.hpp"

namespace vif::net {

class PostedReceives {
 public:
  void add(Request& request) noexcept;
  void remove(Request& request) noexcept;
  // The first posted receive that matches, or nullptr; find() leaves it in its place, match() removes it.
  Request* find(uint32_t context, int32_t source, int32_t tag) noexcept;
  Request* match(uint32_t context, int32_t source, int32_t tag) noexcept;
  size_t size() const noexcept { return size_; }
  // Calls visit(request) for each; visit may remove it.
  template <class Visit>
  void each(Visit visit) noexcept {
    for (Queue& queue : exact_) visit_queue(queue, visit);
    visit_queue(wild_, visit);
  }

 private:
  struct Queue {
    Request* head = nullptr;
    Request** tail = &head;
  };
  template <class Visit>
  static void visit_queue(Queue& queue, Visit visit) noexcept {
    for (Request* at = queue.head; at != nullptr;) {
      Request* following = at->queue_next;
      visit(*at);
      at = following;
    }
  }
  static constexpr size_t buckets = 256;
  Queue& queue_of(const Request& request) noexcept;
  static Request* first_match(const Queue& queue, uint32_t context, int32_t source, int32_t tag) noexcept;

  Queue exact_[buckets];
  Queue wild_;
  uint64_t order_ = 0;
  size_t size_ = 0;
};

class UnexpectedMessages {
 public:
  void add(Message& message) noexcept;
  void remove(Message& message) noexcept;
  // The first message that a receive with these values takes, left in place; or nullptr.
  Message* find(uint32_t context, int32_t source, int32_t tag) noexcept;
  size_t size() const noexcept { return size_; }

 private:
  static constexpr size_t buckets = 256;
  struct Bucket {
    Message* head = nullptr;
    Message** tail = &head;
  };
  Bucket buckets_[buckets];
  Message* first_ = nullptr;
  Message* last_ = nullptr;
  size_t size_ = 0;
};

}  // namespace vif::net
