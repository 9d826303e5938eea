/* Processes started later, and groups that meet by a port, a name, or a socket. Started with "child" it is a child. */
#include <sys/socket.h>

#include "p2p_check.h"

static int rank, size;

/* All numbers of one side go to the other, both ways. */
static void exchange(MPI_Comm inter, int mine, int sum_of_theirs) {
  int sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK_EQUAL(sum_of_theirs, sum);
}

static int child(char** words) {
  MPI_Comm parent, all;
  int parents, together, high, *number;
  MPI_Comm_get_parent(&parent);
  CHECK(parent != MPI_COMM_NULL);
  MPI_Comm_remote_size(parent, &parents);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &high);
  CHECK(high);
  CHECK_EQUAL(atoi(words[2]), *number);
  CHECK(strcmp(words[3], "two words = 1;") == 0);
  exchange(parent, 1000 + rank, parents * (parents - 1) / 2);
  MPI_Intercomm_merge(parent, 1, &all);
  MPI_Comm_size(all, &together);
  CHECK_EQUAL(parents + size, together);
  exchange(all, 1, together);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&parent);
  MPI_Comm_get_parent(&parent);
  CHECK(parent == MPI_COMM_NULL);
  return 0;
}

static int sum_of_children(int children) { return children * 1000 + children * (children - 1) / 2; }

static void spawn(char* self, MPI_Comm comm, int processes) {
  char* words[] = {"child", "0", "two words = 1;", NULL};
  MPI_Comm inter, all;
  int codes[8], i, remote, members;
  MPI_Comm_size(comm, &members);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_spawn(self, words, processes, MPI_INFO_NULL, 0, comm, &inter, codes));
  for (i = 0; i < processes; ++i) CHECK_EQUAL(MPI_SUCCESS, codes[i]);
  MPI_Comm_remote_size(inter, &remote);
  CHECK_EQUAL(processes, remote);
  MPI_Comm_rank(comm, &i);
  exchange(inter, i, sum_of_children(processes));
  MPI_Intercomm_merge(inter, 0, &all);
  exchange(all, 1, members + processes);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&inter);
}

static void spawn_several(char* self) {
  char* first[] = {"child", "0", "two words = 1;", NULL};
  char* second[] = {"child", "1", "two words = 1;", NULL};
  char** words[] = {first, second};
  char* commands[] = {self, self};
  const int processes[] = {1, 2};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  MPI_Comm inter, all;
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_spawn_multiple(2, commands, words, processes, infos, size - 1, MPI_COMM_WORLD,
                                                   &inter, MPI_ERRCODES_IGNORE));
  exchange(inter, rank, sum_of_children(3));
  MPI_Intercomm_merge(inter, 0, &all);
  exchange(all, 1, size + 3);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&inter);
}

/* Rank 0 alone on one side, the others on the other. */
static void port(void) {
  char name[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME];
  MPI_Comm side, inter;
  int round;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &side);
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, name);
    CHECK_EQUAL(MPI_SUCCESS, MPI_Publish_name("a service", MPI_INFO_NULL, name));
    CHECK_CLASS(MPI_ERR_SERVICE, MPI_Publish_name("a service", MPI_INFO_NULL, name));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Lookup_name("a service", MPI_INFO_NULL, found));
  for (round = 0; round < 3; ++round) {
    CHECK_EQUAL(MPI_SUCCESS, rank == 0 ? MPI_Comm_accept(name, MPI_INFO_NULL, 0, side, &inter)
                                       : MPI_Comm_connect(found, MPI_INFO_NULL, 0, side, &inter));
    exchange(inter, rank, rank == 0 ? size * (size - 1) / 2 : 0);
    MPI_Comm_disconnect(&inter);
  }
  if (rank == 0) {
    CHECK(strcmp(name, found) == 0);
    MPI_Unpublish_name("a service", MPI_INFO_NULL, name);
    CHECK_CLASS(MPI_ERR_NAME, MPI_Lookup_name("a service", MPI_INFO_NULL, found));
    MPI_Close_port(name);
    CHECK_CLASS(MPI_ERR_PORT, MPI_Close_port(name));
    CHECK_CLASS(MPI_ERR_PORT, MPI_Comm_accept(name, MPI_INFO_NULL, 0, side, &inter));
    CHECK_CLASS(MPI_ERR_PORT, MPI_Comm_connect("nowhere", MPI_INFO_NULL, 0, side, &inter));
  }
  MPI_Comm_free(&side);
}

static void errors(void) {
  MPI_Comm inter;
  int code = 0;
  CHECK_CLASS(MPI_ERR_SPAWN,
              MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, &code));
  CHECK(rank != 0 || code != MPI_SUCCESS);
  CHECK_CLASS(MPI_ERR_ROOT,
              MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, size, MPI_COMM_WORLD, &inter, &code));
  CHECK_CLASS(MPI_ERR_COMM, MPI_Comm_spawn("true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter, &code));
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  check_start(&size);
  rank = check_rank;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (count > 1 && strcmp(words[1], "child") == 0) {
    child(words);
  } else {
    spawn(words[0], MPI_COMM_SELF, 1);
    spawn(words[0], MPI_COMM_WORLD, 3);
    spawn_several(words[0]);
    if (size > 1) port();
    errors();
  }
  MPI_Finalize();
  return 0;
}
