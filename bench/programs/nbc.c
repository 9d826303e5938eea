// Non-blocking collectives beside a computation: all 17, by Algorithm 1 of H. Taboada ("Recouvrement des collectives
// MPI non-bloquantes sur processeur manycore", Bordeaux 2018). Three times, each that of the slowest rank, each after a
// barrier:
//   t_comm   start and wait
//   t_comp   the computation alone
//   t_both   start, computation, wait
// overlap = max(0, min(1, (t_comm + t_comp - t_both) / min(t_comm, t_comp))), equation 4.1; `unclamped` is the same
// without its bounds: below 0 the program is slower than without any overlap.
// The computation:
//   exploit      as long as this collective takes with this library: what can be hidden at best
//   equivalent   the work of one large matrix shared among the ranks (equation 4.2): the same with every library, and
//                in total with every number of ranks, so that times can be compared
// Every result is compared with that of the blocking collective, which is compared with what must come. Context: app.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"
#include "nbc_calls.h"

enum { least_runs = 3, most_runs = 2000 };

struct setting {
  const struct world* world;
  const char* mode;
  const char* kernel;
  double seconds;
  struct matrix matrix;
  int64_t rows;  // of a computation
};

struct times {
  struct samples transfer, computation, both;
};

// Ends in `nanoseconds` those of the slowest rank.
static void slowest(int64_t* nanoseconds, int count) {
  MPI_Allreduce(MPI_IN_PLACE, nanoseconds, count, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
}

static int64_t transfer_once(const struct exchange* exchange, const struct collective* collective,
                             struct setting* setting, bool computes) {
  MPI_Request request;
  MPI_Barrier(MPI_COMM_WORLD);
  int64_t start = now_ns();
  collective->start(exchange, &request);
  if (computes) matrix_rows(&setting->matrix, setting->rows);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return now_ns() - start;
}

static int64_t compute_once(struct setting* setting) {
  MPI_Barrier(MPI_COMM_WORLD);
  int64_t start = now_ns();
  matrix_rows(&setting->matrix, setting->rows);
  return now_ns() - start;
}

static double median_of(struct samples* samples) { return samples_quantile(samples, 0.5); }

// How many rows take as long as the collective, while all ranks compute.
static void size_computation(const struct exchange* exchange, const struct collective* collective,
                             struct setting* setting) {
  struct samples samples = {0};
  for (int run = 0; run < 6; ++run) {
    int64_t elapsed = transfer_once(exchange, collective, setting, false);
    slowest(&elapsed, 1);
    if (run >= 1) samples_add(&samples, (double)elapsed);
  }
  double wanted = median_of(&samples);
  setting->rows = setting->matrix.order;
  // Again with what came out, but not for long where a barrier alone takes long.
  double left_ns = 2e9 * setting->seconds;
  for (int attempt = 0; attempt < 5 && (attempt < 2 || left_ns > 0); ++attempt) {
    samples_clear(&samples);
    for (int run = 0; run < 3; ++run) {
      int64_t elapsed = compute_once(setting);
      slowest(&elapsed, 1);
      samples_add(&samples, (double)elapsed);
      left_ns -= (double)elapsed;
    }
    double factor = wanted / median_of(&samples);
    if (factor > 0.95 && factor < 1.05) break;
    setting->rows = (int64_t)((double)setting->rows * factor + 0.5);
    if (setting->rows < 1) setting->rows = 1;
  }
  samples_free(&samples);
}

static void measure(const struct exchange* exchange, const struct collective* collective, struct setting* setting,
                    struct times* times) {
  double left_ns = setting->seconds * 1e9;
  for (int run = -1; run < least_runs || (left_ns > 0 && run < most_runs); ++run) {
    int64_t elapsed[3];
    elapsed[0] = transfer_once(exchange, collective, setting, false);
    elapsed[1] = compute_once(setting);
    elapsed[2] = transfer_once(exchange, collective, setting, true);
    slowest(elapsed, 3);
    if (run < 0) continue;
    samples_add(&times->transfer, (double)elapsed[0] / 1000.0);
    samples_add(&times->computation, (double)elapsed[1] / 1000.0);
    samples_add(&times->both, (double)elapsed[2] / 1000.0);
    left_ns -= (double)(elapsed[0] + elapsed[1] + elapsed[2]);
  }
}

static void write_point(struct json* json, const struct collective* collective, int64_t bytes,
                        const struct setting* setting, struct times* times) {
  double transfer = median_of(&times->transfer), computation = median_of(&times->computation);
  double both = median_of(&times->both);
  double less = transfer < computation ? transfer : computation;
  double unclamped = (transfer + computation - both) / less;
  json_open(json, NULL, '{');
  json_text(json, "collective", collective->name);
  json_integer(json, "size", bytes);
  json_text(json, "mode", setting->mode);
  json_text(json, "kernel", setting->kernel);
  json_samples(json, "t_comm_us", &times->transfer);
  json_samples(json, "t_comp_us", &times->computation);
  json_samples(json, "t_both_us", &times->both);
  json_number(json, "overlap", unclamped < 0 ? 0 : unclamped > 1 ? 1 : unclamped);
  json_number(json, "unclamped", unclamped);
  json_number(json, "visible_us", both - computation);
  json_integer(json, "rows", setting->rows);
  json_close(json, '}');
}

static void one_point(const struct exchange* exchange, const struct collective* collective, struct setting* setting,
                      struct json* json) {
  bool exploits = strcmp(setting->mode, "exploit") == 0;
  exchange_refer(exchange, collective);
  setting->rows = setting->matrix.order;
  if (exploits) size_computation(exchange, collective, setting);
  exchange_clear(exchange, collective);
  transfer_once(exchange, collective, setting, true);
  exchange_check(exchange, collective);
  exchange_clear(exchange, collective);
  struct times times = {{0}, {0}, {0}};
  measure(exchange, collective, setting, &times);
  exchange_check(exchange, collective);
  int64_t bytes = strcmp(collective->name, "barrier") == 0 ? 0 : (int64_t)exchange->count * (int64_t)sizeof(double);
  if (setting->world->rank == 0) write_point(json, collective, bytes, setting, &times);
  samples_free(&times.transfer);
  samples_free(&times.computation);
  samples_free(&times.both);
}

// Whether `word` is in a list with commas, or that is "all".
static bool listed(const char* list, const char* word) {
  size_t length = strlen(word);
  if (strcmp(list, "all") == 0) return true;
  for (const char* at = list; (at = strstr(at, word)) != NULL; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
  return false;
}

static int order_of(const char* mode, bool product, const char* wanted, const struct world* world) {
  bool exploits = strcmp(mode, "exploit") == 0;
  int whole = (int)number_of(wanted);
  // Rows so small that their number can follow the time of a collective.
  if (exploits) return product ? 64 : 256;
  if (whole == 0) whole = product ? 160 : 1024;
  return matrix_share(product, whole, world->size);
}

int main(int argc, char** argv) {
  const char *collectives = "all", *sizes = "64K,256K,1M,4M", *modes = "all", *kernels = "product", *order = "0";
  const char *memory = "malloc", *seconds = "0.2";
  struct argument table[] = {
      {"collectives", &collectives, "all, or a list of them"},
      {"sizes", &sizes, "bytes of the vector (bcast, reductions) or of the block of one rank"},
      {"modes", &modes, "exploit (compute as long as the collective takes), equivalent (share fixed work), or all"},
      {"kernels", &kernels, "product, add, or all: of matrices"},
      {"matrix", &order, "order of the matrix whose work is shared (equivalent); 0: 160 for product, 1024 for add"},
      {"memory", &memory, "where the buffers come from: malloc, or mpi (MPI_Alloc_mem)"},
      {"seconds", &seconds, "time spent on each point"}};
  enum { rows = sizeof table / sizeof *table };
  struct world world;
  int status;
  const char* purpose = "Overlap of the 17 non-blocking collectives with a computation.";
  if (!world_start(&world, &argc, &argv, 2, purpose, table, rows, &status)) return status;
  message_memory(memory);
  uint64_t list[32];
  size_t count = list_of_sizes(sizes, list, 32);
  struct json json;
  if (world.rank == 0) world_document(&json, "nbc", &world, table, rows);
  static const char* const mode_names[] = {"exploit", "equivalent"};
  static const char* const kernel_names[] = {"product", "add"};
  for (size_t at = 0; at < count; ++at) {
    struct exchange exchange;
    if (list[at] * (uint64_t)world.size > INT_MAX)
      world_fail("the blocks are too large for all ranks; give smaller sizes.");
    exchange_make(&exchange, &world, (int)(list[at] / sizeof(double)));
    for (int form = 0; form < 4; ++form) {
      struct setting setting = {.world = &world, .mode = mode_names[form / 2], .kernel = kernel_names[form % 2]};
      if (!listed(modes, setting.mode) || !listed(kernels, setting.kernel)) continue;
      setting.seconds = seconds_of(seconds);
      matrix_make(&setting.matrix, form % 2 == 0, order_of(setting.mode, form % 2 == 0, order, &world));
      for (int which = 0; which < all_collectives_count; ++which) {
        const struct collective* collective = &all_collectives[which];
        // A barrier has no size: once is enough.
        bool again = at > 0 && strcmp(collective->name, "barrier") == 0;
        if (!again && listed(collectives, collective->name)) one_point(&exchange, collective, &setting, &json);
      }
      matrix_free(&setting.matrix);
    }
    exchange_free(&exchange);
  }
  if (world.rank == 0) world_document_end(&json);
  return world_stop();
}
