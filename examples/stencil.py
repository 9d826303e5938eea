#!/usr/bin/env python3
"""Heat in a plate: a five-point stencil with mpi4py and NumPy, unchanged on any MPI.

usage: mpirun -n RANKS python3 stencil.py [SIDE [STEPS]]

The plate is cut into blocks by a Cartesian communicator. While the borders travel, the inside of each block is
computed: on Vif the messages move meanwhile. Prints the sum of all temperatures, which does not depend on the number
of ranks (but for rounding), and the time.
"""

import sys
import time

import numpy as np
from mpi4py import MPI


def part(length, pieces, place):
    """The first index of a piece, and the one behind its last."""
    return length * place // pieces, length * (place + 1) // pieces


def relax(new, old, rows, columns):
    """The average of the four neighbours, for a part of the block."""
    up, down = slice(rows.start - 1, rows.stop - 1), slice(rows.start + 1, rows.stop + 1)
    left, right = slice(columns.start - 1, columns.stop - 1), slice(columns.start + 1, columns.stop + 1)
    new[rows, columns] = 0.25 * (old[up, columns] + old[down, columns] + old[rows, left] + old[rows, right])


def exchange(grid, old, column):
    """Starts the exchange of the borders; the requests."""
    height, width = old.shape
    north, south = grid.Shift(0, 1)
    west, east = grid.Shift(1, 1)
    flat = old.reshape(-1)

    def row(number):
        return [old[number, 1 : width - 1], MPI.DOUBLE]

    def from_top(number):
        return [flat[width + number :], 1, column]

    return [
        grid.Irecv(row(0), north, 0),
        grid.Irecv(row(height - 1), south, 1),
        grid.Irecv(from_top(0), west, 2),
        grid.Irecv(from_top(width - 1), east, 3),
        grid.Isend(row(height - 2), south, 0),
        grid.Isend(row(1), north, 1),
        grid.Isend(from_top(width - 2), east, 2),
        grid.Isend(from_top(1), west, 3),
    ]


def main():
    side = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    world = MPI.COMM_WORLD
    shape = MPI.Compute_dims(world.size, 2)
    grid = world.Create_cart(shape)
    top, bottom = part(side, shape[0], grid.coords[0])
    left, right = part(side, shape[1], grid.coords[1])
    height, width = bottom - top, right - left
    old = np.zeros((height + 2, width + 2))
    if left == 0:
        old[:, 0] = 1.0  # the west side of the plate is hot
    new = old.copy()
    column = MPI.DOUBLE.Create_vector(height, 1, width + 2).Commit()
    began = time.perf_counter()
    for _ in range(steps):
        requests = exchange(grid, old, column)
        relax(new, old, slice(2, height), slice(2, width))
        MPI.Request.Waitall(requests)
        for rows, columns in (
            (slice(1, 2), slice(1, width + 1)),
            (slice(height, height + 1), slice(1, width + 1)),
            (slice(2, height), slice(1, 2)),
            (slice(2, height), slice(width, width + 1)),
        ):
            relax(new, old, rows, columns)
        old, new = new, old
    total = grid.allreduce(float(old[1:-1, 1:-1].sum()))
    seconds = time.perf_counter() - began
    if grid.rank == 0:
        print(f"{world.size} ranks, {side} x {side}, {steps} steps: sum {total:.9e}, {seconds:.3f} s")
    column.Free()


if __name__ == "__main__":
    main()
