/* Extensions of Vif to MPI. A program that uses them tests for the macro VIF_MPI_EXT, or for the symbols.
 *
 * Waitables: MPI requests as file descriptors and callbacks, for programs that wait in an event loop of their own.
 *
 *   MPI_Irecv(..., &request);
 *   VIF_Waitable_create(1, &request, VIF_WAIT_ALL, &waitable);
 *   VIF_Waitable_fd(waitable, &fd);
 *   ... poll(), epoll or select: fd becomes readable ...
 *   VIF_Waitable_test(waitable, &flag);        clears the descriptor; flag: the requests are complete
 *   VIF_Waitable_free(&waitable);
 *   MPI_Wait(&request, &status);               returns at once
 *
 * While the program sleeps in its event loop, the library goes on with the requests by itself. The descriptor may also
 * become readable because the library needs a moment of an application thread (an operator of the program in a
 * reduction): VIF_Waitable_test gives it, and says flag = 0.
 *
 * With VIF_REACTION=poll or sleep the library does nothing by itself: the descriptor then becomes readable every
 * millisecond, and callbacks come when the program calls the library.
 *
 * A waitable does not complete its requests, nor own them: they are completed with MPI_Wait, MPI_Test and the like,
 * after the waitable is freed or has fired. Persistent requests must be active when it is made; one made of null and
 * inactive requests alone has fired already. All functions return MPI error codes, raised through the error handler of
 * MPI_COMM_SELF; they may be called between MPI_Init and MPI_Finalize, by any thread where MPI allows it. */
#ifndef VIF_MPI_EXT_H
#define VIF_MPI_EXT_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VIF_MPI_EXT 1

typedef struct VIF_Waitable_object* VIF_Waitable;
#define VIF_WAITABLE_NULL ((VIF_Waitable)0)

/* When it fires: all requests are complete, or one of them is. */
enum { VIF_WAIT_ALL = 0, VIF_WAIT_ANY = 1 };

/* Errors: MPI_ERR_COUNT, MPI_ERR_REQUEST, MPI_ERR_ARG (mode), MPI_ERR_NO_MEM (also: no descriptor is left). */
int VIF_Waitable_create(int count, const MPI_Request requests[], int mode, VIF_Waitable* waitable);

/* The descriptor, for poll and its like only. It belongs to the waitable, which closes it. */
int VIF_Waitable_fd(VIF_Waitable waitable, int* fd);

/* Clears the descriptor, makes progress, and says whether the waitable has fired. */
int VIF_Waitable_test(VIF_Waitable waitable, int* flag);

/* Has `function` called once when the waitable fires, by a thread of the library, which may call MPI only in a
 * program with MPI_THREAD_MULTIPLE; at once, by the calling thread, when it has fired. A second call replaces the
 * function while it has not been called. The function may free the waitable. The descriptor is the library's from then
 * on. */
int VIF_Waitable_on_complete(VIF_Waitable waitable, void (*function)(void*), void* argument);

/* Frees it, fired or not; no callback begins afterwards. Sets it to VIF_WAITABLE_NULL. */
int VIF_Waitable_free(VIF_Waitable* waitable);

#ifdef __cplusplus
}
#endif

#endif /* VIF_MPI_EXT_H */
