// The TCP link: one connection for each pair of processes that talk, made when the first of them has something to send.
//
// Eager messages, and offers for longer ones, travel in the order in which they were sent. An offer that was matched is
// answered by `accept`, and its bytes come in pieces, between which other frames go: they are read by the kernel
// straight into the receiver's buffer, and written by whoever runs the engine when there is room: the sender need not
// come back.
//
// Context: the functions of Link as net/link.hpp says; everything private is the owner's, in any context.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "net/link.hpp"
#include "net/tcp/addresses.hpp"
#include "net/tcp/peer.hpp"
#include "net/tcp/visitor.hpp"
#include "react/watcher.hpp"

namespace vif::net::tcp {

// What listens for connections, one socket for each address that is told to others. App context.
class Listeners {
 public:
  Listeners() = default;
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;
  // Sets the ports of the addresses, and forgets those on which nobody can listen. False with a sentence.
  bool open(std::vector<Address>& addresses, std::string& error);
  const std::vector<int>& sockets() const noexcept { return sockets_; }

 private:
  std::vector<int> sockets_;
};

class TcpLink final : public Link {
 public:
  struct Setting {
    int process = 0;                              // my index in the job
    int processes = 1;                            // that the job may have
    std::vector<std::vector<Address>> addresses;  // by index; empty: not reached by this link
    Secret secret{};
    uint64_t eager_limit = 0, unexpected_limit = 0;
    int64_t timeout_ns = 0;
    bool speaks = true;             // the first losses of peers are named on standard error
    bool threads = true;            // a thread may run the engine
    int signal = 0;                 // of the bell, by which the kernel may interrupt a thread; 0: it may not
    void (*wake)(void*) = nullptr;  // runs the engine, in the context "helper"
    void* argument = nullptr;
  };
  // Null with a sentence in `error`.
  static std::unique_ptr<TcpLink> open(LinkPort& port, Setting setting, std::unique_ptr<Listeners> listeners,
                                       std::string& error);
  ~TcpLink() override;

  LinkAbilities abilities() const noexcept override;
  LinkCounters counters() const noexcept override { return counters_; }
  bool post(int process, Request& request) noexcept override;
  void accept(int process, Request& request, uint64_t id, uint64_t offered) noexcept override;
  void withdraw(Request& request) noexcept override;
  void delivered(int process, uint64_t cost) noexcept override;
  void poll() noexcept override;
  bool unfinished() const noexcept override { return unfinished_.load(std::memory_order_relaxed); }
  void want(react::Method method, int32_t thread) noexcept override;
  bool unsettled() const noexcept override;
  void beside_call(bool begins) noexcept override;
  react::Prices prices() const noexcept override;
  void settle() noexcept override;
  bool sleep(int64_t timeout_ns) noexcept override;
  void rouse() noexcept override;
  void close() noexcept override;

 private:
  TcpLink(LinkPort& port, Setting setting, std::unique_ptr<Listeners> listeners);

  Peer& peer(int process) noexcept { return peers_[process]; }
  int index(const Peer& peer) const noexcept { return static_cast<int>(&peer - peers_); }
  bool open_sets(std::string& error);
  bool open_watcher(std::string& error);
  void tick(bool wanted) noexcept;
  void hear_timer() noexcept;
  void watch_door(int socket, uint32_t events, uint64_t tag) noexcept;
  bool has_thread() const noexcept { return prices_[static_cast<size_t>(react::Method::exported)].available; }
  uint64_t wish() const noexcept;
  int64_t price_of_thread() noexcept;
  void learn_treatment(uint64_t bytes) noexcept;
  void on_event() noexcept;
  void poll_connections() noexcept;
  void serve(Peer& peer) noexcept;
  void mark(Peer& peer) noexcept;  // something is to be written
  void pump_marked() noexcept;
  void watch(Peer& peer) noexcept;
  void ask_for_room(Peer& peer) noexcept;
  void report() noexcept;
  void drain() noexcept;

  // Making connections: doors.cpp, greetings.cpp.
  void begin(Peer& peer) noexcept;
  void attempt(Peer& peer, int64_t now) noexcept;
  void attempt_failed(Peer& peer, const char* why, int error, bool hopeless) noexcept;
  Visitor* new_visitor(bool mine) noexcept;
  void dismiss(Visitor& visitor) noexcept;
  void dismiss_failed(Visitor& visitor, const char* why, int error, bool hopeless) noexcept;
  void poll_doors() noexcept;
  void admit(int listener) noexcept;
  void visit(Visitor& visitor) noexcept;
  void read_greeting(Visitor& visitor) noexcept;
  bool say(Visitor& visitor, Step step, Refusal refusal) noexcept;
  void hear_hello(Visitor& visitor) noexcept;
  void hear_challenge(Visitor& visitor) noexcept;
  void hear_proof(Visitor& visitor) noexcept;
  void hear_ready(Visitor& visitor) noexcept;
  Refusal refusal_for(Peer& peer) noexcept;
  const char* hear(Visitor& visitor, Greeting& greeting) noexcept;
  void connected(Peer& peer, Visitor& visitor) noexcept;
  void forget_connecting(Peer& peer) noexcept;
  void look_at_deadlines(int64_t now) noexcept;
  void open_listeners(bool open) noexcept;

  // Receiving: read.cpp.
  void read(Peer& peer) noexcept;
  bool parse(Peer& peer) noexcept;
  bool take(Peer& peer, const Frame& frame) noexcept;
  bool take_eager(Peer& peer, const Frame& frame) noexcept;
  bool take_offer(Peer& peer, const Frame& frame) noexcept;
  void take_accept(Peer& peer, const Frame& frame) noexcept;
  void take_data(Peer& peer, const Frame& frame) noexcept;
  void take_withdraw(Peer& peer, const Frame& frame) noexcept;
  void take_withdrawn(Peer& peer, const Frame& frame) noexcept;
  std::byte* sink_address(Peer& peer, uint64_t& room) noexcept;
  void pour(Peer& peer, const std::byte* from, uint64_t bytes) noexcept;
  void moved(Peer& peer, uint64_t bytes) noexcept;
  void expect(Peer& peer) noexcept;
  void finish_sink(Peer& peer) noexcept;

  // Sending: write.cpp.
  void pump(Peer& peer) noexcept;
  bool stage(Peer& peer, Frame frame) noexcept;
  bool has_room(Peer& peer, uint32_t bytes) noexcept;
  bool stage_controls(Peer& peer) noexcept;
  bool stage_data(Peer& peer) noexcept;
  bool write(Peer& peer) noexcept;
  void wrote(Peer& peer, uint64_t bytes) noexcept;
  void finish_current(Peer& peer) noexcept;
  bool post_eager(Peer& peer, Request& request) noexcept;
  bool post_offer(Peer& peer, Request& request) noexcept;

  // Losing: lose.cpp.
  void lose(Peer& peer, const char* why, int error) noexcept;
  void fail_slots(int process) noexcept;
  void end_slot(uint32_t place, Outcome outcome) noexcept;
  void begin_accept(Peer& peer, Request& request, uint64_t id, uint64_t offered) noexcept;
  void accept_late() noexcept;

  LinkPort& port_;
  Setting setting_;
  std::unique_ptr<Listeners> listeners_;
  Peer* peers_ = nullptr;
  react::Watcher watcher_;  // of the connections
  int doors_ = -1;          // epoll: what listens or greets, and the timer
  int timer_ = -1;          // ticks while there are deadlines
  int bell_ = -1;           // eventfd of a thread in sleep()
  bool ticking_ = false;
  // What is wanted (a method, and whom to interrupt), by anybody; what was done about it, by the owner.
  std::atomic<uint64_t> wanted_{0};
  std::atomic<bool> beside_call_{false};
  std::atomic<bool> told_{false};        // the thread has been told since: it must be asked again
  std::atomic<bool> doors_told_{false};  // the same, perhaps of the doors
  std::atomic<uint64_t> settled_{0};
  std::atomic<int64_t> probed_ns_{0};     // < 0: the thread is to say when it was told
  react::Prices prices_{};                // without the treatment
  std::atomic<int64_t> treatment_ns_{0};  // of an event that interrupts or wakes, about: it is mostly copying
  uint64_t moved_ = 0;                    // bytes of messages, from and to here
  std::vector<int32_t> connected_;
  std::vector<int32_t> marked_, pumped_;
  std::atomic<bool> unfinished_{false};  // some are marked
  std::vector<int32_t> connecting_;
  std::unique_ptr<std::array<Visitor, 128>> visitors_;
  int visitor_count_ = 0;
  int64_t looked_at_ = 0;     // at deadlines
  int64_t listen_again_ = 0;  // no descriptor was left for a guest
  uint32_t polls_ = 0;
  Slots slots_;
  LinkCounters counters_;
  Request* late_ = nullptr;  // accepted in a handler that had no slot
  std::array<int, 4> lost_{};
  size_t lost_count_ = 0, reported_ = 0;
  bool closing_ = false;
};

}  // namespace vif::net::tcp
