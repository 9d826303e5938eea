// The sequence of basic elements of a datatype: what MPI_Get_elements counts, and what the external data representation
// converts. Immutable and shared. Context: any for counting; app for making.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace vif::mpi {

struct Signature;
using SignaturePointer = std::shared_ptr<const Signature>;

// A basic element: how large it is in memory, and what it becomes in the external representation (external.hpp).
struct Element {
  enum class Conversion : uint8_t { none, narrow_signed, narrow_unsigned, extended_real };
  uint8_t size = 0;
  uint8_t parts = 1;                         // 2: a complex number
  uint8_t external_size = 0;                 // of all parts together
  Conversion conversion = Conversion::none;  // of each part, beside the order of its bytes

  bool operator==(const Element&) const = default;
};

struct Signature {
  // `count` elements of one kind, or `count` times an inner signature.
  struct Run {
    uint64_t count;
    Element element;  // of size 0 when `inner` is there
    SignaturePointer inner;
  };
  std::vector<Run> runs;
  uint64_t bytes = 0;     // of one instance
  uint64_t elements = 0;  // of one instance
  uint64_t external = 0;  // bytes of one instance in the external representation
};

SignaturePointer make_signature(const Element& element);
SignaturePointer repeat_signature(const SignaturePointer& inner, uint64_t count);
SignaturePointer join_signatures(const std::vector<SignaturePointer>& parts);

// Whole elements in the first `bytes` bytes of a message of instances of this signature, one after the other. False
// when the last element is cut.
bool count_elements(const Signature& signature, uint64_t bytes, uint64_t& elements) noexcept;
// The bytes that the first `elements` elements take.
uint64_t bytes_of_elements(const Signature& signature, uint64_t elements) noexcept;

}  // namespace vif::mpi
