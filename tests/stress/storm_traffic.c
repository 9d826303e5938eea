// Messages between any processes, in all modes, received in all ways.
//
// Why it cannot hang. Every process handles its messages in the order of the plan, in one of three styles:
//   early    posts all its receives first, then sends, blocking or not
//   late     starts all its sends without waiting, then receives one after the other
//   ordered  takes each message at its turn, blocking on both sides
// Of the messages not yet delivered, the first of the plan always moves: its sender is at it or past it, its receiver
// has a receive for it. For wildcards this holds when a receive waits for whatever comes (late), or when it may only
// choose among the tags of one source; MPI_ANY_SOURCE with a tag is for early processes.
#include <stdlib.h>

#include "storm.h"

enum { most_messages = 96 };
enum Style { early, late, ordered, styles };
enum Wildcard { exact, any_tag, any_source, anything, wildcards };
enum Call { blocking, immediate, persistent, calls };
enum Mode { standard, synchronous, buffered, ready, modes };

struct Message {
  int source;
  int destination;
  int tag;
  int call;
  int mode;
  int consumed;
  size_t size;
  uint64_t identity;
};

struct Plan {
  int count;
  int barrier;   // between posting and sending: then messages to early processes may be sent in ready mode
  int separate;  // somebody receives from any source, and must not get a message of what follows
  int* styles;   // of each process
  int* wildcards;
  struct Message messages[most_messages];
};

static void plan_message(struct Storm* storm, struct Plan* plan, struct Message* message, size_t most) {
  struct Random* random = &storm->shared;
  message->source = (int)random_below(random, (uint64_t)storm->size);
  message->destination = (int)random_below(random, (uint64_t)storm->size);
  if (message->source == message->destination && plan->styles[message->source] == ordered) {
    message->destination = (message->destination + 1) % storm->size;
  }
  message->tag = (int)random_below(random, 3);
  message->size = random_size(random, most);
  message->identity = storm->next_identity++;
  message->consumed = 0;
  message->mode = (int)random_below(random, modes);
  message->call = (int)random_below(random, calls);
  const int sender = plan->styles[message->source];
  if (sender == ordered) message->call = blocking;
  if (message->mode == ready && !(plan->barrier && plan->styles[message->destination] == early)) {
    message->mode = standard;
  }
  // Buffered messages must fit in the buffer that the program attached.
  if (message->mode == buffered && message->size > 2048) message->mode = synchronous;
  if (sender == late && message->call == blocking && message->mode != buffered) message->call = immediate;
}

static void plan_make(struct Storm* storm, struct Plan* plan) {
  struct Random* random = &storm->shared;
  static const size_t sizes[] = {3000, 70000, 600000, 4u << 20};
  static const int counts[] = {most_messages, 40, 12, 4};
  const int kind = (int)random_below(random, 4);
  plan->count = 1 + (int)random_below(random, (uint64_t)counts[kind]);
  plan->barrier = random_chance(random, 50);
  plan->styles = malloc(sizeof(int) * (size_t)storm->size);
  plan->wildcards = malloc(sizeof(int) * (size_t)storm->size);
  plan->separate = 0;
  for (int i = 0; i < storm->size; ++i) {
    plan->styles[i] = storm->size == 1 ? early : (int)random_below(random, styles);
    plan->wildcards[i] = (int)random_below(random, wildcards);
    if (plan->styles[i] == late && plan->wildcards[i] == any_source) plan->wildcards[i] = anything;
    if (plan->styles[i] == ordered && plan->wildcards[i] > any_tag) plan->wildcards[i] = exact;
    if (plan->wildcards[i] >= any_source) plan->separate = 1;
  }
  for (int i = 0; i < plan->count; ++i) plan_message(storm, plan, &plan->messages[i], sizes[kind]);
}

static int pattern_source(struct Storm* storm, struct Plan* plan, const struct Message* message) {
  return plan->wildcards[storm->rank] >= any_source ? MPI_ANY_SOURCE : message->source;
}

static int pattern_tag(struct Storm* storm, struct Plan* plan, const struct Message* message) {
  const int wildcard = plan->wildcards[storm->rank];
  return wildcard == any_tag || wildcard == anything ? MPI_ANY_TAG : message->tag;
}

// Room for whatever the receive that stands for `message` may match.
static size_t pattern_room(struct Storm* storm, struct Plan* plan, const struct Message* message) {
  if (plan->wildcards[storm->rank] == exact) {
    return message->size;
  }
  size_t room = 0;
  for (int i = 0; i < plan->count; ++i) {
    if (plan->messages[i].destination == storm->rank && plan->messages[i].size > room) room = plan->messages[i].size;
  }
  return room;
}

// The receive that was posted for `posted` completed: was it the message that MPI's order says?
static void received(struct Storm* storm, struct Plan* plan, const struct Message* posted, MPI_Status* status,
                     const unsigned char* buffer) {
  const int tag = pattern_tag(storm, plan, posted);
  struct Message* expected = NULL;
  for (int i = 0; i < plan->count && expected == NULL; ++i) {
    struct Message* message = &plan->messages[i];
    if (message->destination == storm->rank && message->source == status->MPI_SOURCE && !message->consumed &&
        (tag == MPI_ANY_TAG || tag == message->tag)) {
      expected = message;
    }
  }
  if (expected == NULL) {
    fail(storm, "a message from %d with tag %d came, which nobody sent", status->MPI_SOURCE, status->MPI_TAG);
  }
  expected->consumed = 1;
  int count = -1;
  MPI_Get_count(status, MPI_BYTE, &count);
  if (status->MPI_TAG != expected->tag || (size_t)count != expected->size) {
    fail(storm, "the next message from %d has tag %d and %zu bytes, but tag %d and %d bytes came", expected->source,
         expected->tag, expected->size, status->MPI_TAG, count);
  }
  content_check(storm, buffer, expected->size, expected->identity, "a message");
  storm->messages++;
  storm->bytes += expected->size;
}

static void send_blocking(struct Storm* storm, const struct Message* m, const unsigned char* buffer) {
  static int (*const functions[])(const void*, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Ssend, MPI_Bsend,
                                                                                         MPI_Rsend};
  functions[m->mode](buffer, (int)m->size, MPI_BYTE, m->destination, m->tag, storm->comm);
}

static void send_immediate(struct Storm* storm, const struct Message* m, const unsigned char* buffer,
                           MPI_Request* request) {
  static int (*const functions[])(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = {
      MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
  functions[m->mode](buffer, (int)m->size, MPI_BYTE, m->destination, m->tag, storm->comm, request);
}

static void send_persistent(struct Storm* storm, const struct Message* m, const unsigned char* buffer,
                            MPI_Request* request) {
  static int (*const functions[])(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = {
      MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
  functions[m->mode](buffer, (int)m->size, MPI_BYTE, m->destination, m->tag, storm->comm, request);
  MPI_Start(request);
}

// Sends one message. The request is MPI_REQUEST_NULL when nothing is left to wait for.
static unsigned char* send_message(struct Storm* storm, const struct Message* message, MPI_Request* request) {
  static const char* const words[] = {"sending message %ld of %ld bytes to %ld, blocking",
                                      "starting message %ld of %ld bytes to %ld",
                                      "starting persistent message %ld of %ld bytes to %ld"};
  unsigned char* buffer = buffer_make(storm, message->size);
  content_fill(buffer, message->size, message->identity);
  doing(storm, words[message->call], (long)message->identity, (long)message->size, message->destination);
  *request = MPI_REQUEST_NULL;
  if (message->call == blocking) {
    send_blocking(storm, message, buffer);
    content_check(storm, buffer, message->size, message->identity, "a buffer that was sent");
    buffer_free(storm, buffer);
    return NULL;
  }
  if (message->call == immediate)
    send_immediate(storm, message, buffer, request);
  else
    send_persistent(storm, message, buffer, request);
  return buffer;
}

// Receives one message, waiting: with or without looking first.
static void receive_message(struct Storm* storm, struct Plan* plan, const struct Message* message) {
  int source = pattern_source(storm, plan, message);
  int tag = pattern_tag(storm, plan, message);
  const size_t room = pattern_room(storm, plan, message);
  unsigned char* buffer = buffer_make(storm, room);
  MPI_Status status;
  MPI_Message found = MPI_MESSAGE_NULL;
  const int way = (int)random_below(&storm->own, 5);
  doing(storm, "receiving from %ld with tag %ld, in way %ld", source, tag, way);
  int there = 0;
  if (way == 1) MPI_Probe(source, tag, storm->comm, &status);
  while (way == 2 && !there) MPI_Iprobe(source, tag, storm->comm, &there, &status);
  if (way == 3) MPI_Mprobe(source, tag, storm->comm, &found, &status);
  while (way == 4 && !there) MPI_Improbe(source, tag, storm->comm, &there, &found, &status);
  if (way >= 3) {
    compute(storm);
    MPI_Request request;
    MPI_Imrecv(buffer, (int)room, MPI_BYTE, &found, &request);
    compute(storm);
    MPI_Wait(&request, &status);
  } else {
    if (way > 0) source = status.MPI_SOURCE;
    if (way > 0) tag = status.MPI_TAG;
    MPI_Recv(buffer, (int)room, MPI_BYTE, source, tag, storm->comm, &status);
  }
  received(storm, plan, message, &status, buffer);
  buffer_free(storm, buffer);
}

struct Started {
  int count;
  MPI_Request requests[2 * most_messages];
  unsigned char* buffers[2 * most_messages];
  const struct Message* messages[2 * most_messages];
  int incoming[2 * most_messages];
};

static void started_add(struct Started* started, const struct Message* message, MPI_Request request,
                        unsigned char* buffer, int incoming) {
  const int i = started->count++;
  started->requests[i] = request;
  started->buffers[i] = buffer;
  started->messages[i] = message;
  started->incoming[i] = incoming;
}

static void post_receives(struct Storm* storm, struct Plan* plan, struct Started* started) {
  for (int i = 0; i < plan->count; ++i) {
    const struct Message* message = &plan->messages[i];
    if (message->destination != storm->rank) continue;
    const size_t room = pattern_room(storm, plan, message);
    const int source = pattern_source(storm, plan, message);
    const int tag = pattern_tag(storm, plan, message);
    unsigned char* buffer = buffer_make(storm, room);
    MPI_Request request;
    doing(storm, "posting a receive from %ld with tag %ld and room for %ld", source, tag, (long)room);
    if (random_chance(&storm->own, 30)) {
      MPI_Recv_init(buffer, (int)room, MPI_BYTE, source, tag, storm->comm, &request);
      MPI_Startall(1, &request);
    } else {
      MPI_Irecv(buffer, (int)room, MPI_BYTE, source, tag, storm->comm, &request);
    }
    started_add(started, message, request, buffer, 1);
    compute(storm);
  }
}

static void finish(struct Storm* storm, struct Plan* plan, struct Started* started) {
  MPI_Status statuses[2 * most_messages];
  complete_all(storm, started->count, started->requests, statuses);
  for (int i = 0; i < started->count; ++i) {
    const struct Message* message = started->messages[i];
    if (started->incoming[i])
      received(storm, plan, message, &statuses[i], started->buffers[i]);
    else
      content_check(storm, started->buffers[i], message->size, message->identity, "a buffer that was sent");
    buffer_free(storm, started->buffers[i]);
  }
}

void traffic(struct Storm* storm) {
  struct Plan* plan = malloc(sizeof *plan);
  struct Started* started = malloc(sizeof *started);
  plan_make(storm, plan);
  started->count = 0;
  const int style = plan->styles[storm->rank];
  if (style == early) post_receives(storm, plan, started);
  doing(storm, "MPI_Barrier before the sends of %ld messages", plan->count, 0, 0);
  if (plan->barrier) MPI_Barrier(storm->comm);
  for (int i = 0; i < plan->count; ++i) {
    const struct Message* message = &plan->messages[i];
    if (message->source == storm->rank) {
      MPI_Request request;
      unsigned char* buffer = send_message(storm, message, &request);
      if (buffer != NULL) started_add(started, message, request, buffer, 0);
      compute(storm);
    } else if (message->destination == storm->rank && style == ordered) {
      receive_message(storm, plan, message);
    }
  }
  for (int i = 0; i < plan->count && style == late; ++i) {
    if (plan->messages[i].destination != storm->rank) continue;
    receive_message(storm, plan, &plan->messages[i]);
    compute(storm);
  }
  finish(storm, plan, started);
  doing(storm, "MPI_Barrier after %ld messages", plan->count, 0, 0);
  if (plan->separate) MPI_Barrier(storm->comm);
  for (int i = 0; i < plan->count; ++i) {
    if (plan->messages[i].destination == storm->rank && !plan->messages[i].consumed) {
      fail(storm, "message %d of %d never came", i, plan->count);
    }
  }
  free(plan->styles);
  free(plan->wildcards);
  free(plan);
  free(started);
}
