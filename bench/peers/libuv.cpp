// The works on libuv: a loop per thread; a lane belongs to a loop. libuv runs functions of other threads by uv_async_t,
// so each loop has a queue under a lock, and an async handle that says that it is not empty any more. What a loop posts
// to itself goes into a plain queue that an idle handle empties. Context: app.
#include <uv.h>

#include <dlfcn.h>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "../programs/events/works.hpp"

namespace {

struct Loop {
  uv_loop_t loop;
  uv_async_t async;
  uv_idle_t idle;
  std::mutex lock;
  std::vector<std::function<void()>> from_others;  // under the lock
  std::deque<std::function<void()>> own;
  bool ends = false;  // under the lock

  Loop() {
    uv_loop_init(&loop);
    uv_async_init(&loop, &async, [](uv_async_t* handle) { static_cast<Loop*>(handle->data)->take_in(); });
    uv_idle_init(&loop, &idle);
    async.data = idle.data = this;
  }

  void post_own(std::function<void()> function) {
    if (own.empty()) uv_idle_start(&idle, [](uv_idle_t* handle) { static_cast<Loop*>(handle->data)->run_own(); });
    own.push_back(std::move(function));
  }
  void post_other(std::function<void()> function) {
    bool first;
    {
      const std::lock_guard guard(lock);
      first = from_others.empty();
      from_others.push_back(std::move(function));
    }
    if (first) uv_async_send(&async);
  }
  void take_in() {
    std::vector<std::function<void()>> taken;
    {
      const std::lock_guard guard(lock);
      taken.swap(from_others);
      if (ends) {
        uv_close(reinterpret_cast<uv_handle_t*>(&async), nullptr);
        uv_close(reinterpret_cast<uv_handle_t*>(&idle), nullptr);
        return;
      }
    }
    for (auto& function : taken) function();
  }
  void run_own() {
    // As many as there are now; what they post waits for the next turn of the loop.
    for (std::size_t count = own.size(); count > 0; --count) {
      auto function = std::move(own.front());
      own.pop_front();
      function();
    }
    if (own.empty()) uv_idle_stop(&idle);
  }
};

thread_local Loop* mine = nullptr;

class OnLibuv {
 public:
  OnLibuv(int cores, int) {
    for (int i = 0; i < cores; ++i) loops_.push_back(std::make_unique<Loop>());
    for (int i = 0; i < cores; ++i) {
      threads_.emplace_back([this, i, cores] {
        if (cores == usable_cpus()) bind_to_usable_cpu(i);
        mine = loops_[static_cast<std::size_t>(i)].get();
        uv_run(&mine->loop, UV_RUN_DEFAULT);
        uv_loop_close(&mine->loop);
      });
    }
  }
  template <class Function>
  void post(int lane, Function&& function) {
    Loop& loop = *loops_[static_cast<std::size_t>(lane) % loops_.size()];
    if (&loop == mine) {
      loop.post_own(std::forward<Function>(function));
    } else {
      loop.post_other(std::forward<Function>(function));
    }
  }
  void finish() {
    for (auto& loop : loops_) {
      const std::lock_guard guard(loop->lock);
      loop->ends = true;
      uv_async_send(&loop->async);
    }
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::thread> threads_;
};

}  // namespace

int main(int argc, char** argv) {
  Dl_info info{};
  dladdr(reinterpret_cast<const void*>(&uv_version_string), &info);
  return works::run<OnLibuv>(argc, argv, std::string("libuv ") + uv_version_string(),
                             info.dli_fname != nullptr ? info.dli_fname : "");
}
