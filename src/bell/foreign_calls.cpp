// A fortified build of this file would meet the C library's own inline definitions of the functions defined here.
#undef _FORTIFY_SOURCE

#include "bell/foreign_calls.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bell/user_interrupt.hpp"

#define VIF_EXPORT extern "C" __attribute__((visibility("default")))

namespace vif::bell {
namespace {

// The hooks come and go while any thread may be about to call one. Who calls one counts itself first and reads the
// pointer then; who clears them clears the pointers first and reads the count then. All four are sequentially
// consistent: one of the two sees the other. The other fields change only while the pointers are null and the count is
// zero.
struct Hooks {
  std::atomic<bool (*)() noexcept> before{nullptr};
  std::atomic<void (*)() noexcept> after{nullptr};
  std::atomic<uint32_t> uses{0};
  uint32_t generation = 0;  // hooks set later know nothing of calls that began before
  sigset_t signals;         // that interrupt
  bool every_thread = false;
  pthread_t thread{};
};

Hooks hooks;

class HookUse {
 public:
  HookUse() noexcept { hooks.uses.fetch_add(1, std::memory_order_seq_cst); }
  ~HookUse() { hooks.uses.fetch_sub(1, std::memory_order_release); }  // with the acquire load of clear_hooks()
  HookUse(const HookUse&) = delete;
  HookUse& operator=(const HookUse&) = delete;
};

void clear_hooks() noexcept {
  hooks.before.store(nullptr, std::memory_order_seq_cst);
  hooks.after.store(nullptr, std::memory_order_seq_cst);
  const timespec moment{0, 50'000};  // sleeping, not yielding: the other thread may be of a lower priority
  while (hooks.uses.load(std::memory_order_seq_cst) != 0) nanosleep(&moment, nullptr);
}

// A forked child has the memory of the job, but is no rank of it. Other threads that used a hook do not exist there.
void forget_hooks_in_child() {
  hooks.before.store(nullptr, std::memory_order_relaxed);
  hooks.after.store(nullptr, std::memory_order_relaxed);
  hooks.uses.store(0, std::memory_order_relaxed);
}

// The function of the same name that comes after this library: the C library's. Null when it has none.
template <class Function>
Function* next(Function*& real, const char* name) noexcept {
  const std::atomic_ref<Function*> known(real);
  Function* found = known.load(std::memory_order_relaxed);  // all who look find the same
  if (found == nullptr) {
    found = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
    known.store(found, std::memory_order_relaxed);
  }
  return found;
}

// The time that a thread spends in a call that an interrupt would cut short.
class ForeignCall {
 public:
  ForeignCall() noexcept {
    if (hooks.before.load(std::memory_order_relaxed) == nullptr) return;
    HookUse use;
    const auto before = hooks.before.load(std::memory_order_seq_cst);
    if (before == nullptr || (!hooks.every_thread && !pthread_equal(hooks.thread, pthread_self()))) return;
    const int saved = errno;
    generation_ = hooks.generation;
    ours_ = hooks.signals;
    blocked_ = pthread_sigmask(SIG_BLOCK, &ours_, &before_) == 0;
    away_ = before();
    errno = saved;
  }
  ~ForeignCall() {
    if (!blocked_) return;
    const int saved = errno;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    if (away_) {
      HookUse use;
      const auto after = hooks.after.load(std::memory_order_seq_cst);
      if (after != nullptr && hooks.generation == generation_) after();
    }
    errno = saved;
  }
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

  // For calls that install a mask of their own while they wait: the same mask with the interrupt blocked.
  const sigset_t* with_ours(const sigset_t* mask, sigset_t& copy) const noexcept {
    if (!blocked_ || mask == nullptr) return mask;
    sigorset(&copy, mask, &ours_);
    return &copy;
  }

  // For calls that take signals out: the same set without the interrupt, which is not for the program.
  const sigset_t* without_ours(const sigset_t* set, sigset_t& copy) const noexcept {
    if (!blocked_ || set == nullptr) return set;
    copy = *set;
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
      if (sigismember(&ours_, signal) == 1) sigdelset(&copy, signal);
    }
    return &copy;
  }

 private:
  sigset_t before_, ours_;
  uint32_t generation_ = 0;
  bool blocked_ = false;
  bool away_ = false;
};

// Where an address was loaded to: the same for all functions of one program or library.
const void* object_of(const void* address) noexcept {
  Dl_info info;
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

// The names are looked up as the program's own calls are, not as this library's (a library loaded "deep" sees itself
// first).
bool program_finds_us() noexcept {
  void* program = dlopen(nullptr, RTLD_LAZY);
  if (program == nullptr) return false;
  const void* theirs = object_of(dlsym(program, "poll"));
  dlclose(program);
  // The address of an exported function would be the address that the program finds, ours or not; that of a hidden one
  // is here.
  return theirs != nullptr && theirs == object_of(reinterpret_cast<const void*>(&forget_hooks_in_child)) &&
         dlsym(RTLD_NEXT, "poll") != nullptr;
}

}  // namespace

void set_call_hooks(bool (*before)() noexcept, void (*after)() noexcept, int signal, bool every_thread) {
  clear_hooks();
  if (before == nullptr) return;
  static const int registered = pthread_atfork(nullptr, nullptr, forget_hooks_in_child);
  if (registered != 0) return;  // no memory: calls pass straight on, rather than act for a rank from its child
  ++hooks.generation;
  sigemptyset(&hooks.signals);
  sigaddset(&hooks.signals, signal);
  if (const int other = notification_signal(); other != 0) sigaddset(&hooks.signals, other);
  hooks.every_thread = every_thread;
  hooks.thread = pthread_self();
  hooks.after.store(after, std::memory_order_seq_cst);
  hooks.before.store(before, std::memory_order_seq_cst);
}

bool calls_are_covered() noexcept {
  static const bool covered = program_finds_us();
  return covered;
}

}  // namespace vif::bell

using vif::bell::ForeignCall;
using vif::bell::next;

VIF_EXPORT int nanosleep(const timespec* wanted, timespec* left) {
  static decltype(nanosleep)* real;
  ForeignCall call;
  return next(real, "nanosleep")(wanted, left);
}

VIF_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* left) {
  static decltype(clock_nanosleep)* real;
  ForeignCall call;
  return next(real, "clock_nanosleep")(clock, flags, wanted, left);
}

VIF_EXPORT int usleep(useconds_t microseconds) {
  static decltype(usleep)* real;
  ForeignCall call;
  return next(real, "usleep")(microseconds);
}

VIF_EXPORT int thrd_sleep(const timespec* wanted, timespec* left) {
  static decltype(thrd_sleep)* real;
  ForeignCall call;
  return next(real, "thrd_sleep")(wanted, left);
}

VIF_EXPORT unsigned sleep(unsigned seconds) {
  static decltype(sleep)* real;
  ForeignCall call;
  return next(real, "sleep")(seconds);
}

VIF_EXPORT int poll(pollfd* fds, nfds_t count, int timeout) {
  static decltype(poll)* real;
  ForeignCall call;
  return next(real, "poll")(fds, count, timeout);
}

VIF_EXPORT int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  static decltype(ppoll)* real;
  ForeignCall call;
  sigset_t copy;
  return next(real, "ppoll")(fds, count, timeout, call.with_ours(mask, copy));
}

// What poll and ppoll become in programs compiled with _FORTIFY_SOURCE.
VIF_EXPORT int __poll_chk(pollfd* fds, nfds_t count, int timeout, size_t room) {
  static decltype(__poll_chk)* real;
  ForeignCall call;
  return next(real, "__poll_chk")(fds, count, timeout, room);
}

VIF_EXPORT int __ppoll_chk(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t room) {
  static decltype(__ppoll_chk)* real;
  ForeignCall call;
  sigset_t copy;
  return next(real, "__ppoll_chk")(fds, count, timeout, call.with_ours(mask, copy), room);
}

VIF_EXPORT int select(int count, fd_set* readable, fd_set* writable, fd_set* exceptional, timeval* timeout) {
  static decltype(select)* real;
  ForeignCall call;
  return next(real, "select")(count, readable, writable, exceptional, timeout);
}

VIF_EXPORT int pselect(int count, fd_set* readable, fd_set* writable, fd_set* exceptional, const timespec* timeout,
                       const sigset_t* mask) {
  static decltype(pselect)* real;
  ForeignCall call;
  sigset_t copy;
  return next(real, "pselect")(count, readable, writable, exceptional, timeout, call.with_ours(mask, copy));
}

VIF_EXPORT int epoll_wait(int epoll, epoll_event* events, int count, int timeout) {
  static decltype(epoll_wait)* real;
  ForeignCall call;
  return next(real, "epoll_wait")(epoll, events, count, timeout);
}

VIF_EXPORT int epoll_pwait(int epoll, epoll_event* events, int count, int timeout, const sigset_t* mask) {
  static decltype(epoll_pwait)* real;
  ForeignCall call;
  sigset_t copy;
  return next(real, "epoll_pwait")(epoll, events, count, timeout, call.with_ours(mask, copy));
}

VIF_EXPORT int epoll_pwait2(int epoll, epoll_event* events, int count, const timespec* timeout, const sigset_t* mask) {
  static decltype(epoll_pwait2)* real;
  if (next(real, "epoll_pwait2") == nullptr) {
    errno = ENOSYS;  // a C library before 2.35
    return -1;
  }
  ForeignCall call;
  sigset_t copy;
  return next(real, "epoll_pwait2")(epoll, events, count, timeout, call.with_ours(mask, copy));
}

VIF_EXPORT int pause() {
  static decltype(pause)* real;
  ForeignCall call;
  return next(real, "pause")();
}

VIF_EXPORT int sigsuspend(const sigset_t* mask) {
  static decltype(sigsuspend)* real;
  ForeignCall call;
  sigset_t copy;
  return next(real, "sigsuspend")(call.with_ours(mask, copy));
}

VIF_EXPORT int sigwait(const sigset_t* set, int* signal) {
  static decltype(sigwait)* real;
  ForeignCall call;
  sigset_t copy;
  return next(real, "sigwait")(call.without_ours(set, copy), signal);
}

VIF_EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* information) {
  static decltype(sigwaitinfo)* real;
  ForeignCall call;
  sigset_t copy;
  return next(real, "sigwaitinfo")(call.without_ours(set, copy), information);
}

VIF_EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* information, const timespec* timeout) {
  static decltype(sigtimedwait)* real;
  ForeignCall call;
  sigset_t copy;
  return next(real, "sigtimedwait")(call.without_ours(set, copy), information, timeout);
}

VIF_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  static decltype(sem_timedwait)* real;
  ForeignCall call;
  return next(real, "sem_timedwait")(semaphore, until);
}

VIF_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  static decltype(sem_clockwait)* real;
  ForeignCall call;
  return next(real, "sem_clockwait")(semaphore, clock, until);
}

VIF_EXPORT int semop(int id, sembuf* operations, size_t count) {
  static decltype(semop)* real;
  ForeignCall call;
  return next(real, "semop")(id, operations, count);
}

VIF_EXPORT int semtimedop(int id, sembuf* operations, size_t count, const timespec* timeout) {
  static decltype(semtimedop)* real;
  ForeignCall call;
  return next(real, "semtimedop")(id, operations, count, timeout);
}

VIF_EXPORT ssize_t msgrcv(int id, void* message, size_t size, long type, int flags) {
  static decltype(msgrcv)* real;
  ForeignCall call;
  return next(real, "msgrcv")(id, message, size, type, flags);
}

VIF_EXPORT int msgsnd(int id, const void* message, size_t size, int flags) {
  static decltype(msgsnd)* real;
  ForeignCall call;
  return next(real, "msgsnd")(id, message, size, flags);
}
