// The command line of `vif run`: one table, from which the reading, the help and the manual page are made. Context:
// app.
#include "plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "launch/wire.hpp"
#include "text.hpp"

namespace vif::tool {

namespace {

constexpr int most_ranks = 1'000'000;

struct State {
  Reading reading;
  Program program;  // being read
  bool ranks_given = false;
  std::vector<std::pair<std::string, std::string>> everywhere;  // -genv and -x
};

using Values = std::vector<std::string>;

// An empty string: well. Otherwise a sentence.
using Action = std::function<std::string(State&, const Values&)>;

struct Row {
  OptionHelp help;
  std::vector<std::string> names;
  std::size_t values;
  Action action;
};

std::string set_ranks(State& state, const Values& values) {
  const auto count = launch::parse_number(values[0]);
  if (!count || *count < 1 || *count > most_ranks) {
    return "The number of ranks must be a whole number from 1 to " + std::to_string(most_ranks) + ", and '" +
           values[0] + "' is not.";
  }
  state.program.ranks = static_cast<int>(*count);
  state.ranks_given = true;
  return {};
}

std::string set_binding(State& state, const Values& values) {
  Binding& binding = state.reading.plan.binding;
  if (values[0] == "none") {
    binding = Binding::none;
  } else if (values[0] == "core") {
    binding = Binding::core;
  } else if (values[0] == "auto") {
    binding = Binding::spread;
  } else if (values[0] == "scatter-numa") {
    binding = Binding::scatter_numa;
  } else {
    return "Ranks can be bound to none, core, auto or scatter-numa, and '" + values[0] + "' is none of these.";
  }
  return {};
}

std::string set_variable(std::vector<std::pair<std::string, std::string>>& list, const std::string& name,
                         const std::string& value) {
  if (name.empty() || name.find('=') != std::string::npos) {
    return "'" + name + "' cannot be the name of an environment variable: give a name, then its value.";
  }
  list.emplace_back(name, value);
  return {};
}

std::string set_exported(State& state, const Values& values) {
  const std::size_t equals = values[0].find('=');
  if (equals != std::string::npos) {
    return set_variable(state.everywhere, values[0].substr(0, equals), values[0].substr(equals + 1));
  }
  const char* value = std::getenv(values[0].c_str());
  if (value == nullptr) {
    return "The variable '" + values[0] + "' is to be exported, but it is not set: set it, or write -x " + values[0] +
           "=VALUE.";
  }
  return set_variable(state.everywhere, values[0], value);
}

std::string set_timeout(State& state, const Values& values) {
  char* end = nullptr;
  const double seconds = std::strtod(values[0].c_str(), &end);
  if (end == values[0].c_str() || *end != '\0' || !(seconds > 0) || seconds > 1e9) {
    return "The time limit must be a number of seconds above 0, and '" + values[0] + "' is not.";
  }
  state.reading.plan.timeout_seconds = seconds;
  return {};
}

Action end_with(Reading::Kind kind) {
  return [kind](State& state, const Values&) {
    state.reading.kind = kind;
    return std::string();
  };
}

Action accept() {
  return [](State&, const Values&) { return std::string(); };
}

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
      {{"-n N, -np N", "Start N ranks of the program that follows (default: 1). N may exceed the number of cores."},
       {"-n", "-np", "--n", "--np"},
       1,
       set_ranks},
      {{":", "Ends a program: another one, with its own options, follows, and its ranks come next in the same job."},
       {},
       0,
       {}},
      {{"-wdir DIR", "Start the ranks of this program in this directory."},
       {"-wdir", "--wdir", "-wd"},
       1,
       [](State& state, const Values& values) {
         state.program.directory = values[0];
         return values[0].empty() ? std::string("The directory of -wdir has an empty name.") : std::string();
       }},
      {{"-x NAME[=VALUE]",
        "Set a variable in all ranks. The whole environment is passed on anyway; -x NAME makes sure that it is set."},
       {"-x"},
       1,
       set_exported},
      {{"-genv NAME VALUE", "Set a variable in all ranks."},
       {"-genv", "--genv"},
       2,
       [](State& state, const Values& values) { return set_variable(state.everywhere, values[0], values[1]); }},
      {{"-env NAME VALUE", "Set a variable in the ranks of this program alone."},
       {"-env", "--env"},
       2,
       [](State& state, const Values& values) {
         return set_variable(state.program.environment, values[0], values[1]);
       }},
      {{"--bind-to HOW",
        "none (default): the kernel places ranks. core: each rank has a core of its own; with fewer cores than ranks "
        "nothing is bound. "
        "auto: as core, for jobs of at least two ranks. scatter-numa: balanced over the NUMA nodes and spread within "
        "each, leaving the cores that VIF_PROGRESS_PLACE gives to progress threads. Binding steadies latencies on a "
        "machine that is yours alone, "
        "and "
        "hurts when two jobs bind to the same cores or when ranks have threads."},
       {"--bind-to", "-bind-to"},
       1,
       set_binding},
      {{"-l, --prefix", "Write the rank before each line of output, as in '[3] '."},
       {"-l", "--prefix", "-prepend-rank", "--tag-output"},
       0,
       [](State& state, const Values&) {
         state.reading.plan.prefix = true;
         return std::string();
       }},
      {{"--timeout SECONDS", "End the job after this time, with exit code 124."},
       {"--timeout", "-timeout"},
       1,
       set_timeout},
      {{"--oversubscribe",
        "Accepted because scripts written for another mpirun give it; more ranks than cores need no option here."},
       {"--oversubscribe", "-oversubscribe"},
       0,
       accept()},
      {{"--allow-run-as-root", "Accepted for the same reason."}, {"--allow-run-as-root"}, 0, accept()},
      {{"-V, --version", "Print the version."}, {"-V", "--version", "-version"}, 0, end_with(Reading::Kind::version)},
      {{"-h, --help", "Print this text."}, {"-h", "--help", "-help"}, 0, end_with(Reading::Kind::help)},
      {{"--man", "Print this text as a manual page (troff)."}, {"--man"}, 0, end_with(Reading::Kind::man)},
  };
  return table;
}

const Row* find_row(const std::string& name) {
  for (const Row& row : rows()) {
    if (std::find(row.names.begin(), row.names.end(), name) != row.names.end()) return &row;
  }
  return nullptr;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Row& row : rows()) names.insert(names.end(), row.names.begin(), row.names.end());
  return names;
}

Reading wrong(std::string sentence) {
  Reading reading;
  reading.sentence = std::move(sentence);
  return reading;
}

// Reads one option at `at`; moves past it. An empty string: well.
std::string read_option(State& state, const std::vector<std::string>& arguments, std::size_t& at) {
  std::string name = arguments[at];
  Values values;
  const std::size_t equals = name.find('=');
  if (name.starts_with("--") && equals != std::string::npos) {
    values.push_back(name.substr(equals + 1));
    name.resize(equals);
  }
  const Row* row = find_row(name);
  if (row == nullptr) {
    const std::string near = nearest(name, all_names());
    return "The option '" + name + "' is unknown" + (near.empty() ? "" : "; did you mean '" + near + "'?") +
           (near.empty() ? ": " : " ") + "'mpirun --help' lists the options.";
  }
  ++at;
  if (values.size() > row->values) return "The option '" + name + "' takes no value.";
  while (values.size() < row->values) {
    if (at >= arguments.size()) {
      return "The option '" + name + "' must be followed by " +
             (row->values == 1 ? "a value" : std::to_string(row->values) + " values") + " (" + row->help.usage + ").";
    }
    values.push_back(arguments[at++]);
  }
  return row->action(state, values);
}

// What follows the options up to ':' or the end is the program.
void read_program(State& state, const std::vector<std::string>& arguments, std::size_t& at) {
  while (at < arguments.size() && arguments[at] != ":") state.program.command.push_back(arguments[at++]);
}

std::string finish_program(State& state) {
  if (state.program.command.empty()) {
    return "No program is named" + std::string(state.reading.plan.programs.empty() ? "" : " after ':'") +
           ": write, for instance, 'mpirun -n 2 ./a.out'.";
  }
  state.reading.plan.programs.push_back(std::exchange(state.program, {}));
  return {};
}

}  // namespace

int Plan::ranks() const {
  int count = 0;
  for (const Program& program : programs) count += program.ranks;
  return count;
}

Reading read_run_arguments(const std::vector<std::string>& arguments) {
  State state;
  state.reading.kind = Reading::Kind::run;
  std::size_t at = 0;
  while (true) {
    while (at < arguments.size() && arguments[at].starts_with("-") && arguments[at] != "--") {
      if (std::string sentence = read_option(state, arguments, at); !sentence.empty())
        return wrong(std::move(sentence));
      if (state.reading.kind != Reading::Kind::run) return state.reading;
    }
    if (at < arguments.size() && arguments[at] == "--") ++at;
    read_program(state, arguments, at);
    if (std::string sentence = finish_program(state); !sentence.empty()) return wrong(std::move(sentence));
    if (at >= arguments.size()) break;
    ++at;  // the ':'
  }
  if (state.reading.plan.ranks() > most_ranks) return wrong("The job would have more than a million ranks.");
  for (Program& program : state.reading.plan.programs) {
    // What is said for one program wins over what is said for all.
    program.environment.insert(program.environment.begin(), state.everywhere.begin(), state.everywhere.end());
  }
  return state.reading;
}

std::string run_help() {
  std::string text =
      "Usage: mpirun [OPTIONS] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM [ARGUMENTS]]...\n"
      "       (mpirun, mpiexec and 'vif run' are the same command)\n\n"
      "Starts the ranks of an MPI job on this machine, forwards their output line by line, standard input to rank 0 "
      "and\n"
      "signals to all, and ends with the job's exit code.\n\nOptions:\n";
  for (const Row& row : rows()) text += format_option(row.help);
  text +=
      "\nExit code:\n"
      "  that of the first rank that failed; 128 + N when a rank was killed by signal N; the code of MPI_Abort; 124 "
      "when\n"
      "  the time is over; 126 or 127 when a program cannot be started; 2 when the command line is wrong; otherwise "
      "0.\n\n"
      "A rank that is killed, or ends with another code than 0, or ends without MPI_Finalize, ends the job: the others "
      "get\n"
      "SIGTERM and, half a second later, SIGKILL. Processes that ranks leave behind are ended too.\n"
      "SIGINT, SIGTERM, SIGHUP and SIGQUIT are forwarded; ranks that have not ended 5 seconds later, or when the "
      "signal\n"
      "comes a second time, are killed. SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP and SIGCONT are forwarded.\n"
      "A job of Vif answers its first SIGQUIT by saying who waits for what (see also 'vif hang').\n";
  return text;
}

std::string run_man_page() {
  std::string text = man_heading("mpirun", "start the ranks of an MPI job");
  text +=
      ".SH SYNOPSIS\n.B mpirun\n[OPTIONS] PROGRAM [ARGUMENTS] [: [OPTIONS] PROGRAM [ARGUMENTS]]...\n.br\n.B mpiexec\n"
      "\\&...\n.br\n.B vif run\n\\&...\n.SH DESCRIPTION\nStarts the ranks of an MPI job on this machine, forwards "
      "their "
      "output line by line, standard input to rank 0 and signals to all, and ends with the job's exit code.\n.PP\n"
      "A rank that is killed, or ends with another code than 0, or ends without MPI_Finalize, ends the job: the others "
      "get SIGTERM and, half a second later, SIGKILL. Processes that ranks leave behind are ended too.\n.PP\nSIGINT, "
      "SIGTERM, SIGHUP and SIGQUIT are forwarded; ranks that have not ended 5 seconds later, or when the signal comes "
      "a "
      "second time, are killed. SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP and SIGCONT are forwarded.\n.SH OPTIONS\n";
  for (const Row& row : rows()) text += man_option(row.help);
  text +=
      ".SH EXIT STATUS\nThat of the first rank that failed; 128 + N when a rank was killed by signal N; the code of "
      "MPI_Abort; 124 when the time is over; 126 or 127 when a program cannot be started; 2 when the command line is "
      "wrong; otherwise 0.\n.SH ENVIRONMENT\nRanks find PMI_FD, PMI_RANK and PMI_SIZE (the PMI-1 protocol), "
      "MPI_LOCALRANKID and MPI_LOCALNRANKS, and the launcher's own VIF_JOB_ID, VIF_JOB_PID and VIF_JOB_SEGMENT_FD.\n"
      ".SH SEE ALSO\n.BR vif (1),\n.BR mpicc (1)\n";
  return text;
}

}  // namespace vif::tool
