// The loops of the predefined operators: one per operator and type of the machine, written so that compilers vectorise
// them. Context: any; safe in a handler.
#include <type_traits>

#include "mpi/half.hpp"
#include "mpi/op.hpp"

namespace vif::mpi {
namespace {

template <class Part>
struct Complex {
  Part real;
  Part imaginary;
};

template <class Value, class Index>
struct Pair {
  Value value;
  Index index;
};

template <class T>
constexpr bool is_integer = std::is_integral_v<T> || std::is_same_v<T, __int128>;

// Sums and products of integers wrap around: computed in an unsigned type that is not narrower than int.
template <class T>
using Wrapping =
    std::conditional_t<sizeof(T) <= 4, uint32_t, std::conditional_t<sizeof(T) == 8, uint64_t, unsigned __int128>>;

struct Sum {
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (is_integer<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
    } else {
      return static_cast<T>(a + b);
    }
  }
  template <class Part>
  static Complex<Part> apply(Complex<Part> a, Complex<Part> b) noexcept {
    return {apply(a.real, b.real), apply(a.imaginary, b.imaginary)};
  }
};

struct Product {
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (is_integer<T>) {
      return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
    } else {
      return static_cast<T>(a * b);
    }
  }
  template <class Part>
  static Complex<Part> apply(Complex<Part> a, Complex<Part> b) noexcept {
    return {static_cast<Part>(a.real * b.real - a.imaginary * b.imaginary),
            static_cast<Part>(a.real * b.imaginary + a.imaginary * b.real)};
  }
};

struct Minimum {
  template <class T>
  static T apply(T a, T b) noexcept {
    return a < b ? a : b;
  }
};
struct Maximum {
  template <class T>
  static T apply(T a, T b) noexcept {
    return b < a ? a : b;
  }
};
struct BitAnd {
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>(a ^ b);
  }
};
struct LogicalAnd {
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>((a != 0) & (b != 0));
  }
};
struct LogicalOr {
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>((a != 0) | (b != 0));
  }
};
struct LogicalXor {
  template <class T>
  static T apply(T a, T b) noexcept {
    return static_cast<T>((a != 0) ^ (b != 0));
  }
};
// Of equal values the lower index wins.
struct MinimumPlace {
  template <class P>
  static P apply(P a, P b) noexcept {
    return a.value < b.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};
struct MaximumPlace {
  template <class P>
  static P apply(P a, P b) noexcept {
    return b.value < a.value || (a.value == b.value && a.index < b.index) ? a : b;
  }
};

template <class Operator, class T>
void loop(const void* in, void* inout, uint64_t count) {
  const T* __restrict a = static_cast<const T*>(in);
  T* __restrict b = static_cast<T*>(inout);
  for (uint64_t i = 0; i < count; ++i) b[i] = Operator::apply(a[i], b[i]);
}

// --- the loop for a type, operator by operator; null where there is none ---

template <class Operator>
ReduceFunction for_integers(Basic basic) noexcept {
  switch (basic) {
    case Basic::int8:
      return loop<Operator, int8_t>;
    case Basic::int16:
      return loop<Operator, int16_t>;
    case Basic::int32:
      return loop<Operator, int32_t>;
    case Basic::int64:
      return loop<Operator, int64_t>;
    case Basic::int128:
      return loop<Operator, __int128>;
    case Basic::uint8:
      return loop<Operator, uint8_t>;
    case Basic::uint16:
      return loop<Operator, uint16_t>;
    case Basic::uint32:
      return loop<Operator, uint32_t>;
    case Basic::uint64:
      return loop<Operator, uint64_t>;
    default:
      return nullptr;
  }
}

template <class Operator>
ReduceFunction for_numbers(Basic basic) noexcept {
  switch (basic) {
    case Basic::real16:
      return loop<Operator, Half>;
    case Basic::real32:
      return loop<Operator, float>;
    case Basic::real64:
      return loop<Operator, double>;
    case Basic::real80:
      return loop<Operator, long double>;
    case Basic::real128:
      return loop<Operator, __float128>;
    default:
      return for_integers<Operator>(basic);
  }
}

template <class Operator>
ReduceFunction for_complex_too(Basic basic) noexcept {
  switch (basic) {
    case Basic::complex16:
      return loop<Operator, Complex<Half>>;
    case Basic::complex32:
      return loop<Operator, Complex<float>>;
    case Basic::complex64:
      return loop<Operator, Complex<double>>;
    case Basic::complex80:
      return loop<Operator, Complex<long double>>;
    case Basic::complex128:
      return loop<Operator, Complex<__float128>>;
    default:
      return for_numbers<Operator>(basic);
  }
}

template <class Operator>
ReduceFunction for_pairs(Basic basic) noexcept {
  switch (basic) {
    case Basic::float_int:
      return loop<Operator, Pair<float, int>>;
    case Basic::double_int:
      return loop<Operator, Pair<double, int>>;
    case Basic::long_int:
      return loop<Operator, Pair<long, int>>;
    case Basic::int_int:
      return loop<Operator, Pair<int, int>>;
    case Basic::short_int:
      return loop<Operator, Pair<short, int>>;
    case Basic::long_double_int:
      return loop<Operator, Pair<long double, int>>;
    case Basic::real_real:
      return loop<Operator, Pair<float, float>>;
    case Basic::double_double:
      return loop<Operator, Pair<double, double>>;
    default:
      return nullptr;
  }
}

// --- the standard's table of what goes with what ---

bool ordered(Family family) noexcept {
  return family == Family::c_integer || family == Family::fortran_integer || family == Family::floating ||
         family == Family::multi_language;
}
bool arithmetic(Family family) noexcept { return ordered(family) || family == Family::complex; }
bool logical(Family family) noexcept { return family == Family::c_integer || family == Family::logical; }
bool bitwise(Family family) noexcept {
  return family == Family::c_integer || family == Family::fortran_integer || family == Family::byte ||
         family == Family::multi_language;
}

}  // namespace

ReduceFunction reduce_function(const Op& op, const Datatype& type) noexcept {
  if (!op.predefined || !type.predefined) return nullptr;
  const Family family = type.family;
  const Basic basic = type.basic;
  const MPI_Op handle = op.handle;
  if (handle == MPI_SUM) return arithmetic(family) ? for_complex_too<Sum>(basic) : nullptr;
  if (handle == MPI_PROD) return arithmetic(family) ? for_complex_too<Product>(basic) : nullptr;
  if (handle == MPI_MIN) return ordered(family) ? for_numbers<Minimum>(basic) : nullptr;
  if (handle == MPI_MAX) return ordered(family) ? for_numbers<Maximum>(basic) : nullptr;
  if (handle == MPI_BAND) return bitwise(family) ? for_integers<BitAnd>(basic) : nullptr;
  if (handle == MPI_BOR) return bitwise(family) ? for_integers<BitOr>(basic) : nullptr;
  if (handle == MPI_BXOR) return bitwise(family) ? for_integers<BitXor>(basic) : nullptr;
  if (handle == MPI_LAND) return logical(family) ? for_integers<LogicalAnd>(basic) : nullptr;
  if (handle == MPI_LOR) return logical(family) ? for_integers<LogicalOr>(basic) : nullptr;
  if (handle == MPI_LXOR) return logical(family) ? for_integers<LogicalXor>(basic) : nullptr;
  if (handle == MPI_MINLOC) return family == Family::pair ? for_pairs<MinimumPlace>(basic) : nullptr;
  if (handle == MPI_MAXLOC) return family == Family::pair ? for_pairs<MaximumPlace>(basic) : nullptr;
  return nullptr;
}

}  // namespace vif::mpi
