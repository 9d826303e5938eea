// The making and unmaking of communicators: see comm_create.hpp. Context: app.
#include "mpi/comm_create.hpp"

#include <algorithm>
#include <numeric>

#include "mpi/attribute.hpp"
#include "mpi/comm_hints.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/errors.hpp"
#include "mpi/hosts.hpp"
#include "mpi/info.hpp"
#include "mpi/point_to_point_buffered.hpp"
#include "mpi/topology.hpp"

namespace vif::mpi {

namespace {

// A communicator that this process led and has left, while others may still be in it.
struct Left {
  uint32_t context;
  uint32_t people;
  uint64_t area;  // bytes before the counter
  uint64_t shared;
};

std::mutex left_lock;
std::vector<Left> left;

constexpr uint64_t counter_bytes = 64;

uint64_t area_of(const Comm& comm) noexcept { return comm.is_inter() ? 0 : coll::area_bytes(comm.size); }
uint32_t people_of(const Comm& comm) noexcept { return static_cast<uint32_t>(comm.size) + comm.remote.size(); }

std::atomic<uint32_t>& departures(uint64_t shared, uint64_t area) noexcept {
  return *reinterpret_cast<std::atomic<uint32_t>*>(engine().shared_base() + shared + area);
}

// Takes back what everybody has left.
void sweep_left() {
  std::lock_guard guard(left_lock);
  std::erase_if(left, [](const Left& it) {
    // acquire: partner of the fetch_add in leave(); what the others did there happened before it is used again.
    if (departures(it.shared, it.area).load(std::memory_order_acquire) != it.people) return false;
    engine().shared_free(it.shared, it.area + counter_bytes);
    context_ids().give_back(it.context);
    return true;
  });
}

uint64_t allocate_shared(const Comm& comm) {
  if (people_of(comm) == 1 || !on_one_host(comm)) return 0;
  sweep_left();
  std::string cause;  // without it the collectives send messages: slower, and no error
  return engine().shared_allocate(area_of(comm) + counter_bytes, cause);
}

void leave(Comm& comm) {
  if (comm.context == ContextIds::none) return;
  if (comm.shared == 0) return context_ids().give_back(comm.context);
  if (ContextIds::maker(comm.context) == engine().process()) {
    std::lock_guard guard(left_lock);
    left.push_back({comm.context, people_of(comm), area_of(comm), comm.shared});
  }
  departures(comm.shared, area_of(comm)).fetch_add(1, std::memory_order_acq_rel);
}

// None when one of them has no bit.
uint64_t bits_of(const std::vector<int>& processes) noexcept {
  uint64_t bits = 0;
  for (int process : processes) {
    if (process >= 64) return 0;
    bits |= uint64_t{1} << process;
  }
  return bits;
}

void fill_group(coll::Group& group, const Comm& comm, uint32_t use) {
  group.engine = &engine();
  group.context = comm.context + use;
  group.rank = comm.rank;
  group.size = comm.size;
  group.processes = comm.processes;
  group.several_threads = process()->multiple;
  if (!comm.is_inter()) return;
  group.first_group = comm.first ? comm.size : comm.peers;
  group.rank = comm.first ? comm.rank : comm.peers + comm.rank;
  group.size = comm.size + comm.peers;
  group.processes = comm.both.data();
}

}  // namespace

ContextIds& context_ids() noexcept {
  static ContextIds ids(engine().process());
  return ids;
}

uint32_t take_context() noexcept {
  const uint32_t context = context_ids().take();
  if (context != ContextIds::none) return context;
  sweep_left();
  return context_ids().take();
}

Birth new_birth(const Comm& shell) {
  Birth birth;
  birth.context = take_context();
  if (birth.context != ContextIds::none) birth.shared = allocate_shared(shell);
  birth.crowded = engine().oversubscribed();
  return birth;
}

void undo_birth(const Birth& birth, const Comm& shell) {
  if (birth.shared != 0) engine().shared_free(birth.shared, area_of(shell) + counter_bytes);
  context_ids().give_back(birth.context);
}

Comm* new_comm(std::vector<int> members) {
  Comm* comm = new Comm;
  comm->members = std::move(members);
  comm->processes = comm->members.data();
  comm->size = static_cast<int>(comm->members.size());
  comm->peers = comm->size;
  const auto me = std::find(comm->members.begin(), comm->members.end(), engine().process());
  comm->rank = static_cast<int>(me - comm->members.begin());
  comm->handle = reinterpret_cast<MPI_Comm>(comm);
  comm->context = ContextIds::none;
  return comm;
}

Comm* new_inter_comm(std::vector<int> members, std::vector<int> remote, bool first) {
  Comm* comm = new_comm(std::move(members));
  comm->remote = std::move(remote);
  comm->processes = comm->remote.data();
  comm->peers = static_cast<int>(comm->remote.size());
  comm->first = first;
  comm->both = first ? comm->members : comm->remote;
  const std::vector<int>& second = first ? comm->remote : comm->members;
  comm->both.insert(comm->both.end(), second.begin(), second.end());
  return comm;
}

Comm* new_alike(const Comm& comm) {
  return comm.is_inter() ? new_inter_comm(comm.members, comm.remote, comm.first) : new_comm(comm.members);
}

void enliven(Comm& comm, const Birth& birth) {
  comm.context = birth.context;
  comm.member_bits = bits_of(comm.is_inter() ? comm.both : comm.members);
  comm.shared = birth.shared;
  fill_group(comm.collectives, comm, collective_use);
  comm.collectives.oversubscribed = birth.crowded != 0;
  apply_hints(comm);
  if (!comm.is_inter()) comm.collectives.attach_area(birth.shared);
}

Birth agree_on_birth(Comm& comm) {
  Birth birth;
  birth.context = comm.context;
  if (people_of(comm) == 1) return birth;
  const int leader = ContextIds::maker(comm.context);
  birth.crowded = engine().oversubscribed();
  birth.shared = leader == engine().process() ? allocate_shared(comm) : 0;
  coll::Group makers;
  fill_group(makers, comm, creation_use);
  const int* const end = makers.processes + makers.size;
  const int root = static_cast<int>(std::find(makers.processes, end, leader) - makers.processes);
  coll::bcast(makers, &birth, sizeof birth, root);
  return birth;
}

void inherit(Comm& comm, const Comm& parent) {
  comm.errhandler = parent.errhandler;
  if (comm.errhandler != nullptr) retain(*comm.errhandler);
}

void destroy(Comm& comm) {
  forget_integer(&comm);
  comm.magic = 0;
  leave(comm);
  if (comm.errhandler != nullptr) release(*comm.errhandler);
  if (comm.info != nullptr) destroy(comm.info);
  delete &comm;
}

void make_first_comms(Process& process) {
  const int first = process.engine->first();
  std::vector<int> everybody(static_cast<size_t>(process.engine->together()));
  std::iota(everybody.begin(), everybody.end(), first);
  process.world = new_comm(std::move(everybody));
  process.world->handle = MPI_COMM_WORLD;
  process.world->name = "MPI_COMM_WORLD";
  process.world->context = ContextIds::make(first, 0);
  enliven(*process.world, agree_on_birth(*process.world));
  process.self = new_comm({process.engine->process()});
  process.self->handle = MPI_COMM_SELF;
  process.self->name = "MPI_COMM_SELF";
  enliven(*process.self, {ContextIds::make(process.engine->process(), 1), 0, 0});
}

void unmake_first_comms(Process& process) {
  release(*process.self);
  release(*process.world);
  process.self = nullptr;
  process.world = nullptr;
  std::lock_guard guard(left_lock);
  left.clear();  // the job's shared memory goes as a whole
}

std::string describe(const Comm& comm) {
  return comm.name.empty() ? std::string("a communicator without a name") : comm.name;
}

int raise_no_contexts(Comm* parent) {
  return raise(
      parent, MPI_ERR_OTHER,
      "a process that must lead the new communicator leads as many already as it has numbers for (32766); free "
      "some with MPI_Comm_free");
}

int raise_no_comm() {
  return raise(nullptr, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL, has been freed, or never was one");
}

Comm* intra_comm_of(MPI_Comm handle, int& error) {
  Comm* comm = comm_of(handle);
  if (comm != nullptr && !comm->is_inter()) return comm;
  error = comm == nullptr
              ? raise_no_comm()
              : raise(comm, MPI_ERR_COMM, describe(*comm) + " is an inter-communicator; this needs one of one group");
  return nullptr;
}

Comm* inter_comm_of(MPI_Comm handle, int& error) {
  Comm* comm = comm_of(handle);
  if (comm != nullptr && comm->is_inter()) return comm;
  error = comm == nullptr
              ? raise_no_comm()
              : raise(comm, MPI_ERR_COMM, describe(*comm) + " is not an inter-communicator: it has no remote group");
  return nullptr;
}

}  // namespace vif::mpi
