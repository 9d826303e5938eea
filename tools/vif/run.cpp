// `vif run`, that is mpirun. Context: app.
#include <cstdio>

#include "base/options.hpp"
#include "commands.hpp"
#include "job.hpp"
#include "plan.hpp"
#include "trace.hpp"
#include "version.hpp"

namespace vif::tool {

namespace {

// Every rank would complain of a wrong VIF_ variable: once is better. An empty string: all are right.
std::string wrong_variable(const Plan& plan) {
  for (const Program& program : plan.programs) {
    const std::vector<std::string> environment = program_environment(program);
    std::vector<const char*> entries;
    for (const std::string& entry : environment) entries.push_back(entry.c_str());
    entries.push_back(nullptr);
    if (std::string sentence = base::check_options_in(entries.data()); !sentence.empty()) return sentence;
  }
  return {};
}

}  // namespace

int run_command(const Arguments& arguments) {
  const Reading reading = read_run_arguments(arguments);
  switch (reading.kind) {
    case Reading::Kind::wrong:
      std::fprintf(stderr, "vif run: %s\n", reading.sentence.c_str());
      return 2;
    case Reading::Kind::help:
      std::fputs(run_help().c_str(), stdout);
      return 0;
    case Reading::Kind::man:
      std::fputs(run_man_page().c_str(), stdout);
      return 0;
    case Reading::Kind::version:
      std::printf("vif run (mpirun) %s\n", version);
      return 0;
    case Reading::Kind::run:
      break;
  }
  if (const std::string sentence = wrong_variable(reading.plan); !sentence.empty()) {
    std::fprintf(stderr, "vif run: %s\n", sentence.c_str());
    return 2;
  }
  OverlapOnDemand overlap;
  if (std::string sentence; !overlap.prepare(sentence)) {
    std::fprintf(stderr, "vif run: %s\n", sentence.c_str());
    return 2;
  }
  const int code = Job(reading.plan).run();
  overlap.report();
  return code;
}

}  // namespace vif::tool
