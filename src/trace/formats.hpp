// The two formats of traces: Pajé (self-defined events; "The Pajé trace file format", L. Schnorr, 2016), which ViTE
// opens, and the JSON trace event format, which https://ui.perfetto.dev and chrome://tracing open. Used by simulated
// machines and by `vif trace`. Context: app.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace vif::trace {

// Nanoseconds in units of `unit` nanoseconds (1000, or 1000000000), without the rounding of floating point.
std::string decimal(int64_t ns, int64_t unit);

class PajeWriter {
 public:
  // Writes the definitions: what the rows are called ("CPU"), inside what ("Machine").
  PajeWriter(std::ostream& to, const std::string& whole, const std::string& row);

  // A state that a row can be in; `alias` is a letter or a word, `color` "red green blue" from 0 to 1. Before
  // add_whole().
  void define_state(const std::string& alias, const std::string& name, const std::string& color);
  void add_whole(const std::string& name);
  // A row, with the state that it is in at first.
  void add_row(int row, const std::string& name, const std::string& state);

  // Collected, and written by finish() in the order of time: first what ends, then what begins, then moments.
  void state(int64_t begin, int64_t end, int row, const std::string& state, const std::string& between);
  void moment(int64_t at, const std::string& what);
  void finish();

 private:
  struct Line {
    int64_t at;
    int order;
    std::string text;
  };
  std::ostream& to_;
  std::string row_type_;
  std::vector<int> rows_;
  std::vector<Line> lines_;
  int64_t last_ = 0;
};

class PerfettoWriter {
 public:
  explicit PerfettoWriter(std::ostream& to);
  void name_process(int process, const std::string& name);
  void name_thread(int process, int thread, const std::string& name);
  void moment(int64_t at, const std::string& what);
  // `arguments`: the inside of a JSON object, or empty.
  void span(int process, int thread, int64_t begin, int64_t end, const std::string& category, const std::string& name,
            const std::string& arguments = "");
  // The same for what lies neither inside others nor beside them.
  void operation(int process, int64_t begin, int64_t end, const std::string& name, const std::string& arguments);
  void finish();

 private:
  std::ostream& to_;
  int64_t operations_ = 0;
};

// With quotation marks, as both formats want texts.
std::string quoted(const std::string& text);

}  // namespace vif::trace
