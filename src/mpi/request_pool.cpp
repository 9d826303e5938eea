// The pool of requests: one list per thread, and one list per process that the threads exchange batches with.
// Context: app.
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

#include "mpi/diary.hpp"
#include "mpi/request.hpp"

namespace vif::mpi {

namespace {

constexpr int batch = 64;

struct List {
  RequestObject* head;
  int length;

  void push(RequestObject* request) noexcept {
    request->next = head;
    head = request;
    ++length;
  }
  RequestObject* pop() noexcept {
    RequestObject* request = head;
    head = request->next;
    --length;
    return request;
  }
};

struct Block {
  Block* older;
  std::array<RequestObject, batch> requests;
};

struct Shared {
  std::mutex lock;
  List free{};
  Block* blocks = nullptr;  // kept until the process ends: threads may hold any of them
  RequestObject* orphans = nullptr;
  std::atomic<int> orphan_count{0};
};

Shared& shared() {
  static Shared& instance = *new Shared;  // outlives the threads that end after main()
  return instance;
}

constinit thread_local List cache{nullptr, 0};

void move_batch(List& from, List& to) noexcept {
  for (int i = 0; i < batch && from.head != nullptr; ++i) to.push(from.pop());
}

// Gives the list of a thread that ends to the others.
struct CacheReturner {
  bool used = false;
  ~CacheReturner() {
    std::lock_guard guard(shared().lock);
    while (cache.head != nullptr) shared().free.push(cache.pop());
  }
};
thread_local CacheReturner returner;

bool refill() noexcept {
  returner.used = true;
  Shared& all = shared();
  std::lock_guard guard(all.lock);
  if (all.free.head == nullptr) {
    Block* block = new (std::nothrow) Block;
    if (block == nullptr) return false;
    block->older = all.blocks;
    all.blocks = block;
    for (RequestObject& request : block->requests) all.free.push(&request);
  }
  move_batch(all.free, cache);
  return true;
}

// The oldest orphans, a few at a time: they move from the list to the returned chain.
RequestObject* take_orphans(int limit) {
  Shared& all = shared();
  std::lock_guard guard(all.lock);
  RequestObject* chain = nullptr;
  for (int i = 0; i < limit && all.orphans != nullptr; ++i) {
    RequestObject* request = all.orphans;
    all.orphans = request->next;
    all.orphan_count.fetch_sub(1, std::memory_order_relaxed);
    request->next = chain;
    chain = request;
  }
  return chain;
}

void keep_orphans(RequestObject* chain) {
  Shared& all = shared();
  std::lock_guard guard(all.lock);
  RequestObject** end = &all.orphans;
  while (*end != nullptr) end = &(*end)->next;
  *end = chain;
  for (; chain != nullptr; chain = chain->next) all.orphan_count.fetch_add(1, std::memory_order_relaxed);
}

void end_orphan(RequestObject* request) {
  finish(*request, MPI_STATUS_IGNORE);
  give_back(request);
}

}  // namespace

RequestObject* take_request(RequestKind kind, Comm& comm) noexcept {
  if (shared().orphan_count.load(std::memory_order_relaxed) != 0) [[unlikely]]
    sweep_orphans(false);
  if (cache.head == nullptr && !refill()) [[unlikely]]
    return nullptr;
  RequestObject* request = cache.pop();
  request->magic = RequestObject::alive;
  request->kind = kind;
  request->persistent = false;
  request->active = false;
  request->buffered = false;
  request->null_peer = false;
  request->is_collective = false;
  request->function = diary().note().function;
  request->type = nullptr;
  request->staging = nullptr;
  request->partner = nullptr;
  request->work = nullptr;
  request->comm = &comm;
  retain(comm);
  return request;
}

void give_back(RequestObject* request) {
  request->magic = 0;
  forget_integer(request);
  if (request->partner != nullptr) give_back(request->partner);
  if (request->work != nullptr) delete request->work;
  if (request->staging != nullptr) std::free(request->staging);
  if (request->type != nullptr) release(*request->type);
  release(*request->comm);
  cache.push(request);
  if (cache.length > 4 * batch) [[unlikely]] {
    Shared& all = shared();
    std::lock_guard guard(all.lock);
    move_batch(cache, all.free);
  }
}

void adopt_orphan(RequestObject* request) {
  request->next = nullptr;
  keep_orphans(request);
}

void sweep_orphans(bool wait) {
  do {
    RequestObject* chain = take_orphans(8);
    RequestObject* kept = nullptr;
    while (chain != nullptr) {
      RequestObject* request = chain;
      chain = chain->next;
      if (wait && !is_complete(*request)) {
        engine().wait_until([](void* r) { return is_complete(*static_cast<RequestObject*>(r)); }, request);
      }
      if (is_complete(*request)) {
        end_orphan(request);
      } else {
        request->next = kept;
        kept = request;
      }
    }
    if (kept != nullptr) keep_orphans(kept);
  } while (wait && shared().orphan_count.load(std::memory_order_relaxed) != 0);
}

}  // namespace vif::mpi
