// The engine: the communication state of one process of the job (design §8).
//
// One context at a time runs it. Who finds it busy hands its task over and goes on; who releases it looks at the inbox
// once more (design §4, rule 2).
//
// Contexts: "app" functions are for application threads inside an API call; "engine" functions are for code that the
// engine itself runs (Task::run, Request::on_complete, Poller::poll), which may be inside a handler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "net/counters.hpp"
#include "net/request.hpp"
#include "trace/diary.hpp"

namespace vif::net {

// A message that arrived before its receive and was set aside by match_probe().
struct Message;
class RemoteMemory;

// Something that the engine looks at each time it progresses (a shared-memory step of a collective). Engine context.
struct Poller {
  bool (*poll)(Engine&, Poller&) noexcept = nullptr;  // true: finished, remove me
  Poller* next = nullptr;
  Poller** link = nullptr;
};

// Who moves an operation of several messages (a collective) while the program computes.
//   react    whoever notices that it can go on: what the engine arms for anything else
//   thread   the progress thread of this process; the program is not interrupted
//   poll     the application's threads, in calls of the library, and nobody else
// Whoever waits for it in the library moves it in each of them.
enum class Progress : uint8_t { react, thread, poll };

class Engine {
 public:
  virtual ~Engine() = default;

  int process() const noexcept { return process_; }                 // my index in the job
  int processes() const noexcept { return processes_; }             // that the job may have: bounds the indices
  int first() const noexcept { return first_; }                     // of the processes that began with this one
  int together() const noexcept { return together_; }               // how many they are
  bool oversubscribed() const noexcept { return oversubscribed_; }  // more ranks than CPUs they may use

  // --- app context ---
  // Start; completion is seen by Request::complete() after progress. Never wait.
  virtual void send(Request& request) noexcept = 0;
  virtual void receive(Request& request) noexcept = 0;
  virtual void receive_message(Request& request, Message* message) noexcept = 0;  // after match_probe
  virtual void submit(Task& task) noexcept = 0;                                   // any context: run it in the engine
  virtual void cancel(Request& request) noexcept = 0;  // the request completes, as cancelled or normally
  // Progresses, then looks for a message. True and status filled when one matches.
  virtual bool probe(uint32_t context, int32_t source, int32_t tag, Status& status) noexcept = 0;
  virtual Message* match_probe(uint32_t context, int32_t source, int32_t tag, Status& status) noexcept = 0;
  virtual void progress() noexcept = 0;
  // App context: processes were started after this one; waiting must know whether there still are CPUs for all.
  virtual void count_processors() noexcept {}
  // App context: looks whether processes have ended, as a wait does that has slept for long. What still needs them
  // completes with an error, and has_failed() is true of them.
  virtual void look_for_the_dead() noexcept {}
  // Progresses, and sleeps when it pays, until condition(argument) is true. The condition is evaluated by this thread
  // only; whatever makes it true must be done by the engine, or be followed by wake(process()) or ring(process).
  virtual void wait_until(bool (*condition)(void*), void* argument) noexcept = 0;
  void wait(Request& request) noexcept {
    wait_until([](void* r) { return static_cast<Request*>(r)->complete(); }, &request);
  }

  // The same for at most that long: whoever may not depend on others looks for a moment whether they come.
  virtual void wait_at_most(bool (*condition)(void*), void* argument, int64_t ns) noexcept {
    for (const int64_t end = now_ns() + ns; !condition(argument) && now_ns() < end;) progress();
  }
  // As submit(), for what an application thread should do rather than a handler or a progress thread.
  virtual void submit_to_app(Task& task) noexcept { submit(task); }
  // An operation begins that the progress thread is to move; false: there is none to be had. relieve() (engine context)
  // takes it back when the operation is complete. Between the two, submit_to_thread() is submit() for that thread, or
  // for whoever waits or tests before it comes.
  virtual bool entrust() noexcept { return false; }
  virtual void submit_to_thread(Task& task) noexcept { submit(task); }

  // To be called when the application leaves the library with something pending: arms the interrupt (design §4 rule 3).
  // ApiScope (below) does it; every API function that may communicate holds one.
  virtual void enter() noexcept = 0;
  virtual void leave() noexcept = 0;

  // --- engine context ---
  virtual void start_send(Request& request) noexcept = 0;
  virtual void start_receive(Request& request) noexcept = 0;
  virtual void add_poller(Poller& poller) noexcept = 0;
  // The task runs as soon as an application thread is in the library: for what a handler must not do (user operators,
  // allocation, long work). in_handler() tells whether the engine is being run by a handler now.
  virtual void run_in_app(Task& task) noexcept = 0;
  virtual bool in_handler() const noexcept = 0;
  // Whether an application thread runs the engine now.
  virtual bool in_application() const noexcept { return !in_handler(); }
  virtual void relieve() noexcept {}
  // So many of the requests under way are for the application alone: nobody is to be interrupted for them. Called
  // before one starts (+1), and when it is complete (-1).
  virtual void leave_out(int /*change*/) noexcept {}
  // That many bytes were copied, or combined, by what the engine runs: on a simulated machine that takes its time.
  virtual void worked(uint64_t /*bytes*/, bool /*combined*/) noexcept {}
  // A poller that has stopped although there is more to do: it wants another turn soon.
  virtual void come_again() noexcept {}

  // --- any context ---
  // The time, for intervals.
  virtual int64_t now_ns() noexcept { return base::now_ns(); }
  // Memory shared by the processes of the job. `ring` makes `process` look at its pollers and inbox: call it after
  // publishing something in shared memory that it may be waiting for. It includes the full fence.
  virtual void ring(int process) noexcept = 0;
  virtual std::byte* shared_base() noexcept = 0;
  // App context. Zeroed shared memory, 64-byte aligned, as an offset from shared_base(); 0 when there is none (the
  // cause in `error`). Freed by the process that allocated it.
  virtual uint64_t shared_allocate(uint64_t bytes, std::string& error) noexcept = 0;
  virtual void shared_free(uint64_t offset, uint64_t bytes) noexcept = 0;
  // How many processes were found to have ended while something waited for them, and whether this one was.
  virtual int failures() const noexcept { return 0; }
  virtual bool has_failed(int) const noexcept { return false; }
  // Whether something was put aside by run_in_app().
  virtual bool wants_application() const noexcept { return false; }
  // Whether the engine goes on while the program computes or sleeps; else only calls of the library move anything.
  virtual bool acts_alone() const noexcept { return true; }
  // Engine context. +1: somebody sleeps outside the library until requests are complete; -1: not any more. Meanwhile
  // everything is moved as if the program waited.
  virtual void demand(int) noexcept {}
  // Where the threads of this process write what they do; null: nowhere.
  virtual trace::Desk<>* desk() noexcept { return nullptr; }
  // What one-sided communication needs; null when this engine has none.
  virtual RemoteMemory* remote_memory() noexcept { return nullptr; }
  virtual const Counters& counters() const noexcept {
    static const Counters none;
    return none;
  }

 protected:
  int process_ = 0;
  int processes_ = 1;
  int first_ = 0;
  int together_ = 1;
  bool oversubscribed_ = false;
};

// The time an application thread spends in an API call.
class ApiScope {
 public:
  explicit ApiScope(Engine& engine) noexcept : engine_(engine) { engine_.enter(); }
  ~ApiScope() { engine_.leave(); }
  ApiScope(const ApiScope&) = delete;
  ApiScope& operator=(const ApiScope&) = delete;

 private:
  Engine& engine_;
};

}  // namespace vif::net
