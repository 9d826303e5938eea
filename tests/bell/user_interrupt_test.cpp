// User interrupts, by the emulation: what bell promises of them, and that the interrupted program notices nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bell/emulator.hpp"
#include "bell/interrupt.hpp"
#include "bell/user_interrupt.hpp"

namespace vif::test {
namespace {

using bell::Interrupt;

// Shared by the processes of a test.
struct Shared {
  std::atomic<uint32_t> taken{0};    // user interrupts
  std::atomic<uint32_t> signals{0};  // interrupts by signal
  std::atomic<uint32_t> stage{0};    // of the receiver
  bell::Address address;
};
Shared* shared;

// Context: handler. It uses every vector register that there is, as memcpy does, and leaves them in another state.
void on_interrupt(Interrupt kind) noexcept {
  static volatile float numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = numbers[i] * 0.5F + static_cast<float>(i);
  asm volatile(
      "pcmpeqd %%xmm0, %%xmm0\n pcmpeqd %%xmm1, %%xmm1\n pcmpeqd %%xmm7, %%xmm7\n pcmpeqd %%xmm8, %%xmm8\n"
      "pcmpeqd %%xmm15, %%xmm15\n fld1\n fld1\n"
      :
      :
      : "xmm0", "xmm1", "xmm7", "xmm8", "xmm15");
  (kind == Interrupt::user ? shared->taken : shared->signals).fetch_add(1);
}

// In a process of its own: what it registers is gone with it. 0: fine.
int in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

#define CHILD_CHECK(condition)                                                    \
  do {                                                                            \
    if (!(condition)) {                                                           \
      std::fprintf(stderr, "%s:%d: false: %s\n", __FILE__, __LINE__, #condition); \
      return 1;                                                                   \
    }                                                                             \
  } while (0)

int signal_number = 0;

bool become_receiver(void (*departed)() noexcept = nullptr) {
  std::string error;
  signal_number = bell::install_handler(on_interrupt, error);
  const bool fine = signal_number != 0 && bell::receive_user_interrupts(departed, error);
  if (!fine) std::fprintf(stderr, "%s\n", error.c_str());
  return fine;
}

class UserInterrupt : public ::testing::Test {
 protected:
  void SetUp() override {
    shared = new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Shared;
  }
  void TearDown() override { munmap(shared, sizeof(Shared)); }
};

TEST_F(UserInterrupt, ReachesItsOwnThreadAtOnce) {
  EXPECT_EQ(in_child([] {
              CHILD_CHECK(become_receiver());
              CHILD_CHECK(bell::receives_user_interrupts());
              for (uint32_t i = 1; i <= 100; ++i) {
                bell::interrupt_self(signal_number);
                CHILD_CHECK(shared->taken == i && shared->signals == 0);
              }
              bell::stop_receiving_user_interrupts();
              bell::interrupt_self(signal_number);
              CHILD_CHECK(shared->taken == 100 && shared->signals == 1);
              bell::remove_handler();
              return 0;
            }),
            0);
}

// A send from within the handler lands when it has returned: the handler never nests in itself.
TEST_F(UserInterrupt, WaitsForTheHandlerThatRuns) {
  static uint32_t depth, deepest;
  EXPECT_EQ(in_child([] {
              std::string error;
              CHILD_CHECK(bell::install_handler(
                              [](Interrupt) noexcept {
                                ++depth;
                                deepest = std::max(deepest, depth);
                                if (shared->taken.fetch_add(1) < 20) bell::interrupt_self(0);
                                --depth;
                              },
                              error) != 0);
              CHILD_CHECK(bell::receive_user_interrupts(nullptr, error));
              bell::interrupt_self(0);
              CHILD_CHECK(shared->taken == 21 && deepest == 1);
              return 0;
            }),
            0);
}

// The red zone, the flags, the vector registers and x87 of code that is interrupted at any place.
__attribute__((noinline)) uint64_t leaf(uint64_t seed) {
  volatile uint64_t words[12];
  for (uint64_t i = 0; i < 12; ++i) words[i] = seed * (i + 3) ^ seed >> i;
  uint64_t sum = 0;
  for (const volatile uint64_t& word : words) sum = (sum << 7 | sum >> 57) + word;
  return sum;
}

uint64_t compute() {
  uint64_t hash = 1;
  double number = 1.5;
  long double wide = 1.25L;
  float lanes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (uint64_t i = 0; i < 20'000; ++i) {
    hash = leaf(hash + i);
    number = number * 1.0000001 + static_cast<double>(hash & 7);
    wide = wide * 1.0000001L + 1;
    for (float& lane : lanes) lane = lane * 0.75F + 1;
  }
  uint64_t bits[3] = {};
  std::memcpy(bits, &number, sizeof number);
  const auto rounded = static_cast<double>(wide);
  std::memcpy(bits + 1, &rounded, sizeof rounded);
  std::memcpy(bits + 2, lanes, sizeof bits[2]);
  return hash ^ bits[0] ^ bits[1] ^ bits[2];
}

// The body computes and says in stage 1 where it can be reached, until somebody has put 2 there.
int compute_until_told() {
  CHILD_CHECK(become_receiver());
  const uint64_t expected = compute();
  shared->address = bell::own_address(signal_number, false);
  shared->stage = 1;
  while (shared->stage != 2) CHILD_CHECK(compute() == expected);
  CHILD_CHECK(compute() == expected);
  return 0;
}

void await(uint32_t stage) {
  while (shared->stage != stage) std::this_thread::yield();
}

// From another process: each arrives, and a flood leaves the computation whole.
TEST_F(UserInterrupt, ReachesAComputingProcess) {
  const pid_t receiver = fork();
  if (receiver == 0) {
    alarm(30);
    _exit(compute_until_told());
  }
  EXPECT_EQ(in_child([] {
              CHILD_CHECK(become_receiver());
              await(1);
              bell::Ringer ringer;
              CHILD_CHECK(ringer.open(shared->address));
              for (uint32_t i = 1; i <= 200; ++i) {
                CHILD_CHECK(ringer.ring_user());
                while (shared->taken != i) std::this_thread::yield();
              }
              for (int i = 0; i < 5'000; ++i) CHILD_CHECK(ringer.ring_user());
              CHILD_CHECK(shared->signals == 0);
              shared->stage = 2;
              return 0;
            }),
            0);
  int status = 0;
  waitpid(receiver, &status, 0);
  EXPECT_EQ(status, 0);
}

// A receiver that blocks in a call of the kernel is woken for it, and the call goes on.
TEST_F(UserInterrupt, ReachesAReceiverThatBlocksInTheKernel) {
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t receiver = fork();
  if (receiver == 0) {
    alarm(30);
    char byte = 0;
    if (!become_receiver()) _exit(1);
    shared->address = bell::own_address(signal_number, false);
    shared->stage = 1;
    _exit(read(gate[0], &byte, 1) == 1 && shared->taken > 0 ? 0 : 2);
  }
  EXPECT_EQ(in_child([&gate] {
              CHILD_CHECK(become_receiver());
              await(1);
              bell::Ringer ringer;
              CHILD_CHECK(ringer.open(shared->address) && ringer.ring_user());
              while (shared->taken == 0) std::this_thread::yield();
              CHILD_CHECK(write(gate[1], "x", 1) == 1);
              return 0;
            }),
            0);
  int status = 0;
  waitpid(receiver, &status, 0);
  EXPECT_EQ(status, 0);
  close(gate[0]);
  close(gate[1]);
}

// The table of a process has 256 entries: who comes later is reached by signals.
TEST_F(UserInterrupt, FallsBackToSignalsWhenTheTableIsFull) {
  EXPECT_EQ(in_child([] {
              CHILD_CHECK(become_receiver());
              const bell::Address here = bell::own_address(signal_number, false);
              std::vector<bell::Ringer> ringers(emulator_table_size);
              int by_user = 0;
              for (bell::Ringer& ringer : ringers) {
                CHILD_CHECK(ringer.open(here));
                by_user += ringer.ring_user() ? 1 : 0;
              }
              CHILD_CHECK(by_user == emulator_table_size - 1);  // one is for itself
              CHILD_CHECK(!ringers.back().ring_user() && ringers.back().ring());
              CHILD_CHECK(shared->signals == 1);
              ringers.erase(ringers.begin());  // gives its entry back
              bell::Ringer again;
              CHILD_CHECK(again.open(here) && again.ring_user());
              return 0;
            }),
            0);
}

// What the number names meanwhile is no vector: the connection is by signal, never to somewhere else.
TEST_F(UserInterrupt, TakesNoOtherDescriptorForAVector) {
  EXPECT_EQ(in_child([] {
              CHILD_CHECK(become_receiver());
              bell::Address here = bell::own_address(signal_number, false);
              here.vector_descriptor = memfd_create("other", 0);
              CHILD_CHECK(ftruncate(here.vector_descriptor, 4096) == 0);
              bell::Ringer ringer;
              CHILD_CHECK(ringer.open(here) && !ringer.ring_user() && ringer.ring());
              return 0;
            }),
            0);
}

TEST_F(UserInterrupt, AChildThatIsForkedTakesNone) {
  EXPECT_EQ(in_child([] {
              CHILD_CHECK(become_receiver());
              const int status = in_child([] {
                CHILD_CHECK(!bell::receives_user_interrupts() && bell::vector_descriptor() == -1);
                bell::stop_receiving_user_interrupts();
                return 0;
              });
              CHILD_CHECK(status == 0);
              bell::interrupt_self(signal_number);
              CHILD_CHECK(shared->taken == 1);
              return 0;
            }),
            0);
}

// The thread that receives ends: it says so, and nothing is sent to it any more.
TEST_F(UserInterrupt, AThreadThatEndsSaysSo) {
  EXPECT_EQ(in_child([] {
              std::thread receiver([] {
                if (become_receiver([]() noexcept { shared->stage = 3; })) shared->stage = 1;
              });
              receiver.join();
              CHILD_CHECK(shared->stage == 3 && bell::vector_descriptor() == -1);
              bell::interrupt_self(signal_number);
              CHILD_CHECK(shared->taken == 0 && shared->signals == 1);
              return 0;
            }),
            0);
}

// The instructions themselves, as the manual has them.
TEST_F(UserInterrupt, TheEmulatedInstructionsDoWhatTheManualSays) {
  EXPECT_EQ(in_child([] {
              CHILD_CHECK(become_receiver());
              const auto enabled = [] {
                uint8_t carry = 2;
                asm volatile(".byte 0xf3, 0x0f, 0x01, 0xed\n setc %0" : "=r"(carry) : : "cc");
                return carry == 1;
              };
              CHILD_CHECK(enabled());
              asm volatile(".byte 0xf3, 0x0f, 0x01, 0xee" : : : "memory");  // clui
              CHILD_CHECK(!enabled());
              bell::interrupt_self(0);
              bell::interrupt_self(0);
              CHILD_CHECK(shared->taken == 0);
              asm volatile(".byte 0xf3, 0x0f, 0x01, 0xef" : : : "memory");  // stui
              CHILD_CHECK(enabled() && shared->taken == 1);
              CHILD_CHECK(emulator_counts().deliveries == 1 && emulator_counts().notifications > 0);
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace vif::test
