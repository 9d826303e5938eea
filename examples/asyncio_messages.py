"""Messages of MPI in an asyncio program: a coroutine awaits a request while others run.

Run it with two processes:    mpirun -n 2 python3 asyncio_messages.py

Each process sends the other one a message, awaits the answer, and ticks meanwhile: waiting costs no processor time, and
no thread. The library is used through ctypes, so that nothing has to be installed; with mpi4py, the handle of a request
is `MPI._handleof(request)`.
"""

import asyncio
import ctypes
import sys

mpi = ctypes.CDLL("libmpi_abi.so.1", mode=ctypes.RTLD_GLOBAL)

# Handles of the standard binary interface: the predefined ones are small numbers.
WORLD = ctypes.c_void_p(0x101)
INT = ctypes.c_void_p(0x209)
WAIT_ALL = 0


class Messages:
    """Requests as awaitables."""

    def __init__(self):
        mpi.MPI_Init(None, None)
        self.rank = self._number(mpi.MPI_Comm_rank)
        self.size = self._number(mpi.MPI_Comm_size)

    @staticmethod
    def _number(function):
        value = ctypes.c_int()
        function(WORLD, ctypes.byref(value))
        return value.value

    async def complete(self, request):
        """Awaits a request: the event loop watches its descriptor."""
        waitable, descriptor, fired = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
        mpi.VIF_Waitable_create(1, ctypes.byref(request), WAIT_ALL, ctypes.byref(waitable))
        mpi.VIF_Waitable_fd(waitable, ctypes.byref(descriptor))
        loop = asyncio.get_running_loop()
        while not fired.value:
            readable = loop.create_future()
            loop.add_reader(descriptor.value, readable.set_result, None)
            try:
                await readable
            finally:
                loop.remove_reader(descriptor.value)
            mpi.VIF_Waitable_test(waitable, ctypes.byref(fired))
        mpi.VIF_Waitable_free(ctypes.byref(waitable))
        mpi.MPI_Wait(ctypes.byref(request), None)

    async def send(self, number, to):
        value, request = ctypes.c_int(number), ctypes.c_void_p()
        mpi.MPI_Isend(ctypes.byref(value), 1, INT, to, 0, WORLD, ctypes.byref(request))
        await self.complete(request)

    async def receive(self, source):
        value, request = ctypes.c_int(), ctypes.c_void_p()
        mpi.MPI_Irecv(ctypes.byref(value), 1, INT, source, 0, WORLD, ctypes.byref(request))
        await self.complete(request)
        return value.value


async def tick(counter):
    while True:
        counter[0] += 1
        await asyncio.sleep(0.01)


async def main():
    messages = Messages()
    other = (messages.rank + 1) % messages.size
    before = (messages.rank - 1) % messages.size
    counter = [0]
    ticking = asyncio.create_task(tick(counter))
    answer = asyncio.create_task(messages.receive(before))
    await asyncio.sleep(0.05 * (messages.rank + 1))  # the answer takes its time
    await messages.send(messages.rank * 100, other)
    number = await answer
    ticking.cancel()
    sys.stdout.write(f"rank {messages.rank} got {number} from rank {before} and ticked {counter[0]} times\n")
    sys.stdout.flush()
    mpi.MPI_Finalize()
    return number == before * 100


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main()) else 1)
