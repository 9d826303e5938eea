/* What needs one process: errors and their handlers, attributes, info objects, groups, statuses, integers for handles.
   Uses nothing but mpi.h. As the standard says since version 4, errors without a communicator go to MPI_COMM_SELF. */
#include "p2p_check.h"

#include <stdint.h>

static int handler_calls = 0;
static int handler_code = 0;

static void note_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  handler_code = *code;
  ++handler_calls;
}

static void errors(void) {
  MPI_Errhandler handler, current;
  char text[MPI_MAX_ERROR_STRING];
  int length, error_class, code, rank = 5;
  MPI_Group group, subgroup;
  MPI_Comm_create_errhandler(note_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &current);
  CHECK(current == handler);
  MPI_Errhandler_free(&current);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  /* Errors without a communicator go to MPI_COMM_SELF's handler. */
  MPI_Comm_group(MPI_COMM_SELF, &group);
  CHECK_CLASS(MPI_ERR_RANK, MPI_Group_incl(group, 1, &rank, &subgroup));
  CHECK_EQUAL(1, handler_calls);
  MPI_Error_class(handler_code, &error_class);
  CHECK_EQUAL(MPI_ERR_RANK, error_class);
  MPI_Group_free(&group);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);

  MPI_Add_error_class(&error_class);
  CHECK(error_class > MPI_ERR_LASTCODE);
  MPI_Add_error_code(error_class, &code);
  MPI_Add_error_string(code, "the wind has dropped");
  MPI_Error_string(code, text, &length);
  CHECK(strcmp(text, "the wind has dropped") == 0);
  CHECK_EQUAL(20, length);
  CHECK_CLASS(error_class, code);
  MPI_Error_string(MPI_ERR_TAG, text, &length);
  CHECK(length > 0 && text[length] == '\0');
}

static int deletions = 0;

static int copy_plus_one(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm;
  (void)key;
  *(void**)out = (char*)in + *(int*)extra;
  *flag = 1;
  return MPI_SUCCESS;
}

static int count_deletion(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  ++deletions;
  return MPI_SUCCESS;
}

static int refuse_copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_ERR_OTHER;
}

static void attributes(void) {
  int key, silent, doubled, refused, flag, step = 1;
  int* number;
  char* value;
  char place[4];
  MPI_Comm copy;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number, &flag);
  CHECK(flag && *number >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &number, &flag);
  CHECK(flag && *number > MPI_ERR_LASTCODE);

  MPI_Comm_create_keyval(copy_plus_one, count_deletion, &key, &step);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &silent, NULL);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &doubled, NULL);
  MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag);
  CHECK(!flag);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, place);
  MPI_Comm_set_attr(MPI_COMM_SELF, silent, place + 3);
  MPI_Comm_set_attr(MPI_COMM_SELF, doubled, place + 2);
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  MPI_Comm_get_attr(copy, key, &value, &flag);
  CHECK(flag && value == place + 1);
  MPI_Comm_get_attr(copy, silent, &value, &flag);
  CHECK(!flag);
  MPI_Comm_get_attr(copy, doubled, &value, &flag);
  CHECK(flag && value == place + 2);
  MPI_Comm_set_attr(copy, key, place);
  CHECK_EQUAL(1, deletions);
  MPI_Comm_free(&copy);
  CHECK_EQUAL(2, deletions);

  MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &refused, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, refused, place);
  CHECK(MPI_Comm_dup(MPI_COMM_SELF, &copy) != MPI_SUCCESS);
  MPI_Comm_delete_attr(MPI_COMM_SELF, refused);
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  MPI_Comm_delete_attr(MPI_COMM_SELF, silent);
  MPI_Comm_delete_attr(MPI_COMM_SELF, doubled);
  MPI_Comm_free_keyval(&refused);
  MPI_Comm_free_keyval(&key);
  MPI_Comm_free_keyval(&silent);
  MPI_Comm_free_keyval(&doubled);
  CHECK_EQUAL(MPI_KEYVAL_INVALID, key);
}

static void infos(void) {
  MPI_Info info, copy;
  char key[MPI_MAX_INFO_KEY], value[16];
  int count, flag, length;
  MPI_Info_create(&info);
  MPI_Info_set(info, "colour", "green");
  MPI_Info_set(info, "shape", "a round one");
  MPI_Info_set(info, "colour", "red");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "shape");
  MPI_Info_get_nkeys(info, &count);
  CHECK_EQUAL(1, count);
  MPI_Info_get_nkeys(copy, &count);
  CHECK_EQUAL(2, count);
  MPI_Info_get_nthkey(info, 0, key);
  CHECK(strcmp(key, "colour") == 0);
  length = 8;
  MPI_Info_get_string(copy, "shape", &length, value, &flag);
  CHECK(flag && strcmp(value, "a round") == 0);
  CHECK_EQUAL(12, length);
  MPI_Info_get_string(info, "shape", &length, value, &flag);
  CHECK(!flag);
  CHECK_CLASS(MPI_ERR_INFO_NOKEY, MPI_Info_delete(info, "shape"));
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
  CHECK(info == MPI_INFO_NULL);
}

static void groups(void) {
  MPI_Group world, self, both, none, same;
  int ranks[2] = {0, MPI_PROC_NULL}, found[2], result, size;
  int range[1][3] = {{0, 0, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Comm_group(MPI_COMM_SELF, &self);
  MPI_Group_translate_ranks(self, 2, ranks, world, found);
  CHECK_EQUAL(check_rank, found[0]);
  CHECK_EQUAL(MPI_PROC_NULL, found[1]);
  MPI_Group_union(world, self, &both);
  MPI_Group_compare(world, both, &result);
  CHECK_EQUAL(MPI_IDENT, result);
  MPI_Group_difference(self, world, &none);
  MPI_Group_size(none, &size);
  CHECK_EQUAL(0, size);
  MPI_Group_compare(none, MPI_GROUP_EMPTY, &result);
  CHECK_EQUAL(MPI_IDENT, result);
  MPI_Group_range_incl(self, 1, range, &same);
  MPI_Group_compare(self, same, &result);
  CHECK_EQUAL(MPI_IDENT, result);
  MPI_Group_free(&same);
  MPI_Group_range_excl(self, 1, range, &same);
  MPI_Group_size(same, &size);
  CHECK_EQUAL(0, size);
  MPI_Group_free(&same);
  MPI_Group_free(&none);
  MPI_Group_free(&both);
  MPI_Group_free(&self);
  MPI_Group_free(&world);
}

static int type_deletions = 0;

static int count_type_deletion(MPI_Datatype type, int key, void* value, void* extra) {
  int size;
  (void)key;
  (void)value;
  (void)extra;
  MPI_Type_size(type, &size); /* the type is still there */
  type_deletions += size;
  return MPI_SUCCESS;
}

static void types(void) {
  MPI_Datatype type, copy;
  int key, length, flag;
  void* value;
  char name[MPI_MAX_OBJECT_NAME];
  MPI_Type_get_name(MPI_INT, name, &length);
  CHECK(strcmp(name, "MPI_INT") == 0);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_set_name(type, "three");
  MPI_Type_get_name(type, name, &length);
  CHECK(strcmp(name, "three") == 0 && length == 5);
  MPI_Type_create_keyval(MPI_TYPE_DUP_FN, count_type_deletion, &key, NULL);
  MPI_Type_set_attr(type, key, name);
  MPI_Type_dup(type, &copy);
  MPI_Type_get_attr(copy, key, &value, &flag);
  CHECK(flag && value == (void*)name);
  MPI_Type_free(&type);
  MPI_Type_free(&copy);
  CHECK_EQUAL(24, type_deletions);
  MPI_Type_free_keyval(&key);
}

static void handles(void) {
  MPI_Datatype type;
  MPI_Op op = MPI_Op_fromint(MPI_Op_toint(MPI_MAX));
  int number;
  CHECK(op == MPI_MAX);
  CHECK_EQUAL((int)(intptr_t)MPI_COMM_WORLD, MPI_Comm_toint(MPI_COMM_WORLD));
  MPI_Type_contiguous(2, MPI_INT, &type);
  number = MPI_Type_toint(type);
  CHECK(number == MPI_Type_toint(type));
  CHECK(MPI_Type_fromint(number) == type);
  MPI_Type_free(&type);
}

static void environment(void) {
  int flag, level, major, minor;
  double before = MPI_Wtime();
  void* memory;
  MPI_Query_thread(&level);
  CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
  MPI_Is_thread_main(&flag);
  CHECK(flag);
  MPI_Abi_get_version(&major, &minor);
  CHECK_EQUAL(MPI_ABI_VERSION, major);
  CHECK_EQUAL(MPI_ABI_SUBVERSION, minor);
  MPI_Alloc_mem(100000, MPI_INFO_NULL, &memory);
  memset(memory, 1, 100000);
  MPI_Free_mem(memory);
  CHECK(MPI_Wtime() >= before);
  CHECK(MPI_Wtick() > 0);
}

static int finalized_self = 0;

static int at_finalize(MPI_Comm comm, int key, void* value, void* extra) {
  int flag;
  (void)comm;
  (void)key;
  (void)value;
  (void)extra;
  MPI_Finalized(&flag);
  finalized_self = !flag;
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int size, flag, key;
  MPI_Initialized(&flag);
  if (flag) return 1;
  MPI_Init(&argc, &argv);
  check_start(&size);
  MPI_Initialized(&flag);
  CHECK(flag);
  errors();
  attributes();
  infos();
  groups();
  types();
  handles();
  environment();
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Finalize();
  MPI_Finalized(&flag);
  return flag && finalized_self ? 0 : 1;
}
