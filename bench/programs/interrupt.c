// Latency of the interrupt itself, without MPI: the clock is read just before it is sent, and first thing in the
// handler. Placements: `self` (a thread interrupts itself), `threads` and `processes` (sender and receiver each bound
// to a CPU of its own, the receiver computing). Methods: tgkill, pidfd_send_signal, and senduipi where CPU and kernel
// have user interrupts; an emulation of those is not measured. Context: app, and handler where said.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.h"
#include "together.h"
#include "user_interrupt.h"

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif
#ifndef PIDFD_SIGNAL_THREAD
#define PIDFD_SIGNAL_THREAD (1u << 0)
#endif

enum placement { self, threads, processes, placements };
enum method { use_tgkill, use_pidfd, use_senduipi, methods };
static const char* const placement_names[placements] = {"self", "threads", "processes"};
static const char* const method_names[methods] = {"tgkill", "pidfd_send_signal", "senduipi"};
enum { bin_ns = 300, bins = 64 };

struct shared {
  _Atomic int64_t handled_ns;
  _Atomic uint32_t handled;  // runs of the handler
  _Atomic int receiver;      // thread id of the receiver, 0 until it is ready
  _Atomic int receiver_process;
  _Atomic int descriptor;  // of its user interrupts
  _Atomic int stop;
};

static struct shared* shared;

// Context: handler.
static void on_interrupt(void) {
  int64_t time = now_ns();
  atomic_store_explicit(&shared->handled_ns, time, memory_order_relaxed);
  atomic_fetch_add_explicit(&shared->handled, 1, memory_order_release);
}

// Context: handler.
static void on_signal(int number) {
  (void)number;
  on_interrupt();
}

static int signal_used(void) { return SIGRTMIN + 5; }

static void receiver_ready(enum method method, bool alternate_stack, void* stack) {
  if (method == use_senduipi) user_interrupt_receive(on_interrupt);
  if (alternate_stack) {
    stack_t alternate = {.ss_sp = stack, .ss_size = 65536};
    sigaltstack(&alternate, NULL);
  }
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | (alternate_stack ? SA_ONSTACK : 0)};
  sigemptyset(&action.sa_mask);
  sigaction(signal_used(), &action, NULL);
  atomic_store(&shared->descriptor, user_interrupt_descriptor());
  atomic_store(&shared->receiver_process, (int)getpid());
  atomic_store(&shared->receiver, (int)syscall(SYS_gettid));
}

static char receiver_stack[65536];
static bool alternate;

static void* receiver_main(void* method) {
  bind_to_usable_cpu(1);
  receiver_ready(*(enum method*)method, alternate, receiver_stack);
  while (!atomic_load_explicit(&shared->stop, memory_order_relaxed)) compute_steps(50);
  user_interrupt_stop();
  return NULL;
}

// A descriptor that names the receiving thread (or its process, before Linux 6.9), and the flags to signal it with.
static int open_receiver(unsigned* flags) {
  int thread = atomic_load(&shared->receiver), process = atomic_load(&shared->receiver_process);
  int descriptor = (int)syscall(SYS_pidfd_open, thread, PIDFD_THREAD);
  *flags = PIDFD_SIGNAL_THREAD;
  // An older kernel can name processes alone; their main thread is the receiver only if it is the only thread.
  if (descriptor < 0 && thread == process) {
    descriptor = (int)syscall(SYS_pidfd_open, process, 0);
    *flags = 0;
  }
  return descriptor;
}

static bool send_one(enum method method, int descriptor, unsigned flags) {
  if (method == use_senduipi) {
    user_interrupt_send(descriptor);
    return true;
  }
  if (method == use_pidfd) return syscall(SYS_pidfd_send_signal, descriptor, signal_used(), NULL, flags) == 0;
  return syscall(SYS_tgkill, atomic_load(&shared->receiver_process), atomic_load(&shared->receiver), signal_used()) ==
         0;
}

// Sends `count` signals one after the other. Returns false when the kernel refuses this method.
static bool bombard(enum method method, uint64_t count, int64_t gap_ns, struct samples* microseconds) {
  unsigned flags = 0;
  int descriptor = -1;
  if (method == use_pidfd) descriptor = open_receiver(&flags);
  if (method == use_senduipi) {
    descriptor = user_interrupt_connect(atomic_load(&shared->receiver_process), atomic_load(&shared->descriptor));
  }
  bool fine = method == use_tgkill || descriptor >= 0;
  samples_clear(microseconds);
  for (uint64_t shot = 0; fine && shot <= count; ++shot) {
    uint32_t seen = atomic_load(&shared->handled);
    // The pause lets the receiver leave the kernel, so that the next signal finds it computing.
    for (int64_t until = now_ns() + gap_ns; now_ns() < until;) continue;
    int64_t start = now_ns();
    fine = send_one(method, descriptor, flags);
    while (fine && atomic_load_explicit(&shared->handled, memory_order_acquire) == seen) continue;
    // The first one warms the caches and is dropped.
    if (fine && shot > 0) samples_add(microseconds, (double)(atomic_load(&shared->handled_ns) - start) / 1000.0);
  }
  if (method == use_senduipi) {
    user_interrupt_disconnect(descriptor);
  } else if (descriptor >= 0) {
    close(descriptor);
  }
  return fine;
}

static bool measure(enum placement placement, enum method method, uint64_t count, int64_t gap_ns,
                    struct samples* microseconds) {
  memset(shared, 0, sizeof *shared);
  pthread_t thread;
  pid_t child = 0;
  bind_to_usable_cpu(0);
  if (placement == self) {
    receiver_ready(method, alternate, receiver_stack);
  } else if (placement == threads) {
    if (pthread_create(&thread, NULL, receiver_main, &method) != 0) return false;
  } else {
    child = fork();
    if (child < 0) return false;
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      receiver_main(&method);
      _exit(0);
    }
  }
  while (atomic_load(&shared->receiver) == 0) continue;
  bool fine = bombard(method, count, gap_ns, microseconds);
  atomic_store(&shared->stop, 1);
  if (placement == self) user_interrupt_stop();
  if (placement == threads) pthread_join(thread, NULL);
  if (placement == processes) waitpid(child, NULL, 0);
  return fine;
}

static void write_point(struct json* json, enum placement placement, enum method method, bool fine,
                        struct samples* microseconds) {
  int64_t histogram[bins + 1] = {0};
  for (size_t at = 0; fine && at < microseconds->count; ++at) {
    int64_t bin = (int64_t)(microseconds->values[at] * 1000.0) / bin_ns;
    ++histogram[bin < 0 ? 0 : bin < bins ? bin : bins];
  }
  json_open(json, NULL, '{');
  json_text(json, "placement", placement_names[placement]);
  json_text(json, "method", method_names[method]);
  json_flag(json, "available", fine);
  if (!fine && method == use_senduipi && user_interrupt_missing() != NULL) {
    json_text(json, "why", user_interrupt_missing());
  }
  if (fine) {
    json_samples(json, "latency_us", microseconds);
    json_integer(json, "bin_ns", bin_ns);
    // The last bin holds everything beyond.
    json_open(json, "histogram", '[');
    for (int bin = 0; bin <= bins; ++bin) json_integer(json, NULL, histogram[bin]);
    json_close(json, ']');
  }
  json_close(json, '}');
}

int main(int argc, char** argv) {
  const char *count = "100000", *gap = "2000", *stack = "no";
  struct argument table[] = {{"count", &count, "signals of each kind, after one that is dropped"},
                             {"gap", &gap, "nanoseconds between a handler's run and the next signal"},
                             {"altstack", &stack, "yes: the handler runs on an alternate stack"}};
  bool help = argc > 1 && strcmp(argv[1], "--help") == 0;
  if (!arguments_read(argc, argv, "Latency of an interrupt from its sending to its handler (no MPI).", table, 3, true))
    return help ? 0 : 2;
  alternate = strcmp(stack, "yes") == 0;
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    fprintf(stderr, "interrupt: there is no memory for one shared page.\n");
    return 1;
  }
  struct json json = {.out = stdout, .depth = 0, .first = true};
  json_open(&json, NULL, '{');
  json_text(&json, "benchmark", "interrupt");
  json_integer(&json, "schema", 1);
  json_text(&json, "library", "none: signals of the kernel, and user interrupts where there are any");
  json_integer(&json, "ranks", 1);
  json_integer(&json, "usable_cpus", usable_cpus());
  json_open(&json, "parameters", '{');
  for (int row = 0; row < 3; ++row) json_text(&json, table[row].name, *table[row].value);
  json_close(&json, '}');
  json_open(&json, "points", '[');
  struct samples microseconds = {0};
  for (int placement = 0; placement < placements; ++placement) {
    for (int method = 0; method < methods; ++method) {
      bool wanted = method != use_senduipi || user_interrupt_missing() == NULL;
      bool fine = wanted && measure((enum placement)placement, (enum method)method, number_of(count),
                                    (int64_t)number_of(gap), &microseconds);
      write_point(&json, (enum placement)placement, (enum method)method, fine, &microseconds);
    }
  }
  samples_free(&microseconds);
  json_close(&json, ']');
  json_close(&json, '}');
  return 0;
}
