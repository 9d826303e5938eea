#include "net/matching.hpp"

namespace vif::net {
namespace {

size_t bucket_of(uint32_t context, int32_t source, int32_t tag, size_t buckets) noexcept {
  uint64_t key = (static_cast<uint64_t>(context) << 32) ^ (static_cast<uint64_t>(static_cast<uint32_t>(source)) << 20) ^
                 static_cast<uint32_t>(tag);
  key *= 0x9e3779b97f4a7c15ull;  // Fibonacci hashing (Knuth 1973)
  return static_cast<size_t>(key >> 40) % buckets;
}

bool accepts(const Request& request, uint32_t context, int32_t source, int32_t tag) noexcept {
  return request.context == context && (request.source == any_source || request.source == source) &&
         (request.tag == any_tag || request.tag == tag);
}

}  // namespace

PostedReceives::Queue& PostedReceives::queue_of(const Request& request) noexcept {
  if (request.source == any_source || request.tag == any_tag) return wild_;
  return exact_[bucket_of(request.context, request.source, request.tag, buckets)];
}

void PostedReceives::add(Request& request) noexcept {
  Queue& queue = queue_of(request);
  request.order = ++order_;
  request.queue_next = nullptr;
  request.queue_link = queue.tail;
  *queue.tail = &request;
  queue.tail = &request.queue_next;
  ++size_;
}

void PostedReceives::remove(Request& request) noexcept {
  Queue& queue = queue_of(request);
  *request.queue_link = request.queue_next;
  if (request.queue_next != nullptr) {
    request.queue_next->queue_link = request.queue_link;
  } else {
    queue.tail = request.queue_link;
  }
  request.queue_link = nullptr;
  --size_;
}

Request* PostedReceives::first_match(const Queue& queue, uint32_t context, int32_t source, int32_t tag) noexcept {
  for (Request* at = queue.head; at != nullptr; at = at->queue_next) {
    if (accepts(*at, context, source, tag)) return at;
  }
  return nullptr;
}

Request* PostedReceives::find(uint32_t context, int32_t source, int32_t tag) noexcept {
  if (size_ == 0) return nullptr;
  Request* exact = first_match(exact_[bucket_of(context, source, tag, buckets)], context, source, tag);
  Request* wild = wild_.head == nullptr ? nullptr : first_match(wild_, context, source, tag);
  return exact == nullptr || (wild != nullptr && wild->order < exact->order) ? wild : exact;
}

Request* PostedReceives::match(uint32_t context, int32_t source, int32_t tag) noexcept {
  Request* found = find(context, source, tag);
  if (found != nullptr) remove(*found);
  return found;
}

void UnexpectedMessages::add(Message& message) noexcept {
  Bucket& bucket = buckets_[bucket_of(message.context, message.source, message.tag, buckets)];
  message.next_in_bucket = nullptr;
  message.link_in_bucket = bucket.tail;
  *bucket.tail = &message;
  bucket.tail = &message.next_in_bucket;
  message.next = nullptr;
  message.previous = last_;
  (last_ == nullptr ? first_ : last_->next) = &message;
  last_ = &message;
  ++size_;
}

void UnexpectedMessages::remove(Message& message) noexcept {
  Bucket& bucket = buckets_[bucket_of(message.context, message.source, message.tag, buckets)];
  *message.link_in_bucket = message.next_in_bucket;
  if (message.next_in_bucket != nullptr) {
    message.next_in_bucket->link_in_bucket = message.link_in_bucket;
  } else {
    bucket.tail = message.link_in_bucket;
  }
  (message.previous == nullptr ? first_ : message.previous->next) = message.next;
  (message.next == nullptr ? last_ : message.next->previous) = message.previous;
  --size_;
}

Message* UnexpectedMessages::find(uint32_t context, int32_t source, int32_t tag) noexcept {
  if (size_ == 0) return nullptr;
  if (source != any_source && tag != any_tag) {
    Message* at = buckets_[bucket_of(context, source, tag, buckets)].head;
    while (at != nullptr && (at->context != context || at->source != source || at->tag != tag)) at = at->next_in_bucket;
    return at;
  }
  for (Message* at = first_; at != nullptr; at = at->next) {
    if (at->context == context && (source == any_source || at->source == source) &&
        (tag == any_tag || at->tag == tag)) {
      return at;
    }
  }
  return nullptr;
}

}  // namespace vif::net
