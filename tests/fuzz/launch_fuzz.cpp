// Fuzzes the launchers' protocol from both ends. The input plays the ranks of a job that talk to `vif run`'s server,
// right and wrong, in pieces, and spawn worlds; or a launcher that answers a rank; or it is bytes for the parsers.
// The server must answer in whole lines that parse, to ranks that exist, count its ranks rightly and let a world out of
// its barrier as a whole; the client must end each question with an answer or with a sentence.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "input.hpp"
#include "launch/client.hpp"
#include "launch/server.hpp"

namespace {

using namespace vif::launch;

void demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz_launch: %s\n", what);
  std::abort();
}

std::string any_bytes(Input& input, uint64_t most) {
  std::string text(input.below(most + 1), '\0');
  for (char& byte : text) byte = static_cast<char>(input.take(1));
  return text;
}

// Something that a peer might say. Pieces without a newline are continued by the next.
std::string piece(Input& input, const std::vector<const char*>& sensible) {
  static const char* const parts[] = {"\n",
                                      "\r\n",
                                      " ",
                                      "=",
                                      "cmd=",
                                      "mcmd=spawn\n",
                                      "endcmd\n",
                                      "%",
                                      "%4",
                                      "%41",
                                      "%00",
                                      "rc=-1",
                                      "rc=0",
                                      "key=",
                                      "value=",
                                      "service=s ",
                                      "port=p\n",
                                      "msg=%0a",
                                      "nprocs=9\n",
                                      "argcnt=3",
                                      "preput_num=2\n",
                                      "18446744073709551617",
                                      "-1",
                                      "kvsname="};
  std::string text;
  switch (input.below(4)) {
    case 0:
      return any_bytes(input, 20);
    case 1:
      return parts[input.below(std::size(parts))];
    default:
      text = sensible[input.below(sensible.size())];
  }
  // Now and then one byte of it is another.
  if (input.below(8) == 0) text[input.below(text.size())] = static_cast<char>(input.take(1));
  return text;
}

// ---- The parsers --------------------------------------------------------------------------------------------------

void parsers(Input& input) {
  std::string whole;
  while (!input.empty()) whole += piece(input, {"cmd=put key=a value=b", "rc=0 ", "cmd=x "});
  demand(unescape(escape(whole)) == whole, "escaped and back");
  demand(escape(whole).find_first_of(" \n\r=") == std::string::npos, "what escape() leaves");
  demand(quote(whole).size() <= 242, "the length of a quotation");
  LineBuffer lines;
  std::vector<std::string> taken;
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    demand(lines.append(std::string_view(whole).substr(at, 7)), "a line below the limit");
    for (std::string line; lines.take(line);) taken.push_back(line);
  }
  std::size_t begin = 0;
  for (const std::string& line : taken) {
    std::size_t end = whole.find('\n', begin);
    std::string expected = whole.substr(begin, end - begin);
    if (!expected.empty() && expected.back() == '\r') expected.pop_back();
    demand(line == expected, "a line of a stream");
    begin = end + 1;
    std::string error;
    const auto message = parse(line, error);
    demand(message.has_value() == error.empty(), "a message or a cause");
    if (!message) continue;
    const std::string text = message->line();
    const auto again = parse(std::string_view(text).substr(0, text.size() - 1), error);
    demand(again && again->line() == text, "a message, written and read again");
  }
  demand(lines.pending() == whole.size() - begin, "what is left of a stream");
}

// ---- The server ---------------------------------------------------------------------------------------------------

const std::vector<const char*> said_by_ranks = {
    "cmd=init pmi_version=1 pmi_subversion=1\n",
    "cmd=init pmi_version=1 pmi_subversion=1\ncmd=barrier_in\n",
    "cmd=get_maxes\n",
    "cmd=get_appnum\ncmd=get_my_kvsname\ncmd=get_universe_size\n",
    "cmd=barrier_in\n",
    "cmd=put kvsname=k key=a value=b\n",
    "cmd=get kvsname=k key=a\n",
    "cmd=publish_name service=s port=p\n",
    "cmd=lookup_name service=s\n",
    "cmd=unpublish_name service=s\n",
    "cmd=finalize\n",
    "cmd=abort exitcode=256 message=%0a%00\n",
    "mcmd=spawn\nnprocs=2\nexecname=a\nargcnt=1\narg1=%20\npreput_num=1\npreput_key_0=k\npreput_val_0=v\nendcmd\n",
    "mcmd=spawn\nnprocs=1\nexecname=a\ntotspawns=2\nspawnssofar=1\nendcmd\n",
    "mcmd=spawn\nnprocs=1\nexecname=b\ntotspawns=2\nspawnssofar=2\nwdir=/\nendcmd\n",
};

constexpr int first_ranks = 3;
constexpr int most_ranks = 12;

class Job {
 public:
  explicit Job(Input& input) : server_({0, 0, 1}, "job"), worlds_(first_ranks, 0), refused_(first_ranks, false) {
    while (!input.empty() && !server_.aborted()) {
      const auto rank = static_cast<int>(input.below(static_cast<uint64_t>(server_.size())));
      if (refused_[static_cast<std::size_t>(rank)])
        continue_after_refusal(input);
      else
        say(rank, piece(input, said_by_ranks));
      answers();
      spawns(input);
    }
  }

 private:
  // Its connection is closed: it says no more.
  static void continue_after_refusal(Input& input) { input.take(1); }

  void say(int rank, const std::string& text) {
    std::string error;
    const bool good = server_.feed(rank, text, error);
    demand(good == error.empty(), "a refusal or a cause");
    refused_[static_cast<std::size_t>(rank)] = !good;
    int inside = 0;
    for (int other = 0; other < server_.size(); ++other) inside += server_.state(other) == PmiServer::State::inside;
    demand(inside == server_.inside(), "how many ranks are inside");
  }
  void answers() {
    std::map<int, int> released;
    for (const auto& [rank, line] : server_.take_answers()) {
      demand(rank >= 0 && rank < server_.size(), "an answer to nobody");
      demand(!line.empty() && line.find('\n') == line.size() - 1, "an answer that is one line");
      std::string error;
      const auto message = parse(std::string_view(line).substr(0, line.size() - 1), error);
      demand(message.has_value(), "an answer that can be read");
      if (message->command() == "barrier_out") ++released[worlds_[static_cast<std::size_t>(rank)]];
    }
    for (const auto& [world, count] : released) {
      const auto size = std::count(worlds_.begin(), worlds_.end(), world);
      demand(count % size == 0, "a barrier lets out the whole world");
    }
  }
  void spawns(Input& input) {
    for (const PmiServer::Spawn& spawn : server_.take_spawns()) {
      int ranks = 0;
      for (const auto& program : spawn.programs) {
        demand(program.ranks > 0 && !program.command.empty() && !program.command[0].empty(), "a program to start");
        ranks += program.ranks;
      }
      if (server_.size() + ranks > most_ranks || input.below(4) == 0) {
        server_.refuse_spawn(spawn, any_bytes(input, 10));
      } else {
        const int world = worlds_.back() + 1;
        server_.add_world(spawn);
        worlds_.resize(static_cast<std::size_t>(server_.size()), world);
        refused_.resize(worlds_.size(), false);
      }
    }
    answers();
  }

  PmiServer server_;
  std::vector<int> worlds_;  // of each rank
  std::vector<bool> refused_;
};

// ---- The client ---------------------------------------------------------------------------------------------------

const std::vector<const char*> said_by_launchers = {
    "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\ncmd=maxes kvsname_max=256 keylen_max=64 vallen_max=100\n"
    "cmd=appnum appnum=3\ncmd=my_kvsname kvsname=space\n",
    "cmd=maxes keylen_max=-5 vallen_max=99999999999\n",
    "cmd=put_result rc=0 msg=success\n",
    "cmd=get_result rc=0 msg=success value=a%20b\n",
    "cmd=get_result rc=-1 msg=no%0a value=unknown\n",
    "cmd=barrier_out\n",
    "cmd=spawn_result rc=0 first=4294967297\n",
    "cmd=spawn_result rc=0 first=3\n",
    "cmd=publish_result rc=0\ncmd=unpublish_result\n",
    "cmd=lookup_result rc=0 port=%25\n",
    "cmd=finalize_ack\n",
};

void client(Input& input) {
  int ends[2];
  demand(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "no pair of sockets");
  Surroundings surroundings;
  surroundings.kind = Surroundings::Kind::pmi;
  surroundings.descriptor = ends[1];
  surroundings.rank = 0;
  surroundings.size = 2;
  surroundings.launcher = static_cast<int>(input.below(2));
  const std::string bytes = any_bytes(input, 30);
  std::string text = input.below(4) != 0 ? said_by_launchers[0] : "";
  while (!input.empty()) text += piece(input, said_by_launchers);
  demand(send(ends[0], text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()), "no room");
  shutdown(ends[0], SHUT_WR);
  PmiClient rank(surroundings);
  const auto ended = [&](bool good) { demand(good || !rank.error().empty(), "a failure without a sentence"); };
  const bool started = rank.start();
  ended(started);
  std::string value;
  int first = 0;
  for (int turn = 0; started && turn < 2; ++turn) {
    ended(rank.put(bytes, "value"));
    ended(rank.get("key", value));
    ended(rank.barrier());
    const bool spawned = rank.spawn({{{"program", bytes}, 2, ""}}, {{bytes, bytes}}, first);
    ended(spawned);
    demand(!spawned || first > 0, "the first rank of a world");
    ended(rank.publish("service", bytes));
    ended(rank.look_up(bytes, value));
    ended(rank.unpublish("service"));
    ended(rank.finalize());
  }
  ::close(ends[0]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t count) {
  Input input(bytes, count);
  switch (input.below(3)) {
    case 0:
      parsers(input);
      break;
    case 1:
      client(input);
      break;
    default:
      Job job(input);
  }
  return 0;
}
