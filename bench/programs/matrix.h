// The computations of `nbc`: rows of a matrix product, which is bound by the CPU, or of a matrix sum, which is bound by
// its caches and memory. Context: app.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct matrix {
  bool product;  // else a sum
  int order;     // rows and columns, even
  int row;       // the next one to be computed
  double *left, *right, *result;
};

// The order of the local matrix when the work of one of order `whole` is shared among `ranks` (equation 4.2 of
// H. Taboada, 2018): the same work in total, whatever the number of ranks.
int matrix_share(bool product, int whole, int ranks);

void matrix_make(struct matrix* matrix, bool product, int order);
void matrix_free(struct matrix* matrix);
// The next rows of the result, again from the first one after the last.
void matrix_rows(struct matrix* matrix, int64_t rows);
