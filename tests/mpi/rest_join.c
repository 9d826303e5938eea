/* MPI_Comm_join over a socket. */
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "p2p_check.h"

int main(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const socklen_t length = sizeof(sa_family_t) + 1 + 20;
  int size, descriptor, listener = -1, mine, sum = 0;
  MPI_Comm inter;
  MPI_Init(NULL, NULL);
  check_start(&size);
  mine = check_rank + 1;
  /* An abstract address: it needs no file. */
  if (check_rank == 0) snprintf(address.sun_path + 1, 20, "vif-join-%d", (int)getpid());
  MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (check_rank == 0) {
    listener = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(bind(listener, (struct sockaddr*)&address, length) == 0 && listen(listener, 1) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) {
    descriptor = accept(listener, NULL, NULL);
  } else {
    descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(descriptor, (struct sockaddr*)&address, length) == 0);
  }
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_join(descriptor, &inter));
  CHECK(inter != MPI_COMM_NULL);
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK_EQUAL(2 - check_rank, sum);
  MPI_Comm_disconnect(&inter);
  close(descriptor);
  MPI_Finalize();
  return 0;
}
