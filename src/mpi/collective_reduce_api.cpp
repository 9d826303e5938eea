// The forms of the collectives that combine: blocking, non-blocking, persistent; and their large counts. Context: app.
#include "api.hpp"
#include "mpi/collective_reduce.hpp"

namespace vif::mpi::api {

int Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return reduce({sendbuf, recvbuf, count, datatype, op}, root, comm, Call::now());
}

int Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm,
            MPI_Request* request) {
  return reduce({sendbuf, recvbuf, count, datatype, op}, root, comm, Call::later(request));
}

int Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce({sendbuf, recvbuf, count, datatype, op}, root, comm, Call::persistent(request));
}

int Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
             MPI_Comm comm) {
  return reduce({sendbuf, recvbuf, count, datatype, op}, root, comm, Call::now());
}

int Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
              MPI_Comm comm, MPI_Request* request) {
  return reduce({sendbuf, recvbuf, count, datatype, op}, root, comm, Call::later(request));
}

int Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root,
                  MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce({sendbuf, recvbuf, count, datatype, op}, root, comm, Call::persistent(request));
}

int Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return allreduce({sendbuf, recvbuf, count, datatype, op}, comm, Call::now());
}

int Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request* request) {
  return allreduce({sendbuf, recvbuf, count, datatype, op}, comm, Call::later(request));
}

int Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                   MPI_Info, MPI_Request* request) {
  return allreduce({sendbuf, recvbuf, count, datatype, op}, comm, Call::persistent(request));
}

int Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return allreduce({sendbuf, recvbuf, count, datatype, op}, comm, Call::now());
}

int Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                 MPI_Request* request) {
  return allreduce({sendbuf, recvbuf, count, datatype, op}, comm, Call::later(request));
}

int Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return allreduce({sendbuf, recvbuf, count, datatype, op}, comm, Call::persistent(request));
}

int Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return scan({sendbuf, recvbuf, count, datatype, op}, comm, Call::now());
}

int Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
          MPI_Request* request) {
  return scan({sendbuf, recvbuf, count, datatype, op}, comm, Call::later(request));
}

int Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info,
              MPI_Request* request) {
  return scan({sendbuf, recvbuf, count, datatype, op}, comm, Call::persistent(request));
}

int Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return scan({sendbuf, recvbuf, count, datatype, op}, comm, Call::now());
}

int Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
            MPI_Request* request) {
  return scan({sendbuf, recvbuf, count, datatype, op}, comm, Call::later(request));
}

int Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                MPI_Info, MPI_Request* request) {
  return scan({sendbuf, recvbuf, count, datatype, op}, comm, Call::persistent(request));
}

int Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return exscan({sendbuf, recvbuf, count, datatype, op}, comm, Call::now());
}

int Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
            MPI_Request* request) {
  return exscan({sendbuf, recvbuf, count, datatype, op}, comm, Call::later(request));
}

int Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                MPI_Info, MPI_Request* request) {
  return exscan({sendbuf, recvbuf, count, datatype, op}, comm, Call::persistent(request));
}

int Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return exscan({sendbuf, recvbuf, count, datatype, op}, comm, Call::now());
}

int Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
              MPI_Request* request) {
  return exscan({sendbuf, recvbuf, count, datatype, op}, comm, Call::later(request));
}

int Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                  MPI_Info, MPI_Request* request) {
  return exscan({sendbuf, recvbuf, count, datatype, op}, comm, Call::persistent(request));
}

int Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                         MPI_Comm comm) {
  return reduce_scatter_block({sendbuf, recvbuf, recvcount, datatype, op}, comm, Call::now());
}

int Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                          MPI_Comm comm, MPI_Request* request) {
  return reduce_scatter_block({sendbuf, recvbuf, recvcount, datatype, op}, comm, Call::later(request));
}

int Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce_scatter_block({sendbuf, recvbuf, recvcount, datatype, op}, comm, Call::persistent(request));
}

int Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                           MPI_Comm comm) {
  return reduce_scatter_block({sendbuf, recvbuf, recvcount, datatype, op}, comm, Call::now());
}

int Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op,
                            MPI_Comm comm, MPI_Request* request) {
  return reduce_scatter_block({sendbuf, recvbuf, recvcount, datatype, op}, comm, Call::later(request));
}

int Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce_scatter_block({sendbuf, recvbuf, recvcount, datatype, op}, comm, Call::persistent(request));
}

int Reduce_scatter(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm, Call::now());
}

int Ireduce_scatter(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  return reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm, Call::later(request));
}

int Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int* recvcounts, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm, Call::persistent(request));
}

int Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm) {
  return reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm, Call::now());
}

int Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request) {
  return reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm, Call::later(request));
}

int Reduce_scatter_init_c(const void* sendbuf, void* recvbuf, const MPI_Count* recvcounts, MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return reduce_scatter({sendbuf, recvbuf, 0, datatype, op}, recvcounts, comm, Call::persistent(request));
}

}  // namespace vif::mpi::api
