// An echo server: whatever a client sends comes back to it. docs/guides/events.md explains it step by step.
//
//   ./echo_server 7000        serves until SIGINT or SIGTERM
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vif/coroutine.hpp>
#include <vif/event.hpp>

namespace {

// A socket that is closed with the coroutine that serves it.
struct Socket {
  int number;
  explicit Socket(int number_) : number(number_) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(number); }
};

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

int listen_on(unsigned short port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) fail("socket");
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) fail("bind");
  if (listen(listener, SOMAXCONN) != 0) fail("listen");
  socklen_t length = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  std::printf("listening on port %d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return listener;
}

// One connection. Its colour is its own, so it needs no lock, and it runs beside the others.
vif::Task<> serve(int number) {
  const Socket client(number);
  std::string waiting;
  for (;;) {
    char bytes[4096];
    const ssize_t count = recv(client.number, bytes, sizeof bytes, 0);
    if (count == 0) co_return;
    if (count < 0) {
      if (errno != EAGAIN) co_return;
      co_await vif::readable(client.number);
      continue;
    }
    waiting.assign(bytes, static_cast<std::size_t>(count));
    while (!waiting.empty()) {
      const ssize_t sent = send(client.number, waiting.data(), waiting.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        waiting.erase(0, static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        co_await vif::writable(client.number);
      } else {
        co_return;
      }
    }
  }
}

vif::Task<> accept_clients(vif::Runtime& runtime, int number) {
  const Socket listener(number);
  for (;;) {
    const int client = accept4(listener.number, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (client >= 0) {
      vif::start(runtime, runtime.new_colour(), serve(client));
    } else {
      co_await vif::readable(listener.number);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    vif::Runtime runtime;
    const int port = count > 1 ? std::atoi(arguments[1]) : 0;
    vif::start(runtime, 0, accept_clients(runtime, listen_on(static_cast<unsigned short>(port))));
    for (int signal : {SIGINT, SIGTERM}) runtime.on_signal(signal, 0, [&runtime] { runtime.stop(); });
    runtime.run();
    std::puts("stopped");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "echo_server: %s\n", error.what());
    return 1;
  }
}
