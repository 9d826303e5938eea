/* Memory for objects that one thread makes and another uses: the colour-aware allocator of Vif, for C.
 *
 * Allocation and release take no lock and no atomic read-modify-write instruction, even when another thread releases
 * than the one that allocated. Objects for different destinations never share a cache line.
 * Every thread may call every function; none may be called in a signal handler. For C++ see <vif/memory.hpp>. */
#ifndef VIF_MEMORY_H
#define VIF_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Marks what the libraries of Vif offer to programs. */
#ifndef VIF_PUBLIC
#define VIF_PUBLIC __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A thread that allocates, or a core of a scheduler: where an object will be used. */
typedef uint16_t vif_place;

/* The place of the calling thread. A thread that is none becomes one. UINT16_MAX when 512 threads are places already:
 * such a thread gets its memory from the C library. */
VIF_PUBLIC vif_place vif_this_place(void);

/* `bytes` of memory, aligned to 16, that the calling thread will use and release; anybody else may. NULL when there is
 * no memory. Zero bytes give an address of their own. Above VIF_EMA_LARGEST bytes it comes from the C library. */
VIF_PUBLIC void* vif_allocate(size_t bytes);

/* The same for an object that the thread of `place` will use and release: it is released fastest there. An unknown
 * place counts as the calling thread's. */
VIF_PUBLIC void* vif_allocate_for(vif_place place, size_t bytes);

/* Releases what one of the above returned, or does nothing with NULL. Any thread, at any time, even when the thread
 * that allocated has ended. */
VIF_PUBLIC void vif_release(void* object);

/* How many bytes the object has, at least those asked for. */
VIF_PUBLIC size_t vif_usable_bytes(const void* object);

/* Hands over what the calling thread has released for others and still holds back to hand over in bulk (at most 16 KiB
 * for each other thread), and gives its unused memory back. For a thread that goes idle for long. */
VIF_PUBLIC void vif_trim(void);

#ifdef __cplusplus
}
#endif

#endif
