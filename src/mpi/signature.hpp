// The sequence of basic elements of a datatype, by their sizes: what MPI_Get_elements counts. Immutable and shared.
// Context: any for counting; app for making.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace vif::mpi {

struct Signature;
using SignaturePointer = std::shared_ptr<const Signature>;

struct Signature {
  // `count` elements of `element_size` bytes, or `count` times an inner signature.
  struct Run {
    uint64_t count;
    uint64_t element_size;  // 0 when `inner` is there
    SignaturePointer inner;
  };
  std::vector<Run> runs;
  uint64_t bytes = 0;     // of one instance
  uint64_t elements = 0;  // of one instance
};

SignaturePointer make_signature(uint64_t element_size);
SignaturePointer repeat_signature(const SignaturePointer& inner, uint64_t count);
SignaturePointer join_signatures(const std::vector<SignaturePointer>& parts);

// Whole elements in the first `bytes` bytes of a message of instances of this signature, one after the other. False
// when the last element is cut.
bool count_elements(const Signature& signature, uint64_t bytes, uint64_t& elements) noexcept;
// The bytes that the first `elements` elements take.
uint64_t bytes_of_elements(const Signature& signature, uint64_t elements) noexcept;

}  // namespace vif::mpi
