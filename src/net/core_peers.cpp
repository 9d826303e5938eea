// Peers that died: what still needs them ends with an error instead of waiting for ever. Context: app (the owner's).
//
// A launcher usually ends the whole job first. This is for the others, and for programs that handle errors themselves.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/core.hpp"

namespace vif::net {

// Looks at every peer once; called by a wait that has slept for long without an event.
void Core::check_peers() noexcept {
  turn();  // what a peer sent before it ended counts
  for (int process = 0; process < segment_.begun(); ++process) {
    if (process == process_ || channel(process).unusual || is_alive(process)) continue;  // links watch over their own
    give_up(process);
  }
}

void Core::give_up(int process) noexcept {
  channel(process).failed = channel(process).unusual = true;
  failures_.fetch_add(1, std::memory_order_relaxed);
  fail_requests(process);
}

bool Core::is_alive(int process) noexcept {
  const bell::Address& address = segment_.record(process).address;
  if (address.pid_space != me_->address.pid_space) return true;  // cannot be known from here
  const bell::Ringer* ringer = ringer_of(process);
  if (ringer == nullptr) return true;  // another time
  if (ringer->gone()) return false;
  if (!ringer->is_open() || ringer->pidfd() < 0) return true;  // cannot be known now
  pollfd ended{ringer->pidfd(), POLLIN, 0};
  return syscall(SYS_poll, &ended, 1, 0) <= 0 || (ended.revents & POLLIN) == 0;  // readable: the process has ended
}

void Core::fail_requests(int process) noexcept {
  Channel& peer = channel(process);
  while (peer.queue_head != nullptr) {
    Request& request = *peer.queue_head;
    peer.queue_head = request.queue_next;
    interest(-1);
    complete(request, Outcome::peer_dead);
  }
  fail_moving(offered_, process);
  fail_moving(outgoing_, process);
  fail_moving(incoming_, process);
  if (Request* request = peer.receiver; request != nullptr) {
    peer.receiver = nullptr;
    interest(-1);
    complete(*request, Outcome::peer_dead);
  }
  RequestList victims;  // taken out first: a completion may post, match and free
  posted_.each([&](Request& request) noexcept {
    if (request.process != process) return;
    posted_.remove(request);
    request.announced = false;
    victims.push(request);
  });
  while (!victims.empty()) {
    Request& request = *victims.front();
    victims.remove(request);
    interest(-1);
    complete(request, Outcome::peer_dead);
  }
}

// Transfers with a dead peer: their descriptors are given up, because the other side may have left them in any state.
void Core::fail_moving(RequestList& list, int process) noexcept {
  for (Request* at = list.front(); at != nullptr;) {
    Request& request = *at;
    at = request.queue_next;
    if ((request.is_send ? request.process : request.partner) != process) continue;
    list.remove(request);
    if (request.is_send) transfer_users_[transfer(request.transfer).index] = nullptr;
    interest(-1);
    complete(request, Outcome::peer_dead);
  }
}

}  // namespace vif::net
