/* Every form of completion: one, all, any, some; waited for, tested, looked at; null requests; errors in statuses. */
#include "p2p_check.h"

enum { many = 50 };

static int values[many];
static MPI_Request requests[many];
static MPI_Status statuses[many];
static int indices[many];

static void post(void) {
  int i;
  for (i = 0; i < many; ++i) {
    values[i] = -1;
    requests[i] = MPI_REQUEST_NULL;
    if (i % 7 != 3) MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
  }
}

/* In an order of its own. */
static void send_all(void) {
  int i;
  for (i = 0; i < many; ++i) {
    const int at = (i * 17 + 5) % many;
    if (at % 7 != 3) MPI_Send(&at, 1, MPI_INT, 1, at, MPI_COMM_WORLD);
  }
}

static int expected(void) {
  int i, n = 0;
  for (i = 0; i < many; ++i) n += i % 7 != 3;
  return n;
}

static void check_one(int i, const MPI_Status* status) {
  CHECK_EQUAL(i, values[i]);
  CHECK_EQUAL(i, status->MPI_TAG);
  CHECK_EQUAL(0, status->MPI_SOURCE);
  CHECK(requests[i] == MPI_REQUEST_NULL);
}

static void check_all(void) {
  int i;
  for (i = 0; i < many; ++i) {
    if (i % 7 != 3) {
      check_one(i, &statuses[i]);
    } else {
      CHECK_EQUAL(MPI_ANY_SOURCE, statuses[i].MPI_SOURCE);
      CHECK_EQUAL(MPI_ANY_TAG, statuses[i].MPI_TAG);
    }
  }
}

static void together(int form) {
  int flag = 0;
  post();
  if (form == 0) MPI_Waitall(many, requests, statuses);
  if (form == 1) {
    while (!flag) MPI_Testall(many, requests, &flag, statuses);
  }
  if (form == 2) {
    while (!flag) MPI_Request_get_status_all(many, requests, &flag, statuses);
    MPI_Waitall(many, requests, statuses);
  }
  check_all();
}

static void one_by_one(int form) {
  int done, i, flag;
  MPI_Status status;
  post();
  for (done = 0; done < expected(); ++done) {
    flag = 0;
    i = -1;
    if (form == 0) MPI_Waitany(many, requests, &i, &status);
    if (form == 1) {
      while (!flag) MPI_Testany(many, requests, &i, &flag, &status);
    }
    if (form == 2) {
      while (!flag) MPI_Request_get_status_any(many, requests, &i, &flag, &status);
      CHECK(requests[i] != MPI_REQUEST_NULL);
      MPI_Wait(&requests[i], &status);
    }
    check_one(i, &status);
  }
  MPI_Waitany(many, requests, &i, &status);
  CHECK_EQUAL(MPI_UNDEFINED, i);
  MPI_Testany(many, requests, &i, &flag, &status);
  CHECK(flag);
  CHECK_EQUAL(MPI_UNDEFINED, i);
}

static void some(int form) {
  int done = 0, count, i;
  post();
  while (done < expected()) {
    if (form == 0) MPI_Waitsome(many, requests, &count, indices, statuses);
    if (form == 1) MPI_Testsome(many, requests, &count, indices, statuses);
    if (form == 2) {
      MPI_Request_get_status_some(many, requests, &count, indices, statuses);
      for (i = 0; i < count; ++i) MPI_Wait(&requests[indices[i]], &statuses[i]);
    }
    CHECK(count != MPI_UNDEFINED);
    if (form == 0) CHECK(count > 0);
    for (i = 0; i < count; ++i) check_one(indices[i], &statuses[i]);
    done += count;
  }
  CHECK_EQUAL(expected(), done);
  MPI_Waitsome(many, requests, &count, indices, statuses);
  CHECK_EQUAL(MPI_UNDEFINED, count);
  MPI_Testsome(many, requests, &count, indices, statuses);
  CHECK_EQUAL(MPI_UNDEFINED, count);
}

static void single(void) {
  int flag = 0, value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Wait(&request, &statuses[0]);
  CHECK_EQUAL(MPI_ANY_SOURCE, statuses[0].MPI_SOURCE);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(flag);
  if (check_rank == 1) {
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag); /* nothing was sent yet */
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    CHECK(!flag);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) {
    value = 21;
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    return;
  }
  for (flag = 0; !flag;) MPI_Request_get_status(request, &flag, &statuses[0]);
  CHECK(request != MPI_REQUEST_NULL);
  CHECK_EQUAL(1, received_count(&statuses[0], MPI_INT));
  for (flag = 0; !flag;) MPI_Test(&request, &flag, &statuses[0]);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQUAL(21, value);
}

/* One of three messages is too long: MPI_ERR_IN_STATUS, and each status says how its own request fared. */
static void error_in_status(int ignored) {
  int buffers[3][4], i, error;
  if (check_rank == 0) {
    int four[4] = {1, 2, 3, 4};
    for (i = 0; i < 3; ++i) MPI_Send(four, i == 1 ? 4 : 2, MPI_INT, 1, i, MPI_COMM_WORLD);
    return;
  }
  for (i = 0; i < 3; ++i) {
    MPI_Irecv(buffers[i], 2, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
    statuses[i].MPI_ERROR = 12345;
  }
  error = MPI_Waitall(3, requests, ignored ? MPI_STATUSES_IGNORE : statuses);
  CHECK_CLASS(MPI_ERR_IN_STATUS, error);
  for (i = 0; i < 3; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  if (ignored) return;
  CHECK_CLASS(MPI_SUCCESS, statuses[0].MPI_ERROR);
  CHECK_CLASS(MPI_ERR_TRUNCATE, statuses[1].MPI_ERROR);
  CHECK_CLASS(MPI_SUCCESS, statuses[2].MPI_ERROR);
  CHECK_EQUAL(2, received_count(&statuses[2], MPI_INT));
}

int main(int argc, char** argv) {
  int size, form;
  MPI_Init(&argc, &argv);
  check_start(&size);
  CHECK_EQUAL(2, size);
  for (form = 0; form < 9; ++form) {
    if (check_rank == 0) {
      if (form % 2) MPI_Barrier(MPI_COMM_WORLD);
      send_all();
      if (form % 2 == 0) MPI_Barrier(MPI_COMM_WORLD);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
      if (form < 3) together(form);
      if (form >= 3 && form < 6) one_by_one(form - 3);
      if (form >= 6) some(form - 6);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  single();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  error_in_status(0);
  error_in_status(1);
  MPI_Finalize();
  return 0;
}
