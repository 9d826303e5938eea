// Remote calls between the processes of an MPI program: services with handlers that run as coloured events.
//
//   vif::Runtime runtime;                                    // see <vif/event.hpp>
//   vif::rpc::Node node(runtime);                            // after MPI_Init_thread with MPI_THREAD_MULTIPLE
//   node.serve(vif::rpc::service("double"), [](vif::rpc::Request request) {
//     auto numbers = std::make_shared<std::vector<double>>(request.body_bytes() / sizeof(double));
//     request.receive(numbers->data(), request.body_bytes(), [numbers](vif::rpc::Request request) {
//       for (double& number : *numbers) number *= 2;
//       request.reply({}, numbers->data(), numbers->size() * sizeof(double));
//     });
//   });
//   vif::rpc::Reply reply = node.call(1, vif::rpc::service("double"), {}, data, bytes).wait();
//
// What is promised
// - A handler sees the header of a call and the size of its body, and then says where the body is to go. A long body
//   travels once, from the caller's memory to that place.
// - Handlers, and functions that take replies, are events of a runtime: never in an interrupt, never two of one colour
//   at once. They must not block (see <vif/event.hpp>): the node itself needs the cores. They may call, reply later
//   from anywhere, and throw (the caller gets Error::handler_threw).
// - Every call completes exactly once: with its reply, or with an Error that says why there is none.
// - Remote calls have messages of their own: MPI communication beside them is not disturbed.
//
// Threads: every function may be called from any thread and event, unless it says otherwise; not from signal handlers.
// Make the nodes of a job at about the same time, and destroy them after a synchronisation and before MPI_Finalize: a
// call to a process whose node has gone completes with Error::peer_gone, but one to a process that never talked with
// this one and has no node waits until that has one, or until its deadline.
// Everything here throws std::bad_alloc when there is no memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <vif/event.hpp>

namespace vif::rpc {

enum class Error : std::uint8_t {
  none,
  unknown_service,  // the process serves nothing of that number or name
  peer_dead,        // the process has ended
  peer_gone,        // its node has been destroyed
  deadline,         // the deadline passed
  cancelled,        // by cancel()
  handler_threw,    // the text is what the exception says
  no_reply,         // the handler let go of the request without an answer
  refused,          // by Request::fail(): with its code and text
  truncated,        // a body was longer than its place; its beginning is there
  closed,           // the node of the caller is being destroyed
};
// A sentence.
VIF_PUBLIC const char* text_of(Error error) noexcept;

// Services have numbers; a name is one, too (two names in 2^63 have the same).
using Service = std::uint64_t;
constexpr Service service(std::string_view name) noexcept {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325;  // FNV-1a
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100'0000'01b3;
  return hash | std::uint64_t{1} << 63;
}

using Bytes = std::span<const std::byte>;
// Longest header, in bytes.
inline constexpr std::size_t header_limit = 1024;

namespace detail {
class Core;
class Served;
class Called;
}  // namespace detail

// A call, as its service sees it. Cheap to copy; when the last copy goes without an answer, the caller gets
// Error::no_reply. The body is received once at most; where it is not, it is dropped.
class VIF_PUBLIC Request {
 public:
  int caller() const noexcept;  // its rank in MPI_COMM_WORLD
  Service service() const noexcept;
  Bytes header() const noexcept;
  std::uint64_t body_bytes() const noexcept;
  // The caller has cancelled it, or died, or its deadline has passed: nobody wants the answer.
  bool unwanted() const noexcept;

  // Receives the body into memory that lives until `then` runs, as an event of the service's colour. received() is then
  // the size that came, and body_error() tells none, truncated, peer_gone or peer_dead. Throws std::logic_error the
  // second time.
  void receive(void* buffer, std::uint64_t room, std::function<void(Request)> then) const;
  std::uint64_t received() const noexcept;
  Error body_error() const noexcept;

  // Answers, once: false when it has been answered, or nobody is there to answer. The body is copied, unless `keep`
  // keeps it alive until it has been sent. Throws std::length_error for a header above header_limit.
  bool reply(Bytes header = {}, const void* body = nullptr, std::uint64_t bytes = 0,
             std::shared_ptr<const void> keep = nullptr) const;
  // Answers with Error::refused, a number and a text (at most header_limit bytes of it travel).
  bool fail(int code, std::string_view text) const;

  explicit Request(std::shared_ptr<detail::Served> body) noexcept : body_(std::move(body)) {}  // for the library

 private:
  std::shared_ptr<detail::Served> body_;
};

struct Reply {
  Error error = Error::none;
  int code = 0;      // of Request::fail()
  std::string text;  // of an error: a sentence, or what the service said
  std::vector<std::byte> header;
  std::vector<std::byte> body;   // empty where CallOptions::into had a place for it
  std::uint64_t body_bytes = 0;  // that were sent
  explicit operator bool() const noexcept { return error == Error::none; }
};

struct CallOptions {
  // From the call on; zero: none; less: it has passed.
  std::chrono::nanoseconds deadline{0};
  // Where the body of the reply goes, instead of Reply::body. It must live until the call is complete.
  void* into = nullptr;
  std::uint64_t room = 0;
  // Keeps the body of the call alive until it has been sent; null: it is copied.
  std::shared_ptr<const void> keep;
  // Of the event that takes the reply; none: a colour of the node's.
  std::optional<Colour> colour;
};

// A call, as its caller sees it. Cheap to copy; the call goes on without it.
class VIF_PUBLIC Call {
 public:
  // True: it completes with Error::cancelled. False: it is complete, or its reply is arriving.
  bool cancel() const noexcept;
  bool complete() const noexcept;
  // Waits, and takes the reply: once, of calls without a function. Not from an event: its core would wait.
  Reply wait() const;

  explicit Call(std::shared_ptr<detail::Called> body) noexcept : body_(std::move(body)) {}  // for the library

 private:
  std::shared_ptr<detail::Called> body_;
};

struct ServeOptions {
  // Of the events that run the handler; none: a colour of the service's own, so its handlers run one at a time.
  std::optional<Colour> colour;
  // Each call has a colour of its own: handlers of the service run at the same time.
  bool parallel = false;
};

class VIF_PUBLIC Node {
 public:
  // Joins. The runtime must outlive the node. Throws std::runtime_error, with what to do, when MPI is not initialised,
  // without MPI_THREAD_MULTIPLE, when libmpi_abi.so is of another build, or when this process has a node already; and
  // std::system_error when there is no descriptor to be had.
  explicit Node(Runtime& runtime);
  // Calls that are not complete complete with Error::closed, those of others here with Error::peer_gone. Waits for the
  // handlers, and functions that take bodies, that run; others do not begin any more. Functions that take replies still
  // run, with Error::closed. Not from an event of the runtime.
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // Runs the handler for each call to the service from now on. Replaces the one before; calls that began keep theirs.
  void serve(Service service, std::function<void(Request)> handler, const ServeOptions& options = {});
  // Calls that come from now on get Error::unknown_service.
  void withdraw(Service service);

  // Calls a service of a process, by its rank in MPI_COMM_WORLD (perhaps this one). The first form runs `done` as an
  // event; the second is for wait(). Throws std::out_of_range for a rank that is none, std::length_error for a header
  // above header_limit.
  Call call(int rank, Service service, Bytes header, const void* body, std::uint64_t bytes,
            std::function<void(Reply)> done, const CallOptions& options = {});
  Call call(int rank, Service service, Bytes header, const void* body, std::uint64_t bytes,
            const CallOptions& options = {});

  int rank() const noexcept;
  int size() const noexcept;
  Runtime& runtime() const noexcept;

 private:
  std::shared_ptr<detail::Core> core_;
};

}  // namespace vif::rpc
