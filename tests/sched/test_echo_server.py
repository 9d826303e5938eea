#!/usr/bin/env python3
"""The echo server of the tutorial, from the outside: clients at once, pieces of every size, a graceful end."""

import random
import signal
import socket
import subprocess
import sys
import threading

CLIENTS = 8
ROUNDS = 30


def talk(port, seed, failures):
    """One client: what it sends must come back, whatever the pieces."""
    random_bytes = random.Random(seed)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            for _ in range(ROUNDS):
                sent = random_bytes.randbytes(random_bytes.choice([1, 17, 4096, 100_000]))
                sender = threading.Thread(target=connection.sendall, args=(sent,))
                sender.start()
                received = b""
                while len(received) < len(sent):
                    piece = connection.recv(65536)
                    if not piece:
                        raise ConnectionError("the server closed the connection")
                    received += piece
                sender.join()
                if received != sent:
                    raise ValueError("other bytes came back than were sent")
    except Exception as error:  # a thread's exception would be lost
        failures.append(f"client {seed}: {error!r}")


def main():
    server = subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE, text=True)
    try:
        port = int(server.stdout.readline().rsplit(" ", 1)[1])
        failures = []
        clients = [threading.Thread(target=talk, args=(port, seed, failures)) for seed in range(CLIENTS)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        # One that is connected and silent does not keep the server from stopping.
        with socket.create_connection(("127.0.0.1", port), timeout=20):
            server.send_signal(signal.SIGTERM)
            rest, _ = server.communicate(timeout=20)
        if rest != "stopped\n":
            failures.append(f"the server ended with {rest!r}")
        if server.returncode != 0:
            failures.append(f"the server's exit status is {server.returncode}")
    finally:
        server.kill()
        server.wait()
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
