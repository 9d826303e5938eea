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
      return fail("Nobody stored a value under '" + key + "'.");
    }
    value = found->second;
    return true;
  }
  bool barrier() override { return true; }
  bool finalize() override { return true; }
  bool spawn(const std::vector<Program>&, const std::vector<std::pair<std::string, std::string>>&, int&) override {
    error_ = "A program that no launcher started cannot start others; start it with mpirun -n 1.";
    return false;
  }
  bool publish(const std::string& name, const std::string& port) override {
    return names_.emplace(name, port).second || fail("The name '" + name + "' is published already.");
  }
  bool unpublish(const std::string& name) override {
    return names_.erase(name) != 0 || fail("The name '" + name + "' is not published.");
  }
  bool look_up(const std::string& name, std::string& port) override {
    const auto found = names_.find(name);
    if (found == names_.end()) return fail("The name '" + name + "' is not published.");
    port = found->second;
    return true;
  }
  [[noreturn]] void abort(int code, const std::string& why) override {
    if (!why.empty()) std::fprintf(stderr, "vif: the program aborts with code %d: %s\n", code, why.c_str());
    _exit(code != 0 && (code & 0xff) == 0 ? 1 : code);
  }
  std::string error() const override { return error_; }
  std::string name() const override { return "singleton"; }

 private:
  bool fail(std::string sentence) {
    error_ = std::move(sentence);
    return false;
  }

  std::map<std::string, std::string> values_;
  std::map<std::string, std::string> names_;
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
