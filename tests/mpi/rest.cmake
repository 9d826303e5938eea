# Programs about what is neither messages nor collectives, one behaviour each; other MPIs can run them too.
vif_mpi_program(rest_session PROCESSES 1 3)
vif_mpi_program(rest_grequest PROCESSES 1)
vif_mpi_program(rest_partitioned PROCESSES 1 2 3)
vif_mpi_program(rest_abi PROCESSES 1)
vif_mpi_program(rest_file PROCESSES 1 3)
vif_mpi_program(rest_tool PROCESSES 1 2)
vif_mpi_program(rest_spawn PROCESSES 1 3)
vif_mpi_program(rest_join PROCESSES 2)
