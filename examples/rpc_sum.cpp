// Remote calls: every rank adds up the vectors that the others send it.
//
//   mpirun -n 3 rpc_sum
//
// The service looks at the size of a vector first, makes room for it, and gets it without a copy in between. While the
// calls are on their way, the program goes on with MPI as usual.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include <vif/rpc.hpp>

namespace rpc = vif::rpc;

constexpr rpc::Service sum = rpc::service("sum");

// An event of the service's colour: one vector at a time.
static void add_up(const rpc::Request& request) {
  auto numbers = std::make_shared<std::vector<double>>(request.body_bytes() / sizeof(double));
  request.receive(numbers->data(), request.body_bytes(), [numbers](const rpc::Request& whole) {
    const double result = std::accumulate(numbers->begin(), numbers->end(), 0.0);
    whole.reply(std::as_bytes(std::span(&result, 1)));
  });
}

static int run() {
  vif::Runtime runtime;
  rpc::Node node(runtime);
  node.serve(sum, add_up);
  MPI_Barrier(MPI_COMM_WORLD);  // everybody serves

  const std::vector<double> numbers(100'000, 0.5);
  std::vector<rpc::Call> calls;
  for (int rank = 0; rank < node.size(); ++rank) {
    rpc::CallOptions options;
    options.deadline = std::chrono::seconds(30);
    calls.push_back(node.call(rank, sum, {}, numbers.data(), numbers.size() * sizeof(double), options));
  }
  int ranks = 0;
  const int one = 1;
  MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);  // beside the calls

  int wrong = 0;
  for (const rpc::Call& call : calls) {
    const rpc::Reply reply = call.wait();
    double result = 0;
    if (reply) std::memcpy(&result, reply.header.data(), sizeof result);
    if (result != 50'000) {
      std::fprintf(stderr, "%s\n", reply.text.c_str());
      ++wrong;
    }
  }
  if (node.rank() == 0) std::printf("%d ranks added up 100000 numbers for each other.\n", ranks);
  MPI_Barrier(MPI_COMM_WORLD);  // nobody calls any more
  return wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int result = run();
  MPI_Finalize();
  return result;
}
