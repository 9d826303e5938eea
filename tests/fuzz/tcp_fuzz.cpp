// Fuzzes what a peer may say over TCP: the input plays the part of a process of the job that has greeted properly, and
// then sends frames, sensible ones and others, and bytes; this side meanwhile sends, receives, takes offers and
// withdraws. It must not crash, write where it must not, forget a request or complete one twice; when the peer is gone
// nothing is pending. The parsers of cards, addresses and greetings get the input as it is.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "input.hpp"
#include "net/tcp/card.hpp"
#include "net/tcp/tcp_link.hpp"

namespace {

using namespace vif::net;
using namespace vif::net::tcp;

void demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz_tcp: %s\n", what);
  std::abort();
}

// A request with its buffer, between guards.
struct Operation {
  static constexpr size_t room = 9000;
  Request request;
  std::vector<uint8_t> bytes = std::vector<uint8_t>(room + 32, 0xa5);
  int completions = 0;

  explicit Operation(uint64_t length) {
    request.source = 1;
    request.tag = 1;
    request.buffer = bytes.data() + 16;
    request.length = length;
    request.begin(false);  // as the engine does
    request.done = 0;
  }
  void look() const {
    const auto good = [](uint8_t byte) { return byte == 0xa5; };
    demand(std::all_of(bytes.begin(), bytes.begin() + 16, good), "written before a buffer");
    if (request.is_send) return;
    const auto end = static_cast<std::ptrdiff_t>(16 + request.length);
    demand(std::all_of(bytes.begin() + end, bytes.end(), good), "written behind a buffer");
  }
};

// The engine, as little of it as a link needs.
class Engine final : public LinkPort {
 public:
  std::deque<Operation*> posted;
  std::vector<Message*> kept;
  std::vector<std::unique_ptr<Operation>> operations;
  int pending_now = 0;
  bool lost_it = false;

  ~Engine() override {
    for (Message* message : kept) free_message(*message);
  }
  Operation& add(uint64_t length) { return *operations.emplace_back(std::make_unique<Operation>(length)); }

  int process() const noexcept override { return 0; }
  Request* take_posted(uint32_t, int32_t, int32_t tag, int) noexcept override {
    if (tag != 1 || posted.empty()) return nullptr;
    Operation& first = *posted.front();
    posted.pop_front();
    return &first.request;
  }
  Message* new_message(uint64_t bytes) noexcept override {
    auto* message = new Message;
    message->data = static_cast<std::byte*>(std::malloc(bytes + 1));
    return message;
  }
  void keep(Message& message) noexcept override { kept.push_back(&message); }
  void free_message(Message& message) noexcept override {
    std::free(message.data);
    delete &message;
  }
  Message* take_offer(uint32_t, int32_t, int32_t, int process, uint64_t id) noexcept override {
    const auto found = std::find_if(kept.begin(), kept.end(), [&](const Message* it) {
      return it->kind == Message::Kind::far && it->process == process && it->remote == id;
    });
    if (found == kept.end()) return nullptr;
    Message* message = *found;
    kept.erase(found);
    return message;
  }
  void arrived(Message& message) noexcept override {
    demand(message.arrived == message.length, "a part that is whole");
  }
  void lost(Message& message) noexcept override { message.remote = 0; }
  void begin_receive(Request& request, int32_t source, int32_t tag, uint64_t length) noexcept override {
    request.status.source = source;
    request.status.tag = tag;
    request.status.bytes = std::min(length, request.length);
  }
  void complete(Request& request, Outcome outcome) noexcept override {
    demand(!request.complete(), "completed twice");
    request.status.outcome = outcome;
    request.done = 1;
  }
  void pending(int change) noexcept override { pending_now += change; }
  void flush(int) noexcept override {}
  void lose(int) noexcept override { lost_it = true; }
  void count_send(bool) noexcept override {}
  bool in_handler() const noexcept override { return false; }
  bool may_allocate() const noexcept override { return true; }
  bool looks() const noexcept override { return true; }
  void come_again() noexcept override {}
};

constexpr int most_peers = 400;
const Secret the_secret{1, 2, 3, 4};

// A link, and the other ends of its connections, which greet one after the other.
class Stage {
 public:
  Stage() {
    auto listeners = std::make_unique<Listeners>();
    std::string error;
    demand(Address::parse("127.0.0.1:1", address_[0]) && listeners->open(address_, error), "nobody can listen");
    TcpLink::Setting setting;
    setting.processes = most_peers + 1;
    setting.addresses.assign(most_peers + 1, address_);
    setting.secret = the_secret;
    setting.eager_limit = 2000;
    setting.unexpected_limit = 20000;
    setting.timeout_ns = 1'000'000'000;
    setting.speaks = false;
    setting.wake = [](void*) {};
    link = TcpLink::open(port, std::move(setting), std::move(listeners), error);
    demand(link != nullptr, error.c_str());
  }
  bool used_up() const { return next_ > most_peers; }
  // A new peer, connected. Its index, and its socket.
  int connect(int& socket) {
    const int peer = next_++;
    socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    demand(::connect(socket, &address_[0].value.any, address_[0].length()) == 0, "no connection");
    Transcript transcript;
    Greeting seen;
    std::byte bytes[greeting_bytes];
    for (const Step step : {Step::hello, Step::proof}) {
      Greeting greeting;
      greeting.step = step;
      greeting.from = static_cast<uint32_t>(peer);
      greeting.eager_limit = greeting.unexpected_limit = 1 << 20;
      transcript.write(greeting, the_secret, bytes);
      demand(send(socket, bytes, sizeof bytes, MSG_NOSIGNAL) == greeting_bytes, "no greeting");
      while (recv(socket, bytes, sizeof bytes, MSG_DONTWAIT) < 0) link->poll();
      demand(transcript.read(bytes, the_secret, seen) == nullptr && seen.refusal == Refusal::none, "no welcome");
    }
    return peer;
  }

  Engine port;
  std::unique_ptr<TcpLink> link;

 private:
  std::vector<Address> address_ = std::vector<Address>(1);
  int next_ = 1;
};

class Play {
 public:
  Play(Stage& stage, Input& input) : stage_(stage), input_(input) {
    port_.posted.clear();
    port_.lost_it = false;
    peer_ = stage.connect(socket_);
    acts();
    ::close(socket_);
    while (!port_.lost_it) stage.link->poll();
    demand(port_.pending_now == 0, "something is pending for a peer that is gone");
    for (Operation* waiting : port_.posted) waiting->request.done = 1;
    for (const auto& operation : port_.operations) {
      demand(operation->request.complete(), "a request was forgotten");
      operation->look();
    }
    port_.operations.clear();
    for (Message* message : port_.kept) port_.free_message(*message);
    port_.kept.clear();
  }

 private:
  void acts() {
    while (!input_.empty()) {
      act(input_.below(8));
      listen();
    }
  }
  void act(uint64_t which) {
    switch (which) {
      case 0:
        return any_bytes(input_.below(40));
      case 1:
      case 2:
        return any_frame();
      case 3:
        port_.posted.push_back(&port_.add(input_.below(Operation::room)));
        return;
      case 4:
        return post();
      case 5:
        return take_offer();
      case 6:
        if (!port_.operations.empty()) withdraw(*port_.operations[input_.below(port_.operations.size())]);
        return;
      default:
        stage_.link->delivered(peer_, 0);
        stage_.link->poll();
    }
  }
  void say(const void* bytes, size_t count) {
    while (send(socket_, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EAGAIN) stage_.link->poll();
  }
  void any_bytes(uint64_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(input_.take(1));
    say(bytes.data(), bytes.size());
  }
  uint64_t some_id() {
    const uint64_t ids[] = {last_accept_, last_offer_, 0x100000001ull, input_.take(2)};
    return ids[input_.below(4)];
  }
  void any_frame() {
    Frame frame;
    frame.kind = static_cast<FrameKind>(input_.below(9));
    const bool enveloped =
        frame.kind == FrameKind::eager || frame.kind == FrameKind::offer || frame.kind == FrameKind::withdraw;
    frame.source = enveloped ? 1 : 0;
    frame.tag = static_cast<int32_t>(input_.below(3));
    frame.length = frame.kind == FrameKind::bye || frame.kind == FrameKind::credit ? 0 : input_.below(4000);
    if (frame.kind != FrameKind::eager && frame.length + frame.tag != 0) frame.id = some_id();
    if (frame.kind == FrameKind::data) frame.other = input_.below(2) == 0 ? 0 : sent_;
    if (frame.kind == FrameKind::accept) frame.other = 77;
    frame.credit = input_.below(4) == 0 ? input_.below(5000) : 0;
    std::byte bytes[frame_bytes];
    write_frame(frame, bytes);
    say(bytes, sizeof bytes);
    if (frame.kind == FrameKind::data) sent_ = frame.other + frame.length;
    if (frame.kind != FrameKind::eager && frame.kind != FrameKind::data) return;
    const std::vector<uint8_t> payload(frame.length - (input_.below(8) == 0 ? frame.length / 3 : 0), 7);
    say(payload.data(), payload.size());
  }
  void post() {
    Operation& operation = port_.add(input_.below(Operation::room));
    operation.request.begin(true);
    operation.request.process = peer_;
    operation.request.mode = input_.below(2) == 0 ? SendMode::standard : SendMode::synchronous;
    if (!stage_.link->post(peer_, operation.request)) operation.request.done = 1;  // the engine would keep it
  }
  void take_offer() {
    const auto found = std::find_if(port_.kept.begin(), port_.kept.end(), [](const Message* it) {
      return it->kind == Message::Kind::far && it->remote != 0;
    });
    if (found == port_.kept.end()) return;
    Message& message = **found;
    port_.kept.erase(found);
    Operation& operation = port_.add(input_.below(Operation::room));
    port_.begin_receive(operation.request, 1, 1, message.length);
    stage_.link->accept(peer_, operation.request, message.remote, message.length);
    port_.free_message(message);
  }
  void withdraw(Operation& operation) {
    if (operation.request.is_send && !operation.request.complete()) stage_.link->withdraw(operation.request);
  }
  // What the link says: the numbers that it gives to messages.
  void listen() {
    stage_.link->poll();
    std::byte bytes[4096];
    const ssize_t got = recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
    for (ssize_t at = 0; at + static_cast<ssize_t>(frame_bytes) <= got; at += frame_bytes) {
      Frame frame;
      if (read_frame(bytes + at, 1 << 20, frame) != nullptr) return;  // in the middle of a payload
      if (frame.kind == FrameKind::accept) last_accept_ = frame.other;
      if (frame.kind == FrameKind::offer) last_offer_ = frame.id;
    }
  }

  Stage& stage_;
  Engine& port_ = stage_.port;
  Input& input_;
  int peer_ = 0;
  int socket_ = -1;
  uint64_t last_accept_ = 1, last_offer_ = 1, sent_ = 0;
};

void parse(const uint8_t* bytes, size_t count) {
  const std::string text(reinterpret_cast<const char*>(bytes), count);
  Card card, again;
  if (Card::parse(text, card)) demand(Card::parse(card.text(), again), "a card that is not understood again");
  if (Card::parse("vif1 " + text, card)) demand(Card::parse(card.text(), again), "a card that is not understood again");
  Address address;
  if (Address::parse(text, address)) demand(Address::parse(address.text(), address), "an address");
  std::byte greeting[greeting_bytes] = {};
  std::memcpy(greeting, bytes, std::min(count, sizeof greeting));
  Transcript transcript;
  Greeting seen;
  demand(transcript.read(greeting, the_secret, seen) != nullptr, "a greeting without the secret");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  static std::unique_ptr<Stage> stage;
  static uint64_t inputs = 0;
  parse(bytes, count);
  if (inputs++ % 8 != 0) return 0;  // a connection costs more than all parsing
  if (stage == nullptr || stage->used_up()) {
    stage.reset();
    stage = std::make_unique<Stage>();
  }
  Input input(bytes, count);
  Play play(*stage, input);
  return 0;
}
