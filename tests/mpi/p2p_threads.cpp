// MPI_THREAD_MULTIPLE: several threads of each process send, receive, probe, wait, duplicate and reduce at once.
#include <thread>
#include <vector>

#include "p2p_check.h"

namespace {

constexpr int threads = 4;
constexpr int rounds = 200;

int processes;

template <class Function>
void in_threads(Function function) {
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) running.emplace_back(function, thread);
  for (std::thread& one : running) one.join();
}

int bytes_of(int thread, int round) { return round % 20 == 19 ? 200000 + thread : (thread * 977 + round * 131) % 9000; }

// Each thread exchanges with its namesake in the next process.
void exchange(int thread) {
  const int right = (check_rank + 1) % processes;
  const int left = (check_rank + processes - 1) % processes;
  std::vector<unsigned char> out(300000), in(300000);
  for (int round = 0; round < rounds; ++round) {
    const int bytes = bytes_of(thread, round);
    fill_bytes(out.data(), static_cast<size_t>(bytes), static_cast<unsigned>(thread * 1000 + round));
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Irecv(in.data(), 300000, MPI_BYTE, left, thread, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out.data(), bytes, MPI_BYTE, right, thread, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    CHECK_EQUAL(bytes, received_count(&statuses[0], MPI_BYTE));
    CHECK(are_bytes(in.data(), static_cast<size_t>(bytes), static_cast<unsigned>(thread * 1000 + round)));
  }
}

// All threads take from one stream of messages with matched probes: each message once.
void share_one_stream() {
  const int total = threads * rounds;
  std::vector<int> taken(static_cast<size_t>(total), 0);
  std::thread sender([&] {
    for (int i = 0; i < total; ++i) MPI_Send(&i, 1, MPI_INT, check_rank, 50, MPI_COMM_WORLD);
  });
  in_threads([&](int) {
    for (int i = 0; i < rounds; ++i) {
      MPI_Message message;
      int value = -1;
      MPI_Mprobe(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      ++taken[static_cast<size_t>(value)];
    }
  });
  sender.join();
  for (int count : taken) CHECK_EQUAL(1, count);
}

// One thread waits for a message that another thread of the same process sends later.
void wait_for_each_other() {
  std::thread waiting([] {
    int value = 0;
    MPI_Recv(&value, 1, MPI_INT, check_rank, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(5, value);
    MPI_Probe(check_rank, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, check_rank, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQUAL(6, value);
  });
  int value = 5;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, check_rank, 60, MPI_COMM_WORLD);
  value = 6;
  MPI_Send(&value, 1, MPI_INT, check_rank, 61, MPI_COMM_WORLD);
  waiting.join();
}

// Requests made by one thread, completed by another.
void hand_over() {
  std::vector<int> values(rounds, -1);
  std::vector<MPI_Request> requests(rounds);
  for (int i = 0; i < rounds; ++i) {
    MPI_Irecv(&values[static_cast<size_t>(i)], 1, MPI_INT, check_rank, 70, MPI_COMM_WORLD,
              &requests[static_cast<size_t>(i)]);
  }
  std::thread completing([&] { MPI_Waitall(rounds, requests.data(), MPI_STATUSES_IGNORE); });
  for (int i = 0; i < rounds; ++i) MPI_Send(&i, 1, MPI_INT, check_rank, 70, MPI_COMM_WORLD);
  completing.join();
  for (int i = 0; i < rounds; ++i) CHECK_EQUAL(i, values[static_cast<size_t>(i)]);
}

// Communicators made by several threads at once, each from its own parent; collectives on them at once.
void communicators() {
  MPI_Comm parents[threads];
  for (MPI_Comm& parent : parents) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  in_threads([&](int thread) {
    for (int round = 0; round < 20; ++round) {
      MPI_Comm comm, half;
      MPI_Comm_dup(parents[thread], &comm);
      int sum = 0;
      const int one = 1;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
      CHECK_EQUAL(processes, sum);
      MPI_Comm_split(comm, check_rank % 2, 0, &half);
      MPI_Barrier(half);
      MPI_Comm_free(&half);
      MPI_Comm_free(&comm);
    }
  });
  for (MPI_Comm& parent : parents) MPI_Comm_free(&parent);
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check_start(&processes);
  CHECK_EQUAL(MPI_THREAD_MULTIPLE, provided);
  in_threads(exchange);
  MPI_Barrier(MPI_COMM_WORLD);
  share_one_stream();
  wait_for_each_other();
  hand_over();
  communicators();
  MPI_Finalize();
  return 0;
}
