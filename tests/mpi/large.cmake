# The same programs with large counts: they are compiled so that a call of MPI_X becomes a call of MPI_X_c.
set(large ${CMAKE_CURRENT_BINARY_DIR}/large_counts.h)
add_custom_command(
  OUTPUT ${large}
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/large_counts.py ${abi}/functions.csv ${large}
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/large_counts.py ${abi}/functions.csv)
add_custom_target(vif_large_counts DEPENDS ${large})

foreach(test "p2p_modes;2" "p2p_persistent;2" "p2p_sendrecv;3" "p2p_buffered;2" "p2p_probe;2" "p2p_collectives;3"
             "comm_neighbor;4" "comm_neighbor_forms;3" "comm_inter;3" "rma_put_get;2" "rma_accumulate;2" "rma_windows;3"
             "rest_file;2" "rest_file_forms;3" "rest_partitioned;2" "rest_small;1" "type_external;1" "type_made;1")
  list(GET test 0 name)
  list(GET test 1 processes)
  vif_mpi_executable(mpi_large_${name} ${name}.c)
  add_dependencies(mpi_large_${name} vif_large_counts)
  target_compile_options(mpi_large_${name} PRIVATE -include ${large} -Wno-unused-function)
  add_test(NAME mpi_large_${name}
           COMMAND ${CMAKE_BINARY_DIR}/bin/mpirun -n ${processes} $<TARGET_FILE:mpi_large_${name}>)
  set_tests_properties(mpi_large_${name} PROPERTIES TIMEOUT 120 LABELS mpi)
endforeach()

# All functions of the table are called by some program (rest_wrong, which calls them wrongly, does not count).
get_property(programs GLOBAL PROPERTY VIF_MPI_PROGRAMS)
add_test(NAME mpi_coverage COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/coverage.py ${abi}/functions.csv
                                   $<TARGET_FILE:mpi_local_surface> $<TARGET_FILE:mpi_local_profile> ${programs})
set_tests_properties(mpi_coverage PROPERTIES TIMEOUT 60 LABELS mpi)

# The same binaries on MPICH, when one is named (VIF_TEST_MPICH); what differs is listed in mpich_differences.txt.
add_test(NAME mpi_compare_mpich
         COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/compare.py ${CMAKE_BINARY_DIR})
set_tests_properties(mpi_compare_mpich PROPERTIES TIMEOUT 1800 LABELS "mpi;long;noasan" SKIP_RETURN_CODE 77)
