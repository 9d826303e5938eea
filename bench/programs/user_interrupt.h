// User interrupts for the benchmark `interrupt`, by the same code as the library's. Context: app, unless said.
#ifndef VIF_BENCH_USER_INTERRUPT_H
#define VIF_BENCH_USER_INTERRUPT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// NULL, or why there is nothing to measure here, as part of a sentence. An emulation is nothing to measure.
const char* user_interrupt_missing(void);
// The calling thread takes user interrupts from now on: each runs the handler (context: handler). False: refused.
bool user_interrupt_receive(void (*handler)(void));
void user_interrupt_stop(void);
// What the receiving thread tells those who send; -1: nobody receives here.
int user_interrupt_descriptor(void);
// An index for user_interrupt_send(), or -1.
int user_interrupt_connect(int process, int descriptor);
void user_interrupt_disconnect(int index);
void user_interrupt_send(int index);  // any context

#ifdef __cplusplus
}
#endif

#endif
