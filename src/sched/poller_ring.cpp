// Descriptors by io_uring: a ring of the core, with a poll of one shot for each descriptor. Context: core.
//
// The ring is used by its core alone. The submission queue's tail and the completion queue's head are ours, the other
// two the kernel's: tails are released by who fills an entry and acquired by who reads it, heads the other way round.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/poller.hpp"

namespace vif::sched {
namespace {

constexpr unsigned entries = 256;
constexpr uint64_t of_removals = UINT64_MAX;  // completions that nobody waits for
constexpr unsigned needed = IORING_FEAT_SINGLE_MMAP | IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG;

int set_up(io_uring_params& parameters) {
  std::memset(&parameters, 0, sizeof parameters);
  // Completions come when the core asks for them, and do not interrupt it.
  parameters.flags = IORING_SETUP_COOP_TASKRUN;
  return static_cast<int>(syscall(__NR_io_uring_setup, entries, &parameters));
}

class Ring final : public Poller {
 public:
  Ring() {
    io_uring_params parameters;
    ring_ = set_up(parameters);
    if (ring_ < 0) refuse();
    const std::size_t submissions = parameters.sq_off.array + parameters.sq_entries * sizeof(uint32_t);
    const std::size_t completions = parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe);
    bytes_ = submissions > completions ? submissions : completions;
    queues_ = map(bytes_, IORING_OFF_SQ_RING);
    room_ = static_cast<io_uring_sqe*>(map(entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
    auto* base = static_cast<std::byte*>(queues_);
    const auto word = [base](unsigned offset) { return reinterpret_cast<uint32_t*>(base + offset); };
    submission_head_ = word(parameters.sq_off.head);
    submission_tail_ = word(parameters.sq_off.tail);
    completion_head_ = word(parameters.cq_off.head);
    completion_tail_ = word(parameters.cq_off.tail);
    completion_mask_ = *word(parameters.cq_off.ring_mask);
    completions_ = reinterpret_cast<io_uring_cqe*>(base + parameters.cq_off.cqes);
    uint32_t* order = word(parameters.sq_off.array);
    for (uint32_t i = 0; i < entries; ++i) order[i] = i;
  }
  ~Ring() override { release(); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  bool want(int descriptor, uint32_t events) override {
    Poll& poll = polls_[descriptor];
    const uint32_t before = std::exchange(poll.events, events);
    if (poll.armed && events != before) {
      // At once: the ring holds the file, and who closes its descriptor expects it to be closed.
      poll.armed = false;
      add(IORING_OP_POLL_REMOVE, -1, 0, of_removals).addr = name_of(descriptor, poll.turn);
      enter(0, IORING_ENTER_GETEVENTS, nullptr);
    }
    if (events == 0) {
      polls_.erase(descriptor);
    } else if (!poll.armed) {
      to_arm_.reserve(to_arm_.size() + polls_.size());  // collect() adds each that is ready
      to_arm_.push_back(descriptor);
    }
    return true;
  }

  int wait(int64_t timeout_ns, Ready (&ready)[at_once]) noexcept override {
    for (const int descriptor : to_arm_) arm(descriptor);
    to_arm_.clear();
    const bool waits = timeout_ns != 0 && !something_completed();
    __kernel_timespec limit{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
    io_uring_getevents_arg argument{};
    if (timeout_ns > 0) argument.ts = reinterpret_cast<uint64_t>(&limit);
    enter(waits ? 1 : 0, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument);
    return collect(ready);
  }

 private:
  struct Poll {
    uint32_t events = 0;
    uint32_t turn = 0;  // of the last arming, so that completions of older ones are known
    bool armed = false;
  };

  [[noreturn]] static void refuse() {
    throw std::system_error(errno, std::generic_category(),
                            "Vif cannot make an io_uring; raise the limit of locked memory (ulimit -l) or choose epoll "
                            "(VIF_SCHED_POLL=epoll)");
  }
  static uint64_t name_of(int descriptor, uint32_t turn) {
    return uint64_t{turn} << 32 | static_cast<uint32_t>(descriptor);
  }

  void* map(std::size_t bytes, uint64_t offset) {
    void* at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring_, static_cast<off_t>(offset));
    if (at != MAP_FAILED) return at;
    const int error = errno;
    release();
    errno = error;
    refuse();
  }
  void release() noexcept {
    if (room_ != nullptr) munmap(room_, entries * sizeof(io_uring_sqe));
    if (queues_ != nullptr) munmap(queues_, bytes_);
    close(ring_);
  }

  bool something_completed() const noexcept {
    return *completion_head_ != std::atomic_ref(*completion_tail_).load(std::memory_order_acquire);
  }

  // An entry of the submission queue. Where that is full, what is in it is submitted first.
  io_uring_sqe& add(uint8_t operation, int descriptor, uint32_t events, uint64_t name) noexcept {
    if (pending_ == entries) enter(0, 0, nullptr);
    const uint32_t tail = *submission_tail_;
    io_uring_sqe& entry = room_[tail % entries];
    std::memset(&entry, 0, sizeof entry);
    entry.opcode = operation;
    entry.fd = descriptor;
    entry.poll32_events = events;
    entry.user_data = name;
    std::atomic_ref(*submission_tail_).store(tail + 1, std::memory_order_release);
    ++pending_;
    return entry;
  }

  void arm(int descriptor) noexcept {
    const auto found = polls_.find(descriptor);
    if (found == polls_.end() || found->second.armed) return;
    Poll& poll = found->second;
    poll.armed = true;
    poll.turn = ++turns_;
    add(IORING_OP_POLL_ADD, descriptor, poll.events, name_of(descriptor, poll.turn));
  }

  void enter(unsigned wanted, unsigned flags, io_uring_getevents_arg* argument) noexcept {
    const long submitted = syscall(__NR_io_uring_enter, ring_, pending_, wanted, flags, argument,
                                   argument != nullptr ? sizeof *argument : 0);
    (void)submitted;  // a time-out or a signal: what has been taken is seen at the head
    pending_ = *submission_tail_ - std::atomic_ref(*submission_head_).load(std::memory_order_acquire);
  }

  int collect(Ready (&ready)[at_once]) noexcept {
    int count = 0;
    uint32_t head = *completion_head_;
    const uint32_t tail = std::atomic_ref(*completion_tail_).load(std::memory_order_acquire);
    for (; head != tail && count < at_once; ++head) {
      const io_uring_cqe& completion = completions_[head & completion_mask_];
      const auto descriptor = static_cast<int>(completion.user_data & UINT32_MAX);
      const auto found = polls_.find(descriptor);
      if (completion.user_data == of_removals || found == polls_.end()) continue;
      Poll& poll = found->second;
      if (poll.turn != completion.user_data >> 32 || !poll.armed) continue;
      poll.armed = false;
      if (completion.res < 0) continue;  // the descriptor has been closed: it has left the set, as with epoll
      to_arm_.push_back(descriptor);
      ready[count++] = {descriptor, static_cast<uint32_t>(completion.res)};
    }
    std::atomic_ref(*completion_head_).store(head, std::memory_order_release);
    return count;
  }

  int ring_ = -1;
  std::size_t bytes_ = 0;
  void* queues_ = nullptr;
  io_uring_sqe* room_ = nullptr;
  uint32_t* submission_head_ = nullptr;
  uint32_t* submission_tail_ = nullptr;
  uint32_t* completion_head_ = nullptr;
  uint32_t* completion_tail_ = nullptr;
  uint32_t completion_mask_ = 0;
  io_uring_cqe* completions_ = nullptr;
  uint32_t pending_ = 0;  // entries that the kernel has not taken
  uint32_t turns_ = 0;
  std::unordered_map<int, Poll> polls_;
  std::vector<int> to_arm_;  // by the next wait
};

}  // namespace

std::unique_ptr<Poller> make_ring() { return std::make_unique<Ring>(); }

bool probe_ring(std::string& why) {
  io_uring_params parameters;
  const int ring = set_up(parameters);
  if (ring < 0) {
    why = errno == ENOSYS ? "the kernel has none" : std::generic_category().message(errno);
    return false;
  }
  close(ring);
  if ((parameters.features & needed) == needed) return true;
  why = "the kernel's is too old";
  return false;
}

}  // namespace vif::sched
