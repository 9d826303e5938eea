// Trace: what each CPU of a simulated machine did, and when.
//
// A span is a time during which a CPU did one thing for one thread. The digest covers all spans, kept or not: two runs
// with the same digest did the same things at the same times. Context: app.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "sim/machine.hpp"

namespace vif::sim {

enum class Activity : uint8_t {
  compute,    // the program's own work
  copy,       // bytes of messages
  combine,    // reductions
  message,    // starting, matching and ending messages
  look,       // a thread looks whether there is something to do
  wait,       // it does so all the time
  interrupt,  // getting into a handler and out of it
  change,     // from one thread to another
  pause       // the CPU was taken away
};
inline constexpr int activities = 9;
const char* name_of(Activity activity) noexcept;

// What a thread is for.
enum class Type : uint8_t { task, progress, other };
inline constexpr int types = 3;

struct Span {
  Time begin;
  Time end;
  int cpu;
  int thread;
  Activity activity;
};

class Trace {
 public:
  void add(const Span& span);
  void add_thread(std::string name, Type type);
  // Moments of the program: "Iscan begins" ...
  void mark(Time at, int thread, std::string what);
  void keep(bool keep) { keep_ = keep; }

  uint64_t digest() const { return digest_; }
  const std::vector<Span>& spans() const { return spans_; }  // empty unless kept
  // Nanoseconds that threads of that type spent so.
  Time total(Type type, Activity activity) const;

  // For https://ui.perfetto.dev and chrome://tracing: the JSON trace event format.
  void write_perfetto(std::ostream& to, const Machine& machine) const;
  // Pajé (self-defined events), as ViTE reads it: one row per CPU. Red: tasks; blue: progress threads; green: waiting;
  // orange: nothing; grey: changes and interrupts.
  void write_paje(std::ostream& to, const Machine& machine) const;

 private:
  struct Mark {
    Time at;
    int thread;
    std::string what;
  };
  struct Name {
    std::string name;
    Type type;
  };

  bool keep_ = false;
  uint64_t digest_ = 1469598103934665603U;
  std::vector<Span> spans_;
  std::vector<Mark> marks_;
  std::vector<Name> threads_;
  Time totals_[types][activities] = {};
};

}  // namespace vif::sim
