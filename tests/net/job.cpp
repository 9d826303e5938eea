#include "net/job.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/create.hpp"

namespace vif::test {
namespace {

// What one process has put, for all to get.
struct Value {
  std::atomic<bool> there;
  char key[64];
  char text[1024];
};

struct Meeting {
  std::atomic<uint32_t> arrived{0};
  std::atomic<uint32_t> round{0};
  std::atomic<uint32_t> values_used{0};
  Value values[64];
};

Meeting* the_meeting = nullptr;  // of the job that this process belongs to

class TestBootstrap final : public launch::Bootstrap {
 public:
  TestBootstrap(int rank, int size, int segment, Meeting& meeting)
      : rank_(rank), size_(size), segment_(segment), meeting_(meeting) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int segment_fd() const override { return segment_; }
  bool put(const std::string& key, const std::string& text) override {
    const uint32_t place = meeting_.values_used.fetch_add(1);
    if (place >= std::size(meeting_.values) || key.size() >= sizeof Value::key || text.size() >= sizeof Value::text) {
      return false;
    }
    Value& value = meeting_.values[place];
    std::snprintf(value.key, sizeof value.key, "%s", key.c_str());
    std::snprintf(value.text, sizeof value.text, "%s", text.c_str());
    value.there.store(true, std::memory_order_release);
    return true;
  }
  bool get(const std::string& key, std::string& text) override {
    text = job_value(key);
    return !text.empty();
  }
  bool barrier() override {
    const uint32_t round = meeting_.round.load();
    if (meeting_.arrived.fetch_add(1) + 1 == static_cast<uint32_t>(size_)) {
      meeting_.arrived.store(0);
      meeting_.round.store(round + 1);
      base::RealAtoms::wake(meeting_.round, INT_MAX);
    } else {
      while (meeting_.round.load() == round) base::RealAtoms::wait(meeting_.round, round, -1);
    }
    return true;
  }
  bool finalize() override { return true; }
  [[noreturn]] void abort(int code, const std::string& why) override {
    std::fprintf(stderr, "%s\n", why.c_str());
    _exit(code);
  }
  std::string error() const override { return "none"; }
  std::string name() const override { return "test"; }

 private:
  int rank_, size_, segment_;
  Meeting& meeting_;
};

int run_rank(TestBootstrap& bootstrap, const std::function<int(net::Engine&)>& body, int thread_level) {
  std::string error;
  auto engine = net::create_engine(bootstrap, thread_level, error);
  if (engine == nullptr) {
    std::fprintf(stderr, "rank %d: %s\n", bootstrap.rank(), error.c_str());
    return 2;
  }
  const int result = body(*engine);
  if (result == leave_without_meeting) _exit(0);
  if (result != 0) _exit(result);  // the others may never come to the meeting
  bootstrap.barrier();
  engine.reset();
  return result;
}

}  // namespace

std::string job_value(const std::string& key) {
  for (const Value& value : the_meeting->values) {
    if (value.there.load(std::memory_order_acquire) && key == value.key) return value.text;
  }
  return {};
}

int run_job(int processes, const std::function<int(net::Engine&)>& body, int thread_level) {
  void* shared = mmap(nullptr, sizeof(Meeting), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* meeting = new (shared) Meeting;
  the_meeting = meeting;
  const int segment = memfd_create("vif-test", 0);
  std::fflush(nullptr);
  std::vector<pid_t> children;
  for (int rank = 0; rank < processes; ++rank) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      alarm(60);
      TestBootstrap bootstrap(rank, processes, dup(segment), *meeting);
      _exit(run_rank(bootstrap, body, thread_level));
    }
    children.push_back(child);
  }
  int failures = 0;
  for (size_t i = 0; i < children.size(); ++i) {
    int status = 0;
    pid_t ended = wait(&status);
    if (status == 0) continue;
    ++failures;
    std::fprintf(stderr, "process %d ended with status %#x\n", static_cast<int>(ended), static_cast<unsigned>(status));
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
      for (pid_t child : children) kill(child, SIGKILL);  // the others may wait for it
    }
  }
  close(segment);
  the_meeting = nullptr;
  munmap(shared, sizeof(Meeting));
  return failures;
}

}  // namespace vif::test
