// The works on oneTBB: functions are enqueued in an arena of as many threads as cores. Nothing serialises a lane:
// oneTBB has no such notion, and these works are correct without it, so it does less than the others. Context: app.
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include <dlfcn.h>

#include "../programs/events/works.hpp"

namespace {

class OnTbb {
 public:
  // All slots are for workers: the main thread only enqueues.
  OnTbb(int cores, int)
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(cores) + 1), arena_(cores, 0) {}
  template <class Function>
  void post(int, Function&& function) {
    arena_.enqueue(std::forward<Function>(function));
  }
  void finish() {}

 private:
  tbb::global_control limit_;
  tbb::task_arena arena_;
};

}  // namespace

int main(int argc, char** argv) {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&TBB_runtime_version), &info);
  return works::run<OnTbb>(argc, argv, std::string("oneTBB ") + TBB_runtime_version(),
                           info.dli_fname != nullptr ? info.dli_fname : "");
}
