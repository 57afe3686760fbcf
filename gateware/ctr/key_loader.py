# SPDX-License-Identifier: BSD-2-Clause
"""Loads and zeroizes the keys of an AES core, by the same rules for all clients. Counts the current uses of each key.

::

    client 0: words ─► key store ─┐
    client 1: words ─► key store ─┴─► the owner of the command ─► core
    begin, end ─► uses of each slot ─► commands

A command on a slot withdraws the slot at once (`withdrawn`, `usable`), so no new use begins. It touches the key when no
use is left. So nothing is ever encrypted with part of a key or with a later key. The loader counts the uses of all
clients in the same way. A command on a used slot waits. The network side stops within one datagram; if the uses have
still not ended after `wait_cycles`, the slot is zeroized and gets no key. A client whose uses may last longer does not
wait: its command is refused (`ready`).

`zeroize` waits for nobody. It drops whatever is under way, commands included, and zeroizes the keys of all clients.

Handshake: the loader takes a client's command while `ready`. Commands of several clients take turns. A command waits
for at most one command of each other client and does not see it otherwise. After reset everything is zeroized first.
Every command ends within `command_cycles`, plus the cycles of the commands that it waits for.
"""

from functools import reduce
from operator import or_

from migen import FSM, Array, Case, Cat, If, Module, NextState, NextValue, Record, Signal, bits_for

from ..aes.standard import KEY_LENGTH_128, KEY_WORDS, ROUND_KEY_ROWS
from .arbiter import Arbiter
from .client import USES_MAX, Client, KeyPort
from .key_store import KeyStore

# Time limit in cycles for a key command that waits until no datagram uses its key. In normal operation, the command
# waits for about 110 blocks or less: a datagram of 1448 bytes and a full keystream queue. Each block takes at most 56
# cycles.
WAIT_CYCLES = 8192


def command_cycles(command: str, *, slots: int) -> int:
    """Return the maximum number of cycles for ``load_key``, ``clear_key`` or ``zeroize`` on a core with `slots` slots.

    `zeroize` clears a row of 32 bits of each memory each cycle, then the datapath. A command on one slot waits for the
    blocks in their rounds, a key schedule and its rows. The same again covers a command of another client, whose uses
    do not wait.
    """
    if command == "zeroize":
        return (ROUND_KEY_ROWS * KEY_WORDS[KEY_LENGTH_128] + 3) * slots + 128
    return WAIT_CYCLES + 2 * 256


class Uses(Module):
    """Counts, for each slot, how many uses of its key (for example messages) have begun and not ended.

    Attributes
    ----------
    begin, end : Record, valid and number, in
        A use began, or ended; counted from the next cycle on.
    release : Signal(), in
        All uses have ended.
    used : Signal(count), out
        Slots in use.
    """

    def __init__(self, count: int, begin: Record, end: Record, release=0):
        self.used = Signal(count)

        # # #

        for n in range(count):
            level = Signal(max=USES_MAX + 1, name=f"level{n}")
            up, down = Signal(name=f"up{n}"), Signal(name=f"down{n}")
            self.comb += [
                up.eq(begin.valid & (begin.number == n)),
                down.eq(end.valid & (end.number == n)),
                self.used[n].eq(level != 0),
            ]
            self.sync += [
                If(up & ~down, level.eq(level + 1)),
                If(down & ~up, level.eq(level - 1)),
                If(release, level.eq(0)),
            ]


class KeyLoader(Module):
    """Carries out the clients' key commands, one at a time.

    Parameters
    ----------
    core : Module
        A core of `gateware.aes.cores`; used, not added as a submodule. Its slots are the clients' slots, in order.
    clients : list of Client
        The owners of the keys.
    wait_cycles : int
        Longest wait for uses.

    Attributes
    ----------
    ports : list of KeyPort
        One for each client.
    clear : Signal(), out
        Pulse: the core is being zeroized, and its blocks are dropped.
    settled : Signal(), in
        Everything outside the core that held blocks is zero.
    """

    def __init__(self, *, core, clients: list[Client], wait_cycles: int = WAIT_CYCLES):
        slots = sum(client.slots for client in clients)
        slot_bits = bits_for(slots - 1)
        self.ports = ports = [KeyPort(client.slots) for client in clients]
        self.clear = Signal()
        self.settled = Signal(reset=1)

        # # #

        # The command in progress: its client (`owner`), its slot and action, and whether it must wait until the key is
        # unused.
        owner = Signal(max=max(len(clients), 2))
        slot, length = Signal(slot_bits), Signal(2)
        loading, wiping, waits = Signal(), Signal(), Signal()
        waited = Signal(max=wait_cycles + 1)
        withdrawn = Signal(slots)
        zeroizing = Signal(reset=1)
        used = Signal(slots)
        in_use = Array([used[n] for n in range(slots)])
        self.submodules.turns = turns = Arbiter([1] * len(clients))
        self.submodules.fsm = fsm = FSM(reset_state="RESET")
        idle = fsm.ongoing("IDLE")
        # `load`: the owner's key store sends its words to the core. `stop`: the owner's key store zeroizes its words.
        # `empty`: all key stores are idle. `ended`: pulse at the end of the command.
        load, stop, empty, ended = Signal(), Signal(), Signal(), Signal()
        self.comb += turns.take.eq(idle & (turns.wants != 0))
        stores = []
        first = 0
        for n, (client, port) in enumerate(zip(clients, ports, strict=True)):
            store, uses = KeyStore(), Uses(client.slots, port.begin, port.end, port.release)
            setattr(self.submodules, f"store_{n}", store)
            setattr(self.submodules, f"uses_{n}", uses)
            stores.append(store)
            mine = slice(first, first + client.slots)
            free = 1 if client.waits else (Cat(*[port.slot == k for k in range(client.slots)]) & uses.used) == 0
            command = Signal(name=f"command_{n}")
            given = Signal(name=f"given_{n}")  # 1: a command of this client was accepted and has not ended
            own_slot, own_length = Signal(slot_bits, name=f"slot_{n}"), Signal(2, name=f"length_{n}")
            loads, wipes = Signal(name=f"loads_{n}"), Signal(name=f"wipes_{n}")
            self.comb += [
                used[mine].eq(uses.used),
                port.used.eq(uses.used),
                port.withdrawn.eq(withdrawn[mine]),
                port.usable.eq(core.key_valid[mine] & ~withdrawn[mine]),
                port.busy.eq(given | zeroizing),
                port.zeroizing.eq(zeroizing),
                *([] if client.late_flush else [port.flush.eq(self.clear)]),
                port.ready.eq(~port.busy & free),
                command.eq((port.load | port.clear_slot | port.wipe) & port.ready),
                turns.wants[n].eq(given),
                store.write.eq(port.write & ~port.busy & ~((port.load | port.wipe) & port.ready)),
                store.index.eq(port.index),
                store.word.eq(port.word),
                store.load.eq(load & (owner == n)),
                store.clear.eq(self.clear | (stop & (owner == n))),
                Case(length, {**{code: store.count.eq(count) for code, count in KEY_WORDS.items()}, "default": []}),
                store.source.ready.eq(core.key.ready),
            ]
            if client.late_flush:
                self.sync += port.flush.eq(self.clear)
            self.sync += [
                If(ended & ((owner == n) | zeroizing), given.eq(0), withdrawn[mine].eq(0)),
                If(
                    command,
                    given.eq(1),
                    own_slot.eq(port.slot + first),
                    own_length.eq(port.length),
                    loads.eq(port.load),
                    wipes.eq(port.wipe),
                    If(~port.wipe, Case(port.slot, {k: withdrawn[first + k].eq(1) for k in range(client.slots)})),
                ),
                If(self.clear, given.eq(0), withdrawn[mine].eq(2**client.slots - 1)),
            ]
            fsm.act(  # the state IDLE waits for a command, and accepts it from the client that the arbiter chooses
                "IDLE",
                If(
                    turns.take & (turns.choice == n),
                    NextValue(owner, n),
                    NextValue(slot, own_slot),
                    NextValue(length, own_length),
                    NextValue(loading, loads),
                    NextValue(wiping, wipes),
                    NextValue(waits, int(client.waits)),
                    NextState("QUIET"),
                ),
            )
            first += client.slots
        self.comb += [
            core.key_slot.eq(slot),
            core.key_length.eq(length),
            core.key.valid.eq(Array([store.source.valid for store in stores])[owner]),
            core.key.word.eq(Array([store.source.word for store in stores])[owner]),
            empty.eq(~reduce(or_, [store.busy for store in stores])),
            core.clear.eq(self.clear),
        ]
        self.sync += [If(ended, zeroizing.eq(0)), If(self.clear, zeroizing.eq(1))]
        zeroize = [self.clear.eq(1), NextState("CLEAR")]
        fsm.act(  # the state RESET takes one cycle: it starts zeroization, because memories can contain an old key
            "RESET",
            *zeroize,
        )
        fsm.act("IDLE", NextValue(waited, 0))
        fsm.act(  # the state QUIET waits, for a limited time, until nothing uses the slot's key
            "QUIET",
            NextValue(waited, waited + 1),
            If(
                wiping,
                stop.eq(1),
                NextState("CLEAR"),
            )
            .Elif(
                (~in_use[slot] | ~waits) & loading,
                load.eq(1),
                NextState("LOAD"),
            )
            .Elif(
                ~in_use[slot] | ~waits | (waited == wait_cycles),
                core.clear_slot.eq(1),
                stop.eq(loading),
                NextState("CLEAR"),
            ),
        )
        fsm.act(  # the state LOAD waits until the key store has sent its words to the core and zeroized them
            "LOAD",
            If(empty, NextState("CLEAR")),
        )
        fsm.act(  # the state CLEAR waits one cycle, until the core's busy signals are valid
            "CLEAR",
            NextState("EXPAND"),
        )
        fsm.act(  # the state EXPAND waits until the core has expanded the key, or until the memories are zeroized
            "EXPAND",
            If(~core.key_busy & empty & self.settled, ended.eq(1), NextState("IDLE")),
        )
        any_zeroize = reduce(or_, [port.zeroize for port in ports])
        for state in ("IDLE", "QUIET", "LOAD", "CLEAR", "EXPAND"):
            fsm.act(state, If(any_zeroize, *zeroize))
