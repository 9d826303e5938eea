# Tests of the surface that need one process: units against their definitions, whole programs run alone, the header, the
# exports.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(abi ${CMAKE_SOURCE_DIR}/src/mpi/abi)

vif_test(mpi_local_datatype SOURCES local_datatype_test.cpp USES mpi LABELS unit)
vif_test(mpi_local_op SOURCES local_op_test.cpp USES mpi LABELS unit)

foreach(name surface profile outside)
  add_executable(mpi_local_${name} local_${name}.c)
  set_target_properties(mpi_local_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_options(mpi_local_${name} PRIVATE -Wall -Wextra -Werror)
  target_include_directories(mpi_local_${name} PRIVATE ${CMAKE_BINARY_DIR}/include)
  add_dependencies(mpi_local_${name} vif_mpi_generated)
  target_link_libraries(mpi_local_${name} PRIVATE mpi_abi)
  if(NOT name STREQUAL outside)
    add_test(NAME mpi_local_${name} COMMAND mpi_local_${name})
  endif()
endforeach()
add_test(NAME mpi_local_outside
         COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:mpi_local_outside>
                 -P ${CMAKE_CURRENT_SOURCE_DIR}/local_outside.cmake)

# The header as the oldest dialects that can have 64-bit integers see it, alone in a file.
set(header ${CMAKE_BINARY_DIR}/include/mpi.h)
add_test(NAME mpi_local_header_c
         COMMAND ${CMAKE_C_COMPILER} -std=c89 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c ${header})
add_test(NAME mpi_local_header_cxx
         COMMAND ${CMAKE_CXX_COMPILER} -std=c++98 -Wall -Wextra -Werror -fsyntax-only -x c++ ${header})
add_test(NAME mpi_local_header_mpich COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/local_header.py ${abi})
add_test(NAME mpi_local_exports COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/local_exports.py
                                        $<TARGET_FILE:mpi_abi> ${abi}/functions.csv
                                        ${CMAKE_BINARY_DIR}/generated/mpi/exports.map)
set_tests_properties(mpi_local_surface mpi_local_profile mpi_local_outside mpi_local_header_c
                     mpi_local_header_cxx mpi_local_header_mpich mpi_local_exports PROPERTIES TIMEOUT 60 LABELS mpi)
set_tests_properties(mpi_local_header_mpich PROPERTIES SKIP_RETURN_CODE 77)
if(VIF_SANITIZE)
  # A sanitizer's own run-time adds exports.
  set_tests_properties(mpi_local_exports PROPERTIES DISABLED TRUE)
endif()
