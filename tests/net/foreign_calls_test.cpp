// The program's own blocking calls end as if the library were not there, while messages arrive during them.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "bell/foreign_calls.hpp"
#include "bell/interrupt.hpp"
#include "net/job.hpp"
#include "net/traffic.hpp"

namespace vif::test {
namespace {

using net::Engine;
using net::Request;

constexpr int64_t pause_ns = 30'000'000;

timespec from_now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += pause_ns;
  if (t.tv_nsec >= 1'000'000'000) {
    t.tv_nsec -= 1'000'000'000;
    ++t.tv_sec;
  }
  return t;
}

// Each returns true when the call ended by its time-out and by nothing else.
bool sleeps() {
  const timespec wanted{0, pause_ns};
  return nanosleep(&wanted, nullptr) == 0;
}
bool clock_sleeps() {
  const timespec until = from_now(CLOCK_MONOTONIC);
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == 0;
}
bool usleeps() { return usleep(pause_ns / 1000) == 0; }
bool polls() {
  int ends[2];
  if (pipe(ends) != 0) return false;
  pollfd fd{ends[0], POLLIN, 0};
  const bool ended = poll(&fd, 1, pause_ns / 1'000'000) == 0;
  close(ends[0]);
  close(ends[1]);
  return ended;
}
bool selects() {
  timeval wanted{0, pause_ns / 1000};
  return select(0, nullptr, nullptr, nullptr, &wanted) == 0;
}
bool pselects() {
  const timespec wanted{0, pause_ns};
  sigset_t none;
  sigemptyset(&none);
  return pselect(0, nullptr, nullptr, nullptr, &wanted, &none) == 0;
}
bool epolls() {
  const int epoll = epoll_create1(0);
  epoll_event event;
  const bool ended = epoll_wait(epoll, &event, 1, pause_ns / 1'000'000) == 0;
  close(epoll);
  return ended;
}
bool semaphore_waits() {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const timespec until = from_now(CLOCK_REALTIME);
  return sem_timedwait(&semaphore, &until) != 0 && errno == ETIMEDOUT;
}
bool condition_waits() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  const timespec until = from_now(CLOCK_REALTIME);
  const int result = pthread_cond_timedwait(&condition, &mutex, &until);
  pthread_mutex_unlock(&mutex);
  return result == ETIMEDOUT;
}

// Rank 1 has a receive pending while it is in the call; rank 0 sends a long message meanwhile.
int call_during_message(Engine& engine, bool (*call)()) {
  std::vector<std::byte> bytes(1'000'000);
  for (int round = 0; round < 3; ++round) {
    if (engine.process() == 0) {
      receive(engine, 1, 1, nullptr, 0);
      const int64_t until = base::now_ns() + 5'000'000;  // let the other get into its call; any moment is right
      while (base::now_ns() < until) {
      }
      fill(bytes, static_cast<uint32_t>(round));
      send(engine, 1, 2, bytes.data(), bytes.size());
      continue;
    }
    Request receiving;
    start_receive(engine, receiving, 0, 2, bytes.data(), bytes.size());
    send(engine, 0, 1, nullptr, 0);
    const int64_t start = base::now_ns();
    JOB_CHECK(call());
    JOB_CHECK(base::now_ns() - start >= pause_ns - 1'000'000);  // it was not cut short
    wait(engine, receiving);
    JOB_CHECK(holds(bytes, bytes.size(), static_cast<uint32_t>(round)));
  }
  return 0;
}

class ForeignCalls : public testing::TestWithParam<bool (*)()> {};

TEST_P(ForeignCalls, EndAsIfWeWereNotThere) {
  EXPECT_EQ(run_job(2, [call = GetParam()](Engine& engine) { return call_during_message(engine, call); }), 0);
}

INSTANTIATE_TEST_SUITE_P(Each, ForeignCalls,
                         testing::Values(sleeps, clock_sleeps, usleeps, polls, selects, pselects, epolls,
                                         semaphore_waits, condition_waits));

// A signal of the program still cuts its call short, as POSIX says.
TEST(ForeignCall, IsStillInterruptedByTheProgramsOwnSignals) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      Request receiving;
                      std::vector<std::byte> bytes(100'000);
                      if (engine.process() == 0) {
                        receive(engine, 1, 1, nullptr, 0);
                        send(engine, 1, 2, bytes.data(), bytes.size());
                        return 0;
                      }
                      start_receive(engine, receiving, 0, 2, bytes.data(), bytes.size());
                      struct sigaction action {};
                      action.sa_handler = [](int) {};
                      sigaction(SIGALRM, &action, nullptr);
                      const itimerval soon{{0, 20'000}, {0, 20'000}};  // again: the first one may come before the call
                      setitimer(ITIMER_REAL, &soon, nullptr);
                      const timespec long_time{20, 0};
                      timespec left{};
                      JOB_CHECK(nanosleep(&long_time, &left) == -1 && errno == EINTR && left.tv_sec >= 10);
                      const itimerval never{};
                      setitimer(ITIMER_REAL, &never, nullptr);
                      send(engine, 0, 1, nullptr, 0);
                      wait(engine, receiving);
                      return 0;
                    }),
            0);
}

// What the two ranks of a test share beside the engine.
struct Shared {
  int ends[2];
  std::atomic<bool> seen;
};

Shared* share() {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (memory) Shared{};
  return pipe(shared->ends) == 0 ? shared : nullptr;
}

// The sender's message, and then a sign of life by other means: a byte in a pipe, or a signal until it was seen.
int send_then_wake(Engine& engine, Shared& shared, bool by_pipe) {
  int32_t other = 0;
  receive(engine, 1, 1, &other, sizeof other);
  const int64_t until = base::now_ns() + 5'000'000;  // let the other get into its call; any moment is right
  while (base::now_ns() < until) {
  }
  std::vector<std::byte> bytes(1'000'000);
  fill(bytes, 7);
  send(engine, 1, 2, bytes.data(), bytes.size());
  if (by_pipe) return write(shared.ends[1], "x", 1) == 1 ? 0 : 1;
  while (!shared.seen.load()) kill(other, SIGUSR1);
  return 0;
}

// One call of up to 20 s, ended by the sender when its message is over: the message was taken during the call or never.
int receive_during_call(Engine& engine, Shared& shared, bool by_pipe) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, nullptr);
  std::vector<std::byte> bytes(1'000'000);
  Request receiving;
  start_receive(engine, receiving, 0, 2, bytes.data(), bytes.size());
  int32_t me = getpid();
  send(engine, 0, 1, &me, sizeof me);
  const timespec long_time{20, 0};
  pollfd fd{shared.ends[0], POLLIN, 0};
  const bool woken = by_pipe ? poll(&fd, 1, 20'000) == 1 : nanosleep(&long_time, nullptr) == -1 && errno == EINTR;
  const bool complete = holds(bytes, bytes.size(), 7);
  shared.seen.store(true);
  JOB_CHECK(woken);
  JOB_CHECK(complete);
  wait(engine, receiving);
  return 0;
}

class DuringForeignCall : public testing::TestWithParam<bool> {};

TEST_P(DuringForeignCall, TheTransferFinishes) {
  Shared* shared = share();
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(run_job(2,
                    [shared, by_pipe = GetParam()](Engine& engine) {
                      return engine.process() == 0 ? send_then_wake(engine, *shared, by_pipe)
                                                   : receive_during_call(engine, *shared, by_pipe);
                    }),
            0);
  close(shared->ends[0]);
  close(shared->ends[1]);
  munmap(shared, sizeof(Shared));
}

INSTANTIATE_TEST_SUITE_P(Sleep, DuringForeignCall, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Poll, DuringForeignCall, testing::Values(true));

// A child forked by a rank has the rank's memory and none of its duties.
TEST(ForeignCall, OfAForkedChildTouchesNothing) {
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      std::vector<std::byte> bytes(1'000'000);
                      for (uint32_t round = 0; round < 5; ++round) {
                        if (engine.process() == 0) {
                          receive(engine, 1, 1, nullptr, 0);
                          fill(bytes, round);
                          send(engine, 1, 2, bytes.data(), bytes.size());
                          continue;
                        }
                        Request receiving;
                        start_receive(engine, receiving, 0, 2, bytes.data(), bytes.size());
                        const pid_t child = fork();
                        if (child == 0) _exit(usleep(5'000) == 0 && poll(nullptr, 0, 5) == 0 ? 0 : 1);
                        send(engine, 0, 1, nullptr, 0);
                        int status = -1;
                        JOB_CHECK(waitpid(child, &status, 0) == child && status == 0);
                        wait(engine, receiving);
                        JOB_CHECK(holds(bytes, bytes.size(), round));
                      }
                      return 0;
                    }),
            0);
}

// A child that waits to be killed, with the address that it would have published.
struct Target {
  pid_t process = fork();
  bell::Address address;

  Target() {
    if (process == 0) {
      for (;;) pause();
    }
    // The target's own fields, as this process sees them: its start time is in its stat line like ours in ours.
    address = bell::own_address(SIGTERM, true);
    address.process = process;
    address.start_time = start_time();
  }
  ~Target() { end(SIGKILL); }
  int end(int signal) {
    if (process <= 0) return 0;
    if (signal != 0) kill(process, signal);
    int status = 0;
    waitpid(process, &status, 0);
    process = 0;
    return status;
  }
  uint64_t start_time() const {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::string field;
    for (int i = 3; i <= 22; ++i) fields >> field;
    return std::stoull(field);
  }
};

// Lets this process have only so many descriptors more, while it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(unsigned left) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int free = dup(STDIN_FILENO);  // the lowest free number
    close(free);
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(free) + left;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

TEST(Ringer, TellsGoneFromCannotNow) {
  Target target;
  bell::Ringer ringer;
  {
    FewDescriptors none(0);
    EXPECT_FALSE(ringer.open(target.address));
    EXPECT_FALSE(ringer.gone());
  }
  EXPECT_TRUE(ringer.open(target.address));
  EXPECT_GE(ringer.pidfd(), 0);
  target.end(SIGKILL);
  bell::Ringer late;
  EXPECT_FALSE(late.open(target.address));
  EXPECT_TRUE(late.gone());
}

TEST(Ringer, NeverTakesAnotherProcessForTheOneThatIsGone) {
  Target target;
  target.address.start_time += 1;
  bell::Ringer ringer;
  EXPECT_FALSE(ringer.open(target.address));
  EXPECT_TRUE(ringer.gone());
}

TEST(Ringer, NamesTheProcessByNumberWhenThereIsNoPidfd) {
  Target target;
  bell::Ringer ringer;
  {
    FewDescriptors one(1);  // enough to look at /proc, not to hold a pidfd meanwhile
    EXPECT_TRUE(ringer.open(target.address));
  }
  EXPECT_EQ(ringer.pidfd(), -1);
  EXPECT_TRUE(ringer.ring());
  EXPECT_EQ(target.end(0), SIGTERM);
  EXPECT_FALSE(ringer.ring());
}

TEST(ForeignCall, ThisProgramIsCovered) { EXPECT_TRUE(bell::calls_are_covered()); }

}  // namespace
}  // namespace vif::test
