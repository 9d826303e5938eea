/* Collectives of derived types, of pair types, and with operators of the program, commutative or not. */
#include "p2p_check.h"

static int size;

/* 2 x 2 matrices: their product does not commute. */
struct matrix {
  long long a, b, c, d;
};

static void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  struct matrix* left = in;
  struct matrix* right = inout;
  int i;
  (void)type;
  for (i = 0; i < *length; ++i) {
    const struct matrix l = left[i], r = right[i];
    right[i].a = l.a * r.a + l.b * r.c;
    right[i].b = l.a * r.b + l.b * r.d;
    right[i].c = l.c * r.a + l.d * r.c;
    right[i].d = l.c * r.b + l.d * r.d;
  }
}

static struct matrix matrix_of(int rank, int i) {
  const struct matrix m = {1 + rank % 2, rank % 3 - 1, i % 2, 1};
  return m;
}

static struct matrix product(int ranks, int i) {
  struct matrix result = matrix_of(0, i);
  int rank;
  for (rank = 1; rank < ranks; ++rank) {
    struct matrix next = matrix_of(rank, i);
    int one = 1;
    MPI_Datatype none = MPI_DATATYPE_NULL;
    multiply(&result, &next, &one, &none);
    result = next;
  }
  return result;
}

static void check_product(const struct matrix* result, int ranks, int n) {
  int i;
  for (i = 0; i < n; ++i) {
    const struct matrix expected = product(ranks, i);
    CHECK_EQUAL(expected.a, result[i].a);
    CHECK_EQUAL(expected.b, result[i].b);
    CHECK_EQUAL(expected.c, result[i].c);
    CHECK_EQUAL(expected.d, result[i].d);
  }
}

static void own_operator(int n) {
  struct matrix* mine = malloc(((size_t)n + 1) * sizeof *mine);
  struct matrix* result = malloc(((size_t)n + 1) * sizeof *result);
  MPI_Datatype type;
  MPI_Op op;
  MPI_Request request;
  int i, root, commutative;
  MPI_Type_contiguous(4, MPI_LONG_LONG, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply, 0, &op);
  MPI_Op_commutative(op, &commutative);
  CHECK(!commutative);
  for (i = 0; i < n; ++i) mine[i] = matrix_of(check_rank, i);
  MPI_Allreduce(mine, result, n, type, op, MPI_COMM_WORLD);
  check_product(result, size, n);
  for (root = 0; root < size; ++root) {
    MPI_Reduce(mine, result, n, type, op, root, MPI_COMM_WORLD);
    if (check_rank == root) check_product(result, size, n);
  }
  memset(result, 0, (size_t)n * sizeof *result);
  MPI_Iallreduce(mine, result, n, type, op, MPI_COMM_WORLD, &request);
  MPI_Op_free(&op); /* what is under way keeps both */
  MPI_Type_free(&type);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check_product(result, size, n);
  free(mine);
  free(result);
}

static void add_ints_in_gapped(void* in, void* inout, int* length, MPI_Datatype* type) {
  int i;
  MPI_Aint lower, extent;
  MPI_Type_get_extent(*type, &lower, &extent);
  for (i = 0; i < *length; ++i) {
    const int* from = (const int*)((char*)in + i * extent);
    int* to = (int*)((char*)inout + i * extent);
    to[0] += from[0];
    to[2] += from[2];
  }
}

/* An operator on a type with a hole: what is in the hole is not touched. */
static void operator_on_gaps(void) {
  enum { n = 50 };
  int mine[n * 3], result[n * 3], i, form;
  MPI_Datatype gapped;
  MPI_Op op;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gapped);
  MPI_Type_commit(&gapped);
  MPI_Op_create(add_ints_in_gapped, 1, &op);
  for (form = 0; form < 3; ++form) {
    for (i = 0; i < n * 3; ++i) {
      mine[i] = i + check_rank;
      result[i] = form == 2 && i % 3 != 1 ? mine[i] : -7;
    }
    if (form == 1) {
      MPI_Request request;
      MPI_Iallreduce(mine, result, n, gapped, op, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Allreduce(form == 2 ? MPI_IN_PLACE : mine, result, n, gapped, op, MPI_COMM_WORLD);
    }
    for (i = 0; i < n * 3; ++i) CHECK_EQUAL(i % 3 == 1 ? -7 : size * i + size * (size - 1) / 2, result[i]);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&gapped);
}

static void pairs(void) {
  struct {
    double value;
    int place;
  } mine[3], result[3];
  int i;
  for (i = 0; i < 3; ++i) {
    mine[i].value = (check_rank * 5 + i) % size;
    mine[i].place = check_rank;
  }
  MPI_Allreduce(mine, result, 3, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  for (i = 0; i < 3; ++i) {
    int rank, best = 0;
    for (rank = 1; rank < size; ++rank) {
      if ((rank * 5 + i) % size > (best * 5 + i) % size) best = rank;
    }
    CHECK(result[i].value == (best * 5 + i) % size);
    CHECK_EQUAL(best, result[i].place);
  }
}

/* Blocks of a strided type. */
static void strided(int form) {
  enum { n = 20 };
  int* mine = malloc(sizeof(int) * n * 2 * (size_t)size);
  int* all = malloc(sizeof(int) * n * 2 * (size_t)size);
  int i, r;
  MPI_Datatype loose, even;
  MPI_Request request;
  MPI_Type_vector(n, 1, 2, MPI_INT, &loose);
  MPI_Type_create_resized(loose, 0, n * 2 * sizeof(int), &even);
  MPI_Type_commit(&even);
  MPI_Type_free(&loose);
  for (r = 0; r < size; ++r) {
    for (i = 0; i < n * 2; ++i) {
      mine[r * n * 2 + i] = check_rank * 10000 + r * 100 + i;
      all[r * n * 2 + i] = -1;
    }
  }
  if (form == 0) {
    MPI_Allgather(mine, 1, even, all, 1, even, MPI_COMM_WORLD);
  } else {
    MPI_Iallgather(mine, 1, even, all, 1, even, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (i = 0; i < n * 2 * size; ++i) {
    CHECK_EQUAL(i % 2 ? -1 : i / (n * 2) * 10000 + i % (n * 2), all[i]);
    all[i] = -1;
  }
  if (form == 0) {
    MPI_Alltoall(mine, 1, even, all, 1, even, MPI_COMM_WORLD);
  } else {
    MPI_Ialltoall(mine, 1, even, all, 1, even, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (i = 0; i < n * 2 * size; ++i) {
    CHECK_EQUAL(i % 2 ? -1 : i / (n * 2) * 10000 + check_rank * 100 + i % (n * 2), all[i]);
    all[i] = -1;
  }
  MPI_Gather(mine, n, MPI_INT, all, 1, even, size - 1, MPI_COMM_WORLD);
  for (i = 0; i < n * 2 * size && check_rank == size - 1; ++i) {
    CHECK_EQUAL(i % 2 ? -1 : i / (n * 2) * 10000 + i % (n * 2) / 2, all[i]);
  }
  MPI_Type_free(&even);
  free(mine);
  free(all);
}

/* A different type for each peer. */
static void alltoallw(void) {
  int mine[16 * 4], all[16 * 4], counts[16], places[16], i, r;
  MPI_Datatype types[16], gapped;
  MPI_Type_vector(2, 1, 2, MPI_INT, &gapped);
  MPI_Type_commit(&gapped);
  for (r = 0; r < size; ++r) {
    /* To and from ranks of another parity with a hole, else without. */
    const int with_hole = (r + check_rank) % 2;
    counts[r] = with_hole ? 1 : 2;
    types[r] = with_hole ? gapped : MPI_INT;
    places[r] = r * 4 * (int)sizeof(int);
    for (i = 0; i < 4; ++i) {
      mine[r * 4 + i] = check_rank * 1000 + r * 10 + i;
      all[r * 4 + i] = -1;
    }
  }
  MPI_Alltoallw(mine, counts, places, types, all, counts, places, types, MPI_COMM_WORLD);
  for (r = 0; r < size; ++r) {
    const int second = (r + check_rank) % 2 ? 2 : 1;
    CHECK_EQUAL(r * 1000 + check_rank * 10, all[r * 4]);
    CHECK_EQUAL(r * 1000 + check_rank * 10 + second, all[r * 4 + second]);
    CHECK_EQUAL(-1, all[r * 4 + 3]);
    CHECK_EQUAL(-1, all[r * 4 + (second == 2 ? 1 : 2)]);
  }
  MPI_Type_free(&gapped);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check_start(&size);
  own_operator(0);
  own_operator(1);
  own_operator(300);
  own_operator(5000);
  operator_on_gaps();
  pairs();
  strided(0);
  strided(1);
  alltoallw();
  MPI_Finalize();
  return 0;
}
