// The program's own blocking calls, kept as if we were not there.
//
// An interrupt by signal makes some system calls end early with EINTR even when its handler asks for restart:
// nanosleep, poll, select, epoll_wait and their like. This library therefore exports these functions in front of the C
// library's. While a thread that could be interrupted is inside one of them, the interrupt signal is blocked, and an
// event that could make progress wakes a helper thread instead (posture `away`); the thread that sleeps leaves its CPU
// to it. Signals of the program reach the call as always, with the same results.
//
// Where the functions are not in front (the library was loaded by dlopen, as Python does), nothing may interrupt the
// program at all: the helper thread takes every event (calls_are_covered() is false).
//
// The functions: nanosleep, clock_nanosleep, usleep, sleep, thrd_sleep, poll, ppoll (and what they become in fortified
// programs), select, pselect, epoll_wait, epoll_pwait, epoll_pwait2, pause, sigsuspend, sigwait, sigwaitinfo,
// sigtimedwait, sem_timedwait, sem_clockwait, semop, semtimedop, msgrcv, msgsnd. The interrupt is also taken out of the
// sets of signals that a program waits for. Not needed, because they restart: read, write, accept and all of sockets
// without time-outs, wait, sem_wait, futex waits without a time-out, pthread_cond_wait; or because the C library goes
// on waiting: pthread_cond_timedwait.
//
// Not covered, so that an interrupt may end them with EINTR: recv, send, accept and connect on a socket with
// SO_RCVTIMEO or SO_SNDTIMEO, the program's own raw system calls (syscall(), io_uring_enter, statically linked
// runtimes), io_getevents of libaio, inotify reads. A program that uses them and does not try again runs with
// VIF_REACTION=sleep or VIF_REACTION=poll: then nothing is interrupted.
//
// A forked child is no rank: its calls pass straight on, also when the parent is interrupted or blocked.
#pragma once

namespace vif::bell {

// App context. `before` says whether it changed anything (then `after` is called when the call has returned).
// `every_thread`: any thread may be the one that is interrupted. Null hooks: calls pass straight on. Returns when no
// thread is inside a hook that was set before; a call that began under other hooks ends without `after`. Not to be
// called from a hook.
void set_call_hooks(bool (*before)() noexcept, void (*after)() noexcept, int signal, bool every_thread);

// Whether the program's calls go through this library. False also where that cannot be told: another library's
// functions are in front, or the program itself took the address of poll without being position-independent.
bool calls_are_covered() noexcept;

}  // namespace vif::bell
