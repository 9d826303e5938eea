// The engine over shared memory. See engine.hpp for what its functions mean; this header is private to src/net.
//
// Everything below "owned" is touched only by the context that holds `ownership_`. Sending, receiving and copying are
// in core_send.cpp, core_receive.cpp and core_transfer.cpp; waiting in core_wait.cpp; interrupts in core_rest.cpp.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/ownership.hpp"
#include "bell/gap.hpp"
#include "bell/interrupt.hpp"
#include "bell/spin.hpp"
#include "launch/bootstrap.hpp"
#include "machine/placement.hpp"
#include "net/counters.hpp"
#include "net/engine.hpp"
#include "net/link.hpp"
#include "net/matching.hpp"
#include "net/remote_memory.hpp"
#include "net/route.hpp"
#include "net/settings.hpp"
#include "net/shared_ranges.hpp"
#include "net/shm/segment.hpp"
#include "react/crowd.hpp"
#include "react/levers.hpp"
#include "react/nudger.hpp"
#include "react/policy.hpp"
#include "trace/recording.hpp"

namespace vif::net {

// An intrusive list of requests (queue_next, queue_link).
class RequestList {
 public:
  bool empty() const noexcept { return head_ == nullptr; }
  Request* front() const noexcept { return head_; }
  void push(Request& request) noexcept;
  void remove(Request& request) noexcept;

 private:
  friend class Core;
  Request* head_ = nullptr;
  Request** tail_ = &head_;
};

// What this process knows of one peer. Zero bytes are a valid, unconnected channel: the table of channels is a reserve
// of zero pages, so memory grows with the peers really used, and a handler may be the first to use one.
struct Channel {
  enum class Access : uint8_t { unknown, allowed, forbidden };

  bool sending = false;    // the ring to the peer is reserved
  bool receiving = false;  // the peer has reserved its ring to us
  bool large_data = false;
  uint8_t long_messages = 0;       // eager ones of more than small_payload_limit, up to many_long_messages
  bool queued = false;             // listed among those with sends that wait for room
  bool failed = false;             // found to have ended; its requests were failed
  bool far = false;                // shares no memory with this process: reached by the link
  bool unusual = false;            // one of the two: what is sent to it takes another way
  Access read = Access::unknown;   // process_vm_readv
  Access write = Access::unknown;  // process_vm_writev
  shm::Producer out;
  shm::Consumer in;
  Request* queue_head = nullptr;  // sends that wait for room, in order
  Request* queue_tail = nullptr;
  uint64_t eager_sent = 0;         // bytes, with what a message costs
  uint64_t eager_delivered = 0;    // of them, known to have left the peer's unexpected store
  Request* receiver = nullptr;     // of the eager message that is arriving in several packets
  Message* message = nullptr;      // the same, when it is unexpected
  std::atomic<bool> ringer_ready;  // ringers_[process] is open
  std::atomic<bool> ringer_opening;
};

// A call that began a message, to be known again: its arguments, noted on every message and hashed when asked.
struct Site {
  int32_t process = 0;
  int32_t tag = 0;
  uint32_t kind = 0;
  uint64_t length = 0;

  uint32_t number() const noexcept {
    return (static_cast<uint32_t>(process) * 31 + static_cast<uint32_t>(tag)) * 31 +
           static_cast<uint32_t>(std::bit_width(length)) * 2 + kind;
  }
};

struct Meeting;  // what the processes have told each other before they are linked

// The request that this thread began last. A wait whose argument it is waits for it alone: a blocking call.
extern thread_local const Request* begun_last;

// What a handler copies at once, and an API call before it returns: the rest would be done by an interrupt at once, no
// gain, and its cost.
inline constexpr uint64_t bounded_copy_budget = 1024 * 1024;

// Of the calling thread, for its waits.
react::Hand& own_hand() noexcept;

class Core final : public Engine, public RemoteMemory {
 public:
  static std::unique_ptr<Engine> create(launch::Bootstrap& bootstrap, int thread_level, std::string& error);
  ~Core() override;

  void send(Request& request) noexcept override;
  void receive(Request& request) noexcept override;
  void receive_message(Request& request, Message* message) noexcept override;
  void submit(Task& task) noexcept override;
  void cancel(Request& request) noexcept override;
  bool probe(uint32_t context, int32_t source, int32_t tag, Status& status) noexcept override;
  Message* match_probe(uint32_t context, int32_t source, int32_t tag, Status& status) noexcept override;
  void progress() noexcept override;
  void count_processors() noexcept override;
  void wait_until(bool (*condition)(void*), void* argument) noexcept override;
  void enter() noexcept override;
  void leave() noexcept override;
  void start_send(Request& request) noexcept override;
  void start_receive(Request& request) noexcept override;
  void add_poller(Poller& poller) noexcept override;
  void run_in_app(Task& task) noexcept override;
  bool in_handler() const noexcept override { return owner_ == Owner::handler; }
  bool in_application() const noexcept override { return owner_ == Owner::app || owner_ == Owner::waiting; }
  bool entrust() noexcept override;
  void submit_to_thread(Task& task) noexcept override;
  void relieve() noexcept override { entrusted_.fetch_sub(1, std::memory_order_relaxed); }
  void leave_out(int change) noexcept override {
    left_out_.store(left_out_.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
  }
  void ring(int process) noexcept override;
  std::byte* shared_base() noexcept override { return segment_.base(); }
  uint64_t shared_allocate(uint64_t bytes, std::string& error) noexcept override;
  void shared_free(uint64_t offset, uint64_t bytes) noexcept override;
  void look_for_the_dead() noexcept override;
  int failures() const noexcept override { return failures_.load(std::memory_order_relaxed); }
  bool has_failed(int process) const noexcept override { return channels_[process].failed; }

  bool acts_alone() const noexcept override { return interruptible(); }
  void demand(int change) noexcept override;
  bool wants_application() const noexcept override { return !app_inbox_.empty(); }
  trace::Desk<>* desk() noexcept override { return me_ == nullptr ? nullptr : &me_->desk; }
  const Counters& counters() const noexcept override { return counters_; }
  void come_again() noexcept override { more_ = true; }

  RemoteMemory* remote_memory() noexcept override { return this; }
  bool shares_memory(int process) const noexcept override { return !channels_[process].far; }
  uint64_t new_pages(uint64_t bytes) noexcept override;
  bool fill_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept override;
  std::byte* map_pages(uint64_t pages, uint64_t bytes, std::string& error) noexcept override;
  void unmap_pages(std::byte* address, uint64_t bytes) noexcept override;
  void free_pages(uint64_t pages, uint64_t bytes) noexcept override;
  std::byte* allocate(uint64_t bytes) noexcept override;
  bool release(std::byte* address) noexcept override;
  bool inside(uint64_t offset, uint64_t bytes) const noexcept override { return segment_.inside(offset, bytes); }
  bool may_access(int process) noexcept override;
  int read(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept override;
  int write(int process, const iovec* here, int pieces_here, const iovec* there, int pieces_there) noexcept override;

  // Called by the interrupt handler, by the helper thread, and around calls of the program that an interrupt would cut
  // short.
  void on_interrupt(bell::Interrupt kind) noexcept;
  void on_departure() noexcept;
  LinkCounters counters_of_link() const noexcept;
  void on_helper() noexcept;
  bool before_foreign_call() noexcept;
  void after_foreign_call() noexcept;

 private:
  enum class Owner : uint8_t { app, waiting, handler, helper };

  Core() = default;
  class Port;  // what the link sees of this
  void print_counters(FILE* to) const;
  bool open_link(Meeting& meeting, std::string& error);
  void start_unusual(Request& request) noexcept;
  react::Method method_for_link() noexcept;
  void rest_link() noexcept;
  void link_beside_call(bool begins) noexcept;
  void look_at_link() noexcept;
  bool sleeps_on_link() const noexcept;
  void wake_sleeper() noexcept;
  bool open(launch::Bootstrap& bootstrap, int thread_level, std::string& error);
  bool reserve_tables(std::string& error);
  bool install_interrupts(int thread_level, std::string& error);
  bool introduce_myself(std::string& error);
  bool meet_the_others(std::string& error);

  // --- owned ---
  bool own(Owner as) noexcept {
    if (!ownership_.try_acquire()) return false;
    owner_ = as;
    copy_budget_ = as == Owner::waiting || as == Owner::helper ? UINT64_MAX : bounded_copy_budget;
    more_ = false;
    return true;
  }
  // Goes round again for whoever came meanwhile. True: the last pass left work.
  bool disown() noexcept {
    const Owner as = owner_;
    const bool more = more_;
    publish_completions();
    return ownership_.release() ? go_round_again(as) : more;
  }
  bool go_round_again(Owner as) noexcept;
  void turn() noexcept;  // one pass over everything that may progress
  bool nothing_before() const noexcept;
  void run_inbox() noexcept;
  void run_poller(Poller& poller) noexcept;
  void wait_to_own() noexcept;
  template <class Action>
  void when_owned(Action action) noexcept;
  void withdraw_from_self(Request& request) noexcept;
  Message* find_unexpected(uint32_t context, int32_t source, int32_t tag, Status& status) noexcept;
  [[noreturn]] void report_broken() noexcept;
  void notice_connections() noexcept;
  void complete(Request& request, Outcome outcome) noexcept;
  // Only the owner writes; the resting thread reads it without owning.
  void interest(int change) noexcept { interest_.store(pending() + change, std::memory_order_relaxed); }
  int pending() const noexcept { return interest_.load(std::memory_order_relaxed); }
  // Whether some of it is not for the application alone.
  bool worth_reacting() const noexcept { return pending() > left_out_.load(std::memory_order_relaxed); }
  bool entrusted() const noexcept { return entrusted_.load(std::memory_order_relaxed) != 0; }
  bool others_may_sleep() const noexcept { return multiple_ || helper_runs_.load(std::memory_order_relaxed); }
  void publish_completions() noexcept {
    if (others_may_sleep()) tell_sleepers();
  }
  void tell_sleepers() noexcept;
  void refill() noexcept;  // app context: what handlers will take from the reserves

  Channel& channel(int process) noexcept { return channels_[process]; }
  bool connect(int process) noexcept;
  bool post_at_once(Channel& peer, Request& request) noexcept;
  bool post(int process, Request& request) noexcept;
  bool post_eager(int process, Request& request) noexcept;
  bool post_offer(int process, Request& request) noexcept;
  void ring_for_offers() noexcept;
  bool fits_credit(Channel& peer, uint64_t cost) noexcept;
  void enlarge_data(int process, Channel& peer, uint64_t length) noexcept;
  void enqueue(int process, Request& request) noexcept;
  void flush(int process) noexcept;
  void flush_all() noexcept;
  bool send_to_self(Request& request) noexcept;
  void notify(int process, bool only_sleepers) noexcept;
  void put_off(int process) noexcept;
  void pay_debts(bool all) noexcept;
  void note_site(const Request& request, uint32_t kind) noexcept {
    if (owner_ == Owner::app) site_ = {request.process, request.tag, kind, request.length};
  }
  void answer(int process, bell::Call call) noexcept;
  void wake_helper(int process) noexcept;
  const bell::Ringer* ringer_of(int process) noexcept;

  void poll(int process) noexcept;
  bool accept(int process, const shm::ShmCell& cell) noexcept;
  bool accept_eager(int process, const shm::ShmCell& cell) noexcept;
  bool accept_more(int process, const shm::ShmCell& cell) noexcept;
  bool accept_offer(int process, const shm::ShmCell& cell) noexcept;
  bool accept_fragment(int process, const shm::ShmCell& cell) noexcept;
  const std::byte* payload_of(int process, const shm::ShmCell& cell) noexcept;
  bool give(Request& request, int process, Message& message) noexcept;
  void deliver_credit(int process, uint64_t length) noexcept;
  void finish_eager(Request& request, uint64_t length) noexcept;
  void begin_receive(Request& request, int32_t source, int32_t tag, uint64_t length) noexcept;
  Message* new_message(uint64_t data_bytes) noexcept;
  void free_message(Message& message) noexcept;
  void drop_withdrawn(Message& message) noexcept;
  bool keep(Message& message) noexcept;
  void protocol_error(const char* what) noexcept;

  shm::Transfer<>& transfer(uint32_t id) const noexcept {
    return *reinterpret_cast<shm::Transfer<>*>(segment_.base() + static_cast<uint64_t>(id) * 64);
  }
  shm::Place place_of(const Request& request) noexcept {
    return request.view.layout == nullptr ? shared_ranges_.place_of(request.buffer, request.length) : shm::Place{};
  }
  std::byte* mapped(const shm::Place& place, uint64_t length) noexcept;
  void consider_announcing(Request& request) noexcept;
  void announce_candidate() noexcept;
  bool take_back(Request& request) noexcept;
  bool bind_to_announced(int process, Request& request) noexcept;
  bool accept_bound(int process, const shm::ShmCell& cell) noexcept;
  void join_transfer(Request& request, int process, uint32_t id) noexcept;
  uint32_t new_transfer() noexcept;
  void grow_transfers() noexcept;
  bool match_offer(Request& request, int process, uint32_t id) noexcept;
  void begin_transfer(Request& request, int process, uint32_t id) noexcept;
  void notice_matches() noexcept;
  void advance_outgoing() noexcept;
  void withdraw(Request& request) noexcept;
  void give_back_transfer(Request& request) noexcept;
  void advance_incoming() noexcept;
  void copy_slices(Request& request, int peer, bool reading) noexcept;
  void push_fragments(Request& request) noexcept;
  void send_slices(Request& request) noexcept;
  bool worth_interrupting(const shm::Transfer<>& moving) const noexcept;
  bool can_move(const Request& request, int peer, bool reading) noexcept;
  bool may_come_to_wait(const Request& request) noexcept;

  void check_peers() noexcept;
  void give_up(int process) noexcept;
  bool is_alive(int process) noexcept;
  void fail_requests(int process) noexcept;
  void fail_moving(RequestList& list, int process) noexcept;
  bool may_access(int process, bool reading) noexcept;
  bool peer_waits(int process) const noexcept {
    return segment_.record(process).waiting.load(std::memory_order_relaxed) != 0;
  }

  // --- waiting and resting ---
  void rest(bell::Posture posture, Owner as) noexcept;
  void take_posture(bell::Posture posture, Owner as) noexcept;
  void call_again(bell::Posture posture, Owner as) noexcept;
  bool visible_work() noexcept;
  bool hidden_work() noexcept;
  int ring_with_packet() noexcept;
  shm::ShmCell* reserve(Channel& peer, uint32_t outside) noexcept;
  bool unqueue(Request& request) noexcept;
  void wait_as_leader(bool (*condition)(void*), void* argument) noexcept;
  void wait_as_follower(bool (*condition)(void*), void* argument) noexcept;
  bool look_beside(bool (*condition)(void*), void* argument) noexcept;
  void turn_beside(uint64_t& seen, bool& known) noexcept;
  void tell_leader() noexcept;
  void look() noexcept;
  bool look_at_once(bool (*condition)(void*), void* argument) noexcept;
  bool look_for_a_while(bool (*condition)(void*), void* argument, int64_t start) noexcept;
  void move_apart() noexcept;
  bool rests_early(int64_t now, int64_t waited) noexcept;
  void learn_wait(int64_t waited, bool came) noexcept;
  void sleep_now() noexcept;
  // Rung, and still not on a CPU. Context: helper.
  bool is_stuck() const noexcept {
    return asleep_.load(std::memory_order_relaxed) && me_->bell.peek() != bell::Posture::sleeping;
  }
  bool crowded() const noexcept { return pace_.reason == react::Reason::crowded; }
  void sleep_once(bool (*condition)(void*), void* argument) noexcept;
  void sleep_on_bell(bool (*condition)(void*), void* argument) noexcept;
  void stand_up() noexcept;
  void open_gap() noexcept;
  void settle() noexcept;
  void rest_outside() noexcept;
  void react() noexcept;
  uint64_t moved_so_far() const noexcept;  // as far as counters tell
  void tell_recorder(trace::Span& span, trace::Reaction by, uint64_t moved_before) const noexcept;
  void linger() noexcept;
  void rest_around_call(bell::Posture posture) noexcept;
  void start_helper() noexcept;
  void helper_loop() noexcept;
  void place_progress_thread() noexcept;
  void look_beside_program() noexcept;
  bell::Posture armed_posture() const noexcept;
  bool interruptible() const noexcept { return settings_.interrupts && signal_ != 0; }

  launch::Bootstrap* bootstrap_ = nullptr;
  Settings settings_;
  std::unique_ptr<LinkPort> port_;
  std::unique_ptr<Link> link_;       // to the processes that share no memory with this one; null: there are none
  bool all_far_ = false;             // are all others that began with this one
  uint32_t link_turns_ = 0;          // of waits
  react::Situation link_situation_;  // of a thread that computes, when it was looked at last
  int64_t link_load_ns_ = INT64_MIN / 2;
  shm::Segment segment_;
  shm::ProcessRecord* me_ = nullptr;
  volatile uint64_t own_probe_word_ = 0;  // what others read and write to learn whether they may
  int signal_ = 0;
  bool multiple_ = false;  // several threads may be in the library

  alignas(64) base::Ownership<> ownership_;
  base::Inbox<> inbox_;
  base::Inbox<> app_inbox_;
  base::Inbox<> thread_inbox_;  // what is to be begun by the progress thread (core_progress.cpp)

  // Owned.
  Owner owner_ = Owner::app;
  uint64_t matches_ = 0;  // messages known to be matched so far, by whichever side
  int demanded_ = 0;      // somebody sleeps until something is complete (engine.hpp)
  bool asked_ = false;    // the program asks for progress (MPI_Test), and may do so until it is made
  bool looking_ = false;  // waiting, and not about to sleep
  bool unrung_ = false;   // some offer waits for this side to wait before it interrupts
  bool more_ = false;     // a handler stopped at its budget with work left
  struct Debt {
    int process;
    int64_t due;
  };
  std::array<Debt, 8> debts_;  // rings put off
  size_t debt_count_ = 0;
  uint64_t moved_ = 0;             // bytes of long messages that went through rings, from and to here
  uint64_t copy_budget_ = 0;       // bytes that this pass may still copy
  std::atomic<int> interest_{0};   // things of ours that an event could make progress
  std::atomic<int> left_out_{0};   // requests among them that are for the application alone
  std::atomic<int> entrusted_{0};  // operations that the progress thread is to move
  uint64_t completions_ = 0;
  uint64_t completions_told_ = 0;
  Channel* channels_ = nullptr;
  int32_t* incoming_list_ = nullptr;  // peers whose rings we poll
  int32_t* queued_list_ = nullptr;    // peers with sends that wait for room
  int incoming_count_ = 0, queued_count_ = 0;
  uint32_t connections_seen_ = 0;
  PostedReceives posted_;
  Request* candidate_ = nullptr;  // a posted receive to announce when the program leaves the library
  UnexpectedMessages unexpected_;
  Message* free_messages_ = nullptr;
  Message* used_messages_ = nullptr;  // freed in a handler, their data still to be released
  int free_message_count_ = 0;
  RequestList offered_;   // sends offered, not matched
  RequestList outgoing_;  // sends matched, not complete
  RequestList incoming_;  // receives matched with an offer, not complete
  Poller* pollers_ = nullptr;
  SharedRanges shared_ranges_;  // of this process
  MappedRanges mapped_ranges_;  // of others
  std::vector<uint32_t> free_transfers_, returning_transfers_;
  std::vector<Request*> transfer_users_;  // by Transfer::index: the send that uses it
  bool ring_first_ = false;               // how long messages go between two sides that wait: the same in the whole job
  const char* broken_ = nullptr;          // a whole sentence
  const char* nonsense_ = nullptr;        // what was wrong with a packet
  std::vector<std::byte*> reserve_buffers_;  // for unexpected messages that come in a handler
  Counters counters_;
  std::atomic<int> failures_{0};

  // The resting thread's.
  std::atomic<bell::Posture> resting_{bell::Posture::quiet};
  bell::SpinBudget spin_{20'000, 1'000'000};
  machine::CrowdWatch crowd_;
  bell::SpinBudget crowded_spin_{500, 2'000};  // the same beside threads that compute
  react::Crowd pressure_;                      // do others wait for the CPUs?
  react::Choice pace_;                         // what follows from that for a wait: asked when the last answer is old
  int machine_cpus_ = -1;                      // online
  bool may_use_all_ = false;
  int cpu_to_nudge_ = -1;  // -1: the one that this process is on
  react::Lever lever_ = react::Lever::none;
  std::atomic<bool> asleep_{false};  // in the kernel, on the bell
  react::Nudger nudger_{{[](void* self) noexcept { return static_cast<Core*>(self)->is_stuck(); }, this}};
  bell::GapHistory gaps_;
  Site site_;              // the call that the program made last, for gaps_
  bool gap_open_ = false;  // outside the library since left_at_, with something under way
  int64_t left_at_ = 0;
  volatile int64_t interrupted_ns_ = 0;  // of the gap: handlers, not the program (written by them)
  std::vector<std::unique_ptr<Message[]>> message_chunks_;
  std::vector<bell::Ringer> ringers_;

  // Several threads in the library.
  std::atomic<bool> led_{false};
  std::mutex rest_mutex_;      // guards the next three, and the change between sleeping and quiet by threads that look
  bool leader_rests_ = false;  // the leader is about to sleep on the bell, or does
  const Request* leader_wants_ = nullptr;  // all that it waits for; null: not known
  int lookers_ = 0;                        // threads that look while the leader rests
  std::atomic<uint32_t> epoch_{0};
  std::atomic<uint32_t> followers_{0};
  std::atomic<uint32_t> idle_asks_{0};  // a hint, counted without exactness

  std::mutex helper_mutex_;
  std::thread helper_;
  std::atomic<bool> helper_runs_{false};
  bool progress_placed_ = false;             // the helper is a progress thread, and where it belongs
  std::atomic<bool> progress_alone_{false};  // nobody else of the job runs on its CPU
  std::atomic<bool> stopping_{false};
};

}  // namespace vif::net
