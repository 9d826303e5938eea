// Partitioned communication: one message in parts, each of which may leave, and arrive, on its own.
//
// A send and a receive are matched once, when they are made: the sender sends an `Offer` on the communicator's context
// for this purpose, with the user's tag; messages of one tag arrive in order, so the offers meet the receives in the
// order in which both were made. Each part then is a message with a tag of its own from a range that the sender chose,
// all of them negative, below any_tag: so they never meet an offer. The two sides may cut the message differently.
// Context: app.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/point_to_point.hpp"

namespace vif::mpi {

// What both sides have: the buffer in parts. `side.count` is the number of elements of one part.
class Partitioned : public Work {
 public:
  Partitioned(const Side& side, int parts);
  ~Partitioned() override;

  int parts() const noexcept { return parts_; }

 protected:
  std::byte* user_part(int part) const noexcept;
  // The bytes of a part as they travel: the user's, or ours when they lie in pieces.
  std::byte* wire_part(int part) const noexcept { return wire_ + static_cast<uint64_t>(part) * part_bytes_; }
  bool packed() const noexcept { return !staging_.empty(); }

  Side side_;
  int parts_;
  uint64_t part_bytes_;
  std::vector<std::byte> staging_;
  std::byte* wire_;
};

// What the sender tells the receiver once.
struct Offer {
  int32_t parts = 0;
  int32_t first_tag = 0;
  uint64_t part_bytes = 0;
};

class PartitionedSend final : public Partitioned {
 public:
  PartitionedSend(const Side& side, int parts);
  ~PartitionedSend() override;

  Ending start() override;
  bool complete() noexcept override;
  Ending finish(MPI_Status&) override;
  // The part may be sent. Several threads may say so of different parts at once.
  Ending ready(int part);

 private:
  struct Part {
    std::atomic<bool> ready{false};
    net::Request net;
  };
  std::unique_ptr<Part[]> out_;
  std::atomic<int> ready_count_{0};
  Offer offer_;
  net::Request opening_;
};

class PartitionedReceive final : public Partitioned {
 public:
  PartitionedReceive(const Side& side, int parts);
  ~PartitionedReceive() override;

  Ending start() override;
  bool complete() noexcept override;
  Ending finish(MPI_Status& status) override;
  bool arrived(int part);

 private:
  // Once the offer is there: receives for the sender's parts. False while it is not.
  bool post() noexcept;
  // Whether a part of theirs has bytes of a part of mine. Parts without bytes count as if all had one.
  bool overlap(int theirs, int mine) const noexcept;
  bool too_long() const noexcept;
  void unpack_once(int part);

  std::mutex lock_;  // threads may ask for different parts at once
  Offer offer_;
  net::Request opening_;
  std::unique_ptr<net::Request[]> in_;
  bool posted_ = false;
  std::vector<bool> unpacked_;
};

}  // namespace vif::mpi
