/* The tool interface: options and counters by name, their texts, their categories, and what is refused. */
#include "p2p_check.h"

static void controls(int may_write) {
  int count, i, index, length, items, verbosity, bind, scope, value;
  char name[64], text[512];
  MPI_Datatype type;
  MPI_T_enum words;
  MPI_T_cvar_handle handle;
  MPI_T_cvar_get_num(&count);
  for (i = 0; i < count; ++i) {
    int name_length = sizeof name, text_length = sizeof text;
    CHECK_EQUAL(MPI_SUCCESS, MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &words, text, &text_length,
                                                 &bind, &scope));
    CHECK_EQUAL((int)strlen(name) + 1, name_length);
    MPI_T_cvar_get_index(name, &index);
    CHECK_EQUAL(i, index);
    CHECK_EQUAL(MPI_SUCCESS, MPI_T_cvar_handle_alloc(i, NULL, &handle, &items));
    CHECK(type == MPI_INT ? items == 1 : type == MPI_CHAR && items > 1 && items <= (int)sizeof text);
    CHECK_EQUAL(MPI_SUCCESS, MPI_T_cvar_read(handle, type == MPI_INT ? (void*)&value : (void*)text));
    if (type == MPI_INT) {
      length = sizeof text;
      CHECK_EQUAL(MPI_SUCCESS, MPI_T_enum_get_info(words, &items, NULL, NULL));
      CHECK(value >= 0 && value < items);
      CHECK_EQUAL(MPI_SUCCESS, MPI_T_enum_get_item(words, value, &index, text, &length));
      CHECK_EQUAL(MPI_T_ERR_INVALID_ITEM, MPI_T_enum_get_item(words, items, &index, text, &length));
    }
    CHECK_EQUAL(may_write ? MPI_SUCCESS : MPI_T_ERR_CVAR_SET_NOT_NOW,
                MPI_T_cvar_write(handle, type == MPI_INT ? (void*)&value : (void*)text));
    MPI_T_cvar_handle_free(&handle);
    CHECK(handle == MPI_T_CVAR_HANDLE_NULL);
  }
  CHECK_EQUAL(MPI_T_ERR_INVALID_INDEX,
              MPI_T_cvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  CHECK_EQUAL(MPI_T_ERR_INVALID_NAME, MPI_T_cvar_get_index("unheard of", &index));
}

static unsigned long long read_counter(MPI_T_pvar_session session, const char* name) {
  unsigned long long value = 0;
  int index, count;
  MPI_T_pvar_handle handle;
  CHECK_EQUAL(MPI_SUCCESS, MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_COUNTER, &index));
  CHECK_EQUAL(MPI_SUCCESS, MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count));
  CHECK_EQUAL(1, count);
  CHECK_EQUAL(MPI_SUCCESS, MPI_T_pvar_read(session, handle, &value));
  CHECK_EQUAL(MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_pvar_start(session, handle));
  CHECK_EQUAL(MPI_T_ERR_PVAR_NO_WRITE, MPI_T_pvar_write(session, handle, &value));
  MPI_T_pvar_handle_free(session, &handle);
  return value;
}

static void counters(void) {
  MPI_T_pvar_session session;
  unsigned long long before;
  int rank, size, token = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_T_pvar_session_create(&session);
  before = read_counter(session, "vif_eager_sent");
  MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % size, 0, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  if (size > 1) CHECK(read_counter(session, "vif_eager_sent") > before);
  CHECK_EQUAL(MPI_SUCCESS, MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
  MPI_T_pvar_session_free(&session);
  CHECK_EQUAL(MPI_T_ERR_INVALID_SESSION, MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
}

static void categories(void) {
  int count, i, index, controls, counters, categories, events, indices[64];
  char name[64];
  MPI_T_category_get_num(&count);
  for (i = 0; i < count; ++i) {
    int length = sizeof name;
    MPI_T_category_get_info(i, name, &length, NULL, NULL, &controls, &counters, &categories);
    MPI_T_category_get_index(name, &index);
    CHECK_EQUAL(i, index);
    CHECK_EQUAL(MPI_SUCCESS, MPI_T_category_get_cvars(i, 64, indices));
    CHECK_EQUAL(MPI_SUCCESS, MPI_T_category_get_pvars(i, 64, indices));
    MPI_T_category_get_num_events(i, &events);
    CHECK_EQUAL(0, events);
  }
  MPI_T_event_get_num(&count);
  CHECK_EQUAL(0, count);
  MPI_T_source_get_num(&count);
  CHECK_EQUAL(0, count);
  CHECK_EQUAL(MPI_T_ERR_INVALID_INDEX, MPI_T_category_get_num_events(99, &events));
  CHECK_EQUAL(MPI_T_ERR_INVALID_NAME, MPI_T_event_get_index("unheard of", &index));
}

int main(void) {
  int count, provided;
  CHECK_EQUAL(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_get_num(&count));
  CHECK_EQUAL(MPI_SUCCESS, MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  controls(1);
  MPI_Init(NULL, NULL);
  controls(0);
  counters();
  categories();
  MPI_Finalize();
  controls(0);
  MPI_T_finalize();
  CHECK_EQUAL(MPI_T_ERR_NOT_INITIALIZED, MPI_T_cvar_get_num(&count));
  return 0;
}
