// The main() of every test program: GoogleTest with the watchdog.
#include <gtest/gtest.h>

#include "support/watchdog.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  vif::support::install_watchdog();
  return RUN_ALL_TESTS();
}
