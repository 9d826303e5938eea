# Programs about what is neither messages nor collectives, one behaviour each; other MPIs can run them too.
vif_mpi_program(rest_session PROCESSES 1 3)
vif_mpi_program(rest_grequest PROCESSES 1)
vif_mpi_program(rest_partitioned PROCESSES 1 2 3)
vif_mpi_program(rest_abi PROCESSES 1)
vif_mpi_program(rest_file PROCESSES 1 3)
vif_mpi_program(rest_file_forms PROCESSES 1 3)
vif_mpi_program(rest_small PROCESSES 1)
vif_mpi_program(rest_tool PROCESSES 1 2)
vif_mpi_program(rest_spawn PROCESSES 1 3)
vif_mpi_program(rest_join PROCESSES 2)

# Each function with each argument wrong in turn: the program is written from the table.
set(wrong ${CMAKE_CURRENT_BINARY_DIR}/rest_wrong.c)
add_custom_command(
  OUTPUT ${wrong}
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/rest_wrong.py
          ${CMAKE_SOURCE_DIR}/src/mpi/abi/functions.csv ${wrong}
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/rest_wrong.py ${CMAKE_SOURCE_DIR}/src/mpi/abi/functions.csv)
add_executable(mpi_rest_wrong ${wrong})
set_target_properties(mpi_rest_wrong PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
# Without optimisation: seven thousand calls are compiled in a second.
target_compile_options(mpi_rest_wrong PRIVATE -Wall -Wextra -Werror -O0)
target_include_directories(mpi_rest_wrong PRIVATE ${CMAKE_BINARY_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR})
add_dependencies(mpi_rest_wrong vif_mpi_generated)
target_link_libraries(mpi_rest_wrong PRIVATE mpi_abi)
add_test(NAME mpi_rest_wrong COMMAND mpi_rest_wrong)
set_tests_properties(mpi_rest_wrong PROPERTIES TIMEOUT 120 LABELS mpi)
# Jobs over several hosts, made of names and, where they may be made, of network name spaces.
vif_mpi_program(rest_hosts PROCESSES 1 2)
vif_mpi_over_tcp(rest_hosts PROCESSES 2)
foreach(way names namespaces)
  vif_python_test(net_tcp_hosts_${way} SCRIPT ${CMAKE_SOURCE_DIR}/tests/net/tcp_hosts.py
                  ARGS ${CMAKE_BINARY_DIR}/tests ${way} LABELS mpi)
  set_tests_properties(net_tcp_hosts_${way} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
