#include "mpi/io/view.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "mpi/request.hpp"

namespace vif::mpi::io {

View::View(MPI_Offset displacement, Datatype& element, Datatype& filetype, const Representation& representation)
    : displacement_(displacement),
      element_(&element),
      filetype_(&filetype),
      representation_(&representation),
      element_bytes_(representation.bytes(element, 1)),
      contiguous_(filetype.contiguous) {
  retain(element);
  retain(filetype);
  const int64_t period = std::max<int64_t>({filetype.extent, filetype.size, 1});
  repeated_ = view_of(filetype, std::numeric_limits<int64_t>::max() / period);
}

View::~View() {
  if (element_ != nullptr) release(*element_);
  if (filetype_ != nullptr) release(*filetype_);
}

void View::swap(View& other) noexcept {
  std::swap(displacement_, other.displacement_);
  std::swap(element_, other.element_);
  std::swap(filetype_, other.filetype_);
  std::swap(representation_, other.representation_);
  std::swap(element_bytes_, other.element_bytes_);
  std::swap(contiguous_, other.contiguous_);
  std::swap(repeated_, other.repeated_);
}

int64_t View::offset_of(uint64_t byte) const {
  int64_t found = displacement_;
  visit(byte, 1, [&](int64_t offset, uint64_t) {
    found = offset;
    return false;
  });
  return found;
}

uint64_t View::stream_bytes_before(int64_t offset) const {
  if (offset <= displacement_) return 0;
  const auto distance = static_cast<uint64_t>(offset - displacement_);
  if (contiguous_) return distance;
  const auto size = static_cast<uint64_t>(filetype_->size);
  if (size == 0) return 0;
  // Whole instances that surely lie before, but the last one; then piece by piece.
  const uint64_t instances = filetype_->extent == 0 ? 0 : distance / static_cast<uint64_t>(filetype_->extent);
  uint64_t before = (instances == 0 ? 0 : instances - 1) * size;
  visit(before, 3 * size, [&](int64_t at, uint64_t length) {
    if (at >= offset) return false;
    before += std::min(length, static_cast<uint64_t>(offset - at));
    return true;
  });
  return before;
}

namespace {

// Whether the data of a type comes in the order of its places, none of them twice: what the standard asks of types
// that describe files. Of one instance: its bounds may well make the next one overlap with it (a structure in which one
// member was resized has the bounds of that member), for programs that never reach the next.
bool ascends(const Datatype& type) {
  int64_t end = 0;
  bool good = true;
  data::visit(view_of(type, 1), 0, static_cast<uint64_t>(type.size), [&](int64_t offset, uint64_t length) {
    good = offset >= end;
    end = offset + static_cast<int64_t>(length);
    return good;
  });
  return good;
}

}  // namespace

Ending check_view(MPI_Offset displacement, const Datatype* element, const Datatype* filetype,
                  const Representation* representation) {
  if (displacement < 0) return {MPI_ERR_ARG, "the displacement of the view is negative"};
  if (representation == nullptr) {
    return {MPI_ERR_UNSUPPORTED_DATAREP,
            "the data representation is not known; give \"native\", \"internal\", \"external32\" or a registered one"};
  }
  for (const Datatype* type : {element, filetype}) {
    if (type == nullptr) return {MPI_ERR_TYPE, "the elementary type or the filetype is not a datatype"};
    if (!type->committed) return {MPI_ERR_TYPE, "the elementary type or the filetype is not committed"};
  }
  if (element->size == 0 || filetype->size % element->size != 0) {
    return {MPI_ERR_ARG, "the filetype does not consist of whole elementary types"};
  }
  if (filetype->lb < 0 || filetype->true_lb < 0 || filetype->extent < 0 || !ascends(*filetype)) {
    return {MPI_ERR_ARG,
            "the places of the filetype must not be negative, and must ascend without overlapping each other"};
  }
  const auto bytes = static_cast<uint64_t>(filetype->size);
  if (!filetype->contiguous && representation->bytes(*filetype, 1) != bytes) {
    return {MPI_ERR_UNSUPPORTED_DATAREP,
            "a filetype with holes whose elements have another size in this data representation than in memory is not "
            "supported; use a filetype without holes"};
  }
  return {};
}

}  // namespace vif::mpi::io
