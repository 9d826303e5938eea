// Links: how messages reach processes that share no memory with this one (design §8).
//
// Shared memory is not behind this interface: it is the engine's own fast path. A link carries what is for `far`
// processes; the engine keeps matching, the store of unexpected messages, and the sends that a link cannot take yet.
//
// Context: "owned" functions are called by the owner of the engine, in any context, handlers included: they do not
// wait, allocate (but where LinkPort::may_allocate()), throw, or write to a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "net/message.hpp"
#include "net/request.hpp"
#include "react/policy.hpp"

namespace vif::net {

// What a link offers. Sizes in bytes.
struct LinkAbilities {
  const char* name = "";
  uint64_t eager_limit = 0;    // longer messages wait for their receiver
  bool in_order = true;        // between two processes
  bool remote_memory = false;  // can read and write the memory of another process
  bool wakes = false;          // a thread of its own sees to it that the engine runs when something comes
};

struct LinkCounters {
  uint64_t connections = 0;  // made or taken
  uint64_t strangers = 0;    // connections that were refused: no process of the job was at the other end
  uint64_t written = 0;      // bytes handed to the network
  // How often something was asked to tell what comes next: a thread blocked in the kernel, an interrupt by the kernel;
  // or neither could be had.
  uint64_t by_thread = 0, by_interrupt = 0, by_nobody = 0;
};

// What a link asks of the engine. Owned.
class LinkPort {
 public:
  virtual ~LinkPort() = default;
  virtual int process() const noexcept = 0;
  // The receive that takes a message of `process`, out of its place; null: none yet. It is not pending any more.
  virtual Request* take_posted(uint32_t context, int32_t source, int32_t tag, int process) noexcept = 0;
  // The message becomes one that waits for its receive. new_message() gives null where there is no memory now.
  virtual Message* new_message(uint64_t bytes) noexcept = 0;
  virtual void keep(Message& message) noexcept = 0;
  virtual void free_message(Message& message) noexcept = 0;
  // An offer that waits for its receive, taken out of its place; null: it does not wait any more.
  virtual Message* take_offer(uint32_t context, int32_t source, int32_t tag, int process, uint64_t id) noexcept = 0;
  // All bytes of a kept message are there: a receive that matched it meanwhile gets them.
  virtual void arrived(Message& message) noexcept = 0;
  // A kept message whose bytes will never all come.
  virtual void lost(Message& message) noexcept = 0;
  virtual void begin_receive(Request& request, int32_t source, int32_t tag, uint64_t length) noexcept = 0;
  virtual void complete(Request& request, Outcome outcome) noexcept = 0;
  virtual void pending(int change) noexcept = 0;       // things of this process that an event could make progress
  virtual void flush(int process) noexcept = 0;        // there may be room for sends that wait
  virtual void lose(int process) noexcept = 0;         // no link to it any more: what needs it fails
  virtual void count_send(bool offered) noexcept = 0;  // for the counters
  virtual bool in_handler() const noexcept = 0;
  virtual bool may_allocate() const noexcept = 0;
  virtual bool looks() const noexcept = 0;  // the owner waits, and will look again at once
  virtual void come_again() noexcept = 0;
};

class Link {
 public:
  virtual ~Link() = default;
  virtual LinkAbilities abilities() const noexcept = 0;
  // What it has done; exact at rest.
  virtual LinkCounters counters() const noexcept = 0;

  // --- owned ---
  // Takes a send, which it will complete. False: not now; the engine keeps it, in order, and offers it again.
  virtual bool post(int process, Request& request) noexcept = 0;
  // A receive takes the message that `process` offered.
  virtual void accept(int process, Request& request, uint64_t id, uint64_t offered) noexcept = 0;
  // A send that post() took is given up, if it can be.
  virtual void withdraw(Request& request) noexcept = 0;
  // An eager message has left the store of unexpected messages.
  virtual void delivered(int process, uint64_t cost) noexcept = 0;
  virtual void poll() noexcept = 0;
  // Something was left for the next poll(), which nobody else will call for.
  virtual bool unfinished() const noexcept = 0;

  // --- any context ---
  // Who is to see to it that the engine runs when something comes: `look`, whoever comes by; `exported`, a thread of
  // the link's; `interrupt`, the kernel interrupts `thread`. Done by the next poll() or settle().
  virtual void want(react::Method method, int32_t thread) noexcept = 0;
  virtual bool unsettled() const noexcept = 0;
  // The program is in a call during which interrupts are blocked: the thread takes their place.
  virtual void beside_call(bool begins) noexcept = 0;
  // What the ways to be told cost on this machine, and which of them can be had.
  virtual react::Prices prices() const noexcept = 0;
  // --- owned ---
  virtual void settle() noexcept = 0;

  // --- app context ---
  // Sleeps until something may have come, or somebody calls rouse(), before this call or during it. False: the time is
  // over.
  virtual bool sleep(int64_t timeout_ns) noexcept = 0;
  virtual void rouse() noexcept = 0;  // any context
  // No engine function is called after this one has returned: it has sent what was left to send.
  virtual void close() noexcept = 0;
};

class Engine;
// Of the link of an engine; zeros where it has none.
LinkCounters link_counters(const Engine& engine) noexcept;

}  // namespace vif::net
