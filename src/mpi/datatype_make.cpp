#include "mpi/datatype_make.hpp"

#include <algorithm>
#include <limits>

namespace vif::mpi {

using data::make_parts;
using data::make_repeat;

namespace {

// Lower and upper bounds as components are added, by the rule of the standard: explicit bounds, when there are any,
// hide those that follow from the elements; a component without elements nor explicit bounds has none.
class Bounds {
 public:
  void add(const Datatype& type, MPI_Count lowest, MPI_Count highest) {
    if (type.size == 0 && !type.explicit_bounds) return;
    if (type.explicit_bounds && !explicit_) {
      explicit_ = true;
      low_ = std::numeric_limits<MPI_Count>::max();
      high_ = std::numeric_limits<MPI_Count>::min();
    }
    if (explicit_ && !type.explicit_bounds) return;
    any_ = true;
    // The padding at the end of a component is not one of its elements.
    low_ = std::min(low_, lowest + (explicit_ ? type.lb : type.true_lb));
    high_ = std::max(high_, highest + (explicit_ ? type.lb + type.extent : type.true_lb + type.true_extent));
  }

  void store(Datatype& type) const {
    if (!any_) return;
    type.explicit_bounds = explicit_;
    type.lb = low_;
    type.extent = high_ - low_;
    // Without explicit bounds an array of the type keeps its elements aligned.
    if (!explicit_) type.extent = (type.extent + type.alignment - 1) / type.alignment * type.alignment;
  }

 private:
  bool any_ = false;
  bool explicit_ = false;
  MPI_Count low_ = std::numeric_limits<MPI_Count>::max();
  MPI_Count high_ = std::numeric_limits<MPI_Count>::min();
};

const Datatype* element_of_all(const std::vector<Datatype*>& types) {
  const Datatype* element = types.empty() ? nullptr : types.front()->element;
  const bool same = std::all_of(types.begin(), types.end(), [element](auto* type) { return type->element == element; });
  return same ? element : nullptr;
}

Datatype* complete(Datatype* type, Contents contents) {
  for (Datatype* part : contents.types) retain(*part);
  type->contents = std::move(contents);
  type->element = element_of_all(type->contents.types);
  type->size = static_cast<MPI_Count>(type->layout->size);
  type->true_lb = type->layout->first;
  type->true_extent = type->layout->end - type->layout->first;
  type->contiguous = type->layout->shape == Layout::Shape::block && type->layout->offset == 0 && type->lb == 0 &&
                     type->size == type->extent;
  type->handle = reinterpret_cast<MPI_Datatype>(type);
  return type;
}

}  // namespace

Datatype* make_type(std::span<const Component> components, Contents contents) {
  auto* type = new Datatype;
  Bounds bounds;
  std::vector<Layout::Part> parts;
  std::vector<SignaturePointer> signatures;
  parts.reserve(components.size());
  signatures.reserve(components.size());
  const Component* before = nullptr;
  for (const Component& component : components) {
    if (component.count == 0) continue;
    const Datatype& old = *component.type;
    const MPI_Count reach = (component.count - 1) * old.extent;
    bounds.add(old, component.displacement + std::min<MPI_Count>(reach, 0),
               component.displacement + std::max<MPI_Count>(reach, 0));
    // Lists of equal blocks are common: they share one layout.
    if (before != nullptr && before->count == component.count && before->type == component.type) {
      parts.push_back({component.displacement, parts.back().layout});
      signatures.push_back(signatures.back());
    } else {
      const auto count = static_cast<uint64_t>(component.count);
      parts.push_back({component.displacement, make_repeat(old.layout, count, old.extent)});
      signatures.push_back(repeat_signature(old.signature, count));
    }
    type->alignment = std::max(type->alignment, old.alignment);
    before = &component;
  }
  type->layout = make_parts(std::move(parts));
  type->signature = join_signatures(signatures);
  bounds.store(*type);
  return complete(type, std::move(contents));
}

Datatype* make_strided_type(MPI_Count count, MPI_Count length, MPI_Count stride, Datatype& old, Contents contents) {
  auto* type = new Datatype;
  type->alignment = old.alignment;
  const auto blocks = static_cast<uint64_t>(count);
  const auto instances = static_cast<uint64_t>(length);
  type->layout = make_repeat(make_repeat(old.layout, instances, old.extent), blocks, stride);
  type->signature = repeat_signature(old.signature, blocks * instances);
  if (count > 0 && length > 0) {
    const MPI_Count across = (count - 1) * stride;
    const MPI_Count along = (length - 1) * old.extent;
    Bounds bounds;
    bounds.add(old, std::min<MPI_Count>(across, 0) + std::min<MPI_Count>(along, 0),
               std::max<MPI_Count>(across, 0) + std::max<MPI_Count>(along, 0));
    bounds.store(*type);
  }
  return complete(type, std::move(contents));
}

Datatype* make_resized_type(Datatype& old, MPI_Count lb, MPI_Count extent, Contents contents) {
  auto* type = new Datatype;
  type->alignment = old.alignment;
  type->layout = old.layout;
  type->signature = old.signature;
  type->explicit_bounds = true;
  type->lb = lb;
  type->extent = extent;
  return complete(type, std::move(contents));
}

Datatype* make_subarray_type(std::span<const Slice> dimensions, Datatype& old, Contents contents) {
  auto* type = new Datatype;
  type->alignment = old.alignment;
  type->layout = old.layout;
  MPI_Count stride = old.extent;
  MPI_Count offset = 0;
  uint64_t instances = 1;
  for (const Slice& slice : dimensions) {
    type->layout = make_repeat(type->layout, static_cast<uint64_t>(slice.part), stride);
    instances *= static_cast<uint64_t>(slice.part);
    offset += slice.start * stride;
    stride *= slice.size;
  }
  type->layout = make_parts({{offset, type->layout}});
  type->signature = repeat_signature(old.signature, instances);
  type->explicit_bounds = true;
  type->extent = stride;
  return complete(type, std::move(contents));
}

Datatype* make_share_type(std::span<const Share> dimensions, Datatype& old, Contents contents) {
  auto* type = new Datatype;
  type->alignment = old.alignment;
  type->layout = old.layout;
  MPI_Count stride = old.extent;
  uint64_t instances = 1;
  for (const Share& share : dimensions) {
    const LayoutPointer block = make_repeat(type->layout, static_cast<uint64_t>(share.length), stride);
    const LayoutPointer rest = make_repeat(type->layout, static_cast<uint64_t>(share.rest), stride);
    const auto blocks = static_cast<uint64_t>(share.blocks);
    type->layout = make_parts({{share.start * stride, make_repeat(block, blocks, share.step * stride)},
                               {(share.start + share.blocks * share.step) * stride, rest}});
    instances *= static_cast<uint64_t>(share.blocks * share.length + share.rest);
    stride *= share.size;
  }
  type->signature = repeat_signature(old.signature, instances);
  type->explicit_bounds = true;
  type->extent = stride;
  return complete(type, std::move(contents));
}

Datatype* make_duplicate(Datatype& old) {
  auto* type = new Datatype;
  type->committed = old.committed;
  type->explicit_bounds = old.explicit_bounds;
  type->alignment = old.alignment;
  type->layout = old.layout;
  type->signature = old.signature;
  type->lb = old.lb;
  type->extent = old.extent;
  Contents contents;
  contents.combiner = MPI_COMBINER_DUP;
  contents.types = {&old};
  return complete(type, std::move(contents));
}

}  // namespace vif::mpi
