// MixedOperation: a collective whose short blocks go through the area and whose long ones are messages
// (area_vector.cpp), both at once. Context: app for the constructor, schedule() and start(); engine for the rest.
#pragma once

#include "coll/area_operation.hpp"
#include "coll/schedule_operation.hpp"

namespace vif::coll {

class MixedOperation final : public Operation {
 public:
  MixedOperation(const AreaCall& call, Order order);
  // The messages.
  Schedule& schedule() noexcept { return messages_.schedule(); }
  // While the program computes it is moved so. Before start().
  void move_by(net::Progress progress) noexcept {
    area_.move_by(progress);
    messages_.move_by(progress);
  }
  void start() noexcept override;

 private:
  struct OwnTask : net::Task {
    MixedOperation* owner = nullptr;
  };

  static void part_done(net::Engine& engine, net::Task& task) noexcept;

  AreaOperation area_;
  ScheduleOperation messages_;
  OwnTask area_done_;
  OwnTask messages_done_;
  int parts_ = 0;  // not done
};

}  // namespace vif::coll
