// Sockets and coroutines of Asio on coloured events: an echo server, each of whose connections has a colour of its own,
// and clients that talk to it.
#include <asio.hpp>
#include <vif/asio.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <string>

namespace {

using asio::ip::tcp;
constexpr int clients = 4;
constexpr int messages = 50;

asio::awaitable<void> echo(tcp::socket socket) {
  std::array<char, 256> data;
  for (;;) {
    asio::error_code error;
    const std::size_t length =
        co_await socket.async_read_some(asio::buffer(data), asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;  // the client has gone
    co_await asio::async_write(socket, asio::buffer(data, length), asio::use_awaitable);
  }
}

// Accepts as many clients as there are, each on a colour of its own.
asio::awaitable<void> serve(vif::AsioContext& context, tcp::acceptor& acceptor) {
  for (int client = 0; client < clients; ++client) {
    const vif::AsioExecutor colour = context.new_executor();
    tcp::socket socket = co_await acceptor.async_accept(colour, asio::use_awaitable);
    asio::co_spawn(colour, echo(std::move(socket)), asio::detached);
  }
}

asio::awaitable<void> talk(vif::AsioContext& context, tcp::endpoint server, std::atomic<int>& answers) {
  tcp::socket socket(co_await asio::this_coro::executor);
  co_await socket.async_connect(server, asio::use_awaitable);
  for (int number = 0; number < messages; ++number) {
    const std::string sent = "message " + std::to_string(number);
    std::string back(sent.size(), ' ');
    co_await asio::async_write(socket, asio::buffer(sent), asio::use_awaitable);
    co_await asio::async_read(socket, asio::buffer(back), asio::use_awaitable);
    if (back == sent) ++answers;
  }
  socket.close();
  if (answers == clients * messages) context.runtime().stop();
}

}  // namespace

int main() {
  vif::Runtime runtime;
  vif::AsioContext context(runtime);
  tcp::acceptor acceptor(context.executor(0), tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  std::atomic<int> answers{0};
  asio::co_spawn(context.executor(0), serve(context, acceptor), asio::detached);
  for (int client = 0; client < clients; ++client) {
    asio::co_spawn(context.new_executor(), talk(context, acceptor.local_endpoint(), answers), asio::detached);
  }
  runtime.run();
  std::printf("%d answers on %d cores\n", answers.load(), runtime.cores());
  return answers == clients * messages ? 0 : 1;
}
