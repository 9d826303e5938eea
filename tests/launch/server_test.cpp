// The launcher's side of PMI-1. Context: app.
#include "launch/server.hpp"

#include <gtest/gtest.h>

#include "launch/random_text.hpp"

namespace vif::launch {
namespace {

constexpr const char* init_line = "cmd=init pmi_version=1 pmi_subversion=1\n";

// The answers to what a rank says, as "rank: line" texts without the newline.
std::vector<std::string> say(PmiServer& server, int rank, const std::string& text) {
  std::string error;
  EXPECT_TRUE(server.feed(rank, text, error)) << error;
  std::vector<std::string> answers;
  for (const auto& [to, line] : server.take_answers()) {
    answers.push_back(std::to_string(to) + ": " + line.substr(0, line.size() - 1));
  }
  return answers;
}

bool refused(PmiServer& server, int rank, const std::string& text) {
  std::string error;
  const bool fed = server.feed(rank, text, error);
  EXPECT_EQ(fed, error.empty());
  return !fed;
}

using Texts = std::vector<std::string>;

TEST(Server, a_rank_lives_from_init_to_finalize) {
  PmiServer server({0, 4}, "job");
  EXPECT_EQ(server.state(1), PmiServer::State::outside);
  EXPECT_EQ(say(server, 1, init_line), Texts{"1: cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0"});
  EXPECT_EQ(server.inside(), 1);
  EXPECT_EQ(say(server, 1, "cmd=get_appnum\n"), Texts{"1: cmd=appnum rc=0 appnum=4"});
  EXPECT_EQ(say(server, 1, "cmd=get_my_kvsname\n"), Texts{"1: cmd=my_kvsname rc=0 kvsname=job"});
  EXPECT_EQ(say(server, 1, "cmd=get_universe_size\n"), Texts{"1: cmd=universe_size rc=0 size=2"});
  EXPECT_EQ(say(server, 1, "cmd=finalize\n"), Texts{"1: cmd=finalize_ack rc=0"});
  EXPECT_EQ(server.state(1), PmiServer::State::finished);
  EXPECT_EQ(server.inside(), 0);
}

TEST(Server, values_are_stored_once_and_given_to_all) {
  PmiServer server({0, 0}, "job");
  say(server, 0, init_line);
  say(server, 1, init_line);
  EXPECT_EQ(say(server, 0, "cmd=put kvsname=job key=a value=x=y\n"), Texts{"0: cmd=put_result rc=0 msg=success"});
  EXPECT_EQ(say(server, 1, "cmd=get kvsname=job key=a\n"), Texts{"1: cmd=get_result rc=0 msg=success value=x=y"});
  EXPECT_EQ(say(server, 1, "cmd=put kvsname=job key=a value=z\n"), Texts{"1: cmd=put_result rc=-1 msg=duplicate_key"});
  EXPECT_NE(say(server, 1, "cmd=get kvsname=job key=b\n")[0].find("rc=-1"), std::string::npos);
  EXPECT_NE(say(server, 1, "cmd=put kvsname=job key=b\n")[0].find("rc=-1"), std::string::npos);
  const std::string long_value(PmiServer::value_room, 'v');
  EXPECT_NE(say(server, 1, "cmd=put key=c value=" + long_value + "\n")[0].find("rc=-1"), std::string::npos);
  EXPECT_EQ(say(server, 0, "cmd=get key=PMI_process_mapping\n"),
            Texts{"0: cmd=get_result rc=0 msg=success value=(vector,(0,1,2))"});
}

TEST(Server, the_last_one_opens_the_barrier_and_it_closes_again) {
  PmiServer server({0, 0, 0}, "job");
  for (int rank = 0; rank < 3; ++rank) say(server, rank, init_line);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(say(server, 2, "cmd=barrier_in\n"), Texts{});
    EXPECT_EQ(say(server, 0, "cmd=barrier_in\n"), Texts{});
    EXPECT_EQ(say(server, 1, "cmd=barrier_in\n"),
              (Texts{"0: cmd=barrier_out rc=0", "1: cmd=barrier_out rc=0", "2: cmd=barrier_out rc=0"}));
  }
  say(server, 0, "cmd=barrier_in\n");
  EXPECT_TRUE(refused(server, 0, "cmd=barrier_in\n"));
}

TEST(Server, several_messages_and_parts_of_one_may_come_at_once) {
  PmiServer server({0}, "job");
  EXPECT_EQ(say(server, 0, std::string(init_line) + "cmd=get_max").size(), 1U);
  EXPECT_EQ(say(server, 0, "es\ncmd=barrier_in\n").size(), 2U);
}

TEST(Server, abort_carries_a_code_and_a_sentence_and_the_first_counts) {
  PmiServer server({0, 0}, "job");
  EXPECT_EQ(say(server, 1, "cmd=abort exitcode=7 message=too%20hot\n"), Texts{});
  say(server, 0, "cmd=abort exitcode=8\n");
  ASSERT_TRUE(server.aborted());
  EXPECT_EQ(server.aborted()->rank, 1);
  EXPECT_EQ(server.aborted()->code, 7);
  EXPECT_EQ(server.aborted()->why, "too hot");
}

TEST(Server, a_second_life_of_a_rank_and_other_versions_are_declined) {
  PmiServer server({0}, "job");
  EXPECT_NE(say(server, 0, "cmd=init pmi_version=2 pmi_subversion=0\n")[0].find("rc=-1"), std::string::npos);
  say(server, 0, init_line);
  say(server, 0, "cmd=finalize\n");
  EXPECT_NE(say(server, 0, init_line)[0].find("rc=-1"), std::string::npos);
}

TEST(Server, blocks_ask_for_a_new_world) {
  PmiServer server({0, 0}, "job");
  for (int rank : {0, 1}) say(server, rank, init_line);
  EXPECT_EQ(say(server, 1,
                "mcmd=spawn\nnprocs=2\nexecname=./a%20b\ntotspawns=2\nspawnssofar=1\nargcnt=1\narg1=x%0Ay\n"
                "preput_num=1\npreput_key_0=key\npreput_val_0=value\nendcmd\n"),
            Texts{});
  EXPECT_TRUE(server.take_spawns().empty());
  EXPECT_EQ(say(server, 1, "mcmd=spawn\nnprocs=1\nexecname=c\ntotspawns=2\nspawnssofar=2\nwdir=/d\nendcmd\n"), Texts{});
  const auto spawns = server.take_spawns();
  ASSERT_EQ(spawns.size(), 1U);
  EXPECT_EQ(spawns[0].rank, 1);
  ASSERT_EQ(spawns[0].programs.size(), 2U);
  EXPECT_EQ(spawns[0].programs[0].command, (std::vector<std::string>{"./a b", "x\ny"}));
  EXPECT_EQ(spawns[0].programs[0].ranks, 2);
  EXPECT_EQ(spawns[0].programs[1].directory, "/d");

  server.add_world(spawns[0]);
  EXPECT_EQ(server.size(), 5);
  EXPECT_EQ(server.take_answers()[0].second, "cmd=spawn_result rc=0 first=2\n");
  for (int rank : {2, 3, 4}) say(server, rank, init_line);
  EXPECT_EQ(say(server, 4, "cmd=get_appnum\n"), Texts{"4: cmd=appnum rc=0 appnum=1"});
  EXPECT_EQ(say(server, 3, "cmd=get_universe_size\n"), Texts{"3: cmd=universe_size rc=0 size=3"});
  EXPECT_EQ(say(server, 3, "cmd=get kvsname=x key=key\n"), Texts{"3: cmd=get_result rc=0 msg=success value=value"});
  EXPECT_EQ(say(server, 0, "cmd=get kvsname=x key=key\n").size(), 1U);
  // Each world has a barrier of its own.
  EXPECT_EQ(say(server, 2, "cmd=barrier_in\n"), Texts{});
  EXPECT_EQ(say(server, 3, "cmd=barrier_in\n"), Texts{});
  EXPECT_EQ(say(server, 4, "cmd=barrier_in\n").size(), 3U);
}

TEST(Server, a_spawn_may_be_refused) {
  PmiServer server({0}, "job");
  say(server, 0, init_line);
  say(server, 0, "mcmd=spawn\nnprocs=2\nexecname=a\nendcmd\n");
  server.refuse_spawn(server.take_spawns()[0], "not there");
  EXPECT_EQ(server.take_answers()[0].second, "cmd=spawn_result rc=-1 msg=not%20there\n");
  EXPECT_TRUE(refused(server, 0, "mcmd=spawn\nnprocs=0\nexecname=a\nendcmd\n"));
}

TEST(Server, what_a_spawn_may_ask_for_is_bounded) {
  const std::string part = "execname=a\ntotspawns=2\nspawnssofar=1\n";
  for (const std::string& text : {"nprocs=3000\n" + part + "endcmd\nmcmd=spawn\nnprocs=3000\n" + part + "endcmd\n",
                                  "nprocs=1\nargcnt=4\n" + part + "endcmd\nmcmd=spawn\nargcnt=9\n" + part + "endcmd\n",
                                  "arg1=" + std::string(5 << 20, 'x') + "\n"}) {
    PmiServer server({0}, "job");
    say(server, 0, init_line);
    EXPECT_TRUE(refused(server, 0, "mcmd=spawn\n" + text)) << text.substr(0, 60);
  }
  // The bytes of all blocks count.
  PmiServer server({0}, "job");
  say(server, 0, init_line);
  std::string block = "mcmd=spawn\nnprocs=1\n" + part;
  for (int i = 0; i < 40; ++i) block += "x=" + std::string(60000, 'y') + "\n";
  EXPECT_TRUE(say(server, 0, block + "endcmd\n").empty());
  EXPECT_TRUE(refused(server, 0, block));
}

TEST(Server, names_take_room_of_the_space_until_they_are_taken_back) {
  PmiServer server({0}, "job");
  say(server, 0, init_line);
  const std::string port(60000, 'p');
  const auto publish = [&](int number) {
    return say(server, 0, "cmd=publish_name service=s" + std::to_string(number) + " port=" + port + "\n")[0];
  };
  int number = 0;
  while (publish(number).ends_with("rc=0")) ++number;
  EXPECT_EQ(static_cast<std::size_t>(number), PmiServer::space_limit / (port.size() + 5));
  say(server, 0, "cmd=unpublish_name service=s1000\n");
  EXPECT_TRUE(publish(number).ends_with("rc=0"));
}

TEST(Server, names_are_common_to_all) {
  PmiServer server({0, 0}, "job");
  for (int rank : {0, 1}) say(server, rank, init_line);
  EXPECT_EQ(say(server, 0, "cmd=publish_name service=s port=p\n"), Texts{"0: cmd=publish_result rc=0"});
  EXPECT_EQ(say(server, 1, "cmd=lookup_name service=s\n"), Texts{"1: cmd=lookup_result rc=0 port=p"});
  EXPECT_EQ(say(server, 1, "cmd=publish_name service=s port=q\n"),
            Texts{"1: cmd=publish_result rc=-1 msg=this_name_is_published_already"});
  EXPECT_EQ(say(server, 1, "cmd=unpublish_name service=s\n"), Texts{"1: cmd=unpublish_result rc=0"});
  EXPECT_EQ(say(server, 0, "cmd=lookup_name service=s\n"),
            Texts{"0: cmd=lookup_result rc=-1 msg=this_name_is_not_published"});
}

TEST(Server, what_breaks_the_protocol_is_refused) {
  for (const std::string& text :
       {std::string("cmd=barrier_in\n"), std::string("cmd=finalize\n"), std::string("nonsense\n"),
        std::string("cmd=init pmi_version=1\ncmd=init pmi_version=1\n"),
        std::string("cmd=init pmi_version=1\ncmd=dance\n"), std::string("cmd=init pmi_version=1\ncmd=polish_name\n"),
        std::string("\n"), std::string(1 << 17, 'x')}) {
    PmiServer server({0}, "job");
    EXPECT_TRUE(refused(server, 0, text)) << text.substr(0, 60);
  }
}

TEST(Server, garbage_never_costs_another_rank_its_answers) {
  std::mt19937_64 engine = seeded_engine();
  for (int round = 0; round < 500; ++round) {
    PmiServer server({0, 0}, "job");
    say(server, 0, init_line);
    std::string error;
    for (int piece = 0; piece < 40; ++piece) {
      if (!server.feed(1, random_protocol_text(engine), error)) break;
    }
    server.take_answers();
    const Texts answers = say(server, 0, "cmd=get_maxes\n");
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_TRUE(answers[0].starts_with("0: cmd=maxes")) << answers[0];
  }
}

}  // namespace
}  // namespace vif::launch
