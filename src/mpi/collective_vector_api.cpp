// The forms of the collectives on blocks of different sizes: blocking, non-blocking, persistent; and their large
// counts. Context: app.
#include "api.hpp"
#include "mpi/collective_vector.hpp"

namespace vif::mpi::api {

int Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
            const int* displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), root, comm,
                 Call::now());
}

int Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
             const int* displs, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return gatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), root, comm,
                 Call::later(request));
}

int Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                 const int* displs, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return gatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), root, comm,
                 Call::persistent(request));
}

int Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
              const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return gatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), root, comm,
                 Call::now());
}

int Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
               const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
               MPI_Request* request) {
  return gatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), root, comm,
                 Call::later(request));
}

int Gatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Info, MPI_Request* request) {
  return gatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), root, comm,
                 Call::persistent(request));
}

int Scatterv(const void* sendbuf, const int* sendcounts, const int* displs, MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatterv(spread_of(sendbuf, sendcounts, displs, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                  Call::now());
}

int Iscatterv(const void* sendbuf, const int* sendcounts, const int* displs, MPI_Datatype sendtype, void* recvbuf,
              int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return scatterv(spread_of(sendbuf, sendcounts, displs, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                  Call::later(request));
}

int Scatterv_init(const void* sendbuf, const int* sendcounts, const int* displs, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return scatterv(spread_of(sendbuf, sendcounts, displs, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                  Call::persistent(request));
}

int Scatterv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* displs, MPI_Datatype sendtype,
               void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return scatterv(spread_of(sendbuf, sendcounts, displs, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                  Call::now());
}

int Iscatterv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* displs, MPI_Datatype sendtype,
                void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                MPI_Request* request) {
  return scatterv(spread_of(sendbuf, sendcounts, displs, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                  Call::later(request));
}

int Scatterv_init_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* displs, MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info,
                    MPI_Request* request) {
  return scatterv(spread_of(sendbuf, sendcounts, displs, sendtype), block_of(recvbuf, recvcount, recvtype), root, comm,
                  Call::persistent(request));
}

int Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
               const int* displs, MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), comm,
                    Call::now());
}

int Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                const int* displs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return allgatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), comm,
                    Call::later(request));
}

int Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int* recvcounts,
                    const int* displs, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return allgatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), comm,
                    Call::persistent(request));
}

int Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype, MPI_Comm comm) {
  return allgatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), comm,
                    Call::now());
}

int Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype, MPI_Comm comm,
                  MPI_Request* request) {
  return allgatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), comm,
                    Call::later(request));
}

int Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const MPI_Count* recvcounts, const MPI_Aint* displs, MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Info, MPI_Request* request) {
  return allgatherv(block_of(sendbuf, sendcount, sendtype), spread_of(recvbuf, recvcounts, displs, recvtype), comm,
                    Call::persistent(request));
}

int Alltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
              const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtype), spread_of(recvbuf, recvcounts, rdispls, recvtype),
                   comm, Call::now());
}

int Ialltoallv(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
               const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtype), spread_of(recvbuf, recvcounts, rdispls, recvtype),
                   comm, Call::later(request));
}

int Alltoallv_init(const void* sendbuf, const int* sendcounts, const int* sdispls, MPI_Datatype sendtype, void* recvbuf,
                   const int* recvcounts, const int* rdispls, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info,
                   MPI_Request* request) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtype), spread_of(recvbuf, recvcounts, rdispls, recvtype),
                   comm, Call::persistent(request));
}

int Alltoallv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls, MPI_Datatype sendtype,
                void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* rdispls, MPI_Datatype recvtype,
                MPI_Comm comm) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtype), spread_of(recvbuf, recvcounts, rdispls, recvtype),
                   comm, Call::now());
}

int Ialltoallv_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls, MPI_Datatype sendtype,
                 void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* rdispls, MPI_Datatype recvtype,
                 MPI_Comm comm, MPI_Request* request) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtype), spread_of(recvbuf, recvcounts, rdispls, recvtype),
                   comm, Call::later(request));
}

int Alltoallv_init_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls, MPI_Datatype sendtype,
                     void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* rdispls, MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtype), spread_of(recvbuf, recvcounts, rdispls, recvtype),
                   comm, Call::persistent(request));
}

int Alltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls, const MPI_Datatype* sendtypes,
              void* recvbuf, const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtypes),
                   spread_of(recvbuf, recvcounts, rdispls, recvtypes), comm, Call::now());
}

int Ialltoallw(const void* sendbuf, const int* sendcounts, const int* sdispls, const MPI_Datatype* sendtypes,
               void* recvbuf, const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes, MPI_Comm comm,
               MPI_Request* request) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtypes),
                   spread_of(recvbuf, recvcounts, rdispls, recvtypes), comm, Call::later(request));
}

int Alltoallw_init(const void* sendbuf, const int* sendcounts, const int* sdispls, const MPI_Datatype* sendtypes,
                   void* recvbuf, const int* recvcounts, const int* rdispls, const MPI_Datatype* recvtypes,
                   MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtypes),
                   spread_of(recvbuf, recvcounts, rdispls, recvtypes), comm, Call::persistent(request));
}

int Alltoallw_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* rdispls,
                const MPI_Datatype* recvtypes, MPI_Comm comm) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtypes),
                   spread_of(recvbuf, recvcounts, rdispls, recvtypes), comm, Call::now());
}

int Ialltoallw_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                 const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* rdispls,
                 const MPI_Datatype* recvtypes, MPI_Comm comm, MPI_Request* request) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtypes),
                   spread_of(recvbuf, recvcounts, rdispls, recvtypes), comm, Call::later(request));
}

int Alltoallw_init_c(const void* sendbuf, const MPI_Count* sendcounts, const MPI_Aint* sdispls,
                     const MPI_Datatype* sendtypes, void* recvbuf, const MPI_Count* recvcounts, const MPI_Aint* rdispls,
                     const MPI_Datatype* recvtypes, MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return alltoallv(spread_of(sendbuf, sendcounts, sdispls, sendtypes),
                   spread_of(recvbuf, recvcounts, rdispls, recvtypes), comm, Call::persistent(request));
}

}  // namespace vif::mpi::api
