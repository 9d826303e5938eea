// The node of a process: its messages through the engine, its table of calls, its services. Private to src/rpc.
//
// The engine completes messages in any context, handlers included. There a completed record is put into the mailbox,
// and an eventfd calls the runtime; pump(), an event of the node's own colour, does the rest. So nothing of a user runs
// in a handler, and what handlers touch is: the records themselves, the mailbox, and the list of spare arrivals.
//
// One receive with wildcards is posted at a time, because each costs every message of MPI a comparison; the next one is
// posted by the completion of the last, in the engine, from the spare arrivals.
//
// Locks (app context alone): `lock_` guards tables; user code and the engine are called without it. `pump_lock_` makes
// the taker of the mailbox one at a time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "net/door.hpp"
#include "rpc/mailbox.hpp"
#include "rpc/wire.hpp"
#include "vif/rpc.hpp"

namespace vif::rpc::detail {

class Core;

// A message on its way, through the engine and then the mailbox.
struct Moving : net::Request {
  enum class What : uint8_t { arrival, sent, body };
  explicit Moving(What kind) noexcept : what(kind) {}
  const What what;
  // Under the lock of the tables: what is the engine's once it has started may not be read.
  int peer = -1;
  bool is_body = false;
  bool given_up = false;
};

struct Arrival final : Moving {
  Arrival() noexcept : Moving(What::arrival) {}
  Arrival* spare = nullptr;
  std::byte bytes[message_limit];
};

struct Sent final : Moving {
  Sent() noexcept : Moving(What::sent) {}
  std::vector<std::byte> bytes;
  std::shared_ptr<const void> keep;
};

// A body that is being received; `then` runs in pump().
struct Body final : Moving {
  Body() noexcept : Moving(What::body) {}
  std::function<void(net::Outcome, uint64_t)> then;
};

// A body as it is sent: copied, or kept alive by its owner.
struct Content {
  const void* bytes = nullptr;
  uint64_t size = 0;
  std::shared_ptr<const void> keep;
};

// A call in its caller.
class Called : public std::enable_shared_from_this<Called> {
 public:
  std::weak_ptr<Core> core;
  uint64_t id = 0;
  int process = 0;
  Colour colour = 0;
  std::function<void(Reply)> done;
  void* into = nullptr;
  uint64_t room = 0;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  Watch timer;
  Reply reply;  // before `complete`: of the pump

  std::mutex lock;
  std::condition_variable changed;
  bool complete = false;
};

// A call in its service.
class Served : public std::enable_shared_from_this<Served> {
 public:
  ~Served();

  std::weak_ptr<Core> core;
  uint64_t id = 0;
  int process = 0;
  int rank = 0;
  Service service = 0;
  Colour colour = 0;
  std::vector<std::byte> header;
  std::vector<std::byte> body;  // that came with the header
  uint64_t body_bytes = 0;
  int32_t body_tag = 0;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::atomic<bool> unwanted{false};
  std::atomic<bool> answered{false};
  std::atomic<bool> body_taken{false};
  uint64_t received = 0;  // after the body's event was posted
  Error body_error = Error::none;
};

class Core : public std::enable_shared_from_this<Core> {
 public:
  explicit Core(Runtime& runtime);
  void open();
  void close() noexcept;

  // Callers (calls.cpp).
  std::shared_ptr<Called> call(int rank, Service service, Bytes header, const Content& body,
                               std::function<void(Reply)> done, const CallOptions& options);
  bool cancel(Called& called, Error why) noexcept;
  // Services (services.cpp).
  void serve(Service service, std::function<void(Request)> handler, const ServeOptions& options);
  void withdraw(Service service);
  void receive_body(Served& served, void* buffer, uint64_t room, std::function<void(Request)> then);
  bool answer(Served& served, Error error, int code, Bytes header, const Content& body);
  void drop_body(int process, int32_t tag);
  void forget(const Served& served);
  // Around code of a service. False: the node is being closed, and no such code begins any more.
  bool begin_service();
  void end_service();

  Runtime& runtime() const noexcept { return runtime_; }
  int rank() const noexcept { return engine_->process() - engine_->first(); }
  int size() const noexcept { return engine_->together(); }

 private:
  struct Serving {
    std::function<void(Request)> handler;
    Colour colour;
    bool parallel;
  };
  static constexpr int arrivals = 64;

  // What arrives and leaves (core.cpp). Engine context:
  static void on_moved(net::Engine& engine, net::Request& request) noexcept;
  static void give_back(net::Engine& engine, net::Task& task) noexcept;
  void post_arrival(net::Engine& engine) noexcept;
  void deliver(Moving& moving) noexcept;
  // App context:
  void pump() noexcept;
  void drain() noexcept;
  void treat(Moving& moving);
  void treat_message(const Arrival& arrival);
  // False, and nothing is sent: the node is being closed (and this is no goodbye).
  bool send(int process, Wire wire, Bytes header, const Content& body);
  bool start(Moving* moving, bool sending, bool closing) noexcept;
  bool receive(int process, int32_t tag, void* buffer, uint64_t room, std::function<void(net::Outcome, uint64_t)> then);
  uint32_t context_of(int process, uint32_t use) const noexcept {
    return door_.first_context + door_.context_stride * static_cast<uint32_t>(process) + use;
  }
  void enter_engine();
  void watch();
  void stop_watching() noexcept;
  void leave_engine() noexcept;
  // Returns when the engine has run the function, and nothing else of this node at that moment.
  void pass(void (*run)(net::Engine&, net::Task&) noexcept) noexcept;
  void drop_call(const Arrival& arrival);
  void cancel_bodies(int process) noexcept;
  void check_peers();
  void note_peer(int process);
  void say_goodbye();
  void say_hello();

  // Callers.
  void take_answer(int process, const Wire& wire, Bytes header, Bytes body);
  void take_answer_body(const std::shared_ptr<Called>& called, int process, const Wire& wire);
  void finish(const std::shared_ptr<Called>& called) noexcept;
  void fail_calls(int process, Error why);
  // Services.
  void take_call(int process, const Wire& wire, Bytes header, Bytes body);
  void take_cancel(int process, uint64_t id);
  void forget_caller(int process);

  Runtime& runtime_;
  net::EngineDoor door_;
  net::Engine* engine_;
  const int process_;                   // of the engine, which may be gone when a late request asks
  const Colour colour_;                 // of pump(), and of functions that take replies
  std::shared_ptr<const int> eventfd_;  // with the runtime, which lets go of it some time after watch_ is cancelled
  Watch watch_, ticker_, checker_;
  Mailbox<> mailbox_;
  std::mutex pump_lock_;
  bool pumping_ = true;  // under pump_lock_

  struct Door : net::Task {
    Core* core = nullptr;
    std::atomic<bool> passed{false};
  };
  Door entrance_;

  // The engine's.
  Arrival* spare_ = nullptr;
  Arrival* posted_ = nullptr;
  bool leaving_ = false;

  std::unique_ptr<Arrival[]> arrivals_;
  std::atomic<int> arrivals_out_{0};  // posted or in the mailbox
  // Other messages, until pump() has treated them, and threads that are handing one to the engine.
  std::atomic<int> at_work_{0};

  std::mutex lock_;
  bool closed_ = false;
  int services_at_work_ = 0;  // handlers that run, and functions that take bodies
  std::condition_variable services_rest_;
  std::unordered_map<uint64_t, std::shared_ptr<Called>> calls_;
  std::map<std::pair<int, uint64_t>, std::weak_ptr<Served>> served_;
  std::unordered_map<Service, std::shared_ptr<const Serving>> services_;
  std::set<Moving*> moving_;
  std::set<int> peers_;  // that this node has talked with
  std::set<int> gone_;   // whose nodes have said goodbye
};

}  // namespace vif::rpc::detail
