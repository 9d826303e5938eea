// The engine and the link to processes of other hosts: what the link sees of the engine, and how the engine uses it.
// Context: handler (the owner's, in any context), except where said.
#include <algorithm>

#include <sys/syscall.h>
#include <unistd.h>

#include "net/core.hpp"
#include "net/meeting.hpp"
#include "net/packet.hpp"
#include "net/tcp/tcp_link.hpp"
#include "react/load.hpp"
#include "react/socket_signals.hpp"

namespace vif::net {
namespace {

constexpr int64_t load_is_old_ns = 16'000'000;

int32_t own_thread() noexcept {
  static thread_local const auto thread = static_cast<int32_t>(syscall(SYS_gettid));
  return thread;
}

}  // namespace

class Core::Port final : public LinkPort {
 public:
  explicit Port(Core& core) noexcept : core_(core) {}
  int process() const noexcept override { return core_.process_; }

  Request* take_posted(uint32_t context, int32_t source, int32_t tag, int process) noexcept override {
    Request* request = core_.posted_.find(context, source, tag);
    // A receive that names its process takes nothing from another that calls itself by the same rank.
    if (request == nullptr || (request->process >= 0 && request->process != process)) return nullptr;
    core_.posted_.remove(*request);
    core_.interest(-1);
    return request;
  }
  Message* new_message(uint64_t bytes) noexcept override { return core_.new_message(bytes); }
  void keep(Message& message) noexcept override {
    ++core_.counters_.unexpected;
    core_.unexpected_.add(message);
    ++core_.completions_;  // another thread may be waiting in a probe for it
  }
  void free_message(Message& message) noexcept override { core_.free_message(message); }
  Message* take_offer(uint32_t context, int32_t source, int32_t tag, int process, uint64_t id) noexcept override {
    Message* message = core_.unexpected_.find(context, source, tag);
    while (message != nullptr && (message->kind != Message::Kind::far || message->process != process ||
                                  message->remote != id || message->context != context)) {
      message = message->next;
    }
    if (message != nullptr) core_.unexpected_.remove(*message);
    return message;
  }
  void arrived(Message& message) noexcept override {
    Request* request = message.receiver;
    if (request == nullptr) return;
    core_.interest(-1);
    core_.give(*request, message.process, message);
  }
  void lost(Message& message) noexcept override {
    if (Request* request = message.receiver; request != nullptr) {
      core_.interest(-1);
      core_.free_message(message);
      core_.complete(*request, Outcome::peer_dead);
      return;
    }
    // Kept, as an offer that nobody can answer: the receive that matches it learns that its sender is gone.
    message.kind = Message::Kind::far;
    message.remote = 0;
  }
  void begin_receive(Request& request, int32_t source, int32_t tag, uint64_t length) noexcept override {
    core_.begin_receive(request, source, tag, length);
  }
  void complete(Request& request, Outcome outcome) noexcept override { core_.complete(request, outcome); }
  void pending(int change) noexcept override { core_.interest(change); }
  void flush(int process) noexcept override {
    if (core_.channel(process).queue_head != nullptr) core_.flush(process);
  }
  void lose(int process) noexcept override { core_.give_up(process); }
  void count_send(bool offered) noexcept override {
    ++(offered ? core_.counters_.offers_sent : core_.counters_.eager_sent);
  }
  bool in_handler() const noexcept override { return core_.owner_ == Owner::handler; }
  bool may_allocate() const noexcept override { return core_.owner_ != Owner::handler; }
  bool looks() const noexcept override { return core_.looking_; }
  void come_again() noexcept override { core_.more_ = true; }

 private:
  Core& core_;
};

// App context.
bool Core::open_link(Meeting& meeting, std::string& error) {
  if (!meeting.any_far()) return true;
  tcp::TcpLink::Setting setting;
  setting.process = process_;
  setting.processes = processes_;
  setting.addresses.resize(static_cast<size_t>(processes_));
  for (size_t i = 0; i < meeting.cards.size(); ++i) {
    if (!meeting.far[i]) continue;
    auto& addresses = meeting.cards[i].addresses;
    if (addresses.empty()) {
      error = "Rank " + std::to_string(i) + " is on another host and has no network address.";
      return false;
    }
    setting.addresses[static_cast<size_t>(first_) + i] = std::move(addresses);
  }
  all_far_ = std::count(meeting.far.begin(), meeting.far.end(), false) == 1;  // myself
  setting.secret = meeting.secret;
  setting.eager_limit = settings_.eager_limit;
  setting.unexpected_limit = settings_.unexpected_limit;
  setting.timeout_ns = settings_.peer_timeout_ns;
  setting.wake = [](void* core) { static_cast<Core*>(core)->on_helper(); };
  setting.argument = this;
  port_ = std::make_unique<Port>(*this);
  // Where a thread of the link runs the engine, two threads use it, and one that is called when rings are missed.
  // Where none can be had, signals of the kernel take its place.
  start_helper();
  setting.threads = helper_runs_.load(std::memory_order_relaxed);
  // Beside a thread they are not used: a job that computed on both sides stood still once in some hundred runs.
  setting.signal = multiple_ || setting.threads ? 0 : signal_;
  link_ = tcp::TcpLink::open(*port_, std::move(setting), std::move(meeting.listeners), error);
  return link_ != nullptr;
}

// To a process that is far, or lost.
void Core::start_unusual(Request& request) noexcept {
  Channel& peer = channel(request.process);
  if (!peer.failed && peer.far) {
    if (peer.queue_head == nullptr && link_->post(request.process, request)) return;
    if (!peer.failed) return enqueue(request.process, request);
  }
  complete(request, Outcome::peer_dead);
}

// App context. Who sees to the network while the program computes with something under way.
react::Method Core::method_for_link() noexcept {
  if (multiple_ || entrusted() || !settings_.interrupts) return react::Method::exported;
  const int64_t now = base::now_ns();
  if (now - link_load_ns_ >= load_is_old_ns) {
    link_load_ns_ = now;
    const react::Load load = react::look_at_machine(machine_cpus_, may_use_all_);
    const bool known = load.may_use_all && load.runnable >= 0 && load.cpus > 0;
    link_situation_.idle_cpus = known ? std::max(load.cpus - load.runnable, 0) : -1;
    link_situation_.prices = link_->prices();
    link_situation_.waits = false;
    link_situation_.wish = settings_.reaction == Reaction::signal ? react::Wish::interrupt : react::Wish::automatic;
  }
  const react::Method method = react::choose(link_situation_).method;
  if (method != react::Method::interrupt || !react::blocks_signal(signal_)) return method;
  react::Situation without = link_situation_;
  without.prices[static_cast<size_t>(react::Method::interrupt)].available = false;
  return react::choose(without).method;
}

// App context. Whoever leaves the library with something under way says who sees to the network meanwhile. What was put
// aside for the next look (a word about room, an answer behind a payload) goes before that: there may be no other.
void Core::rest_link() noexcept {
  const bool watched = (worth_reacting() && settings_.interrupts) || entrusted();
  link_->want(watched ? method_for_link() : react::Method::look, own_thread());
  if ((!link_->unsettled() && !link_->unfinished()) || !own(Owner::app)) return;
  link_->settle();
  if (link_->unfinished()) turn();
  disown();
}

// An interrupt is blocked while the program is in a call of its own; a thread is not.
void Core::link_beside_call(bool begins) noexcept {
  if (link_ != nullptr) link_->beside_call(begins);
}

// A look at the network is a call of the kernel: where somebody may answer through shared memory, a wait looks there
// more often. The last look before a sleep leaves nothing out: what is put aside for the next one would wait as long.
void Core::look_at_link() noexcept {
  constexpr uint32_t turns = 8;
  const bool hurries = link_->unfinished() || link_->unsettled();
  if (looking_ && !all_far_ && ++link_turns_ % turns != 0 && !hurries) return;
  link_->poll();
  if (link_->unfinished()) more_ = true;
}

// A process that shares memory with nobody is woken by the network alone: it sleeps there, and not by way of the link's
// thread. Several threads that wait have their own order of sleeping.
bool Core::sleeps_on_link() const noexcept { return all_far_ && !multiple_ && segment_.begun() == together_; }

// Any context. The thread that sleeps on the bell of this process, or on the link in its place.
void Core::wake_sleeper() noexcept {
  if (me_->bell.ring(true) == bell::Call::wake && link_ != nullptr) link_->rouse();
}

LinkCounters Core::counters_of_link() const noexcept { return link_ == nullptr ? LinkCounters() : link_->counters(); }

LinkCounters link_counters(const Engine& engine) noexcept {
  return static_cast<const Core&>(engine).counters_of_link();
}

}  // namespace vif::net
