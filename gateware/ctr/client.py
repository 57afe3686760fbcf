"""A client of the CTR service: what it is given, and its port.

::

    client ── request ──► service ── keystream ──► client
    client ── key words, commands, begin and end of uses ──► service

A request is a message of `gateware.ctr.counter`: it is taken whole at its handshake, with its slot, so that nothing
that the client changes later touches it. It is answered by as many blocks as its `count` says, in the order of
requests; a block whose slot held no key when its turn came is zeros, with `error`. `flush` drops all requests that
were taken, and their blocks.

Slots are counted from 0 for each client, and no client reaches those of another.
"""

from dataclasses import dataclass

from litex.soc.interconnect import stream
from migen import Record, Signal, bits_for

from gateware.aes.standard import BLOCK_BITS
from gateware.ctr.counter import message_layout
from gateware.ctr.key_store import WORD_BITS, WORDS

KEYSTREAM_LAYOUT = [("data", BLOCK_BITS), ("error", 1)]
SLOT_BITS = 5  # of key commands, so that a slot that does not exist can be told from one that does
USE_LAYOUT = [("valid", 1), ("number", SLOT_BITS)]
USES_MAX = 16


@dataclass(frozen=True)
class Client:
    """What a client is given.

    It has `slots` keys, at least `share` of the blocks of all clients' shares, and requests of up to
    ``2 ** count_bits - 1`` blocks. A command on a key that is in use waits for its uses to end, if the client
    `waits`; else it is refused: for uses that may be long.
    """

    slots: int
    count_bits: int
    share: int = 1
    waits: bool = True


class KeyPort:
    """A client's side of the key loader (`gateware.ctr.key_loader`).

    Attributes
    ----------
    write, index, word : Signal(), Signal(3), Signal(32), in
        Writes a word of the next key; ignored while `busy`.
    slot, length : Signal(5), Signal(2), in
        Slot and length code of a command; sampled with it.
    load, clear_slot, wipe : Signal(), in
        Pulse, a command: take the key from the words, which are zeroed; zeroize the slot; zeroize the words alone.
        Ignored unless `ready`. The slot of `load` and `clear_slot` must exist.
    zeroize : Signal(), in
        Pulse: zeroize all slots and words, of all clients. Never ignored.
    ready : Signal(), out
        A command on `slot` would be taken now.
    busy : Signal(), out
        A command of this client is under way, or `zeroize` of any: the words are not taken.
    zeroizing : Signal(), out
        `zeroize` is under way, or the zeroization after reset.
    flush : Signal(), out
        Pulse: all that the service has been given is dropped, by `zeroize`.
    begin, end : Record, valid, number(5), in
        Pulse: a use of the slot's key has begun, or ended. No more than `USES_MAX` at a time.
    release : Signal(), in
        Pulse: all uses have ended.
    used, withdrawn, usable : Signal(slots), out
        Slots that are in use; slots of which a command is under way; slots that hold a key and may be used.
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
    """A client's port of the service.

    Attributes
    ----------
    client : Client
        As given.
    request : stream.Endpoint, see `message_layout`, in
        Taken whole.
    keystream : stream.Endpoint, data(128), error, out
        A block for each counter block of the requests, in their order.
    flush : Signal(), in
        Drop all requests that were taken, and their blocks.
    idle : Signal(), out
        No request is under way.
    keys : KeyPort
        Keys.
    """

    def __init__(self, client: Client, keys: KeyPort):
        self.client = client
        self.request = stream.Endpoint(message_layout(client.count_bits, bits_for(client.slots - 1)))
        self.keystream = stream.Endpoint(KEYSTREAM_LAYOUT)
        self.flush = Signal()
        self.idle = Signal()
        self.keys = keys
