/* What a Fortran binding tells the library about Fortran's types, once; and what error codes go with what. */
#include "p2p_check.h"

int main(void) {
  int yes = -1, no = 0, got_yes = 7, got_no = 7, flag, code, class, size;
  MPI_Info info, got;
  char value[8];
  MPI_Init(NULL, NULL);
  check_start(&size);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Abi_get_fortran_booleans(sizeof yes, &got_yes, &got_no, &flag);
  if (!flag) {
    CHECK_EQUAL(MPI_SUCCESS, MPI_Abi_set_fortran_booleans(sizeof yes, &yes, &no));
    CHECK_CLASS(MPI_ERR_ABI, MPI_Abi_set_fortran_booleans(sizeof yes, &yes, &no));
  }
  MPI_Abi_get_fortran_booleans(sizeof yes, &got_yes, &got_no, &flag);
  CHECK(flag && got_yes == yes && got_no == no);
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_logical_size", "4");
  CHECK_EQUAL(MPI_SUCCESS, MPI_Abi_set_fortran_info(info));
  MPI_Abi_get_fortran_info(&got);
  size = sizeof value;
  MPI_Info_get_string(got, "mpi_logical_size", &size, value, &flag);
  CHECK(flag && strcmp(value, "4") == 0);
  CHECK_CLASS(MPI_ERR_ABI, MPI_Abi_set_fortran_info(info));
  MPI_Info_free(&info);
  MPI_Info_free(&got);

  /* A code keeps its class, a string keeps its code. */
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "a word");
  CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS);
  CHECK(MPI_Remove_error_code(code) != MPI_SUCCESS);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Remove_error_string(code));
  CHECK_EQUAL(MPI_SUCCESS, MPI_Remove_error_code(code));
  CHECK_EQUAL(MPI_SUCCESS, MPI_Remove_error_class(class));
  MPI_Finalize();
  return 0;
}
