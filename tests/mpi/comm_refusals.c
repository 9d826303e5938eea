/* Wrong arguments that other libraries do not look at: the standard's class, never a crash. */
#include "p2p_check.h"

int main(int argc, char** argv) {
  int size, bad, in[4] = {0}, zero = 0;
  MPI_Comm comm, ring;
  MPI_Group group;
  MPI_Info info;
  MPI_Init(&argc, &argv);
  check_start(&size);
  bad = size;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_CLASS(MPI_ERR_COMM, MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &comm));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Intercomm_merge(MPI_COMM_NULL, 0, &comm));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Comm_remote_size(MPI_COMM_WORLD, &bad));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Intercomm_create(MPI_COMM_WORLD, size, MPI_COMM_WORLD, 0, 0, &comm));
  CHECK_CLASS(MPI_ERR_RANK, MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &bad, MPI_UNWEIGHTED, 0, &zero,
                                                           MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring));
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &zero, MPI_UNWEIGHTED, 1, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &ring);
  if (size == 1) {
    CHECK_CLASS(MPI_ERR_BUFFER, MPI_Neighbor_alltoall(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, ring));
    CHECK_CLASS(MPI_ERR_COUNT, MPI_Neighbor_alltoall(&size, -1, MPI_INT, in, 1, MPI_INT, ring));
    CHECK_CLASS(MPI_ERR_TYPE, MPI_Neighbor_allgather(&size, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, ring));
  }
  MPI_Comm_free(&ring);
  if (size > 1) { /* a prefix has no meaning between two groups */
    MPI_Comm half, both;
    MPI_Comm_split(MPI_COMM_WORLD, check_rank == 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, check_rank == 0 ? 1 : 0, 0, &both);
    MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
    CHECK_CLASS(MPI_ERR_COMM, MPI_Scan(&size, in, 1, MPI_INT, MPI_SUM, both));
    CHECK_CLASS(MPI_ERR_COMM, MPI_Exscan(&size, in, 1, MPI_INT, MPI_SUM, both));
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
  }
  CHECK_CLASS(MPI_ERR_GROUP, MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &comm));
  CHECK_CLASS(MPI_ERR_TAG,
              (MPI_Comm_group(MPI_COMM_WORLD, &group), MPI_Comm_create_group(MPI_COMM_WORLD, group, -1, &comm)));
  CHECK_CLASS(MPI_ERR_GROUP,
              MPI_Comm_create_from_group(MPI_GROUP_NULL, "name", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Comm_create_from_group(group, NULL, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  MPI_Group_free(&group);
  CHECK_CLASS(MPI_ERR_ARG, MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &comm));
  CHECK_CLASS(MPI_ERR_ARG, MPI_Comm_split_type(MPI_COMM_WORLD, 4711, 0, MPI_INFO_NULL, &comm));
  /* Parts of the hardware: what nobody has gives no communicator; shared memory is shared by all. */
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_hw_resource_type", "no such thing");
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm));
  CHECK(comm == MPI_COMM_NULL);
  MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm));
  MPI_Comm_size(comm, &bad);
  CHECK_EQUAL(size, bad);
  MPI_Comm_free(&comm);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &comm));
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_size(comm, &bad);
    CHECK(bad < size);
    MPI_Comm_free(&comm);
  }
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
