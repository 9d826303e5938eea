// Memory that processes share without MPI, and a bare futex in it: the yardstick for wake-ups. Context: app.
#pragma once

#include <stdint.h>

#ifndef __cplusplus  // which has no _Atomic
#include <stdatomic.h>

// Sleeps in the kernel while *word is `seen`; returns after any wake-up. Works between processes.
void futex_wait_while(_Atomic uint32_t* word, uint32_t seen);
void futex_wake_one(_Atomic uint32_t* word);
#endif

void sleep_seconds(double seconds);

// Binds the calling thread to the index-th CPU that it may use (modulo their number). Returns the CPU.
int bind_to_usable_cpu(int index);
int usable_cpus(void);
