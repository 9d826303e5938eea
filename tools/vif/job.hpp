// A running job: one loop over the descriptors of all ranks.
//
// States: running -> ending -> over.
//   running   ranks live; a failure (a rank that dies, MPI_Abort, time over, a rank that does not speak PMI-1) or a
//             second signal from the user leads to ending
//   ending    ranks have been sent SIGTERM; whoever lives at the deadline gets SIGKILL
//   over      all ranks and all that descended from them are gone, their output is forwarded
// A first signal from the user (SIGINT...) is forwarded and sets a longer deadline; the state stays running.
// Context: app; one thread.
#pragma once

#include <chrono>
#include <csignal>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/resource.h>

#include "guardian.hpp"
#include "input.hpp"
#include "launch/server.hpp"
#include "output.hpp"
#include "plan.hpp"

namespace vif::tool {

class Job {
 public:
  explicit Job(const Plan& plan);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Starts the ranks, stays until nothing is left of them, and returns the exit code.
  int run();

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { running, ending, over };

  struct Rank {
    pid_t process = -1;
    int program = 0;
    int control = -1;  // our end of the PMI-1 connection
    bool alive = false;
  };

  // start_job.cpp
  bool prepare(std::string& sentence);
  bool start_all();
  // The ranks that were started together.
  struct World {
    int first = 0;
    int size = 0;
  };
  // False, with the exit code and the sentence, when the rank cannot be started.
  bool start_rank(int rank, const World& world, const std::vector<std::string>& environment, const cpu_set_t* cpus,
                  int& code, std::string& sentence);
  std::vector<std::string> job_environment(const Program& program, const World& world) const;

  // spawn_job.cpp
  void start_spawned();
  bool start_world(const launch::PmiServer::Spawn& spawn, std::string& why);

  // job.cpp
  void loop();
  int patience() const;  // milliseconds until something must be done; -1: nothing
  void dispatch(uint64_t tag);
  void check_time();
  void read_signals();

  // job_hang.cpp
  bool report_hang(const std::string& occasion);
  void check_hang();
  bool answer_quit();

  void forward(int signal, bool from_keyboard);
  void read_stream(std::size_t index);
  void show_prompts();
  void watch_sinks();
  void close_streams_of(std::size_t sink);
  void watch_input();
  void settle();
  void finish_output();

  // watch_job.cpp
  bool reap();  // true: children are left, ranks or orphans of ranks (the guardian does not count)
  void await_cause();
  bool somebody_dies() const;
  void note_abort();
  void note_exit(int rank, int status);
  void note_killed(int rank, int signal, launch::PmiServer::State state);
  void note_code(int rank, int code, launch::PmiServer::State state);
  bool read_control(int rank);  // true: something was read
  void close_control(int rank);
  void send_answers();
  void check_absent();
  void settle_code(int code, const std::string& sentence);  // the first one counts
  void fail(int code, const std::string& sentence);         // and ends the job
  void signal_ranks(int signal);
  void end(std::chrono::milliseconds grace);
  std::string who(int rank) const;
  std::string others_end() const;

  static constexpr std::chrono::milliseconds grace_of_ending{500};

  const Plan& plan_;
  State state_ = State::running;
  int code_ = 0;
  bool awaiting_cause_ = false;  // a rank called MPI_Abort; perhaps because another is dying
  bool failed_ = false;          // code_ and the sentence are settled
  int user_signal_ = 0;          // forwarded
  bool from_keyboard_ = false;
  int alive_ = 0;
  int left_outside_ = -1;  // a rank that ended without MPI_Init
  bool leftovers_told_ = false;
  bool started_ = false;
  Clock::time_point kill_at_ = Clock::time_point::max();
  Clock::time_point time_over_at_ = Clock::time_point::max();
  std::chrono::seconds hang_limit_{0};  // VIF_HANG_TIMEOUT; 0: none
  Clock::time_point hang_look_at_ = Clock::time_point::max();
  Clock::time_point moved_at_{};
  uint64_t movement_ = 0;  // what the ranks had begun when they were looked at last
  Clock::time_point quit_answered_at_{};

  std::string host_;
  std::string mark_;
  std::vector<Program> programs_;  // the plan's, then those that ranks had started
  std::vector<Rank> ranks_;
  std::deque<Stream> streams_;  // stdout and stderr of rank r are 2 r and 2 r + 1; addresses must not change
  bool prompt_pending_ = false;
  Sink sinks_[2];
  bool sink_watched_[2] = {false, false};
  bool sink_full_[2] = {false, false};
  bool sink_closed_[2] = {false, false};
  bool terminal_watched_ = false;
  bool feed_watched_ = false;
  Input input_;
  launch::PmiServer server_;
  Guardian guardian_;

  sigset_t old_mask_{};
  rlimit old_files_{};
  bool files_raised_ = false;
  int epoll_ = -1;
  int signals_ = -1;
  int segment_ = -1;
  int null_ = -1;
};

}  // namespace vif::tool
