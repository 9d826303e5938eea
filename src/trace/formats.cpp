#include "trace/formats.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace vif::trace {

namespace {

constexpr const char* paje_header =
    "%EventDef PajeDefineContainerType 0\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEventType 2\n%  Alias string\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 3\n%  Alias string\n%  Type string\n%  Name string\n%  Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 4\n%  Time date\n%  Alias string\n%  Type string\n%  Container string\n"
    "%  Name string\n%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n%  Time date\n%  Type string\n%  Name string\n%EndEventDef\n"
    "%EventDef PajeSetState 6\n%  Time date\n%  Type string\n%  Container string\n%  Value string\n%EndEventDef\n"
    "%EventDef PajeNewEvent 7\n%  Time date\n%  Type string\n%  Container string\n%  Value string\n%EndEventDef\n";

constexpr int64_t second = 1'000'000'000;

}  // namespace

std::string decimal(int64_t ns, int64_t unit) {
  char text[48];
  std::snprintf(text, sizeof text, unit == 1000 ? "%lld.%03lld" : "%lld.%09lld", static_cast<long long>(ns / unit),
                static_cast<long long>(ns % unit));
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

PajeWriter::PajeWriter(std::ostream& to, const std::string& whole, const std::string& row) : to_(to), row_type_(row) {
  to_ << paje_header << "0 M 0 " << quoted(whole) << "\n0 " << row << " M " << quoted(row) << "\n1 S " << row
      << " \"what it does\"\n2 E M \"moment\"\n";
}

void PajeWriter::define_state(const std::string& alias, const std::string& name, const std::string& color) {
  to_ << "3 " << alias << " S " << quoted(name) << " " << quoted(color) << "\n";
}

void PajeWriter::add_whole(const std::string& name) { to_ << "4 0 m M 0 " << quoted(name) << "\n"; }

void PajeWriter::add_row(int row, const std::string& name, const std::string& state) {
  to_ << "4 0 c" << row << " " << row_type_ << " m " << quoted(name) << "\n6 0 S c" << row << " " << state << "\n";
  rows_.push_back(row);
}

void PajeWriter::state(int64_t begin, int64_t end, int row, const std::string& state, const std::string& between) {
  const std::string container = " S c" + std::to_string(row) + " ";
  lines_.push_back({begin, 1, "6 " + decimal(begin, second) + container + state});
  lines_.push_back({end, 0, "6 " + decimal(end, second) + container + between});
  last_ = std::max(last_, end);
}

void PajeWriter::moment(int64_t at, const std::string& what) {
  lines_.push_back({at, 2, "7 " + decimal(at, second) + " E m " + quoted(what)});
}

void PajeWriter::finish() {
  std::stable_sort(lines_.begin(), lines_.end(),
                   [](const Line& a, const Line& b) { return a.at != b.at ? a.at < b.at : a.order < b.order; });
  for (const Line& line : lines_) to_ << line.text << "\n";
  if (!lines_.empty()) last_ = std::max(last_, lines_.back().at);
  for (int row : rows_) to_ << "5 " << decimal(last_, second) << " " << row_type_ << " c" << row << "\n";
  to_ << "5 " << decimal(last_, second) << " M m\n";
}

PerfettoWriter::PerfettoWriter(std::ostream& to) : to_(to) { to_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"; }

void PerfettoWriter::name_process(int process, const std::string& name) {
  to_ << R"({"ph":"M","name":"process_name","pid":)" << process << R"(,"args":{"name":)" << quoted(name) << "}},\n";
}

void PerfettoWriter::name_thread(int process, int thread, const std::string& name) {
  to_ << R"({"ph":"M","name":"thread_name","pid":)" << process << ",\"tid\":" << thread << R"(,"args":{"name":)"
      << quoted(name) << "}},\n";
}

void PerfettoWriter::moment(int64_t at, const std::string& what) {
  to_ << R"({"ph":"i","s":"g","pid":0,"tid":0,"ts":)" << decimal(at, 1000) << ",\"name\":" << quoted(what) << "},\n";
}

void PerfettoWriter::span(int process, int thread, int64_t begin, int64_t end, const std::string& category,
                          const std::string& name, const std::string& arguments) {
  to_ << R"({"ph":"X","pid":)" << process << ",\"tid\":" << thread << ",\"ts\":" << decimal(begin, 1000)
      << ",\"dur\":" << decimal(end - begin, 1000) << ",\"cat\":" << quoted(category) << ",\"name\":" << quoted(name);
  if (!arguments.empty()) to_ << ",\"args\":{" << arguments << "}";
  to_ << "},\n";
}

void PerfettoWriter::operation(int process, int64_t begin, int64_t end, const std::string& name,
                               const std::string& arguments) {
  const std::string common = ",\"pid\":" + std::to_string(process) + ",\"id\":" + std::to_string(operations_++) +
                             ",\"cat\":\"operation\",\"name\":" + quoted(name);
  to_ << R"({"ph":"b","ts":)" << decimal(begin, 1000) << common << ",\"args\":{" << arguments << "}},\n";
  to_ << R"({"ph":"e","ts":)" << decimal(end, 1000) << common << "},\n";
}

void PerfettoWriter::finish() {
  to_ << R"({"ph":"M","name":"trace","pid":0,"args":{}}]})"
      << "\n";
}

}  // namespace vif::trace
