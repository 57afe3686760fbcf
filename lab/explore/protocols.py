# SPDX-License-Identifier: BSD-2-Clause
"""Drives simulated AES cores through their ports. Our cores and the public cores have different handshakes.

A protocol loads one key for each lane and then offers blocks as fast as the core accepts them. It notes the cycle of
each result. Every wait is bounded.

Blocks and keys are bytes; a protocol knows the core's byte order.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gateware.flow.mapped import Netlist

# If a core makes no progress for this number of cycles, it has failed.
PATIENCE = 500
LENGTH_CODES = {128: 0, 192: 1, 256: 2}
Lanes = list[bytes]


class ProtocolError(RuntimeError):
    """The core did not answer within `PATIENCE` cycles."""


@dataclass
class Result:
    """One result block from each lane, and the cycle in which the blocks arrived."""

    cycle: int
    blocks: Lanes


class Protocol(ABC):
    """Base class of the drivers. Each subclass drives one kind of core through the ports and handshakes of that kind.

    Parameters
    ----------
    netlist : Netlist
        The core.
    """

    byte_order = "big"

    def __init__(self, netlist: Netlist):
        self.netlist = netlist

    @abstractmethod
    def load(self, keys: Lanes) -> int:
        """Loads one key into each lane. All keys have equal length. Returns the cycles until the core can encrypt."""

    @abstractmethod
    def encrypt(self, blocks: Iterator[Lanes]) -> Iterator[Result]:
        """Offers each block to the core until the core accepts it, then offers the next block. Yields the results in
        the order of the blocks.
        """

    def _poke(self, port: str, values: Lanes) -> None:
        self.netlist.poke_lanes(port, [int.from_bytes(value, self.byte_order) for value in values])

    def _peek(self, port: str) -> Lanes:
        return [value.to_bytes(16, self.byte_order) for value in self.netlist.peek_lanes(port)]

    def _step(self, **inputs: int) -> None:
        """Simulates a clock edge, then sets inputs to new values."""
        self.netlist.edge()
        self._put(**inputs)

    def _put(self, **inputs: int) -> None:
        for port, value in inputs.items():
            self.netlist.poke(port, value)
        self.netlist.settle()

    def _wait(self, condition: Callable[[], int], what: str, **inputs: int) -> int:
        """Waits until a condition holds; returns the number of cycles that this took."""
        for cycles in range(PATIENCE):
            if condition():
                return cycles
            self._step(**inputs)
        raise ProtocolError(f"no {what} for {PATIENCE} cycles")


class Stream(Protocol):
    """Drives our own cores (`gateware.aes.cores`).

    Parameters
    ----------
    netlist : Netlist
        The core.
    ports : dict
        Name in the netlist of sys_rst, sink.valid, sink.ready, sink.data, source.valid, source.ready, source.data,
        key.valid, key.ready, key.word, key_length and key_valid.
    """

    byte_order = "little"

    def __init__(self, netlist: Netlist, ports: dict[str, str]):
        super().__init__(netlist)
        self.ports = ports
        self._put(**{ports["sink.valid"]: 0, ports["key.valid"]: 0, ports["sys_rst"]: 1})
        self._step(**{ports["sys_rst"]: 0})

    def load(self, keys: Lanes) -> int:
        """Implements `Protocol.load`: loads the keys into key slot 0. Counts cycles from the acceptance of the first
        key word.
        """
        ports, netlist = self.ports, self.netlist
        netlist.poke(ports["key_length"], LENGTH_CODES[8 * len(keys[0])])
        first = None
        for word in range(len(keys[0]) // 4):
            netlist.poke_lanes(ports["key.word"], [int.from_bytes(k[4 * word : 4 * word + 4], "little") for k in keys])
            self._put(**{ports["key.valid"]: 1})
            self._wait(lambda: netlist.peek(ports["key.ready"]), "acceptance of a key word")
            first = netlist.cycle if first is None else first
            self._step()
        self._put(**{ports["key.valid"]: 0})
        self._wait(lambda: netlist.peek(ports["key_valid"]) & 1, "valid key")
        return netlist.cycle - first

    def encrypt(self, blocks: Iterator[Lanes]) -> Iterator[Result]:
        """Implements `Protocol.encrypt`: offers a block whenever the core is ready, and accepts each result at once."""
        ports, netlist = self.ports, self.netlist
        netlist.poke(ports["source.ready"], 1)
        netlist.poke(ports["sink.valid"], 1)
        quiet = 0
        self._poke(ports["sink.data"], next(blocks))
        while quiet < PATIENCE:
            netlist.settle()
            taken = netlist.peek(ports["sink.ready"])
            quiet += 1
            if netlist.peek(ports["source.valid"]):
                quiet = 0
                yield Result(netlist.cycle, self._peek(ports["source.data"]))
            netlist.edge()
            if taken:
                self._poke(ports["sink.data"], next(blocks))
        raise ProtocolError(f"no block for {PATIENCE} cycles")


class LoadDone(Protocol):
    """Drives cores with the inputs `ld` and `rst` (active low). A pulse on `ld` makes the core read a block with its
    key, and encrypt the block. The output `done` marks the result.
    """

    def load(self, keys: Lanes) -> int:
        """Implements `Protocol.load`. The core reads the key together with each block, so loading a key takes no
        cycles.
        """
        self._put(rst=0, ld=0)
        self._step(rst=1)
        self._poke("key", keys)
        return 0

    def encrypt(self, blocks: Iterator[Lanes]) -> Iterator[Result]:
        """Implements `Protocol.encrypt`: starts each block with a pulse on `ld`, and waits for `done`."""
        while True:
            self._poke("text_in", next(blocks))
            self._put(ld=1)
            self._step(ld=0)
            self._wait(lambda: self.netlist.peek("done"), "done")
            yield Result(self.netlist.cycle, self._peek("text_out"))


class InitNext(Protocol):
    """Drives cores with the inputs `init`, `next` and `reset_n`. A pulse on `init` loads a key, and a pulse on `next`
    starts a block. The core sets the output `ready` when it has loaded the key or finished the block.
    """

    def load(self, keys: Lanes) -> int:
        """Implements `Protocol.load`. Counts cycles from the pulse on `init` until the core is ready."""
        self._put(reset_n=0, init=0, next=0, encdec=1, keylen=int(len(keys[0]) == 32))
        self._step(reset_n=1)
        self._poke("key", [key.ljust(32, b"\0") for key in keys])
        self._put(init=1)
        first = self.netlist.cycle
        self._step(init=0)
        self._wait(lambda: self.netlist.peek("ready"), "ready after init")
        return self.netlist.cycle - first

    def encrypt(self, blocks: Iterator[Lanes]) -> Iterator[Result]:
        """Implements `Protocol.encrypt`: starts each block with a pulse on `next`, and waits for `ready`."""
        while True:
            self._poke("block", next(blocks))
            self._put(next=1)
            self._step(next=0)
            self._wait(lambda: self.netlist.peek("ready"), "ready after next")
            yield Result(self.netlist.cycle, self._peek("result"))


class Pipeline(Protocol):
    """Drives pipelined cores that accept a block and a key in every cycle. Each result follows a fixed number of cycles
    after its block.

    Parameters
    ----------
    netlist : Netlist
        The core.
    latency : int
        That number.
    """

    def __init__(self, netlist: Netlist, latency: int):
        super().__init__(netlist)
        self.latency = latency

    def load(self, keys: Lanes) -> int:
        """Implements `Protocol.load`. The core reads the key together with each block, so loading a key takes no
        cycles.
        """
        self._poke("key", keys)
        return 0

    def encrypt(self, blocks: Iterator[Lanes]) -> Iterator[Result]:
        """Implements `Protocol.encrypt`: sends a block in every cycle, and reads its result `latency` cycles later."""
        given = 0
        while True:
            self._poke("state", next(blocks))
            self.netlist.settle()
            if given >= self.latency:
                yield Result(self.netlist.cycle, self._peek("out"))
            self.netlist.edge()
            given += 1
