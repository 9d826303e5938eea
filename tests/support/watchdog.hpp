// A watchdog for test programs: a test that runs too long is ended with the stacks of all its threads, instead of being
// killed later by CTest without a word.
//
// Limits, in seconds, from the environment (0: none):
//   VIF_TEST_LIMIT          for one test, 100 by default
//   VIF_TEST_PROGRAM_LIMIT  for all tests of the program; CTest sets it a little below its own time-out
// A timer sends SIGXCPU to the process; any thread that does not block it prints its own stack, then asks each other
// thread for its own, and ends the program and its children with exit code 124. No thread is added, so tests that count
// threads or fork are not disturbed.
// Context: app (the report itself runs in a handler).
#pragma once

namespace vif::support {

// The exit code of a program that the watchdog ended, as that of timeout(1).
inline constexpr int watchdog_exit_code = 124;

// Installs the signal handler and a GoogleTest listener that arms the timer at the start of each test. After
// InitGoogleTest.
void install_watchdog();

}  // namespace vif::support
