// Where the CPU enters this process for a user interrupt.
#pragma once

#include <cstdint>

extern "C" {
// Saves what the CPU does not, runs vif_bell_on_user_interrupt, and goes back by uiret. Never called.
__attribute__((visibility("hidden"))) void vif_bell_user_interrupt_entry();
// Context: handler. Defined in user_interrupt.cpp.
__attribute__((visibility("hidden"))) void vif_bell_on_user_interrupt(uint64_t vector) noexcept;
}

namespace vif::bell {

// App context, before the entry is registered: finds out which registers this CPU has to be saved, and in how many
// bytes.
void measure_register_state() noexcept;

}  // namespace vif::bell
