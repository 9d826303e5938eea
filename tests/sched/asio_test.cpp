// include/vif/asio.hpp: handlers of Asio run as events of their colour.
#include <asio.hpp>
#include <vif/asio.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

namespace vif {
namespace {

static_assert(asio::execution::is_executor_v<AsioExecutor>);
static_assert(asio::can_require_v<AsioExecutor, asio::execution::blocking_t::never_t>);
static_assert(std::is_convertible_v<AsioExecutor, asio::any_io_executor>);

RuntimeOptions two_cores() {
  RuntimeOptions options;
  options.cores = 2;
  return options;
}

struct AsioTest : testing::Test {
  Runtime runtime{two_cores()};
  AsioContext context{runtime};
};

TEST_F(AsioTest, WhatIsPostedRunsUnderTheColour) {
  Colour colour = 0;
  asio::post(context.executor(7), [&] { colour = Runtime::current_colour(); });
  runtime.wait_idle();
  EXPECT_EQ(colour, 7U);
  asio::dispatch(context.executor(8), [&] { colour = Runtime::current_colour(); });
  asio::defer(context.executor(8), [&, owned = std::make_unique<int>(1)] { colour += static_cast<Colour>(*owned); });
  runtime.wait_idle();
  EXPECT_EQ(colour, 9U);
}

// Many handlers from many executors of one colour: serial, so a plain counter loses nothing.
TEST_F(AsioTest, HandlersOfAColourRunOneAtATime) {
  int plain = 0;
  for (int poster = 0; poster < 4; ++poster) {
    asio::post(context.new_executor(), [&, this] {
      for (int i = 0; i < 2000; ++i) asio::post(context.executor(1), [&] { ++plain; });
    });
  }
  runtime.wait_idle();
  EXPECT_EQ(plain, 8000);
}

TEST_F(AsioTest, TimersComeBackToTheColour) {
  using Timer =
      asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, AsioExecutor>;
  Timer timer(context.executor(5), std::chrono::milliseconds(1));
  Colour colour = 0;
  timer.async_wait([&](const asio::error_code& error) {
    EXPECT_FALSE(error);
    colour = Runtime::current_colour();
    runtime.stop();
  });
  runtime.run();
  EXPECT_EQ(colour, 5U);
}

#ifdef ASIO_HAS_CO_AWAIT
TEST_F(AsioTest, SocketsAndCoroutinesKeepTheirColour) {
  asio::local::stream_protocol::socket here(context.executor(1));
  asio::local::stream_protocol::socket there(context.executor(2));
  asio::local::connect_pair(here, there);
  std::atomic<int> right{0};
  asio::co_spawn(
      context.executor(1),
      [&]() -> asio::awaitable<void> {
        char answer = 0;
        co_await asio::async_write(here, asio::buffer("q", 1), asio::use_awaitable);
        co_await asio::async_read(here, asio::buffer(&answer, 1), asio::use_awaitable);
        right += answer == 'a' && Runtime::current_colour() == 1;
        runtime.stop();
      },
      asio::detached);
  asio::co_spawn(
      context.executor(2),
      [&]() -> asio::awaitable<void> {
        char question = 0;
        co_await asio::async_read(there, asio::buffer(&question, 1), asio::use_awaitable);
        right += question == 'q' && Runtime::current_colour() == 2;
        co_await asio::async_write(there, asio::buffer("a", 1), asio::use_awaitable);
      },
      asio::detached);
  runtime.run();
  EXPECT_EQ(right, 2);
}
#endif

// After the end nothing runs, and what is given is destroyed.
TEST_F(AsioTest, AfterStopHandlersAreDestroyed) {
  runtime.stop();
  runtime.run();
  auto owned = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = owned;
  asio::post(context.executor(1), [owned = std::move(owned)] { ADD_FAILURE() << "it must not run"; });
  EXPECT_TRUE(seen.expired());
}

}  // namespace
}  // namespace vif
