// The sentence about the last failure of a C function of this library, by thread. Context: app and core.
#pragma once

namespace vif::sched {

// Remembers the sentence, and returns the error.
int fail_with(int error, const char* why) noexcept;
const char* last_error() noexcept;

}  // namespace vif::sched
