// Remote calls between processes: replies, bodies, every error, cancelling, leaving.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "rpc/door.hpp"

namespace vif::test {
namespace {

using rpc::Bytes;
using rpc::CallOptions;
using rpc::Error;
using rpc::Node;
using rpc::Reply;
using rpc::Request;

constexpr rpc::Service echo = rpc::service("echo");

// Answers with the header and the body that it was sent; the body in a buffer of its own.
void serve_echo(Node& node, const rpc::ServeOptions& options = {}) {
  node.serve(
      echo,
      [](const Request& request) {
        auto body = std::make_shared<std::vector<std::byte>>(request.body_bytes());
        request.receive(body->data(), body->size(), [body](const Request& again) {
          if (again.body_error() == Error::none && again.received() == body->size()) {
            again.reply(again.header(), body->data(), body->size(), body);
          }
        });
      },
      options);
}

Reply ask(Node& node, int rank, rpc::Service service, const std::string& header = "", const CallOptions& options = {}) {
  return node.call(rank, service, bytes_of(header), nullptr, 0, options).wait();
}

TEST(Rpc, AReplyComesBack) {
  EXPECT_EQ(run_nodes(2,
                      [](net::Engine& engine, Node& node) {
                        serve_echo(node);
                        JOB_CHECK(node.size() == 2 && node.rank() == engine.process());
                        meet(engine);
                        for (const size_t size : {0, 1, 100, 3000, 4000, 5000, 70'000, 3'000'000}) {
                          for (int rank = 0; rank < 2; ++rank) {  // one of them is this process
                            std::vector<std::byte> body(size);
                            fill(body, static_cast<uint32_t>(size));
                            const std::string header(size % 1025, 'h');
                            const Reply reply = node.call(rank, echo, bytes_of(header), body.data(), size).wait();
                            JOB_CHECK(reply && text_of(reply.header) == header);
                            JOB_CHECK(reply.body == body && reply.body_bytes == size);
                          }
                        }
                        return 0;
                      }),
            0);
}

// The memory of the user, without copies aside; and a place that is too small for a reply, short or long.
TEST(Rpc, BodiesGoWhereTheUserSays) {
  EXPECT_EQ(run_nodes(2,
                      [](net::Engine& engine, Node& node) {
                        serve_echo(node);
                        meet(engine);
                        for (const size_t size : {1000, 1'000'000}) {
                          auto sent = std::make_shared<std::vector<std::byte>>(size);
                          fill(*sent, 7);
                          std::vector<std::byte> place(size);
                          CallOptions options;
                          options.keep = sent;
                          options.into = place.data();
                          options.room = size;
                          const int other = 1 - node.rank();
                          Reply reply = node.call(other, echo, {}, sent->data(), size, options).wait();
                          JOB_CHECK(reply && reply.body.empty() && place == *sent);
                          options.room = size / 2;
                          std::fill(place.begin(), place.end(), std::byte{0});
                          reply = node.call(other, echo, {}, sent->data(), size, options).wait();
                          JOB_CHECK(reply.error == Error::truncated && reply.body_bytes == size);
                          JOB_CHECK(holds(place, size / 2, 7) && place[size / 2] == std::byte{0});
                        }
                        return 0;
                      }),
            0);
}

TEST(Rpc, AHandlerMayTakeLessOfABodyOrNothing) {
  EXPECT_EQ(run_nodes(2,
                      [](net::Engine& engine, Node& node) {
                        node.serve(1, [](const Request& request) {
                          auto part = std::make_shared<std::vector<std::byte>>(10);
                          request.receive(part->data(), 10, [part](const Request& again) {
                            const bool fine =
                                again.body_error() == Error::truncated && again.received() == 10 && holds(*part, 10, 3);
                            try {
                              again.receive(part->data(), 10, [](const Request&) {});
                            } catch (const std::logic_error& error) {
                              if (fine) again.reply(bytes_of(error.what()));
                            }
                          });
                        });
                        node.serve(2, [](const Request& request) { request.reply(bytes_of("not read")); });
                        meet(engine);
                        for (const size_t size : {100, 500'000}) {
                          std::vector<std::byte> body(size);
                          fill(body, 3);
                          const int other = 1 - node.rank();
                          JOB_CHECK(node.call(other, 1, {}, body.data(), size).wait());
                          JOB_CHECK(text_of(node.call(other, 2, {}, body.data(), size).wait().header) == "not read");
                        }
                        return 0;
                      }),
            0);
}

TEST(Rpc, EveryErrorSaysWhatItIs) {
  EXPECT_EQ(
      run_nodes(2,
                [](net::Engine& engine, Node& node) {
                  static std::atomic<int> replies;
                  node.serve(1, [](const Request&) { throw std::runtime_error("no such row"); });
                  node.serve(2, [](const Request&) {});
                  node.serve(3, [](const Request& request) {
                    if (request.fail(42, "closed on Sundays") && !request.reply() && !request.fail(1, "")) ++replies;
                  });
                  node.serve(
                      4, [](const Request& request) { request.receive(nullptr, 0, [](const Request&) { throw 7; }); });
                  meet(engine);
                  const int other = 1 - node.rank();
                  Reply reply = ask(node, other, 99);
                  JOB_CHECK(reply.error == Error::unknown_service && !reply.text.empty() && !reply);
                  reply = ask(node, other, 1);
                  JOB_CHECK(reply.error == Error::handler_threw && reply.text == "no such row");
                  JOB_CHECK(ask(node, other, 2).error == Error::no_reply);
                  reply = ask(node, other, 3);
                  JOB_CHECK(reply.error == Error::refused && reply.code == 42 && reply.text == "closed on Sundays");
                  JOB_CHECK(ask(node, other, 4).error == Error::handler_threw);
                  meet(engine);
                  JOB_CHECK(replies == 1);
                  node.withdraw(1);
                  meet(engine);
                  JOB_CHECK(ask(node, other, 1).error == Error::unknown_service);
                  try {
                    ask(node, 2, 1);
                    return 1;
                  } catch (const std::out_of_range&) {
                  }
                  try {
                    ask(node, other, 1, std::string(rpc::header_limit + 1, 'x'));
                    return 1;
                  } catch (const std::length_error&) {
                  }
                  try {
                    const Node another(node.runtime());
                    return 1;
                  } catch (const std::runtime_error&) {
                  }
                  for (int error = 0; error <= 11; ++error) {
                    JOB_CHECK(*rpc::text_of(static_cast<Error>(error)) != '\0');
                  }
                  return 0;
                }),
      0);
}

// Answers, with a long body, when nobody wants the answer any more.
void answer_too_late(Node& node, const Request& request, std::atomic<int>& told) {
  if (!request.unwanted()) {
    node.runtime().after(std::chrono::microseconds(200), 0, [&, request] { answer_too_late(node, request, told); });
    return;
  }
  ++told;
  const std::vector<std::byte> body(100'000);
  request.reply({}, body.data(), body.size());
}

// The service is told, and its late answer is thrown away.
TEST(Rpc, CallsAreCancelledAndHaveDeadlines) {
  EXPECT_EQ(run_nodes(2,
                      [](net::Engine& engine, Node& node) {
                        static std::atomic<int> begun, told;
                        node.serve(1, [&node](const Request& request) {
                          ++begun;
                          answer_too_late(node, request, told);
                        });
                        meet(engine);
                        const int other = 1 - node.rank();
                        std::vector<std::byte> body(200'000);
                        const rpc::Call first = node.call(other, 1, {}, nullptr, 0);
                        const rpc::Call second = node.call(other, 1, {}, body.data(), body.size());
                        while (begun != 2) std::this_thread::yield();
                        meet(engine);  // before that, one that is cancelled may never begin
                        JOB_CHECK(!first.complete() && first.cancel() && first.complete() && !first.cancel());
                        JOB_CHECK(first.wait().error == Error::cancelled);
                        JOB_CHECK(second.cancel() && second.wait().error == Error::cancelled);
                        while (told != 2) std::this_thread::yield();
                        CallOptions soon;
                        soon.deadline = std::chrono::milliseconds(20);
                        JOB_CHECK(ask(node, other, 1, "", soon).error == Error::deadline);
                        soon.deadline = std::chrono::seconds(-1);
                        JOB_CHECK(ask(node, other, 1, "", soon).error == Error::deadline);
                        soon.deadline = std::chrono::seconds(100);
                        JOB_CHECK(ask(node, other, 99, "", soon).error == Error::unknown_service);
                        return 0;
                      }),
            0);
}

// One service at a time, others beside it; each call once; functions that take replies are events of their colour.
TEST(Rpc, ManyCallsAreInFlight) {
  EXPECT_EQ(run_nodes(3,
                      [](net::Engine& engine, Node& node) {
                        constexpr int each = 300;
                        static std::atomic<int> at_once, done, wrong;
                        static int summed;  // of the handlers' colour
                        static int taken;   // of the takers' colour
                        node.serve(1, [](const Request& request) {
                          if (++at_once != 1) ++wrong;
                          int number = 0;
                          std::memcpy(&number, request.header().data(), sizeof number);
                          summed += number;
                          --at_once;
                          request.reply(request.header());
                        });
                        rpc::ServeOptions parallel;
                        parallel.parallel = true;
                        serve_echo(node, parallel);
                        meet(engine);
                        CallOptions options;
                        options.colour = node.runtime().new_colour();
                        for (int i = 0; i < each; ++i) {
                          for (int rank = 0; rank < 3; ++rank) {
                            const Bytes header(reinterpret_cast<const std::byte*>(&i), sizeof i);
                            const auto take = [i](const Reply& reply) {
                              if (!reply || std::memcmp(reply.header.data(), &i, sizeof i) != 0) ++wrong;
                              ++taken;
                              ++done;
                            };
                            node.call(rank, i % 2 == 0 ? 1 : echo, header, nullptr, 0, take, options);
                          }
                        }
                        while (done != each * 3) std::this_thread::yield();
                        meet(engine);
                        JOB_CHECK(wrong == 0 && taken == each * 3 && summed == 3 * (each / 2) * (each / 2 - 1));
                        return 0;
                      }),
            0);
}

// Who answers later answers from anywhere; a handler may call.
TEST(Rpc, AnswersComeLaterAndHandlersCall) {
  EXPECT_EQ(run_nodes(3,
                      [](net::Engine& engine, Node& node) {
                        static Node* here;
                        here = &node;
                        serve_echo(node);
                        // Asks the next rank, and answers when that has answered.
                        node.serve(1, [](const Request& request) {
                          here->call((here->rank() + 1) % here->size(), echo, request.header(), nullptr, 0,
                                     [request](const Reply& reply) { request.reply(reply.header); });
                        });
                        meet(engine);
                        for (int i = 0; i < 50; ++i) {
                          const std::string text = std::to_string(i);
                          JOB_CHECK(text_of(ask(node, (node.rank() + 1) % 3, 1, text).header) == text);
                        }
                        return 0;
                      }),
            0);
}

// A process computes without a call of the library, and is called all the same; MPI's messages go on beside it.
TEST(Rpc, MessagesBesideThemAreNotDisturbed) {
  EXPECT_EQ(run_nodes(2,
                      [](net::Engine& engine, Node& node) {
                        serve_echo(node);
                        meet(engine);
                        const int other = 1 - engine.process();
                        std::atomic<int> answered{0}, wrong{0};
                        std::thread caller([&] {
                          std::vector<std::byte> body(20'000);
                          fill(body, 5);
                          for (int i = 0; i < 100; ++i) {
                            const Reply reply = node.call(other, echo, {}, body.data(), body.size()).wait();
                            if (!reply || reply.body != body) ++wrong;
                            ++answered;
                          }
                        });
                        std::vector<std::byte> out(100'000), in(out.size());
                        for (int i = 0; i < 200; ++i) {
                          fill(out, static_cast<uint32_t>(i));
                          net::Request sending, receiving;
                          start_receive(engine, receiving, other, 5, in.data(), in.size());
                          start_send(engine, sending, other, 5, out.data(), out.size());
                          wait(engine, receiving);
                          wait(engine, sending);
                          if (!holds(in, in.size(), static_cast<uint32_t>(i))) ++wrong;
                        }
                        while (answered < 100) asm volatile("" ::: "memory");
                        caller.join();
                        JOB_CHECK(wrong == 0);
                        return 0;
                      }),
            0);
}

// A node that leaves ends the calls that wait for it, and a new one takes calls again.
TEST(Rpc, ANodeMayLeaveWhileItIsCalled) {
  EXPECT_EQ(run_job(
                2,
                [](net::Engine& engine) {
                  offer(engine);
                  Runtime runtime(two_cores());
                  auto node = std::make_unique<Node>(runtime);
                  static std::atomic<int> kept;
                  static std::deque<Request> never;  // of the handler's colour
                  node->serve(1, [](const Request& request) {
                    never.push_back(request);
                    ++kept;
                  });
                  meet(engine);
                  if (engine.process() == 1) {
                    while (kept != 3) std::this_thread::yield();
                    node.reset();  // with calls that it has not answered
                    never.clear();
                    meet(engine);
                    node = std::make_unique<Node>(runtime);
                    serve_echo(*node);  // it says that it is there again
                    meet(engine);
                    meet(engine);
                    return 0;
                  }
                  std::vector<std::byte> body(300'000);
                  std::vector<rpc::Call> calls;
                  for (int i = 0; i < 3; ++i) calls.push_back(node->call(1, 1, {}, body.data(), body.size()));
                  for (const rpc::Call& call : calls) JOB_CHECK(call.wait().error == Error::peer_gone);
                  JOB_CHECK(ask(*node, 1, 1).error == Error::peer_gone);
                  meet(engine);
                  meet(engine);
                  Reply again = ask(*node, 1, echo);
                  while (again.error == Error::peer_gone) again = ask(*node, 1, echo);  // its hello is on its way
                  JOB_CHECK(again);
                  rpc::Call last = node->call(0, 1, {}, nullptr, 0);
                  while (kept == 0) std::this_thread::yield();
                  node.reset();
                  JOB_CHECK(last.wait().error == Error::closed);
                  never.clear();
                  meet(engine);
                  return 0;
                },
                3),
            0);
}

// A service answers a call of a node that has left its process, and then one of the node that came after it.
TEST(Rpc, AnswersForAFormerNodeAreNotTaken) {
  EXPECT_EQ(run_job(
                2,
                [](net::Engine& engine) {
                  offer(engine);
                  Runtime runtime(two_cores());
                  auto node = std::make_unique<Node>(runtime);
                  static std::deque<Request> kept;  // of the services' colour
                  rpc::ServeOptions together;
                  together.colour = runtime.new_colour();
                  node->serve(
                      1, [](const Request& request) { kept.push_back(request); }, together);
                  node->serve(
                      2,
                      [](const Request& request) {
                        const std::vector<std::byte> body(50'000);
                        for (const Request& old : kept) old.reply(bytes_of("old"), body.data(), body.size());
                        request.reply(bytes_of(kept.size() == 1 ? "new" : "none was kept"), &request, 1);
                        kept.clear();
                      },
                      together);
                  node->serve(
                      3, [](const Request& request) { request.reply(bytes_of(std::to_string(kept.size()))); },
                      together);
                  meet(engine);
                  if (engine.process() == 0) {
                    const rpc::Call first = node->call(1, 1, {}, nullptr, 0);
                    // A handler whose caller leaves before it begins does not begin.
                    JOB_CHECK(text_of(ask(*node, 1, 3).header) == "1");
                    node.reset();
                    JOB_CHECK(first.wait().error == Error::closed);
                    node = std::make_unique<Node>(runtime);
                    const Reply reply = ask(*node, 1, 2);
                    JOB_CHECK(reply && text_of(reply.header) == "new" && reply.body.size() == 1);
                  }
                  meet(engine);
                  node.reset();
                  return 0;
                },
                3),
            0);
}

// A process that ends without a word is found out.
TEST(Rpc, APeerThatDiedIsAnError) {
  EXPECT_EQ(run_nodes(3,
                      [](net::Engine& engine, Node& node) {
                        node.serve(1, [](const Request&) { _exit(0); });
                        meet(engine);
                        if (engine.process() == 2) {
                          for (;;) std::this_thread::yield();
                        }
                        if (engine.process() == 0) {
                          std::vector<std::byte> body(300'000);
                          JOB_CHECK(node.call(2, 1, {}, body.data(), body.size()).wait().error == Error::peer_dead);
                          JOB_CHECK(ask(node, 2, 1).error == Error::peer_dead);
                          send(engine, 1, 1, nullptr, 0);
                        } else {
                          receive(engine, 0, 1, nullptr, 0);
                        }
                        return leave_without_meeting;
                      }),
            0);
}

}  // namespace
}  // namespace vif::test
