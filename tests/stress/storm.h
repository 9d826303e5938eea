// The storm: random MPI traffic, every byte of it checked. What its parts share.
//
// All processes draw the same plan from the same seed, so that everybody knows what must arrive where, in which order
// and with which bytes. What a process may choose alone (how it waits, how long it computes) comes from a second source
// of chance of its own. Nothing but mpi.h and POSIX is used: other MPIs can run it too.
#ifndef STORM_H
#define STORM_H

#include <mpi.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

enum { most_threads = 8, comms_per_thread = 5 };

struct Random {
  uint64_t state;
};

// What one thread of one process does now. `doing` is read by the watchdog.
struct Storm {
  int thread;
  int world_rank;
  MPI_Comm comms[comms_per_thread];  // no other thread uses these
  int colours[comms_per_thread];     // processes with different colours follow different plans
  MPI_Op operator;                   // associative, not commutative

  MPI_Comm comm;  // of this round
  int rank;       // in comm
  int size;
  uint64_t round;
  uint64_t next_identity;  // of the next content; the same on all processes of comm
  struct Random shared;    // the plan: every process of comm draws the same
  struct Random own;       // this process alone
  uint64_t messages;       // received and verified so far
  uint64_t bytes;
  double slowest;              // round, in seconds
  const char* volatile doing;  // a format for three numbers
  volatile long details[3];
};

extern uint64_t storm_seed;
extern volatile sig_atomic_t storm_signals;  // how many signals of the program came

// storm_support.c: chance, contents, failures, the watchdog.
void random_start(struct Random* random, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
uint64_t random_below(struct Random* random, uint64_t limit);  // 0 .. limit-1
int random_chance(struct Random* random, int percent);
size_t random_size(struct Random* random, size_t most);  // mostly at a threshold of the protocols, or one beside it
void doing(struct Storm* storm, const char* format, long a, long b, long c);
void fail(struct Storm* storm, const char* format, ...) __attribute__((format(printf, 2, 3), noreturn));
void compute(struct Storm* storm);  // nothing, a computation, or a call that a signal could cut short
// A buffer with marked edges, and what must be in it. buffer_free() checks the edges.
unsigned char* buffer_make(struct Storm* storm, size_t size);
void buffer_free(struct Storm* storm, unsigned char* buffer);
void content_fill(unsigned char* buffer, size_t size, uint64_t identity);
void content_check(struct Storm* storm, const unsigned char* buffer, size_t size, uint64_t identity, const char* what);
void watchdog_start(struct Storm* storms, int threads, int limit, int hold);
void watchdog_calm(void);
void signals_start(uint64_t seed);
void signals_stop(void);

// storm_complete.c: waits for all requests in one of eight ways, fills the statuses, frees what is left.
void complete_all(struct Storm* storm, int count, MPI_Request* requests, MPI_Status* statuses);

// storm_traffic.c: messages between any processes, in all modes.
void traffic(struct Storm* storm);

// storm_rings.c: what needs a fixed partner: MPI_Sendrecv, cancel, persistent requests, truncation.
void rings(struct Storm* storm);

// storm_collectives.c
enum { most_pending = 3 };
struct Collective {
  int kind;
  int root;
  int count;  // numbers per block
  int operation;
  uint64_t identity;
  uint32_t* give;
  uint32_t* take;
  MPI_Request request;
};
void collective_start(struct Storm* storm, struct Collective* collective, int blocking);
void collective_finish(struct Storm* storm, struct Collective* collective);
void storm_operator(void* given, void* result, int* count, MPI_Datatype* type);

#endif
