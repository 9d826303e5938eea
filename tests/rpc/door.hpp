// The engine of a process of a test's job, as the MPI library would offer it (net/door.hpp), and meetings.
#pragma once

#include <functional>
#include <string>

#include "net/door.hpp"
#include "net/job.hpp"
#include "net/traffic.hpp"
#include "vif/rpc.hpp"

namespace vif::test {

inline net::EngineDoor offered;

inline void offer(net::Engine& engine) {
  offered.engine = &engine;
  offered.many_threads = true;
  offered.first_context = 1u << 20;
  offered.context_stride = 8;
  offered.contexts = 3;
  offered.hold = [](int) {};
}

inline RuntimeOptions two_cores() {
  RuntimeOptions options;
  options.cores = 2;
  return options;
}

// A job whose processes have an engine for many threads, a runtime and a node.
inline int run_nodes(int processes, const std::function<int(net::Engine&, rpc::Node&)>& body) {
  return run_job(
      processes,
      [&body](net::Engine& engine) {
        offer(engine);
        Runtime runtime(two_cores());
        int result = 0;
        {
          rpc::Node node(runtime);
          meet(engine);
          result = body(engine, node);
          if (result == 0) meet(engine);
        }
        return result;
      },
      3);
}

inline rpc::Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string text_of(rpc::Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace vif::test

extern "C" __attribute__((visibility("default"), weak, used)) bool vif_engine_door(uint64_t interface,
                                                                                   vif::net::EngineDoor* door) {
  if (interface != vif::net::door_interface) return false;
  *door = vif::test::offered;
  return true;
}
