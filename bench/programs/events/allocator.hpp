// The allocator under test, chosen when the program is compiled: Vif's, or whatever malloc() is (the C library's, or
// one put in its place with LD_PRELOAD). Context: app.
#pragma once

#include <cstdlib>
#include <string>

#include <dlfcn.h>

#ifdef VIF_BENCH_OWN_ALLOCATOR
#include <vif/memory.hpp>
#endif

namespace allocator {

#ifdef VIF_BENCH_OWN_ALLOCATOR

using Place = vif::memory::PlaceNumber;
inline Place here() { return vif::memory::this_place(); }
inline void* make(std::size_t bytes) { return vif::memory::allocate(bytes); }
inline void* make_for(Place place, std::size_t bytes) { return vif::memory::allocate_for(place, bytes); }
inline void drop(void* object) { vif::memory::release(object); }
inline std::string name() { return "Vif"; }
inline const void* address() { return reinterpret_cast<const void*>(&vif::memory::release); }

#else

using Place = int;
inline Place here() { return 0; }
inline void* make(std::size_t bytes) { return std::malloc(bytes); }
inline void* make_for(Place, std::size_t bytes) { return std::malloc(bytes); }
inline void drop(void* object) { std::free(object); }
inline std::string name() { return "malloc"; }
inline const void* address() { return dlsym(RTLD_DEFAULT, "malloc"); }

#endif

// The file of the allocator that is really in use.
inline std::string file() {
  Dl_info info;
  return dladdr(address(), &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace allocator
