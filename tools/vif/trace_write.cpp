// The files that show a trace: a row for each CPU, and rows for each rank. Context: app.
#include <algorithm>
#include <fstream>
#include <map>

#include "hang.hpp"
#include "trace/formats.hpp"
#include "trace_job.hpp"

namespace vif::tool {

namespace {

using trace::Event;
using trace::Recorded;
using trace::What;

constexpr int cpu_process = 1'000'000;  // of Perfetto's rows of CPUs: no rank has that number
constexpr int first_rank_row = 100'000;

std::string what_it_is(const Event& event) {
  switch (event.what) {
    case What::call:
    case What::operation:
      return name_of_function(event.function);
    case What::look:
      return "wait";
    case What::sleep:
      return "sleep";
    case What::interrupt:
      return "interrupt";
    case What::helper:
      return "helper";
    default:
      return "copy";
  }
}

// By CPU, in order and without overlaps: a thread may have moved in the middle of a stretch.
std::map<int, std::vector<std::pair<Stretch, std::size_t>>> by_cpu(const TracedJob& job) {
  std::map<int, std::vector<std::pair<Stretch, std::size_t>>> cpus;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    for (const Stretch& stretch : stretches_of(job.ranks[rank])) cpus[stretch.cpu].push_back({stretch, rank});
  }
  for (auto& [cpu, list] : cpus) {
    // Who sleeps has no CPU.
    list.erase(std::remove_if(list.begin(), list.end(),
                              [](const auto& each) { return each.first.activity == Activity::sleep; }),
               list.end());
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& left, const auto& right) { return left.first.begin < right.first.begin; });
    int64_t end = 0;
    for (auto& [stretch, rank] : list) {
      stretch.begin = std::max(stretch.begin, end);
      stretch.end = std::max(stretch.begin, stretch.end);
      end = stretch.end;
    }
  }
  return cpus;
}

void write_operation(trace::PerfettoWriter& writer, int process, const Event& event) {
  constexpr const char* reactions[trace::reactions] = {"",           "at once", "interrupt", "helper",
                                                       "other call", "peer",    "waiting"};
  const std::string how = reactions[static_cast<int>(event.reaction)];
  writer.operation(process, event.begin, event.end, name_of_function(event.function) + ": " + how,
                   "\"bytes\":" + std::to_string(event.bytes) + ",\"waited_ns\":" + std::to_string(event.waited) +
                       ",\"completed_by\":" + trace::quoted(how));
}

std::string color_of(Activity activity) {
  constexpr const char* colors[activities] = {"0.85 0.2 0.2", "0.2 0.35 0.85", "0.2 0.7 0.3", "1.0 0.6 0.1",
                                              "0.6 0.2 0.8",  "0.3 0.7 0.9",   "0.1 0.2 0.5"};
  return colors[static_cast<int>(activity)];
}

std::string alias_of(Activity activity) { return "A" + std::to_string(static_cast<int>(activity)); }

}  // namespace

bool write_perfetto(const TracedJob& job, const std::string& path) {
  std::ofstream file(path);
  trace::PerfettoWriter writer(file);
  for (std::size_t index = 0; index < job.ranks.size(); ++index) {
    const Recorded& rank = job.ranks[index];
    const int process = static_cast<int>(index);
    writer.name_process(process, name_of_rank(job, rank) + ": " + rank.program + " on " + rank.host);
    for (const Event& event : rank.events) {
      if (event.what == What::operation) {
        write_operation(writer, process, event);
      } else {
        writer.span(process, static_cast<int>(event.thread), event.begin, event.end, what_it_is(event),
                    what_it_is(event), event.bytes == 0 ? "" : "\"bytes\":" + std::to_string(event.bytes));
      }
    }
  }
  writer.name_process(cpu_process, "CPUs");
  for (const auto& [cpu, list] : by_cpu(job)) {
    writer.name_thread(cpu_process, cpu, "CPU " + std::to_string(cpu));
    for (const auto& [stretch, rank] : list) {
      const std::string activity = name_of(stretch.activity);
      writer.span(cpu_process, cpu, stretch.begin, stretch.end, activity,
                  name_of_rank(job, job.ranks[rank]) + ": " + activity);
    }
  }
  writer.finish();
  file.close();
  return static_cast<bool>(file);
}

bool write_paje(const TracedJob& job, const std::string& path) {
  std::ofstream file(path);
  trace::PajeWriter writer(file, "Job", "Row");
  for (int activity = 0; activity < activities; ++activity) {
    const auto each = static_cast<Activity>(activity);
    writer.define_state(alias_of(each), name_of(each), color_of(each));
  }
  writer.define_state("I", "nothing", "0.9 0.9 0.9");
  writer.add_whole(job.ranks.front().program);
  const auto cpus = by_cpu(job);
  for (const auto& [cpu, list] : cpus) writer.add_row(cpu, "CPU " + std::to_string(cpu), "I");
  int row = first_rank_row;
  std::vector<std::pair<int, Stretch>> rows;
  for (const Recorded& rank : job.ranks) {
    std::map<uint32_t, int> threads;
    for (const Stretch& stretch : stretches_of(rank)) {
      const auto [known, added] = threads.try_emplace(stretch.thread, row);
      const bool main = stretch.thread == rank.main_thread;
      if (added) {
        const std::string thread = main ? "" : ", thread " + std::to_string(stretch.thread);
        writer.add_row(row++, name_of_rank(job, rank) + thread, "I");
      }
      rows.emplace_back(known->second, stretch);
    }
  }
  for (const auto& [cpu, list] : cpus) {
    for (const auto& [stretch, rank] : list) {
      writer.state(stretch.begin, stretch.end, cpu, alias_of(stretch.activity), "I");
    }
  }
  for (const auto& [at, stretch] : rows) writer.state(stretch.begin, stretch.end, at, alias_of(stretch.activity), "I");
  writer.finish();
  file.close();
  return static_cast<bool>(file);
}

}  // namespace vif::tool
