// The node's life, and its messages. Context: app, but for the functions marked.
#include "rpc/core.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <dlfcn.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

namespace vif::rpc::detail {
namespace {

std::atomic<bool> exists{false};

// Of this process, whatever its nodes: an answer or a body for a former node must not be taken for one of a later.
std::atomic<uint32_t> last_tag{0};

// Who heard the last node's goodbye, and hears of the next one. Of the node that exists.
std::set<int>& bereft() {
  static std::set<int> processes;
  return processes;
}

// Uses of a process's contexts.
constexpr uint32_t messages = 0, bodies = 1;

net::EngineDoor find_door() {
  auto* function = reinterpret_cast<net::DoorFunction*>(dlsym(RTLD_DEFAULT, net::door_symbol));
  if (function == nullptr) {
    throw std::runtime_error(
        "A node for remote calls needs MPI: link the program with libmpi_abi.so of Vif (mpicc, mpicxx), and call "
        "MPI_Init_thread before.");
  }
  net::EngineDoor door;
  if (!function(net::door_interface, &door) || door.contexts <= bodies) {
    throw std::runtime_error("libvif.so and libmpi_abi.so are of different builds: install both from one.");
  }
  if (door.engine == nullptr) {
    throw std::runtime_error("A node for remote calls needs MPI: call MPI_Init_thread before, and MPI_Finalize after.");
  }
  if (!door.many_threads) {
    throw std::runtime_error(
        "A node for remote calls uses MPI in the threads of its runtime: ask MPI_Init_thread for MPI_THREAD_MULTIPLE.");
  }
  return door;
}

}  // namespace

Core::Core(Runtime& runtime)
    : runtime_(runtime),
      door_(find_door()),
      engine_(door_.engine),
      process_(engine_->process()),
      colour_(runtime.new_colour()) {}

void Core::open() {
  arrivals_ = std::make_unique<Arrival[]>(arrivals);
  if (exists.exchange(true)) {
    throw std::runtime_error("This process has a node for remote calls already: use that one.");
  }
  const int descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (descriptor < 0) {
    const int error = errno;
    exists.store(false);
    throw std::system_error(error, std::generic_category(), "A node for remote calls needs a file descriptor");
  }
  for (int i = 0; i < arrivals; ++i) {
    arrivals_[static_cast<size_t>(i)].spare = spare_;
    spare_ = &arrivals_[static_cast<size_t>(i)];
  }
  try {
    eventfd_ = std::shared_ptr<const int>(new int(descriptor), [](const int* last) {
      ::close(*last);
      delete last;
    });
    watch();
  } catch (...) {
    stop_watching();
    exists.store(false);
    throw;
  }
  door_.hold(+1);
  enter_engine();
  say_hello();
}

void Core::stop_watching() noexcept {
  watch_.cancel();
  ticker_.cancel();
  checker_.cancel();
}

// The runtime looks after the mailbox, and now and then after what nobody calls it for.
void Core::watch() {
  const std::weak_ptr<Core> weak = weak_from_this();
  watch_ = runtime_.on_readable(*eventfd_, colour_, [weak, held = eventfd_] {
    if (const auto core = weak.lock()) core->pump();
  });
  checker_ = runtime_.every(std::chrono::seconds(1), colour_, [weak] {
    if (const auto core = weak.lock()) core->check_peers();
  });
  if (engine_->acts_alone()) return;
  ticker_ = runtime_.every(std::chrono::microseconds(200), colour_, [weak] {
    const auto core = weak.lock();
    if (core == nullptr) return;
    const std::lock_guard guard(core->pump_lock_);
    if (!core->pumping_) return;
    net::ApiScope scope(*core->engine_);
    core->engine_->progress();
  });
}

void Core::enter_engine() {
  entrance_.core = this;
  entrance_.run = [](net::Engine& engine, net::Task& task) noexcept {
    engine.demand(+1);
    static_cast<Door&>(task).core->post_arrival(engine);
  };
  net::ApiScope scope(*engine_);
  engine_->submit(entrance_);
}

// Context: engine
void Core::post_arrival(net::Engine& engine) noexcept {
  Arrival* arrival = spare_;
  if (arrival == nullptr || posted_ != nullptr || leaving_) return;
  spare_ = arrival->spare;
  posted_ = arrival;
  arrivals_out_.fetch_add(1, std::memory_order_relaxed);
  arrival->context = context_of(engine.process(), messages);
  arrival->process = -1;
  arrival->source = net::any_source;
  arrival->tag = net::any_tag;
  arrival->buffer = arrival->bytes;
  arrival->length = message_limit;
  arrival->on_complete = on_moved;
  arrival->owner = this;
  arrival->done.store(0, std::memory_order_relaxed);
  engine.start_receive(*arrival);
}

// Context: engine. The mailbox has it before the next one can arrive: messages of one peer are treated in their order.
void Core::on_moved(net::Engine& engine, net::Request& request) noexcept {
  auto& moving = static_cast<Moving&>(request);
  Core& core = *static_cast<Core*>(moving.owner);
  const bool arrived = moving.what == Moving::What::arrival;
  if (arrived) core.posted_ = nullptr;
  core.deliver(moving);
  if (arrived) core.post_arrival(engine);
}

// Context: handler
void Core::deliver(Moving& moving) noexcept {
  const int descriptor = *eventfd_;
  if (!mailbox_.put(moving)) return;
  const int saved = errno;
  const uint64_t one = 1;
  // It cannot fail: a counter of 64 bits does not fill up.
  [[maybe_unused]] const ssize_t written = write(descriptor, &one, sizeof one);
  errno = saved;
}

// Context: engine
void Core::give_back(net::Engine& engine, net::Task& task) noexcept {
  auto& arrival = static_cast<Arrival&>(task);
  Core& core = *static_cast<Core*>(arrival.owner);
  arrival.spare = core.spare_;
  core.spare_ = &arrival;
  core.arrivals_out_.fetch_sub(1, std::memory_order_relaxed);
  core.post_arrival(engine);
}

void Core::pump() noexcept {
  const std::lock_guard guard(pump_lock_);
  if (pumping_) drain();
}

void Core::drain() noexcept {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(*eventfd_, &count, sizeof count);
  mailbox_.begin();
  while (auto* record = mailbox_.take()) treat(static_cast<Moving&>(static_cast<net::Task&>(*record)));
}

void Core::treat(Moving& moving) {
  if (moving.what == Moving::What::arrival) {
    auto& arrival = static_cast<Arrival&>(moving);
    if (!pumping_) {
      drop_call(arrival);
      arrivals_out_.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    treat_message(arrival);
    arrival.run = give_back;
    net::ApiScope scope(*engine_);
    engine_->submit(arrival);
    return;
  }
  {
    const std::lock_guard guard(lock_);
    moving_.erase(&moving);
  }
  if (moving.what == Moving::What::body) {
    const std::unique_ptr<Body> body(static_cast<Body*>(&moving));
    body->then(body->status.outcome, body->status.bytes);
  } else {
    delete static_cast<Sent*>(&moving);
  }
  at_work_.fetch_sub(1, std::memory_order_relaxed);
}

void Core::treat_message(const Arrival& arrival) {
  if (arrival.status.outcome != net::Outcome::success) return;
  Wire wire;
  const int process = arrival.status.source;
  const uint64_t bytes = arrival.status.bytes;
  if (bytes >= sizeof wire) std::memcpy(&wire, arrival.bytes, sizeof wire);
  if (process < 0 || process >= engine_->processes() || !valid(wire, bytes)) {
    std::fprintf(stderr, "vif: process %d sent a message for remote calls that makes no sense; it was dropped.\n",
                 process);
    return;
  }
  note_peer(process);
  const Bytes header(arrival.bytes + sizeof wire, wire.header_bytes);
  const Bytes body(header.data() + header.size(), wire.body_tag == 0 ? wire.body_bytes : 0);
  switch (wire.kind) {
    case Kind::call:
      return take_call(process, wire, header, body);
    case Kind::answer:
      return take_answer(process, wire, header, body);
    case Kind::cancel:
      return take_cancel(process, wire.id);
    case Kind::hello:
      return;  // note_peer() did it
    case Kind::goodbye:
      forget_caller(process);
      fail_calls(process, Error::peer_gone);
      return cancel_bodies(process);
  }
}

// Too late for this node: who calls has perhaps not talked with it before, and must hear that it leaves.
void Core::drop_call(const Arrival& arrival) {
  const int process = arrival.status.source;
  if (arrival.status.outcome != net::Outcome::success || process < 0 || process >= engine_->processes()) return;
  if (process == process_) return;
  {
    const std::lock_guard guard(lock_);
    if (!peers_.insert(process).second) return;  // it has heard
  }
  if (!engine_->has_failed(process)) send(process, Wire{.kind = Kind::goodbye}, {}, {});
}

// Whoever says something is there.
void Core::note_peer(int process) {
  const std::lock_guard guard(lock_);
  peers_.insert(process);
  gone_.erase(process);
}

bool Core::start(Moving* moving, bool sending, bool closing) noexcept {
  moving->owner = this;
  moving->on_complete = on_moved;
  {
    const std::lock_guard guard(lock_);
    if (closed_ && !closing) {
      moving->what == Moving::What::body ? delete static_cast<Body*>(moving) : delete static_cast<Sent*>(moving);
      return false;
    }
    at_work_.fetch_add(2, std::memory_order_relaxed);
    moving->peer = moving->process;
    moving->is_body = moving->context != context_of(moving->process, messages);
    moving_.insert(moving);
  }
  {
    net::ApiScope scope(*engine_);
    sending ? engine_->send(*moving) : engine_->receive(*moving);
  }
  at_work_.fetch_sub(1, std::memory_order_release);  // with leave_engine(): MPI may be finalised from there on
  return true;
}

// The message, and behind it the body where that does not fit.
bool Core::send(int process, Wire wire, Bytes header, const Content& body) {
  const bool apart = sizeof wire + header.size() + body.size > message_limit;
  wire.header_bytes = static_cast<uint16_t>(header.size());
  wire.body_bytes = body.size;
  if (apart) wire.body_tag = static_cast<int32_t>(last_tag.fetch_add(1, std::memory_order_relaxed) % largest_tag + 1);
  const auto prepare = [&](uint32_t use, int32_t tag) {
    auto sent = std::make_unique<Sent>();
    sent->context = context_of(process, use);
    sent->process = process;
    sent->source = process_;
    sent->tag = tag;
    return sent;
  };
  auto message = prepare(messages, 0);
  message->bytes.resize(sizeof wire + header.size() + (apart ? 0 : body.size));
  std::byte* at = message->bytes.data();
  std::memcpy(at, &wire, sizeof wire);
  net::copy_bytes(at + sizeof wire, header.data(), header.size());
  if (!apart) net::copy_bytes(at + sizeof wire + header.size(), body.bytes, body.size);
  message->buffer = at;
  message->length = message->bytes.size();
  std::unique_ptr<Sent> long_body;
  if (apart) {
    long_body = prepare(bodies, wire.body_tag);
    long_body->keep = body.keep;
    if (body.keep == nullptr) {
      const auto* from = static_cast<const std::byte*>(body.bytes);
      long_body->bytes.assign(from, from + body.size);
    }
    long_body->buffer = body.keep != nullptr ? const_cast<void*>(body.bytes) : long_body->bytes.data();
    long_body->length = body.size;
  }
  const bool last = wire.kind == Kind::goodbye;
  if (!start(message.release(), true, last)) return false;
  return !apart || start(long_body.release(), true, last);
}

bool Core::receive(int process, int32_t tag, void* buffer, uint64_t room,
                   std::function<void(net::Outcome, uint64_t)> then) {
  auto body = std::make_unique<Body>();
  body->context = context_of(process_, bodies);
  body->process = process;
  body->source = process;
  body->tag = tag;
  body->buffer = buffer;
  body->length = room;
  body->then = std::move(then);
  if (!start(body.release(), false, false)) return false;
  bool gone;
  {
    const std::lock_guard guard(lock_);
    gone = gone_.count(process) != 0;
  }
  if (gone) cancel_bodies(process);  // its goodbye came before: what is not here already does not come
  return true;
}

void Core::drop_body(int process, int32_t tag) {
  receive(process, tag, nullptr, 0, [](net::Outcome, uint64_t) {});
}

// Who has died says nothing.
void Core::check_peers() {
  const std::lock_guard guard(pump_lock_);
  if (!pumping_) return;
  std::set<int> asked;  // or asking
  {
    const std::lock_guard tables(lock_);
    for (const auto& [id, called] : calls_) asked.insert(called->process);
    for (const auto& [key, served] : served_) asked.insert(key.first);
    for (const Moving* moving : moving_) asked.insert(moving->peer);
  }
  if (asked.empty()) return;
  {
    net::ApiScope scope(*engine_);
    engine_->look_for_the_dead();
  }
  for (const int process : asked) {
    if (!engine_->has_failed(process)) continue;
    forget_caller(process);
    fail_calls(process, Error::peer_dead);
  }
}

void Core::close() noexcept {
  std::vector<std::shared_ptr<Called>> left;
  decltype(services_) services;  // destroyed without the lock: they are the user's
  {
    std::unique_lock guard(lock_);
    closed_ = true;
    for (auto& [id, called] : calls_) left.push_back(called);
    calls_.clear();
    services.swap(services_);
    services_rest_.wait(guard, [this] { return services_at_work_ == 0; });
  }
  for (const auto& called : left) {
    called->reply.error = Error::closed;
    finish(called);
  }
  stop_watching();
  {
    const std::lock_guard guard(pump_lock_);
    pumping_ = false;
  }
  say_goodbye();
  leave_engine();
  bereft() = peers_;
  door_.hold(-1);
  exists.store(false);
}

void Core::say_goodbye() {
  std::set<int> peers;
  {
    const std::lock_guard guard(lock_);
    peers = peers_;
  }
  for (const int process : peers) {
    if (process != engine_->process() && !engine_->has_failed(process)) {
      send(process, Wire{.kind = Kind::goodbye}, {}, {});
    }
  }
}

// They may call again.
void Core::say_hello() {
  for (const int process : bereft()) {
    if (process == process_ || process >= engine_->processes() || engine_->has_failed(process)) continue;
    note_peer(process);
    send(process, Wire{.kind = Kind::hello}, {}, {});
  }
}

void Core::pass(void (*run)(net::Engine&, net::Task&) noexcept) noexcept {
  Door door;
  door.core = this;
  door.run = run;
  net::ApiScope scope(*engine_);
  engine_->submit(door);
  engine_->wait_until([](void* at) { return static_cast<Door*>(at)->passed.load(std::memory_order_acquire); }, &door);
}

// Returns when the engine has nothing of this node any more.
void Core::leave_engine() noexcept {
  pass([](net::Engine& engine, net::Task& task) noexcept {
    auto& door = static_cast<Door&>(task);
    door.core->leaving_ = true;
    engine.demand(-1);
    door.passed.store(true, std::memory_order_release);
  });
  if (Arrival* last = posted_; last != nullptr) {
    net::ApiScope scope(*engine_);
    engine_->cancel(*last);
  }
  const timespec moment{0, 50'000};
  for (int round = 1;; ++round) {
    cancel_bodies(-1);
    drain();
    if (at_work_.load(std::memory_order_acquire) == 0 && arrivals_out_.load(std::memory_order_acquire) == 0) break;
    net::ApiScope scope(*engine_);
    engine_->progress();
    if (round % 2000 == 0) engine_->look_for_the_dead();  // who has died takes no message
    nanosleep(&moment, nullptr);
  }
  // What completed last was seen here in the middle of on_moved() or give_back(): they have returned when this runs.
  pass([](net::Engine&, net::Task& task) noexcept {
    static_cast<Door&>(task).passed.store(true, std::memory_order_release);
  });
}

// Bodies to and from a process (-1: all) that nobody will take, or send, any more. Messages go their way.
void Core::cancel_bodies(int process) noexcept {
  const std::lock_guard guard(lock_);
  net::ApiScope scope(*engine_);
  for (Moving* moving : moving_) {
    if ((process >= 0 && moving->peer != process) || !moving->is_body || moving->given_up) continue;
    if (moving->complete()) continue;
    moving->given_up = true;
    engine_->cancel(*moving);
  }
}

}  // namespace vif::rpc::detail
