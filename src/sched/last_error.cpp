#include "sched/last_error.hpp"

#include <new>
#include <string>

namespace vif::sched {
namespace {

std::string& text_of_thread() {
  thread_local std::string text = "No function of vif/event.h or vif/rpc.h has failed on this thread.";
  return text;
}

}  // namespace

int fail_with(int error, const char* why) noexcept {
  try {
    text_of_thread() = why;
  } catch (const std::bad_alloc&) {
    text_of_thread().clear();
  }
  return error;
}

const char* last_error() noexcept { return text_of_thread().c_str(); }

}  // namespace vif::sched
