// MPI_Comm_spawn and spawn_multiple, and the other end of them in the children. Context: app.
#include "mpi/dynamic.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "api.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/request.hpp"

namespace vif::mpi {
namespace {

constexpr const char* parent_key = "vif-parent";
constexpr int spawn_tags = 1 << 30;

int new_tag() noexcept {
  static std::atomic<int> next{0};
  return spawn_tags + next.fetch_add(1, std::memory_order_relaxed) % spawn_tags;
}

// One element of the arguments of MPI_Comm_spawn_multiple.
struct Wanted {
  const char* command;
  char** arguments;
  int processes;
  MPI_Info info;
};

Ending read_wanted(const Wanted& wanted, std::vector<launch::Bootstrap::Program>& programs) {
  if (wanted.command == nullptr || *wanted.command == '\0') return {MPI_ERR_ARG, "the command is empty"};
  if (wanted.processes < 0) return {MPI_ERR_ARG, "the number of processes is negative"};
  Info* info = info_of(wanted.info);
  if (info == nullptr && wanted.info != MPI_INFO_NULL) return {MPI_ERR_INFO, "the argument is not an info object"};
  if (wanted.processes == 0) return {};
  launch::Bootstrap::Program& program = programs.emplace_back();
  program.command.emplace_back(wanted.command);
  for (char** word = wanted.arguments; word != MPI_ARGV_NULL && *word != nullptr; ++word) {
    program.command.emplace_back(*word);
  }
  program.processes = wanted.processes;
  if (info != nullptr) program.directory = value_of(*info, "wdir");
  return {};
}

// The root's part: has the processes started, and waits until the first of them says that it is there.
Peer start(const std::vector<Wanted>& all) {
  Peer peer;
  std::vector<launch::Bootstrap::Program> programs;
  for (const Wanted& wanted : all) {
    const Ending ending = read_wanted(wanted, programs);
    if (ending.error == MPI_SUCCESS) continue;
    peer.error = ending.error;
    peer.why = ending.sentence;
    return peer;
  }
  const int me = engine().process();
  peer.context = ContextIds::announcements(me);
  peer.tag = new_tag();
  const std::string address = std::to_string(me) + ":" + std::to_string(peer.tag);
  launch::Bootstrap& launcher = *process()->bootstrap;
  const std::lock_guard guard(process()->bootstrap_lock);
  if (programs.empty() || !launcher.spawn(programs, {{parent_key, address}}, peer.process)) {
    peer.error = MPI_ERR_SPAWN;
    peer.why = programs.empty() ? "no processes are asked for" : launcher.error();
    return peer;
  }
  char hello;
  net::Request request;
  request.context = peer.context;
  request.process = request.source = peer.process;
  request.tag = peer.tag;
  request.buffer = &hello;
  request.length = sizeof hello;
  engine().receive(request);
  engine().wait(request);
  return peer;
}

int spawn(MPI_Comm handle, int root, const std::vector<Wanted>& all, MPI_Comm* out, int* codes) {
  int error = MPI_SUCCESS;
  Comm* comm = intra_comm_of(handle, error);
  if (comm == nullptr) return error;
  if (root < 0 || root >= comm->size) return raise(comm, MPI_ERR_ROOT, "the root is not a rank of the communicator");
  if (out == nullptr) return raise_null_argument(comm, "intercomm");
  net::ApiScope scope(engine());
  const bool leads = comm->rank == root;
  const Peer peer = leads ? start(all) : Peer();
  const int code = make_bridge(*comm, root, peer, out);
  engine().count_processors();
  if (codes == nullptr) return code;
  int count = code == MPI_SUCCESS ? comm_of(*out)->peers : 0;
  for (const Wanted& wanted : all) count += code != MPI_SUCCESS && leads ? std::max(wanted.processes, 0) : 0;
  std::fill_n(codes, count, code);
  return code;
}

}  // namespace

void meet_parents() {
  launch::Bootstrap& launcher = *process()->bootstrap;
  if (launcher.first() == 0) return;
  std::string address;
  Peer peer;
  const bool known = launcher.get(parent_key, address);
  if (!known || std::sscanf(address.c_str(), "%d:%d", &peer.process, &peer.tag) != 2) {
    Process::abort(1, "The launcher does not say who spawned this process. " + launcher.error());
  }
  peer.context = ContextIds::announcements(peer.process);
  if (process()->world->rank == 0) {
    char hello = 0;
    net::Request request;
    request.context = peer.context;
    request.process = peer.process;
    request.source = engine().process();
    request.tag = peer.tag;
    request.buffer = &hello;
    request.length = sizeof hello;
    engine().send(request);
    engine().wait(request);
  }
  MPI_Comm parent;
  if (make_bridge(*process()->world, 0, peer, &parent) != MPI_SUCCESS) return;
  process()->parent = comm_of(parent);
  process()->parent->name = "MPI_COMM_PARENT";
}

namespace api {

int Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
               MPI_Comm* intercomm, int array_of_errcodes[]) {
  return spawn(comm, root, {{command, argv, maxprocs, info}}, intercomm, array_of_errcodes);
}

int Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[],
                        const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm* intercomm,
                        int array_of_errcodes[]) {
  std::vector<Wanted> all;
  const Comm* object = comm_of(comm);
  // The arguments of the others than the root say nothing.
  if (object != nullptr && object->rank == root) {
    if (count < 1 || array_of_commands == nullptr || array_of_maxprocs == nullptr || array_of_info == nullptr) {
      count = 0;
      all.push_back({nullptr, nullptr, 0, MPI_INFO_NULL});
    }
    for (int i = 0; i < count; ++i) {
      char** arguments = array_of_argv == MPI_ARGVS_NULL ? MPI_ARGV_NULL : array_of_argv[i];
      all.push_back({array_of_commands[i], arguments, array_of_maxprocs[i], array_of_info[i]});
    }
  }
  return spawn(comm, root, all, intercomm, array_of_errcodes);
}

}  // namespace api
}  // namespace vif::mpi
