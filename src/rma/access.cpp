// Puts and gets, on mapped memory and across processes. Context: app.
#include <algorithm>
#include <cstring>

#include "data/copy.hpp"
#include "data/visit.hpp"
#include "rma/window.hpp"

namespace vif::rma {
namespace {

// What is kept aside of messages that are in one piece neither here nor there.
constexpr uint64_t aside_bytes = 16 * 1024;
// What one call of the kernel is given to copy.
constexpr int most_pieces = 256;
constexpr uint64_t most_bytes = 1024 * 1024;

void copy_mapped(const data::View& from, const std::byte* from_address, const data::View& to, std::byte* to_address) {
  const uint64_t bytes = std::min(from.size(), to.size());
  if (from.contiguous()) {
    from_address += from.offset();
    if (to.contiguous()) {
      std::memcpy(to_address + to.offset(), from_address, bytes);
    } else {
      data::scatter(to, to_address, 0, from_address, bytes);
    }
    return;
  }
  if (to.contiguous()) {
    data::gather(from, from_address, 0, to_address + to.offset(), bytes);
    return;
  }
  std::byte aside[aside_bytes];
  for (uint64_t done = 0; done < bytes; done += aside_bytes) {
    const uint64_t now = std::min(aside_bytes, bytes - done);
    data::gather(from, from_address, done, aside, now);
    data::scatter(to, to_address, done, aside, now);
  }
}

}  // namespace

Outcome Window::put(const data::View& origin, const std::byte* from, const Place& to) {
  if (origin.size() == 0 || to.view.size() == 0) return Outcome::success;
  if (const Outcome outcome = check(to.rank, to.address, to.view); outcome != Outcome::success) return outcome;
  if (std::byte* target = here(to.rank, to.address); target != nullptr) {
    copy_mapped(origin, from, to.view, target);
    return Outcome::success;
  }
  if (way_ == Way::cross) return cross_move(true, origin, const_cast<std::byte*>(from), to);
  return message_put(origin, from, to);
}

Outcome Window::get(const data::View& origin, std::byte* to, const Place& from) {
  if (origin.size() == 0 || from.view.size() == 0) return Outcome::success;
  if (const Outcome outcome = check(from.rank, from.address, from.view); outcome != Outcome::success) return outcome;
  if (const std::byte* target = here(from.rank, from.address); target != nullptr) {
    copy_mapped(from.view, target, origin, to);
    return Outcome::success;
  }
  if (way_ == Way::cross) return cross_move(false, origin, to, from);
  return message_get(origin, to, from);
}

Outcome Window::cross_move(bool writing, const data::View& origin, std::byte* address, const Place& place) {
  const uint64_t bytes = std::min(origin.size(), place.view.size());
  const bool direct = origin.contiguous();
  std::byte aside[aside_bytes];
  iovec there[most_pieces];
  for (uint64_t done = 0; done < bytes;) {
    int pieces = 0;
    uint64_t now = 0;
    data::visit(place.view, done, std::min(direct ? most_bytes : aside_bytes, bytes - done),
                [&](int64_t offset, uint64_t length) {
                  there[pieces++] = {reinterpret_cast<void*>(place.address + static_cast<uint64_t>(offset)), length};
                  now += length;
                  return pieces < most_pieces;
                });
    iovec here{direct ? address + origin.offset() + done : aside, now};
    if (writing && !direct) data::gather(origin, address, done, aside, now);
    const int process = peer(place.rank).process;
    const int error =
        writing ? memory_.write(process, &here, 1, there, pieces) : memory_.read(process, &here, 1, there, pieces);
    if (error != 0) return Outcome::failed;
    if (!writing && !direct) data::scatter(origin, address, done, aside, now);
    done += now;
  }
  return Outcome::success;
}

}  // namespace vif::rma
