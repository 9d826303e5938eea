#include "mpi/signature.hpp"

namespace vif::mpi {
namespace {

SignaturePointer make(std::vector<Signature::Run> runs) {
  auto signature = std::make_shared<Signature>();
  for (const Signature::Run& run : runs) {
    signature->bytes += run.count * (run.inner ? run.inner->bytes : run.element.size);
    signature->elements += run.count * (run.inner ? run.inner->elements : 1);
    signature->external += run.count * (run.inner ? run.inner->external : run.element.external_size);
  }
  signature->runs = std::move(runs);
  return signature;
}

// All elements of one size: no need to keep the nesting.
bool uniform(const Signature& signature) noexcept {
  return signature.runs.size() == 1 && signature.runs[0].inner == nullptr;
}

bool count_within(const Signature& signature, uint64_t bytes, uint64_t& elements) noexcept {
  for (const Signature::Run& run : signature.runs) {
    const uint64_t unit = run.inner ? run.inner->bytes : run.element.size;
    if (unit == 0) continue;
    const uint64_t whole = bytes / unit < run.count ? bytes / unit : run.count;
    elements += whole * (run.inner ? run.inner->elements : 1);
    bytes -= whole * unit;
    if (whole < run.count) {
      if (bytes == 0) return true;
      return run.inner != nullptr && count_within(*run.inner, bytes, elements);
    }
  }
  return bytes == 0;
}

uint64_t bytes_within(const Signature& signature, uint64_t elements) noexcept {
  uint64_t bytes = 0;
  for (const Signature::Run& run : signature.runs) {
    const uint64_t per_unit = run.inner ? run.inner->elements : 1;
    if (per_unit == 0) continue;
    const uint64_t whole = elements / per_unit < run.count ? elements / per_unit : run.count;
    bytes += whole * (run.inner ? run.inner->bytes : run.element.size);
    elements -= whole * per_unit;
    if (whole < run.count) return elements == 0 ? bytes : bytes + bytes_within(*run.inner, elements);
  }
  return bytes;
}

}  // namespace

SignaturePointer make_signature(const Element& element) { return make({{1, element, nullptr}}); }

SignaturePointer repeat_signature(const SignaturePointer& inner, uint64_t count) {
  if (count == 1) return inner;
  if (count == 0 || inner->elements == 0) return make({});
  if (uniform(*inner)) return make({{inner->runs[0].count * count, inner->runs[0].element, nullptr}});
  return make({{count, {}, inner}});
}

SignaturePointer join_signatures(const std::vector<SignaturePointer>& parts) {
  std::vector<Signature::Run> runs;
  for (const SignaturePointer& part : parts) {
    if (part->elements == 0) continue;
    if (!uniform(*part)) {
      runs.push_back({1, {}, part});
    } else if (!runs.empty() && runs.back().inner == nullptr && runs.back().element == part->runs[0].element) {
      runs.back().count += part->runs[0].count;
    } else {
      runs.push_back(part->runs[0]);
    }
  }
  return make(std::move(runs));
}

bool count_elements(const Signature& signature, uint64_t bytes, uint64_t& elements) noexcept {
  elements = 0;
  if (signature.bytes == 0) return bytes == 0;
  elements = bytes / signature.bytes * signature.elements;
  return count_within(signature, bytes % signature.bytes, elements);
}

uint64_t bytes_of_elements(const Signature& signature, uint64_t elements) noexcept {
  if (signature.elements == 0) return 0;
  return elements / signature.elements * signature.bytes + bytes_within(signature, elements % signature.elements);
}

}  // namespace vif::mpi
