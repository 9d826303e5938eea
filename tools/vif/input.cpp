// Standard input of rank 0. Context: app (the launcher's loop).
#include "input.hpp"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

namespace vif::tool {

int Input::prepare() {
  if (fcntl(STDIN_FILENO, F_GETFD) < 0) return -1;
  if (isatty(STDIN_FILENO) != 1) return STDIN_FILENO;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  taken_ = ends[0];
  feed_ = ends[1];
  fcntl(feed_, F_SETFL, O_NONBLOCK);
  return taken_;
}

void Input::given() {
  if (taken_ >= 0) ::close(taken_);
  taken_ = -1;
}

bool Input::foreground() { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

void Input::read_some() {
  char bytes[4096];
  const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
  if (count > 0) {
    pending_.assign(bytes, static_cast<std::size_t>(count));
    write_some();
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    close();
  }
}

void Input::write_some() {
  const ssize_t count = write(feed_, pending_.data(), pending_.size());
  if (count >= 0) {
    pending_.erase(0, static_cast<std::size_t>(count));
  } else if (errno != EINTR && errno != EAGAIN) {
    close();
  }
}

void Input::close() {
  given();
  if (feed_ >= 0) ::close(feed_);
  feed_ = -1;
  pending_.clear();
}

}  // namespace vif::tool
