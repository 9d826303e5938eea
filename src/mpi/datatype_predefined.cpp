// The predefined datatypes: their sizes on this platform, and what the reductions may do with them.
// Context: the table is filled when the library is loaded.
#include <cwchar>
#include <type_traits>

#include "mpi/datatype.hpp"

namespace vif::mpi {

using data::make_block;
using data::make_parts;

Datatype* predefined_types[type_values];

namespace {

struct Row {
  MPI_Datatype handle;
  const char* name;
  MPI_Count size;
  Basic basic;
  Family family;
};

// The integer that is as large as the type.
constexpr Basic signed_of(std::size_t bytes) {
  return bytes == 1 ? Basic::int8 : bytes == 2 ? Basic::int16 : bytes == 4 ? Basic::int32 : Basic::int64;
}
constexpr Basic unsigned_of(std::size_t bytes) {
  return bytes == 1 ? Basic::uint8 : bytes == 2 ? Basic::uint16 : bytes == 4 ? Basic::uint32 : Basic::uint64;
}

#define VIF_SIGNED(type, c) \
  { type, #type, sizeof(c), signed_of(sizeof(c)), Family::c_integer }
#define VIF_UNSIGNED(type, c) \
  { type, #type, sizeof(c), unsigned_of(sizeof(c)), Family::c_integer }
#define VIF_ROW(type, size, basic, family) \
  { type, #type, size, Basic::basic, Family::family }

// LOGICAL types are their integer; INTEGER, REAL and DOUBLE PRECISION are those of Fortran compilers without options.
const Row rows[] = {
    VIF_ROW(MPI_AINT, sizeof(MPI_Aint), int64, multi_language),
    VIF_ROW(MPI_COUNT, sizeof(MPI_Count), int64, multi_language),
    VIF_ROW(MPI_OFFSET, sizeof(MPI_Offset), int64, multi_language),
    VIF_ROW(MPI_PACKED, 1, none, none),
    VIF_SIGNED(MPI_SHORT, short),
    VIF_SIGNED(MPI_INT, int),
    VIF_SIGNED(MPI_LONG, long),
    VIF_SIGNED(MPI_LONG_LONG, long long),
    VIF_UNSIGNED(MPI_UNSIGNED_SHORT, unsigned short),
    VIF_UNSIGNED(MPI_UNSIGNED, unsigned),
    VIF_UNSIGNED(MPI_UNSIGNED_LONG, unsigned long),
    VIF_UNSIGNED(MPI_UNSIGNED_LONG_LONG, unsigned long long),
    VIF_ROW(MPI_FLOAT, 4, real32, floating),
    VIF_ROW(MPI_C_FLOAT_COMPLEX, 8, complex32, complex),
    VIF_ROW(MPI_CXX_FLOAT_COMPLEX, 8, complex32, complex),
    VIF_ROW(MPI_DOUBLE, 8, real64, floating),
    VIF_ROW(MPI_C_DOUBLE_COMPLEX, 16, complex64, complex),
    VIF_ROW(MPI_CXX_DOUBLE_COMPLEX, 16, complex64, complex),
    VIF_ROW(MPI_LOGICAL, 4, int32, logical),
    VIF_ROW(MPI_INTEGER, 4, int32, fortran_integer),
    VIF_ROW(MPI_REAL, 4, real32, floating),
    VIF_ROW(MPI_COMPLEX, 8, complex32, complex),
    VIF_ROW(MPI_DOUBLE_PRECISION, 8, real64, floating),
    VIF_ROW(MPI_DOUBLE_COMPLEX, 16, complex64, complex),
    VIF_ROW(MPI_CHARACTER, 1, none, none),
    VIF_ROW(MPI_LONG_DOUBLE, sizeof(long double), real80, floating),
    VIF_ROW(MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), complex80, complex),
    VIF_ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), complex80, complex),
    VIF_ROW(MPI_FLOAT_INT, 8, float_int, pair),
    VIF_ROW(MPI_DOUBLE_INT, 12, double_int, pair),
    VIF_ROW(MPI_LONG_INT, sizeof(long) + 4, long_int, pair),
    VIF_ROW(MPI_2INT, 8, int_int, pair),
    VIF_ROW(MPI_SHORT_INT, 6, short_int, pair),
    VIF_ROW(MPI_LONG_DOUBLE_INT, sizeof(long double) + 4, long_double_int, pair),
    VIF_ROW(MPI_2REAL, 8, real_real, pair),
    VIF_ROW(MPI_2DOUBLE_PRECISION, 16, double_double, pair),
    VIF_ROW(MPI_2INTEGER, 8, int_int, pair),
    VIF_ROW(MPI_C_BOOL, 1, uint8, logical),
    VIF_ROW(MPI_CXX_BOOL, 1, uint8, logical),
    VIF_ROW(MPI_WCHAR, sizeof(wchar_t), none, none),
    VIF_SIGNED(MPI_INT8_T, int8_t),
    VIF_UNSIGNED(MPI_UINT8_T, uint8_t),
    VIF_ROW(MPI_CHAR, 1, none, none),
    VIF_SIGNED(MPI_SIGNED_CHAR, signed char),
    VIF_UNSIGNED(MPI_UNSIGNED_CHAR, unsigned char),
    VIF_ROW(MPI_BYTE, 1, uint8, byte),
    VIF_SIGNED(MPI_INT16_T, int16_t),
    VIF_UNSIGNED(MPI_UINT16_T, uint16_t),
    VIF_SIGNED(MPI_INT32_T, int32_t),
    VIF_UNSIGNED(MPI_UINT32_T, uint32_t),
    VIF_SIGNED(MPI_INT64_T, int64_t),
    VIF_UNSIGNED(MPI_UINT64_T, uint64_t),
    VIF_ROW(MPI_LOGICAL1, 1, int8, logical),
    VIF_ROW(MPI_INTEGER1, 1, int8, fortran_integer),
    VIF_ROW(MPI_LOGICAL2, 2, int16, logical),
    VIF_ROW(MPI_INTEGER2, 2, int16, fortran_integer),
    VIF_ROW(MPI_REAL2, 2, real16, floating),
    VIF_ROW(MPI_LOGICAL4, 4, int32, logical),
    VIF_ROW(MPI_INTEGER4, 4, int32, fortran_integer),
    VIF_ROW(MPI_REAL4, 4, real32, floating),
    VIF_ROW(MPI_COMPLEX4, 4, complex16, complex),
    VIF_ROW(MPI_LOGICAL8, 8, int64, logical),
    VIF_ROW(MPI_INTEGER8, 8, int64, fortran_integer),
    VIF_ROW(MPI_REAL8, 8, real64, floating),
    VIF_ROW(MPI_COMPLEX8, 8, complex32, complex),
    VIF_ROW(MPI_LOGICAL16, 16, int128, logical),
    VIF_ROW(MPI_INTEGER16, 16, int128, fortran_integer),
    VIF_ROW(MPI_REAL16, 16, real128, floating),
    VIF_ROW(MPI_COMPLEX16, 16, complex64, complex),
    VIF_ROW(MPI_COMPLEX32, 32, complex128, complex),
};

#undef VIF_SIGNED
#undef VIF_UNSIGNED
#undef VIF_ROW

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

// A pair is laid out as a C structure: there may be holes between and behind its parts.
// The external representation: big-endian IEEE numbers; long has 4 bytes there, wchar_t 2, and the 80-bit numbers of
// this machine become those of 128 bits.
Element element_of(MPI_Count size, Family family, Basic basic) {
  Element element;
  element.size = static_cast<uint8_t>(size);
  element.parts = family == Family::complex ? 2 : 1;
  element.external_size = element.size;
  if (basic == Basic::real80 || basic == Basic::complex80) element.conversion = Element::Conversion::extended_real;
  return element;
}

Element narrowed(Element element, uint8_t external_size, Element::Conversion conversion) {
  element.external_size = external_size;
  element.conversion = conversion;
  return element;
}

Element element_of(const Row& row) {
  const Element element = element_of(row.size, row.family, row.basic);
  if (row.handle == MPI_LONG) return narrowed(element, 4, Element::Conversion::narrow_signed);
  if (row.handle == MPI_UNSIGNED_LONG) return narrowed(element, 4, Element::Conversion::narrow_unsigned);
  if (row.handle == MPI_WCHAR) return narrowed(element, 2, Element::Conversion::narrow_unsigned);
  return element;
}

template <class Part>
Element element_of_part() {
  const bool extended = std::is_same_v<Part, long double>;
  const Element element = element_of(sizeof(Part), Family::none, extended ? Basic::real80 : Basic::none);
  if (std::is_same_v<Part, long>) return narrowed(element, 4, Element::Conversion::narrow_signed);
  return element;
}

template <class Value, class Index>
void describe_pair(Datatype& type) {
  using Layouted = Pair<Value, Index>;
  type.layout = make_parts({{0, make_block(0, sizeof(Value))},
                            {static_cast<int64_t>(offsetof(Layouted, index)), make_block(0, sizeof(Index))}});
  type.signature =
      join_signatures({make_signature(element_of_part<Value>()), make_signature(element_of_part<Index>())});
  type.extent = sizeof(Layouted);
  type.alignment = alignof(Layouted);
}

void describe_any_pair(Datatype& type) {
  switch (type.basic) {
    case Basic::float_int:
      return describe_pair<float, int>(type);
    case Basic::double_int:
      return describe_pair<double, int>(type);
    case Basic::long_int:
      return describe_pair<long, int>(type);
    case Basic::short_int:
      return describe_pair<short, int>(type);
    case Basic::long_double_int:
      return describe_pair<long double, int>(type);
    case Basic::real_real:
      return describe_pair<float, float>(type);
    case Basic::double_double:
      return describe_pair<double, double>(type);
    default:
      return describe_pair<int, int>(type);
  }
}

MPI_Count alignment_of(const Row& row) {
  const MPI_Count part = row.family == Family::complex ? row.size / 2 : row.size;
  return part > 16 ? 16 : part;
}

void fill(Datatype& type, const Row& row) {
  type.predefined = true;
  type.committed = true;
  type.basic = row.basic;
  type.family = row.family;
  type.size = row.size;
  type.handle = row.handle;
  type.name = row.name;
  type.element = &type;
  if (row.family == Family::pair) {
    describe_any_pair(type);
  } else {
    type.layout = make_block(0, static_cast<uint64_t>(row.size));
    type.signature = make_signature(element_of(row));
    type.extent = row.size;
    type.alignment = alignment_of(row);
  }
  type.true_extent = type.layout->end;
  type.contiguous = type.layout->shape == Layout::Shape::block && type.size == type.extent;
}

// Filled before main(), because a program may ask for the size of a type as soon as MPI_Init has returned, and freed
// never: the library may be used until the last destructor of the program.
[[gnu::constructor]] void fill_predefined_types() {
  auto* types = new Datatype[sizeof rows / sizeof rows[0]];
  for (std::size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    fill(types[i], rows[i]);
    predefined_types[handle_value(rows[i].handle) - first_type_value] = &types[i];
  }
}

}  // namespace
}  // namespace vif::mpi
