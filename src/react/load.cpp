#include "react/load.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace vif::react {
namespace {

bool read_text(const char* path, char* text, size_t capacity) noexcept {
  const int saved = errno;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t got = file < 0 ? -1 : read(file, text, capacity - 1);
  if (file >= 0) close(file);
  errno = saved;
  if (got <= 0) return false;
  text[got] = '\0';
  return true;
}

}  // namespace

int runnable_in(const char* loadavg) noexcept {
  const char* at = loadavg;
  for (int space = 0; space < 3; ++space) {
    at = std::strchr(at, ' ');
    if (at == nullptr) return -1;
    ++at;
  }
  char* end = nullptr;
  const long runnable = std::strtol(at, &end, 10);
  return end != at && *end == '/' && runnable >= 0 && runnable < 1'000'000 ? static_cast<int>(runnable) : -1;
}

int64_t delayed_in(const char* schedstat) noexcept {
  const char* at = std::strchr(schedstat, ' ');
  if (at == nullptr) return -1;
  char* end = nullptr;
  const long long delayed = std::strtoll(at + 1, &end, 10);
  return end != at + 1 && *end == ' ' && delayed >= 0 ? delayed : -1;
}

Load look_at_machine(int cpus, bool may_use_all) noexcept {
  Load load;
  load.cpus = cpus;
  load.may_use_all = may_use_all;
  char text[128];
  if (read_text("/proc/loadavg", text, sizeof text)) load.runnable = runnable_in(text);
  // Not needed where the first decides.
  if ((!may_use_all || load.runnable < 0) && read_text("/proc/thread-self/schedstat", text, sizeof text)) {
    load.delayed_ns = delayed_in(text);
  }
  return load;
}

}  // namespace vif::react
