// The forms of the collectives on blocks of one size: blocking, non-blocking, persistent; and their large counts.
// Context: app.
#include "api.hpp"
#include "mpi/collective_plain.hpp"

namespace vif::mpi::api {

int Barrier(MPI_Comm comm) { return barrier(comm, Call::now()); }

int Ibarrier(MPI_Comm comm, MPI_Request* request) { return barrier(comm, Call::later(request)); }

int Barrier_init(MPI_Comm comm, MPI_Info, MPI_Request* request) { return barrier(comm, Call::persistent(request)); }

int Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return bcast(block_of(buffer, count, datatype), root, comm, Call::now());
}

int Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request) {
  return bcast(block_of(buffer, count, datatype), root, comm, Call::later(request));
}

int Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info,
               MPI_Request* request) {
  return bcast(block_of(buffer, count, datatype), root, comm, Call::persistent(request));
}

int Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return bcast(block_of(buffer, count, datatype), root, comm, Call::now());
}

int Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request* request) {
  return bcast(block_of(buffer, count, datatype), root, comm, Call::later(request));
}

int Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info,
                 MPI_Request* request) {
  return bcast(block_of(buffer, count, datatype), root, comm, Call::persistent(request));
}

int Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
           MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                Call::now());
}

int Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return gather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                Call::later(request));
}

int Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return gather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                Call::persistent(request));
}

int Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                Call::now());
}

int Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
              MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return gather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                Call::later(request));
}

int Gather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return gather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                Call::persistent(request));
}

int Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
            MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatter(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                 Call::now());
}

int Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return scatter(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                 Call::later(request));
}

int Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return scatter(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                 Call::persistent(request));
}

int Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
              MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatter(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                 Call::now());
}

int Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
               MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return scatter(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                 Call::later(request));
}

int Scatter_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return scatter(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                 Call::persistent(request));
}

int Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm, Call::now());
}

int Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return allgather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm,
                   Call::later(request));
}

int Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return allgather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm,
                   Call::persistent(request));
}

int Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                MPI_Datatype recvtype, MPI_Comm comm) {
  return allgather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm, Call::now());
}

int Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                 MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return allgather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm,
                   Call::later(request));
}

int Allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return allgather(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm,
                   Call::persistent(request));
}

int Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
             MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm, Call::now());
}

int Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return alltoall(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm,
                  Call::later(request));
}

int Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoall(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm,
                  Call::persistent(request));
}

int Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
               MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoall(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm, Call::now());
}

int Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return alltoall(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm,
                  Call::later(request));
}

int Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoall(block_of(sendbuf, sendcount, sendtype), block_of(recvbuf, recvcount, recvtype), comm,
                  Call::persistent(request));
}

}  // namespace vif::mpi::api
