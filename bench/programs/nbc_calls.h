// The 17 collectives as `nbc` measures them: one non-blocking and one blocking call each, on buffers whose results are
// known. Context: app.
#pragma once

#include "world.h"

// `count` is in doubles: the vector of broadcasts and reductions, the block of one rank elsewhere. Blocks lie `count`
// apart; the forms with counts of their own leave gaps, as every second block is shorter.
struct exchange {
  const struct world* world;
  int count;
  double *in, *out, *reference;          // a block for each rank
  int *counts, *counts_across, *places;  // of the blocks, in doubles
  int* pieces;                           // of a vector of reductions
  int* places_in_bytes;                  // of the blocks
  MPI_Datatype* types;                   // of the blocks
};

struct collective {
  const char* name;
  void (*start)(const struct exchange*, MPI_Request*);
  void (*call)(const struct exchange*);  // the blocking one
  bool (*defined)(const struct exchange*, int block, int* count);
  double (*expected)(const struct exchange*, int block, int index);
};

extern const struct collective all_collectives[];
extern const int all_collectives_count;

void exchange_make(struct exchange* exchange, const struct world* world, int count);
void exchange_free(struct exchange* exchange);
// Puts something into the result that none of the collectives gives (the root's data for a broadcast).
void exchange_clear(const struct exchange* exchange, const struct collective* collective);
// Runs the blocking collective, checks what it gives, and keeps it as the reference.
void exchange_refer(const struct exchange* exchange, const struct collective* collective);
// Ends every rank if the result is not the reference, bit by bit.
void exchange_check(const struct exchange* exchange, const struct collective* collective);
