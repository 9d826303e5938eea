// include/vif/rpc.h on include/vif/rpc.hpp. Nodes, requests and calls are those of C++ on the heap. Context: app and
// core.
#include <vif/rpc.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "sched/last_error.hpp"
#include "vif/rpc.hpp"

using vif::rpc::Bytes;
using vif::rpc::Reply;
using vif::rpc::Request;

struct vif_rpc_node {
  vif::rpc::Node node;
};
struct vif_rpc_request {
  Request request;
};
struct vif_rpc_call_handle {
  vif::rpc::Call call;
  Reply reply;
};

namespace {

using vif::sched::fail_with;

template <class Body>
int guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail_with(ENOMEM, "There is no memory for a remote call: release some, or raise the limit (ulimit -v).");
  } catch (const std::out_of_range& error) {
    return fail_with(EINVAL, error.what());
  } catch (const std::length_error& error) {
    return fail_with(EMSGSIZE, error.what());
  } catch (const std::logic_error& error) {
    return fail_with(EALREADY, error.what());
  } catch (const std::system_error& error) {
    return fail_with(error.code().value(), error.what());
  } catch (const std::exception& error) {
    return fail_with(EPERM, error.what());
  }
}

Bytes bytes_of(const void* data, size_t size) { return {static_cast<const std::byte*>(data), size}; }

int answered(bool fine) {
  return fine ? 0 : fail_with(ESHUTDOWN, "The call was answered before, or its caller is not there any more.");
}

void describe(const Reply& reply, vif_rpc_answer& answer) {
  answer.error = static_cast<int>(reply.error);
  answer.code = reply.code;
  answer.text = reply.text.c_str();
  answer.header = reply.header.data();
  answer.header_bytes = reply.header.size();
  answer.body = reply.body.empty() ? nullptr : reply.body.data();
  answer.body_bytes = reply.body_bytes;
}

// Runs a handler of the user's, which owns the request that it is given.
struct Handler {
  vif_rpc_handler function;
  void* argument;
  void operator()(const Request& request) const { function(new vif_rpc_request{request}, argument); }
};

}  // namespace

extern "C" {

const char* vif_rpc_error_text(int error) { return text_of(static_cast<vif::rpc::Error>(error)); }

uint64_t vif_rpc_service(const char* name) { return vif::rpc::service(name); }

int vif_rpc_node_create(vif_runtime* runtime, vif_rpc_node** node) {
  return guarded([&] {
    *node = new vif_rpc_node{vif::rpc::Node(*reinterpret_cast<vif::Runtime*>(runtime))};
    return 0;
  });
}

void vif_rpc_node_destroy(vif_rpc_node* node) { delete node; }
int vif_rpc_rank(const vif_rpc_node* node) { return node->node.rank(); }
int vif_rpc_size(const vif_rpc_node* node) { return node->node.size(); }

int vif_rpc_serve(vif_rpc_node* node, uint64_t service, vif_rpc_handler handler, void* argument) {
  return guarded([&] {
    node->node.serve(service, Handler{handler, argument});
    return 0;
  });
}

void vif_rpc_withdraw(vif_rpc_node* node, uint64_t service) { node->node.withdraw(service); }

int vif_rpc_request_caller(const vif_rpc_request* request) { return request->request.caller(); }

const void* vif_rpc_request_header(const vif_rpc_request* request, size_t* bytes) {
  if (bytes != nullptr) *bytes = request->request.header().size();
  return request->request.header().data();
}

uint64_t vif_rpc_request_body_bytes(const vif_rpc_request* request) { return request->request.body_bytes(); }
int vif_rpc_request_unwanted(const vif_rpc_request* request) { return request->request.unwanted() ? 1 : 0; }

int vif_rpc_request_receive(vif_rpc_request* request, void* buffer, uint64_t room, vif_rpc_handler then,
                            void* argument) {
  return guarded([&] {
    request->request.receive(buffer, room, Handler{then, argument});
    delete request;
    return 0;
  });
}

uint64_t vif_rpc_request_received(const vif_rpc_request* request) { return request->request.received(); }
int vif_rpc_request_body_error(const vif_rpc_request* request) {
  return static_cast<int>(request->request.body_error());
}

int vif_rpc_reply(vif_rpc_request* request, const void* header, size_t header_bytes, const void* body,
                  uint64_t body_bytes) {
  return guarded([&] { return answered(request->request.reply(bytes_of(header, header_bytes), body, body_bytes)); });
}

int vif_rpc_fail(vif_rpc_request* request, int code, const char* text) {
  return guarded([&] { return answered(request->request.fail(code, text != nullptr ? text : "")); });
}

void vif_rpc_request_release(vif_rpc_request* request) { delete request; }

int vif_rpc_call(vif_rpc_node* node, int rank, uint64_t service, const void* header, size_t header_bytes,
                 const void* body, uint64_t body_bytes, const vif_rpc_call_options* options, vif_rpc_taker done,
                 void* argument, vif_rpc_call_handle** call) {
  if (done == nullptr && call == nullptr) {
    return fail_with(EINVAL, "Nobody would learn how this call ends: give a function, or a place for the call.");
  }
  return guarded([&] {
    vif::rpc::CallOptions wishes;
    if (options != nullptr) {
      wishes.deadline = std::chrono::nanoseconds(options->deadline_ns);
      wishes.into = options->into;
      wishes.room = options->room;
    }
    std::function<void(Reply)> take;
    if (done != nullptr) {
      take = [done, argument](const Reply& reply) {
        vif_rpc_answer answer;
        describe(reply, answer);
        done(&answer, argument);
      };
    }
    auto* made = call != nullptr ? new vif_rpc_call_handle{vif::rpc::Call(nullptr), {}} : nullptr;
    try {
      auto begun =
          node->node.call(rank, service, bytes_of(header, header_bytes), body, body_bytes, std::move(take), wishes);
      if (made != nullptr) made->call = std::move(begun);
    } catch (...) {
      delete made;
      throw;
    }
    if (made != nullptr) *call = made;
    return 0;
  });
}

int vif_rpc_call_cancel(vif_rpc_call_handle* call) { return call->call.cancel() ? 1 : 0; }

int vif_rpc_call_wait(vif_rpc_call_handle* call, vif_rpc_answer* answer) {
  call->reply = call->call.wait();
  if (answer != nullptr) describe(call->reply, *answer);
  return static_cast<int>(call->reply.error);
}

void vif_rpc_call_release(vif_rpc_call_handle* call) { delete call; }

}  // extern "C"
