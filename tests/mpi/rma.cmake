# Programs about one-sided communication. Each also runs under every reaction, and without the kernel's copies between
# processes: then windows on the program's own memory go by messages.
function(vif_rma_program name)
  cmake_parse_arguments(R "" "" "PROCESSES" ${ARGN})
  vif_mpi_program(${name} PROCESSES ${R_PROCESSES})
  list(GET R_PROCESSES -1 most)
  foreach(variant reaction=poll reaction=sleep reaction=signal cma=0)
    string(TOUPPER "VIF_${variant}" setting)
    string(REGEX REPLACE "=.*" "" option ${setting})
    string(REGEX REPLACE ".*=" "" value ${variant})
    set(test mpi_${name}_${most}_${value})
    add_test(NAME ${test} COMMAND ${CMAKE_BINARY_DIR}/bin/mpirun -n ${most} $<TARGET_FILE:mpi_${name}>)
    set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS mpi ENVIRONMENT "${option}=${value}")
  endforeach()
endfunction()

vif_rma_program(rma_put_get PROCESSES 1 2 4)
vif_rma_program(rma_accumulate PROCESSES 1 2 4)
vif_rma_program(rma_locks PROCESSES 1 2 8)
vif_rma_program(rma_post PROCESSES 1 2 5)
vif_rma_program(rma_windows PROCESSES 1 3)
vif_rma_program(rma_errors PROCESSES 1 2)
vif_mpi_program(rma_passive PROCESSES 2 3)
# By messages, too, a target that computes is served: its engine runs in interrupts.
add_test(NAME mpi_rma_passive_2_messages
         COMMAND ${CMAKE_BINARY_DIR}/bin/mpirun -n 2 $<TARGET_FILE:mpi_rma_passive>)
set_tests_properties(mpi_rma_passive_2_messages PROPERTIES TIMEOUT 120 LABELS mpi ENVIRONMENT "VIF_CMA=0")
if(VIF_SANITIZE)
  # A sanitizer delays signals until its own calls.
  set_tests_properties(mpi_rma_passive_2_messages PROPERTIES DISABLED TRUE)
endif()
