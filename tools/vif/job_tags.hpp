// How the launcher's loop knows what an epoll event is about. Context: app (the launcher's loop).
#pragma once

#include <cstddef>
#include <cstdint>

#include <sys/epoll.h>

namespace vif::tool {

enum class Source : uint32_t { signals, stream, control, sink, terminal, feed };

inline uint64_t tag(Source source, std::size_t index) { return uint64_t{static_cast<uint32_t>(source)} << 32 | index; }
inline Source source_of(uint64_t tag) { return static_cast<Source>(tag >> 32); }
inline std::size_t index_of(uint64_t tag) { return static_cast<uint32_t>(tag); }

// False when the descriptor cannot be watched (a regular file: always ready).
inline bool watch(int epoll, int descriptor, uint32_t events, uint64_t tag) {
  epoll_event event{};
  event.events = events;
  event.data.u64 = tag;
  return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

inline void unwatch(int epoll, int descriptor) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nullptr); }

}  // namespace vif::tool
