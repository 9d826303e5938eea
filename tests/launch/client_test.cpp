// The rank's side of PMI-1, against a launcher that is right, wrong, slow or dead. Context: app.
#include "launch/client.hpp"

#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "launch/random_text.hpp"

namespace vif::launch {
namespace {

// A connected pair; the launcher's end is written to before the client asks, which works because sockets have room.
struct Connection {
  Connection() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::abort();
    launcher = ends[0];
    surroundings.kind = Surroundings::Kind::pmi;
    surroundings.descriptor = ends[1];
    surroundings.rank = 0;
    surroundings.size = 2;
  }
  ~Connection() { hang_up(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void answer(const std::string& text) const {
    ASSERT_EQ(send(launcher, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (launcher >= 0) close(launcher);
    launcher = -1;
  }

  int launcher = -1;
  Surroundings surroundings;
};

const std::string opening =
    "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\ncmd=maxes kvsname_max=256 keylen_max=64 vallen_max=100\n"
    "cmd=appnum appnum=3\ncmd=my_kvsname kvsname=space\n";

TEST(Client, opens_and_asks) {
  Connection connection;
  PmiClient client(connection.surroundings);
  connection.answer(opening +
                    "cmd=put_result rc=0 msg=success\ncmd=barrier_out\ncmd=get_result rc=0 msg=success value=a%20b\n"
                    "cmd=finalize_ack\n");
  ASSERT_TRUE(client.start()) << client.error();
  EXPECT_EQ(client.app_number(), 3);
  EXPECT_TRUE(client.put("key", "value")) << client.error();
  EXPECT_TRUE(client.barrier()) << client.error();
  std::string value;
  EXPECT_TRUE(client.get("key", value)) << client.error();
  EXPECT_EQ(value, "a b");
  EXPECT_TRUE(client.finalize()) << client.error();
}

TEST(Client, an_answer_may_come_in_pieces) {
  Connection connection;
  PmiClient client(connection.surroundings);
  std::thread launcher([&connection] {
    for (const char c : opening) connection.answer(std::string(1, c));
  });
  EXPECT_TRUE(client.start()) << client.error();
  launcher.join();
}

TEST(Client, programs_that_it_starts_do_not_inherit_the_connection) {
  Connection connection;
  PmiClient client(connection.surroundings);
  connection.answer(opening);
  ASSERT_TRUE(client.start()) << client.error();
  EXPECT_EQ(fcntl(connection.surroundings.descriptor, F_GETFD), FD_CLOEXEC);
}

TEST(Client, a_descriptor_that_is_not_open_is_an_error_that_says_what_to_do) {
  Connection connection;
  close(connection.surroundings.descriptor);
  PmiClient client(connection.surroundings);
  EXPECT_FALSE(client.start());
  EXPECT_NE(client.error().find("unset PMI_FD"), std::string::npos) << client.error();
}

TEST(Client, a_dead_launcher_is_an_error_and_no_signal) {
  Connection connection;
  PmiClient client(connection.surroundings);
  connection.answer(opening);
  ASSERT_TRUE(client.start()) << client.error();
  connection.hang_up();
  EXPECT_FALSE(client.barrier());
  EXPECT_FALSE(client.barrier());
  EXPECT_FALSE(client.error().empty());
}

TEST(Client, a_refusal_gives_the_launchers_cause) {
  Connection connection;
  PmiClient client(connection.surroundings);
  connection.answer("cmd=response_to_init rc=-1 msg=no%20room\n");
  EXPECT_FALSE(client.start());
  EXPECT_NE(client.error().find("no room"), std::string::npos) << client.error();
}

TEST(Client, a_value_that_is_too_long_for_the_launcher_is_not_sent) {
  Connection connection;
  PmiClient client(connection.surroundings);
  connection.answer(opening + "cmd=put_result rc=0\n");
  ASSERT_TRUE(client.start()) << client.error();
  EXPECT_FALSE(client.put("key", std::string(100, 'x')));
  // Three characters each, once escaped.
  EXPECT_FALSE(client.put("key", std::string(34, ' ')));
  EXPECT_FALSE(client.put(std::string(64, 'k'), "value"));
  EXPECT_TRUE(client.put("key", std::string(99, 'x'))) << client.error();
}

TEST(Client, the_wrong_answer_is_an_error) {
  Connection connection;
  PmiClient client(connection.surroundings);
  connection.answer(opening + "cmd=finalize_ack\n");
  ASSERT_TRUE(client.start()) << client.error();
  EXPECT_FALSE(client.barrier());
  EXPECT_NE(client.error().find("barrier_out"), std::string::npos) << client.error();
}

TEST(Client, garbage_from_the_launcher_is_an_error_or_an_answer_never_more) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 500; ++round) {
    Connection connection;
    PmiClient client(connection.surroundings);
    if (below(engine, 2) == 0) connection.answer(opening);
    for (std::size_t i = below(engine, 10); i > 0; --i) connection.answer(random_protocol_text(engine));
    shutdown(connection.launcher, SHUT_WR);
    std::string value;
    const bool all =
        client.start() && client.put("k", "v") && client.get("k", value) && client.barrier() && client.finalize();
    EXPECT_EQ(all, client.error().empty()) << client.error();
  }
}

}  // namespace
}  // namespace vif::launch
