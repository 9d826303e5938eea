// `vif trace`, and the overlap report that mpirun makes on demand. Context: app.
#include "trace.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/options.hpp"
#include "commands.hpp"
#include "trace_folder.hpp"
#include "trace_job.hpp"
#include "trace_overlap.hpp"

namespace vif::tool {

namespace {

struct Wanted {
  std::vector<std::string> traces;
  std::string json;
  bool overlap = false;
  std::string events;
  std::vector<std::string> command;
};

int wrong(const std::string& sentence) {
  std::fprintf(stderr, "vif trace: %s\n", sentence.c_str());
  return 2;
}

void print_help() {
  std::printf(
      "Usage: vif trace [OPTIONS] [--] COMMAND...\n\nRun COMMAND, which starts an MPI program with mpirun, record what "
      "its "
      "ranks do, and say where the time went.\nThe program is not compiled again.\n\n"
      "  -o FILE             Write the trace: for ViTE when FILE ends in .trace or .paje, else for ui.perfetto.dev.\n"
      "                      May be given twice. Default: vif-trace.json, unless --overlap is given.\n"
      "  --overlap           Say for each call that starts something non-blocking how much of it was hidden behind\n"
      "                      computation, how long it was waited for, and by what it was found complete.\n"
      "  --json FILE         Write that report as JSON.\n"
      "  --events N          How many events a rank may record [1048576]; the rest is counted and dropped.\n\n"
      "VIF_OVERLAP_REPORT=1 mpirun ... prints the overlap report alone; VIF_OVERLAP_REPORT=FILE writes it as JSON.\n");
}

// An empty sentence: all is well.
std::string read_arguments(const Arguments& arguments, Wanted& wanted) {
  std::size_t at = 0;
  for (; at < arguments.size(); ++at) {
    const std::string& word = arguments[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.empty() || word[0] != '-') break;
    if (word == "--overlap") {
      wanted.overlap = true;
      continue;
    }
    if (word != "-o" && word != "--json" && word != "--events") return "'" + word + "' is not an option; see --help.";
    if (++at == arguments.size()) return word + " needs a value.";
    if (word == "-o") {
      wanted.traces.push_back(arguments[at]);
    } else if (word == "--json") {
      wanted.json = arguments[at];
    } else {
      wanted.events = arguments[at];
      const bool number = wanted.events.find_first_not_of("0123456789") == std::string::npos;
      if (!number || wanted.events.empty() || wanted.events.size() > 9 || wanted.events == "0") {
        return "--events '" + wanted.events + "' is not a number from 1 to 999999999.";
      }
    }
  }
  wanted.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(std::min(at, arguments.size())),
                        arguments.end());
  if (wanted.command.empty()) return "there is no command to run; see --help.";
  if (wanted.traces.empty() && !wanted.overlap && wanted.json.empty()) wanted.traces.push_back("vif-trace.json");
  return {};
}

// Its exit code, as a shell gives it. Signals of the keyboard are the command's to answer.
int run_to_end(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[0], words.data());
    std::fprintf(stderr, "vif trace: cannot start %s: %s.\n", words[0], std::strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
  }
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  if (child < 0) return wrong(std::string("no process can be made: ") + std::strerror(errno) + ".");
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return static_cast<bool>(file);
}

// False when a file could not be written.
bool write_traces(const TracedJob& job, const Wanted& wanted) {
  for (const std::string& path : wanted.traces) {
    const bool paje = ends_with(path, ".trace") || ends_with(path, ".paje");
    if (!(paje ? write_paje(job, path) : write_perfetto(job, path))) {
      wrong("the trace cannot be written to " + path + ": is there room, and may you write there?");
      return false;
    }
    std::fprintf(stderr, "vif trace: %s is for %s.\n", path.c_str(), paje ? "ViTE" : "https://ui.perfetto.dev");
  }
  return true;
}

}  // namespace

int trace_command(const Arguments& arguments) {
  for (const std::string& word : arguments) {
    if (word == "--") break;
    if (word == "--help" || word == "-h") {
      print_help();
      return 0;
    }
    if (word.empty() || word[0] != '-') break;
  }
  Wanted wanted;
  if (const std::string sentence = read_arguments(arguments, wanted); !sentence.empty()) return wrong(sentence);
  if (!wanted.events.empty()) setenv("VIF_JOB_TRACE_EVENTS", wanted.events.c_str(), 1);
  TraceFolder folder;
  std::string error;
  if (!folder.make(error)) return wrong(error);
  const int code = run_to_end(wanted.command);
  TracedJob job;
  if (!read_traced_job(folder.path(), job, error)) {
    wrong(error);
    return code != 0 ? code : 1;
  }
  std::fputs(summary_of(job).c_str(), stdout);
  bool written = write_traces(job, wanted);
  if (wanted.overlap || !wanted.json.empty()) {
    const OverlapReport report = overlap_of(job);
    if (wanted.overlap) std::fputs(text_of(report).c_str(), stdout);
    if (!wanted.json.empty() && !write_text(wanted.json, json_of(report))) {
      written = false;
      wrong("the report cannot be written to " + wanted.json + ".");
    }
  }
  return code != 0 ? code : written ? 0 : 1;
}

bool OverlapOnDemand::prepare(std::string& error) {
  where_ = base::option("VIF_OVERLAP_REPORT");
  if (where_ == "0" || std::getenv("VIF_JOB_TRACE") != nullptr) return true;
  wanted_ = true;
  return folder_.make(error);
}

void OverlapOnDemand::report() {
  if (!wanted_) return;
  TracedJob job;
  std::string error;
  if (!read_traced_job(folder_.path(), job, error)) {
    std::fprintf(stderr, "vif run: There is no overlap report: %s\n", error.c_str());
    return;
  }
  const OverlapReport report = overlap_of(job);
  if (where_ == "1") {
    std::fputs(text_of(report).c_str(), stderr);
  } else if (!write_text(where_, json_of(report))) {
    std::fprintf(stderr, "vif run: The overlap report cannot be written to %s.\n", where_.c_str());
  }
}

}  // namespace vif::tool
