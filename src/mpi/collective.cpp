// What the collective calls share: checks, staging, requests. Context: app.
#include "mpi/collective.hpp"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "coll/inter.hpp"
#include "mpi/diary.hpp"

namespace vif::mpi {

int look_up(MPI_Comm handle, Comm*& comm) {
  comm = comm_of(handle);
  if (comm == nullptr) [[unlikely]]
    return raise_no_comm();
  note_collective(*comm, -1);
  return MPI_SUCCESS;
}

int look_up_root(MPI_Comm handle, Comm*& comm, int root) {
  comm = comm_of(handle);
  if (comm == nullptr) [[unlikely]]
    return raise_no_comm();
  const bool is_rank = static_cast<unsigned>(root) < static_cast<unsigned>(comm->peers);
  note_collective(*comm, is_rank ? comm->processes[root] : root == MPI_ROOT ? engine().process() : -1);
  if (is_rank) [[likely]]
    return MPI_SUCCESS;
  if (comm->is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL)) return MPI_SUCCESS;
  return raise(comm, MPI_ERR_ROOT,
               "the root " + std::to_string(root) + " is not a rank of " + describe(*comm) + ", whose ranks are 0 to " +
                   std::to_string(comm->peers - 1) + (comm->is_inter() ? ", nor MPI_ROOT or MPI_PROC_NULL" : ""));
}

int look_up_intra(MPI_Comm handle, Comm*& comm) {
  int error = MPI_SUCCESS;
  comm = intra_comm_of(handle, error);
  if (comm != nullptr) note_collective(*comm, -1);
  return error;
}

int inter_root(int root) noexcept {
  return root == MPI_ROOT ? coll::this_is_root : root == MPI_PROC_NULL ? coll::beside_the_root : root;
}

namespace {

[[gnu::cold]] int refuse_block(Comm& comm, const Block& block) {
  if (block.count < 0) {
    return raise(&comm, MPI_ERR_COUNT, "the count is " + std::to_string(block.count) + "; it must be 0 or more");
  }
  if (block.type == nullptr) {
    return raise(&comm, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL, has been freed, or never was one");
  }
  if (!block.type->committed) {
    return raise(&comm, MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit before using it");
  }
  if (block.in_place()) {
    return raise(&comm, MPI_ERR_BUFFER, "MPI_IN_PLACE is not allowed for this buffer of this process");
  }
  if (block.buffer == nullptr && block.type->contiguous) {
    return raise(&comm, MPI_ERR_BUFFER, "the buffer is a null pointer although there are elements in it");
  }
  return raise(&comm, MPI_ERR_COUNT, std::to_string(block.count) + " elements are more bytes than 63 bits can count");
}

}  // namespace

int look_up_block(Comm& comm, Block& block) {
  block.type = datatype_of(block.handle);
  if (block.type == nullptr || block.count < 0 || !block.type->committed || block.in_place() ||
      __builtin_mul_overflow(block.count, block.type->size, &block.bytes) ||
      (block.buffer == nullptr && block.bytes > 0 && block.type->contiguous)) [[unlikely]] {
    return refuse_block(comm, block);
  }
  note_bytes(block.bytes);
  return MPI_SUCCESS;
}

int look_up_block_or_in_place(Comm& comm, Block& block, bool in_place_allowed) {
  if (block.in_place() && in_place_allowed) return MPI_SUCCESS;
  return look_up_block(comm, block);
}

Staging::Staging(Staging&& other) noexcept
    : pieces_(std::move(other.pieces_)),
      memory_(std::move(other.memory_)),
      user_(std::move(other.user_)),
      failed_(other.failed_) {
  other.pieces_.clear();
  other.memory_.clear();
}

Staging::~Staging() {
  for (const Piece& piece : pieces_) release(*piece.type);
  for (void* memory : memory_) std::free(memory);
  if (user_ != nullptr) {
    release(*user_->op);
    release(*user_->type);
  }
}

std::byte* Staging::packed_form(uint64_t bytes) {
  void* memory = std::malloc(bytes + 1);
  if (memory == nullptr) {
    failed_ = true;
    return nullptr;
  }
  memory_.push_back(memory);
  return static_cast<std::byte*>(memory);
}

void Staging::add(Datatype& type, MPI_Count count, void* user, std::byte* packed, Copies copies) {
  retain(type);
  pieces_.push_back({&type, count, static_cast<std::byte*>(user), packed, copies, 0});
}

void* Staging::bytes_of(const Block& block, int64_t repeat, Copies copies) {
  if (block.type->contiguous) [[likely]]
    return block.buffer;
  std::byte* packed = packed_form(static_cast<uint64_t>(block.bytes * repeat));
  if (packed != nullptr) add(*block.type, block.count * repeat, block.buffer, packed, copies);
  return packed;
}

void* Staging::elements_of(const Block& block, uint64_t stride, Copies copies) {
  std::byte* elements = packed_form(stride * static_cast<uint64_t>(block.count));
  if (elements == nullptr) return nullptr;
  std::memset(elements, 0, stride * static_cast<uint64_t>(block.count));  // gaps travel: they must hold something
  add(*block.type, block.count, block.buffer, elements, copies);
  pieces_.back().stride = stride;
  return elements;
}

Staging::UserOperator* Staging::keep(Op& op, Datatype& type, uint64_t stride) {
  user_ = std::make_unique<UserOperator>(UserOperator{&op, &type, stride});
  retain(op);
  retain(type);
  return user_.get();
}

void Staging::copy_in(const Piece& piece) {
  if (piece.stride == 0) return pack(*piece.type, piece.count, piece.user, piece.packed);
  std::vector<std::byte> one(static_cast<size_t>(piece.type->size));
  for (MPI_Count i = 0; i < piece.count; ++i) {
    pack(*piece.type, 1, piece.user + i * piece.type->extent, one.data());
    unpack(*piece.type, 1, one.data(), piece.packed + i * static_cast<int64_t>(piece.stride) - piece.type->true_lb);
  }
}

void Staging::copy_out(const Piece& piece) {
  if (piece.stride == 0) return unpack(*piece.type, piece.count, piece.packed, piece.user);
  std::vector<std::byte> one(static_cast<size_t>(piece.type->size));
  for (MPI_Count i = 0; i < piece.count; ++i) {
    pack(*piece.type, 1, piece.packed + i * static_cast<int64_t>(piece.stride) - piece.type->true_lb, one.data());
    unpack(*piece.type, 1, one.data(), piece.user + i * piece.type->extent);
  }
}

void Staging::before() const {
  for (const Piece& piece : pieces_) {
    if (piece.copies != Copies::after) copy_in(piece);
  }
}

void Staging::after() const {
  for (const Piece& piece : pieces_) {
    if (piece.copies != Copies::before) copy_out(piece);
  }
}

Ending ending_of(net::Outcome outcome) {
  switch (outcome) {
    case net::Outcome::success:
      return {};
    case net::Outcome::truncated:
      return {MPI_ERR_TRUNCATE,
              "the processes do not agree on how much data the collective moves; give matching counts "
              "and types on all of them"};
    case net::Outcome::peer_dead:
      return {MPI_ERR_PROC_ABORTED, "a process that takes part in the collective has died"};
    default:
      return {MPI_ERR_OTHER, "the collective could not be carried out: a link failed, or there is no memory"};
  }
}

int raise_outcome(Comm& comm, net::Outcome outcome) {
  const Ending ending = ending_of(outcome);
  return raise(&comm, ending.error, ending.sentence);
}

int raise_no_collective_memory(Comm& comm) {
  return raise(&comm, MPI_ERR_NO_MEM, "there is no memory for what this collective has to copy");
}

namespace {

class CollectiveWork final : public Work {
 public:
  CollectiveWork(coll::OperationPointer operation, Staging&& staging)
      : staging_(std::move(staging)), operation_(std::move(operation)) {}

  Ending start() override {
    staging_.before();
    operation_->start();
    return {};
  }
  bool complete() noexcept override {
    if (operation_->complete()) return true;
    operation_->asked();
    return false;
  }
  Ending finish(MPI_Status&) override {
    if (operation_->outcome() != net::Outcome::success) return ending_of(operation_->outcome());
    staging_.after();
    return {};
  }

 private:
  Staging staging_;
  coll::OperationPointer operation_;  // goes first: it uses the staging
};

}  // namespace

int give_collective(Comm& comm, const Call& call, coll::OperationPointer operation, Staging&& staging) {
  if (operation == nullptr) return raise_no_collective_memory(comm);
  RequestObject* request = take_request(RequestKind::work, comm);
  if (request == nullptr) return raise_no_collective_memory(comm);
  request->work = new CollectiveWork(std::move(operation), std::move(staging));
  request->persistent = call.kind == Call::Kind::persistent;
  request->is_collective = true;
  request->number = diary().note().number;
  *call.request = handle_of(request);
  if (request->persistent) return MPI_SUCCESS;
  request->active = true;
  const Ending ending = request->work->start();
  return ending.error == MPI_SUCCESS ? MPI_SUCCESS : raise(&comm, ending.error, ending.sentence);
}

}  // namespace vif::mpi
