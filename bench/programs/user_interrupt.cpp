#include "user_interrupt.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <string>

#include "bell/interrupt.hpp"
#include "bell/user_interrupt.hpp"

namespace bell = vif::bell;

namespace {

void (*the_handler)() = nullptr;

}  // namespace

const char* user_interrupt_missing() {
  const bell::UserInterruptSupport& support = bell::user_interrupt_support();
  if (support.in_hardware()) return nullptr;
  return support.emulated ? "emulated: not a measurement" : support.missing();
}

bool user_interrupt_receive(void (*handler)()) {
  std::string error;
  the_handler = handler;
  return bell::install_handler([](bell::Interrupt) noexcept { the_handler(); }, error) != 0 &&
         bell::receive_user_interrupts(nullptr, error);
}

void user_interrupt_stop() {
  bell::stop_receiving_user_interrupts();
  bell::remove_handler();
}

int user_interrupt_descriptor() { return bell::vector_descriptor(); }

int user_interrupt_connect(int process, int descriptor) {
  const auto pidfd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (pidfd < 0) return -1;
  const int index = bell::connect_user_interrupt(pidfd, descriptor);
  close(pidfd);
  return index;
}

void user_interrupt_disconnect(int index) { bell::disconnect_user_interrupt(index); }

void user_interrupt_send(int index) { bell::send_user_interrupt(index); }
