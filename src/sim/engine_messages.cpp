// Messages of a simulated rank, and the wire. Context: of the simulation's threads; one kernel thread.
#include <algorithm>

#include "sim/task_pool.hpp"

namespace vif::sim {

namespace {
constexpr uint64_t header_bytes = 64;
constexpr uint64_t part_bytes = 64 * 1024;  // of a message that both sides copy
constexpr Time failure_notice = 100'000;    // after which others know that a process is cut off
}  // namespace

// --- the wire ---

Wire::Wire(Simulation& simulation, const WireChaos& chaos)
    : simulation_(simulation),
      chaos_(chaos),
      out_free_(static_cast<std::size_t>(simulation.machine().nodes), 0),
      in_free_(out_free_) {}

Time Wire::arrival(const SimEngine& from, const SimEngine& to, uint64_t bytes) {
  const Machine& machine = simulation_.machine();
  const Time now = simulation_.now();
  const auto sender = static_cast<std::size_t>(machine.node_of(from.cpu()));
  const auto receiver = static_cast<std::size_t>(machine.node_of(to.cpu()));
  Time at = now;
  if (sender == receiver) {
    const bool far = machine.numa_of(from.cpu()) != machine.numa_of(to.cpu());
    at += static_cast<Time>(from.process() == to.process() ? 0 : far ? machine.far_latency_ns : machine.latency_ns);
  } else {
    const double duration = static_cast<double>(bytes + header_bytes) * 1000 / machine.network_rate;
    const double out = std::max(static_cast<double>(now), out_free_[sender]);
    out_free_[sender] = out + duration;
    const double in = std::max(out + machine.network_latency_ns, in_free_[receiver]);
    in_free_[receiver] = in + duration;
    at = static_cast<Time>(in + duration);
  }
  if (chaos_.delays > 0 && simulation_.happens(chaos_.delays)) {
    at += static_cast<Time>(simulation_.random() % static_cast<uint64_t>(chaos_.longest_delay + 1));
  }
  Time& last = last_arrival_[static_cast<uint64_t>(from.process()) << 32 | static_cast<uint64_t>(to.process())];
  last = std::max(at, last + 1);
  return last;
}

void Wire::carry(SimEngine& from, SimEngine& to, Packet packet, uint64_t bytes) {
  const Time at = arrival(from, to, bytes);
  simulation_.after(at - simulation_.now(), [&from, &to, carried = std::move(packet)]() mutable {
    if (!from.dead_ && !to.dead_) to.deliver(std::move(carried));
  });
}

// --- the engine ---

void SimEngine::deliver(Packet packet) {
  incoming_.push_back(std::move(packet));
  ring_me();
}

bool SimEngine::is_for_application(const Packet& packet) {
  switch (packet.kind) {
    case Packet::Kind::eager:
    case Packet::Kind::offer: {
      const net::Request* receive = posted_.find(packet.context, packet.source, packet.tag);
      return receive != nullptr && receive->by_application;
    }
    case Packet::Kind::data:
    case Packet::Kind::copied:
      return packet.receive->by_application;
    case Packet::Kind::clear:
    case Packet::Kind::done:
      return packet.send->by_application;
    case Packet::Kind::failure:
      return false;
  }
  return false;
}

// CPU time that a message costs on this side.
void SimEngine::charge_message(const SimEngine& other) {
  const Machine& machine = simulation_.machine();
  const bool same = machine.node_of(cpu_) == machine.node_of(other.cpu_);
  simulation_.work(machine.message_ns + (same ? 0 : machine.network_message_ns), Activity::message);
}

void SimEngine::start_send(net::Request& request) noexcept {
  SimEngine& to = *all_[static_cast<std::size_t>(request.process)];
  request.done.store(0, std::memory_order_relaxed);
  request.is_send = true;
  ++outstanding_;
  offered_.push_back(&request);
  charge_message(to);
  if (has_failed(request.process)) return complete(request, net::Outcome::peer_dead);
  Packet packet;
  packet.from = this;
  packet.context = request.context;
  packet.source = request.source;
  packet.tag = request.tag;
  packet.length = request.length;
  if (request.length > options_.eager_limit || request.mode == net::SendMode::synchronous) {
    packet.kind = Packet::Kind::offer;
    packet.send = &request;
    return wire_.carry(*this, to, std::move(packet), 0);
  }
  if (options_.carry) {
    packet.bytes.resize(request.length);
    net::take_bytes(request, 0, packet.bytes.data(), request.length);
  }
  worked(request.length, false);
  wire_.carry(*this, to, std::move(packet), request.length);
  complete(request, net::Outcome::success);
}

void SimEngine::start_receive(net::Request& request) noexcept {
  request.done.store(0, std::memory_order_relaxed);
  request.is_send = false;
  ++outstanding_;
  const auto found = std::find_if(unexpected_.begin(), unexpected_.end(), [&](const Packet& packet) {
    return packet.context == request.context &&
           (request.source == net::any_source || request.source == packet.source) &&
           (request.tag == net::any_tag || request.tag == packet.tag);
  });
  if (found != unexpected_.end()) {
    Packet packet = std::move(*found);
    unexpected_.erase(found);
    return meet(request, std::move(packet), who_);
  }
  if (request.process >= 0 && has_failed(request.process)) return complete(request, net::Outcome::peer_dead);
  posted_.add(request);
}

void SimEngine::treat(Packet packet, Who who) {
  ++epoch_;
  SimEngine& other = *packet.from;
  switch (packet.kind) {
    case Packet::Kind::eager:
    case Packet::Kind::offer: {
      net::Request* const receive = posted_.match(packet.context, packet.source, packet.tag);
      if (receive == nullptr) {
        unexpected_.push_back(std::move(packet));
      } else {
        meet(*receive, std::move(packet), who);
      }
      return;
    }
    case Packet::Kind::clear:
      return send_data(std::move(packet));
    case Packet::Kind::data:
      return take_data(packet);
    case Packet::Kind::copied:
      reply(packet, Packet::Kind::done);
      return finish_receive(*packet.receive, packet);
    case Packet::Kind::done:
      charge_message(other);
      return complete(*packet.send, net::Outcome::success);
    case Packet::Kind::failure:
      return peer_failed(other.process_);
  }
}

// The receiver is ready. Between nodes the network takes all of it; within one, it is copied part by part.
void SimEngine::send_data(Packet packet) {
  SimEngine& other = *packet.from;
  const Machine& machine = simulation_.machine();
  charge_message(other);
  packet.kind = Packet::Kind::data;
  packet.from = this;
  const uint64_t length = packet.length;
  if (machine.node_of(cpu_) != machine.node_of(other.cpu_)) {
    return wire_.carry(*this, other, std::move(packet), length);
  }
  for (uint64_t sent = 0; sent < length; sent += packet.part) {
    packet.part = std::min(part_bytes, length - sent);
    packet.last = sent + packet.part == length;
    worked(packet.part, false);
    wire_.carry(*this, other, packet, 0);
  }
}

void SimEngine::take_data(const Packet& packet) {
  SimEngine& other = *packet.from;
  if (other.dead_) return;  // the notice of it completes the receive
  if (packet.last) {
    cleared_.erase(std::find(cleared_.begin(), cleared_.end(), std::pair{packet.receive, other.process_}));
    if (options_.carry) {
      net::take_bytes(*packet.send, 0, packet.receive->buffer, std::min(packet.length, packet.receive->length));
    }
  }
  worked(packet.part, false);
  if (!packet.last) return;
  charge_message(other);
  reply(packet, Packet::Kind::done);
  finish_receive(*packet.receive, packet);
}

void SimEngine::meet(net::Request& receive, Packet packet, Who who) {
  SimEngine& other = *packet.from;
  const Machine& machine = simulation_.machine();
  const uint64_t bytes = std::min(packet.length, receive.length);
  if (packet.kind == Packet::Kind::eager) {
    if (options_.carry) net::copy_bytes(receive.buffer, packet.bytes.data(), bytes);
    charge_message(other);
    worked(bytes, false);
    ++moved_[who == Who::application ? 0 : 1];
    return finish_receive(receive, packet);
  }
  // The buffer of a process that is cut off may be gone.
  if (other.dead_ || dead_) return complete(receive, net::Outcome::peer_dead);
  if (is_helped() && receive.by_application && who != Who::application) {
    meetings_for_app_.push_back({&receive, std::move(packet)});
    return ring_application();
  }
  packet.receive = &receive;
  ++moved_[who == Who::application ? 0 : 1];
  if (machine.node_of(cpu_) != machine.node_of(other.cpu_) || (options_.copies == 2 && bytes != 0)) {
    cleared_.push_back({&receive, other.process_});
    charge_message(other);
    return reply(packet, Packet::Kind::clear);
  }
  // Before the time passes: nobody may touch it until the receive is complete, and the sender may be cut off meanwhile.
  if (options_.carry) net::take_bytes(*packet.send, 0, receive.buffer, bytes);
  charge_message(other);
  const bool far = machine.numa_of(cpu_) != machine.numa_of(other.cpu_);
  const double ns = static_cast<double>(bytes) * 1000 / machine.copy_rate * (far ? machine.far_factor : 1);
  if (pool_ != nullptr && who != Who::application) return pool_->copy(*this, std::move(packet), ns);
  simulation_.work(ns, Activity::copy);
  reply(packet, Packet::Kind::done);
  finish_receive(receive, packet);
}

void SimEngine::reply(const Packet& to, Packet::Kind kind) {
  Packet packet = to;
  packet.kind = kind;
  packet.from = this;
  wire_.carry(*this, *to.from, std::move(packet), 0);
}

void SimEngine::finish_receive(net::Request& receive, const Packet& packet) {
  receive.status.source = packet.source;
  receive.status.tag = packet.tag;
  receive.status.bytes = std::min(packet.length, receive.length);
  complete(receive, packet.length > receive.length ? net::Outcome::truncated : net::Outcome::success);
}

void SimEngine::complete(net::Request& request, net::Outcome outcome) {
  --outstanding_;
  ++epoch_;
  if (request.is_send) offered_.erase(std::find(offered_.begin(), offered_.end(), &request));
  request.status.outcome = outcome;
  const auto then = request.on_complete;
  request.done.store(1, std::memory_order_release);
  if (then != nullptr) then(*this, request);
}

// --- failures ---

void SimEngine::fail() {
  dead_ = true;
  for (SimEngine* other : all_) {
    if (other == this) continue;
    simulation_.after(failure_notice, [this, other] {
      Packet packet;
      packet.kind = Packet::Kind::failure;
      packet.from = this;
      other->deliver(packet);
      packet.from = other;
      deliver(packet);
    });
  }
}

void SimEngine::peer_failed(int process) {
  failed_[static_cast<std::size_t>(process)] = true;
  ++failures_;
  const auto from_it = [&](const Packet& packet) {
    return packet.from->process_ == process && packet.kind != Packet::Kind::eager &&
           packet.kind != Packet::Kind::failure && packet.kind != Packet::Kind::copied;
  };
  for (auto* queue : {&unexpected_, &incoming_, &incoming_for_app_}) {
    queue->erase(std::remove_if(queue->begin(), queue->end(), from_it), queue->end());
  }
  std::vector<net::Request*> lost;
  posted_.each([&](net::Request& receive) {
    if (receive.process == process) lost.push_back(&receive);
  });
  for (net::Request* receive : lost) posted_.remove(*receive);
  for (std::size_t index = 0; index < cleared_.size();) {
    if (cleared_[index].second != process) {
      ++index;
      continue;
    }
    lost.push_back(cleared_[index].first);
    cleared_.erase(cleared_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  for (net::Request* send : offered_) {
    if (send->process == process) lost.push_back(send);
  }
  for (std::size_t index = 0; index < meetings_for_app_.size();) {
    if (meetings_for_app_[index].packet.from->process_ != process) {
      ++index;
      continue;
    }
    lost.push_back(meetings_for_app_[index].receive);
    meetings_for_app_.erase(meetings_for_app_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  for (net::Request* request : lost) complete(*request, net::Outcome::peer_dead);
}

// --- not needed by collectives ---

void SimEngine::receive_message(net::Request&, net::Message*) noexcept { std::abort(); }
void SimEngine::cancel(net::Request&) noexcept { std::abort(); }
bool SimEngine::probe(uint32_t, int32_t, int32_t, net::Status&) noexcept { std::abort(); }
net::Message* SimEngine::match_probe(uint32_t, int32_t, int32_t, net::Status&) noexcept { std::abort(); }

uint64_t SimEngine::shared_allocate(uint64_t, std::string& error) noexcept {
  error = "Simulated ranks have no shared memory.";
  return 0;
}

}  // namespace vif::sim
