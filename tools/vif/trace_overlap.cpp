#include "trace_overlap.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "hang.hpp"
#include "sites.hpp"
#include "trace/formats.hpp"

namespace vif::tool {

namespace {

using trace::Event;
using trace::Reaction;
using trace::Recorded;
using trace::What;

constexpr const char* reaction_names[trace::reactions] = {"",           "at once", "interrupt", "helper",
                                                          "other call", "peer",    "waiting"};
constexpr std::size_t most_waitings = 20;

double ms(int64_t ns) { return static_cast<double>(ns) / 1e6; }

std::string maps_of(const Recorded& rank) { return rank.path.substr(0, rank.path.rfind('.')) + ".maps"; }

// When the peers of a process copied to it or from it, in order.
std::map<int, std::vector<int64_t>> copies_for(const TracedJob& job) {
  std::map<int, std::vector<int64_t>> ends;
  for (const Recorded& rank : job.ranks) {
    for (const Event& event : rank.events) {
      if (event.what == What::copy) ends[static_cast<int>(event.started)].push_back(event.end);
    }
  }
  for (auto& [process, list] : ends) std::sort(list.begin(), list.end());
  return ends;
}

// Until when an operation moved beside the computation of the program that started it.
int64_t hidden_until(const Event& event, const std::vector<int64_t>& copies) {
  int64_t until = event.complete == 0 ? event.started : event.complete;
  if (event.reaction == Reaction::peer) {
    // The last that a peer copied before the program came; of a short message nobody knows when it came.
    const auto after = std::upper_bound(copies.begin(), copies.end(), event.awaited);
    if (after != copies.begin() && *(after - 1) > event.started) until = *(after - 1);
  }
  return std::clamp(until, event.started, std::max(event.started, event.awaited));
}

template <class Site>
Site& site_in(std::map<std::pair<std::string, std::string>, Site>& sites, const std::string& place, uint16_t function) {
  const std::string name = name_of_function(function);
  Site& site = sites[{place, name}];
  site.place = place;
  site.function = name;
  return site;
}

// What the calls of a process waited inside, by the order of their events: a wait ends before the call that it is in.
void add_waitings(const Recorded& rank, const Sites& sites,
                  std::map<std::pair<std::string, std::string>, WaitingSite>& waitings) {
  std::map<uint32_t, int64_t> waited;  // by thread, since its last call ended
  for (const Event& event : rank.events) {
    if (event.what == What::look) waited[event.thread] += event.end - event.begin;
    if (event.what != What::call) continue;
    const int64_t inside = std::exchange(waited[event.thread], 0);
    if (inside == 0) continue;
    WaitingSite& site = site_in(waitings, sites.name(maps_of(rank), event.site), event.function);
    ++site.times;
    site.spent_ms += ms(event.end - event.begin);
    site.waited_ms += ms(std::min(inside, event.end - event.begin));
  }
}

template <class Site>
std::vector<Site> longest_first(std::map<std::pair<std::string, std::string>, Site>& sites) {
  std::vector<Site> list;
  for (auto& [key, site] : sites) list.push_back(std::move(site));
  std::stable_sort(list.begin(), list.end(),
                   [](const Site& left, const Site& right) { return left.waited_ms > right.waited_ms; });
  return list;
}

}  // namespace

double OverlapSite::hidden_part() const {
  const double all = hidden_ms + waited_ms + start_ms;
  return all > 0 ? hidden_ms / all : 0;
}

OverlapReport overlap_of(const TracedJob& job) {
  Sites names;
  for (const Recorded& rank : job.ranks) {
    for (const Event& event : rank.events) {
      if (event.site != 0) names.add(maps_of(rank), event.site);
    }
  }
  names.resolve();
  const auto copies = copies_for(job);
  std::map<std::pair<std::string, std::string>, OverlapSite> sites;
  std::map<std::pair<std::string, std::string>, WaitingSite> waitings;
  for (const Recorded& rank : job.ranks) {
    const auto found = copies.find(rank.process);
    const std::vector<int64_t> none;
    const std::vector<int64_t>& own_copies = found == copies.end() ? none : found->second;
    for (const Event& event : rank.events) {
      if (event.what != What::operation) continue;
      OverlapSite& site = site_in(sites, names.name(maps_of(rank), event.site), event.function);
      ++site.times;
      site.bytes += event.bytes;
      site.start_ms += ms(event.started - event.begin);
      site.hidden_ms += ms(hidden_until(event, own_copies) - event.started);
      site.waited_ms += ms(event.waited);
      ++site.by[static_cast<std::size_t>(event.reaction)];
    }
    add_waitings(rank, names, waitings);
  }
  OverlapReport report;
  report.ranks = job.ranks.size();
  report.length_ms = ms(job.length);
  report.lost = job.lost();
  report.sites = longest_first(sites);
  report.waitings = longest_first(waitings);
  return report;
}

std::string text_of(const OverlapReport& report) {
  char line[512];
  std::snprintf(
      line, sizeof line,
      "Overlap by call, %zu ranks together, %.3f ms. Milliseconds: hidden beside computation, in the call that "
      "starts,\nwaited for; then how many were found complete by what.\n",
      report.ranks, report.length_ms);
  std::string text = line;
  std::snprintf(line, sizeof line, "  %-40s %-22s %8s %10s %10s %9s %10s %7s %s\n", "place", "call", "times",
                "bytes each", "hidden", "starting", "waited", "hidden", "complete by");
  text += line;
  for (const OverlapSite& site : report.sites) {
    std::string by;
    for (int which = 1; which < trace::reactions; ++which) {
      const uint64_t count = site.by[static_cast<std::size_t>(which)];
      if (count != 0) by += (by.empty() ? "" : ", ") + std::string(reaction_names[which]) + " " + std::to_string(count);
    }
    std::snprintf(line, sizeof line, "  %-40s %-22s %8llu %10llu %10.3f %9.3f %10.3f %5.0f %% %s\n", site.place.c_str(),
                  site.function.c_str(), static_cast<unsigned long long>(site.times),
                  static_cast<unsigned long long>(site.times == 0 ? 0 : site.bytes / site.times), site.hidden_ms,
                  site.start_ms, site.waited_ms, 100 * site.hidden_part(), by.c_str());
    text += line;
  }
  if (report.sites.empty()) text += "  The program starts nothing that does not block.\n";
  std::snprintf(line, sizeof line, "Calls that waited for others:\n  %-40s %-22s %8s %10s %10s\n", "place", "call",
                "times", "in it", "waiting");
  text += line;
  for (std::size_t at = 0; at < std::min(report.waitings.size(), most_waitings); ++at) {
    const WaitingSite& site = report.waitings[at];
    std::snprintf(line, sizeof line, "  %-40s %-22s %8llu %10.3f %10.3f\n", site.place.c_str(), site.function.c_str(),
                  static_cast<unsigned long long>(site.times), site.spent_ms, site.waited_ms);
    text += line;
  }
  if (report.lost != 0) text += std::to_string(report.lost) + " events found no room and are missing here.\n";
  return text;
}

std::string json_of(const OverlapReport& report) {
  char line[512];
  std::snprintf(line, sizeof line, "{\"ranks\": %zu, \"length_ms\": %.6f, \"lost_events\": %llu, \"operations\": [",
                report.ranks, report.length_ms, static_cast<unsigned long long>(report.lost));
  std::string text = line;
  for (const OverlapSite& site : report.sites) {
    std::snprintf(line, sizeof line,
                  "\"times\": %llu, \"bytes\": %llu, \"start_ms\": %.6f, \"hidden_ms\": %.6f, \"waited_ms\": %.6f, "
                  "\"hidden_part\": %.4f, \"complete_by\": {",
                  static_cast<unsigned long long>(site.times), static_cast<unsigned long long>(site.bytes),
                  site.start_ms, site.hidden_ms, site.waited_ms, site.hidden_part());
    text += (&site == report.sites.data() ? "\n" : ",\n") + std::string("{\"place\": ") + trace::quoted(site.place) +
            ", \"call\": " + trace::quoted(site.function) + ", " + line;
    for (int which = 1; which < trace::reactions; ++which) {
      text += std::string(which == 1 ? "" : ", ") + trace::quoted(reaction_names[which]) + ": " +
              std::to_string(site.by[static_cast<std::size_t>(which)]);
    }
    text += "}}";
  }
  text += "],\n\"waiting\": [";
  for (const WaitingSite& site : report.waitings) {
    std::snprintf(line, sizeof line, "\"times\": %llu, \"spent_ms\": %.6f, \"waited_ms\": %.6f}",
                  static_cast<unsigned long long>(site.times), site.spent_ms, site.waited_ms);
    text += (&site == report.waitings.data() ? "\n" : ",\n") + std::string("{\"place\": ") + trace::quoted(site.place) +
            ", \"call\": " + trace::quoted(site.function) + ", " + line;
  }
  return text + "]}\n";
}

}  // namespace vif::tool
