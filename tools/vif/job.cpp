// A job: its loop. Context: app; one thread.
#include "job.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <system_error>

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/options.hpp"
#include "descendants.hpp"
#include "job_tags.hpp"
#include "text.hpp"

namespace vif::tool {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds grace_after_signal{5000};
// How soon a prompt is shown, and how often processes that were told to end are looked at.
constexpr milliseconds moment{20};

}  // namespace

int Job::run() {
  std::string sentence;
  if (!prepare(sentence)) {
    fail(1, sentence);
  } else {
    if (plan_.timeout_seconds > 0) {
      time_over_at_ = Clock::now() +
                      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(plan_.timeout_seconds));
    }
    hang_limit_ = std::chrono::seconds(std::atol(base::option("VIF_HANG_TIMEOUT").c_str()));
    if (hang_limit_.count() > 0) hang_look_at_ = moved_at_ = Clock::now();
    start_all();
    started_ = true;
    settle();
    loop();
  }
  finish_output();
  guardian_.dismiss();
  if (from_keyboard_ && code_ == 128 + user_signal_) {
    // A shell that runs a script stops it only when the command died of the signal.
    std::signal(user_signal_, SIG_DFL);
    sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
    std::raise(user_signal_);
  }
  return code_;
}

void Job::loop() {
  constexpr int batch = 64;
  epoll_event events[batch];
  while (state_ != State::over) {
    watch_input();
    const int count = epoll_wait(epoll_, events, batch, patience());
    if (count == 0 && prompt_pending_) show_prompts();
    // Deaths first: what other ranks say because of a death must not be taken for the cause.
    for (int i = 0; i < count; ++i) {
      if (source_of(events[i].data.u64) == Source::signals) read_signals();
    }
    for (int i = 0; i < count; ++i) dispatch(events[i].data.u64);
    start_spawned();
    send_answers();
    check_time();
    watch_sinks();
    settle();
  }
}

int Job::patience() const {
  const Clock::time_point soonest = std::min({kill_at_, time_over_at_, hang_look_at_});
  int limit = INT_MAX;
  if (soonest != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<milliseconds>(soonest - Clock::now()).count();
    limit = static_cast<int>(std::clamp<long>(left, 0, 1'000'000));
  }
  if (prompt_pending_ || (started_ && alive_ == 0)) limit = std::min<int>(limit, moment.count());
  return limit == INT_MAX ? -1 : limit;
}

void Job::dispatch(uint64_t tag) {
  const std::size_t index = index_of(tag);
  switch (source_of(tag)) {
    case Source::stream:
      read_stream(index);
      break;
    case Source::control:
      read_control(static_cast<int>(index));
      break;
    case Source::terminal:
      input_.read_some();
      break;
    case Source::feed:
      input_.write_some();
      break;
    case Source::signals:  // read before all others
    case Source::sink:     // watch_sinks() follows
      break;
  }
}

void Job::check_time() {
  const Clock::time_point now = Clock::now();
  if (now >= time_over_at_) {
    time_over_at_ = Clock::time_point::max();
    fail(124, "the time limit of the job is over; its ranks are ended.");
  }
  if (now >= hang_look_at_) check_hang();
  if (now < kill_at_) return;
  if (state_ == State::running) {
    fail(128 + user_signal_, std::to_string(alive_) + " of the ranks had not ended " +
                                 std::to_string(grace_after_signal.count() / 1000) + " seconds after signal " +
                                 std::to_string(user_signal_) + " (" + signal_words(user_signal_) +
                                 "): they are killed.");
  }
  state_ = State::ending;
  signal_ranks(SIGKILL);
  signal_descendants(SIGKILL, guardian_.process());
  // Again soon: a process that forks may have been faster.
  kill_at_ = now + moment;
}

void Job::read_signals() {
  signalfd_siginfo signal;
  while (read(signals_, &signal, sizeof signal) == static_cast<ssize_t>(sizeof signal)) {
    if (signal.ssi_signo == SIGCHLD) {
      reap();
    } else {
      forward(static_cast<int>(signal.ssi_signo), signal.ssi_code == SI_KERNEL);
    }
  }
}

void Job::forward(int signal, bool from_keyboard) {
  const bool ends = signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
  if (ends && user_signal_ != 0) {
    fail(128 + signal,
         "a second signal came (" + std::to_string(signal) + ", " + signal_words(signal) + "): the ranks are killed.");
    kill_at_ = Clock::now();
    return;
  }
  if (signal == SIGQUIT && answer_quit()) return;
  signal_ranks(signal);
  if (ends) {
    user_signal_ = signal;
    from_keyboard_ = from_keyboard;
    kill_at_ = std::min(kill_at_, Clock::now() + grace_after_signal);
  } else if (signal == SIGTSTP) {
    std::raise(SIGSTOP);
  }
}

void Job::read_stream(std::size_t index) {
  Stream& stream = streams_[index];
  if (stream.descriptor() < 0) return;
  if (!stream.pump()) {
    unwatch(epoll_, stream.descriptor());
    stream.close();
  } else if (stream.has_prompt()) {
    prompt_pending_ = true;
  }
}

void Job::show_prompts() {
  prompt_pending_ = false;
  for (Stream& stream : streams_) {
    if (stream.has_prompt()) stream.show_held();
  }
}

void Job::watch_sinks() {
  for (std::size_t i = 0; i < 2; ++i) {
    Sink& sink = sinks_[i];
    sink.flush(false);
    if (sink.closed() && !sink_closed_[i]) close_streams_of(i);
    const bool waiting = !sink.empty();
    if (waiting != sink_watched_[i]) {
      sink_watched_[i] = waiting;
      if (waiting) {
        watch(epoll_, sink.descriptor(), EPOLLOUT, tag(Source::sink, i));
      } else {
        unwatch(epoll_, sink.descriptor());
      }
    }
    // Ranks wait in write() while their output has nowhere to go.
    if (sink.full() != sink_full_[i]) {
      sink_full_[i] = sink.full();
      for (std::size_t s = i; s < streams_.size(); s += 2) {
        if (streams_[s].descriptor() < 0) continue;
        if (sink_full_[i]) {
          unwatch(epoll_, streams_[s].descriptor());
        } else {
          watch(epoll_, streams_[s].descriptor(), EPOLLIN, tag(Source::stream, s));
        }
      }
    }
  }
}

// Nobody can read what ranks write: they shall see it as if they wrote there themselves (SIGPIPE).
void Job::close_streams_of(std::size_t sink) {
  sink_closed_[sink] = true;
  for (std::size_t s = sink; s < streams_.size(); s += 2) {
    if (streams_[s].descriptor() < 0) continue;
    unwatch(epoll_, streams_[s].descriptor());
    streams_[s].close();
  }
  const int error = sinks_[sink].error();
  if (error != EPIPE) {
    fail(1, std::string(sink == 0 ? "standard output" : "standard error") + " cannot be written to (" +
                std::generic_category().message(error) + "): the ranks are ended.");
  }
}

void Job::watch_input() {
  if (input_.wants_reading() != terminal_watched_) {
    terminal_watched_ = !terminal_watched_;
    if (terminal_watched_) {
      watch(epoll_, STDIN_FILENO, EPOLLIN, tag(Source::terminal, 0));
    } else {
      unwatch(epoll_, STDIN_FILENO);
    }
  }
  if (input_.wants_writing() != feed_watched_) {
    feed_watched_ = !feed_watched_;
    // A closed descriptor leaves the epoll set by itself.
    if (feed_watched_) {
      watch(epoll_, input_.feed(), EPOLLOUT, tag(Source::feed, 0));
    } else if (input_.feed() >= 0) {
      unwatch(epoll_, input_.feed());
    }
  }
}

// When no rank lives any more: ends what they left behind, and then the loop.
void Job::settle() {
  if (!started_ || alive_ > 0) return;
  if (!reap()) {
    state_ = State::over;
  } else if (!leftovers_told_) {
    leftovers_told_ = true;
    end(grace_of_ending);
    signal_descendants(SIGTERM, guardian_.process());
    signal_descendants(SIGCONT, guardian_.process());
  }
}

void Job::finish_output() {
  for (Stream& stream : streams_) {
    if (stream.descriptor() < 0) continue;
    stream.drain();
    stream.close();
  }
  for (Sink& sink : sinks_) sink.flush(true);
}

}  // namespace vif::tool
