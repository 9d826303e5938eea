// `vif info`: what this library has, what can be set, and what this machine offers. Context: app.
//
// Every section is a JSON value; the text that a terminal shows is made from it, so that both say the same.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/options.hpp"
#include "bell/interrupt.hpp"
#include "coll/area_limit.hpp"
#include "coll/choice.hpp"
#include "commands.hpp"
#include "machine/cpus.hpp"
#include "machine/places.hpp"
#include "machine/progress_seats.hpp"
#include "machine_facts.hpp"
#include "mpi/table.hpp"
#include "net/tcp/card.hpp"
#include "sched/stall.hpp"
#include "version.hpp"

namespace vif::tool {

namespace {

using Json = nlohmann::ordered_json;

Json mpi_section(bool with_names) {
  std::size_t count = 0;
  const char* const* table = mpi::table(count);
  Json section = {{"total", count}, {"built", count}};
  if (with_names) section["built_names"] = std::vector<std::string>(table, table + count);
  return section;
}

Json options_section() {
  std::size_t count = 0;
  const base::Option* table = base::options(count);
  Json list = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back({{"name", table[i].name},
                    {"value", base::option(table[i].name)},
                    {"default", table[i].default_value},
                    {"values", table[i].values},
                    {"help", table[i].help}});
  }
  return list;
}

Json machine_section() {
  Json list = Json::array();
  for (const Fact& fact : machine_facts()) {
    list.push_back({{"name", fact.name}, {"value", fact.value}, {"meaning", fact.meaning}});
  }
  return list;
}

Json links_section() {
  std::vector<net::tcp::Address> addresses;
  std::string where, error;
  if (net::tcp::find_addresses(base::option("VIF_TCP_INTERFACES"), false, addresses, error)) {
    for (const net::tcp::Address& address : addresses) where += (where.empty() ? "" : ", ") + address.text();
  } else {
    where = "none (" + error + ")";
  }
  const bool tcp_only = base::option("VIF_LINKS") == "tcp";
  return {{{"name", "shared memory"},
           {"value", tcp_only ? "not used (VIF_LINKS=tcp)" : "yes"},
           {"meaning", "between processes of one host"}},
          {{"name", "tcp"},
           {"value", where},
           {"meaning", "between hosts: the addresses of this one that the others are told (VIF_TCP_INTERFACES)"}},
          {{"name", "this host"},
           {"value", net::tcp::own_host(base::option("VIF_HOST"))},
           {"meaning", "what tells it from others (VIF_HOST)"}}};
}

Json signals_section() {
  Json list = Json::array();
  std::string error;
  const int number = bell::install_handler([](bell::Interrupt) noexcept {}, error);
  if (number > 0) bell::remove_handler();
  list.push_back(
      {{"signal", number > 0 ? "SIGRTMAX-" + std::to_string(SIGRTMAX - number) + " (" + std::to_string(number) + ")"
                             : "none (" + error + ")"},
       {"use", "Interrupts a rank that computes when a transfer of its own can go on. VIF_SIGNAL chooses another."}});
  const int stall = sched::StallDetector::free_signal();
  list.push_back(
      {{"signal", stall != 0 ? "SIGRTMAX-" + std::to_string(SIGRTMAX - stall) + " (" + std::to_string(stall) + ")"
                             : "none (all are handled by somebody)"},
       {"use",
        "Fetches the stack of an event handler that holds its core for too long, in programs that ask for it "
        "(VIF_STALL_MS, RuntimeOptions::stall_limit): the highest real-time signal that nobody handles."}});
  list.push_back({{"signal", "SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTSTP, SIGCONT"},
                  {"use", "Forwarded to the ranks by mpirun; the library itself leaves them to the program."}});
  list.push_back(
      {{"signal", "SIGTERM, SIGKILL"}, {"use", "Sent by mpirun to the ranks that are left when one has died."}});
  return list;
}

void print_mpi(const Json& section, bool with_names) {
  std::printf("MPI functions: %zu of %zu are built\n", section["built"].get<std::size_t>(),
              section["total"].get<std::size_t>());
  if (!with_names) return;
  for (const Json& name : section["built_names"]) std::printf("  %s\n", name.get<std::string>().c_str());
}

void print_options(const Json& section) {
  std::printf("Options (environment variables):\n");
  for (const Json& row : section) {
    const auto text = [&row](const char* key) { return row[key].get<std::string>(); };
    std::printf("  %s = %s   (default: %s; values: %s)\n      %s\n", text("name").c_str(),
                text("value").empty() ? "''" : text("value").c_str(),
                text("default").empty() ? "''" : text("default").c_str(), text("values").c_str(), text("help").c_str());
  }
}

void print_pairs(const char* title, const Json& section, const char* left, const char* middle, const char* right) {
  std::printf("%s:\n", title);
  for (const Json& row : section) {
    if (right == nullptr) {
      std::printf("  %s\n      %s\n", row[left].get<std::string>().c_str(), row[middle].get<std::string>().c_str());
      continue;
    }
    std::printf("  %-26s %s\n", row[left].get<std::string>().c_str(), row[middle].get<std::string>().c_str());
    const std::string meaning = row[right].get<std::string>();
    if (!meaning.empty()) std::printf("      %s\n", meaning.c_str());
  }
}

// One line of `vif info --coll`: who does it, and for how much.
std::string candidate_words(const coll::Candidate& it, bool chosen) {
  char text[100];
  std::snprintf(text, sizeof text, "  %-20s %10.1f us%s", std::string(coll::name_of(it.algorithm)).c_str(), it.price,
                chosen ? "   <- the choice by messages" : "");
  return text;
}

int print_choice(const std::vector<std::string>& question) {
  const auto complain = [](const std::string& sentence) {
    std::fprintf(stderr, "vif info --coll: %s\n", sentence.c_str());
    return 2;
  };
  coll::Collective collective;
  uint64_t bytes = 0;
  const int ranks = std::atoi(question[2].c_str());
  if (!coll::collective_of(question[0], collective)) {
    return complain("'" + question[0] + "' is no collective such as bcast, gather, allreduce or reduce_scatter.");
  }
  if (!base::parse_bytes(question[1], bytes))
    return complain("'" + question[1] + "' is not a size such as 8, 64K or 1M.");
  if (ranks < 1 || ranks > 1 << 14) return complain("'" + question[2] + "' is not a number of ranks.");
  if (std::string wrong = coll::set_choices(base::option("VIF_COLL")); !wrong.empty()) return complain(wrong);
  const int cpus = machine::usable_cpus();
  const coll::Situation situation{ranks, ranks > cpus, true, base::option("VIF_COLL_ORDER") == "ranks"};
  const uint64_t limit = coll::area_limit(collective, ranks);
  const bool area = ranks > 1 && bytes <= limit && coll::area_allowed(collective);
  const coll::Algorithm by_messages = coll::choose(collective, bytes, situation);
  std::printf(
      "%s of %" PRIu64 " bytes by %d ranks on %d usable CPUs%s:\n  %s\n", question[0].c_str(), bytes, ranks, cpus,
      situation.oversubscribed ? " (more ranks than CPUs: each message may cost a turn of the scheduler)" : "",
      area ? "In shared memory (area)." : ("By messages: " + std::string(coll::name_of(by_messages)) + ".").c_str());
  if (!coll::area_allowed(collective)) {
    std::printf("  VIF_COLL names another way than the area.\n");
  } else if (ranks > 1) {
    std::printf("  The area takes up to %" PRIu64 " bytes here%s.\n", limit, area ? "" : ", and this is more");
  }
  std::printf("Prices by messages, for a commutative operation:\n");
  const coll::Candidates all = coll::candidates(collective, bytes, situation);
  for (int i = 0; i < all.count; ++i) {
    const coll::Candidate& it = all.list[static_cast<std::size_t>(i)];
    std::printf("%s\n", candidate_words(it, it.algorithm == by_messages).c_str());
  }
  return 0;
}

// Who moves collectives while programs compute, and where progress threads would run.
int print_progress(const std::string& question) {
  const int ranks = std::atoi(question.c_str());
  if (ranks < 1 || ranks > 1 << 14) {
    std::fprintf(stderr, "vif info --progress: '%s' is not a number of ranks on this host.\n", question.c_str());
    return 2;
  }
  const std::string place = base::option("VIF_PROGRESS_PLACE");
  machine::ProgressPlace wished = machine::ProgressPlace::numa;
  machine::place_of(place, wished);
  const machine::HostMap host = machine::map_host(machine::own_affinity());
  const machine::Seats seats = machine::seat_ranks(ranks, host, wished);
  std::printf("VIF_PROGRESS=%s, VIF_PROGRESS_PLACE=%s: %d ranks on %d NUMA nodes of %d cores of %d hardware threads\n",
              base::option("VIF_PROGRESS").c_str(), place.c_str(), ranks, host.shape.numa_nodes, host.shape.cores,
              host.shape.threads_per_core);
  if (!seats.note.empty()) {
    std::printf("  Progress threads share the CPUs of their ranks: %s\n", seats.note.c_str());
    return 0;
  }
  std::printf("  rank  CPU of the rank (--bind-to scatter-numa)  CPU of its progress thread\n");
  for (std::size_t rank = 0; rank < seats.list.size(); ++rank) {
    const machine::Seat& seat = seats.list[rank];
    const std::string there = seat.progress < 0 ? "the same" : std::to_string(seat.progress);
    std::printf("  %4zu  %41d  %s%s\n", rank, seat.task, there.c_str(), seat.alone ? ", its own" : "");
  }
  return 0;
}

struct Wanted {
  std::vector<std::string> choice;
  std::string progress;
  bool mpi = false;
  bool options = false;
  bool machine = false;
  bool signals = false;
  bool links = false;
  bool json = false;

  bool everything() const { return !mpi && !options && !machine && !signals && !links; }
};

void print(const Json& document, const Wanted& wanted) {
  if (wanted.json) {
    std::printf("%s\n", document.dump(2).c_str());
    return;
  }
  const char* gap = "";
  const auto next = [&gap] {
    std::fputs(gap, stdout);
    gap = "\n";
  };
  if (wanted.everything()) {
    next();
    std::printf("Vif %s, on the standard ABI of MPI 5\n", version);
  }
  if (document.contains("machine")) next(), print_pairs("Machine", document["machine"], "name", "value", "meaning");
  if (document.contains("links")) next(), print_pairs("Links", document["links"], "name", "value", "meaning");
  if (document.contains("signals")) next(), print_pairs("Signals", document["signals"], "signal", "use", nullptr);
  if (document.contains("options")) next(), print_options(document["options"]);
  if (document.contains("mpi")) next(), print_mpi(document["mpi"], wanted.mpi);
}

}  // namespace

int info_command(const Arguments& arguments) {
  CLI::App app("What this library has, what can be set, and what this machine offers.", "vif info");
  Wanted wanted;
  app.add_flag("--mpi", wanted.mpi, "List the MPI functions that are built");
  app.add_flag("--options", wanted.options,
               "List the environment variables that set options, with their present values");
  app.add_flag("--machine", wanted.machine, "Say how many CPUs may be used, and what the kernel offers and allows");
  app.add_flag("--signals", wanted.signals, "Say which signals are used, and for what");
  app.add_flag("--links", wanted.links,
               "Say what messages travel on, and at which addresses other hosts reach this one");
  app.add_option(
         "--coll", wanted.choice,
         "Say how a collective is done, and why: OP SIZE RANKS, such as allreduce 64K 4 (SIZE is the vector, or "
         "one block of a gather and its like)")
      ->expected(3);
  app.add_option("--progress", wanted.progress,
                 "Say who moves collectives while programs compute, and where so many ranks and their progress threads "
                 "would run on this host");
  app.add_flag("--json", wanted.json, "Print JSON");
  app.footer("Without a choice, all of it is printed, and of the MPI functions the counts only.");
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp& request) {
    return app.exit(request);
  } catch (const CLI::ParseError&) {
    const auto unknown = app.remaining();
    std::fprintf(stderr, "vif info: The option '%s' is unknown or misplaced: 'vif info --help' lists the options.\n",
                 unknown.empty() ? arguments.front().c_str() : unknown.front().c_str());
    return 2;
  }
  if (const std::string sentence = base::check_options(); !sentence.empty()) {
    std::fprintf(stderr, "vif info: %s\n", sentence.c_str());
  }
  if (!wanted.choice.empty()) return print_choice(wanted.choice);
  if (!wanted.progress.empty()) return print_progress(wanted.progress);
  Json document = {{"version", version}};
  if (wanted.machine || wanted.everything()) document["machine"] = machine_section();
  if (wanted.links || wanted.everything()) document["links"] = links_section();
  if (wanted.signals || wanted.everything()) document["signals"] = signals_section();
  if (wanted.options || wanted.everything()) document["options"] = options_section();
  if (wanted.mpi || wanted.everything()) document["mpi"] = mpi_section(wanted.mpi);
  print(document, wanted);
  return 0;
}

}  // namespace vif::tool
