// Matrix kernels: see matrix.h. Written with vectors of two, so that every compiler and level of optimisation makes the
// same of them: the binary of one peer is compiled apart from the others'. Context: app.
#include "matrix.h"

#include <math.h>
#include <stddef.h>

#include "world.h"

typedef double pair __attribute__((vector_size(16)));

int matrix_share(bool product, int whole, int ranks) {
  double order = product ? cbrt(pow(whole, 3) / ranks) : sqrt(pow(whole, 2) / ranks);
  int even = 2 * (int)lround(order / 2);
  return even < 2 ? 2 : even;
}

void matrix_make(struct matrix* matrix, bool product, int order) {
  size_t elements = (size_t)order * (size_t)order;
  *matrix = (struct matrix){.product = product, .order = order};
  matrix->left = message_buffer(elements * sizeof(double));
  matrix->right = message_buffer(elements * sizeof(double));
  matrix->result = message_buffer(elements * sizeof(double));
  for (size_t at = 0; at < elements; ++at) {
    matrix->left[at] = (double)(at % 7) + 1;
    matrix->right[at] = (double)(at % 11) - 5;
  }
}

void matrix_free(struct matrix* matrix) {
  message_buffer_free(matrix->left);
  message_buffer_free(matrix->right);
  message_buffer_free(matrix->result);
}

static void product_row(const struct matrix* matrix, size_t row) {
  size_t order = (size_t)matrix->order, pairs = order / 2;
  pair* to = (pair*)(matrix->result + row * order);
  for (size_t at = 0; at < pairs; ++at) to[at] = (pair){0, 0};
  for (size_t inner = 0; inner < order; ++inner) {
    double factor = matrix->left[row * order + inner];
    const pair* from = (const pair*)(matrix->right + inner * order);
    for (size_t at = 0; at < pairs; ++at) to[at] += factor * from[at];
  }
}

static void sum_row(const struct matrix* matrix, size_t row) {
  size_t order = (size_t)matrix->order, pairs = order / 2;
  pair* to = (pair*)(matrix->result + row * order);
  const pair* left = (const pair*)(matrix->left + row * order);
  const pair* right = (const pair*)(matrix->right + row * order);
  for (size_t at = 0; at < pairs; ++at) to[at] = left[at] + right[at];
}

// Forbidden to inline, so that nothing is computed less because nobody reads it.
__attribute__((noinline)) void matrix_rows(struct matrix* matrix, int64_t rows) {
  for (int64_t done = 0; done < rows; ++done) {
    if (matrix->product)
      product_row(matrix, (size_t)matrix->row);
    else
      sum_row(matrix, (size_t)matrix->row);
    matrix->row = matrix->row + 1 == matrix->order ? 0 : matrix->row + 1;
    __asm__ volatile("" ::: "memory");
  }
}
