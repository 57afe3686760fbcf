# SPDX-License-Identifier: BSD-2-Clause
"""The CTR service: one AES core with its keys, which one or more clients share.

::

    port 0: request ─► counter blocks ─┐                        ┌─► queue ─► keystream: port 0
    port 1: request ─► counter blocks ─┴─► arbiter ─► AES core ─┴─► queue ─► keystream: port 1
                                              └──► owner of each ─┘
    ports: key words, commands, uses ─► key loader ─► AES core

Each client decides what to do with the keystream; see `gateware.ctr.blocks` (XOR) and `gateware.ctr.packet` (per
packet).

Every request ends with as many blocks as it asked for, in order, each with data or `error`. A block goes to the core
only when there is a place for its result (`gateware.ctr.keystream_queue`). So a client that takes nothing stops nobody
else. A slot without a key gives an error, never a wait. When all clients want blocks, each gets its `share` of the sum
of shares. A client may use the share that others leave. So a block waits for at most the other clients' shares, at the
core's time for each block.

A single client has the whole core, without queue and arbiter.

Throughput: the core's. Latency: the latencies of `gateware.ctr.counter` and of the core, plus 3 cycles if it is shared.
"""

from functools import reduce
from operator import or_

from litex.soc.interconnect import stream
from migen import Array, Case, Cat, Module, ResetInserter, Signal, bits_for

from ..aes.cores import PIPELINED, Core, create_core
from ..aes.standard import BLOCK_BITS
from ..aes.transforms import masked
from .arbiter import Arbiter
from .client import Client, Port
from .counter import CounterBlocks
from .key_loader import WAIT_CYCLES, KeyLoader
from .keystream_queue import KeystreamQueue

# Capacity of each client's keystream queue, in blocks. `PLACES_PIPELINED` is for the pipelined core, `PLACES` is for
# cores of iterative engines. Each capacity exceeds the number of blocks that the core processes at a time. This number
# is at most two for each iterative engine.
PLACES = 16
PLACES_PIPELINED = 128


def slots_of(clients: list[Client]) -> int:
    """Return the number of key slots that a core needs for these clients."""
    return sum(client.slots for client in clients)


class CTRService(Module):
    """Computes keystream for each client with one shared AES core.

    Parameters
    ----------
    core : Core
        A core of `gateware.aes.cores` with the slots of all clients (`slots_of`), not yet a submodule.
    clients : list of Client
        With several clients, each number of slots is a power of two, and no client has fewer slots than a later one.
    places : int
        Blocks of each client that may be under way or wait for it, a power of two.
    wait_cycles : int
        See `KeyLoader`.

    Attributes
    ----------
    ports : list of Port
        One for each client.
    core : Core
    loader : KeyLoader

    Raises
    ------
    ValueError
        The numbers of slots break the rule above, or do not match the core.
    """

    def __init__(self, *, core: Core, clients: list[Client], places: int = PLACES, wait_cycles: int = WAIT_CYCLES):
        sizes = [client.slots for client in clients]
        if len(core.key_valid) != slots_of(clients):
            raise ValueError(f"the core has {len(core.key_valid)} slots, and the clients {slots_of(clients)}")
        if len(clients) > 1 and (any(size & (size - 1) for size in sizes) or sizes != sorted(sizes, reverse=True)):
            raise ValueError(f"clients have {sizes} slots; give powers of two, the largest first")
        self.submodules.core = core
        self.submodules.loader = loader = KeyLoader(core=core, clients=clients, wait_cycles=wait_cycles)
        self.ports = ports = [Port(client, keys) for client, keys in zip(clients, loader.ports, strict=True)]

        # # #

        counters = []
        for n, port in enumerate(ports):
            counter = CounterBlocks(count_bits=port.client.count_bits, slot_bits=bits_for(port.client.slots - 1))
            setattr(self.submodules, f"counter_{n}", counter)
            counters.append(counter)
            self.comb += [port.request.connect(counter.message), counter.flush.eq(port.flush)]
        if len(ports) == 1:
            port, counter = ports[0], counters[0]
            self.comb += [
                counter.source.connect(core.sink, omit={"first", "last"}),
                core.source.connect(port.keystream, omit={"first", "last"}),
                core.flush.eq(port.flush),
                port.idle.eq(counter.idle & core.idle),
            ]
            return

        # The core receives a client's counter block only if the client's queue has a free row for the keystream.
        self.submodules.arbiter = arbiter = Arbiter([client.share for client in clients])
        whose = stream.SyncFIFO([("client", len(arbiter.choice))], places * len(ports))
        self.submodules.whose = whose = ResetInserter()(whose)
        taken, given = Signal(), Signal()
        block = Signal(BLOCK_BITS + 1)  # a block of keystream and its error bit; 0 while the queues are zeroized
        queues = []
        for n, (port, counter) in enumerate(zip(ports, counters, strict=True)):
            queue = KeystreamQueue(places)
            setattr(self.submodules, f"queue_{n}", queue)
            queues.append(queue)
            self.comb += [
                arbiter.wants[n].eq(counter.source.valid & queue.room),
                counter.source.ready.eq(taken & (arbiter.choice == n)),
                queue.reserve.eq(counter.source.ready),
                queue.write.eq(given & (whose.source.client == n)),
                Cat(queue.data, queue.error).eq(block),
                queue.source.connect(port.keystream),
                queue.flush.eq(port.flush),
                queue.clear.eq(loader.clear),
                port.idle.eq(counter.idle & queue.empty),
            ]
        first = 0
        chosen = {}
        for n, (client, counter) in enumerate(zip(clients, counters, strict=True)):
            chosen[n] = [core.sink.data.eq(counter.source.data), core.sink.slot.eq(counter.source.slot + first)]
            first += client.slots
        self.comb += [
            Case(arbiter.choice, chosen),
            core.sink.valid.eq(Array([*arbiter.wants])[arbiter.choice]),
            taken.eq(core.sink.valid & core.sink.ready),
            arbiter.take.eq(taken),
            whose.sink.valid.eq(taken),
            whose.sink.client.eq(arbiter.choice),
            core.source.ready.eq(1),
            given.eq(core.source.valid),
            whose.source.ready.eq(given),
            whose.reset.eq(loader.clear),
            loader.settled.eq(~reduce(or_, [queue.zeroizing for queue in queues])),
            block.eq(masked(loader.settled, Cat(core.source.data, core.source.error))),
        ]


def create_service(
    clients: list[Client],
    *,
    datapath: int | str = 128,
    sbox: str = "table",
    engines: int = 1,
    key_stages: int = 1,
) -> CTRService:
    """Return a CTR service with an AES core that has these parameters (`gateware.aes.cores.create_core`)."""
    slots = slots_of(clients)
    core = create_core(datapath=datapath, sbox=sbox, engines=engines, slots=slots, key_stages=key_stages)
    return CTRService(core=core, clients=clients, places=PLACES_PIPELINED if datapath == PIPELINED else PLACES)
