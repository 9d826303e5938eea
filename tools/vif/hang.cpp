// `vif hang`, and the reading of a job's memory. Context: app.
#include "hang.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "base/clock.hpp"
#include "commands.hpp"
#include "machine/cpus.hpp"
#include "mpi/table.hpp"
#include "net/shm/segment.hpp"

namespace vif::tool {

namespace {

using net::shm::ProcessRecord;
using Diary = trace::Diary<net::shm::Atoms>;

// Numbers that name entries of a folder of /proc.
std::vector<int> numbers_in(const std::string& folder) {
  std::vector<int> numbers;
  DIR* open_folder = opendir(folder.c_str());
  if (open_folder == nullptr) return numbers;
  while (const dirent* entry = readdir(open_folder)) {
    char* end;
    const long number = std::strtol(entry->d_name, &end, 10);
    if (end != entry->d_name && *end == '\0') numbers.push_back(static_cast<int>(number));
  }
  closedir(open_folder);
  return numbers;
}

// The path of the job's memory among the descriptors of a process; empty when it has none.
std::string memory_of(int process) {
  const std::string folder = "/proc/" + std::to_string(process) + "/fd";
  for (int descriptor : numbers_in(folder)) {
    const std::string path = folder + "/" + std::to_string(descriptor);
    char target[64] = {};
    if (readlink(path.c_str(), target, sizeof target - 1) > 0 && std::strstr(target, "memfd:vif-job") != nullptr) {
      return path;
    }
  }
  return {};
}

ThreadView view_of(const Diary& diary) {
  ThreadView view;
  view.thread = diary.writer.load(std::memory_order_relaxed);
  view.inside = diary.inside();
  view.begun = diary.begun();
  const uint64_t oldest = view.begun > Diary::entries ? view.begun - Diary::entries : 0;
  for (uint64_t operation = oldest; operation < view.begun; ++operation) {
    trace::Note note;
    if (diary.read(operation, note)) view.last.emplace_back(operation, note);
  }
  return view;
}

bool lives(int process) {
  std::string text;
  if (!machine::read_file("/proc/" + std::to_string(process) + "/stat", text)) return false;
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || text.compare(name_end, 3, ") Z") != 0;
}

RankView view_of(const ProcessRecord& record, int rank) {
  RankView view;
  view.rank = rank;
  view.present = record.present.load(std::memory_order_acquire) != 0;
  if (!view.present) return view;
  view.process = record.address.process;
  view.alive = lives(view.process);
  const int64_t since = record.waiting_since.load(std::memory_order_relaxed);
  if (record.waiting.load(std::memory_order_relaxed) != 0 && since != 0) view.waited_ns = base::now_ns() - since;
  for (const Diary& diary : record.desk.diaries) {
    if (diary.begun() != 0) view.threads.push_back(view_of(diary));
  }
  return view;
}

int complain(const std::string& sentence) {
  std::fprintf(stderr, "vif hang: %s\n", sentence.c_str());
  return 1;
}

int list_jobs(const std::vector<int>& processes) {
  std::string list;
  for (int process : processes) list += " " + std::to_string(process);
  return complain(processes.empty()
                      ? "there is no job of yours on this machine; give the process id of mpirun or of a rank."
                      : "several processes may be meant:" + list + "; give one of them.");
}

void print_help() {
  std::printf(
      "Usage: vif hang [--all] [PID]\n\nSay who waits for what in a running job: like ranks together, and what does "
      "not "
      "fit: a rank that\nis not in the collective of the others, mismatched collectives, tags that differ, rings of "
      "ranks that\nwait for each other. The job is not disturbed. PID is mpirun's or that of any rank; without it, the "
      "only\njob of this user.\n\n"
      "  --all               Also print the last operations of every rank.\n");
}

}  // namespace

bool read_job(int descriptor, std::vector<RankView>& ranks, std::string& sentence) {
  net::shm::Segment segment;
  if (!segment.look(descriptor, sentence)) return false;
  ranks.clear();
  for (int rank = 0; rank < segment.processes(); ++rank) ranks.push_back(view_of(segment.record(rank), rank));
  return true;
}

bool read_job_of(int process, std::vector<RankView>& ranks, std::string& sentence) {
  const std::string path = memory_of(process);
  if (path.empty()) {
    sentence = "process " + std::to_string(process) +
               " is neither mpirun nor a rank of a job of Vif, or belongs to another user.";
    return false;
  }
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    sentence = "the memory of the job cannot be opened (" + path + ": " + std::strerror(errno) + ").";
    return false;
  }
  const bool read = read_job(descriptor, ranks, sentence);
  close(descriptor);
  return read;
}

std::vector<int> processes_of_jobs() {
  std::map<std::string, int> first;  // of each memory, by its name with the inode
  for (int process : numbers_in("/proc")) {
    const std::string path = memory_of(process);
    if (path.empty()) continue;
    struct stat about {};
    if (stat(path.c_str(), &about) != 0) continue;
    const std::string key = std::to_string(about.st_dev) + ":" + std::to_string(about.st_ino);
    first.try_emplace(key, process);
  }
  std::vector<int> processes;
  for (const auto& [key, process] : first) processes.push_back(process);
  return processes;
}

std::string name_of_function(uint16_t function) {
  std::size_t count = 0;
  const char* const* table = mpi::table(count);
  return function < count ? table[function] : "an unknown function";
}

int hang_command(const Arguments& arguments) {
  bool all = false;
  int process = 0;
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      print_help();
      return 0;
    }
    char* end;
    const long number = std::strtol(argument.c_str(), &end, 10);
    if (argument == "--all") {
      all = true;
    } else if (*end == '\0' && number > 0 && process == 0) {
      process = static_cast<int>(number);
    } else {
      return complain("'" + argument + "' is neither --all nor a process id; see vif hang --help.") + 1;
    }
  }
  if (process == 0) {
    const std::vector<int> candidates = processes_of_jobs();
    if (candidates.size() != 1) return list_jobs(candidates);
    process = candidates.front();
  }
  std::vector<RankView> ranks;
  std::string sentence;
  if (!read_job_of(process, ranks, sentence)) return complain(sentence);
  std::fputs(hang_report(ranks, name_of_function, all).c_str(), stdout);
  return 0;
}

}  // namespace vif::tool
