// Calls as their services see them. Context: app; handlers of users run as events of their service's colour.
#include <algorithm>
#include <exception>
#include <stdexcept>

#include "rpc/core.hpp"

namespace vif::rpc::detail {
namespace {

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), std::min(text.size(), header_limit)};
}

// Runs code of the user, whose exceptions are answers.
template <class Code>
void run(const std::shared_ptr<Served>& served, Code code) noexcept {
  const auto core = served->core.lock();
  if (core == nullptr || !core->begin_service()) return;
  std::string said;
  bool threw = true;
  try {
    code();
    threw = false;
  } catch (const std::exception& thrown) {
    said = thrown.what();
  } catch (...) {
    said = "something that is no std::exception";
  }
  if (threw) core->answer(*served, Error::handler_threw, 0, bytes_of(said), {});
  core->end_service();
}

}  // namespace

// The last request of the user's is gone.
Served::~Served() {
  const auto node = core.lock();
  if (node == nullptr) return;
  if (!answered.load(std::memory_order_relaxed)) node->answer(*this, Error::no_reply, 0, {}, {});
  if (body_tag != 0 && !body_taken.exchange(true)) node->drop_body(process, body_tag);
  node->forget(*this);
}

bool Core::begin_service() {
  const std::lock_guard guard(lock_);
  if (!closed_) ++services_at_work_;
  return !closed_;
}

void Core::end_service() {
  const std::lock_guard guard(lock_);
  if (--services_at_work_ == 0) services_rest_.notify_all();
}

void Core::forget(const Served& served) {
  const std::lock_guard guard(lock_);
  served_.erase({served.process, served.id});
}

void Core::serve(Service service, std::function<void(Request)> handler, const ServeOptions& options) {
  const Colour colour = options.colour.has_value() ? *options.colour : runtime_.new_colour();
  auto serving = std::make_shared<const Serving>(Serving{std::move(handler), colour, options.parallel});
  const std::lock_guard guard(lock_);
  if (!closed_) services_[service] = std::move(serving);
}

void Core::withdraw(Service service) {
  std::shared_ptr<const Serving> last;  // destroyed without the lock: it is the user's
  const std::lock_guard guard(lock_);
  const auto found = services_.find(service);
  if (found == services_.end()) return;
  last = std::move(found->second);
  services_.erase(found);
}

void Core::take_call(int process, const Wire& wire, Bytes header, Bytes body) {
  auto served = std::make_shared<Served>();
  served->core = weak_from_this();
  served->id = wire.id;
  served->process = process;
  served->rank = process - engine_->first();
  served->service = wire.service;
  served->header.assign(header.begin(), header.end());
  served->body.assign(body.begin(), body.end());
  served->body_bytes = wire.body_bytes;
  served->body_tag = wire.body_tag;
  if (wire.time_left_ns > 0) {
    served->deadline = std::chrono::steady_clock::now() + std::chrono::nanoseconds(wire.time_left_ns);
  }
  std::shared_ptr<const Serving> serving;
  {
    const std::lock_guard guard(lock_);
    const auto found = services_.find(wire.service);
    if (found != services_.end()) serving = found->second;
    served_[{process, wire.id}] = served;
  }
  if (serving == nullptr) {
    answer(*served, Error::unknown_service, 0, {}, {});
    return;
  }
  served->colour = serving->parallel ? runtime_.new_colour() : serving->colour;
  const Colour colour = served->colour;
  runtime_.post(colour, [served = std::move(served), serving] {
    const Request request(served);
    if (request.unwanted()) {  // nobody waits for what it would say
      if (const auto core = served->core.lock()) core->answer(*served, Error::cancelled, 0, {}, {});
      return;
    }
    run(served, [&] { serving->handler(request); });
  });
}

void Core::take_cancel(int process, uint64_t id) {
  std::shared_ptr<Served> served;
  {
    const std::lock_guard guard(lock_);
    const auto found = served_.find({process, id});
    if (found != served_.end()) served = found->second.lock();
  }
  if (served != nullptr) served->unwanted.store(true, std::memory_order_relaxed);
}

void Core::forget_caller(int process) {
  std::vector<std::shared_ptr<Served>> orphans;
  const std::lock_guard guard(lock_);
  for (auto& [key, weak] : served_) {
    if (key.first != process) continue;
    if (auto served = weak.lock()) orphans.push_back(std::move(served));
  }
  for (const auto& served : orphans) served->unwanted.store(true, std::memory_order_relaxed);
}

void Core::receive_body(Served& served, void* buffer, uint64_t room, std::function<void(Request)> then) {
  if (served.body_taken.exchange(true)) {
    throw std::logic_error("The body of a remote call was received already: it can be received once.");
  }
  auto go_on = [this, request = served.shared_from_this(), then = std::move(then)](Error error, uint64_t bytes) {
    request->received = bytes;
    request->body_error = error;
    runtime_.post(request->colour, [request, then] { run(request, [&] { then(Request(request)); }); });
  };
  if (served.body_tag == 0) {
    const uint64_t bytes = std::min<uint64_t>(room, served.body.size());
    net::copy_bytes(buffer, served.body.data(), bytes);
    return go_on(bytes < served.body.size() ? Error::truncated : Error::none, bytes);
  }
  const auto arrived = [go_on](net::Outcome outcome, uint64_t bytes) {
    switch (outcome) {
      case net::Outcome::success:
        return go_on(Error::none, bytes);
      case net::Outcome::truncated:
        return go_on(Error::truncated, bytes);
      case net::Outcome::cancelled:
        return go_on(Error::peer_gone, 0);
      default:
        return go_on(Error::peer_dead, 0);
    }
  };
  if (!receive(served.process, served.body_tag, buffer, room, arrived)) go_on(Error::closed, 0);
}

bool Core::answer(Served& served, Error error, int code, Bytes header, const Content& body) {
  if (served.answered.exchange(true)) return false;
  Wire wire{.kind = Kind::answer, .id = served.id, .code = code};
  wire.error = static_cast<uint8_t>(error);
  return send(served.process, wire, header, body);
}

}  // namespace vif::rpc::detail
