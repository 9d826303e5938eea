# A call before MPI_Init must end the program with a sentence that names the call. Arguments: PROGRAM.
execute_process(COMMAND ${PROGRAM} RESULT_VARIABLE code ERROR_VARIABLE words OUTPUT_QUIET TIMEOUT 20)
if(code EQUAL 0 OR NOT words MATCHES "MPI_Comm_rank is called before MPI_Init")
  message(FATAL_ERROR "exit code ${code}, message: ${words}")
endif()
