// Predefined operators: which types each accepts, and what each computes, element by element.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "api.hpp"
#include "mpi/half.hpp"
#include "mpi/op.hpp"

namespace {

using namespace vif::mpi;

ReduceFunction function(MPI_Op op, MPI_Datatype type) { return reduce_function(*op_of(op), *datatype_of(type)); }

// Reduces arrays long enough for the vectorised loop and its rest, and compares with a function of two numbers.
template <class T, class Expected>
void expect_loop(MPI_Op op, MPI_Datatype type, Expected expected) {
  constexpr int count = 101;
  T in[count], inout[count], before[count];
  for (int i = 0; i < count; ++i) {
    in[i] = static_cast<T>((i * 7 + 3) % 23 - (std::is_signed_v<T> ? 11 : 0));
    inout[i] = before[i] = static_cast<T>((i * 5 + 1) % 19 - (std::is_signed_v<T> ? 9 : 0));
  }
  ReduceFunction loop = function(op, type);
  ASSERT_NE(nullptr, loop);
  loop(in, inout, count);
  for (int i = 0; i < count; ++i) EXPECT_EQ(static_cast<T>(expected(in[i], before[i])), inout[i]) << "element " << i;
}

template <class T>
void expect_numbers(MPI_Datatype type) {
  expect_loop<T>(MPI_SUM, type, [](T a, T b) { return a + b; });
  expect_loop<T>(MPI_PROD, type, [](T a, T b) { return a * b; });
  expect_loop<T>(MPI_MIN, type, [](T a, T b) { return a < b ? a : b; });
  expect_loop<T>(MPI_MAX, type, [](T a, T b) { return a > b ? a : b; });
}

template <class T>
void expect_integers(MPI_Datatype type) {
  expect_numbers<T>(type);
  expect_loop<T>(MPI_BAND, type, [](T a, T b) { return a & b; });
  expect_loop<T>(MPI_BOR, type, [](T a, T b) { return a | b; });
  expect_loop<T>(MPI_BXOR, type, [](T a, T b) { return a ^ b; });
  expect_loop<T>(MPI_LAND, type, [](T a, T b) { return a && b; });
  expect_loop<T>(MPI_LOR, type, [](T a, T b) { return a || b; });
  expect_loop<T>(MPI_LXOR, type, [](T a, T b) { return !a != !b; });
}

TEST(Op, ComputesOnNumbers) {
  expect_integers<signed char>(MPI_SIGNED_CHAR);
  expect_integers<unsigned char>(MPI_UNSIGNED_CHAR);
  expect_integers<short>(MPI_SHORT);
  expect_integers<unsigned short>(MPI_UNSIGNED_SHORT);
  expect_integers<int>(MPI_INT);
  expect_integers<unsigned>(MPI_UNSIGNED);
  expect_integers<long>(MPI_LONG);
  expect_integers<unsigned long>(MPI_UNSIGNED_LONG);
  expect_integers<long long>(MPI_LONG_LONG);
  expect_integers<int8_t>(MPI_INT8_T);
  expect_integers<uint64_t>(MPI_UINT64_T);
  expect_numbers<float>(MPI_FLOAT);
  expect_numbers<double>(MPI_DOUBLE);
  expect_numbers<long double>(MPI_LONG_DOUBLE);
  expect_numbers<MPI_Aint>(MPI_AINT);
  expect_numbers<double>(MPI_DOUBLE_PRECISION);
  expect_numbers<int>(MPI_INTEGER);
}

TEST(Op, IntegersWrapAround) {
  int in[] = {INT32_MAX, INT32_MIN}, inout[] = {1, -1};
  function(MPI_SUM, MPI_INT)(in, inout, 2);
  EXPECT_EQ(INT32_MIN, inout[0]);
  EXPECT_EQ(INT32_MAX, inout[1]);
  unsigned short a = 0xffff, b = 0xffff;
  function(MPI_PROD, MPI_UNSIGNED_SHORT)(&a, &b, 1);
  EXPECT_EQ(1, b);
}

TEST(Op, ComputesOnComplexNumbers) {
  const double in[] = {1, 2, -3, 0.5};
  double product[] = {3, -1, 2, 4}, sum[] = {3, -1, 2, 4};
  function(MPI_PROD, MPI_C_DOUBLE_COMPLEX)(in, product, 2);
  EXPECT_EQ(5, product[0]);
  EXPECT_EQ(5, product[1]);
  EXPECT_EQ(-8, product[2]);
  EXPECT_EQ(-11, product[3]);
  function(MPI_SUM, MPI_C_DOUBLE_COMPLEX)(in, sum, 2);
  EXPECT_EQ(4, sum[0]);
  EXPECT_EQ(1, sum[1]);
}

TEST(Op, FindsPlaces) {
  struct Pair {
    double value;
    int index;
  };
  const Pair in[] = {{1, 5}, {2, 1}, {3, 4}};
  Pair least[] = {{1, 3}, {1, 9}, {4, 2}}, most[] = {{1, 3}, {1, 9}, {4, 2}};
  function(MPI_MINLOC, MPI_DOUBLE_INT)(in, least, 3);
  function(MPI_MAXLOC, MPI_DOUBLE_INT)(in, most, 3);
  const int least_index[] = {3, 9, 4}, most_index[] = {3, 1, 2};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(least_index[i], least[i].index);
    EXPECT_EQ(most_index[i], most[i].index);
  }
}

// The lines of the standard's table, one type for each kind.
TEST(Op, AcceptsTheTypesOfTheStandard) {
  const MPI_Datatype types[] = {MPI_INT,  MPI_INTEGER, MPI_DOUBLE, MPI_LOGICAL, MPI_C_FLOAT_COMPLEX,
                                MPI_BYTE, MPI_COUNT,   MPI_2INT,   MPI_CHAR,    MPI_PACKED};
  struct Line {
    MPI_Op op;
    const char* accepted;  // one character per type above
  };
  const Line lines[] = {
      {MPI_SUM, "1110101000"},     {MPI_PROD, "1110101000"},  {MPI_MIN, "1110001000"},    {MPI_MAX, "1110001000"},
      {MPI_BAND, "1100011000"},    {MPI_BOR, "1100011000"},   {MPI_BXOR, "1100011000"},   {MPI_LAND, "1001000000"},
      {MPI_LOR, "1001000000"},     {MPI_LXOR, "1001000000"},  {MPI_MINLOC, "0000000100"}, {MPI_MAXLOC, "0000000100"},
      {MPI_REPLACE, "0000000000"}, {MPI_NO_OP, "0000000000"},
  };
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(line.accepted[i] == '1', function(line.op, types[i]) != nullptr)
          << "operator " << handle_value(line.op) << ", " << describe(*datatype_of(types[i]));
      EXPECT_EQ(line.accepted[i] == '1', refusal_of(*op_of(line.op), *datatype_of(types[i])).empty());
    }
  }
}

TEST(Half, KeepsEveryNumberAndRoundsToEven) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<uint16_t>(bits);
    const float value = half;
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(value))));
    } else {
      EXPECT_EQ(bits, Half(value).bits);
    }
  }
  EXPECT_EQ(2048.0f, static_cast<float>(Half(2049.0f)));
  EXPECT_EQ(2052.0f, static_cast<float>(Half(2051.0f)));
  EXPECT_EQ(65504.0f, static_cast<float>(Half(65519.0f)));
  EXPECT_TRUE(std::isinf(static_cast<float>(Half(65520.0f))));
  EXPECT_EQ(0x1p-24f, static_cast<float>(Half(0x1.8p-25f)));
  EXPECT_EQ(0.0f, static_cast<float>(Half(0x1p-25f)));
}

void keep_first(void* in, void* inout, int* length, MPI_Datatype* type) {
  MPI_Aint lower, extent;
  api::Type_get_extent(*type, &lower, &extent);
  std::memcpy(inout, in, static_cast<std::size_t>(*length * extent));
}

TEST(Op, CallsTheProgramsOperator) {
  MPI_Op op;
  api::Op_create(keep_first, 0, &op);
  int commutative;
  api::Op_commutative(op, &commutative);
  EXPECT_EQ(0, commutative);
  MPI_Datatype type;
  api::Type_contiguous(2, MPI_INT, &type);
  api::Type_commit(&type);
  const int in[] = {1, 2, 3, 4};
  int inout[] = {9, 9, 9, 9};
  EXPECT_EQ(MPI_SUCCESS, api::Reduce_local(in, inout, 2, type, op));
  EXPECT_EQ(0, std::memcmp(in, inout, sizeof in));
  api::Op_free(&op);
  EXPECT_EQ(MPI_OP_NULL, op);
  api::Type_free(&type);
}

}  // namespace
