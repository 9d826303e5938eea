// vif sim: a collective beside a computation on a simulated machine. Context: app.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "coll/split.hpp"
#include "commands.hpp"
#include "installation.hpp"
#include "places.hpp"
#include "sim/scenario.hpp"

namespace vif::tool {

namespace {

using machine::ProgressPlace;
using sim::JobOptions;
using sim::Machine;
using sim::Measured;
using sim::Mode;
using sim::Scenario;
using sim::Turns;

constexpr const char* mode_names[] = {"react", "thread", "poll", "tasks"};
constexpr const char* turns_names[] = {"round-robin", "suspended", "on-events"};

struct Wanted {
  std::string machine = "knl-64";
  std::string mode = "react";
  std::string place = "numa";
  std::string turns = "on-events";
  std::string split = "none";
  std::string study;
  std::string perfetto;
  std::string paje;
  double compute_us = -1;
  bool show_machine = false;
  JobOptions options;
  Scenario scenario;
};

int wrong(const std::string& sentence) {
  std::fprintf(stderr, "vif sim: %s\n", sentence.c_str());
  return 2;
}

// A file, or the name of one that is installed, or that lies in the source tree of a build tree.
std::string machine_file(const std::string& name) {
  if (name.find('/') != std::string::npos || name.find(".json") != std::string::npos) return name;
  const std::string prefix = own_prefix();
  const std::string file = "/" + name + ".json";
  const bool built_here = prefix == build_folder;
  return (built_here ? std::string(source_folder) + "/src/sim/machines" : prefix + "/share/vif/machines") + file;
}

template <std::size_t Count>
std::string take_name(const char* const (&names)[Count], const std::string& name, const char* option, int& value) {
  std::string known;
  for (std::size_t index = 0; index < Count; ++index) {
    if (name == names[index]) return value = static_cast<int>(index), "";
    known += std::string(index == 0 ? "" : ", ") + names[index];
  }
  return std::string(option) + ": there is no '" + name + "'; give one of " + known + ".";
}

std::string take(Wanted& wanted) {
  int value = 0;
  if (std::string error = take_name(mode_names, wanted.mode, "--mode", value); !error.empty()) return error;
  wanted.options.engine.mode = static_cast<Mode>(value);
  if (std::string error = take_name(turns_names, wanted.turns, "--turns", value); !error.empty()) return error;
  wanted.options.engine.turns = static_cast<Turns>(value);
  if (!machine::place_of(wanted.place, wanted.options.place)) {
    return "--place: there is no '" + wanted.place + "'; give bind, numa, dedicated-core, smt or pair-impair.";
  }
  if (wanted.split == "model") {
    wanted.scenario.split = -2;
  } else if (wanted.split != "none") {
    char* end = nullptr;
    const long split = std::strtol(wanted.split.c_str(), &end, 10);
    if (end == wanted.split.c_str() || *end != 0 || split < 0 || split > 30) {
      return "--split: '" + wanted.split + "' is not none, model, or a number of steps from 0.";
    }
    wanted.scenario.split = static_cast<int>(split);
  }
  return {};
}

double us(sim::Time ns) { return static_cast<double>(ns) / 1000; }

// The computation that as many ranks as cores would just hide, shared among fewer (equations 5.3 and 5.4).
double model_computation(const Machine& machine, const Scenario& scenario, int ranks) {
  return coll::split_computation(ranks, machine.numa_nodes * machine.cores, coll::Weights::constant) *
         message_time(machine, scenario);
}

int fail(const Measured& measured) { return wrong(measured.error); }

int run_one(const Machine& machine, Wanted& wanted) {
  Scenario& scenario = wanted.scenario;
  scenario.compute_ns =
      wanted.compute_us >= 0 ? wanted.compute_us * 1000 : model_computation(machine, scenario, wanted.options.ranks);
  const Measured result = measure(machine, wanted.options, scenario);
  if (!result.error.empty()) return fail(result);
  std::printf("%s of %llu bytes, %d ranks on %s, seed %llu\n", scenario.collective.c_str(),
              static_cast<unsigned long long>(scenario.bytes), wanted.options.ranks, machine.name.c_str(),
              static_cast<unsigned long long>(scenario.seed));
  std::printf("  collective alone     %14.3f us\n  computation alone    %14.3f us\n  both                 %14.3f us\n",
              us(result.alone), us(result.compute), us(result.both));
  std::printf("  overlap              %14.1f %%  (not clamped: %.1f %%)\n", result.overlap() * 100,
              result.unclamped_overlap() * 100);
  std::printf("  messages moved       %14llu by the application, %llu by others\n",
              static_cast<unsigned long long>(result.by_application),
              static_cast<unsigned long long>(result.by_others));
  if (result.split >= 0) std::printf("  steps split off      %14d\n", result.split);
  if (wanted.options.engine.mode == Mode::thread) {
    std::printf("  turns of a progress thread %8.1f\n", result.turns_of_progress);
  }
  std::printf("  digest               %#14llx\n", static_cast<unsigned long long>(result.digest));
  if (wanted.perfetto.empty() && wanted.paje.empty()) return 0;
  sim::Trace trace;
  Measured unused;
  run_once(machine, wanted.options, scenario, true, true, unused, &trace);
  for (const std::string* path : {&wanted.perfetto, &wanted.paje}) {
    if (path->empty()) continue;
    std::ofstream file(*path);
    path == &wanted.paje ? trace.write_paje(file, machine) : trace.write_perfetto(file, machine);
    file.close();
    if (!file) return wrong("The trace cannot be written to " + *path + ": is there room, and may you write there?");
  }
  return 0;
}

// S of split-tree for each number of ranks, from half of the cores on.
int study_split(const Machine& machine, Wanted& wanted) {
  const int cores = machine.numa_nodes * machine.cores;
  const int most = coll::tree_steps(cores);
  std::printf(
      "%s of %llu bytes on %s: milliseconds of both, by S (the source's model: S=", wanted.scenario.collective.c_str(),
      static_cast<unsigned long long>(wanted.scenario.bytes), machine.name.c_str());
  std::printf("0 is best at as few ranks as hide it)\nranks computation");
  for (int split = 0; split <= most; ++split) std::printf("      S=%d", split);
  std::printf("  model  best  lost\n");
  for (int ranks = cores / 2; ranks <= cores; ++ranks) {
    const JobOptions options = sim::source_job(ranks, ProgressPlace::numa, Turns::on_events);
    Scenario scenario = wanted.scenario;
    scenario.compute_ns = model_computation(machine, scenario, ranks);
    std::printf("%5d %11.3f", ranks, scenario.compute_ns / 1e6);
    std::vector<sim::Time> times;
    for (int split = 0; split <= coll::tree_steps(ranks); ++split) {
      scenario.split = split;
      Measured measured;
      times.push_back(run_once(machine, options, scenario, true, true, measured));
      if (!measured.error.empty()) return fail(measured);
      std::printf("%9.3f", us(times.back()) / 1000);
    }
    for (int split = coll::tree_steps(ranks); split < most; ++split) std::printf("        -");
    const int chosen = coll::choose_split(ranks, cores, coll::Weights::constant);
    const auto best = std::min_element(times.begin(), times.end());
    const double lost = static_cast<double>(times[static_cast<std::size_t>(chosen)]) / static_cast<double>(*best) - 1;
    std::printf("  %5d %5d %4.1f%%\n", chosen, static_cast<int>(best - times.begin()), lost * 100);
  }
  return 0;
}

struct ChainCase {
  const char* what;
  ProgressPlace place;
  Turns turns;
  const char* collective;
};

constexpr ChainCase chain_cases[] = {
    {"bind, round-robin", ProgressPlace::bind, Turns::round_robin, "scan-chain"},
    {"numa, round-robin", ProgressPlace::numa, Turns::round_robin, "scan-chain"},
    {"numa, suspended", ProgressPlace::numa, Turns::suspended, "scan-chain"},
    {"numa, on events", ProgressPlace::numa, Turns::on_events, "scan-chain"},
    {"numa, semaphores", ProgressPlace::numa, Turns::on_events, "scan-chain-ordered"},
    {"pair-impair, round-robin", ProgressPlace::pair_impair, Turns::round_robin, "scan-chain"},
    {"pair-impair, suspended", ProgressPlace::pair_impair, Turns::suspended, "scan-chain"},
    {"pair-impair, on events", ProgressPlace::pair_impair, Turns::on_events, "scan-chain"},
};

// The median of runs in which ranks begin in different orders.
int print_chain(const Machine& machine, const Scenario& wanted, const ChainCase& each, int ranks, int copies) {
  std::printf("%-28s", each.what);
  for (uint64_t bytes : {uint64_t{8}, uint64_t{64} << 10, uint64_t{2} << 20}) {
    std::vector<sim::Time> times;
    Measured measured;
    for (uint64_t seed = wanted.seed; seed < wanted.seed + 9; ++seed) {
      Scenario scenario = wanted;
      scenario.collective = each.collective;
      scenario.bytes = bytes;
      scenario.seed = seed;
      JobOptions options = sim::source_job(ranks, each.place, each.turns);
      options.shuffle_threads = true;
      options.engine.copies = copies;
      times.push_back(run_once(machine, options, scenario, true, false, measured));
      if (!measured.error.empty()) return fail(measured);
    }
    std::sort(times.begin(), times.end());
    std::printf(" %14.1f %8.1f", us(times[4]), measured.turns_of_progress);
  }
  std::printf("\n");
  return 0;
}

// Where and when the progress threads of a chain run.
int study_chain(const Machine& machine, Wanted& wanted) {
  const int cores = machine.numa_nodes * machine.cores;
  for (int ranks : {cores - 2, cores - 1}) {
    for (int copies : {1, 2}) {
      std::printf(
          "Iscan as a chain of %d ranks on %s, long messages copied %s: microseconds (median of 9 orders in which\n"
          "ranks begin), and turns of a progress thread\n%-28s %23s %23s %23s\n",
          ranks, machine.name.c_str(), copies == 1 ? "once" : "twice", "", "8 bytes", "64 KiB", "2 MiB");
      for (const ChainCase& each : chain_cases) {
        const bool pairs = each.place == ProgressPlace::pair_impair;
        if (pairs && ranks == cores - 1) continue;
        if (const int code = print_chain(machine, wanted.scenario, each, ranks, copies); code != 0) return code;
      }
    }
  }
  return 0;
}

void add_options(CLI::App& app, Wanted& wanted) {
  app.add_option("--machine", wanted.machine, "A machine by name, or a file that describes one.")
      ->capture_default_str();
  app.add_flag("--show-machine", wanted.show_machine, "Print its parameters with their sources.");
  app.add_option("--ranks", wanted.options.ranks, "Ranks.")->capture_default_str();
  app.add_option("--collective", wanted.scenario.collective, "reduce, bcast, scan-chain, ...")->capture_default_str();
  app.add_option("--bytes", wanted.scenario.bytes, "The vector, or the block of one rank.")->capture_default_str();
  app.add_option("--mode", wanted.mode, "Who moves messages: react, thread, poll, tasks.")->capture_default_str();
  app.add_option("--place", wanted.place, "Of progress threads: bind, numa, dedicated-core, smt, pair-impair.")
      ->capture_default_str();
  app.add_option("--turns", wanted.turns, "Of progress threads: round-robin, suspended, on-events.")
      ->capture_default_str();
  app.add_option("--priority", wanted.options.progress_priority, "Of progress threads, 0 to 20.")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  app.add_option("--take-over", wanted.options.engine.take_over, "Who waits does what progress threads have not done.")
      ->capture_default_str();
  app.add_option("--eager", wanted.options.engine.eager_limit, "Longest message sent at once, in bytes.")
      ->capture_default_str();
  app.add_option("--copies", wanted.options.engine.copies, "Of a long message within a node.")
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  app.add_option("--split", wanted.split, "Steps of split-tree by the application: none, model, or a number.")
      ->capture_default_str();
  app.add_option("--compute", wanted.compute_us,
                 "Microseconds of computation; else what the model of split-tree takes.");
  app.add_option("--seed", wanted.scenario.seed, "Of everything random.")->capture_default_str();
  app.add_flag("--shuffle", wanted.options.shuffle_threads, "Ranks begin in an order that the seed gives.");
  app.add_option("--jitter", wanted.scenario.chaos.jitter, "Work takes up to this part longer.")->capture_default_str();
  app.add_option("--perfetto", wanted.perfetto, "Write a trace for ui.perfetto.dev to this file.");
  app.add_option("--paje", wanted.paje, "Write a trace for ViTE to this file.");
  app.add_option("--study", wanted.study, "A table instead: split or chain.");
}

}  // namespace

int sim_command(const Arguments& arguments) {
  Wanted wanted;
  wanted.options.ranks = 62;
  CLI::App app("A non-blocking collective beside a computation, on a simulated machine.", "vif sim");
  add_options(app, wanted);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::printf("%s", app.help().c_str());
    return 0;
  } catch (const CLI::ParseError& error) {
    return wrong(std::string(error.what()) + ". 'vif sim --help' lists the options.");
  }
  if (const std::string error = take(wanted); !error.empty()) return wrong(error);
  std::string error;
  const Machine machine = sim::read_machine(machine_file(wanted.machine), error);
  if (!error.empty()) return wrong(error);
  if (wanted.show_machine) {
    std::printf("%s: %s\n", machine.name.c_str(), machine.what.c_str());
    for (const Machine::Source& source : machine.sources) {
      std::printf("  %-22s %12g  %s\n", source.parameter.c_str(), source.value, source.source.c_str());
    }
    return 0;
  }
  if (wanted.study == "split") return study_split(machine, wanted);
  if (wanted.study == "chain") return study_chain(machine, wanted);
  if (!wanted.study.empty()) return wrong("--study: there is no '" + wanted.study + "'; give split or chain.");
  return run_one(machine, wanted);
}

}  // namespace vif::tool
