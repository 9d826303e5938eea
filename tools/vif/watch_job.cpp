// A job: how its ranks end, and what they say on the PMI-1 connection. Context: app; one thread.
#include <algorithm>
#include <cerrno>
#include <sstream>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.hpp"
#include "job_tags.hpp"
#include "machine/cpus.hpp"
#include "text.hpp"

namespace vif::tool {

using PmiState = launch::PmiServer::State;

namespace {

// The kernel's mark of a process that ends (PF_EXITING), the ninth word of its line in /proc.
bool dies(pid_t process) {
  constexpr unsigned long exiting = 4;
  std::string line;
  machine::read_file("/proc/" + std::to_string(process) + "/stat", line);
  const std::size_t name_ends = line.rfind(')');
  if (name_ends == std::string::npos) return false;
  std::istringstream words(line.substr(name_ends + 1));
  std::string word;
  for (int i = 3; i < 9; ++i) words >> word;
  unsigned long flags = 0;
  return (words >> flags) && (flags & exiting) != 0;
}

}  // namespace

bool Job::reap() {
  int status = 0;
  pid_t process = 0;
  while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].process == process && ranks_[rank].alive) note_exit(static_cast<int>(rank), status);
    }
  }
  return process == 0;
}

void Job::note_exit(int rank, int status) {
  Rank& self = ranks_[static_cast<std::size_t>(rank)];
  self.alive = false;
  --alive_;
  // Its last words come before ours: what it wrote, and what it told us (MPI_Abort, MPI_Finalize).
  const auto slot = static_cast<std::size_t>(rank) * 2;
  for (std::size_t stream = slot; stream < slot + 2; ++stream) {
    if (streams_[stream].descriptor() >= 0) streams_[stream].drain();
  }
  while (self.control >= 0 && read_control(rank)) {
  }
  close_control(rank);
  // One that had called MPI_Abort may end while the cause is waited for: it has said why it does.
  if (awaiting_cause_ && server_.aborted() && server_.aborted()->rank == rank) return;
  if (failed_) return;
  const PmiState state = server_.state(rank);
  if (WIFSIGNALED(status)) {
    note_killed(rank, WTERMSIG(status), state);
  } else if (WEXITSTATUS(status) != 0) {
    note_code(rank, WEXITSTATUS(status), state);
  } else if (state == PmiState::inside && user_signal_ == 0) {
    fail(1, who(rank) + " ended without calling MPI_Finalize" + others_end());
  } else if (state == PmiState::outside) {
    left_outside_ = rank;
    check_absent();
  }
}

void Job::note_killed(int rank, int signal, PmiState state) {
  if (user_signal_ != 0) {
    // The others were sent the signal too: they have the time that was given then.
    settle_code(128 + user_signal_, "the job was ended by signal " + std::to_string(user_signal_) + " (" +
                                        signal_words(user_signal_) + ").");
    return;
  }
  if (signal == SIGPIPE && sinks_[0].error() == EPIPE) {
    settle_code(128 + SIGPIPE, {});
    end(grace_of_ending);
    return;
  }
  const std::string sentence =
      who(rank) + " was killed by signal " + std::to_string(signal) + " (" + signal_words(signal) + ")";
  if (state == PmiState::finished) {
    settle_code(128 + signal, sentence + " after MPI_Finalize.");
  } else {
    fail(128 + signal, sentence + others_end());
  }
}

void Job::note_code(int rank, int code, PmiState state) {
  const std::string sentence = who(rank) + " ended with exit code " + std::to_string(code);
  if (user_signal_ != 0) {
    settle_code(code, {});
  } else if (state == PmiState::finished) {
    // Nobody waits for it any more: the others may go on to their end.
    settle_code(code, sentence + " after MPI_Finalize.");
  } else {
    fail(code, sentence + (state == PmiState::inside ? " before MPI_Finalize" : "") + others_end());
  }
}

// A process that is being killed loses its memory some time before it can be reaped, and others that copy from it see
// that first: a rank that aborts is given a moment for the death that was its cause to show.
void Job::await_cause() {
  constexpr int moment_ms = 20, patience_ms = 1000;
  awaiting_cause_ = true;
  for (int tries = 0; !failed_ && (tries < moment_ms || (tries < patience_ms && somebody_dies())); ++tries) {
    reap();
    if (!failed_) poll(nullptr, 0, 1);
  }
  awaiting_cause_ = false;
}

// Whether a rank is on its way out, which takes long where others want the CPUs.
bool Job::somebody_dies() const {
  return std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.alive && dies(rank.process); });
}

// What a rank said with MPI_Abort, unless a cause was found meanwhile.
void Job::note_abort() {
  const auto& abort = server_.aborted();
  if (!abort || failed_) return;
  const int code = (abort->code & 0xff) == 0 && abort->code != 0 ? 1 : abort->code & 0xff;
  fail(code, who(abort->rank) + " called MPI_Abort with code " + std::to_string(abort->code) +
                 (abort->why.empty() ? "" : ": " + abort->why));
}

bool Job::read_control(int rank) {
  Rank& self = ranks_[static_cast<std::size_t>(rank)];
  if (self.control < 0) return false;
  char bytes[4096];
  const ssize_t count = recv(self.control, bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return errno == EINTR;
  if (count <= 0) {
    close_control(rank);
    return false;
  }
  std::string error;
  if (!server_.feed(rank, {bytes, static_cast<std::size_t>(count)}, error)) {
    close_control(rank);
    fail(1, who(rank) + " sent something that is not PMI-1 on descriptor PMI_FD: " + error + ".");
    return false;
  }
  if (const auto& abort = server_.aborted(); abort && !failed_) {
    // A rank may call MPI_Abort because another one died: the death is the cause then.
    if (abort->rank == rank) await_cause();
    note_abort();
  }
  check_absent();
  return true;
}

void Job::close_control(int rank) {
  Rank& self = ranks_[static_cast<std::size_t>(rank)];
  if (self.control < 0) return;
  unwatch(epoll_, self.control);
  close(self.control);
  self.control = -1;
}

void Job::send_answers() {
  for (const auto& [rank, text] : server_.take_answers()) {
    const int control = ranks_[static_cast<std::size_t>(rank)].control;
    if (control < 0) continue;
    const ssize_t sent = send(control, text.data(), text.size(), MSG_NOSIGNAL);
    // A client asks one thing at a time, so the socket has room. One that floods without reading is cut off.
    if (sent != static_cast<ssize_t>(text.size())) close_control(rank);
  }
}

// A rank that ended without MPI_Init never comes to the meeting that MPI_Init is.
void Job::check_absent() {
  if (left_outside_ < 0 || server_.inside() == 0 || user_signal_ != 0) return;
  fail(1,
       who(left_outside_) + " ended without calling MPI_Init, and other ranks wait for it there; the ranks are ended.");
}

void Job::settle_code(int code, const std::string& sentence) {
  if (failed_) return;
  failed_ = true;
  code_ = code;
  if (!sentence.empty()) sinks_[1].note("vif run: " + sentence);
}

void Job::fail(int code, const std::string& sentence) {
  settle_code(code, sentence);
  if (state_ == State::running) end(grace_of_ending);
}

void Job::signal_ranks(int signal) {
  for (const Rank& rank : ranks_) {
    if (rank.alive) kill(-rank.process, signal);
  }
}

void Job::end(std::chrono::milliseconds grace) {
  state_ = State::ending;
  signal_ranks(SIGTERM);
  // A stopped process takes no other signal.
  signal_ranks(SIGCONT);
  kill_at_ = std::min(kill_at_, Clock::now() + grace);
}

std::string Job::who(int rank) const {
  const Rank& self = ranks_[static_cast<std::size_t>(rank)];
  const Program& program = programs_[static_cast<std::size_t>(self.program)];
  return "rank " + std::to_string(rank) + " (" + program.command[0] + " on " + host_ + ", process " +
         std::to_string(self.process) + ")";
}

std::string Job::others_end() const { return alive_ > 0 ? "; the other ranks are ended." : "."; }

}  // namespace vif::tool
