// Descriptors that interrupt a thread when they become ready: O_ASYNC with F_SETSIG and F_SETOWN_EX.
//
// The signal is that of the bell (bell/interrupt.hpp), so that its handler runs the engine, and so that the program's
// own blocking calls are kept from it (bell/foreign_calls.hpp). The kernel queues one signal for each change of a
// descriptor: they are asked for only while the thread rests with something pending. When its queue of signals is
// full the kernel raises SIGIO instead, whose default would end the program: where the program does not handle it,
// a handler that does nothing takes its place from open() to close().
//
// Context: open(), close(), add() and remove() app or engine, arm() and disarm() any; one at a time. No allocation
// after open().
#pragma once

#include <cstdint>
#include <memory>

namespace vif::react {

class SocketSignals {
 public:
  SocketSignals() = default;
  ~SocketSignals() { close(); }
  SocketSignals(const SocketSignals&) = delete;
  SocketSignals& operator=(const SocketSignals&) = delete;

  // signal: of an installed handler; capacity: descriptors at most. False: no memory.
  bool open(int signal, int capacity) noexcept;
  void close() noexcept;
  // False: more descriptors than there is room for; interrupt() then cannot be used until some are removed.
  bool add(int descriptor) noexcept;
  void remove(int descriptor) noexcept;

  // From now on `thread` (a tid of this process) is interrupted when a descriptor becomes ready. The caller looks once
  // more after it: what is ready already gives no signal. Nullptr, or why it cannot be: then nothing is armed.
  const char* arm(int32_t thread) noexcept;
  void disarm() noexcept;
  bool armed() const noexcept { return armed_; }

 private:
  bool report(int descriptor, int32_t thread) noexcept;
  static void hush(int descriptor) noexcept;

  std::unique_ptr<int[]> descriptors_;
  int capacity_ = 0;
  int count_ = 0;
  int left_out_ = 0;  // descriptors that found no room
  int signal_ = 0;
  int32_t thread_ = 0;
  bool armed_ = false;
  bool guards_ = false;  // SIGIO is taken
};

// Whether the calling thread blocks this signal.
bool blocks_signal(int signal) noexcept;

}  // namespace vif::react
