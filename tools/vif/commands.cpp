// The table of commands. Context: app.
#include "commands.hpp"

namespace vif::tool {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {"run", "Start the ranks of an MPI job (the same as mpirun and mpiexec).", run_command},
      {"info", "List the MPI functions, the options, the signals, and what the machine offers.", info_command},
      {"hang", "Say who waits for what in a running job, and what does not fit.", hang_command},
      {"bench", "Measure latency, bandwidth, overlap and more, beside other MPI libraries if wanted.", bench_command},
      {"report", "Make a page with pictures of what vif bench has written.", report_command},
      {"demo", "Show what is gained when a program computes while messages move.", demo_command},
      {"trace", "Record what the ranks of a job do and when, and say how much communication was hidden.",
       trace_command},
      {"sim", "Run a collective beside a computation on a simulated machine of up to hundreds of cores.", sim_command},
  };
  return table;
}

}  // namespace vif::tool
