// The notifier of waitables: one thread that sleeps on the descriptors of all those that have a function to call.
// Context: app; a thread of its own.
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "mpi/waitable.hpp"

namespace vif::mpi {

namespace {

struct Registration {
  Waitable* waitable;
  void (*function)(void*);
  void* argument;
};

class Notifier {
 public:
  void add(const Registration& registration);
  void remove(const Waitable& waitable);
  void stop();

 private:
  void run();
  void wake() noexcept;
  bool take_fired(Registration& fired);
  std::vector<pollfd> descriptors();

  std::mutex lock_;
  std::condition_variable called_;
  std::vector<Registration> registrations_;
  const Waitable* calling_ = nullptr;
  std::thread thread_;
  int bell_ = -1;
  bool stopping_ = false;
};

Notifier& notifier() {
  // Never destroyed: a callback may run while the program ends.
  static auto* instance = new Notifier;
  return *instance;
}

void clear(int descriptor) noexcept {
  uint64_t count;
  [[maybe_unused]] const ssize_t got = read(descriptor, &count, sizeof count);
}

void Notifier::add(const Registration& registration) {
  const std::lock_guard guard(lock_);
  const auto same = [&](const Registration& it) { return it.waitable == registration.waitable; };
  const auto place = std::find_if(registrations_.begin(), registrations_.end(), same);
  if (place != registrations_.end()) {
    *place = registration;
    return;
  }
  registrations_.push_back(registration);
  if (thread_.joinable()) return wake();
  stopping_ = false;
  bell_ = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  sigset_t all, before;
  sigfillset(&all);  // signals are for the program's threads
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Notifier::wake() noexcept {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(bell_, &one, sizeof one);
}

void Notifier::remove(const Waitable& waitable) {
  std::unique_lock guard(lock_);
  std::erase_if(registrations_, [&](const Registration& it) { return it.waitable == &waitable; });
  if (!thread_.joinable() || std::this_thread::get_id() == thread_.get_id()) return;
  called_.wait(guard, [&] { return calling_ != &waitable; });
  wake();
}

void Notifier::stop() {
  {
    const std::lock_guard guard(lock_);
    if (!thread_.joinable()) return;
    stopping_ = true;
    registrations_.clear();
    wake();
  }
  thread_.join();
  close(bell_);
}

std::vector<pollfd> Notifier::descriptors() {
  std::vector<pollfd> list{{bell_, POLLIN, 0}};
  for (const Registration& it : registrations_) list.push_back({it.waitable->descriptor, POLLIN, 0});
  return list;
}

bool Notifier::take_fired(Registration& fired) {
  for (auto it = registrations_.begin(); it != registrations_.end(); ++it) {
    if (!it->waitable->has_fired()) continue;
    fired = *it;
    registrations_.erase(it);
    calling_ = fired.waitable;
    return true;
  }
  return false;
}

void Notifier::run() {
  std::unique_lock guard(lock_);
  while (!stopping_) {
    Registration fired;
    while (take_fired(fired)) {
      guard.unlock();
      fired.function(fired.argument);
      guard.lock();
      calling_ = nullptr;
      called_.notify_all();
    }
    std::vector<pollfd> list = descriptors();
    guard.unlock();
    // A descriptor that asks for an application thread stays readable: this thread cannot give what is asked for.
    // Not poll(): that is a call of the program (bell/foreign_calls.hpp), and this is none.
    syscall(SYS_poll, list.data(), list.size(), -1);
    guard.lock();
    // Only those that are still registered: the descriptor of another may belong to somebody else by now.
    clear(bell_);
    for (const Registration& it : registrations_) clear(it.waitable->descriptor);
  }
}

}  // namespace

void notify(Waitable& waitable, void (*function)(void*), void* argument) {
  if (waitable.has_fired()) return function(argument);
  notifier().add({&waitable, function, argument});
}

void forget(Waitable& waitable) { notifier().remove(waitable); }

void stop_notifier() { notifier().stop(); }

}  // namespace vif::mpi
