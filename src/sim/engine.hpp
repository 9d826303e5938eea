// SimEngine: the communication of one simulated rank. It implements net::Engine on the simulated machine, so that the
// collectives of src/coll, the real ones, run there.
//
// Real in it: the inbox and the ownership of the engine (base), the posture by which a rank is rung and what it learns
// of looking (bell), the policy of waiting (react), the matching of receives (net). Simulated: what carries messages
// (Wire), who is interrupted, and how long things take.
//
// Who moves a rank's messages (Mode):
//   react   the rank, when it is in the library; else an interrupt of it. A rank that waits spins, then sleeps.
//   thread  its progress thread, on the CPU that it was given; Turns says when that runs. What is for the application
//           (Request::by_application, run_in_app) is left to the rank itself, and with `take_over` everything is, while
//           the rank waits.
//   poll    the rank, when it is in the library; nobody otherwise.
//   tasks   the threads of its node's TaskPool, whichever is free; what is said of progress threads holds for them.
//
// How a message goes. Up to `eager_limit` it is copied when it is sent, and again when it is received. A longer one is
// offered; within a node the receiver copies it from the sender's buffer to its own (a single copy), or the sender
// copies it in parts to memory of both, and the receiver from there; between nodes the network moves the bytes when the
// receiver has cleared the sender to send. Who copies tells the sender afterwards.
//
// Time is charged for: each message on each side, copies, what the collectives combine and copy (Engine::worked),
// looks, interrupts and wake-ups. Context: of the simulation's threads; one kernel thread.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/ownership.hpp"
#include "bell/posture.hpp"
#include "bell/spin.hpp"
#include "net/engine.hpp"
#include "net/matching.hpp"
#include "sim/simulation.hpp"

namespace vif::sim {

class SimEngine;
class TaskPool;

enum class Mode : uint8_t { react, thread, poll, tasks };

// When a progress thread has its turn.
enum class Turns : uint8_t {
  round_robin,  // always, one after the other
  suspended,    // while an operation of its rank is not complete
  on_events     // when something has come for it
};

// Errors planted to see that they are found.
enum class Planted : uint8_t { none, lost_wake_up, missing_arm };

struct EngineOptions {
  Mode mode = Mode::react;
  Turns turns = Turns::on_events;
  bool take_over = true;
  uint64_t eager_limit = 8192;  // bytes
  int copies = 1;               // of a long message within a node: 1 by the receiver, or 2, the sender's beside it
  Time spin = 20'000;           // a rank with a CPU for itself looks so long before it sleeps
  bool learns = false;          // how long it looks is up to react::choose() and bell::SpinBudget instead
  bool carry = true;            // false: bytes cost time and are not moved; results are not to be looked at
  Planted planted = Planted::none;
};

struct Packet {
  enum class Kind : uint8_t { eager, offer, clear, data, copied, done, failure } kind = Kind::eager;
  SimEngine* from = nullptr;
  net::Request* send = nullptr;     // of an offer and what follows from it
  net::Request* receive = nullptr;  // of what follows
  uint32_t context = 0;
  int32_t source = 0;
  int32_t tag = 0;
  uint64_t length = 0;
  uint64_t part = 0;             // of data that the receiver copies: how much; 0: the network has moved them
  bool last = true;              // part of it
  std::vector<std::byte> bytes;  // of an eager one
};

// What the seed does to messages. They arrive once and in order between two ranks, as a reliable link makes it.
struct WireChaos {
  double delays = 0;  // chance that a message comes late: it was lost and sent again, another one went first
  Time longest_delay = 0;
};

// Carries packets: a latency within a node, and between nodes a latency and a link of each node, used one packet after
// the other in each direction.
class Wire {
 public:
  explicit Wire(Simulation& simulation, const WireChaos& chaos = {});
  // When `to` has the packet that `from` sends now. `bytes`: that the network moves.
  Time arrival(const SimEngine& from, const SimEngine& to, uint64_t bytes);
  void carry(SimEngine& from, SimEngine& to, Packet packet, uint64_t bytes);

 private:
  Simulation& simulation_;
  WireChaos chaos_;
  std::vector<double> out_free_, in_free_;           // by node: when its link can take more
  std::unordered_map<uint64_t, Time> last_arrival_;  // by pair
};

class SimEngine final : public net::Engine {
 public:
  SimEngine(Simulation& simulation, Wire& wire, std::vector<SimEngine*>& all, int process, int cpu,
            const EngineOptions& options);

  // The threads that run it; the second one in mode `thread`.
  void serve(Thread& rank, Thread* progress, TaskPool* pool = nullptr);
  // The body of the progress thread, until stop().
  void progress_loop();
  void stop();
  // By a thread of the pool: runs the engine; the bytes of a message that the engine has met are there.
  void run_by_pool();
  void copied(Packet packet);
  // From now on nothing reaches this process or comes from it; others are told, and their requests with it fail.
  void fail();

  int cpu() const { return cpu_; }
  const EngineOptions& options() const { return options_; }
  Simulation& simulation() { return simulation_; }
  // Messages received whose bytes the application's thread moved, and that others moved.
  uint64_t moved_by_application() const { return moved_[0]; }
  uint64_t moved_by_others() const { return moved_[1]; }
  bool idle() const;
  std::string describe() const;

  void send(net::Request& request) noexcept override;
  void receive(net::Request& request) noexcept override;
  void receive_message(net::Request& request, net::Message* message) noexcept override;
  void submit(net::Task& task) noexcept override;
  void submit_to_app(net::Task& task) noexcept override;
  void cancel(net::Request& request) noexcept override;
  bool probe(uint32_t context, int32_t source, int32_t tag, net::Status& status) noexcept override;
  net::Message* match_probe(uint32_t, int32_t, int32_t, net::Status&) noexcept override;
  void progress() noexcept override;
  void wait_until(bool (*condition)(void*), void* argument) noexcept override;
  void wait_at_most(bool (*condition)(void*), void* argument, int64_t ns) noexcept override;
  void enter() noexcept override;
  void leave() noexcept override;
  void start_send(net::Request& request) noexcept override;
  void start_receive(net::Request& request) noexcept override;
  void add_poller(net::Poller& poller) noexcept override;
  void run_in_app(net::Task& task) noexcept override;
  bool in_handler() const noexcept override { return who_ == Who::handler; }
  bool in_application() const noexcept override { return who_ == Who::application; }
  int64_t now_ns() noexcept override { return simulation_.now(); }
  void worked(uint64_t bytes, bool combined) noexcept override;
  void ring(int process) noexcept override;
  std::byte* shared_base() noexcept override { return nullptr; }
  uint64_t shared_allocate(uint64_t bytes, std::string& error) noexcept override;
  void shared_free(uint64_t, uint64_t) noexcept override {}
  int failures() const noexcept override { return failures_; }
  bool has_failed(int process) const noexcept override;

 private:
  friend class Wire;
  enum class Who : uint8_t { nobody, application, progress, handler };
  struct Meeting {
    net::Request* receive;
    Packet packet;
  };

  Who me() const;
  bool serves_all(Who who) const;
  bool is_helped() const { return options_.mode == Mode::thread || options_.mode == Mode::tasks; }
  bool progress_may_run() const { return is_helped() && !(options_.take_over && waiting_); }
  bool is_for_application(const Packet& packet);
  bool run(Who who);
  void turn(Who who);
  void release_for_others(Who who);
  bool has_work(Who who) const;
  bool something_pending() const { return outstanding_ != 0 || !pollers_.empty() || !inbox_.empty(); }
  void interrupted();
  void rest_until_rung(uint64_t seen);
  Time look_time();
  void rest_of_progress();

  void deliver(Packet packet);
  void ring_me();
  void ring_application();
  void ring_progress();
  void treat(Packet packet, Who who);
  void meet(net::Request& receive, Packet packet, Who who);
  void send_data(Packet packet);
  void take_data(const Packet& packet);
  void finish_receive(net::Request& receive, const Packet& packet);
  void complete(net::Request& request, net::Outcome outcome);
  void reply(const Packet& to, Packet::Kind kind);
  void charge_message(const SimEngine& other);
  void peer_failed(int process);

  Simulation& simulation_;
  Wire& wire_;
  std::vector<SimEngine*>& all_;
  int cpu_;
  EngineOptions options_;
  Thread* rank_ = nullptr;
  Thread* progress_ = nullptr;
  TaskPool* pool_ = nullptr;
  bool stopping_ = false;
  bool dead_ = false;
  int failures_ = 0;
  std::vector<bool> failed_;

  base::Ownership<SimAtoms> ownership_;
  base::Inbox<> inbox_;
  bell::PostureWord<SimAtoms> posture_;           // of the rank
  bell::PostureWord<SimAtoms> progress_posture_;  // of its progress thread
  Who who_ = Who::nobody;                         // owns the engine
  int depth_ = 0;                                 // of calls of the library
  bool waiting_ = false;                          // the rank waits in the library
  bool spins_ = false;                            // the rank looks all the time
  bool progress_spins_ = false;                   // its progress thread does
  bell::SpinBudget look_{20'000, 1'000'000};      // learnt while nobody else wants the CPU
  bell::SpinBudget crowded_look_{500, 2'000};     // the same while others do
  bool again_ = false;                            // a poller wants another turn
  uint64_t epoch_ = 0;                            // moves when something was done

  net::PostedReceives posted_;
  std::deque<Packet> unexpected_;
  std::deque<Packet> incoming_;
  std::deque<Packet> incoming_for_app_;
  std::deque<Meeting> meetings_for_app_;
  std::deque<net::Task*> app_tasks_;
  std::vector<net::Poller*> pollers_;
  std::vector<net::Request*> offered_;                  // sends not complete
  std::vector<std::pair<net::Request*, int>> cleared_;  // receives whose bytes that process was told to send
  uint64_t outstanding_ = 0;                            // requests not complete
  uint64_t moved_[2] = {0, 0};
};

}  // namespace vif::sim
