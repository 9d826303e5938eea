#include "sched/last_error.hpp"

#include <cstdio>

namespace vif::sched {
namespace {

// A place that stays: printf("%d %s", vif_post(...), vif_error_text()) may ask for the text before the call fails.
thread_local char text_of_thread[512] = "No function of vif/event.h or vif/rpc.h has failed on this thread.";

}  // namespace

int fail_with(int error, const char* why) noexcept {
  std::snprintf(text_of_thread, sizeof text_of_thread, "%s", why);
  return error;
}

const char* last_error() noexcept { return text_of_thread; }

}  // namespace vif::sched
