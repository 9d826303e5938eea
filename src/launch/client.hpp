// The client of a PMI-1 launcher: vif run, the hydra of MPICH and of Intel MPI, Slurm's pmi2 plug-in, flux.
// Context: app, one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "launch/bootstrap.hpp"
#include "launch/surroundings.hpp"
#include "launch/wire.hpp"

namespace vif::launch {

class PmiClient final : public Bootstrap {
 public:
  explicit PmiClient(const Surroundings& surroundings);
  ~PmiClient() override;
  PmiClient(const PmiClient&) = delete;
  PmiClient& operator=(const PmiClient&) = delete;

  // The opening exchange. False on failure, cause in error().
  bool start();

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int first() const override { return first_; }
  int segment_fd() const override { return segment_; }
  int app_number() const override { return app_number_; }
  bool put(const std::string& key, const std::string& value) override;
  bool get(const std::string& key, std::string& value) override;
  bool barrier() override;
  bool finalize() override;
  bool can_spawn() const override { return launcher_ != 0; }
  bool spawn(const std::vector<Program>& programs, const std::vector<std::pair<std::string, std::string>>& values,
             int& first) override;
  bool publish(const std::string& name, const std::string& port) override;
  bool unpublish(const std::string& name) override;
  bool look_up(const std::string& name, std::string& port) override;
  [[noreturn]] void abort(int code, const std::string& why) override;
  std::string error() const override { return error_; }
  int launcher_pid() const override { return launcher_; }
  std::string name() const override { return launcher_ != 0 ? "vif run" : "PMI-1 launcher"; }

 private:
  // Sends a message and waits for the answer, which must be of the kind `expected`.
  std::optional<Message> ask(const Message& message, const char* expected);
  bool send(const Message& message);
  bool send_text(const std::string& text);
  std::optional<Message> receive();
  bool accepted(const Message& answer, const std::string& what);
  bool fail(std::string sentence);

  int descriptor_;
  int rank_;
  int size_;
  int first_;
  int segment_;
  int launcher_;  // process of `vif run`, or 0
  int app_number_ = 0;
  long key_room_ = 0;
  long value_room_ = 0;
  std::string space_;  // name of the key-value space
  LineBuffer lines_;
  std::string error_;
};

}  // namespace vif::launch
