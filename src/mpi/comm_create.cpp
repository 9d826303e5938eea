// The making and unmaking of communicators: see comm_create.hpp. Context: app.
#include "mpi/comm_create.hpp"

#include <algorithm>
#include <numeric>

#include "mpi/attribute.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/errors.hpp"
#include "mpi/info.hpp"
#include "mpi/point_to_point_buffered.hpp"

namespace vif::mpi {

namespace {

// Shared memory that was given up by its leader and may still be in use elsewhere.
struct RetiredArea {
  uint64_t offset;
  int size;
};

std::mutex retired_lock;
std::vector<RetiredArea> retired;

uint64_t allocation_bytes(int size) noexcept { return coll::area_bytes(size) + sizeof(uint64_t) * 8; }

std::atomic<uint32_t>& departures(uint64_t area, int size) noexcept {
  return *reinterpret_cast<std::atomic<uint32_t>*>(engine().shared_base() + area + coll::area_bytes(size));
}

// Frees what everybody has left.
void sweep_retired() {
  std::lock_guard guard(retired_lock);
  std::erase_if(retired, [](const RetiredArea& area) {
    // acquire: partner of the fetch_add in leave_area(); what the others did there happened before it is used again.
    if (departures(area.offset, area.size).load(std::memory_order_acquire) != static_cast<uint32_t>(area.size))
      return false;
    engine().shared_free(area.offset, allocation_bytes(area.size));
    return true;
  });
}

uint64_t allocate_area(int size) {
  if (size == 1) return 0;
  sweep_retired();
  std::string cause;  // without it the collectives send messages: slower, and no error
  return engine().shared_allocate(allocation_bytes(size), cause);
}

void leave_area(Comm& comm) {
  if (comm.area == 0) return;
  if (comm.rank == 0) {
    std::lock_guard guard(retired_lock);
    retired.push_back({comm.area, comm.size});
  }
  departures(comm.area, comm.size).fetch_add(1, std::memory_order_acq_rel);
}

}  // namespace

ContextIds& context_ids() noexcept {
  static ContextIds ids(engine().process());
  return ids;
}

Birth new_birth(int size) {
  Birth birth;
  birth.context = context_ids().take();
  if (birth.context != ContextIds::none) birth.area = allocate_area(size);
  return birth;
}

void undo_birth(const Birth& birth, int size) {
  if (birth.area != 0) engine().shared_free(birth.area, allocation_bytes(size));
  context_ids().give_back(birth.context);
}

Comm* new_comm(std::vector<int> members) {
  Comm* comm = new Comm;
  comm->members = std::move(members);
  comm->processes = comm->members.data();
  comm->size = static_cast<int>(comm->members.size());
  const auto me = std::find(comm->members.begin(), comm->members.end(), engine().process());
  comm->rank = static_cast<int>(me - comm->members.begin());
  comm->handle = reinterpret_cast<MPI_Comm>(comm);
  comm->context = ContextIds::none;
  return comm;
}

void enliven(Comm& comm, const Birth& birth) {
  comm.context = birth.context;
  comm.area = birth.area;
  comm.collectives.engine = &engine();
  comm.collectives.context = birth.context + collective_use;
  comm.collectives.rank = comm.rank;
  comm.collectives.size = comm.size;
  comm.collectives.processes = comm.processes;
  comm.collectives.several_threads = process()->multiple;
  comm.collectives.attach_area(birth.area);
}

uint64_t agree_on_area(Comm& comm) {
  if (comm.size == 1) return 0;
  uint64_t area = comm.rank == 0 ? allocate_area(comm.size) : 0;
  coll::Group makers;
  makers.engine = &engine();
  makers.context = comm.context + creation_use;
  makers.rank = comm.rank;
  makers.size = comm.size;
  makers.processes = comm.processes;
  makers.several_threads = process()->multiple;
  coll::bcast(makers, &area, sizeof area, 0);
  return area;
}

void inherit(Comm& comm, const Comm& parent) {
  comm.errhandler = parent.errhandler;
  if (comm.errhandler != nullptr) retain(*comm.errhandler);
}

void destroy(Comm& comm) {
  forget_integer(&comm);
  comm.magic = 0;
  leave_area(comm);
  context_ids().give_back(comm.context);
  if (comm.errhandler != nullptr) release(*comm.errhandler);
  if (comm.info != nullptr) destroy(comm.info);
  delete &comm;
}

void make_first_comms(Process& process) {
  std::vector<int> everybody(static_cast<size_t>(process.engine->processes()));
  std::iota(everybody.begin(), everybody.end(), 0);
  process.world = new_comm(std::move(everybody));
  process.world->handle = MPI_COMM_WORLD;
  process.world->name = "MPI_COMM_WORLD";
  process.world->context = ContextIds::make(0, 0);
  enliven(*process.world, {process.world->context, 0, agree_on_area(*process.world)});
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
  std::lock_guard guard(retired_lock);
  retired.clear();  // the job's shared memory goes as a whole
}

std::string describe(const Comm& comm) {
  return comm.name.empty() ? std::string("a communicator without a name") : comm.name;
}

int raise_no_contexts(Comm& parent) {
  return raise(
      &parent, MPI_ERR_OTHER,
      "a process that must lead the new communicator leads as many already as it has numbers for (65534); free "
      "some with MPI_Comm_free");
}

int raise_no_comm() {
  return raise(nullptr, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL, has been freed, or never was one");
}

}  // namespace vif::mpi
