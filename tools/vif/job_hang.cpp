// A job that hangs: the report on SIGQUIT, and VIF_HANG_TIMEOUT. Context: app; one thread.
#include "hang.hpp"
#include "job.hpp"
#include "text.hpp"

namespace vif::tool {

namespace {

// A second SIGQUIT within this time is meant for the ranks.
constexpr std::chrono::seconds quit_pause{3};

// Whether a thread may wait for others: inside a call, or asking over and over.
bool stands_still(const ThreadView& thread) {
  return thread.inside || (!thread.last.empty() && thread.last.back().second.repeated != 0);
}

// A number that changes when any rank begins an operation; 0 when some rank computes.
uint64_t movement_of(const std::vector<RankView>& ranks) {
  uint64_t sum = 1;
  for (const RankView& rank : ranks) {
    if (!rank.alive) continue;
    bool waits = false;
    for (const ThreadView& thread : rank.threads) {
      sum = sum * 31 + thread.begun;
      waits = waits || stands_still(thread);
    }
    if (!waits) return 0;
  }
  return sum;
}

}  // namespace

bool Job::report_hang(const std::string& occasion) {
  std::vector<RankView> ranks;
  std::string sentence;
  if (segment_ < 0 || !read_job(segment_, ranks, sentence)) return false;
  sinks_[1].note("vif run: " + occasion + "\n" + hang_report(ranks, name_of_function, true));
  return true;
}

// True: the signal was answered, and is not forwarded.
bool Job::answer_quit() {
  const Clock::time_point now = Clock::now();
  if (quit_answered_at_ != Clock::time_point{} && now - quit_answered_at_ < quit_pause) return false;
  if (!report_hang("SIGQUIT came: this is what the job does (a second one within 3 seconds goes to the ranks).")) {
    return false;
  }
  quit_answered_at_ = now;
  return true;
}

void Job::check_hang() {
  const Clock::time_point now = Clock::now();
  hang_look_at_ = now + std::chrono::milliseconds(250);
  std::vector<RankView> ranks;
  std::string sentence;
  if (state_ != State::running || segment_ < 0 || !read_job(segment_, ranks, sentence)) {
    moved_at_ = now;
    return;
  }
  const uint64_t movement = movement_of(ranks);
  if (movement == 0 || movement != movement_) moved_at_ = now;
  movement_ = movement;
  if (now - moved_at_ < hang_limit_) return;
  hang_look_at_ = Clock::time_point::max();
  report_hang("no rank got further for " + std::to_string(hang_limit_.count()) + " seconds (VIF_HANG_TIMEOUT).");
  fail(124, "the job hangs; its ranks are ended.");
}

}  // namespace vif::tool
