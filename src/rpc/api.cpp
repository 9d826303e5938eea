// The functions of include/vif/rpc.hpp. Context: app.
#include <stdexcept>

#include "rpc/core.hpp"

namespace vif::rpc {

using detail::Content;

const char* text_of(Error error) noexcept {
  switch (error) {
    case Error::none:
      return "The call has its reply.";
    case Error::unknown_service:
      return "The process that was called has no such service.";
    case Error::peer_dead:
      return "The process that was called has ended.";
    case Error::peer_gone:
      return "The node of the process that was called has been destroyed.";
    case Error::deadline:
      return "The deadline of the call passed before its reply came.";
    case Error::cancelled:
      return "The call was cancelled.";
    case Error::handler_threw:
      return "The handler of the service threw an exception.";
    case Error::no_reply:
      return "The handler of the service let go of the call without a reply.";
    case Error::refused:
      return "The service refused the call.";
    case Error::truncated:
      return "The body was longer than the place for it.";
    case Error::closed:
      return "The node that made the call is being destroyed.";
  }
  return "The peer reports an error that this version does not know.";
}

int Request::caller() const noexcept { return body_->rank; }
Service Request::service() const noexcept { return body_->service; }
Bytes Request::header() const noexcept { return body_->header; }
std::uint64_t Request::body_bytes() const noexcept { return body_->body_bytes; }
std::uint64_t Request::received() const noexcept { return body_->received; }
Error Request::body_error() const noexcept { return body_->body_error; }

bool Request::unwanted() const noexcept {
  return body_->unwanted.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() > body_->deadline;
}

void Request::receive(void* buffer, std::uint64_t room, std::function<void(Request)> then) const {
  const auto core = body_->core.lock();
  if (core != nullptr) core->receive_body(*body_, buffer, room, std::move(then));
}

bool Request::reply(Bytes header, const void* body, std::uint64_t bytes, std::shared_ptr<const void> keep) const {
  if (header.size() > header_limit) {
    throw std::length_error("A header of " + std::to_string(header.size()) +
                            " bytes is too long for a reply: at most " + std::to_string(header_limit) +
                            ", the rest belongs into the body.");
  }
  const auto core = body_->core.lock();
  return core != nullptr && core->answer(*body_, Error::none, 0, header, Content{body, bytes, std::move(keep)});
}

bool Request::fail(int code, std::string_view text) const {
  const Bytes said(reinterpret_cast<const std::byte*>(text.data()), std::min(text.size(), header_limit));
  const auto core = body_->core.lock();
  return core != nullptr && core->answer(*body_, Error::refused, code, said, {});
}

bool Call::cancel() const noexcept {
  const auto core = body_->core.lock();
  return core != nullptr && core->cancel(*body_, Error::cancelled);
}

bool Call::complete() const noexcept {
  const std::lock_guard guard(body_->lock);
  return body_->complete;
}

Reply Call::wait() const {
  std::unique_lock guard(body_->lock);
  body_->changed.wait(guard, [this] { return body_->complete; });
  return std::move(body_->reply);
}

Node::Node(Runtime& runtime) : core_(std::make_shared<detail::Core>(runtime)) { core_->open(); }

Node::~Node() { core_->close(); }

void Node::serve(Service service, std::function<void(Request)> handler, const ServeOptions& options) {
  core_->serve(service, std::move(handler), options);
}

void Node::withdraw(Service service) { core_->withdraw(service); }

Call Node::call(int rank, Service service, Bytes header, const void* body, std::uint64_t bytes,
                std::function<void(Reply)> done, const CallOptions& options) {
  return Call(core_->call(rank, service, header, Content{body, bytes, options.keep}, std::move(done), options));
}

Call Node::call(int rank, Service service, Bytes header, const void* body, std::uint64_t bytes,
                const CallOptions& options) {
  return call(rank, service, header, body, bytes, nullptr, options);
}

int Node::rank() const noexcept { return core_->rank(); }
int Node::size() const noexcept { return core_->size(); }
Runtime& Node::runtime() const noexcept { return core_->runtime(); }

}  // namespace vif::rpc
