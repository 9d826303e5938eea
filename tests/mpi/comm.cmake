# Communicators, topologies, and the collectives on them.
vif_mpi_program(comm_cart PROCESSES 1 6)
vif_mpi_program(comm_graph PROCESSES 1 4)
vif_mpi_program(comm_neighbor PROCESSES 1 2 6)
vif_mpi_program(comm_neighbor_forms PROCESSES 1 2 5)
vif_mpi_program(comm_inter PROCESSES 2 5)
vif_mpi_program(comm_refusals PROCESSES 1 3)
vif_mpi_program(comm_waiting_threads PROCESSES 2)

# What is chosen by circumstances is made to happen.
foreach(reaction poll sleep signal)
  foreach(test "comm_neighbor;4" "comm_inter;5" "comm_waiting_threads;2")
    list(GET test 0 name)
    list(GET test 1 processes)
    add_test(NAME mpi_${name}_${reaction}
             COMMAND ${CMAKE_BINARY_DIR}/bin/mpirun -n ${processes} $<TARGET_FILE:mpi_${name}>)
    set_tests_properties(mpi_${name}_${reaction} PROPERTIES TIMEOUT 120 LABELS mpi ENVIRONMENT VIF_REACTION=${reaction})
  endforeach()
endforeach()

# Options of collectives.
vif_mpi_program(comm_ordered PROCESSES 1 5 ENVIRONMENT VIF_COLL_ORDER=ranks)
foreach(choice "bcast=chain,allreduce=ring,reduce=halving,allgather=bruck,alltoall=bruck"
               "bcast=scatter_allgather,allreduce=halving,gather=binomial,scatter=linear,reduce_scatter=allreduce")
  string(MD5 short "${choice}")
  string(SUBSTRING ${short} 0 4 short)
  add_test(NAME mpi_p2p_collectives_chosen_${short}
           COMMAND ${CMAKE_BINARY_DIR}/bin/mpirun -n 4 $<TARGET_FILE:mpi_p2p_collectives>)
  set_tests_properties(mpi_p2p_collectives_chosen_${short} PROPERTIES TIMEOUT 120 LABELS mpi
                       ENVIRONMENT VIF_COLL=${choice})
endforeach()

# Who moves collectives while the program computes.
vif_mpi_program(comm_progress PROCESSES 4)
foreach(setting "thread;VIF_REACTION=poll" "thread;VIF_PROGRESS_PLACE=bind" "poll;VIF_STATS=0")
  list(GET setting 0 progress)
  list(GET setting 1 other)
  string(REGEX REPLACE ".*=" "" word ${other})
  foreach(test "comm_progress;4" "p2p_collectives;4" "p2p_collectives_types;3" "comm_inter;4" "p2p_threads;2")
    list(GET test 0 name)
    list(GET test 1 processes)
    add_test(NAME mpi_${name}_${progress}_${word}
             COMMAND ${CMAKE_BINARY_DIR}/bin/mpirun -n ${processes} $<TARGET_FILE:mpi_${name}>)
    set_tests_properties(mpi_${name}_${progress}_${word} PROPERTIES TIMEOUT 120 LABELS mpi
                         ENVIRONMENT "VIF_PROGRESS=${progress};${other}")
  endforeach()
endforeach()

# split-tree, whoever moves it, with each number of steps split off.
set(on_demand bcast=split gather=split scatter=split reduce=split allreduce=split scan=chain_ordered exscan=chain)
string(REPLACE ";" "," on_demand "${on_demand}")
foreach(setting "react;adapt;4" "react;1;5" "thread;0;4" "thread;2;7" "poll;1;4")
  list(GET setting 0 progress)
  list(GET setting 1 split)
  list(GET setting 2 processes)
  set(test mpi_p2p_collectives_split_${progress}_${split})
  add_test(NAME ${test} COMMAND ${CMAKE_BINARY_DIR}/bin/mpirun -n ${processes} $<TARGET_FILE:mpi_p2p_collectives>)
  set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS mpi ENVIRONMENT
    "VIF_PROGRESS=${progress};VIF_COLL_SPLIT=${split};VIF_COLL=${on_demand}")
endforeach()

# Extensions of Vif: only this library has them.
vif_mpi_program(ext_waitable PROCESSES 2)
vif_python_test(example_asyncio SCRIPT ${CMAKE_SOURCE_DIR}/tests/mpi/run_example.py
  ARGS ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/examples/asyncio_messages.py LABELS mpi noasan)
