// The table of options, and the check of the environment against it. Context: app.
#include "base/options.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

extern char** environ;

namespace vif::base {
namespace {

constexpr Option table[] = {
    {"VIF_REACTION", "auto", "auto|poll|sleep|signal|uintr",
     "How a process learns that a message came: by looking, by being woken, by being interrupted while it computes "
     "(by a signal, or by a user interrupt of the CPU), or by what costs least at that moment (auto)."},
    {"VIF_PROGRESS", "react", "react|thread|poll",
     "Who moves non-blocking and persistent collectives while the program computes: what VIF_REACTION says (react), a "
     "progress thread of each rank (thread), or nobody until the program calls the library (poll). The key "
     "vif_progress in the info of a communicator decides for that one. The same in all ranks."},
    {"VIF_PROGRESS_PLACE", "numa", "bind|numa|dedicated-core|smt|pair-impair",
     "Where progress threads run: on the CPUs of their rank (bind), on the free cores of its NUMA node (numa), each on "
     "a core of its own (dedicated-core), on the other hardware thread of its rank's core (smt), or those of even and "
     "of odd ranks on a free core each (pair-impair). Where that cannot be had: bind; `vif info --progress RANKS` "
     "tells. The same in all ranks."},
    {"VIF_SIGNAL", "auto", "auto|number",
     "The real-time signal that carries interrupts; auto takes the highest one that the program does not handle."},
    {"VIF_EAGER_LIMIT", "auto", "auto|bytes",
     "Messages up to this size are sent at once, longer ones when the receiver has given its buffer."},
    {"VIF_CMA", "auto", "auto|0|1",
     "Whether large messages are copied once, by reading and writing the other process's memory: never (0), always "
     "where "
     "the system allows it (1), or where that is allowed and, between two waiting processes, cheaper than two copies "
     "through shared memory, which is measured at start (auto)."},
    {"VIF_SPIN_US", "auto", "auto|number",
     "How many microseconds a waiting process looks for its message before it sleeps; auto learns it."},
    {"VIF_LEVER", "auto", "auto|none|slice|nudge|realtime",
     "How the kernel is made to put a waiting thread on a CPU at once when its message comes while others compute: not "
     "at "
     "all, by a short slice, by that and a thread that makes the kernel choose again (nudge, auto), or by a real-time "
     "priority from the first such wait on, which needs a privilege and is for threads that never compute."},
    {"VIF_SPREAD", "1", "0|1",
     "Whether a waiting process that shares its CPU with another process of the job moves to a CPU that it may use and "
     "where none of the job is; its affinity stays as it is."},
    {"VIF_UNEXPECTED_LIMIT", "auto", "auto|bytes",
     "How much one peer may have in store here before a receive matches it; beyond that, the peer is held back."},
    {"VIF_LINKS", "auto", "auto|tcp",
     "What messages travel on: shared memory between processes of one host and TCP between hosts (auto), or TCP "
     "between "
     "all processes of the job, as if each had a host of its own."},
    {"VIF_HOST", "", "text",
     "The name of the host of this process: processes with the same one share memory, others use the network. Empty: "
     "found out, from the running kernel and its name spaces."},
    {"VIF_TCP_INTERFACES", "", "text",
     "By which network interfaces other hosts may reach this one: names, or beginnings of addresses, separated by "
     "commas (eth1,10.0.). Empty: all that are up."},
    {"VIF_TCP_TIMEOUT", "60", "number",
     "After how many seconds without a sign of life a host counts as lost, whether a connection to it is being made or "
     "there is one."},
    {"VIF_EMA_LARGEST", "2048", "bytes",
     "Requests of memory above this size, at most 2048, go to the C library instead of Vif's allocator."},
    {"VIF_CORES", "auto", "auto|number",
     "How many cores an event runtime has; auto: what the program asks for, or one for each CPU that it may use."},
    {"VIF_STALL_MS", "auto", "auto|number",
     "Event handlers that hold their core for longer than so many milliseconds are named on standard error, with their "
     "stack; 0: none; auto: what the program asks for."},
    {"VIF_SCHED_BIND", "auto", "auto|0|1",
     "Whether each core of an event runtime is bound to a CPU; auto binds when there are as many CPUs as cores."},
    {"VIF_SCHED_PADDING", "auto", "auto|0|1",
     "Whether the data of each core of an event runtime has cache lines of its own; auto: yes."},
    {"VIF_SCHED_MEMORY", "auto", "auto|ema|library",
     "Whose memory events are: that of the core which will run them (ema, auto), or the C library's."},
    {"VIF_SCHED_WAIT", "auto", "auto|learnt|fixed|sleep|spin",
     "How a core without events waits: looks for a time that it learns and then sleeps (learnt, auto), looks for ten "
     "times the cost of a wake-up if its last sleep was short (fixed), sleeps at once, or never sleeps (spin)."},
    {"VIF_SCHED_BATCH", "auto", "auto|number",
     "How many events for another core are handed over at once; 1: each by itself; auto learns it."},
    {"VIF_SCHED_QUEUE", "auto", "auto|inbox|lock",
     "How events reach another core: by its wait-free inbox (auto), or under a lock of its queue."},
    {"VIF_SCHED_STEAL", "auto", "auto|0|1",
     "Whether cores without work take whole colours from cores that have much of it, where that pays; auto: no."},
    {"VIF_SCHED_WAKE", "auto", "auto|futex|pipe", "How a sleeping core is woken; auto: futex."},
    {"VIF_SCHED_POLL", "auto", "auto|epoll|io_uring",
     "How event runtimes watch descriptors; auto: what `vif info --machine` says."},
    {"VIF_STATS", "0", "0|1", "Whether each process prints at its end what its communications did."},
    {"VIF_OVERLAP_REPORT", "0", "0|1|text",
     "Whether mpirun says at the end of a job, for each call that starts something non-blocking, how much of it was "
     "hidden "
     "behind computation: not (0), on standard error (1), or as JSON in the file of that name."},
    {"VIF_COLL", "", "text",
     "Which algorithms collectives use, such as bcast=chain,allreduce=ring; `vif info --coll` lists them. The same in "
     "all ranks. Empty: what costs least."},
    {"VIF_COLL_ORDER", "any", "any|ranks",
     "ranks: reductions combine strictly in the order of ranks, so that results have the same bits whatever the size "
     "of the data, the root and the circumstances; slower for long data."},
    {"VIF_COLL_SPLIT", "adapt", "adapt|model|number",
     "How many of its steps, counted from the leaves, a collective done by split-tree leaves to the application: what "
     "was best for the computation measured at the calls before (adapt), what a model finds (model), or so many. "
     "VIF_COLL=reduce=split asks for it; else it is chosen where progress threads have fewer cores than there are "
     "ranks, and the model finds that it pays."},
    {"VIF_HANG_TIMEOUT", "0", "number",
     "After how many seconds in which no rank got further mpirun says who waits for what and ends the job; 0: never."},
    {"VIF_CC", "", "text", "The C compiler that mpicc calls; empty: the one Vif was built with."},
    {"VIF_CXX", "", "text", "The C++ compiler that mpicxx calls; empty: the one Vif was built with."},
};

// Variables that are not the user's: between the launcher and its processes, and of the project's own tests.
constexpr std::string_view private_prefixes[] = {"VIF_JOB_", "VIF_TEST_"};

const Option* find(std::string_view name) {
  for (const Option& row : table) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool acceptable(std::string_view values, const std::string& value) {
  while (!values.empty()) {
    std::string_view word = values.substr(0, values.find('|'));
    values.remove_prefix(std::min(values.size(), word.size() + 1));
    uint64_t bytes;
    if (word == "text") return true;
    if (word == "number" ? is_number(value) : word == "bytes" ? parse_bytes(value, bytes) : word == value) return true;
  }
  return false;
}

// "auto, a size such as 64K, or a whole number"
std::string describe(std::string_view values) {
  std::vector<std::string> words;
  while (!values.empty()) {
    std::string_view word = values.substr(0, values.find('|'));
    values.remove_prefix(std::min(values.size(), word.size() + 1));
    words.emplace_back(word == "bytes"    ? "a size such as 65536, 64K or 4M"
                       : word == "number" ? "a whole number"
                                          : word);
  }
  std::string text = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) text += (i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

// How many letters must be added, removed or changed to make one name of the other.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (left[i - 1] == right[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

// An abbreviated name is nearer than its length tells.
std::size_t strangeness(std::string_view name, std::string_view known) {
  return known.substr(0, name.size()) == name ? 1 : distance(name, known);
}

std::string unknown(std::string_view name) {
  const Option* nearest = std::min_element(std::begin(table), std::end(table), [name](auto& left, auto& right) {
    return strangeness(name, left.name) < strangeness(name, right.name);
  });
  return std::string(name) + " is set in the environment, but Vif has no such option: did you mean " + nearest->name +
         "? Unset it, or see `vif info --options` for the list.";
}

std::string check(std::string_view name, const std::string& value) {
  for (std::string_view prefix : private_prefixes) {
    if (name.substr(0, prefix.size()) == prefix) return {};
  }
  const Option* row = find(name);
  if (row == nullptr) return unknown(name);
  if (acceptable(row->values, value)) return {};
  return std::string(name) + "=" + value + " is not accepted: give " + describe(row->values) + ".";
}

}  // namespace

const Option* options(std::size_t& count) {
  count = std::size(table);
  return table;
}

std::string option(const char* name) {
  const Option* row = find(name);
  if (row == nullptr) {
    std::abort();  // a mistake of the caller: it asks for an option that nobody declared
  }
  const char* value = std::getenv(name);
  return value != nullptr ? value : row->default_value;
}

std::string check_options() { return check_options_in(environ); }

std::string check_options_in(const char* const* environment) {
  for (; *environment != nullptr; ++environment) {
    if (std::strncmp(*environment, "VIF_", 4) != 0) continue;
    std::string_view variable = *environment;
    std::size_t equals = variable.find('=');
    if (equals == std::string_view::npos) continue;
    std::string complaint = check(variable.substr(0, equals), std::string(variable.substr(equals + 1)));
    if (!complaint.empty()) return complaint;
  }
  return {};
}

bool parse_bytes(const std::string& text, uint64_t& bytes) {
  std::string_view digits = text;
  int shift = 0;
  if (!digits.empty()) {
    const char last = digits.back();
    shift = last == 'k' || last == 'K' ? 10 : last == 'm' || last == 'M' ? 20 : last == 'g' || last == 'G' ? 30 : 0;
    if (shift != 0) digits.remove_suffix(1);
  }
  if (!is_number(digits)) return false;
  const uint64_t count = std::strtoull(std::string(digits).c_str(), nullptr, 10);
  if (count > (UINT64_MAX >> shift)) return false;
  bytes = count << shift;
  return true;
}

}  // namespace vif::base
