// Small blocking and non-blocking helpers over an engine, and content that tells when a byte is not where it should be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "net/engine.hpp"

namespace vif::test {

inline std::byte content(uint64_t position, uint32_t salt) {
  return static_cast<std::byte>((position * 2654435761u + salt * 40503u) >> 7);
}

inline void fill(std::vector<std::byte>& bytes, uint32_t salt) {
  for (uint64_t i = 0; i < bytes.size(); ++i) bytes[i] = content(i, salt);
}

inline bool holds(const std::vector<std::byte>& bytes, uint64_t count, uint32_t salt) {
  for (uint64_t i = 0; i < count; ++i) {
    if (bytes[i] != content(i, salt)) return false;
  }
  return true;
}

inline void prepare(net::Request& request, int process, int source, int tag, void* buffer, uint64_t length) {
  request.process = process;
  request.source = source;
  request.tag = tag;
  request.buffer = buffer;
  request.length = length;
}

inline void start_send(net::Engine& engine, net::Request& request, int to, int tag, void* buffer, uint64_t length) {
  net::ApiScope scope(engine);
  prepare(request, to, engine.process(), tag, buffer, length);
  engine.send(request);
}

inline void start_receive(net::Engine& engine, net::Request& request, int from, int tag, void* buffer,
                          uint64_t length) {
  net::ApiScope scope(engine);
  prepare(request, from, from, tag, buffer, length);
  engine.receive(request);
}

inline void wait(net::Engine& engine, net::Request& request) {
  net::ApiScope scope(engine);
  engine.wait(request);
}

inline void send(net::Engine& engine, int to, int tag, void* buffer, uint64_t length) {
  net::Request request;
  start_send(engine, request, to, tag, buffer, length);
  wait(engine, request);
}

inline net::Status receive(net::Engine& engine, int from, int tag, void* buffer, uint64_t length) {
  net::Request request;
  start_receive(engine, request, from, tag, buffer, length);
  wait(engine, request);
  return request.status;
}

// Everybody waits for everybody.
inline void meet(net::Engine& engine, int tag = 999'999) {
  if (engine.process() == 0) {
    for (int i = 1; i < engine.processes(); ++i) receive(engine, i, tag, nullptr, 0);
    for (int i = 1; i < engine.processes(); ++i) send(engine, i, tag, nullptr, 0);
  } else {
    send(engine, 0, tag, nullptr, 0);
    receive(engine, 0, tag, nullptr, 0);
  }
}

}  // namespace vif::test
