// The TCP link between real processes over the loopback, and what happens when a peer dies, breaks off, keeps silent,
// or says what it must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/job.hpp"
#include "net/link.hpp"
#include "net/remote_memory.hpp"
#include "net/tcp/card.hpp"
#include "net/tcp/wire.hpp"
#include "net/traffic.hpp"
#include "react/child.hpp"

namespace vif::test {
namespace {

using net::Engine;
using net::Outcome;
using net::Request;
using namespace net::tcp;

class Tcp : public testing::Test {
 protected:
  void SetUp() override { setenv("VIF_LINKS", "tcp", 1); }
  void TearDown() override {
    for (const char* name :
         {"VIF_LINKS", "VIF_TCP_TIMEOUT", "VIF_UNEXPECTED_LIMIT", "VIF_TCP_INTERFACES", "VIF_REACTION"}) {
      unsetenv(name);
    }
  }
};

Secret secret_of_job() {
  const std::string text = job_value("vif-secret");
  Secret secret{};
  for (size_t i = 0; i < secret.size(); ++i) {
    secret[i] = static_cast<uint8_t>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return secret;
}

// A connection to a rank of the job, made by hand.
class Raw {
 public:
  explicit Raw(int rank) {
    Card card;
    Card::parse(job_value("vif-card-" + std::to_string(rank)), card);
    const Address& address = card.addresses.at(0);
    socket_ = ::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    open_ = ::connect(socket_, &address.value.any, address.length()) == 0;
  }
  ~Raw() { close(socket_); }
  bool open() const { return open_; }
  void say(const void* bytes, size_t count) { open_ = ::send(socket_, bytes, count, MSG_NOSIGNAL) >= 0; }
  void say(const Frame& frame) {
    std::byte bytes[frame_bytes];
    write_frame(frame, bytes);
    say(bytes, sizeof bytes);
  }
  bool hear(std::byte* bytes, size_t count) { return ::recv(socket_, bytes, count, MSG_WAITALL) == ssize_t(count); }
  // Until the other side closes.
  bool ends() {
    std::byte rest[256];
    ssize_t got;
    while ((got = ::recv(socket_, rest, sizeof rest, 0)) > 0) {
    }
    return got == 0 || errno == ECONNRESET;
  }
  bool greet(uint32_t from, uint32_t to, const Secret& secret) {
    Greeting greeting;
    greeting.from = from;
    greeting.to = to;
    greeting.eager_limit = greeting.unexpected_limit = 1 << 20;
    Transcript transcript;
    std::byte bytes[greeting_bytes];
    transcript.write(greeting, secret, bytes);
    say(bytes, sizeof bytes);
    if (!hear(bytes, sizeof bytes) || transcript.read(bytes, secret, greeting) != nullptr) return false;
    greeting = {};
    greeting.step = Step::proof;
    greeting.from = from;
    greeting.to = to;
    greeting.eager_limit = greeting.unexpected_limit = 1 << 20;
    transcript.write(greeting, secret, bytes);
    say(bytes, sizeof bytes);
    return hear(bytes, sizeof bytes) && transcript.read(bytes, secret, greeting) == nullptr &&
           greeting.refusal == Refusal::none;
  }

 private:
  int socket_ = -1;
  bool open_ = false;
};

Outcome outcome_of_receive(Engine& engine, int from, int tag) {
  std::byte byte;
  Request request;
  start_receive(engine, request, from, tag, &byte, 1);
  wait(engine, request);
  return request.status.outcome;
}

int ping(Engine& engine, int other) {
  std::byte mine{7}, its{0};
  Request sending;
  start_send(engine, sending, other, 99, &mine, 1);
  const net::Status status = receive(engine, other, 99, &its, 1);
  wait(engine, sending);
  JOB_CHECK(status.outcome == Outcome::success && its == mine);
  return 0;
}

// --- what works ---

int shares_nothing(Engine& engine) {
  for (int process = 0; process < engine.together(); ++process) {
    JOB_CHECK(engine.remote_memory()->shares_memory(process) == (process == engine.process()));
  }
  return ping(engine, 1 - engine.process());
}
TEST_F(Tcp, TakesTheProcessesApart) { EXPECT_EQ(run_job(2, shares_nothing), 0); }

// Everybody connects to everybody at the same moment: of two crossing connections one stays.
int all_at_once(Engine& engine) {
  const int count = engine.together();
  std::vector<std::byte> in(static_cast<size_t>(count) * 100'000), out(100'000);
  fill(out, static_cast<uint32_t>(engine.process()));
  std::vector<Request> receives(static_cast<size_t>(count)), sends(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    start_receive(engine, receives[static_cast<size_t>(i)], i, 1, in.data() + i * 100'000, 100'000);
  }
  for (int i = 0; i < count; ++i) start_send(engine, sends[static_cast<size_t>(i)], i, 1, out.data(), out.size());
  for (Request& request : sends) wait(engine, request);
  for (int i = 0; i < count; ++i) {
    wait(engine, receives[static_cast<size_t>(i)]);
    std::vector<std::byte> part(in.begin() + i * 100'000, in.begin() + (i + 1) * 100'000);
    JOB_CHECK(receives[static_cast<size_t>(i)].status.bytes == 100'000 &&
              holds(part, 100'000, static_cast<uint32_t>(i)));
  }
  return 0;
}
TEST_F(Tcp, ConnectsAllAtOnce) {
  for (int round = 0; round < 5; ++round) EXPECT_EQ(run_job(6, all_at_once), 0);
}

// A sender that has left the library has its message taken: the link's own thread goes on with it.
int computes_while_it_sends(Engine& engine) {
  std::vector<std::byte> bytes(8 << 20);
  if (engine.process() == 0) {
    fill(bytes, 5);
    Request request;
    start_send(engine, request, 1, 3, bytes.data(), bytes.size());
    while (!request.complete()) {  // no call of the library
    }
  } else {
    JOB_CHECK(receive(engine, 0, 3, bytes.data(), bytes.size()).bytes == bytes.size());
    JOB_CHECK(holds(bytes, bytes.size(), 5));
  }
  return 0;
}
TEST_F(Tcp, SendsWithoutTheSendersHelp) { EXPECT_EQ(run_job(2, computes_while_it_sends), 0); }

int computes_while_it_receives(Engine& engine) {
  std::vector<std::byte> bytes(8 << 20);
  if (engine.process() == 1) {
    fill(bytes, 6);
    send(engine, 0, 3, bytes.data(), bytes.size());
  } else {
    Request request;
    start_receive(engine, request, 1, 3, bytes.data(), bytes.size());
    while (!request.complete()) {
    }
    JOB_CHECK(holds(bytes, bytes.size(), 6));
  }
  return 0;
}
TEST_F(Tcp, ReceivesWithoutTheReceiversHelp) { EXPECT_EQ(run_job(2, computes_while_it_receives), 0); }

// --- who sees to it while the program computes, and what takes its place ---

int computes_on_both_sides(Engine& engine) {
  const int other = 1 - engine.process();
  std::vector<std::byte> out(4 << 20), in(out.size());
  fill(out, static_cast<uint32_t>(engine.process()));
  Request sending, receiving;
  start_receive(engine, receiving, other, 3, in.data(), in.size());
  start_send(engine, sending, other, 3, out.data(), out.size());
  while (!sending.complete() || !receiving.complete()) {
  }
  JOB_CHECK(holds(in, in.size(), static_cast<uint32_t>(other)));
  return 0;
}

TEST_F(Tcp, AThreadTakesOverWhereTheProgramBlocksSignals) {
  setenv("VIF_REACTION", "signal", 1);
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      sigset_t all;
                      sigfillset(&all);
                      pthread_sigmask(SIG_SETMASK, &all, nullptr);
                      if (computes_on_both_sides(engine) != 0) return 1;
                      JOB_CHECK(net::link_counters(engine).by_thread > 0);
                      JOB_CHECK(net::link_counters(engine).by_interrupt == 0);
                      return 0;
                    }),
            0);
}

// The thread of the link and that of the engine are refused, as under a limit on processes: signals take their place.
TEST_F(Tcp, SignalsTakeOverWhereNoThreadCanBeHad) {
  EXPECT_EQ(in_child([] {
              if (!forbid({SCMP_SYS(clone3)}, EAGAIN)) return 1;
              return run_job(2, [](Engine& engine) {
                if (computes_on_both_sides(engine) != 0) return 1;
                JOB_CHECK(net::link_counters(engine).by_interrupt > 0);
                JOB_CHECK(net::link_counters(engine).by_thread == 0);
                return ping(engine, 1 - engine.process());
              });
            }),
            0);
}

// Interrupts would cut calls of the program short: a thread takes their place for as long as the call lasts.
TEST_F(Tcp, MessagesMoveWhileTheProgramSleeps) {
  setenv("VIF_REACTION", "signal", 1);
  EXPECT_EQ(run_job(2,
                    [](Engine& engine) {
                      std::vector<std::byte> bytes(8 << 20);
                      if (engine.process() == 1) {
                        fill(bytes, 6);
                        send(engine, 0, 3, bytes.data(), bytes.size());
                        return 0;
                      }
                      Request request;
                      start_receive(engine, request, 1, 3, bytes.data(), bytes.size());
                      while (!request.complete()) JOB_CHECK(::poll(nullptr, 0, 5) == 0);
                      JOB_CHECK(holds(bytes, bytes.size(), 6));
                      return 0;
                    }),
            0);
}

// Messages that nobody receives are bounded: the sender is held back, and nothing is lost.
int flood(Engine& engine) {
  constexpr int count = 3000;
  std::vector<std::byte> bytes(1000);
  if (engine.process() == 0) {
    std::vector<Request> requests(count);
    for (Request& request : requests) start_send(engine, request, 1, 3, bytes.data(), bytes.size());
    std::byte go{1};
    send(engine, 1, 4, &go, 1);
    for (Request& request : requests) wait(engine, request);
  } else {
    std::byte go{0};
    receive(engine, 0, 4, &go, 1);  // all the others come before it
    for (int i = 0; i < count; ++i) JOB_CHECK(receive(engine, 0, 3, bytes.data(), bytes.size()).bytes == bytes.size());
  }
  return 0;
}
TEST_F(Tcp, BoundsWhatNobodyReceives) {
  setenv("VIF_UNEXPECTED_LIMIT", "100000", 1);
  EXPECT_EQ(run_job(2, flood), 0);
}

// --- what breaks ---

int peer_is_killed(Engine& engine) {
  if (ping(engine, 1 - engine.process()) != 0) return 1;
  if (engine.process() == 1) return leave_without_meeting;  // ends as if killed: no good-bye
  JOB_CHECK(outcome_of_receive(engine, 1, 5) == Outcome::peer_dead);
  std::vector<std::byte> bytes(1 << 20);
  Request request;
  start_send(engine, request, 1, 5, bytes.data(), bytes.size());
  wait(engine, request);
  JOB_CHECK(request.status.outcome == Outcome::peer_dead && engine.has_failed(1));
  return leave_without_meeting;
}
TEST_F(Tcp, APeerThatDiesIsAnError) { EXPECT_EQ(run_job(2, peer_is_killed), 0); }

// In the middle of a long message, to one that computes and to one that waits.
int dies_in_a_long_message(Engine& engine) {
  if (engine.process() == 1) {
    Raw raw(0);
    Frame offer;
    JOB_CHECK(raw.greet(1, 0, secret_of_job()));
    offer.kind = FrameKind::offer;
    offer.source = 1;
    offer.tag = 5;
    offer.length = 1 << 20;
    offer.id = 0x100000001ull;
    raw.say(offer);
    std::byte bytes[frame_bytes];
    Frame accept;
    JOB_CHECK(raw.hear(bytes, sizeof bytes) && read_frame(bytes, 1 << 20, accept) == nullptr);
    JOB_CHECK(accept.kind == FrameKind::accept && accept.id == offer.id && accept.length == offer.length);
    Frame data;
    data.kind = FrameKind::data;
    data.id = accept.other;
    data.length = 1 << 19;
    raw.say(data);
    raw.say(bytes, sizeof bytes);  // and no more of it
    return leave_without_meeting;
  }
  std::vector<std::byte> bytes(1 << 20);
  Request request;
  start_receive(engine, request, 1, 5, bytes.data(), bytes.size());
  wait(engine, request);
  JOB_CHECK(request.status.outcome == Outcome::peer_dead);
  return leave_without_meeting;
}
TEST_F(Tcp, APeerThatDiesInALongMessageIsAnError) { EXPECT_EQ(run_job(2, dies_in_a_long_message), 0); }

// What a peer of the job must not say: the receive that waits for it fails, and nothing else happens.
std::vector<Frame> nonsense() {
  std::vector<Frame> frames(8);
  frames[0].kind = FrameKind::data;  // that nobody asked for
  frames[0].id = 1;
  frames[0].length = 8;
  frames[1].kind = FrameKind::accept;  // of what was not offered
  frames[1].id = 0x100000001ull;
  frames[1].length = 8;
  frames[2].kind = FrameKind::withdrawn;
  frames[2].id = 0x100000001ull;
  frames[3].kind = FrameKind::eager;  // longer than agreed
  frames[3].length = 1 << 30;
  frames[4].kind = FrameKind::credit;  // for what was not sent
  frames[4].credit = 1;
  frames[5].kind = FrameKind::bye;
  frames[5].id = 3;
  frames[6].kind = static_cast<FrameKind>(200);
  frames[7].kind = FrameKind::offer;
  frames[7].length = ~0ull;
  frames[7].id = 1;
  return frames;
}

int hears_nonsense(Engine& engine) {
  const std::vector<Frame> frames = nonsense();
  const auto liar = static_cast<size_t>(engine.process());
  if (liar != 0) {
    Raw raw(0);
    JOB_CHECK(raw.greet(static_cast<uint32_t>(liar), 0, secret_of_job()));
    raw.say(frames[liar - 1]);
    JOB_CHECK(raw.ends());
    return leave_without_meeting;
  }
  for (int process = 1; process < engine.together(); ++process) {
    JOB_CHECK(outcome_of_receive(engine, process, 5) == Outcome::peer_dead);
  }
  return leave_without_meeting;
}
TEST_F(Tcp, NonsenseIsAnError) { EXPECT_EQ(run_job(static_cast<int>(nonsense().size()) + 1, hears_nonsense), 0); }

// Strangers: wrong secret, another protocol, silence, half a greeting. The job does not notice.
int is_visited_by_strangers(Engine& engine) {
  const int other = 1 - engine.process();
  Raw silent(other), web(other), half(other), wrong(other);
  web.say("GET / HTTP/1.1\r\nHost: example.org\r\nUser-Agent: a long enough request\r\n\r\n", 72);
  half.say("VIFT", 4);
  Secret secret = secret_of_job();
  secret[0] ^= 1;
  engine.progress();
  Greeting greeting;
  greeting.from = static_cast<uint32_t>(engine.process());
  greeting.to = static_cast<uint32_t>(other);
  Transcript transcript;
  std::byte bytes[greeting_bytes];
  transcript.write(greeting, secret, bytes);
  wrong.say(bytes, sizeof bytes);
  if (ping(engine, other) != 0) return 1;
  JOB_CHECK(wrong.ends() && web.ends());
  return ping(engine, other);
}
TEST_F(Tcp, StrangersAreSentAway) { EXPECT_EQ(run_job(2, is_visited_by_strangers), 0); }

// A process of the job cannot take the place of another one that is connected already.
int is_connected_twice(Engine& engine) {
  const int other = 1 - engine.process();
  if (ping(engine, other) != 0) return 1;
  if (engine.process() == 1) {
    Raw raw(0);
    JOB_CHECK(!raw.greet(1, 0, secret_of_job()));
  }
  return ping(engine, other);
}
TEST_F(Tcp, ASecondConnectionIsRefused) { EXPECT_EQ(run_job(2, is_connected_twice), 0); }

// No descriptor is left where the others knock: they wait until there is one again.
// `gate`: a pipe by which it says so.
int has_no_descriptors(Engine& engine, const int gate[2]) {
  if (engine.process() == 0) {
    rlimit limit{}, none{};
    getrlimit(RLIMIT_NOFILE, &limit);
    none = limit;
    const int probe = open("/dev/null", O_RDONLY);
    close(probe);
    none.rlim_cur = static_cast<rlim_t>(probe);
    setrlimit(RLIMIT_NOFILE, &none);
    std::byte byte{0};
    JOB_CHECK(write(gate[1], &byte, 1) == 1);
    Request request;
    start_receive(engine, request, 1, 98, &byte, 1);
    for (int i = 0; i < 200; ++i) engine.progress();
    JOB_CHECK(!request.complete());
    setrlimit(RLIMIT_NOFILE, &limit);
    wait(engine, request);
    JOB_CHECK(request.status.outcome == Outcome::success);
  } else {
    std::byte byte{1};
    ssize_t got;
    do {
      got = read(gate[0], &byte, 1);
    } while (got < 0 && errno == EINTR);
    JOB_CHECK(got == 1);
    send(engine, 0, 98, &byte, 1);
  }
  return ping(engine, 1 - engine.process());
}
TEST_F(Tcp, WaitsForDescriptors) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "The sanitizer's check of virtual tables opens a pipe, and takes an object for none where it cannot.";
#endif
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  EXPECT_EQ(run_job(2, [&](Engine& engine) { return has_no_descriptors(engine, gate); }), 0);
  close(gate[0]);
  close(gate[1]);
}

// The address of a peer where nobody listens any more, or where it can never be reached.
int cannot_reach(Engine& engine) {
  if (engine.process() == 1) return leave_without_meeting;
  while (engine.process() == 0 && Raw(1).open()) sched_yield();  // until it has ended
  std::byte byte{1};
  Request request;
  start_send(engine, request, 1, 5, &byte, 1);
  wait(engine, request);
  JOB_CHECK(request.status.outcome == Outcome::peer_dead);
  return leave_without_meeting;
}
TEST_F(Tcp, APeerThatCannotBeReachedIsAnError) { EXPECT_EQ(run_job(2, cannot_reach), 0); }

// A peer that accepts the connection and then says nothing, ever.
int is_not_answered(Engine& engine) {
  if (engine.process() == 1) {
    raise(SIGSTOP);  // its kernel takes connections; the process does not
    return leave_without_meeting;
  }
  std::byte byte{1};
  Request request;
  start_send(engine, request, 1, 5, &byte, 1);
  wait(engine, request);
  JOB_CHECK(request.status.outcome == Outcome::peer_dead);
  return 1;  // ends the job, the stopped process with it
}
TEST_F(Tcp, APeerThatNeverAnswersIsAnError) {
  setenv("VIF_TCP_TIMEOUT", "1", 1);
  EXPECT_EQ(run_job(2, is_not_answered), 2);
}

TEST_F(Tcp, AnInterfaceThatIsNotThereIsAnError) {
  setenv("VIF_TCP_INTERFACES", "no-such-interface", 1);
  EXPECT_EQ(run_job(2, [](Engine&) { return 0; }), 2);
}

}  // namespace
}  // namespace vif::test
