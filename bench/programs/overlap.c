// Does a transfer advance while its owner computes? For each side that computes, message size and computation time,
// three things are measured in turn, again and again: the transfer alone, the computation alone, and both together.
// Times are those of rank 0; rank 1 is the idle partner, except in the exchange, where both ranks do the same.
//   receiver: rank 0 posts a receive, tells rank 1 to send, computes, waits.
//   sender:   rank 0 posts a send, computes, waits, and waits for the word that the message has arrived.
//   both:     the ranks post a receive and a send to each other, compute, wait; the slower rank counts.
// Context: app.
#include <stdlib.h>
#include <string.h>

#include "world.h"

enum side { receiver, sender, both_sides, sides };
enum kind { transfer_only, computation_only, together };
static const char* const side_names[sides] = {"receiver", "sender", "both"};

struct setting {
  enum side side;
  int bytes;
  char* out;
  char* in;
  double steps_per_ns;
};

static void compute_for(const struct setting* setting, double nanoseconds) {
  if (nanoseconds > 0) compute_steps((uint64_t)(nanoseconds * setting->steps_per_ns) + 1);
}

static void start_word(int rank) {
  char word = 0;
  if (rank == 0)
    MPI_Recv(&word, 1, MPI_BYTE, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(&word, 1, MPI_BYTE, 0, 9, MPI_COMM_WORLD);
}

// Rank 0's part of a one-sided measure.
static void active_part(const struct setting* setting, double computation_ns) {
  MPI_Request request;
  char word = 0;
  if (setting->side == receiver) {
    MPI_Irecv(setting->in, setting->bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Send(&word, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
    compute_for(setting, computation_ns);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Isend(setting->out, setting->bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    compute_for(setting, computation_ns);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(&word, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void idle_part(const struct setting* setting, MPI_Request* posted) {
  char word = 0;
  if (setting->side == receiver) {
    MPI_Recv(&word, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(setting->out, setting->bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  } else {
    MPI_Wait(posted, MPI_STATUS_IGNORE);
    MPI_Send(&word, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
  }
}

static void exchange_part(const struct setting* setting, int rank, double computation_ns) {
  MPI_Request requests[2];
  MPI_Irecv(setting->in, setting->bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(setting->out, setting->bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
  compute_for(setting, computation_ns);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

// One measure; returns rank 0's nanoseconds (of the slower rank in the exchange).
static int64_t one_run(const struct setting* setting, int rank, enum kind kind, double computation_ns) {
  MPI_Request posted = MPI_REQUEST_NULL;
  bool transfers = kind != transfer_only ? kind == together : true;
  bool idle_receives = rank == 1 && setting->side == sender && transfers;
  // The idle receiver is ready before the clock starts, as in a program that posts its receives early.
  if (idle_receives) MPI_Irecv(setting->in, setting->bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &posted);
  if (setting->side == both_sides)
    MPI_Barrier(MPI_COMM_WORLD);
  else
    start_word(rank);
  double spent = kind == transfer_only ? 0 : computation_ns;
  int64_t start = now_ns();
  if (!transfers) {
    if (rank == 0 || setting->side == both_sides) compute_for(setting, spent);
  } else if (setting->side == both_sides) {
    exchange_part(setting, rank, spent);
  } else if (rank == 0) {
    active_part(setting, spent);
  } else {
    idle_part(setting, &posted);
  }
  int64_t elapsed = now_ns() - start;
  if (setting->side == both_sides) {
    int64_t slower;
    MPI_Allreduce(&elapsed, &slower, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return slower;
  }
  return elapsed;
}

static double quick_median(const struct setting* setting, int rank, int runs) {
  struct samples samples = {0};
  for (int run = 0; run < runs; ++run) samples_add(&samples, (double)one_run(setting, rank, transfer_only, 0));
  int64_t median = agree((int64_t)samples_quantile(&samples, 0.5));
  samples_free(&samples);
  return (double)median;
}

static void measure(const struct setting* setting, int rank, double computation_ns, double transfer_ns, double seconds,
                    struct samples times[3]) {
  double triple_ns = 2 * transfer_ns + 2 * computation_ns + 4000;
  int64_t runs = (int64_t)(seconds * 1e9 / triple_ns);
  if (runs < 7) runs = 7;
  if (runs > 2000) runs = 2000;
  runs = agree(runs);
  for (int kind = 0; kind < 3; ++kind) samples_clear(&times[kind]);
  // The order turns with each round, so that a drift of the machine touches the three kinds alike.
  for (int64_t run = -2; run < runs; ++run) {
    for (int turn = 0; turn < 3; ++turn) {
      int kind = (int)((turn + run + 3) % 3);
      double nanoseconds = (double)one_run(setting, rank, (enum kind)kind, computation_ns);
      if (run >= 0) samples_add(&times[kind], nanoseconds / 1000.0);
    }
  }
}

static void write_point(struct json* json, const struct setting* setting, const char* asked, struct samples times[3]) {
  double transfer = samples_quantile(&times[0], 0.5), computation = samples_quantile(&times[1], 0.5);
  double both = samples_quantile(&times[2], 0.5);
  double less = transfer < computation ? transfer : computation;
  double more = transfer < computation ? computation : transfer;
  json_open(json, NULL, '{');
  json_text(json, "side", side_names[setting->side]);
  json_integer(json, "size", setting->bytes);
  json_text(json, "compute", asked);
  json_samples(json, "t_comm_us", &times[0]);
  json_samples(json, "t_comp_us", &times[1]);
  json_samples(json, "t_both_us", &times[2]);
  json_number(json, "ratio", (transfer + computation - both) / less);
  json_number(json, "excess_us", both - more);
  json_number(json, "colour", (both - more) / less);
  json_close(json, '}');
}

// All computations of one side and size. `compute` is a list of microseconds, where "equal" means as long as the
// transfer.
static void one_size(struct setting* setting, const struct world* world, const char* compute, double seconds,
                     struct json* json) {
  uint64_t bytes = (uint64_t)setting->bytes;
  setting->out = message_buffer(bytes);
  setting->in = message_buffer(bytes);
  message_fill(setting->out, bytes, (unsigned)world->rank);
  double transfer_ns = quick_median(setting, world->rank, 5);
  transfer_ns = quick_median(setting, world->rank, transfer_ns < 1e6 ? 51 : 7);
  struct samples times[3] = {{0}, {0}, {0}};
  char list[512];
  snprintf(list, sizeof list, "%s", compute);
  char* rest = NULL;
  for (char* item = strtok_r(list, ",", &rest); item != NULL; item = strtok_r(NULL, ",", &rest)) {
    double computation_ns = strcmp(item, "equal") == 0 ? transfer_ns : seconds_of(item) * 1000.0;
    measure(setting, world->rank, computation_ns, transfer_ns, seconds, times);
    if (world->rank == 0) write_point(json, setting, item, times);
  }
  bool received = setting->side == both_sides || (setting->side == receiver) == (world->rank == 0);
  if (received && !message_right(setting->in, bytes, (unsigned)(1 - world->rank)))
    world_fail("a message arrived with wrong contents.");
  for (int kind = 0; kind < 3; ++kind) samples_free(&times[kind]);
  message_buffer_free(setting->out);
  message_buffer_free(setting->in);
}

int main(int argc, char** argv) {
  const char *side = "receiver,sender,both", *sizes = "1K,4K,16K,64K,256K,1M,4M,16M", *compute = "equal";
  const char *memory = "malloc", *seconds = "0.3";
  struct argument table[] = {
      {"side", &side, "who computes: receiver, sender, both"},
      {"sizes", &sizes, "message sizes in bytes, at least 1"},
      {"compute", &compute, "computation times in microseconds; 'equal' is that of the transfer"},
      {"memory", &memory, "where the message buffers come from: malloc, or mpi (MPI_Alloc_mem)"},
      {"seconds", &seconds, "time spent on each point"}};
  struct world world;
  int status;
  const char* purpose = "Overlap of a transfer with the computation of the receiver, the sender or both.";
  if (!world_start(&world, &argc, &argv, 2, purpose, table, 5, &status)) return status;
  if (world.size > 2) world_fail("overlap runs on exactly 2 ranks.");
  message_memory(memory);
  uint64_t list[64];
  size_t count = list_of_sizes(sizes, list, 64);
  struct json json;
  if (world.rank == 0) world_document(&json, "overlap", &world, table, 5);
  struct setting setting = {0};
  // Both ranks use rank 0's speed, so that they compute the same number of steps.
  setting.steps_per_ns = (double)agree((int64_t)(compute_calibrate() * 1e9)) / 1e9;
  for (int which = 0; which < sides; ++which) {
    if (strstr(side, side_names[which]) == NULL) continue;
    for (size_t at = 0; at < count; ++at) {
      setting.side = (enum side)which;
      setting.bytes = (int)list[at];
      one_size(&setting, &world, compute, seconds_of(seconds), &json);
    }
  }
  if (world.rank == 0) world_document_end(&json);
  return world_stop();
}
