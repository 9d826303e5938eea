/* Remote calls between the processes of an MPI program, for C. What is promised is written once, in <vif/rpc.hpp>.
 *
 *   static void twice(vif_rpc_request* request, void* argument) {
 *     int number;
 *     memcpy(&number, vif_rpc_request_header(request, NULL), sizeof number);
 *     number *= 2;
 *     vif_rpc_reply(request, &number, sizeof number, NULL, 0);
 *     vif_rpc_request_release(request);
 *   }
 *   vif_rpc_node_create(runtime, &node);                 after MPI_Init_thread with MPI_THREAD_MULTIPLE
 *   vif_rpc_serve(node, vif_rpc_service("twice"), twice, NULL);
 *   vif_rpc_call(node, 1, vif_rpc_service("twice"), &number, sizeof number, NULL, 0, NULL, NULL, NULL, &call);
 *   vif_rpc_call_wait(call, &reply);                     reply.header has the number
 *   vif_rpc_call_release(call);
 *
 * Functions that return int return 0, or an error of <errno.h>; vif_error_text() of <vif/event.h> then has a sentence
 * about it. Handlers and functions that take replies are events of the runtime. Context: any thread and any event may
 * call them, unless it says otherwise; signal handlers may not. */
#ifndef VIF_RPC_H
#define VIF_RPC_H

#include <stddef.h>
#include <stdint.h>

#include <vif/event.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vif_rpc_node vif_rpc_node;
typedef struct vif_rpc_request vif_rpc_request;
typedef struct vif_rpc_call_handle vif_rpc_call_handle;

/* What a call ended with; vif_rpc_error_text() has a sentence for each. */
enum vif_rpc_error {
  VIF_RPC_OK = 0,
  VIF_RPC_UNKNOWN_SERVICE = 1,
  VIF_RPC_PEER_DEAD = 2,
  VIF_RPC_PEER_GONE = 3,
  VIF_RPC_DEADLINE = 4,
  VIF_RPC_CANCELLED = 5,
  VIF_RPC_HANDLER_THREW = 6,
  VIF_RPC_NO_REPLY = 7,
  VIF_RPC_REFUSED = 8,
  VIF_RPC_TRUNCATED = 9,
  VIF_RPC_CLOSED = 10
};
VIF_PUBLIC const char* vif_rpc_error_text(int error);

/* Longest header, in bytes. */
#define VIF_RPC_HEADER_LIMIT 1024

/* The number of a service by its name. */
VIF_PUBLIC uint64_t vif_rpc_service(const char* name);

/* Joins. Errors: EPERM (MPI is not as it must be: the text says what to do), EMFILE and others (no descriptor). */
VIF_PUBLIC int vif_rpc_node_create(vif_runtime* runtime, vif_rpc_node** node);
/* Leaves, before MPI_Finalize. Waits for the handlers that run; others do not begin any more. Not from an event of the
 * runtime. */
VIF_PUBLIC void vif_rpc_node_destroy(vif_rpc_node* node);
VIF_PUBLIC int vif_rpc_rank(const vif_rpc_node* node);
VIF_PUBLIC int vif_rpc_size(const vif_rpc_node* node);

/* A handler owns its request: it releases it when it is done with it, then or later. */
typedef void (*vif_rpc_handler)(vif_rpc_request* request, void* argument);
/* Calls to the service run the handler, one at a time, until the service is withdrawn. */
VIF_PUBLIC int vif_rpc_serve(vif_rpc_node* node, uint64_t service, vif_rpc_handler handler, void* argument);
VIF_PUBLIC void vif_rpc_withdraw(vif_rpc_node* node, uint64_t service);

VIF_PUBLIC int vif_rpc_request_caller(const vif_rpc_request* request);
/* The header; its size in *bytes unless that is NULL. Valid until the request is released. */
VIF_PUBLIC const void* vif_rpc_request_header(const vif_rpc_request* request, size_t* bytes);
VIF_PUBLIC uint64_t vif_rpc_request_body_bytes(const vif_rpc_request* request);
/* Nobody wants the answer any more. */
VIF_PUBLIC int vif_rpc_request_unwanted(const vif_rpc_request* request);
/* Receives the body, once; then runs `then` as an event, which owns the request from there on. EALREADY: the body was
 * received before, and the request is still the caller's. */
VIF_PUBLIC int vif_rpc_request_receive(vif_rpc_request* request, void* buffer, uint64_t room, vif_rpc_handler then,
                                       void* argument);
/* In `then`: what came, and VIF_RPC_OK, VIF_RPC_TRUNCATED, VIF_RPC_PEER_GONE or VIF_RPC_PEER_DEAD. */
VIF_PUBLIC uint64_t vif_rpc_request_received(const vif_rpc_request* request);
VIF_PUBLIC int vif_rpc_request_body_error(const vif_rpc_request* request);
/* Answers, once. The header and the body are copied. ESHUTDOWN: answered before, or nobody is there; EMSGSIZE: the
 * header is too long. */
VIF_PUBLIC int vif_rpc_reply(vif_rpc_request* request, const void* header, size_t header_bytes, const void* body,
                             uint64_t body_bytes);
VIF_PUBLIC int vif_rpc_fail(vif_rpc_request* request, int code, const char* text);
VIF_PUBLIC void vif_rpc_request_release(vif_rpc_request* request);

typedef struct vif_rpc_call_options {
  int64_t deadline_ns; /* from the call on; 0: none; less: it has passed */
  void* into;          /* where the body of the reply goes; NULL: the library makes room for it */
  uint64_t room;
} vif_rpc_call_options;

/* Valid until the function that takes it returns, or the call that it was waited for is released. */
typedef struct vif_rpc_answer {
  int error; /* of enum vif_rpc_error */
  int code;  /* of vif_rpc_fail() */
  const char* text;
  const void* header;
  size_t header_bytes;
  const void* body; /* NULL where it went `into` a place */
  uint64_t body_bytes;
} vif_rpc_answer;
typedef void (*vif_rpc_taker)(const vif_rpc_answer* answer, void* argument);

/* Calls a service of a process, by its rank in MPI_COMM_WORLD. Header and body are copied. `done` runs as an event;
 * NULL: the call is waited for. `options` may be NULL, and so may `call` if `done` is not. EINVAL: there is no such
 * rank, or there is neither; EMSGSIZE: the header is too long. */
VIF_PUBLIC int vif_rpc_call(vif_rpc_node* node, int rank, uint64_t service, const void* header, size_t header_bytes,
                            const void* body, uint64_t body_bytes, const vif_rpc_call_options* options,
                            vif_rpc_taker done, void* argument, vif_rpc_call_handle** call);
/* 1: it completes with VIF_RPC_CANCELLED. 0: it is complete, or its reply is arriving. */
VIF_PUBLIC int vif_rpc_call_cancel(vif_rpc_call_handle* call);
/* Once, of calls without a function. Not from an event. Returns the error of the answer. */
VIF_PUBLIC int vif_rpc_call_wait(vif_rpc_call_handle* call, vif_rpc_answer* answer);
VIF_PUBLIC void vif_rpc_call_release(vif_rpc_call_handle* call);

#ifdef __cplusplus
}
#endif

#endif
