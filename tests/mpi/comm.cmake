# Communicators, topologies, and the collectives on them.
vif_mpi_program(comm_cart PROCESSES 1 6)
vif_mpi_program(comm_graph PROCESSES 1 4)
vif_mpi_program(comm_neighbor PROCESSES 1 2 6)
vif_mpi_program(comm_inter PROCESSES 2 5)
vif_mpi_program(comm_refusals PROCESSES 1 3)

# What is chosen by circumstances is made to happen.
foreach(reaction poll sleep signal)
  foreach(test "comm_neighbor;4" "comm_inter;5")
    list(GET test 0 name)
    list(GET test 1 processes)
    add_test(NAME mpi_${name}_${reaction}
             COMMAND ${CMAKE_BINARY_DIR}/bin/mpirun -n ${processes} $<TARGET_FILE:mpi_${name}>)
    set_tests_properties(mpi_${name}_${reaction} PROPERTIES TIMEOUT 120 LABELS mpi ENVIRONMENT VIF_REACTION=${reaction})
  endforeach()
endforeach()
