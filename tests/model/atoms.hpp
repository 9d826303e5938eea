// ModelAtoms: the atoms policy (base/atoms.hpp) under which every shared access is a step of the scheduler.
//
// Context: model tests only, one kernel thread.
#pragma once

#include <cstring>
#include <type_traits>

#include "model/execution.hpp"
#include "model/memory.hpp"

namespace vif::model {

// What becomes of the orderings that the code under test gives. The weakened ones are for proving that a model would
// find a missing ordering.
struct AsWritten {
  static constexpr std::memory_order order(std::memory_order written) { return written; }
};
struct WithoutRelease {
  static constexpr std::memory_order order(std::memory_order written) {
    return written == std::memory_order_release   ? std::memory_order_relaxed
           : written == std::memory_order_acq_rel ? std::memory_order_acquire
                                                  : written;
  }
};
struct WithoutAcquire {
  static constexpr std::memory_order order(std::memory_order written) {
    return written == std::memory_order_acquire   ? std::memory_order_relaxed
           : written == std::memory_order_acq_rel ? std::memory_order_release
                                                  : written;
  }
};

template <class T, class Orders = AsWritten>
class ModelAtomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(uint64_t), "a modelled atomic is one word");

 public:
  using Order = std::memory_order;

  ModelAtomic(T initial = T{}) : location_(word(initial)) {}

  T load(Order order = std::memory_order_seq_cst) const { return value(location_.load(Orders::order(order))); }
  void store(T desired, Order order = std::memory_order_seq_cst) {
    location_.store(word(desired), Orders::order(order));
  }

  T exchange(T desired, Order order = std::memory_order_seq_cst) {
    return modify([desired](T) { return desired; }, order, "exchange");
  }
  T fetch_add(T operand, Order order = std::memory_order_seq_cst) {
    return modify([operand](T old) { return static_cast<T>(old + operand); }, order, "fetch_add");
  }
  T fetch_sub(T operand, Order order = std::memory_order_seq_cst) {
    return modify([operand](T old) { return static_cast<T>(old - operand); }, order, "fetch_sub");
  }
  T fetch_or(T operand, Order order = std::memory_order_seq_cst) {
    return modify([operand](T old) { return static_cast<T>(old | operand); }, order, "fetch_or");
  }
  T fetch_and(T operand, Order order = std::memory_order_seq_cst) {
    return modify([operand](T old) { return static_cast<T>(old & operand); }, order, "fetch_and");
  }

  bool compare_exchange_strong(T& expected, T desired, Order success, Order failure) {
    uint64_t seen = word(expected);
    bool done = location_.compare_exchange(seen, word(desired), Orders::order(success), Orders::order(failure));
    expected = value(seen);
    return done;
  }
  bool compare_exchange_strong(T& expected, T desired, Order order = std::memory_order_seq_cst) {
    Order failure = order == std::memory_order_acq_rel   ? std::memory_order_acquire
                    : order == std::memory_order_release ? std::memory_order_relaxed
                                                         : order;
    return compare_exchange_strong(expected, desired, order, failure);
  }

  Location& location() { return location_; }

 private:
  static uint64_t word(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static T value(uint64_t bits) {
    T result;
    std::memcpy(&result, &bits, sizeof result);
    return result;
  }
  template <class Update>
  T modify(Update update, Order order, const char* operation) {
    return value(
        location_.modify([&](uint64_t old) { return word(update(value(old))); }, Orders::order(order), operation));
  }

  Location location_;
};

// A variable that one context at a time may touch. The model fails when two threads touch it unordered.
template <class T>
class ModelPlain {
 public:
  ModelPlain(T initial = T{}) : value_(initial) {}
  ModelPlain& operator=(T value) {
    detector_.write(this);
    value_ = value;
    return *this;
  }
  operator T() const {
    detector_.read(this);
    return value_;
  }
  T operator->() const {
    detector_.read(this);
    return value_;
  }

 private:
  RaceDetector detector_;
  T value_;
};

template <class Orders = AsWritten, bool fences = true>
struct BasicModelAtoms {
  template <class T>
  using Atomic = ModelAtomic<T, Orders>;
  template <class T>
  using Plain = ModelPlain<T>;

  static void fence() {
    if (fences) full_fence();
  }
  static void pause() { Execution::now().yield(); }
  static void wait(Atomic<uint32_t>& word, uint32_t expected, int64_t timeout_ns) {
    Execution::now().wait_on(word.location(), expected, timeout_ns >= 0);
  }
  static void wake(Atomic<uint32_t>& word, int count) { Execution::now().wake(word.location(), count); }
};

using ModelAtoms = BasicModelAtoms<>;
using AtomsWithoutRelease = BasicModelAtoms<WithoutRelease>;
using AtomsWithoutAcquire = BasicModelAtoms<WithoutAcquire>;
using AtomsWithoutFences = BasicModelAtoms<AsWritten, false>;

}  // namespace vif::model
