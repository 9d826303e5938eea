// A program for launchers: learns its rank, exchanges a value with every other rank, prints one line. Not an MPI
// program: it uses the bootstrap alone, so that launchers can be tried before and without the rest of the library.
//
// Usage: launch_echo_ranks [die RANK SIGNAL | exit RANK CODE | abort RANK CODE | skip-finalize RANK | hang RANK]
// Context: app.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "launch/bootstrap.hpp"

namespace {

using vif::launch::Bootstrap;

[[noreturn]] void fail(const Bootstrap& bootstrap, const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, bootstrap.error().c_str());
  std::exit(3);
}

// Every byte that a value could hold, and the rank.
std::string card(int rank) {
  std::string text = "card of " + std::to_string(rank) + " =%;\"'\\\n\t";
  for (int byte = 1; byte < 256; byte += 17) text += static_cast<char>(byte);
  return text;
}

void misbehave(Bootstrap& bootstrap, const std::string& what, int argument) {
  if (what == "die") {
    std::signal(argument, SIG_DFL);
    std::raise(argument);
  }
  if (what == "exit") std::exit(argument);
  if (what == "abort") bootstrap.abort(argument, "the test asked for it");
  if (what == "skip-finalize") std::exit(0);
  if (what == "hang") {
    while (true) pause();
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string error;
  const auto bootstrap = vif::launch::find_bootstrap(error);
  if (bootstrap == nullptr) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return 2;
  }
  const int rank = bootstrap->rank();
  if (!bootstrap->put("card-" + std::to_string(rank), card(rank))) fail(*bootstrap, "put");
  if (!bootstrap->put("empty-" + std::to_string(rank), "")) fail(*bootstrap, "put of nothing");
  if (!bootstrap->barrier()) fail(*bootstrap, "barrier");
  for (int other = 0; other < bootstrap->size(); ++other) {
    std::string value;
    if (!bootstrap->get("card-" + std::to_string(other), value)) fail(*bootstrap, "get");
    if (value != card(other)) fail(*bootstrap, "a value came back changed");
    value = "something";
    if (!bootstrap->get("empty-" + std::to_string(other), value) || !value.empty()) fail(*bootstrap, "get of nothing");
  }
  if (argc >= 3 && rank == std::atoi(argv[2])) misbehave(*bootstrap, argv[1], argc > 3 ? std::atoi(argv[3]) : 0);
  if (!bootstrap->barrier() || !bootstrap->finalize()) fail(*bootstrap, "end");
  std::printf("rank %d of %d under %s, program %d, segment %s\n", rank, bootstrap->size(), bootstrap->name().c_str(),
              bootstrap->app_number(), bootstrap->segment_fd() >= 0 ? "yes" : "no");
  return 0;
}
