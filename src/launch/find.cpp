// find_bootstrap(): from the environment to the right kind of bootstrap. Context: app.
#include <cstdio>
#include <cstdlib>
#include <map>

#include <unistd.h>

#include "launch/bootstrap.hpp"
#include "launch/client.hpp"
#include "launch/surroundings.hpp"

namespace vif::launch {

namespace {

// A process that nobody launched: the only rank of its job.
class Singleton final : public Bootstrap {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int segment_fd() const override { return -1; }
  bool put(const std::string& key, const std::string& value) override {
    values_[key] = value;
    return true;
  }
  bool get(const std::string& key, std::string& value) override {
    const auto found = values_.find(key);
    if (found == values_.end()) {
      error_ = "Nobody stored a value under '" + key + "'.";
      return false;
    }
    value = found->second;
    return true;
  }
  bool barrier() override { return true; }
  bool finalize() override { return true; }
  [[noreturn]] void abort(int code, const std::string& why) override {
    if (!why.empty()) std::fprintf(stderr, "vif: the program aborts with code %d: %s\n", code, why.c_str());
    _exit(code != 0 && (code & 0xff) == 0 ? 1 : code);
  }
  std::string error() const override { return error_; }
  std::string name() const override { return "singleton"; }

 private:
  std::map<std::string, std::string> values_;
  std::string error_;
};

}  // namespace

std::unique_ptr<Bootstrap> find_bootstrap(std::string& error) {
  const Surroundings found = look_around([](const char* name) -> const char* { return std::getenv(name); });
  if (found.kind == Surroundings::Kind::foreign) {
    error = found.sentence;
    return nullptr;
  }
  if (found.kind == Surroundings::Kind::alone) return std::make_unique<Singleton>();
  auto client = std::make_unique<PmiClient>(found);
  if (!client->start()) {
    error = client->error();
    return nullptr;
  }
  return client;
}

}  // namespace vif::launch
