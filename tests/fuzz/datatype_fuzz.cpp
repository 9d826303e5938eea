// Fuzzes the constructors of datatypes: the input chooses constructors and their arguments. Types made of good
// arguments are compared with their type maps, byte by byte, also from the middle on; arguments of any value must be
// refused or accepted, and never crash. tests/fuzz/CMakeLists.txt says how to run it with libFuzzer.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "data/copy.hpp"
#include "data/visit.hpp"
#include "input.hpp"
#include "mpi/datatype.hpp"
#include "mpi/external.hpp"
#include "type_map.hpp"

namespace {

using namespace vif::mpi;
using namespace type_map;

void demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz_datatype: %s\n", what);
  std::abort();
}

void compare(const Made& made, Input& input) {
  const Datatype& type = *datatype_of(made.handle);
  demand(type.size == made.map.size() && type.lb == made.map.lower() && type.extent == made.map.extent(), "bounds");
  const int64_t count = input.between(0, 3);
  const std::vector<Entry> elements = instances(made.map, count);
  const Area source = area_for(elements);
  std::vector<unsigned char> expected;
  for (const Entry& entry : elements) {
    const auto* from = source.bytes.data() + source.origin + entry.displacement;
    expected.insert(expected.end(), from, from + entry.size);
  }
  const auto size = static_cast<int64_t>(expected.size());
  const auto from = static_cast<uint64_t>(input.between(0, size));
  const auto bytes = static_cast<uint64_t>(input.between(0, size - static_cast<int64_t>(from)));
  std::vector<unsigned char> packed(bytes + 1, 0xee);
  const vif::data::View view = view_of(type, count);
  const unsigned char* user = source.bytes.data() + source.origin;
  demand(vif::data::gather(view, user, from, packed.data(), bytes) == bytes, "how much was gathered");
  demand(packed[bytes] == 0xee, "gathering wrote behind the end");
  demand(std::equal(packed.begin(), packed.end() - 1, expected.begin() + static_cast<std::ptrdiff_t>(from)),
         "what was gathered");
  uint64_t visited = 0;
  vif::data::visit(view, from, bytes, [&](int64_t offset, uint64_t length) {
    demand(std::memcmp(user + offset, expected.data() + from + visited, length) == 0, "a piece that was visited");
    visited += length;
    return true;
  });
  demand(visited == bytes, "how much was visited");
  uint64_t counted = 0;
  count_elements(*type.signature, static_cast<uint64_t>(size), counted);
  demand(counted == elements.size(), "the number of elements");
  std::vector<std::byte> outside(type.signature->external * static_cast<uint64_t>(count) + 1);
  std::vector<std::byte> back(expected.size() + 1);
  to_external(*type.signature, static_cast<uint64_t>(count), reinterpret_cast<std::byte*>(expected.data()),
              outside.data());
  from_external(*type.signature, static_cast<uint64_t>(count), outside.data(), back.data());
  demand(expected.empty() || std::memcmp(back.data(), expected.data(), expected.size()) == 0,
         "the external form and back");
}

// Any arguments. What is accepted must have a size, and be freed.
void provoke(Input& input) {
  auto any = [&input]() -> MPI_Count {
    switch (input.between(0, 3)) {
      case 0:
        return input.between(-3, 5);
      case 1:
        return static_cast<MPI_Count>(input.take(8));
      case 2:
        return INT64_MAX - input.between(0, 3);
      default:
        return INT64_MIN + input.between(0, 3);
    }
  };
  MPI_Count lists[3][4];
  for (auto& list : lists) {
    for (MPI_Count& value : list) value = any();
  }
  const MPI_Datatype types[4] = {MPI_INT, MPI_DOUBLE_INT, MPI_DATATYPE_NULL, MPI_CHAR};
  const MPI_Datatype old = types[input.between(0, 3)];
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int how[4] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE, 7};
  int arguments[4], grid[4];
  for (int i = 0; i < 4; ++i) {
    arguments[i] = static_cast<int>(any());
    grid[i] = static_cast<int>(input.between(-1, 3));
  }
  const auto few = static_cast<MPI_Count>(input.between(-1, 4));
  int error = MPI_SUCCESS;
  switch (input.between(0, 9)) {
    case 0:
      error = api::Type_contiguous_c(any(), old, &made);
      break;
    case 1:
      error = api::Type_vector_c(any(), any(), any(), old, &made);
      break;
    case 2:
      error = api::Type_create_hvector_c(any(), any(), any(), old, &made);
      break;
    case 3:
      error = api::Type_indexed_c(few, lists[0], lists[1], old, &made);
      break;
    case 4:
      error = api::Type_create_hindexed_c(few, lists[0], lists[1], old, &made);
      break;
    case 5:
      error = api::Type_create_struct_c(few, lists[0], lists[1], types, &made);
      break;
    case 6:
      error = api::Type_create_subarray_c(static_cast<int>(few), lists[0], lists[1], lists[2], MPI_ORDER_C, old, &made);
      break;
    case 7:
      error = api::Type_create_darray_c(static_cast<int>(any()), static_cast<int>(any()), static_cast<int>(few),
                                        lists[0], how, arguments, grid, MPI_ORDER_FORTRAN, old, &made);
      break;
    case 8:
      error = api::Type_create_indexed_block_c(few, any(), lists[0], old, &made);
      break;
    default:
      error = api::Type_create_resized_c(old, any(), any(), &made);
  }
  demand((error == MPI_SUCCESS) == (made != MPI_DATATYPE_NULL), "an error without a type, or a type");
  if (error != MPI_SUCCESS) return;
  MPI_Count size;
  api::Type_size_c(made, &size);
  demand(size >= 0, "a size that is negative");
  MPI_Datatype outer = MPI_DATATYPE_NULL;
  if (api::Type_vector_c(any(), any(), any(), made, &outer) == MPI_SUCCESS) api::Type_free(&outer);
  api::Type_free(&made);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  // A job of one process, whose errors come back.
  static const int ready = api::Init(nullptr, nullptr) + api::Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  demand(ready == MPI_SUCCESS, "MPI_Init");
  Input input(bytes, count);
  if (input.between(0, 2) == 0) {
    provoke(input);
    return 0;
  }
  Maker maker([&input](int64_t low, int64_t high) { return input.between(low, high); });
  const Made made = maker.type(static_cast<int>(input.between(1, 4)));
  if (made.map.entries.size() <= 3000) compare(made, input);
  return 0;
}
