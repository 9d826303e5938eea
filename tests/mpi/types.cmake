# Programs about datatypes, one behaviour each; other MPIs can run them too.
vif_mpi_program(type_darray PROCESSES 1)
vif_mpi_program(type_external PROCESSES 1)
vif_mpi_program(type_made PROCESSES 1)
vif_mpi_program(type_f90 PROCESSES 1)
vif_mpi_program(type_messages PROCESSES 2 4)
