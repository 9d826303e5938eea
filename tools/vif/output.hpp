// Forwards what ranks write, whole lines at a time.
//
// A Sink is standard output or standard error of the launcher; a Stream is the pipe of one rank that leads to a sink.
// Lines of a stream keep their order and are never cut by lines of another. A line without an end is held back until it
// ends, until the stream ends, or until it is longer than `longest_line`; on a terminal it is shown when nothing more
// came for a moment (a prompt).
// A sink that is slow makes its streams wait, not the launcher: it is written to only when it can take something.
// Context: app (the launcher's loop).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vif::tool {

class Stream;

class Sink {
 public:
  explicit Sink(int descriptor);

  int descriptor() const { return descriptor_; }
  bool terminal() const { return terminal_; }
  bool closed() const { return error_ != 0; }
  int error() const { return error_; }  // why it cannot be written to (EPIPE: nobody reads it any more), or 0
  bool empty() const { return begin_ == pending_.size(); }
  bool full() const { return pending_.size() - begin_ > room; }

  void add(Stream& from, std::string_view prefix, std::string_view bytes);
  // A line of the launcher's own.
  void note(std::string_view line);
  // Writes what can be written without waiting; with `wait`, all of it.
  void flush(bool wait);

 private:
  static constexpr std::size_t room = std::size_t{1} << 20;

  int descriptor_;
  bool terminal_;
  int error_ = 0;
  std::string pending_;
  std::size_t begin_ = 0;
  Stream* unfinished_ = nullptr;  // whose line is shown without its end
};

class Stream {
 public:
  // Reads from `descriptor` (non-blocking), which it closes at the end. An empty prefix: none.
  Stream(int descriptor, std::string prefix, Sink& sink)
      : descriptor_(descriptor), prefix_(std::move(prefix)), sink_(&sink) {}

  int descriptor() const { return descriptor_; }  // -1 after the end
  Sink& sink() const { return *sink_; }
  // Takes what is there, up to a bound. False when the stream has ended.
  bool pump();
  // Takes all that is there. False when the stream has ended.
  bool drain();
  // True when a line without an end is held back that a terminal should show.
  bool has_prompt() const { return !held_.empty() && sink_->terminal(); }
  void show_held();
  void close();

 private:
  static constexpr std::size_t longest_line = 64 << 10;

  enum class Step { more, nothing, end };

  Step step();
  void take(std::string_view bytes);
  void write(std::string_view bytes);

  int descriptor_;
  std::string prefix_;
  Sink* sink_;
  std::string held_;         // a line without its end
  bool line_begun_ = false;  // part of the line is already in the sink
};

}  // namespace vif::tool
