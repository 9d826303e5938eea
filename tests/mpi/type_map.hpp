// Random datatypes with their type maps: the plain lists of elements and bound markers that the standard defines them
// by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "api.hpp"

namespace type_map {

namespace api = vif::mpi::api;

struct Entry {
  enum class What { data, lower, upper } what;
  int64_t displacement;
  int64_t size;
};

// A type map, with the alignment of its elements.
struct Map {
  std::vector<Entry> entries;
  int64_t alignment = 1;

  bool has(Entry::What what) const {
    return std::any_of(entries.begin(), entries.end(), [what](const Entry& entry) { return entry.what == what; });
  }
  int64_t lower() const {
    const auto what = has(Entry::What::lower) ? Entry::What::lower : Entry::What::data;
    bool any = false;
    int64_t low = 0;
    for (const Entry& entry : entries) {
      if (entry.what != what) continue;
      low = any ? std::min(low, entry.displacement) : entry.displacement;
      any = true;
    }
    return low;
  }
  int64_t extent() const {
    const bool marked = has(Entry::What::upper);
    bool any = false;
    int64_t high = 0;
    for (const Entry& entry : entries) {
      if (entry.what != (marked ? Entry::What::upper : Entry::What::data)) continue;
      const int64_t end = entry.displacement + entry.size;
      high = any ? std::max(high, end) : end;
      any = true;
    }
    const int64_t span = high - lower();
    return marked ? span : (span + alignment - 1) / alignment * alignment;
  }
  int64_t size() const {
    int64_t bytes = 0;
    for (const Entry& entry : entries) bytes += entry.what == Entry::What::data ? entry.size : 0;
    return bytes;
  }
  void append(const Map& other, int64_t displacement) {
    for (Entry entry : other.entries) {
      entry.displacement += displacement;
      entries.push_back(entry);
    }
    alignment = std::max(alignment, other.alignment);
  }
  void append_block(const Map& other, int64_t displacement, int64_t length) {
    const int64_t step = other.extent();
    for (int64_t i = 0; i < length; ++i) append(other, displacement + i * step);
  }
  std::vector<Entry> data() const {
    std::vector<Entry> kept;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(kept),
                 [](const Entry& entry) { return entry.what == Entry::What::data; });
    return kept;
  }
};

struct Made {
  MPI_Datatype handle;
  Map map;
};

class Maker {
 public:
  // `numbers(low, high)` gives any number from low to high.
  using Numbers = std::function<int64_t(int64_t, int64_t)>;
  explicit Maker(Numbers numbers) : numbers_(std::move(numbers)) {}
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;
  ~Maker() {
    for (MPI_Datatype handle : made_) api::Type_free(&handle);
  }

  int64_t pick(int64_t low, int64_t high) { return numbers_(low, high); }

  Made basic() {
    switch (pick(0, 4)) {
      case 0:
        return {MPI_CHAR, {{{Entry::What::data, 0, 1}}, 1}};
      case 1:
        return {MPI_SHORT, {{{Entry::What::data, 0, 2}}, 2}};
      case 2:
        return {MPI_INT, {{{Entry::What::data, 0, 4}}, 4}};
      case 3:
        return {MPI_DOUBLE, {{{Entry::What::data, 0, 8}}, 8}};
      default:
        return {MPI_DOUBLE_INT, {{{Entry::What::data, 0, 8}, {Entry::What::data, 8, 4}}, 8}};
    }
  }

  Made type(int depth) {
    if (depth == 0) return basic();
    switch (pick(0, 9)) {
      case 0:
        return contiguous(type(depth - 1));
      case 1:
        return vector(type(depth - 1));
      case 2:
        return hvector(type(depth - 1));
      case 3:
        return indexed(type(depth - 1));
      case 4:
        return hindexed_block(type(depth - 1));
      case 5:
        return structure(depth);
      case 6:
        return subarray(type(depth - 1));
      case 7:
        return darray(type(depth - 1));
      case 8:
        return duplicate(type(depth - 1));
      default:
        return resized(type(depth - 1));
    }
  }

 private:
  Made keep(MPI_Datatype handle, Map map) {
    made_.push_back(handle);
    return {handle, std::move(map)};
  }

  Made contiguous(const Made& old) {
    const int count = static_cast<int>(pick(0, 4));
    MPI_Datatype handle;
    api::Type_contiguous(count, old.handle, &handle);
    Map map;
    map.alignment = old.map.alignment;
    map.append_block(old.map, 0, count);
    return keep(handle, map);
  }
  Made vector(const Made& old) {
    const int count = static_cast<int>(pick(0, 4));
    const int length = static_cast<int>(pick(0, 3));
    const int stride = static_cast<int>(pick(-3, 4));
    MPI_Datatype handle;
    api::Type_vector(count, length, stride, old.handle, &handle);
    Map map;
    map.alignment = old.map.alignment;
    for (int i = 0; i < count; ++i) map.append_block(old.map, i * stride * old.map.extent(), length);
    return keep(handle, map);
  }
  Made hvector(const Made& old) {
    const int64_t count = pick(0, 4);
    const int64_t length = pick(0, 3);
    const int64_t stride = pick(-20, 40);
    MPI_Datatype handle;
    api::Type_create_hvector_c(count, length, stride, old.handle, &handle);
    Map map;
    map.alignment = old.map.alignment;
    for (int64_t i = 0; i < count; ++i) map.append_block(old.map, i * stride, length);
    return keep(handle, map);
  }
  Made indexed(const Made& old) {
    const int count = static_cast<int>(pick(0, 5));
    std::vector<int> lengths, displacements;
    Map map;
    for (int i = 0; i < count; ++i) {
      lengths.push_back(static_cast<int>(pick(0, 2)));
      displacements.push_back(static_cast<int>(pick(-4, 6)));
      map.append_block(old.map, displacements.back() * old.map.extent(), lengths.back());
    }
    MPI_Datatype handle;
    api::Type_indexed(count, lengths.data(), displacements.data(), old.handle, &handle);
    return keep(handle, map);
  }
  Made hindexed_block(const Made& old) {
    const int count = static_cast<int>(pick(0, 5));
    const int length = static_cast<int>(pick(1, 2));
    std::vector<MPI_Aint> displacements;
    Map map;
    for (int i = 0; i < count; ++i) {
      displacements.push_back(pick(-30, 60));
      map.append_block(old.map, displacements.back(), length);
    }
    MPI_Datatype handle;
    api::Type_create_hindexed_block(count, length, displacements.data(), old.handle, &handle);
    return keep(handle, map);
  }
  Made structure(int depth) {
    const int count = static_cast<int>(pick(0, 3));
    std::vector<int> lengths;
    std::vector<MPI_Aint> displacements;
    std::vector<MPI_Datatype> types;
    Map map;
    for (int i = 0; i < count; ++i) {
      const Made part = type(depth - 1);
      lengths.push_back(static_cast<int>(pick(0, 2)));
      displacements.push_back(pick(-40, 80));
      types.push_back(part.handle);
      if (lengths.back() > 0) map.append_block(part.map, displacements.back(), lengths.back());
    }
    MPI_Datatype handle;
    api::Type_create_struct(count, lengths.data(), displacements.data(), types.data(), &handle);
    return keep(handle, map);
  }
  // The elements of an array of `old`, those for which owns(place along each dimension) holds, in the order of memory.
  template <class Owns>
  static Map array(const Map& old, const std::vector<int>& sizes, Owns owns) {
    Map map;
    map.alignment = old.alignment;
    const int64_t step = old.extent();
    std::vector<int> place(sizes.size());
    int64_t total = 1;
    for (const int size : sizes) total *= size;
    for (int64_t i = 0; i < total; ++i) {
      int64_t left = i;
      for (std::size_t d = sizes.size(); d-- > 0; left /= sizes[d]) place[d] = static_cast<int>(left % sizes[d]);
      if (owns(place)) map.append(old, i * step);
    }
    std::erase_if(map.entries, [](const Entry& entry) { return entry.what != Entry::What::data; });
    map.entries.push_back({Entry::What::lower, 0, 0});
    map.entries.push_back({Entry::What::upper, total * step, 0});
    return map;
  }
  Made subarray(const Made& old) {
    std::vector<int> sizes, parts, starts;
    for (int64_t d = pick(1, 3); d > 0; --d) {
      sizes.push_back(static_cast<int>(pick(1, 4)));
      parts.push_back(static_cast<int>(pick(1, sizes.back())));
      starts.push_back(static_cast<int>(pick(0, sizes.back() - parts.back())));
    }
    MPI_Datatype handle;
    api::Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), parts.data(), starts.data(), MPI_ORDER_C,
                              old.handle, &handle);
    return keep(handle, array(old.map, sizes, [&](const std::vector<int>& place) {
                  for (std::size_t d = 0; d < place.size(); ++d) {
                    if (place[d] < starts[d] || place[d] >= starts[d] + parts[d]) return false;
                  }
                  return true;
                }));
  }
  Made darray(const Made& old) {
    std::vector<int> sizes, how, arguments, grid, mine;
    int processes = 1, rank = 0;
    for (int64_t d = pick(1, 2); d > 0; --d) {
      sizes.push_back(static_cast<int>(pick(1, 7)));
      grid.push_back(static_cast<int>(pick(1, 3)));
      how.push_back(grid.back() > 1 && pick(0, 1) == 0 ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC);
      const int least = how.back() == MPI_DISTRIBUTE_BLOCK ? (sizes.back() + grid.back() - 1) / grid.back() : 1;
      arguments.push_back(static_cast<int>(pick(least, least + 2)));
      mine.push_back(static_cast<int>(pick(0, grid.back() - 1)));
      processes *= grid.back();
      rank = rank * grid.back() + mine.back();
    }
    MPI_Datatype handle;
    api::Type_create_darray(processes, rank, static_cast<int>(sizes.size()), sizes.data(), how.data(), arguments.data(),
                            grid.data(), MPI_ORDER_C, old.handle, &handle);
    return keep(handle, array(old.map, sizes, [&](const std::vector<int>& place) {
                  for (std::size_t d = 0; d < place.size(); ++d) {
                    if (place[d] / arguments[d] % grid[d] != mine[d]) return false;
                  }
                  return true;
                }));
  }
  Made duplicate(const Made& old) {
    MPI_Datatype handle;
    api::Type_dup(old.handle, &handle);
    return keep(handle, old.map);
  }
  Made resized(const Made& old) {
    const int64_t lower = pick(-10, 10);
    const int64_t extent = pick(0, 50);
    MPI_Datatype handle;
    api::Type_create_resized(old.handle, lower, extent, &handle);
    Map map = old.map;
    std::erase_if(map.entries, [](const Entry& entry) { return entry.what != Entry::What::data; });
    map.entries.push_back({Entry::What::lower, lower, 0});
    map.entries.push_back({Entry::What::upper, lower + extent, 0});
    return keep(handle, map);
  }

  Numbers numbers_;
  std::vector<MPI_Datatype> made_;
};

// The elements of `count` instances, in order.
inline std::vector<Entry> instances(const Map& map, int64_t count) {
  std::vector<Entry> all;
  for (int64_t i = 0; i < count; ++i) {
    for (Entry entry : map.data()) {
      entry.displacement += i * map.extent();
      all.push_back(entry);
    }
  }
  return all;
}

// A buffer that holds the elements, and where address 0 of the type lies in it.
struct Area {
  std::vector<unsigned char> bytes;
  int64_t origin = 0;
};

inline Area area_for(const std::vector<Entry>& elements) {
  int64_t low = 0, high = 0;
  for (const Entry& entry : elements) {
    low = std::min(low, entry.displacement);
    high = std::max(high, entry.displacement + entry.size);
  }
  Area area;
  area.bytes.resize(static_cast<std::size_t>(high - low) + 1);
  for (std::size_t i = 0; i < area.bytes.size(); ++i) area.bytes[i] = static_cast<unsigned char>(i * 37 + 11);
  area.origin = -low;
  return area;
}

}  // namespace type_map
