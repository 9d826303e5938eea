// Start, end and JSON head of the MPI benchmark programs. Context: app.
#include "world.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool world_start(struct world* world, int* argc, char*** argv, int least_ranks, const char* purpose,
                 struct argument* table, size_t count, int* status) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world->size);
  bool help = *argc > 1 && strcmp((*argv)[1], "--help") == 0;
  if (!arguments_read(*argc, *argv, purpose, table, count, world->rank == 0)) {
    MPI_Finalize();
    *status = help ? 0 : 2;
    return false;
  }
  if (world->size < least_ranks) {
    if (world->rank == 0)
      fprintf(stderr, "%s: needs %d ranks and has %d; start it with mpirun -n %d.\n", (*argv)[0], least_ranks,
              world->size, least_ranks);
    MPI_Finalize();
    *status = 2;
    return false;
  }
  return true;
}

int world_stop(void) {
  MPI_Finalize();
  return 0;
}

void world_fail(const char* sentence) {
  fprintf(stderr, "The benchmark stops: %s\n", sentence);
  MPI_Abort(MPI_COMM_WORLD, 3);
  exit(3);
}

// The file from which the MPI library was really loaded, from the memory map: the proof of what was measured.
static void library_file(char* path, size_t capacity) {
  snprintf(path, capacity, "unknown");
  FILE* maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) return;
  char line[PATH_MAX + 200];
  while (fgets(line, sizeof line, maps) != NULL) {
    char* name = strstr(line, "/libmpi");
    char* start = strchr(line, '/');
    if (name == NULL || start == NULL) continue;
    start[strcspn(start, "\n")] = '\0';
    snprintf(path, capacity, "%s", start);
    break;
  }
  fclose(maps);
}

void world_document(struct json* json, const char* benchmark, const struct world* world, const struct argument* table,
                    size_t count) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  char file[PATH_MAX];
  library_file(file, sizeof file);
  int major = 0, minor = 0;
  MPI_Get_version(&major, &minor);
  char standard[32];
  snprintf(standard, sizeof standard, "%d.%d", major, minor);
  *json = (struct json){.out = stdout, .depth = 0, .first = true};
  json_open(json, NULL, '{');
  json_text(json, "benchmark", benchmark);
  json_integer(json, "schema", 1);
  json_text(json, "library", version);
  json_text(json, "library_file", file);
  json_text(json, "mpi", standard);
  json_integer(json, "ranks", world->size);
  json_open(json, "parameters", '{');
  for (size_t row = 0; row < count; ++row) json_text(json, table[row].name, *table[row].value);
  json_close(json, '}');
  json_open(json, "points", '[');
}

void world_document_end(struct json* json) {
  json_close(json, ']');
  json_close(json, '}');
}

int64_t agree(int64_t value) {
  MPI_Bcast(&value, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return value;
}

static bool memory_of_mpi;

void message_memory(const char* where) {
  memory_of_mpi = strcmp(where, "mpi") == 0;
  if (!memory_of_mpi && strcmp(where, "malloc") != 0) world_fail("--memory is malloc or mpi.");
}

void* message_buffer(uint64_t bytes) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  size_t rounded = (bytes / page + 1) * page;
  void* buffer = NULL;
  if (memory_of_mpi)
    MPI_Alloc_mem((MPI_Aint)rounded, MPI_INFO_NULL, &buffer);
  else
    buffer = aligned_alloc(page, rounded);
  if (buffer == NULL) world_fail("there is no memory for the message buffers; give smaller sizes.");
  memset(buffer, 0, rounded);
  return buffer;
}

void message_buffer_free(void* buffer) {
  if (memory_of_mpi)
    MPI_Free_mem(buffer);
  else
    free(buffer);
}

void message_fill(void* buffer, uint64_t bytes, unsigned seed) {
  unsigned char* at = buffer;
  for (uint64_t index = 0; index < bytes; ++index) at[index] = (unsigned char)(index * 131 + index / 4096 + seed);
}

bool message_right(const void* buffer, uint64_t bytes, unsigned seed) {
  const unsigned char* at = buffer;
  for (uint64_t index = 0; index < bytes; ++index)
    if (at[index] != (unsigned char)(index * 131 + index / 4096 + seed)) return false;
  return true;
}
