# Helpers shared by every folder.
#
# vif_layer(NAME [USES layer...])   one static library per folder under src/, linking only the layers it may use.
# vif_test(NAME SOURCES file... [USES layer...] [ARGS ...] [LABELS ...] [TIMEOUT seconds])
#                                   one GoogleTest program, registered with CTest. Its main() is tests/support/main.cpp.
# vif_python_test(NAME SCRIPT file [ARGS ...] [LABELS ...] [TIMEOUT seconds])
#                                   one Python program, registered with CTest: a test passes when it ends with 0.
find_package(Threads REQUIRED)

# A warning is an error with the compilers that this project is developed with. Another version may know more warnings,
# and must not stop somebody who only wants to build.
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15))
  set(vif_warnings_are_errors ON)
else()
  set(vif_warnings_are_errors OFF)
endif()
option(VIF_WARNINGS_ARE_ERRORS "Stop the build at the first warning" ${vif_warnings_are_errors})

set(VIF_WARNINGS -Wall -Wextra -Wshadow -Wpointer-arith -Wcast-qual -Wvla)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of overlapping copies inside std::string that cannot happen ("x" + std::string()).
  list(APPEND VIF_WARNINGS $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(VIF_WARNINGS_ARE_ERRORS)
  list(APPEND VIF_WARNINGS -Werror)
endif()

set(VIF_SANITIZE "" CACHE STRING "Sanitizers to build with: address,undefined or thread")
# Tests get this many times their usual time.
set(VIF_TEST_PATIENCE 1)
if(VIF_SANITIZE)
  # Optimised enough to run, little enough to compile fast; lines for the reports.
  set(CMAKE_C_FLAGS_SANITIZE "-O1 -g1")
  set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1")
  add_compile_options(-fsanitize=${VIF_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${VIF_SANITIZE})
  set(VIF_TEST_PATIENCE 4)
  if(VIF_SANITIZE MATCHES "undefined")
    # Undefined behaviour ends the test that shows it, instead of printing a line that nobody reads.
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  if(VIF_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC warns that the thread sanitizer does not see fences. The models of tests/model check those.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
  endif()
endif()

option(VIF_FUZZ "Build the fuzzers of tests/fuzz with libFuzzer (needs clang)" OFF)
if(VIF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Compilations are taken from ccache where it is installed.
find_program(VIF_CCACHE ccache)
mark_as_advanced(VIF_CCACHE)
foreach(language C CXX)
  if(VIF_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${VIF_CCACHE})
  endif()
endforeach()

# Builds with a sanitizer parse the headers of the standard library once for all files, and so take a third less time.
# The others do not: they find the file that does not include what it uses. One set for libraries and one for tests,
# whose code is generated differently (tests/CMakeLists.txt).
set(VIF_COMMON_HEADERS <algorithm> <array> <atomic> <cstring> <functional> <memory> <mutex> <string> <string_view>
                       <thread> <utility> <vector>)
if(VIF_SANITIZE)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "int main() {}\n")
  add_library(vif_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_compile_options(vif_precompiled PRIVATE ${VIF_WARNINGS})
  target_precompile_headers(vif_precompiled PRIVATE ${VIF_COMMON_HEADERS})
endif()
# vif_precompile(TARGET DONOR)      the target takes the headers that were parsed for the donor
function(vif_precompile target donor)
  get_target_property(sources ${target} SOURCES)
  # Not with files in C among them: the donors know C++ alone.
  if(VIF_SANITIZE AND NOT "${sources}" MATCHES "\\.c(;|$)")
    target_precompile_headers(${target} REUSE_FROM ${donor})
  endif()
endfunction()

add_custom_target(tsan_tests)

function(vif_layer name)
  cmake_parse_arguments(L "" "" "USES;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(APPEND sources ${L_SOURCES})
  if(sources)
    add_library(vif_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_compile_options(vif_${name} PRIVATE ${VIF_WARNINGS})
    vif_precompile(vif_${name} vif_precompiled)
  else()
    add_library(vif_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(vif_${name} ${scope} ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(vif_${name} ${scope} Threads::Threads)
  foreach(layer ${L_USES})
    target_link_libraries(vif_${name} ${scope} vif_${layer})
  endforeach()
endfunction()

# Sets the time-out, the labels and the time after which the watchdog of tests/support speaks: a little before CTest
# kills the program without a word.
function(vif_test_properties name timeout labels)
  if(NOT timeout)
    set(timeout 120)
  endif()
  math(EXPR timeout "${timeout} * ${VIF_TEST_PATIENCE}")
  math(EXPR watchdog "${timeout} * 9 / 10")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${timeout} LABELS "${labels}"
                       ENVIRONMENT "VIF_TEST_PROGRAM_LIMIT=${watchdog}")
endfunction()

function(vif_test name)
  cmake_parse_arguments(T "" "TIMEOUT" "SOURCES;USES;ARGS;LABELS" ${ARGN})
  add_executable(${name} ${T_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_compile_options(${name} PRIVATE ${VIF_WARNINGS})
  vif_precompile(${name} vif_precompiled_tests)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
                                             ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE vif_test_support)
  foreach(layer ${T_USES})
    target_link_libraries(${name} PRIVATE vif_${layer})
  endforeach()
  add_test(NAME ${name} COMMAND ${name} ${T_ARGS})
  vif_test_properties(${name} "${T_TIMEOUT}" "${T_LABELS}")
  # What the thread sanitizer looks at is few: `make tsan` builds nothing else.
  if("tsan" IN_LIST T_LABELS)
    add_dependencies(tsan_tests ${name})
  endif()
endfunction()

function(vif_python_test name)
  cmake_parse_arguments(T "" "TIMEOUT;SCRIPT" "ARGS;LABELS" ${ARGN})
  find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
  get_filename_component(script ${T_SCRIPT} ABSOLUTE)
  # -B: a test leaves no byte code beside the sources.
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${script} ${T_ARGS})
  vif_test_properties(${name} "${T_TIMEOUT}" "${T_LABELS}")
endfunction()
