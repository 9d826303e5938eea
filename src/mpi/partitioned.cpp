// Partitioned communication: see partitioned.hpp. Context: app.
#include "mpi/partitioned.hpp"

#include <algorithm>
#include <limits>

#include "mpi/comm_context.hpp"

namespace vif::mpi {
namespace {

// Tags of parts: negative, and never any_tag. A range is used again after two thousand million parts.
int32_t take_tags(int parts) noexcept {
  static std::atomic<uint32_t> next{0};
  constexpr auto lowest = std::numeric_limits<int32_t>::min();
  const auto room = static_cast<uint32_t>(net::any_tag - 1 - lowest) - static_cast<uint32_t>(parts);
  const uint32_t first = next.fetch_add(static_cast<uint32_t>(parts), std::memory_order_relaxed) % room;
  return lowest + static_cast<int32_t>(first);
}

void wait_for(net::Request& request) {
  if (!request.complete()) engine().wait(request);
}

}  // namespace

Partitioned::Partitioned(const Side& side, int parts)
    : side_(side), parts_(parts), part_bytes_(static_cast<uint64_t>(side.bytes)) {
  retain(*side_.type);
  if (!side_.type->contiguous) staging_.resize(part_bytes_ * static_cast<uint64_t>(parts) + 1);
  wire_ = packed() ? staging_.data() : static_cast<std::byte*>(address_of(side_.buffer));
}

Partitioned::~Partitioned() { release(*side_.type); }

std::byte* Partitioned::user_part(int part) const noexcept {
  return static_cast<std::byte*>(side_.buffer) + side_.type->extent * side_.count * part;
}

PartitionedSend::PartitionedSend(const Side& side, int parts) : Partitioned(side, parts), out_(new Part[parts]) {
  offer_ = {parts, take_tags(parts), part_bytes_};
  fill_send(opening_, side_, &offer_, net::SendMode::standard);
  opening_.length = sizeof offer_;
  opening_.context = side_.comm->context + partitioned_use;
  engine().send(opening_);
}

PartitionedSend::~PartitionedSend() {
  net::ApiScope scope(engine());
  wait_for(opening_);
}

Ending PartitionedSend::start() {
  for (int part = 0; part < parts_; ++part) out_[part].ready.store(false, std::memory_order_relaxed);
  // release: partner of the acquire in ready(), when another thread says it.
  ready_count_.store(0, std::memory_order_release);
  return {};
}

Ending PartitionedSend::ready(int part) {
  if (part < 0 || part >= parts_) {
    return {MPI_ERR_ARG, "there is no part " + std::to_string(part) + "; the message has " + std::to_string(parts_)};
  }
  Part& out = out_[part];
  if (out.ready.exchange(true, std::memory_order_acquire)) {
    return {MPI_ERR_ARG, "part " + std::to_string(part) + " was said to be ready already"};
  }
  if (packed()) pack(*side_.type, side_.count, user_part(part), wire_part(part));
  fill_send(out.net, side_, wire_part(part), net::SendMode::standard);
  out.net.context = opening_.context;
  out.net.tag = offer_.first_tag + part;
  engine().send(out.net);
  // release: partner of the acquire in complete(), which looks at the request only when all are sent.
  ready_count_.fetch_add(1, std::memory_order_release);
  return {};
}

bool PartitionedSend::complete() noexcept {
  if (ready_count_.load(std::memory_order_acquire) != parts_) return false;
  return std::all_of(out_.get(), out_.get() + parts_, [](const Part& part) { return part.net.complete(); });
}

Ending PartitionedSend::finish(MPI_Status&) {
  for (int part = 0; part < parts_; ++part) {
    Ending ending = ending_of(out_[part].net);
    if (ending.error != MPI_SUCCESS) return ending;
  }
  return {};
}

PartitionedReceive::PartitionedReceive(const Side& side, int parts)
    : Partitioned(side, parts), unpacked_(static_cast<std::size_t>(parts)) {
  fill_receive(opening_, side_, &offer_);
  opening_.length = sizeof offer_;
  opening_.context = side_.comm->context + partitioned_use;
  engine().receive(opening_);
}

PartitionedReceive::~PartitionedReceive() {
  net::ApiScope scope(engine());
  if (!opening_.complete()) engine().cancel(opening_);
  wait_for(opening_);
}

Ending PartitionedReceive::start() {
  const std::lock_guard guard(lock_);
  posted_ = false;
  std::fill(unpacked_.begin(), unpacked_.end(), false);
  post();
  return {};
}

bool PartitionedReceive::too_long() const noexcept {
  return offer_.part_bytes * static_cast<uint64_t>(offer_.parts) > part_bytes_ * static_cast<uint64_t>(parts_);
}

bool PartitionedReceive::post() noexcept {
  if (posted_) return true;
  if (!opening_.complete()) return false;
  posted_ = true;
  if (opening_.status.outcome != net::Outcome::success || too_long()) return true;
  if (in_ == nullptr) in_.reset(new (std::nothrow) net::Request[static_cast<std::size_t>(offer_.parts)]);
  for (int part = 0; in_ != nullptr && part < offer_.parts; ++part) {
    net::Request& in = in_[static_cast<std::size_t>(part)];
    fill_receive(in, side_, wire_ + static_cast<uint64_t>(part) * offer_.part_bytes);
    in.length = offer_.part_bytes;
    in.context = opening_.context;
    in.tag = offer_.first_tag + part;
    engine().receive(in);
  }
  return true;
}

bool PartitionedReceive::complete() noexcept {
  const std::lock_guard guard(lock_);
  if (!post()) return false;
  return in_ == nullptr ||
         std::all_of(in_.get(), in_.get() + offer_.parts, [](const net::Request& in) { return in.complete(); });
}

bool PartitionedReceive::overlap(int theirs, int mine) const noexcept {
  uint64_t their_size = offer_.part_bytes;
  uint64_t my_size = part_bytes_;
  if (their_size == 0 || my_size == 0) {  // in fractions of the whole
    their_size = static_cast<uint64_t>(parts_);
    my_size = static_cast<uint64_t>(offer_.parts);
  }
  const uint64_t their_begin = static_cast<uint64_t>(theirs) * their_size;
  const uint64_t my_begin = static_cast<uint64_t>(mine) * my_size;
  return their_begin < my_begin + my_size && my_begin < their_begin + their_size;
}

void PartitionedReceive::unpack_once(int part) {
  if (!packed() || unpacked_[static_cast<std::size_t>(part)]) return;
  unpacked_[static_cast<std::size_t>(part)] = true;
  const uint64_t received = in_ == nullptr ? 0 : offer_.part_bytes * static_cast<uint64_t>(offer_.parts);
  const uint64_t begin = static_cast<uint64_t>(part) * part_bytes_;
  const uint64_t bytes = received > begin ? std::min(part_bytes_, received - begin) : 0;
  unpack_bytes(*side_.type, side_.count, wire_part(part), static_cast<MPI_Count>(bytes), user_part(part));
}

bool PartitionedReceive::arrived(int part) {
  const std::lock_guard guard(lock_);
  if (!post()) return false;
  for (int theirs = 0; in_ != nullptr && theirs < offer_.parts; ++theirs) {
    if (overlap(theirs, part) && !in_[static_cast<std::size_t>(theirs)].complete()) return false;
  }
  unpack_once(part);
  return true;
}

Ending PartitionedReceive::finish(MPI_Status& status) {
  const std::lock_guard guard(lock_);
  if (opening_.status.outcome != net::Outcome::success) return ending_of(opening_);
  const uint64_t bytes = offer_.part_bytes * static_cast<uint64_t>(offer_.parts);
  set_status(&status, side_.peer, side_.tag, bytes, false);
  if (too_long()) {
    return {MPI_ERR_TRUNCATE, "the partitioned message has " + std::to_string(bytes) + " bytes, more than the " +
                                  std::to_string(part_bytes_ * static_cast<uint64_t>(parts_)) + " of its receive"};
  }
  if (in_ == nullptr) return {MPI_ERR_NO_MEM, "there is no memory for the receives of the parts"};
  for (int part = 0; part < offer_.parts; ++part) {
    Ending ending = ending_of(in_[static_cast<std::size_t>(part)]);
    if (ending.error != MPI_SUCCESS) return ending;
  }
  for (int part = 0; part < parts_; ++part) unpack_once(part);
  return {};
}

}  // namespace vif::mpi
