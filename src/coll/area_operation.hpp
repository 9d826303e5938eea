// AreaOperation: a small collective on the group's area that runs by itself. It waits as a poller of the engine;
// whoever makes what it waits for true rings this process. Context: app for the constructor and start(); engine for the
// rest.
#pragma once

#include <vector>

#include "coll/area_call.hpp"

namespace vif::coll {

class AreaOperation final : public Operation {
 public:
  AreaOperation(const AreaCall& call, Order order);
  // While the program computes it is moved so; else as `react`. Before start(). Its beginning, a short copy, is the
  // caller's in any case.
  void move_by(net::Progress progress) noexcept { progress_ = progress; }
  void start() noexcept override;
  // Run by the engine when it is complete, instead of `done_` being set: the operation is part of a larger one.
  void then(net::Task& task) noexcept { then_ = &task; }

 private:
  struct OwnTask : net::Task {
    AreaOperation* owner = nullptr;
  };
  struct OwnPoller : net::Poller {
    AreaOperation* owner = nullptr;
  };

  static void begin(net::Engine& engine, net::Task& task) noexcept;
  static void leave(net::Engine& engine, net::Task& task) noexcept;
  static bool poll(net::Engine& engine, net::Poller& poller) noexcept;
  bool try_to_end(net::Engine& engine) noexcept;

  AreaCall call_;
  Order order_;
  net::Progress progress_ = net::Progress::react;
  bool entrusted_ = false;  // this run, to the progress thread
  // Kept: the caller's arrays are read during the call only.
  std::vector<uint64_t> sizes_, in_sizes_;
  std::vector<int64_t> displacements_, in_displacements_;
  net::Task* then_ = nullptr;
  OwnTask begin_task_;
  OwnTask leave_task_;
  OwnPoller poller_;
};

}  // namespace vif::coll
