// explore: runs a modelled program under many schedules and reports the first that fails.
//
//   Result result = explore([](Program& program) {              // called afresh for each execution
//     auto state = program.make<State>("state");                // shared objects, named in traces
//     int owner = program.thread("owner", [=] { ... });
//     program.thread("pusher", [=] { ... raise(owner); ... });
//     program.handler(owner, [=] { ... }, 1);                   // lands once at any access, and once per raise()
//     program.at_end([=] { require(state->count == 2, "a record was lost"); });
//   });
//   EXPECT_TRUE(result.passed) << result.report;
//
// explore() enumerates: all executions with no preemption, then with one, ... up to Limits::preemptions, so that the
// failure it reports is among the simplest. sample() draws executions at random, without bounds on preemptions and
// stale reads. Its seed is printed in the report and accepted in the environment variable VIF_TEST_SEED. check() does
// both; it is what a model should call.
//
// Test bodies must be deterministic. A failed execution is abandoned where it is: keep containers in the shared state,
// not on the stacks of threads, or they leak.
// Context: model tests only, one kernel thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "model/atoms.hpp"
#include "model/execution.hpp"

namespace vif::model {

class Program {
 public:
  explicit Program(Plan& plan) : plan_(plan) {}

  template <class State, class... Arguments>
  std::shared_ptr<State> make(const char* name, Arguments&&... arguments) {
    auto state = std::make_shared<State>(std::forward<Arguments>(arguments)...);
    this->name(*state, name);
    return state;
  }
  // Names part of the shared objects; the first name given to an address is used.
  template <class Object>
  void name(const Object& object, const char* name) {
    Execution::now().names().name(&object, sizeof object, name);
  }
  // Returns the thread's number, for handler() and raise().
  int thread(const char* name, std::function<void()> body);
  // `interrupts`: how often the handler may land without being raised.
  void handler(int thread, std::function<void()> body, int interrupts);
  void at_end(std::function<void()> check) { plan_.at_end.push_back(std::move(check)); }

 private:
  Plan& plan_;
};

struct Result {
  bool passed = false;
  bool complete = false;    // explore() saw every execution within its limits
  uint64_t executions = 0;  // in all
  uint64_t last_round = 0;  // of them with the largest number of preemptions
  std::string report;       // of a failure: what, how to repeat it, and the trace
};

using Body = std::function<void(Program&)>;

Result explore(const Body& body, const Limits& limits = {});
Result sample(const Body& body, uint64_t executions, const Limits& limits = {});
// Enumerates within the limits, then samples. Fails when the enumeration was cut short.
Result check(const Body& body, const Limits& limits = {}, uint64_t samples = 2000);

// --- for test bodies ---
void require(bool condition, const std::string& why);  // else the execution fails, saying why
void raise(int thread);                                // a signal for that thread
void compute();                         // a point without access: computation in which an interrupt may land
std::size_t choose(std::size_t count);  // any number below count
bool in_handler();

}  // namespace vif::model
