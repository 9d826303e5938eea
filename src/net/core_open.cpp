// The engine's beginning and end. Context: app.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "bell/foreign_calls.hpp"
#include "machine/cpus.hpp"
#include "net/core.hpp"
#include "net/create.hpp"
#include "net/meeting.hpp"
#include "net/packet.hpp"

namespace vif::net {
namespace {

Core* the_core = nullptr;  // for the interrupt handler; set before the handler is installed

// Anonymous pages that cost nothing until they are touched.
template <class T>
T* reserve_zeroed(size_t count) {
  void* pages =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages == MAP_FAILED ? nullptr : static_cast<T*>(pages);
}

template <class T>
void unreserve(T* pages, size_t count) {
  if (pages != nullptr) munmap(pages, count * sizeof(T));
}

}  // namespace

std::unique_ptr<Engine> create_engine(launch::Bootstrap& bootstrap, int thread_level, std::string& error) {
  return Core::create(bootstrap, thread_level, error);
}

std::unique_ptr<Engine> Core::create(launch::Bootstrap& bootstrap, int thread_level, std::string& error) {
  std::unique_ptr<Core> core(new Core);
  if (!core->open(bootstrap, thread_level, error)) return nullptr;
  return core;
}

bool Core::open(launch::Bootstrap& bootstrap, int thread_level, std::string& error) {
  bootstrap_ = &bootstrap;
  first_ = bootstrap.first();
  together_ = bootstrap.size();
  process_ = first_ + bootstrap.rank();
  multiple_ = thread_level >= 2;
  Meeting meeting;
  if (!settings_.read(error) || !meeting.meet(bootstrap, settings_, error) ||
      !segment_.open(bootstrap, meeting.origin, error)) {
    return false;
  }
  processes_ = segment_.processes();
  if (!reserve_tables(error)) return false;
  for (size_t i = 0; i < meeting.far.size(); ++i) {
    Channel& peer = channel(first_ + static_cast<int>(i));
    peer.far = peer.unusual = meeting.far[i];
  }
  spin_ = bell::SpinBudget(settings_.spin_floor_ns, settings_.spin_ceiling_ns);
  lever_ = react::probe_lever(settings_.lever);
  if (multiple_ && own(Owner::app)) {
    ownership_.set_shared(true);
    disown();
  }
  if (!install_interrupts(thread_level, error) || !introduce_myself(error) || !open_link(meeting, error) ||
      !meet_the_others(error)) {
    return false;
  }
  if (own(Owner::app)) {
    refill();
    disown();
  }
  base::now_ns();  // calibrates the clock outside any handler
  return true;
}

bool Core::reserve_tables(std::string& error) {
  const auto count = static_cast<size_t>(processes_);
  channels_ = reserve_zeroed<Channel>(count);
  incoming_list_ = reserve_zeroed<int32_t>(count);
  queued_list_ = reserve_zeroed<int32_t>(count);
  ringers_.resize(count);
  if (channels_ != nullptr && incoming_list_ != nullptr && queued_list_ != nullptr) return true;
  error = "The tables of peers cannot be had: memory is exhausted.";
  return false;
}

bool Core::install_interrupts(int thread_level, std::string& error) {
  me_ = &segment_.record(process_);
  const bell::UserInterruptSupport& support = bell::user_interrupt_support();
  if (settings_.user_interrupts && !support.usable()) {
    error = std::string("VIF_REACTION=uintr cannot be had: ") + support.missing() +
            ". VIF_REACTION=auto takes what this machine has, VIF_REACTION=signal its signals.";
    return false;
  }
  if (settings_.interrupts && together_ + first_ > 1) {
    the_core = this;
    signal_ = bell::install_handler([](bell::Interrupt kind) noexcept { the_core->on_interrupt(kind); }, error);
    if (signal_ == 0) return false;
    if (settings_.user_interrupts || (settings_.reaction == Reaction::automatic && support.in_hardware())) {
      std::string why;
      const bool receives = bell::receive_user_interrupts([]() noexcept { the_core->on_departure(); }, why);
      if (!receives && settings_.user_interrupts) {
        error = why;
        return false;
      }
    }
    bell::set_call_hooks([]() noexcept { return the_core->before_foreign_call(); },
                         []() noexcept { the_core->after_foreign_call(); }, signal_, multiple_);
  }
  me_->address = bell::own_address(signal_, thread_level >= 2);
  return true;
}

bool Core::introduce_myself(std::string&) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) {
    // More CPUs than the mask has room for: count as one that may use all of the first.
    std::memset(&mask, 0xff, sizeof mask);
  }
  machine_cpus_ = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  may_use_all_ = CPU_COUNT(&mask) >= machine_cpus_ && machine::usable_cpus() >= machine_cpus_;
  // With a process for each CPU, each has one to nudge.
  int place = together_ >= CPU_COUNT(&mask) ? process_ % CPU_COUNT(&mask) : -1;
  for (int cpu = 0; cpu < CPU_SETSIZE && place >= 0; ++cpu) {
    if (CPU_ISSET(cpu, &mask) != 0 && place-- == 0) cpu_to_nudge_ = cpu;
  }
  static_assert(sizeof(mask) == sizeof(me_->affinity));
  std::memcpy(me_->affinity, &mask, sizeof mask);
  own_probe_word_ = shm::probe_value(process_);
  if (settings_.cross_memory) me_->probe_address = reinterpret_cast<uint64_t>(&own_probe_word_);
#ifdef PR_SET_PTRACER
  // Where Yama restricts access between processes, the launcher and its other children may still copy directly.
  if (const int launcher = bootstrap_->launcher_pid(); launcher > 0) prctl(PR_SET_PTRACER, launcher, 0, 0, 0);
#endif
  if (settings_.cross_memory && processes_ > 1) me_->prices = CopyPrices::measure();
  me_->present.store(shm::here, std::memory_order_release);
  return true;
}

// Waits until every process has introduced itself, and finds out whether there are enough CPUs for all.
bool Core::meet_the_others(std::string& error) {
  if (together_ > 1 && !bootstrap_->barrier()) {
    error = bootstrap_->error();
    return false;
  }
  for (int i = 0; i < together_; ++i) {
    if (channel(first_ + i).far || segment_.record(first_ + i).present.load(std::memory_order_acquire) != 0) continue;
    error = "Rank " + std::to_string(i) + " did not join the shared memory of this host's ranks.";
    return false;
  }
  count_processors();
  return true;
}

void Core::count_processors() noexcept {
  CopyPrices prices;
  std::vector<machine::CpuMask> masks;
  int me = 0;
  for (int i = 0; i < segment_.begun(); ++i) {
    const shm::ProcessRecord& record = segment_.record(i);
    if (record.present.load(std::memory_order_acquire) != shm::here) continue;
    if (i == process_) me = static_cast<int>(masks.size());
    masks.emplace_back();
    prices.least(record.prices);
    for (int word = 0; word < shm::affinity_words; ++word) {
      for (uint64_t bits = record.affinity[word]; bits != 0; bits &= bits - 1) {
        const int cpu = word * 64 + __builtin_ctzll(bits);
        masks.back().set(static_cast<size_t>(cpu));
      }
    }
  }
  ring_first_ = settings_.ring_allowed_first && prices.ring_is_cheaper();
  oversubscribed_ = machine::oversubscribed(masks, me);
}

void Core::report_broken() noexcept {
  const std::string why = broken_ != nullptr
                              ? broken_
                              : std::string("A packet came ") + nonsense_ +
                                    ": a rank overwrote the shared memory of the job, or uses another version.";
  bootstrap_->abort(1, "Rank " + std::to_string(process_) + ": " + why);
  std::abort();
}

Core::~Core() {
  // A forked child that ends has neither our helper nor a part in the job's memory.
  if (me_ != nullptr && me_->address.process != 0 && me_->address.process != getpid()) {
    if (helper_.joinable()) helper_.detach();
    nudger_.abandon();
    if (link_ != nullptr) static_cast<void>(link_.release());  // its thread and its connections are the parent's
    return;
  }
  if (link_ != nullptr) {
    wait_to_own();  // its thread may run the engine now: after this it is gone
    link_->close();
    disown();
  }
  if (me_ != nullptr) {
    me_->present.store(shm::left, std::memory_order_release);
    me_->bell.be_quiet();
  }
  if (debt_count_ != 0) settle();
  nudger_.stop();
  own_hand().let_go();
  if (helper_.joinable()) {
    stopping_.store(true, std::memory_order_release);
    me_->helper.fetch_add(1, std::memory_order_release);
    base::RealAtoms::wake(me_->helper, 1);
    helper_.join();
  }
  if (the_core == this) {
    bell::stop_receiving_user_interrupts();
    bell::set_call_hooks(nullptr, nullptr, 0, false);
    bell::remove_handler();
    the_core = nullptr;
  }
  if (me_ != nullptr && settings_.print_statistics) print_counters(stderr);
  mapped_ranges_.each([this](MappedRanges::Mapping& mapping) { segment_.unmap_pages(mapping.here, mapping.bytes); });
  const auto count = static_cast<size_t>(processes_);
  for (std::byte* buffer : reserve_buffers_) std::free(buffer);
  unreserve(channels_, count);
  unreserve(incoming_list_, count);
  unreserve(queued_list_, count);
}

}  // namespace vif::net
