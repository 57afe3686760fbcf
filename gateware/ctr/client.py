# SPDX-License-Identifier: BSD-2-Clause
"""Parameters of a client of the CTR service, and the port through which the client uses the service.

::

    client ── request ──► service ── keystream ──► client
    client ── key words, commands, begin and end of uses ──► service

A request is a message of `gateware.ctr.counter`. The service takes it whole at its handshake, with its slot, so later
changes by the client cannot affect it. The service answers with `count` blocks, in the order of requests. A block is
zeros, with `error`, if its slot held no key when its turn came. `flush` drops all requests that were taken, and their
blocks.

Each client counts its slots from 0, and no client reaches the slots of another.
"""

from dataclasses import dataclass

from litex.soc.interconnect import stream
from migen import Record, Signal, bits_for

from ..aes.standard import BLOCK_BITS
from .counter import message_layout
from .key_store import WORD_BITS, WORDS

KEYSTREAM_LAYOUT = [("data", BLOCK_BITS), ("error", 1)]
# Width in bits of a slot number. A command for a slot that does not exist is refused.
SLOT_BITS = 5
USE_LAYOUT = [("valid", 1), ("number", SLOT_BITS)]
USES_MAX = 16


@dataclass(frozen=True)
class Client:
    """Parameters of a client of the CTR service.

    A client has `slots` keys and at least `share` of all clients' shares of blocks. Its requests have up to ``2 **
    count_bits - 1`` blocks. With `waits`, a command on a used key waits for its uses to end. Otherwise the command is
    refused, which suits clients whose uses may be long. With `late_flush`, a register gives the client its `flush` one
    cycle after the service dropped everything.
    """

    slots: int
    count_bits: int
    share: int = 1
    waits: bool = True
    late_flush: bool = False


class KeyPort:
    """The port through which a client sends key commands to `gateware.ctr.key_loader`.

    Attributes
    ----------
    write, index, word : Signal(), Signal(3), Signal(32), in
        Writes a word of the next key; ignored while `busy`.
    slot, length : Signal(5), Signal(2), in
        Slot and length code of a command; sampled with it.
    load, clear_slot, wipe : Signal(), in
        Pulse, a command. `load` takes the key from the words, which are then zeroized. `clear_slot` zeroizes the slot.
        `wipe` zeroizes only the words. Ignored unless `ready`. The slot of `load` and `clear_slot` must exist.
    zeroize : Signal(), in
        Pulse: zeroize all slots and words of all clients. Never ignored.
    ready : Signal(), out
        The loader would take a command on `slot` now.
    busy : Signal(), out
        A command of this client, or `zeroize` of any client, is under way: words are ignored.
    zeroizing : Signal(), out
        `zeroize`, or the zeroization after reset, is under way.
    flush : Signal(), out
        Pulse: `zeroize` drops everything that the service holds. With `late_flush`, it did so in the cycle before.
    begin, end : Record, valid, number(5), in
        Pulse: a use of the slot's key has begun, or ended. At most `USES_MAX` at a time.
    release : Signal(), in
        Pulse: all uses have ended.
    used, withdrawn, usable : Signal(slots), out
        Slots in use; slots with a command under way; slots that hold a key and may be used.
    """

    def __init__(self, slots: int):
        self.write = Signal()
        self.index = Signal(bits_for(WORDS - 1))
        self.word = Signal(WORD_BITS)
        self.slot = Signal(SLOT_BITS)
        self.length = Signal(2)
        self.load = Signal()
        self.clear_slot = Signal()
        self.wipe = Signal()
        self.zeroize = Signal()
        self.ready = Signal()
        self.busy = Signal()
        self.zeroizing = Signal()
        self.flush = Signal()
        self.begin = Record(USE_LAYOUT)
        self.end = Record(USE_LAYOUT)
        self.release = Signal()
        self.used = Signal(slots)
        self.withdrawn = Signal(slots)
        self.usable = Signal(slots)


class Port:
    """The port through which a client uses the CTR service.

    Attributes
    ----------
    client : Client
        The parameters.
    request : stream.Endpoint, see `message_layout`, in
        Taken whole at its handshake.
    keystream : stream.Endpoint, data(128), error, out
        One block for each counter block of the requests, in their order.
    flush : Signal(), in
        Drop all requests that were taken, and their blocks.
    idle : Signal(), out
        No request is under way.
    keys : KeyPort
        The key commands.
    """

    def __init__(self, client: Client, keys: KeyPort):
        self.client = client
        self.request = stream.Endpoint(message_layout(client.count_bits, bits_for(client.slots - 1)))
        self.keystream = stream.Endpoint(KEYSTREAM_LAYOUT)
        self.flush = Signal()
        self.idle = Signal()
        self.keys = keys
