// Receives announced to their senders (shm/announcement.hpp). Context: handler, except where said.
//
// A receiver that leaves the library to compute announces the last long receive that it posted. The sender of the
// message for it then has both addresses: it binds the message to the receive, copies if it waits, and nobody is
// interrupted. The packet of the message still travels in its turn, and is matched by the ordinary rules: they must
// come to the same receive.
#include <algorithm>

#include "base/clock.hpp"
#include "net/core.hpp"
#include "net/packet.hpp"

namespace vif::net {

// Receiver, when a receive was posted: is it one to announce when the program turns to something else?
void Core::consider_announcing(Request& request) noexcept {
  const bool fits = owner_ == Owner::app && !multiple_ && interruptible() && request.process >= 0 &&
                    request.process != process_ && request.source != any_source && request.tag != any_tag &&
                    request.view.layout == nullptr && request.length > settings_.eager_limit;
  if (fits) candidate_ = &request;
}

// Receiver. App context.
void Core::announce_candidate() noexcept {
  if (candidate_ == nullptr || !own(Owner::app)) return;
  // A pass since may have completed it.
  if (Request* request = candidate_; request != nullptr) {
    const bool waits = request->transfer == 0 && !request->announced &&
                       posted_.find(request->context, request->source, request->tag) == request;
    const shm::Place place = waits ? shared_ranges_.place_of(request->buffer, request->length) : shm::Place{};
    // Back in a moment, this side does better to help with the copy, unless the sender's is as fast.
    if (waits && !place.shared() && me_->back_soon.load(std::memory_order_relaxed) != 0) {
      disown();
      return;
    }
    if (waits && channel(request->process).receiving && (place.shared() || may_access(request->process, true))) {
      shm::Announced values;
      values.place = place;
      values.context = request->context;
      values.source = request->source;
      values.tag = request->tag;
      values.attentive = request->on_complete != nullptr;
      values.consumed = channel(request->process).in.consumed();
      values.address = reinterpret_cast<uint64_t>(request->buffer);
      values.length = request->length;
      request->announced = segment_.announcement(request->process, process_).announce(values);
    }
    candidate_ = nullptr;
  }
  disown();
}

// Receiver: a posted receive is about to take another message, or none. False: the sender has bound a message to it.
bool Core::take_back(Request& request) noexcept {
  if (!request.announced) return true;
  if (!segment_.announcement(request.process, process_).withdraw()) return false;
  request.announced = false;
  return true;
}

// Sender: binds the offered message to the receive that its receiver announced, if it is for this one.
bool Core::bind_to_announced(int process, Request& request) noexcept {
  auto& announcement = segment_.announcement(process_, process);
  shm::Announced values;
  if (request.view.layout != nullptr || !announcement.pending()) return false;
  // Either side must be able to move all of it.
  auto& moving = transfer(request.transfer);
  if (!moving.sender_place().shared() && !may_access(process, false)) return false;
  if (!announcement.take(request.context, request.source, request.tag, channel(process).out.sent(), values)) {
    return false;
  }
  moving.match(values.address, std::min(request.length, values.length), shm::Route::cross_memory, values.attentive,
               values.place);
  request.order = static_cast<uint64_t>(base::now_ns());
  // A collective may send it late in a pass, after the one place where this side moves bytes: the pass is not the last
  // one then. Its receiver, if it waits, leaves the copy to this side, and wakes nobody.
  ++matches_;
  ++counters_.announced_used;
  return true;
}

// Receiver: the packet of a message that its sender has bound to an announced receive.
bool Core::accept_bound(int process, const shm::ShmCell& cell) noexcept {
  Request* request = posted_.find(cell.context, cell.source, cell.tag);
  auto& moving = transfer(cell.transfer);
  if (request == nullptr || !request->announced || request->process != process ||
      moving.receiver_address() != reinterpret_cast<uint64_t>(request->buffer) || moving.taken() > request->length ||
      !segment_.announcement(process, process_).settle()) {
    protocol_error("bound to a receive that was not announced");
    return false;
  }
  request->announced = false;
  posted_.remove(*request);
  interest(-1);
  begin_receive(*request, cell.source, cell.tag, cell.length);
  join_transfer(*request, process, cell.transfer);
  return true;
}

}  // namespace vif::net
