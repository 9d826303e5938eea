// The door of this layer: the engine of this process.
#pragma once

#include <memory>
#include <string>

#include "launch/bootstrap.hpp"
#include "net/engine.hpp"

namespace vif::net {

// App context, once per process. thread_level: 0 single, 1 funneled, 2 serialized, 3 multiple. Null with a sentence in
// `error`. `bootstrap` must outlive the engine.
std::unique_ptr<Engine> create_engine(launch::Bootstrap& bootstrap, int thread_level, std::string& error);

}  // namespace vif::net
