// Datatypes: predefined ones and those that the user makes.
//
// A type is immutable once made, but for `committed`, its name and its attributes. It is counted twice: `handles` (how
// many handles the user holds: the one made, and those given out by MPI_Type_get_contents) and `references` (all the
// handles together, types built from it, operations under way). Predefined types are never counted. Context: app; pack
// and unpack: any.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "data/view.hpp"
#include "mpi/handle.hpp"
#include "mpi/signature.hpp"

namespace vif::mpi {

using data::Layout;
using data::LayoutPointer;

struct AttributeSet;
struct Datatype;

// What a predefined type is made of, as the reductions see it.
enum class Basic : uint8_t {
  none,
  int8,
  int16,
  int32,
  int64,
  int128,
  uint8,
  uint16,
  uint32,
  uint64,
  real16,
  real32,
  real64,
  real80,
  real128,
  complex16,
  complex32,
  complex64,
  complex80,
  complex128,  // named after the size of one part
  float_int,
  double_int,
  long_int,
  int_int,
  short_int,
  long_double_int,
  real_real,
  double_double,
};

// In which line of the standard's table of valid reductions a predefined type is.
enum class Family : uint8_t {
  none,
  c_integer,
  fortran_integer,
  floating,
  logical,
  complex,
  byte,
  multi_language,
  pair
};

// The arguments that made the type, for MPI_Type_get_envelope and MPI_Type_get_contents.
struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  bool large = false;  // made by a large-count function
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> counts;
  std::vector<Datatype*> types;  // references
};

struct Datatype {
  static constexpr uint32_t alive = 0x44747970;

  uint32_t magic = alive;
  bool predefined = false;
  bool committed = false;
  bool contiguous = false;       // one block from address 0 on, size == extent: `count` of them are count * size bytes
  bool explicit_bounds = false;  // the bounds come from MPI_Type_create_resized, here or in a component
  Basic basic = Basic::none;     // predefined types
  Family family = Family::none;
  MPI_Count size = 0;
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  MPI_Count true_lb = 0;
  MPI_Count true_extent = 0;
  MPI_Count alignment = 1;
  LayoutPointer layout;
  SignaturePointer signature;
  const Datatype* element = nullptr;  // the predefined type that all its elements are of; null when there are several
  MPI_Datatype handle = MPI_DATATYPE_NULL;
  std::atomic<int64_t> references{1};
  std::atomic<int64_t> handles{1};
  Contents contents;
  std::mutex lock;  // guards what follows
  std::string name;
  AttributeSet* attributes = nullptr;
};

// Predefined types by their value minus the first one's; null where there is none.
inline constexpr uintptr_t first_type_value = 0x200;
inline constexpr uintptr_t type_values = 0x100;
extern Datatype* predefined_types[type_values];

inline Datatype* datatype_of(MPI_Datatype handle) noexcept {
  const uintptr_t value = handle_value(handle);
  if (value - first_type_value < type_values) return predefined_types[value - first_type_value];
  return user_object<Datatype>(handle);
}

void retain(Datatype& type) noexcept;
void release(Datatype& type);

// So many instances of a type, as the layers below see them. Valid as long as the type.
inline data::View view_of(const Datatype& type, MPI_Count count) noexcept {
  return {type.layout.get(), static_cast<uint64_t>(count), type.extent};
}

// Whether a buffer is a null pointer that the type does not lead away from: from MPI_BOTTOM, a type of addresses does.
inline bool is_nowhere(const void* buffer, const Datatype& type) noexcept {
  return buffer == nullptr && type.contiguous;
}

// Copies `count` instances into packed bytes (count * size of them) and back.
void pack(const Datatype& type, MPI_Count count, const void* from, void* to) noexcept;
void unpack(const Datatype& type, MPI_Count count, const void* from, void* to) noexcept;
// A message that may be shorter than `count` instances: places its first `bytes` bytes.
void unpack_bytes(const Datatype& type, MPI_Count count, const void* from, MPI_Count bytes, void* to) noexcept;
// The same for packing: the first `bytes` bytes only.
void pack_bytes(const Datatype& type, MPI_Count count, const void* from, void* to, MPI_Count bytes) noexcept;

// Instances, and basic elements, in a message of that many bytes; MPI_UNDEFINED when it is not a whole number of them.
MPI_Count count_instances(const Datatype& type, MPI_Count bytes) noexcept;
MPI_Count count_basic_elements(const Datatype& type, MPI_Count bytes) noexcept;

// "MPI_INT", the name the user gave, or "a datatype without a name".
std::string describe(Datatype& type);

}  // namespace vif::mpi
