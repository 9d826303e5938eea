/* MPI_Type_create_f90_real and its like: the sizes, one handle for one pair of arguments, the envelope. */
#include "p2p_check.h"

static int size_of(MPI_Datatype type) {
  int size;
  MPI_Type_size(type, &size);
  return size;
}

static void sizes(void) {
  MPI_Datatype type;
  MPI_Type_create_f90_real(6, 30, &type);
  CHECK_EQUAL(4, size_of(type));
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &type);
  CHECK_EQUAL(8, size_of(type));
  MPI_Type_create_f90_complex(15, 307, &type);
  CHECK_EQUAL(16, size_of(type));
  MPI_Type_create_f90_integer(4, &type);
  CHECK_EQUAL(2, size_of(type));
  MPI_Type_create_f90_integer(9, &type);
  CHECK_EQUAL(4, size_of(type));
  MPI_Type_create_f90_integer(18, &type);
  CHECK_EQUAL(8, size_of(type));
}

static void same_handle_and_envelope(void) {
  MPI_Datatype first, second, other;
  int integers, addresses, types, combiner, values[2];
  MPI_Type_create_f90_real(15, 307, &first);
  MPI_Type_create_f90_real(15, 307, &second);
  MPI_Type_create_f90_real(15, 306, &other);
  CHECK(first == second);
  CHECK(first != other);
  MPI_Type_get_envelope(first, &integers, &addresses, &types, &combiner);
  CHECK_EQUAL(2, integers);
  CHECK_EQUAL(0, addresses);
  CHECK_EQUAL(0, types);
  CHECK_EQUAL(MPI_COMBINER_F90_REAL, combiner);
  MPI_Type_get_contents(first, 2, 0, 0, values, NULL, NULL);
  CHECK_EQUAL(15, values[0]);
  CHECK_EQUAL(307, values[1]);
  MPI_Type_create_f90_integer(9, &first);
  MPI_Type_get_envelope(first, &integers, &addresses, &types, &combiner);
  CHECK_EQUAL(1, integers);
  CHECK_EQUAL(MPI_COMBINER_F90_INTEGER, combiner);
}

static void reductions(void) {
  MPI_Datatype type;
  double value = 1.5, sum = 0;
  MPI_Type_create_f90_real(15, 307, &type);
  MPI_Allreduce(&value, &sum, 1, type, MPI_SUM, MPI_COMM_SELF);
  CHECK(sum == 1.5);
}

static void wrong_arguments(void) {
  MPI_Datatype type;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Type_create_f90_real(100, 30, &type) != MPI_SUCCESS);
  CHECK(MPI_Type_create_f90_integer(1000, &type) != MPI_SUCCESS);
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  sizes();
  same_handle_and_envelope();
  reductions();
  wrong_arguments();
  MPI_Finalize();
  return 0;
}
