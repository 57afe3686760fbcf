# SPDX-License-Identifier: BSD-2-Clause
"""Simulates the fast path with LiteEth and a GMII, in Verilator. The phases of the two clocks can drift.

The receive side plays a script of bytes at 125 MHz, whatever the system clock. Meanwhile the transmit side is recorded
byte by byte. A register access names a cycle and happens at that clock edge or later, so tests can open and close
sessions in the middle of traffic.
"""

import contextlib
import ctypes
import re
import struct
from array import array
from fractions import Fraction

from liteeth.phy.gmii import LiteEthPHYGMIIRX, LiteEthPHYGMIITX
from litex.gen import LiteXModule
from litex.gen.fhdl.verilog import convert
from litex.soc.interconnect import csr_bus
from migen import ClockDomain, ClockDomainsRenamer, Module, Record

from gateware.configurations import compose
from gateware.ctr.service import create_service
from gateware.net.ethernet import FastPathEthernet
from gateware.net.events import Event
from gateware.net.link.mac import SharedMAC
from gateware.net.macsec import secy
from gateware.net.macsec.peripheral import MACsecPeripheral
from gateware.net.records.peripheral import FastPathPeripheral, client
from tests.gateware import mutation
from tests.gateware.ctr.rival import CLIENT, Rival
from tests.gateware.net.frames import Session
from tests.gateware.net.operations import Operations
from tests.gateware.net.script import BOARD_IP, BOARD_MAC, BOARD_PORT, Sent, parse
from tests.gateware.net.window_model import RECORDS, Window
from tests.gateware.verilated import compile_model

GMII_HZ = 125_000_000
RESET = 0xFFFF_FFFF  # pseudo register: an access to this address resets the board for one cycle
# Length of a reset in cycles: enough to reset the PHY's clock domains, and both sides of each clock domain crossing. On
# a board, the PLL keeps the reset active even longer.
RESET_CYCLES = 16
DRAIN_CYCLES = 12_000
BANK_WORDS = 512  # size of the address range of a register bank, in registers
# The smallest AES core that encrypts at the full wire rate. Its S-boxes are the type that Verilator compiles fastest.
CORE = {"datapath": 128, "sbox": "block_ram", "engines": 2}
# The AES core of the boards with MACsec, but with "block_ram" S-boxes, which Verilator compiles fastest.
_PROTECTED = compose("macsec").ethernet
PROTECTED_CORE = {"datapath": _PROTECTED.core_datapath, "sbox": "block_ram", "engines": _PROTECTED.core_engines}

HARNESS = """
#include <stdint.h>
#include <vector>
#include "Vtop.h"
#include "verilated.h"
enum { RESET = 0xffffffff, PHY_RESET_CYCLES = 256 };
struct Operation { uint32_t cycle, write, address, data; };
struct Model {
    VerilatedContext context; Vtop top{&context};
    uint64_t time = 0, next_sys = 0, next_gmii = 0, sys_edges = 0, gmii_edges = 0;
    uint32_t state = 0, reset = 0;
    std::vector<uint64_t> cpu;
};
extern "C" {
void *model_create(void) { return new Model; }
void model_destroy(void *m) { delete static_cast<Model *>(m); }
void model_reset(void *m) {
    Model *s = static_cast<Model *>(m); Vtop *t = &s->top;
    t->sys_rst = t->eth_rx_rst = t->eth_tx_rst = 1;
    for (int i = 0; i < 32; i++) { t->sys_clk = t->eth_rx_clk = t->eth_tx_clk = i & 1; t->eval(); }
    t->sys_clk = t->eth_rx_clk = t->eth_tx_clk = 0;
    t->sys_rst = t->eth_rx_rst = t->eth_tx_rst = 0; t->eval();
}
// Runs `cycles` cycles of GMII; gives the number of sys cycles.
uint64_t model_run(void *m, uint32_t sys_half, uint32_t gmii_half, const uint16_t *rx, uint16_t *tx, uint32_t cycles,
                   Operation *operations, uint32_t count) {
    Model *s = static_cast<Model *>(m); Vtop *t = &s->top;
    uint32_t done = 0, cycle = 0; const uint64_t sys_before = s->sys_edges;
    while (cycle < cycles || done < count) {
        s->time = s->next_sys < s->next_gmii ? s->next_sys : s->next_gmii;
        const bool sys = s->time == s->next_sys, gmii = s->time == s->next_gmii;
        bool sys_rise = false, gmii_rise = false;
        if (sys) { s->next_sys += sys_half; t->sys_clk = !t->sys_clk; sys_rise = t->sys_clk; }
        if (gmii) {
            s->next_gmii += gmii_half;
            t->eth_rx_clk = t->eth_tx_clk = gmii_rise = !t->eth_tx_clk;
        }
        if (sys_rise && t->cpu_valid) s->cpu.push_back((uint64_t)t->cpu_last_be << 32 | t->cpu_data);
        t->eval();
        if (gmii_rise) {
            if (cycle < cycles) tx[cycle] = t->tx_data | (t->tx_en ? 0x100 : 0);
            cycle++;
            t->rx_data = cycle < cycles ? rx[cycle] & 0xff : 0; t->rx_dv = cycle < cycles ? rx[cycle] >> 8 & 1 : 0;
            s->gmii_edges++;
        }
        if (sys_rise) {
            s->sys_edges++;
            if (s->reset) {  // the PHY holds its domains for longer than the system's reset lasts
                t->sys_rst = 0;
                if (!--s->reset) t->eth_rx_rst = t->eth_tx_rst = 0;
            }
            if (s->state) {
                t->csr_we = t->csr_re = 0;
                if (++s->state == 4) { operations[done].data = t->csr_dat_r; done++; s->state = 0; }
            } else if (done < count && operations[done].cycle <= cycle && operations[done].address == RESET) {
                t->sys_rst = t->eth_rx_rst = t->eth_tx_rst = 1; s->reset = PHY_RESET_CYCLES; done++;
            } else if (done < count && operations[done].cycle <= cycle) {
                t->csr_adr = operations[done].address; t->csr_dat_w = operations[done].data;
                t->csr_we = operations[done].write; t->csr_re = !operations[done].write; s->state = 1;
            }
        }
        if (sys_rise || gmii_rise) t->eval();
    }
    return s->sys_edges - sys_before;
}
uint64_t model_cpu(void *m, uint64_t *words, uint64_t room) {
    std::vector<uint64_t> &cpu = static_cast<Model *>(m)->cpu; const uint64_t n = cpu.size();
    if (words) { for (uint64_t i = 0; i < n && i < room; i++) words[i] = cpu[i]; cpu.clear(); }
    return n;
}
}
"""


class _PHY(LiteXModule):
    """A GMII PHY without clock circuits. The test drives the clocks of the PHY's clock domains as model inputs."""

    dw = 8
    tx_clk_freq = rx_clk_freq = GMII_HZ

    def __init__(self, pads):
        self.tx = ClockDomainsRenamer("eth_tx")(LiteEthPHYGMIITX(pads))
        self.rx = ClockDomainsRenamer("eth_rx")(LiteEthPHYGMIIRX(pads))
        self.sink, self.source = self.tx.sink, self.rx.source


class _Operation(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("cycle", "write", "address", "data")]


class GMIIBoard:
    """The simulated fast path with its Ethernet MAC. Tests access its registers and the GMII signals.

    Parameters
    ----------
    sys_hz : int
        Frequency of the system clock.
    core : dict
        Parameters of `create_service`.
    rival : bool
        Let a `Rival` share the core.
    padding_register : bool
        Passed to the MAC.
    macsec : bool
        Put a SecY next to the MAC. The names of its registers begin with ``macsec_``.
    """

    def __init__(
        self,
        *,
        sys_hz: int,
        rows: int = 8,
        rival: bool = False,
        padding_register: bool = False,
        macsec: bool = False,
        **core,
    ):
        top = Module()
        for name in ("sys", "eth_rx", "eth_tx"):
            setattr(top.clock_domains, f"cd_{name}", ClockDomain(name))
        domains = [top.cd_sys, top.cd_eth_rx, top.cd_eth_tx]
        pads = Record([("rx_dv", 1), ("rx_data", 8), ("tx_en", 1), ("tx_data", 8)], name="")
        for name, signal in zip(("rx_dv", "rx_data", "tx_en", "tx_data"), pads.flatten(), strict=True):
            signal.name_override = name
        top.submodules.phy = phy = _PHY(pads)
        clients = [client(), *([CLIENT] if rival else []), *(secy.clients() if macsec else [])]
        top.submodules.service = service = create_service(clients, **core)
        if macsec:
            transmit_port, receive_port = service.ports[-2:]
            top.submodules.macsec = protection = MACsecPeripheral(
                transmit_port=transmit_port, receive_port=receive_port
            )
        top.submodules.mac = mac = SharedMAC(
            phy=phy,
            mac_address=BOARD_MAC,
            rx_slots=2,
            tx_slots=2,
            secy=protection.secy if macsec else None,
            padding_register=padding_register,
        )
        if rival:
            top.submodules.rival = Rival(service.ports[1])
        top.submodules.unit = unit = FastPathPeripheral(
            service=service.ports[0], port=BOARD_PORT, ip_address=BOARD_IP, rows=rows
        )
        top.submodules.stack = FastPathEthernet(mac=mac, peripheral=unit, clk_freq=sys_hz)
        csrs = unit.get_csrs(sort=True)
        self.operations = Operations(csrs)
        bus = csr_bus.Interface(data_width=32, address_width=14)
        banks = [csr_bus.CSRBank(csrs, 0, csr_bus.Interface(data_width=32, address_width=14))]
        if macsec:
            others = protection.get_csrs(sort=True)
            banks.append(csr_bus.CSRBank(others, 1, csr_bus.Interface(data_width=32, address_width=14)))
            self.operations.address |= {f"macsec_{csr.name}": BANK_WORDS + n for n, csr in enumerate(others)}
        top.submodules += banks
        top.submodules.interconnect = csr_bus.Interconnect(bus, [bank.bus for bank in banks])
        watched = [bus.adr, bus.we, bus.re, bus.dat_w, bus.dat_r]
        for name, signal in zip(("adr", "we", "re", "dat_w", "dat_r"), watched, strict=True):
            signal.name_override = f"csr_{name}"
        cpu = mac.router.cpu
        for name in ("valid", "data", "last_be"):
            getattr(cpu, name).name_override = f"cpu_{name}"
        ios = {*pads.flatten(), *watched, cpu.valid, cpu.data, cpu.last_be}
        ios |= {signal for domain in domains for signal in (domain.clk, domain.rst)}
        output = convert(top, ios, name="top")
        verilog = re.sub(r"^//.*$", "", output.main_source, flags=re.MULTILINE)  # without LiteX's dated banner
        self._path = compile_model(verilog, HARNESS, output.data_files)
        self._library = ctypes.CDLL(str(self._path))
        self._library.model_create.restype = ctypes.c_void_p
        for name in ("model_run", "model_cpu"):
            getattr(self._library, name).restype = ctypes.c_uint64
        self._library.model_run.argtypes = [
            ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_void_p,
            ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32,
        ]  # fmt: skip
        self._library.model_cpu.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
        for name in ("model_reset", "model_destroy"):
            getattr(self._library, name).argtypes = [ctypes.c_void_p]
        self.set_clock(sys_hz)
        self._model = None
        self.reset()

    def set_clock(self, sys_hz: int) -> None:
        """Change the frequency of the system clock."""
        ratio = Fraction(sys_hz, GMII_HZ)
        self.sys_hz = sys_hz
        self._halves = (ratio.denominator, ratio.numerator)

    def reset(self) -> None:
        """Power the board off and on: create a new model and reset it."""
        self.close()
        self._model = self._library.model_create()
        with contextlib.chdir(self._path.parent):  # this folder contains the files for the model's memories
            self._library.model_reset(self._model)
        self.wait()

    def close(self) -> None:
        """Free the simulation model, if there is one."""
        if self._model:
            self._library.model_destroy(self._model)
            self._model = None

    # The wire.

    def run(self, script: array, operations: list[tuple] = ()) -> tuple[array, list[int], int]:
        """Send the bytes of `script` to the board. Return the bytes that the board sent, the register values that were
        read, and the number of system clock cycles.

        `operations` are (GMII cycle, register, value), in order; a value of None reads. Each ``reset`` is a cycle of
        the system's reset, with which the PHY resets its domains as `LiteEthPHYHWReset` does; see `RESET_CYCLES`.
        """
        mutation.simulated(self._path.parent)
        table = (_Operation * max(len(operations), 1))()
        for entry, (cycle, name, value) in zip(table, operations, strict=False):
            entry.cycle, entry.write = cycle, value is not None
            entry.address = RESET if name == "reset" else self.operations.address[name]
            entry.data = value or 0
        sent = array("H", bytes(2 * len(script)))
        rx, tx = script.buffer_info()[0], sent.buffer_info()[0]
        cycles = self._library.model_run(
            self._model, *self._halves, rx, tx, len(script), ctypes.addressof(table), len(operations)
        )
        return sent, [table[n].data for n, (*_, value) in enumerate(operations) if value is None], cycles

    def exchange(self, script: array, operations: list[tuple] = (), drain: int = DRAIN_CYCLES) -> list[Sent]:
        """Send the bytes of `script` to the board, then run `drain` cycles without input, so that all answers leave.
        Return the frames that the board sent.
        """
        return parse(self.run(script + array("H", bytes(2 * drain)), operations)[0])

    def cpu_frames(self) -> list[bytes]:
        """Return the frames that the board has passed to the CPU since the last call of this method."""
        count = self._library.model_cpu(self._model, None, 0)
        words = (ctypes.c_uint64 * max(count, 1))()
        self._library.model_cpu(self._model, ctypes.addressof(words), count)
        found, frame = [], b""
        for word in words[:count]:
            last_be = word >> 32
            frame += struct.pack("<I", word & 0xFFFF_FFFF)[: last_be.bit_length() or 4]
            if last_be:
                found.append(frame)
                frame = b""
        assert not frame, "a frame to the CPU has no end"
        return found

    # Registers.

    def write(self, name: str, value: int) -> None:
        self.run(array("H"), [(0, name, value)])

    def read(self, name: str) -> int:
        return self.run(array("H"), [(0, name, None)])[1][0]

    def bit(self, register: str, field: str) -> int:
        return self.operations.bit(register, field)

    def command(self, *names: str) -> None:
        self.write("control", sum(self.bit("control", name) for name in names))

    def wait(self) -> None:
        """If the hardware is executing a key command, wait until the command has ended."""
        for _ in range(1000):
            if not self.read("status") & self.bit("status", "busy"):
                return
        raise AssertionError("a command on keys does not end")

    def open(self, session: Session, window: Window | None = None) -> None:
        """Load a session's key, and open the session. If no `window` is given, the session's window is empty."""
        self.run(array("H"), self.operations.load_key(session.slot, session.key))
        self.wait()
        window = window or Window(session.record_bytes // 16, session.first)
        opening = [*self.operations.write_window(session.row, window), *self.operations.open(session)]
        self.run(array("H"), opening)
        assert self.read("opened") >> session.row & 1
        assert not self.read("status") & self.bit("status", "refused")

    def window(self, session: Session) -> Window:
        """Read the record window of a session through the CPU's registers, and return the window."""
        self.write("row", session.row)
        first, sums = 0, {}
        for place in range(RECORDS):
            self.write("window_place", place)
            self.command("read_window")
            assert not self.read("status") & self.bit("status", "window_busy")
            first = self.read("window_base") // (session.record_bytes // 16)
            if self.read("window_came"):
                sums[first + place] = self.read("window_sum_hi") << 32 | self.read("window_sum_lo")
        return Window(session.record_bytes // 16, first, sums)

    def counters(self) -> dict[Event, int]:
        """Return the value of every event counter."""
        operations = [access for event in Event for access in ((0, "event", int(event)), (0, "event_count", None))]
        return dict(zip(Event, self.run(array("H"), operations)[1], strict=True))

    def statistics(self, row: int) -> tuple[int, int, int]:
        """Return the numbers of bytes, blocks and records that the session in this row has processed."""
        self.write("row", row)
        self.command("read_statistics")
        names = ("bytes_lo", "bytes_hi", "blocks_lo", "blocks_hi", "records")
        low, high, blocks_low, blocks_high, records = (self.read(name) for name in names)
        return high << 32 | low, blocks_high << 32 | blocks_low, records
