# SPDX-License-Identifier: BSD-2-Clause
"""Simulates the fast path's peripheral at its registers and its UDP port, in Verilator.

The model is small enough for tests that try every cycle. Datagrams come as fast as the unit takes them, and answers are
taken at once. Register accesses and resets happen in exactly the cycle that a test names.
"""

import contextlib
import ctypes
import re
import struct
from array import array
from dataclasses import dataclass

from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import csr_bus
from migen import ClockDomain, Module

from gateware.ctr.service import create_service
from gateware.net.records.peripheral import FastPathPeripheral, client
from tests.gateware import mutation
from tests.gateware.net.frames import Session
from tests.gateware.net.operations import Operations
from tests.gateware.net.script import BOARD_IP, BOARD_PORT
from tests.gateware.net.window_model import Window
from tests.gateware.verilated import compile_model

WAIT_MAX = 40_000  # maximum number of cycles for which the simulation waits

HARNESS = """
#include <stdint.h>
#include <algorithm>
#include "Vtop.h"
#include "verilated.h"
enum { READ, WRITE, RESET, WAIT };
struct Word { uint32_t cycle, data, marks, sizes, ip, mac[2]; };
struct Operation { uint32_t cycle, kind, address, data; };
struct Sent { uint32_t cycle, data, marks, length, ip, port, mac[2]; };
struct Model { VerilatedContext context; Vtop top{&context}; };
extern "C" {
void *model_create(void) { return new Model; }
void model_destroy(void *m) { delete static_cast<Model *>(m); }
// Runs until all words, operations and `cycles` are over; gives the number of words that were sent.
uint32_t model_play(void *m, const Word *words, uint32_t count, Operation *operations, uint32_t last, uint32_t cycles,
                    Sent *sent, uint32_t room, uint32_t wait_max) {
    Vtop *t = &static_cast<Model *>(m)->top;
    uint32_t word = 0, done = 0, found = 0, state = 0, began = 0;
    bool inside = false;
    for (uint32_t cycle = 0; cycle < cycles || word < count || done < last; cycle++) {
        if (cycle > cycles + 2 * wait_max) return ~0u;
        // What this cycle has.
        t->sys_rst = t->csr_we = t->csr_re = 0;
        if (done < last && !state && operations[done].cycle <= cycle) {
            Operation *o = &operations[done];
            t->csr_adr = o->address; t->csr_dat_w = o->data;
            if (o->kind == WRITE) { t->csr_we = 1; done++; }
            else if (o->kind == RESET) {
                t->sys_rst = 1; done++;
                while (inside && word < count && !(words[word++].marks >> 8 & 1)) { }  // its rest is lost
                inside = false;
                while (found && !(sent[found - 1].marks >> 8 & 1)) found--;
            } else { t->csr_re = 1; state = 1; began = cycle; }
        } else if (state) t->csr_re = 1;
        const bool valid = word < count && words[word].cycle <= cycle && !t->sys_rst;
        t->rx_valid = valid;
        if (word < count) {
            const Word *w = &words[word];
            t->rx_data = w->data; t->rx_last = w->marks >> 8 & 1; t->rx_last_be = w->marks & 15;
            t->rx_length = w->sizes & 0xffff; t->rx_src_port = w->sizes >> 16; t->rx_ip_address = w->ip;
            t->rx_sender_mac = (uint64_t)w->mac[1] << 32 | w->mac[0];
        }
        t->tx_ready = 1;
        t->sys_clk = 0; t->eval();
        if (valid && t->rx_ready) { inside = !t->rx_last; word++; }
        if (t->tx_valid && !t->sys_rst && found < room) {
            sent[found++] = Sent{cycle, t->tx_data, (uint32_t)(t->tx_last << 8 | t->tx_last_be), t->tx_length,
                t->tx_ip_address, t->tx_dst_port, {(uint32_t)t->tx_mac, (uint32_t)(t->tx_mac >> 32)}};
        }
        t->sys_clk = 1; t->eval();
        if (state && state++ == 2) {
            Operation *o = &operations[done];
            if (o->kind == READ) { o->data = t->csr_dat_r; state = 0; done++; }
            else if (!(t->csr_dat_r & o->data)) { o->data = cycle - began; state = 0; done++; }
            else if (cycle - began > wait_max) { o->data = ~0u; state = 0; done++; }
            else state = 1;
        }
    }
    return found;
}
}
"""
_READ, _WRITE, _RESET, _WAIT = range(4)
_SENT = struct.Struct("<8I")
ENDLESS = 0xFFFF_FFFF


class StuckError(AssertionError):
    """Raised when the fast path stops accepting words."""


@dataclass
class Answer:
    """A datagram that the fast path sent: the cycle of its first word, its destination, and its payload."""

    cycle: int
    ip: int
    port: int
    mac: int
    payload: bytes


def answer(session: Session, payload: bytes) -> tuple:
    """Return all fields of the expected `Answer` except the field `cycle`."""
    return session.peer.ip, session.peer.port, session.peer.mac, payload


class PeripheralBoard:
    """The simulated peripheral of the fast path, with its CTR service.

    Parameters
    ----------
    core : dict
        Parameters of `create_service`.
    """

    def __init__(self, *, rows: int = 8, **core):
        top = Module()
        top.clock_domains.cd_sys = ClockDomain("sys")
        top.submodules.service = service = create_service([client()], **core)
        top.submodules.unit = unit = FastPathPeripheral(
            service=service.ports[0], port=BOARD_PORT, ip_address=BOARD_IP, rows=rows
        )
        csrs = unit.get_csrs(sort=True)
        self.operations = Operations(csrs)
        bus = csr_bus.Interface(data_width=32, address_width=14)
        top.submodules.bank = csr_bus.CSRBank(csrs, 0, bus)
        path = unit.fast_path
        named = {f"csr_{name}": getattr(bus, name) for name in ("adr", "we", "re", "dat_w", "dat_r")}
        names = ("valid", "ready", "last", "last_be", "data", "length")
        named |= {f"rx_{name}": getattr(path.sink, name) for name in (*names, "src_port", "ip_address")}
        named |= {f"tx_{name}": getattr(path.source, name) for name in (*names, "dst_port", "ip_address")}
        named |= {"rx_sender_mac": path.sender_mac, "tx_mac": path.destination.mac_address}
        for name, signal in named.items():
            signal.name_override = name
        output = convert(top, {*named.values(), top.cd_sys.clk, top.cd_sys.rst}, name="top")
        verilog = re.sub(r"^//.*$", "", output.main_source, flags=re.MULTILINE)  # without LiteX's dated banner
        self._path = compile_model(verilog, HARNESS, output.data_files)
        self._library = ctypes.CDLL(str(self._path))
        self._library.model_create.restype = ctypes.c_void_p
        self._library.model_play.restype = ctypes.c_uint32
        pointer, number = ctypes.c_void_p, ctypes.c_uint32
        self._library.model_play.argtypes = [
            pointer, pointer, number, pointer, number, number, pointer, number, number,
        ]  # fmt: skip
        self._library.model_destroy.argtypes = [pointer]
        self._model = self._library.model_create()
        self._sent = array("I", bytes(4096 * _SENT.size))
        with contextlib.chdir(self._path.parent):  # the folder with the files for the model's memories
            self.reset()

    def close(self) -> None:
        """Free the simulation model, if there is one."""
        if self._model:
            self._library.model_destroy(self._model)
            self._model = None

    def reset(self) -> None:
        """Reset the peripheral, and wait until its zeroization after the reset has ended."""
        assert self.play([], [(0, "reset", 0), (1, "idle", None)])[1] != [ENDLESS]

    def play(self, datagrams: list[tuple], operations: list[tuple] = (), cycles: int = 0) -> tuple[list[Answer], list]:
        """Send datagrams and make register accesses; return the answers and the values read.

        Parameters
        ----------
        datagrams : list of (cycle, Session, payload), each optionally followed by pairs (word, cycle)
            The earliest cycle, the sender, and the contents. A pair holds the datagram back: that word and later ones
            do not come before that cycle.
        operations : list of (cycle, register, value)
            In order. A value of None reads. ``reset`` pulses the reset. ``idle`` waits until no command on keys is
            under way, and ``unused`` until no datagram of any session is under way; both return the cycles waited, or
            ENDLESS.
        cycles : int
            Least number of cycles to run.
        """
        mutation.simulated(self._path.parent)
        words = array("I")
        for cycle, session, payload, *pause in datagrams:
            peer = session.peer
            sizes = len(payload) | peer.port << 16
            for n in range(0, len(payload), 4):
                word = payload[n : n + 4]
                last = n + 4 >= len(payload)
                marks = (0x100 | 1 << (len(word) - 1)) if last else 0
                begin = max([cycle, *(later for word_number, later in pause if 4 * word_number <= n)])
                words.extend((begin, int.from_bytes(word, "little"), marks, sizes, peer.ip))
                words.extend((peer.mac & 0xFFFF_FFFF, peer.mac >> 32))
        table = array("I")
        for cycle, name, value in operations:
            table.extend((cycle, *self._operation(name, value)))
        count = self._library.model_play(
            self._model, words.buffer_info()[0], len(words) // 7, table.buffer_info()[0], len(table) // 4, cycles,
            self._sent.buffer_info()[0], len(self._sent) // 8, WAIT_MAX,
        )  # fmt: skip
        if count == ENDLESS:
            raise StuckError("the unit takes no more words")
        read = [table[4 * n + 3] for n, (_, name, value) in enumerate(operations) if value is None]
        return self._answers(count), read

    def _operation(self, name: str, value: int | None) -> tuple[int, int, int]:
        address = self.operations.address
        if name == "reset":
            return _RESET, 0, 0
        if name == "idle":
            return _WAIT, address["status"], self.operations.bit("status", "busy")
        if name == "unused":
            return _WAIT, address["in_use"], 0xFFFF_FFFF
        return (_READ, address[name], 0) if value is None else (_WRITE, address[name], value)

    def _answers(self, count: int) -> list[Answer]:
        found, payload, began = [], b"", 0
        view = memoryview(self._sent).cast("B")[: count * _SENT.size]
        for cycle, data, marks, length, ip, port, mac_low, mac_high in _SENT.iter_unpack(view):
            began = began if payload else cycle
            payload += struct.pack("<I", data)[: (marks & 15).bit_length() or 4]
            if marks >> 8:
                assert len(payload) == length, "a datagram is not as long as it says"
                found.append(Answer(began, ip, port, mac_high << 32 | mac_low, payload))
                payload = b""
        assert not payload, "an answer has no end"
        return found

    def prepare(self, sessions: list[Session], *, fresh: bool = True) -> None:
        """Load the keys of the sessions, and open the sessions.

        Their windows are empty if `fresh`; otherwise the windows in their rows stay.
        """
        operations = []
        for session in sessions:
            operations += [*self.operations.load_key(session.slot, session.key), (0, "idle", None)]
            operations += [(0, "unused", None)]
            if fresh:
                operations += self.operations.write_window(session.row, Window(session.record_bytes // 16))
            operations += self.operations.open(session)
        assert ENDLESS not in self.play([], [*operations, (0, "status", None)])[1]
