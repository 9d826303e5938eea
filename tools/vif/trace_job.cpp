#include "trace_job.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>

#include "text.hpp"

namespace vif::tool {

namespace {

using trace::Event;
using trace::Recorded;
using trace::What;

std::vector<std::string> tapes_in(const std::string& folder) {
  std::vector<std::string> paths;
  DIR* open_folder = opendir(folder.c_str());
  if (open_folder == nullptr) return paths;
  while (const dirent* entry = readdir(open_folder)) {
    const std::string name = entry->d_name;
    if (name.size() > 5 && name.compare(name.size() - 5, 5, ".tape") == 0) paths.push_back(folder + "/" + name);
  }
  closedir(open_folder);
  return paths;
}

void shift(Event& event, int64_t by) {
  event.begin += by;
  event.end += by;
  if (event.what != What::operation) return;
  for (int64_t* time : {&event.started, &event.complete, &event.awaited}) {
    if (*time != 0) *time += by;
  }
}

// Processes of one boot of a machine share a clock; others are brought together by the time of day.
void align(TracedJob& job) {
  const Recorded& first = job.ranks.front();
  int64_t origin = std::numeric_limits<int64_t>::max();
  for (Recorded& rank : job.ranks) {
    const int64_t offset = rank.boot == first.boot ? 0 : rank.real - rank.monotonic - first.real + first.monotonic;
    for (Event& event : rank.events) {
      shift(event, offset);
      origin = std::min(origin, event.begin);
    }
  }
  for (Recorded& rank : job.ranks) {
    for (Event& event : rank.events) {
      shift(event, -origin);
      job.length = std::max(job.length, event.end);
    }
  }
}

Activity activity_of(What what) {
  switch (what) {
    case What::look:
      return Activity::wait;
    case What::sleep:
      return Activity::sleep;
    case What::interrupt:
      return Activity::interrupt;
    case What::helper:
      return Activity::helper;
    case What::copy:
      return Activity::copy;
    default:
      return Activity::call;
  }
}

// The events of one thread lie inside each other or apart: a stack of what is open gives what lies innermost.
class Flattening {
 public:
  Flattening(std::vector<Stretch>& to, bool computes) : to_(to), computes_(computes) {}

  void add(const Event& event) {
    close_until(event.begin);
    until(event.begin);
    open_.push_back(&event);
    cursor_ = std::max(cursor_, event.begin);
    last_ = &event;
  }
  void finish() { close_until(std::numeric_limits<int64_t>::max()); }

 private:
  void close_until(int64_t time) {
    while (!open_.empty() && open_.back()->end <= time) {
      until(open_.back()->end);
      open_.pop_back();
    }
  }
  void until(int64_t time) {
    if (last_ == nullptr) {
      cursor_ = time;
    } else if (time > cursor_) {
      const Event& event = open_.empty() ? *last_ : *open_.back();
      const Activity activity = open_.empty() ? Activity::compute : activity_of(event.what);
      if (!open_.empty() || computes_) {
        to_.push_back({cursor_, time, event.thread, event.cpu, activity, function_of(event)});
      }
      cursor_ = time;
    }
  }
  uint16_t function_of(const Event& event) const {
    for (auto at = open_.rbegin(); at != open_.rend(); ++at) {
      if ((*at)->what == What::call) return (*at)->function;
    }
    return event.function;
  }

  std::vector<Stretch>& to_;
  bool computes_;
  std::vector<const Event*> open_;
  const Event* last_ = nullptr;
  int64_t cursor_ = 0;
};

}  // namespace

uint64_t TracedJob::lost() const {
  uint64_t sum = 0;
  for (const Recorded& rank : ranks) sum += rank.lost;
  return sum;
}

bool read_traced_job(const std::string& folder, TracedJob& job, std::string& error) {
  for (const std::string& path : tapes_in(folder)) {
    Recorded recorded;
    if (!trace::read_tape(path, recorded, error)) return false;
    if (!recorded.events.empty()) job.ranks.push_back(std::move(recorded));
  }
  std::sort(job.ranks.begin(), job.ranks.end(), [](const Recorded& left, const Recorded& right) {
    return std::pair(left.job, left.process) < std::pair(right.job, right.process);
  });
  if (job.ranks.empty()) {
    error =
        "nothing was recorded: the command started no MPI program with Vif's mpirun, or the program does not use Vif's "
        "library.";
    return false;
  }
  align(job);
  return true;
}

std::string name_of_rank(const TracedJob& job, const Recorded& rank) {
  const bool one_job = job.ranks.front().job == job.ranks.back().job;
  return (one_job ? "" : "job " + std::to_string(rank.job) + " ") + "rank " + std::to_string(rank.process);
}

const char* name_of(Activity activity) {
  constexpr const char* names[activities] = {"compute", "MPI", "wait", "sleep", "interrupt", "helper", "copy"};
  return names[static_cast<int>(activity)];
}

std::vector<Stretch> stretches_of(const Recorded& rank) {
  std::map<uint32_t, std::vector<const Event*>> threads;
  for (const Event& event : rank.events) {
    if (event.what != What::operation) threads[event.thread].push_back(&event);
  }
  std::vector<Stretch> stretches;
  for (auto& [thread, events] : threads) {
    std::stable_sort(events.begin(), events.end(), [](const Event* left, const Event* right) {
      return left->begin != right->begin ? left->begin < right->begin : left->end > right->end;
    });
    const bool computes =
        std::any_of(events.begin(), events.end(), [](const Event* event) { return event->what == What::call; });
    Flattening flattening(stretches, computes);
    for (const Event* event : events) flattening.add(*event);
    flattening.finish();
  }
  return stretches;
}

std::string summary_of(const TracedJob& job) {
  char line[256];
  std::snprintf(line, sizeof line, "%zu ranks, %.6f s. Milliseconds:\n", job.ranks.size(),
                static_cast<double>(job.length) / 1e9);
  std::string text = line;
  std::snprintf(line, sizeof line, "  %-12s %10s %10s %10s %10s %10s %8s %10s %8s %10s\n", "", "computing", "in MPI",
                "waiting", "asleep", "copying", "interr.", "", "helper", "");
  text += line;
  for (const Recorded& rank : job.ranks) {
    double spent[activities] = {};
    std::size_t counts[activities] = {};
    for (const Stretch& stretch : stretches_of(rank)) {
      spent[static_cast<int>(stretch.activity)] += static_cast<double>(stretch.end - stretch.begin) / 1e6;
    }
    for (const Event& event : rank.events) ++counts[static_cast<int>(activity_of(event.what))];
    const auto ms = [&](Activity activity) { return spent[static_cast<int>(activity)]; };
    std::snprintf(line, sizeof line, "  %-12s %10.3f %10.3f %10.3f %10.3f %10.3f %8zu %10.3f %8zu %10.3f\n",
                  name_of_rank(job, rank).c_str(), ms(Activity::compute), ms(Activity::call), ms(Activity::wait),
                  ms(Activity::sleep), ms(Activity::copy), counts[static_cast<int>(Activity::interrupt)],
                  ms(Activity::interrupt), counts[static_cast<int>(Activity::helper)], ms(Activity::helper));
    text += line;
  }
  if (job.lost() != 0) {
    text += "  " + std::to_string(job.lost()) + " events found no room: give more with --events.\n";
  }
  return text;
}

}  // namespace vif::tool
