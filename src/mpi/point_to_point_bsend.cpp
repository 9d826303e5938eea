// MPI_Bsend, MPI_Ibsend, and the attaching of buffers to the process and to communicators. Context: app.
#include <atomic>
#include <new>

#include "api.hpp"
#include "mpi/point_to_point_buffered.hpp"

namespace vif::mpi {

namespace {

BufferedSends* process_buffer = nullptr;

struct Flush final : Work {
  Flush(BufferedSends* sends, uint64_t newest) : sends_(sends), newest_(newest) {}
  Ending start() override { return {}; }
  bool complete() noexcept override { return sends_ == nullptr || sends_->left(newest_); }
  Ending finish(MPI_Status&) override { return {}; }

 private:
  BufferedSends* sends_;  // null: nothing was attached, nothing to flush
  uint64_t newest_;
};

int raised(Comm* comm, const Ending& ending) {
  return ending.error == MPI_SUCCESS ? MPI_SUCCESS : raise(comm, ending.error, ending.sentence);
}

int attach(Comm* comm, BufferedSends*& place, void* buffer, MPI_Count bytes) {
  return raised(comm, attach_buffer(place, buffer, bytes));
}

template <class Size>
int detach(BufferedSends*& place, void* buffer_address, Size* size) {
  MPI_Count bytes;
  detach_buffer(place, static_cast<void**>(buffer_address), bytes);
  *size = static_cast<Size>(bytes);
  return MPI_SUCCESS;
}

int flush(BufferedSends* sends) {
  flush_buffer(sends);
  return MPI_SUCCESS;
}

int iflush(Comm& comm, BufferedSends* sends, MPI_Request* out) {
  return raised(&comm, iflush_buffer(comm, sends, out));
}

int no_communicator() {
  return raise(nullptr, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL, has been freed, or never was one");
}

int bsend(Side side) {
  if (!look_up_send(side)) return refuse_send(side);
  net::ApiScope scope(engine());
  const Ending ending = send_buffered(side);
  return ending.error == MPI_SUCCESS ? MPI_SUCCESS : raise(side.comm, ending.error, ending.sentence);
}

int ibsend(const Side& side, MPI_Request* out) {
  if (const int error = bsend(side); error != MPI_SUCCESS) return error;
  RequestObject* request = new_empty(*comm_of(side.comm_handle), false);
  if (request == nullptr) return raise_no_memory(*comm_of(side.comm_handle), 0);
  request->active = true;
  *out = handle_of(request);
  return MPI_SUCCESS;
}

}  // namespace

Ending attach_buffer(BufferedSends*& place, void* buffer, MPI_Count bytes) {
  if (place != nullptr) return {MPI_ERR_BUFFER, "a buffer is attached already; detach it before attaching another"};
  if (bytes < 0) return {MPI_ERR_ARG, "the size of the buffer is negative"};
  if (buffer == nullptr && bytes > 0) return {MPI_ERR_BUFFER, "the buffer is a null pointer"};
  place = new (std::nothrow) BufferedSends(buffer, bytes);
  if (place == nullptr) return {MPI_ERR_NO_MEM, "there is no memory to attach a buffer"};
  return {};
}

// Gives what was attached; MPI_BUFFER_AUTOMATIC for automatic buffering, null and 0 when nothing was.
void detach_buffer(BufferedSends*& place, void** memory, MPI_Count& bytes) {
  *memory = nullptr;
  bytes = 0;
  if (place == nullptr) return;
  net::ApiScope scope(engine());
  place->flush();
  *memory = place->memory();
  bytes = place->automatic() ? 0 : place->bytes();
  delete place;
  place = nullptr;
}

void flush_buffer(BufferedSends* sends) {
  if (sends == nullptr) return;
  net::ApiScope scope(engine());
  sends->flush();
}

Ending iflush_buffer(Comm& comm, BufferedSends* sends, MPI_Request* out) {
  RequestObject* request = take_request(RequestKind::work, comm);
  if (request != nullptr) {
    request->work = new (std::nothrow) Flush(sends, sends != nullptr ? sends->newest() : 0);
    if (request->work == nullptr) give_back(request);
  }
  if (request == nullptr || request->work == nullptr) return {MPI_ERR_NO_MEM, "there is no memory for the request"};
  request->active = true;
  *out = handle_of(request);
  return {};
}

BufferedSends* buffered_sends_of(Comm& comm) noexcept {
  return comm.buffered != nullptr ? comm.buffered : process_buffer;
}

Ending send_buffered(const Side& side) {
  BufferedSends* sends = buffered_sends_of(*side.comm);
  if (sends == nullptr) {
    return {MPI_ERR_BUFFER, "no buffer is attached; call MPI_Buffer_attach before a buffered send"};
  }
  if (sends->send(side)) return {};
  return {MPI_ERR_BUFFER, "the " + std::to_string(sends->bytes()) +
                              " bytes of the attached buffer have no room left for "
                              "a message of " +
                              std::to_string(side.bytes) +
                              " bytes and MPI_BSEND_OVERHEAD; attach a larger "
                              "buffer, or MPI_BUFFER_AUTOMATIC"};
}

void detach_process_buffer() {
  delete process_buffer;
  process_buffer = nullptr;
}

void detach_buffer(Comm& comm) {
  delete comm.buffered;
  comm.buffered = nullptr;
}

namespace api {

int Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return bsend(side_of(buf, count, datatype, dest, tag, comm));
}

int Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return bsend(side_of(buf, count, datatype, dest, tag, comm));
}

int Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return ibsend(side_of(buf, count, datatype, dest, tag, comm), request);
}

int Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
             MPI_Request* request) {
  return ibsend(side_of(buf, count, datatype, dest, tag, comm), request);
}

int Buffer_attach(void* buffer, int size) { return attach(nullptr, process_buffer, buffer, size); }
int Buffer_attach_c(void* buffer, MPI_Count size) { return attach(nullptr, process_buffer, buffer, size); }
int Buffer_detach(void* buffer_addr, int* size) { return detach(process_buffer, buffer_addr, size); }
int Buffer_detach_c(void* buffer_addr, MPI_Count* size) { return detach(process_buffer, buffer_addr, size); }
int Buffer_flush() { return flush(process_buffer); }
int Buffer_iflush(MPI_Request* request) { return iflush(*process()->self, process_buffer, request); }

int Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) { return Comm_attach_buffer_c(comm, buffer, size); }

int Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  Comm* object = comm_of(comm);
  return object == nullptr ? no_communicator() : attach(object, object->buffered, buffer, size);
}

int Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  Comm* object = comm_of(comm);
  return object == nullptr ? no_communicator() : detach(object->buffered, buffer_addr, size);
}

int Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  Comm* object = comm_of(comm);
  return object == nullptr ? no_communicator() : detach(object->buffered, buffer_addr, size);
}

int Comm_flush_buffer(MPI_Comm comm) {
  Comm* object = comm_of(comm);
  return object == nullptr ? no_communicator() : flush(object->buffered);
}

int Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  Comm* object = comm_of(comm);
  return object == nullptr ? no_communicator() : iflush(*object, object->buffered, request);
}

}  // namespace api

}  // namespace vif::mpi
