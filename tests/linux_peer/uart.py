# SPDX-License-Identifier: BSD-2-Clause
"""Makes the UART of a simulated board reachable at a TCP port of this machine. The board has its own network namespace,
so its UART is not reachable otherwise.
"""

import contextlib
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

CONNECT_S = 60
_CONNECT = """
import socket, sys
inside = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
socket.send_fds(socket.socket(fileno=int(sys.argv[1])), [b"."], [inside.fileno()])
"""


def connected(pid: int, port: int) -> socket.socket:
    """Return a TCP connection to a port of 127.0.0.1 in the network namespace of a process."""
    here, there = socket.socketpair()
    with here, there:
        here.settimeout(CONNECT_S)
        words = ["nsenter", "--target", str(pid), "--net", "--", sys.executable, "-I", "-c", _CONNECT]
        words += [str(there.fileno()), str(port)]
        subprocess.run(words, pass_fds=[there.fileno()], check=True, timeout=CONNECT_S)
        _, descriptors, _, _ = socket.recv_fds(here, 1, 1)
    return socket.socket(fileno=descriptors[0])


@contextlib.contextmanager
def reachable(pid: int, port: int) -> Iterator[str]:
    """Relay one connection at a time to the UART; yield a URL at which pyserial reaches the UART."""
    with socket.create_server(("127.0.0.1", 0)) as server, connected(pid, port) as inside:
        threading.Thread(target=_serve, args=(server, inside), daemon=True).start()
        try:
            yield f"socket://127.0.0.1:{server.getsockname()[1]}"
        finally:
            with contextlib.suppress(OSError):
                inside.shutdown(socket.SHUT_RDWR)


def _serve(server: socket.socket, inside: socket.socket) -> None:
    """Pass bytes between a client and the UART until the client disconnects; then serve the next client."""
    clients: list[socket.socket] = []

    def answers() -> None:
        with contextlib.suppress(OSError):
            while data := inside.recv(65536):
                with contextlib.suppress(OSError):
                    clients[-1].sendall(data)

    threading.Thread(target=answers, daemon=True).start()
    with contextlib.suppress(OSError):
        while True:
            client, _ = server.accept()
            clients.append(client)
            with client, contextlib.suppress(ConnectionError):
                while data := client.recv(65536):
                    inside.sendall(data)
