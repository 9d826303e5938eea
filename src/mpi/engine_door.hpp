// Whether another library of this project uses the engine (net/door.hpp). Context: any.
#pragma once

namespace vif::mpi {

bool engine_is_held() noexcept;

}  // namespace vif::mpi
