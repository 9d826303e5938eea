#include "coll/schedule.hpp"

#include <algorithm>

namespace vif::coll {

namespace {
constexpr uint64_t smallest_chunk = 4096;
}  // namespace

void Schedule::clear(int32_t tag) noexcept {
  tag_ = tag;
  view_.clear();
  phase_ = none;
  nodes_.clear();
  edges_.clear();
  successors_.clear();
  request_steps_.clear();
  for (Chunk& chunk : chunks_) chunk.used = 0;
}

void Schedule::among(std::vector<int> ranks) {
  view_ = std::move(ranks);
  view_rank_ = static_cast<int>(std::find(view_.begin(), view_.end(), group_.rank) - view_.begin());
}

void Schedule::next_phase() {
  std::vector<Step> ends;
  for (Step step = 0; step < nodes_.size(); ++step) {
    if (nodes_[step].successors == 0) ends.push_back(step);
  }
  if (ends.empty()) return;
  phase_ = none;
  const Step gate = add(Kind::join, nullptr, nullptr, 0, {});
  for (Step step : ends) order(step, gate);
  phase_ = gate;
}

std::byte* Schedule::temporary(uint64_t bytes) {
  const uint64_t rounded = (std::max<uint64_t>(bytes, 1) + 63) & ~uint64_t{63};
  for (Chunk& chunk : chunks_) {
    if (chunk.bytes - chunk.used < rounded) continue;
    std::byte* memory = chunk.memory.get() + chunk.used;
    chunk.used += rounded;
    return memory;
  }
  Chunk chunk;
  std::byte* const memory = take_memory(std::max(rounded, smallest_chunk), chunk.bytes);
  chunk.memory = {memory, GiveBack{chunk.bytes}};
  chunk.used = rounded;
  chunks_.push_back(std::move(chunk));
  return chunks_.back().memory.get();
}

Schedule::Step Schedule::add(Kind kind, const void* from, void* to, uint64_t amount, After after) {
  const Step step = static_cast<Step>(nodes_.size());
  Node node;
  node.kind = kind;
  node.from = static_cast<const std::byte*>(from);
  node.to = static_cast<std::byte*>(to);
  node.amount = amount;
  nodes_.push_back(node);
  for (Step earlier : after) order(earlier, step);
  order(phase_, step);
  return step;
}

Schedule::Step Schedule::send(int peer, const void* from, uint64_t bytes, uint32_t lane, After after) {
  const Step step = add(Kind::send, from, nullptr, bytes, after);
  nodes_[step].peer = group_rank(peer);
  nodes_[step].lane = lane;
  nodes_[step].request = static_cast<uint32_t>(request_steps_.size());
  request_steps_.push_back(step);
  return step;
}

Schedule::Step Schedule::receive(int peer, void* to, uint64_t bytes, uint32_t lane, After after) {
  const Step step = add(Kind::receive, nullptr, to, bytes, after);
  nodes_[step].peer = group_rank(peer);
  nodes_[step].lane = lane;
  nodes_[step].request = static_cast<uint32_t>(request_steps_.size());
  request_steps_.push_back(step);
  return step;
}

Schedule::Step Schedule::copy(void* to, const void* from, uint64_t bytes, After after) {
  if (to != from && bytes != 0) return add(Kind::copy, from, to, bytes, after);
  return join(after);
}

Schedule::Step Schedule::reduce(const void* in, void* inout, uint64_t count, After after) {
  if (count != 0) return add(Kind::reduce, in, inout, count, after);
  return join(after);
}

Schedule::Step Schedule::join(After after) {
  Step only = none;
  for (Step step : after) {
    if (step == none) continue;
    if (only != none) return add(Kind::join, nullptr, nullptr, 0, after);
    only = step;
  }
  return only;
}

void Schedule::order(Step earlier, Step later) {
  if (earlier == none || later == none) return;
  edges_.push_back({earlier, later});
  ++nodes_[earlier].successors;
  ++nodes_[later].prerequisites;
}

// Groups the edges by their earlier step, and makes the requests.
void Schedule::seal() {
  uint32_t first = 0;
  for (Node& node : nodes_) {
    node.first_successor = first;
    first += node.successors;
    node.successors = 0;
  }
  successors_.resize(first);
  for (const Edge& edge : edges_) {
    Node& node = nodes_[edge.earlier];
    successors_[node.first_successor + node.successors++] = edge.later;
  }
  prepare_requests();
}

void Schedule::prepare_requests() {
  if (request_capacity_ < request_steps_.size()) {
    requests_ = std::make_unique<net::Request[]>(request_steps_.size());
    request_capacity_ = request_steps_.size();
  }
  for (std::size_t index = 0; index < request_steps_.size(); ++index) {
    const Node& node = nodes_[request_steps_[index]];
    const bool sends = node.kind == Kind::send;
    net::Request& request = requests_[index];
    request.context = group_.context;
    request.process = group_.processes[node.peer];
    request.source = sends ? group_.rank : node.peer;
    request.tag = tag_ | static_cast<int32_t>(node.lane % lanes);
    request.mode = net::SendMode::standard;
    // A request has one pointer for both directions; the engine only reads what is sent.
    request.buffer = sends ? const_cast<std::byte*>(node.from) : node.to;
    // An empty message may come without one, and memcpy wants an address even for no bytes.
    if (request.buffer == nullptr) request.buffer = &request;
    request.length = node.amount;
  }
}

}  // namespace vif::coll
