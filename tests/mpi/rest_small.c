/* Small functions of the interface, one after the other, that need one process: integers for handles, the fields of a
   status, the old names of attributes, groups, info objects, errors, what the tool interface says of events. */
#include "p2p_check.h"

static void integers(void) {
  MPI_Session session;
  MPI_Request request;
  MPI_Message message;
  MPI_Group group;
  MPI_Info info;
  MPI_Win win;
  int word = 5, got;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  CHECK(MPI_Session_fromint(MPI_Session_toint(session)) == session);
  MPI_Session_finalize(&session);
  CHECK(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
  MPI_Comm_group(MPI_COMM_SELF, &group);
  CHECK(MPI_Group_fromint(MPI_Group_toint(group)) == group);
  MPI_Group_free(&group);
  MPI_Info_create(&info);
  CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
  MPI_Info_free(&info);
  MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  CHECK(MPI_Win_fromint(MPI_Win_toint(win)) == win);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  got = 6;
  MPI_Put(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_flush_local(0, win);
  MPI_Win_unlock(0, win);
  CHECK_EQUAL(6, word);
  MPI_Win_free(&win);
  MPI_Isend(&word, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request);
  CHECK(MPI_Request_fromint(MPI_Request_toint(request)) == request);
  MPI_Mprobe(0, 3, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
  CHECK(MPI_Message_fromint(MPI_Message_toint(message)) == message);
  MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK(message == MPI_MESSAGE_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void statuses(void) {
  MPI_Status status;
  int source, tag, error, count;
  MPI_Count large;
  memset(&status, 0, sizeof status);
  MPI_Status_set_source(&status, 4);
  MPI_Status_set_tag(&status, 5);
  MPI_Status_set_error(&status, MPI_ERR_TRUNCATE);
  MPI_Status_get_source(&status, &source);
  MPI_Status_get_tag(&status, &tag);
  MPI_Status_get_error(&status, &error);
  CHECK_EQUAL(4, source);
  CHECK_EQUAL(5, tag);
  CHECK_EQUAL(MPI_ERR_TRUNCATE, error);
  MPI_Status_set_elements(&status, MPI_DOUBLE, 6);
  MPI_Get_elements(&status, MPI_DOUBLE, &count);
  CHECK_EQUAL(6, count);
  MPI_Status_set_elements_x(&status, MPI_CHAR, (MPI_Count)3 << 32);
  MPI_Get_elements_x(&status, MPI_CHAR, &large);
  CHECK_EQUAL((MPI_Count)3 << 32, large);
}

static int deleted;
static int count_deletion(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)value;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static int count_type_deletion(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type;
  (void)key;
  (void)value;
  ++*(int*)extra;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key, flag;
  void* value;
  MPI_Datatype type;
  MPI_Keyval_create(MPI_NULL_COPY_FN, count_deletion, &key, &deleted);
  MPI_Attr_put(MPI_COMM_SELF, key, &key);
  MPI_Attr_get(MPI_COMM_SELF, key, &value, &flag);
  CHECK(flag && value == &key);
  MPI_Attr_delete(MPI_COMM_SELF, key);
  CHECK_EQUAL(1, deleted);
  MPI_Keyval_free(&key);
  CHECK_EQUAL(MPI_KEYVAL_INVALID, key);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_type_deletion, &key, &deleted);
  MPI_Type_dup(MPI_INT, &type);
  MPI_Type_set_attr(type, key, &key);
  MPI_Type_delete_attr(type, key);
  CHECK_EQUAL(2, deleted);
  MPI_Type_free(&type);
  MPI_Type_free_keyval(&key);
}

static void groups(void) {
  MPI_Group all, none, both;
  int rank = 0, size;
  MPI_Comm_group(MPI_COMM_SELF, &all);
  MPI_Group_excl(all, 1, &rank, &none);
  CHECK(none == MPI_GROUP_EMPTY);
  MPI_Group_intersection(all, all, &both);
  MPI_Group_size(both, &size);
  CHECK_EQUAL(1, size);
  MPI_Group_free(&both);
  MPI_Group_free(&all);
}

static int handled;
static void note_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}

static void communicators(void) {
  MPI_Errhandler handler;
  MPI_Info info;
  MPI_Comm copy;
  MPI_Request request;
  char name[MPI_MAX_PROCESSOR_NAME], version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_call_errhandler(MPI_COMM_SELF, MPI_ERR_OTHER);
  CHECK_EQUAL(1, handled);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  CHECK_EQUAL(MPI_SUCCESS, MPI_Comm_set_info(MPI_COMM_SELF, info));
  MPI_Comm_idup_with_info(MPI_COMM_SELF, info, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&copy);
  MPI_Info_free(&info);
  MPI_Get_processor_name(name, &length);
  CHECK_EQUAL((int)strlen(name), length);
  MPI_Get_library_version(version, &length);
  CHECK_EQUAL((int)strlen(version), length);
  MPI_Pcontrol(1);
}

static void infos(char** argv) {
  MPI_Info info;
  int length, flag;
  MPI_Info_create_env(1, argv, &info);
  MPI_Info_free(&info);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_get_valuelen(info, "key", &length, &flag);
  CHECK(flag);
  CHECK_EQUAL(5, length);
  MPI_Info_free(&info);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Abi_get_info(&info));
  MPI_Info_free(&info);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Get_hw_resource_info(&info));
  MPI_Info_free(&info);
}

static void maximum(void* in, void* inout, int* count, MPI_Datatype* type) {
  int i;
  (void)type;
  for (i = 0; i < *count; ++i) {
    if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
  }
}
static void large_maximum(void* in, void* inout, MPI_Count* count, MPI_Datatype* type) {
  int small = (int)*count;
  maximum(in, inout, &small, type);
}

static void operators(void) {
  int in[3] = {1, 7, 3}, out[3] = {4, 5, 6};
  MPI_Op op;
  MPI_Reduce_local(in, out, 3, MPI_INT, MPI_SUM);
  CHECK(out[0] == 5 && out[1] == 12 && out[2] == 9);
  MPI_Op_create(maximum, 1, &op);
  MPI_Reduce_local((int[]){6, 0, 0}, out, 3, MPI_INT, op);
  CHECK(out[0] == 6 && out[1] == 12);
  MPI_Op_free(&op);
  MPI_Op_create_c(large_maximum, 1, &op);
  MPI_Reduce_local((int[]){0, 0, 20}, out, 3, MPI_INT, op);
  CHECK(out[0] == 6 && out[2] == 20);
  MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_INT, op, MPI_COMM_SELF);
  CHECK(out[0] == 6 && out[2] == 20);
  MPI_Op_free(&op);
}

static int extent_of(MPI_Datatype type, MPI_Aint* extent, void* state) {
  MPI_Aint lb;
  (void)state;
  return MPI_Type_get_extent(type, &lb, extent);
}

/* A buffer of a session, and its large form. */
static void buffers(void) {
  static char room[1000];
  MPI_Session session;
  void* place;
  int size;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  CHECK_EQUAL(MPI_SUCCESS, MPI_Session_attach_buffer(session, room, sizeof room));
  CHECK_EQUAL(MPI_SUCCESS, MPI_Session_detach_buffer(session, &place, &size));
  CHECK(place == room && size == (int)sizeof room);
  MPI_Session_finalize(&session);
}

static void representations(void) {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_EQUAL(MPI_SUCCESS,
              MPI_Register_datarep("mine", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, NULL));
  CHECK_EQUAL(MPI_SUCCESS,
              MPI_Register_datarep_c("mine too", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, extent_of, NULL));
  CHECK_CLASS(MPI_ERR_DUP_DATAREP,
              MPI_Register_datarep("mine", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, NULL));
}

/* A library has as many kinds of events as it likes; what it has not is refused. */
static void events(void) {
  int provided, count, number, which[64], name_length = 0, zero = 0, elements = 0;
  MPI_T_event_registration registration = NULL;
  MPI_T_event_instance instance = NULL;
  MPI_T_source_order order;
  MPI_Count ticks, most;
  MPI_Info info;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_event_get_num(&count);
  CHECK(MPI_SUCCESS !=
        MPI_T_event_get_info(count, NULL, &zero, NULL, NULL, NULL, &elements, NULL, NULL, NULL, &zero, NULL));
  CHECK(MPI_SUCCESS != MPI_T_event_handle_alloc(count, NULL, MPI_INFO_NULL, &registration));
  CHECK(MPI_SUCCESS != MPI_T_event_handle_get_info(registration, &info));
  CHECK(MPI_SUCCESS != MPI_T_event_handle_set_info(registration, MPI_INFO_NULL));
  CHECK(MPI_SUCCESS != MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL));
  CHECK(MPI_SUCCESS != MPI_T_event_callback_get_info(registration, MPI_T_CB_REQUIRE_NONE, &info));
  CHECK(MPI_SUCCESS != MPI_T_event_callback_set_info(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL));
  CHECK(MPI_SUCCESS != MPI_T_event_set_dropped_handler(registration, NULL));
  CHECK(MPI_SUCCESS != MPI_T_event_handle_free(registration, NULL, NULL));
  CHECK(MPI_SUCCESS != MPI_T_event_read(instance, 0, &number));
  CHECK(MPI_SUCCESS != MPI_T_event_copy(instance, &number));
  CHECK(MPI_SUCCESS != MPI_T_event_get_timestamp(instance, &ticks));
  CHECK(MPI_SUCCESS != MPI_T_event_get_source(instance, &number));
  MPI_T_source_get_num(&count);
  CHECK(MPI_SUCCESS != MPI_T_source_get_info(count, NULL, &zero, NULL, &name_length, &order, &ticks, &most, NULL));
  CHECK(MPI_SUCCESS != MPI_T_source_get_timestamp(count, &ticks));
  MPI_T_category_changed(&number);
  MPI_T_category_get_num(&count);
  if (count > 0) {
    CHECK_EQUAL(MPI_SUCCESS, MPI_T_category_get_categories(0, 64, which));
    CHECK_EQUAL(MPI_SUCCESS, MPI_T_category_get_events(0, 64, which));
  }
  MPI_T_finalize();
}

/* Counters that can only be read: to stop or reset them is refused, or done; never anything else. */
static void counters(void) {
  int provided, count, i, verbosity, class_of, bind, readonly, continuous, atomic, elements;
  MPI_Datatype type;
  MPI_T_enum values;
  MPI_T_pvar_session session;
  MPI_T_pvar_handle handle;
  unsigned long long buffer[64];
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_pvar_get_num(&count);
  MPI_T_pvar_session_create(&session);
  for (i = 0; i < count && i < 5; ++i) {
    char name[256], text[256];
    int name_length = sizeof name, text_length = sizeof text;
    if (MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class_of, &type, &values, text, &text_length, &bind,
                            &readonly, &continuous, &atomic) != MPI_SUCCESS) {
      continue;
    }
    if (bind != MPI_T_BIND_NO_OBJECT) continue;
    MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &elements);
    if (continuous) {
      CHECK_EQUAL(MPI_T_ERR_PVAR_NO_STARTSTOP, MPI_T_pvar_stop(session, handle));
    }
    if (readonly) {
      CHECK_EQUAL(MPI_T_ERR_PVAR_NO_WRITE, MPI_T_pvar_reset(session, handle));
    }
    if (!atomic) {
      CHECK_EQUAL(MPI_T_ERR_PVAR_NO_ATOMIC, MPI_T_pvar_readreset(session, handle, buffer));
    }
    MPI_T_pvar_handle_free(session, &handle);
  }
  MPI_T_pvar_session_free(&session);
  MPI_T_finalize();
}

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  check_start(&size);
  integers();
  statuses();
  attributes();
  groups();
  communicators();
  infos(argv);
  operators();
  buffers();
  representations();
  events();
  counters();
  CHECK_EQUAL(7, MPI_Aint_add(3, 4));
  MPI_Finalize();
  return 0;
}
