// The table of options: one row each, from which parsing, `vif info --options`, and the reference page are made.
//
// A new option is a new row in options.cpp. Context: app (strings are allocated).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace vif::base {

struct Option {
  const char* name;           // environment variable, VIF_...
  const char* default_value;  // as the user would write it
  const char* values;         // what may be written: words separated by |, of which "bytes", "number" and "text" mean
                              // any size (64, 16K, 4M, 1G), any whole number and anything: "0|1", "auto|bytes"
  const char* help;           // one full sentence
};

const Option* options(std::size_t& count);

// The value given in the environment, or the default. The name must be in the table.
std::string option(const char* name);

// Checks the environment: every variable that starts with VIF_ must be in the table with an acceptable value
// (launchers' private variables start with VIF_JOB_ and are listed as such). Returns an empty string, or a full
// sentence naming the offender, the accepted values and the nearest known name.
std::string check_options();
// The same for an environment given as "NAME=value" strings ended by a null pointer.
std::string check_options_in(const char* const* environment);

// "65536", "64K", "4M", "1G" (powers of 1024). False when the text is no size or too large.
bool parse_bytes(const std::string& text, uint64_t& bytes);

}  // namespace vif::base
