// MPI_Win_create and the other ways to make a window. All of them agree on a communicator, tell each other what they
// offer, and choose together the way to each other's memory. Context: app.
#include <algorithm>
#include <string>

#include "api.hpp"
#include "mpi/attribute.hpp"
#include "mpi/collective.hpp"
#include "mpi/comm_create.hpp"
#include "mpi/errhandler.hpp"
#include "mpi/errors.hpp"
#include "mpi/hosts.hpp"
#include "mpi/info.hpp"
#include "mpi/win.hpp"
#include "mpi/win_combine.hpp"
#include "mpi/win_hints.hpp"

namespace vif::mpi {
namespace {

constexpr uint64_t page = 4096;

// What a process tells the others of the window.
struct Offer {
  uint64_t base;
  uint64_t bytes;
  int64_t unit;
  uint64_t block;  // 0: it has no memory for the window
  uint64_t may_cross;
};

struct Wish {
  int flavor;
  void* base;
  MPI_Aint size;
  MPI_Aint unit;
  MPI_Info info;
  MPI_Comm comm;
};

// Arguments are wrong in one process only: the others wait for it in vain, as the standard allows.
int check(const Wish& wish, const void* result, Comm*& comm) {
  int error = MPI_SUCCESS;
  comm = intra_comm_of(wish.comm, error);
  if (comm == nullptr) return error;
  if (result == nullptr) return raise_null_argument(comm, "win or baseptr");
  if (wish.size < 0) return raise(comm, MPI_ERR_SIZE, "the size is negative; give zero or more.");
  if (!on_one_host(*comm)) {
    return raise(
        comm, wish.flavor == MPI_WIN_FLAVOR_SHARED ? MPI_ERR_RMA_SHARED : MPI_ERR_UNSUPPORTED_OPERATION,
        "the processes are not all on one host, and one-sided communication works within a host only; split the "
        "communicator with MPI_Comm_split_type(MPI_COMM_TYPE_SHARED) first.");
  }
  if (wish.unit < 1) return raise(comm, MPI_ERR_DISP, "the displacement unit is not positive; give 1 or more.");
  if (info_of(wish.info) == nullptr && wish.info != MPI_INFO_NULL) {
    return raise(comm, MPI_ERR_INFO, "the info object has been freed, or never was one");
  }
  return MPI_SUCCESS;
}

// A communicator of the window's own, with the members of the given one.
Comm* own_comm(Comm& parent) {
  Comm* comm = new_alike(parent);
  Birth birth;
  if (parent.rank == 0) birth = new_birth(*comm);
  const net::Outcome told = coll::bcast(parent.collectives, &birth, sizeof birth, 0);
  if (told != net::Outcome::success || birth.context == ContextIds::none) {
    release(*comm);
    return nullptr;
  }
  enliven(*comm, birth);
  return comm;
}

bool all_agree(Comm& comm, bool mine) {
  uint8_t flag = mine ? 1 : 0;
  std::vector<uint8_t> flags(static_cast<std::size_t>(comm.size));
  if (coll::allgather(comm.collectives, &flag, 1, flags.data()) != net::Outcome::success) return false;
  return std::all_of(flags.begin(), flags.end(), [](uint8_t each) { return each == 1; });
}

bool has_own_memory(int flavor) { return flavor == MPI_WIN_FLAVOR_ALLOCATE || flavor == MPI_WIN_FLAVOR_SHARED; }

// Places of the parts in the memory of a window; parts on pages of their own unless they are to follow each other.
std::vector<uint64_t> places_of(const std::vector<Offer>& offers, bool side_by_side, uint64_t& total) {
  std::vector<uint64_t> places;
  total = 0;
  for (const Offer& offer : offers) {
    places.push_back(total);
    total += side_by_side ? offer.bytes : (offer.bytes + page - 1) / page * page;
  }
  return places;
}

// Makes and maps the memory of a window. False when some process could not.
bool make_memory(Win& win, const std::vector<Offer>& offers, bool side_by_side, std::vector<uint64_t>& places) {
  net::RemoteMemory& memory = *engine().remote_memory();
  uint64_t total;
  places = places_of(offers, side_by_side, total);
  if (total == 0) return true;
  uint64_t pages = win.comm->rank == 0 ? memory.new_pages(total) : 0;
  if (coll::bcast(win.comm->collectives, &pages, sizeof pages, 0) != net::Outcome::success) return false;
  win.pages = pages;
  win.mapped_bytes = total;
  const auto mine = static_cast<std::size_t>(win.comm->rank);
  std::string error;
  // Each process fills its own part: the memory is near to where it runs.
  bool made = memory.fill_pages(pages + places[mine], offers[mine].bytes, error);
  if (made) win.mapped = memory.map_pages(pages, total, error);
  made = made && win.mapped != nullptr;
  return all_agree(*win.comm, made);
}

void give_back_memory(Win& win) {
  net::RemoteMemory& memory = *engine().remote_memory();
  if (win.mapped != nullptr) memory.unmap_pages(win.mapped, win.mapped_bytes);
  if (win.pages != 0 && win.comm->rank == 0) memory.free_pages(win.pages, win.mapped_bytes);
  if (win.block != 0) engine().shared_free(win.block, rma::TargetBlock::bytes(win.comm->size));
}

void destroy(Win* win) {
  win->core.reset();
  give_back_memory(*win);
  forget_integer(win->handle);
  win->magic = 0;
  if (win->errhandler != nullptr) release(*win->errhandler);
  if (win->info != nullptr) destroy(win->info);
  release(*win->comm);
  delete win;
}

// The block may have been used before, and be freed again while another process still looks at it: only after a
// barrier.
uint64_t new_block(int processes) {
  std::string error;
  return engine().shared_allocate(rma::TargetBlock::bytes(processes), error);
}

bool may_cross_to_all(const Comm& comm) {
  net::RemoteMemory& memory = *engine().remote_memory();
  return std::all_of(comm.members.begin(), comm.members.end(),
                     [&memory](int process) { return memory.may_access(process); });
}

rma::Window::Setting setting_of(const Win& win, const std::vector<Offer>& offers, const std::vector<uint64_t>& places) {
  rma::Window::Setting setting;
  setting.engine = &engine();
  setting.rank = win.comm->rank;
  setting.dynamic = win.flavor == MPI_WIN_FLAVOR_DYNAMIC;
  setting.function_of = combine_function;
  const bool all_cross = std::all_of(offers.begin(), offers.end(), [](const Offer& o) { return o.may_cross != 0; });
  setting.way = has_own_memory(win.flavor) || win.comm->size == 1 ? rma::Way::mapped
                : all_cross                                       ? rma::Way::cross
                                                                  : rma::Way::message;
  for (std::size_t i = 0; i < offers.size(); ++i) {
    rma::Peer peer;
    peer.process = win.comm->members[i];
    peer.bytes = offers[i].bytes;
    peer.block = offers[i].block;
    peer.base = offers[i].base;
    if (has_own_memory(win.flavor)) {
      // One numbering for all: every process sees the same addresses of the parts.
      peer.base = win.pages + places[i];
      peer.mapped = win.mapped == nullptr ? nullptr : win.mapped + places[i];
    }
    setting.peers.push_back(peer);
  }
  return setting;
}

int raise_no_window_memory(Comm& comm) {
  return raise(
      &comm, MPI_ERR_NO_MEM,
      "there is no shared memory for the window in one of the processes; ask for less, or free other windows.");
}

int make(const Wish& wish, Comm& comm, Win*& made) {
  net::ApiScope scope(engine());
  Comm* own = own_comm(comm);
  if (own == nullptr) return raise_no_contexts(&comm);
  made = new Win;
  Win& win = *made;
  win.comm = own;
  win.flavor = wish.flavor;
  win.base = wish.base;
  win.size = wish.size;
  win.unit = static_cast<int>(wish.unit);
  win.info = hints_of(wish.flavor, info_of(wish.info));
  win.access.resize(static_cast<std::size_t>(own->size), Access::none);
  win.block = new_block(own->size);

  const bool crossing = !has_own_memory(wish.flavor) && own->size > 1;
  const Offer mine{reinterpret_cast<uint64_t>(wish.base), static_cast<uint64_t>(wish.size), wish.unit, win.block,
                   crossing && may_cross_to_all(*own) ? 1u : 0u};
  std::vector<Offer> offers(static_cast<std::size_t>(own->size));
  bool good = coll::allgather(own->collectives, &mine, sizeof mine, offers.data()) == net::Outcome::success;
  good = good && std::all_of(offers.begin(), offers.end(), [](const Offer& offer) { return offer.block != 0; });
  std::vector<uint64_t> places;
  const bool side_by_side =
      wish.flavor == MPI_WIN_FLAVOR_SHARED && value_of(*win.info, "alloc_shared_noncontig") != "true";
  if (good && has_own_memory(wish.flavor)) good = make_memory(win, offers, side_by_side, places);
  if (!good) {
    destroy(made);
    return raise_no_window_memory(comm);
  }
  if (win.mapped != nullptr) win.base = win.mapped + places[static_cast<std::size_t>(own->rank)];
  for (const Offer& offer : offers) win.units.push_back(offer.unit);
  win.core = std::make_unique<rma::Window>(setting_of(win, offers, places));
  win.core->open();
  win.handle = reinterpret_cast<MPI_Win>(made);
  // Nobody may come before everybody is there.
  coll::barrier(own->collectives);
  return MPI_SUCCESS;
}

int make_and_give(const Wish& wish, void* base_place, MPI_Win* handle) {
  Comm* comm;
  if (const int wrong = check(wish, has_own_memory(wish.flavor) && base_place == nullptr ? nullptr : handle, comm))
    return wrong;
  Win* win = nullptr;
  const int error = make(wish, *comm, win);
  if (error != MPI_SUCCESS || win == nullptr) return error;
  if (base_place != nullptr) *static_cast<void**>(base_place) = win->base;
  *handle = win->handle;
  return MPI_SUCCESS;
}

}  // namespace

namespace api {

int Win_create(void* base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return make_and_give({MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, info, comm}, nullptr, win);
}
int Win_create_c(void* base, MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return make_and_give({MPI_WIN_FLAVOR_CREATE, base, size, disp_unit, info, comm}, nullptr, win);
}

int Win_allocate(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return make_and_give({MPI_WIN_FLAVOR_ALLOCATE, nullptr, size, disp_unit, info, comm}, baseptr, win);
}
int Win_allocate_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return make_and_give({MPI_WIN_FLAVOR_ALLOCATE, nullptr, size, disp_unit, info, comm}, baseptr, win);
}

int Win_allocate_shared(MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  return make_and_give({MPI_WIN_FLAVOR_SHARED, nullptr, size, disp_unit, info, comm}, baseptr, win);
}
int Win_allocate_shared_c(MPI_Aint size, MPI_Aint disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr,
                          MPI_Win* win) {
  return make_and_give({MPI_WIN_FLAVOR_SHARED, nullptr, size, disp_unit, info, comm}, baseptr, win);
}

int Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  return make_and_give({MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info, comm}, nullptr, win);
}

int Win_free(MPI_Win* handle) {
  Win* win = handle == nullptr ? nullptr : win_of(*handle);
  if (win == nullptr) return raise_no_win();
  if (win->all_locked || win->locks.load(std::memory_order_relaxed) != 0 || win->exposure.open || win->admission.open) {
    return raise_on(
        *win, MPI_ERR_RMA_SYNC,
        "an epoch of the window is still open; end it (unlock, complete, wait) before the window is freed.");
  }
  if (int code = delete_attributes(*win)) return raise_code_on(*win, code);
  net::ApiScope scope(engine());
  win->core->flush_all();
  // Nobody comes any more once everybody is here.
  const net::Outcome outcome = coll::barrier(win->comm->collectives);
  win->core->close();
  Comm* comm = win->comm;
  retain(*comm);
  destroy(win);
  *handle = MPI_WIN_NULL;
  const int error = outcome == net::Outcome::success ? MPI_SUCCESS : raise_outcome(*comm, outcome);
  release(*comm);
  return error;
}

}  // namespace api
}  // namespace vif::mpi
