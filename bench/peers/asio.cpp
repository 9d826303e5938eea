// The works on Asio: a lane is a strand. With PEER_PER_CORE each thread has a context of its own, with a concurrency
// hint of 1, and a lane is the context of its thread; else all threads run one context. Context: app.
#include <asio.hpp>

#include <memory>
#include <thread>
#include <vector>

#include "../programs/events/works.hpp"

namespace {

class OnAsio {
 public:
#ifdef PEER_PER_CORE
  OnAsio(int cores, int) {
    for (int i = 0; i < cores; ++i) contexts_.push_back(std::make_unique<asio::io_context>(1));
    start(cores);
  }
  template <class Function>
  void post(int lane, Function&& function) {
    asio::post(*contexts_[static_cast<std::size_t>(lane) % contexts_.size()], std::forward<Function>(function));
  }
#else
  OnAsio(int cores, int lanes) {
    contexts_.push_back(std::make_unique<asio::io_context>(cores));
    for (int i = 0; i < lanes; ++i) strands_.push_back(asio::make_strand(*contexts_[0]));
    start(cores);
  }
  template <class Function>
  void post(int lane, Function&& function) {
    asio::post(strands_[static_cast<std::size_t>(lane)], std::forward<Function>(function));
  }
#endif
  void finish() {
    guards_.clear();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  using Guard = asio::executor_work_guard<asio::io_context::executor_type>;

  void start(int cores) {
    for (auto& context : contexts_) guards_.push_back(asio::make_work_guard(*context));
    for (int i = 0; i < cores; ++i) {
      threads_.emplace_back([this, i, cores] {
        if (cores == usable_cpus()) bind_to_usable_cpu(i);
        contexts_[static_cast<std::size_t>(i) % contexts_.size()]->run();
      });
    }
  }

  std::vector<std::unique_ptr<asio::io_context>> contexts_;
  std::vector<asio::strand<asio::io_context::executor_type>> strands_;
  std::vector<Guard> guards_;
  std::vector<std::thread> threads_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string version = std::to_string(ASIO_VERSION / 100000) + "." + std::to_string(ASIO_VERSION / 100 % 1000) +
                              "." + std::to_string(ASIO_VERSION % 100);
  return works::run<OnAsio>(argc, argv, "Asio " + version, "");
}
