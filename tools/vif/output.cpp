// Forwards what ranks write. Context: app (the launcher's loop).
#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <unistd.h>

namespace vif::tool {

Sink::Sink(int descriptor) : descriptor_(descriptor), terminal_(isatty(descriptor) == 1) {}

void Sink::add(Stream& from, std::string_view prefix, std::string_view bytes) {
  if (closed() || bytes.empty()) return;
  const bool goes_on = unfinished_ == &from;
  if (unfinished_ != nullptr && !goes_on) pending_ += '\n';
  if (!goes_on) pending_ += prefix;
  pending_ += bytes;
  // Only a terminal shows unfinished lines for long; elsewhere bytes are never added to the output.
  unfinished_ = terminal_ && bytes.back() != '\n' ? &from : nullptr;
}

void Sink::note(std::string_view line) {
  if (closed()) return;
  if (unfinished_ != nullptr) pending_ += '\n';
  unfinished_ = nullptr;
  pending_ += line;
  pending_ += '\n';
}

void Sink::flush(bool wait) {
  while (!empty() && !closed()) {
    pollfd ready{descriptor_, POLLOUT, 0};
    const int count = poll(&ready, 1, wait ? -1 : 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    // A pipe that is writable takes PIPE_BUF bytes without blocking, and one writer's piece stays whole.
    const std::size_t length = std::min<std::size_t>(pending_.size() - begin_, PIPE_BUF);
    const ssize_t written = ::write(descriptor_, pending_.data() + begin_, length);
    if (written > 0) {
      begin_ += static_cast<std::size_t>(written);
    } else if (errno != EINTR && errno != EAGAIN) {
      error_ = errno;
    }
  }
  if (empty() || closed()) {
    pending_.clear();
    begin_ = 0;
  } else if (begin_ > room) {
    pending_.erase(0, begin_);
    begin_ = 0;
  }
}

Stream::Step Stream::step() {
  char bytes[32 << 10];
  const ssize_t count = read(descriptor_, bytes, sizeof bytes);
  if (count < 0 && errno == EINTR) return Step::more;
  if (count < 0 && errno == EAGAIN) return Step::nothing;
  if (count <= 0) return Step::end;
  take({bytes, static_cast<std::size_t>(count)});
  return Step::more;
}

bool Stream::pump() { return step() != Step::end; }

bool Stream::drain() {
  Step last = Step::more;
  while (last == Step::more) last = step();
  return last != Step::end;
}

void Stream::take(std::string_view bytes) {
  const std::size_t last = bytes.rfind('\n');
  if (last == std::string_view::npos) {
    held_ += bytes;
  } else if (held_.empty()) {
    write(bytes.substr(0, last + 1));
    held_ = bytes.substr(last + 1);
  } else {
    held_ += bytes.substr(0, last + 1);
    write(held_);
    held_ = bytes.substr(last + 1);
  }
  if (held_.size() > longest_line) show_held();
}

void Stream::write(std::string_view bytes) {
  if (prefix_.empty()) {
    sink_->add(*this, {}, bytes);
    return;
  }
  while (!bytes.empty()) {
    const std::size_t length = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    sink_->add(*this, line_begun_ ? std::string_view() : std::string_view(prefix_), bytes.substr(0, length));
    line_begun_ = bytes[length - 1] != '\n';
    bytes.remove_prefix(length);
  }
}

void Stream::show_held() {
  write(held_);
  held_.clear();
}

void Stream::close() {
  if (!held_.empty()) {
    // With prefixes, a last line without an end would run into the next one's prefix.
    if (!prefix_.empty()) held_ += '\n';
    show_held();
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace vif::tool
