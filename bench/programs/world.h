// The MPI side of a benchmark program: its start, its end, the head of its JSON document, and agreement between ranks.
// Uses only standard calls, so that one binary measures every library of the MPI ABI. Context: app.
#pragma once

#include <mpi.h>

#include "support.h"

struct world {
  int rank;
  int size;
};

// Initialises MPI, reads the arguments, and makes sure that there are enough ranks. Returns false when the program
// should end (MPI is finalised then, and *status is what main should return).
bool world_start(struct world* world, int* argc, char*** argv, int least_ranks, const char* purpose,
                 struct argument* table, size_t count, int* status);
int world_stop(void);

// Ends every rank with a sentence: a benchmark whose data are wrong must not print figures.
void world_fail(const char* sentence);

// Opens the document and its "parameters" (as given in the table), and leaves "points" open. Rank 0 only.
void world_document(struct json* json, const char* benchmark, const struct world* world, const struct argument* table,
                    size_t count);
void world_document_end(struct json* json);

// Rank 0's number, known to all.
int64_t agree(int64_t value);

// Where message buffers come from: "malloc" (the default) or "mpi" (MPI_Alloc_mem).
void message_memory(const char* where);
// Memory on its own pages, touched; message contents that the receiver can check.
void* message_buffer(uint64_t bytes);
void message_buffer_free(void* buffer);
void message_fill(void* buffer, uint64_t bytes, unsigned seed);
bool message_right(const void* buffer, uint64_t bytes, unsigned seed);
