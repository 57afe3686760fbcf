# SPDX-License-Identifier: BSD-2-Clause
"""An RFC 2217 server that gives network access to a board, as ser2net does. It uses pyserial. The tests in both Python
environments (the main one and `tests/hil`) use this server.
"""

import select
import socket
import threading

from serial.rfc2217 import PortManager


class Lines:
    """A fake serial port with the settings that an RFC 2217 server needs. `speeds` lists all baud rates that were set.

    It carries no data.
    """

    cts = dsr = ri = cd = dtr = rts = True
    rtscts = xonxoff = break_condition = False
    bytesize, parity, stopbits = 8, "N", 1

    def __init__(self):
        self.speeds = [9600]

    baudrate = property(lambda self: self.speeds[-1], lambda self, speed: self.speeds.append(speed))

    def reset_input_buffer(self):
        pass

    reset_output_buffer = reset_input_buffer


class Rfc2217Server:
    """A context manager that serves one client at a time, and passes the client's bytes to a TCP port of this
    machine.
    """

    def __init__(self, port):
        self._behind = port

    def __enter__(self):
        self.lines = Lines()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"rfc2217://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()
        return self

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client, socket.create_connection(("127.0.0.1", self._behind)) as wire:
                self._carry(client, wire)

    def _carry(self, client, wire):
        writer = client.makefile("wb", buffering=0)
        manager = PortManager(self.lines, writer)
        while True:
            ready, _, _ = select.select([client, wire], [], [], 60)
            if client in ready:
                data = client.recv(4096)
                if not data:
                    return
                wire.sendall(b"".join(manager.filter(data)))
            if wire in ready:
                data = wire.recv(4096)
                if not data:
                    return
                writer.write(b"".join(manager.escape(data)))

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(70)
