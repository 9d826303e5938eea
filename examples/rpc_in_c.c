/* Remote calls from C: each rank keeps words for the others, and is asked for them.
 *
 *   mpirun -n 2 rpc_in_c */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vif/rpc.h>

static char kept[64];

static void check(int error) {
  if (error == 0) return;
  fprintf(stderr, "%s\n", vif_error_text());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The word travels as the body; the service says where it goes. */
static void kept_it(vif_rpc_request* request, void* argument) {
  (void)argument;
  check(vif_rpc_reply(request, NULL, 0, NULL, 0));
  vif_rpc_request_release(request);
}

static void keep(vif_rpc_request* request, void* argument) {
  if (vif_rpc_request_body_bytes(request) > sizeof kept) {
    vif_rpc_fail(request, 1, "the word is too long");
    vif_rpc_request_release(request);
    return;
  }
  check(vif_rpc_request_receive(request, kept, sizeof kept, kept_it, argument));
}

static void tell(vif_rpc_request* request, void* argument) {
  (void)argument;
  check(vif_rpc_reply(request, kept, strlen(kept) + 1, NULL, 0));
  vif_rpc_request_release(request);
}

static int ask(vif_rpc_node* node, int rank, const char* service, const char* body, char* header) {
  vif_rpc_call_options options = {.deadline_ns = 30000000000};
  vif_rpc_call_handle* call;
  vif_rpc_answer answer;
  size_t bytes = body == NULL ? 0 : strlen(body) + 1;
  check(vif_rpc_call(node, rank, vif_rpc_service(service), NULL, 0, body, bytes, &options, NULL, NULL, &call));
  int error = vif_rpc_call_wait(call, &answer);
  if (error == VIF_RPC_OK && header != NULL) memcpy(header, answer.header, answer.header_bytes);
  if (error != VIF_RPC_OK && error != VIF_RPC_REFUSED) fprintf(stderr, "%s: %s\n", service, answer.text);
  vif_rpc_call_release(call);
  return error;
}

int main(int argc, char** argv) {
  int provided, wrong = 0;
  char word[64], long_word[100] = {0}, told[64];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  vif_runtime* runtime;
  vif_rpc_node* node;
  check(vif_runtime_create(2, &runtime));
  check(vif_rpc_node_create(runtime, &node));
  check(vif_rpc_serve(node, vif_rpc_service("keep"), keep, NULL));
  check(vif_rpc_serve(node, vif_rpc_service("tell"), tell, NULL));
  MPI_Barrier(MPI_COMM_WORLD); /* everybody serves */

  int next = (vif_rpc_rank(node) + 1) % vif_rpc_size(node);
  snprintf(word, sizeof word, "a word from rank %d", vif_rpc_rank(node));
  memset(long_word, 'x', sizeof long_word - 1);
  wrong += ask(node, next, "keep", word, NULL) != VIF_RPC_OK;
  wrong += ask(node, next, "keep", long_word, NULL) != VIF_RPC_REFUSED;
  wrong += ask(node, next, "tell", NULL, told) != VIF_RPC_OK || strcmp(word, told) != 0;
  if (wrong == 0 && vif_rpc_rank(node) == 0) printf("rank %d keeps \"%s\".\n", next, told);

  MPI_Barrier(MPI_COMM_WORLD); /* nobody calls any more */
  vif_rpc_node_destroy(node);
  vif_runtime_destroy(runtime);
  MPI_Finalize();
  return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
