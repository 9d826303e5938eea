/* Coloured events for C: handlers that run on the cores of a runtime, each to its end. What is promised of colours,
 * order, watches and stopping is written once, in <vif/event.hpp>.
 *
 *   vif_runtime* runtime;
 *   if (vif_runtime_create(0, &runtime) != 0) fprintf(stderr, "%s\n", vif_error_text());
 *   vif_post(runtime, 7, say, "seven");          say("seven") runs; 7 is the colour
 *   vif_stop(runtime);
 *   vif_run(runtime);                            returns when all has run
 *   vif_runtime_destroy(runtime);
 *
 * Functions that return int return 0, or an error of <errno.h>; vif_error_text() then has a sentence about it.
 * ESHUTDOWN: the runtime has been stopped, and the handler will not run. ENOMEM: there is no memory. A handler must not
 * throw. Context: any thread and any handler of an event may call them, unless it says otherwise; signal handlers may
 * not. */
#ifndef VIF_EVENT_H
#define VIF_EVENT_H

#include <stdint.h>

/* Marks what the libraries of Vif offer to programs. */
#ifndef VIF_PUBLIC
#define VIF_PUBLIC __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vif_runtime vif_runtime;
typedef struct vif_watch vif_watch;
typedef uint64_t vif_colour; /* any number; zero is the colour of those who do not care */
typedef void (*vif_handler)(void* argument);

/* Starts the cores: so many, or with 0 one for each CPU that may be used. Errors: EINVAL (an option of the environment
 * is wrong), EAGAIN and others of pthread_create. */
VIF_PUBLIC int vif_runtime_create(int cores, vif_runtime** runtime);
/* A handler that has held its core for longer than stall_limit_ns, and still does. Valid during the call alone. */
typedef struct vif_stall_report {
  int core;
  vif_colour colour;
  int64_t lasts_ns;    /* so far */
  const char* handler; /* where its code is: a name where there is one, else the file and the offset */
  const char* text;    /* all of it, with the stack, for people */
} vif_stall_report;

/* Begin with VIF_RUNTIME_OPTIONS, so that what a later version adds has its default. What each means is written in
 * <vif/event.hpp>; the environment has the last word (`vif info --options`). */
typedef struct vif_runtime_options {
  uint64_t size;          /* of this structure, as the program knows it */
  int cores;              /* 0: one for each CPU that may be used */
  int bind;               /* each core to a CPU of its own, when there are as many CPUs */
  int steal;              /* idle cores take whole colours from busy ones */
  uint32_t batch;         /* events handed over to another core at once; 0: learnt */
  int64_t turn_ns;        /* how long a colour may run before the others of its core have their turn */
  int64_t stall_limit_ns; /* handlers that run for longer are reported; 0: none */
  void (*on_stall)(const vif_stall_report* report, void* argument); /* NULL: printed to standard error */
  void* on_stall_argument;                                          /* on_stall is called on a thread of its own */
} vif_runtime_options;
#define VIF_RUNTIME_OPTIONS \
  { sizeof(vif_runtime_options), 0, 1, 0, 0, 20000, 0, 0, 0 }

/* The same with options. EINVAL: they ask for what cannot be; the sentence says what. */
VIF_PUBLIC int vif_runtime_create_with(const vif_runtime_options* options, vif_runtime** runtime);
/* As vif_stop() and vif_run(), if that has not been done. From a thread that is no core. */
VIF_PUBLIC void vif_runtime_destroy(vif_runtime* runtime);

/* Posts an event: handler(argument) will run. Events of one colour run one at a time, in the order of their posts. */
VIF_PUBLIC int vif_post(vif_runtime* runtime, vif_colour colour, vif_handler handler, void* argument);
/* The same, before the events of the colour that have not begun. */
VIF_PUBLIC int vif_post_front(vif_runtime* runtime, vif_colour colour, vif_handler handler, void* argument);
/* An event that only reads what the colour protects, and runs beside others that do. */
VIF_PUBLIC int vif_post_shared(vif_runtime* runtime, vif_colour colour, vif_handler handler, void* argument);

/* In a handler: hands over what the handlers of this core have posted and the core still holds back for others; what
 * anybody posts after it comes later. Elsewhere: does nothing. */
VIF_PUBLIC void vif_flush(void);

/* Timers, descriptors and signals: when one fires, an event of the colour runs handler(argument). `watch` may be NULL;
 * else *watch must be given to vif_watch_cancel() or vif_watch_forget(), once. Errors also: those of epoll_ctl() and
 * sigaction(). */
VIF_PUBLIC int vif_after(vif_runtime* runtime, int64_t delay_ns, vif_colour colour, vif_handler handler, void* argument,
                         vif_watch** watch);
VIF_PUBLIC int vif_every(vif_runtime* runtime, int64_t period_ns, vif_colour colour, vif_handler handler,
                         void* argument, vif_watch** watch);
/* Again and again while the descriptor is readable (writable). Cancel before closing it. */
VIF_PUBLIC int vif_on_readable(vif_runtime* runtime, int descriptor, vif_colour colour, vif_handler handler,
                               void* argument, vif_watch** watch);
VIF_PUBLIC int vif_on_writable(vif_runtime* runtime, int descriptor, vif_colour colour, vif_handler handler,
                               void* argument, vif_watch** watch);
VIF_PUBLIC int vif_on_signal(vif_runtime* runtime, int signal, vif_colour colour, vif_handler handler, void* argument,
                             vif_watch** watch);
/* No run will begin any more. VIF_PREVENTED: and none is under way; VIF_UNDER_WAY: one is, perhaps the caller itself;
 * VIF_TOO_LATE: it was cancelled before, or was to run once and has. The handle is gone. */
enum { VIF_PREVENTED = 0, VIF_UNDER_WAY = 1, VIF_TOO_LATE = 2 };
VIF_PUBLIC int vif_watch_cancel(vif_watch* watch);
/* Inside a handler of a watch: as vif_watch_cancel() of that watch, and needs no handle (which another core may not
 * have stored yet when the handler runs first). A handle that there is must still be forgotten or cancelled. Elsewhere:
 * VIF_TOO_LATE. */
VIF_PUBLIC int vif_watch_cancel_current(void);
/* The watch goes on; the handle is gone. */
VIF_PUBLIC void vif_watch_forget(vif_watch* watch);

/* Graceful: what is queued runs, and what it posts; nothing is taken from outside any more. Returns at once. */
VIF_PUBLIC void vif_stop(vif_runtime* runtime);
/* Each core ends after the handler that it runs; events that wait are dropped. Returns at once. */
VIF_PUBLIC void vif_stop_now(vif_runtime* runtime);
/* Waits until the runtime has stopped. Once, from one thread that is no core. EDEADLK: a handler of it calls. */
VIF_PUBLIC int vif_run(vif_runtime* runtime);
/* Waits until no event is queued or running anywhere. From a thread that is no core. EDEADLK: a handler of it calls. */
VIF_PUBLIC int vif_wait_idle(vif_runtime* runtime);

VIF_PUBLIC int vif_cores(const vif_runtime* runtime);
/* The core that the colour belongs to; and its place for vif_allocate_for() of <vif/memory.h>. */
VIF_PUBLIC int vif_core_of(const vif_runtime* runtime, vif_colour colour);
VIF_PUBLIC uint16_t vif_place_of(const vif_runtime* runtime, vif_colour colour);
/* A colour that nobody else has; such colours belong to the cores in turn. */
VIF_PUBLIC vif_colour vif_new_colour(vif_runtime* runtime);
/* 0 (as all colours are) to 20. EINVAL: another number. */
VIF_PUBLIC int vif_set_priority(vif_runtime* runtime, vif_colour colour, int priority);

/* Inside a handler: its runtime, core and colour. Elsewhere: NULL, -1, 0. */
VIF_PUBLIC vif_runtime* vif_current_runtime(void);
VIF_PUBLIC int vif_current_core(void);
VIF_PUBLIC vif_colour vif_current_colour(void);

/* A sentence about the last error that the calling thread got from these functions; never NULL. The place is the
 * thread's own and stays until the thread ends; the next error is written into it. */
VIF_PUBLIC const char* vif_error_text(void);

#ifdef __cplusplus
}
#endif

#endif
