// ScheduleOperation: runs a schedule.
//
// start() hands the operation to the engine; from then on its steps are started by the engine's own events: the
// completion of a send or receive, a poller, a task. They come in whatever context runs the engine, one at a time, so
// the fields of a run need no lock.
//
// Bounded work: one turn of advance() treats at most `handler_slice` bytes of copies and reductions in a handler
// (`app_slice` elsewhere, unless there are no messages at all), messages counting for what it takes to start them. What
// remains is continued by a poller, and the process rings itself so that the interrupt comes back when it is computing.
// User reductions go through Engine::run_in_app.
//
// When it is complete: `done_` is set by a task of its own, which the engine runs when it has left the completion, the
// poller or the task that ended the last step. Whoever sees done_ may free everything at once, even in another thread.
//
// Left to the application, an operation is advanced by application threads inside the library alone: elsewhere it puts
// itself aside by Engine::run_in_app. leave_to_anybody() takes that back. Moved by `poll`, it is left to the
// application for good, and nobody is interrupted for its messages; moved by `thread`, it is handed over to the
// progress thread.
//
// Context: app for the constructor and schedule(); app or engine for start(); engine for the rest.
#pragma once

#include "coll/schedule.hpp"

namespace vif::coll {

class ScheduleOperation final : public Operation {
 public:
  static constexpr uint64_t handler_slice = 64 * 1024;
  static constexpr uint64_t app_slice = 256 * 1024;

  explicit ScheduleOperation(Group& group) noexcept;

  Schedule& schedule() noexcept { return schedule_; }
  void start() noexcept override;
  // The same for a phase of a larger operation, of which the phases before ended so. `by_thread`: its beginning is
  // handed over to the progress thread, to which the larger one is entrusted. App, or engine in an application thread.
  void start_after(net::Outcome before, bool by_thread = false) noexcept;

  // While the program computes it is moved so; else as `react`. Before start().
  void move_by(net::Progress progress) noexcept;
  // Its steps are done by application threads inside the library, and not by handlers and progress threads. Before
  // start().
  void leave_to_application() noexcept { by_application_ = true; }
  // Engine context, once started: from now on anybody does them.
  void leave_to_anybody(net::Engine& engine) noexcept;
  // Run by the engine when it is complete, instead of `done_` being set: the operation is part of a larger one.
  void then(net::Task& task) noexcept { then_ = &task; }

 private:
  using Step = Schedule::Step;
  using Node = Schedule::Node;

  struct OwnTask : net::Task {
    ScheduleOperation* owner = nullptr;
  };
  struct OwnPoller : net::Poller {
    ScheduleOperation* owner = nullptr;
  };
  // First in, first out, through Node::next.
  struct List {
    Step first = Schedule::none;
    Step last = Schedule::none;
    bool empty() const noexcept { return first == Schedule::none; }
  };

  static void begin(net::Engine& engine, net::Task& task) noexcept;
  static void run_user_reductions(net::Engine& engine, net::Task& task) noexcept;
  static void finish(net::Engine& engine, net::Task& task) noexcept;
  static void go_on(net::Engine& engine, net::Task& task) noexcept;
  static bool poll(net::Engine& engine, net::Poller& poller) noexcept;
  static void message_done(net::Engine& engine, net::Request& request) noexcept;

  void push(List& list, Step step) noexcept;
  Step pop(List& list) noexcept;
  void make_ready(Step step) noexcept;
  void step_done(Step step) noexcept;
  void start_message(net::Engine& engine, const Node& node) noexcept;
  uint64_t run_slice(Step step, uint64_t room) noexcept;
  bool has_work() const noexcept { return !messages_.empty() || !local_.empty(); }
  void run_ready(net::Engine& engine) noexcept;
  void advance(net::Engine& engine) noexcept;

  Schedule schedule_;
  OwnTask begin_task_;
  OwnTask user_task_;
  OwnTask finish_task_;
  OwnTask go_on_task_;
  net::Task* then_ = nullptr;
  OwnPoller poller_;
  List messages_;            // ready to be started
  List local_;               // ready copies and reductions
  List user_;                // ready reductions by user code
  uint32_t remaining_ = 0;   // steps not done
  bool running_ = false;     // advance() is under way further up this stack
  bool polling_ = false;     // poller_ is with the engine
  bool user_waits_ = false;  // user_task_ is with the engine
  bool by_application_ = false;
  bool by_thread_ = false;
  bool left_out_ = false;     // its messages interrupt nobody
  bool entrusted_ = false;    // this run, to the progress thread
  bool go_on_waits_ = false;  // go_on_task_ is with the engine
};

}  // namespace vif::coll
