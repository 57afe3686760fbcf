# SPDX-License-Identifier: BSD-2-Clause
"""The SoC: VexRiscv with the vector AES unit, the CTR accelerator, and an on-chip buffer memory.

::

                        ┌───────────────┐ CFU  ┌─────────────────┐
                        │   VexRiscv    │─────►│ vector AES unit │──────────────┐
                        └───┬───────┬───┘      └─────────────────┘              │
                           I│      D│                                           │
    ────────────────────────┴───────┴──────┬─────── 32-bit Wishbone, bursts ────│───
       │        │         │                │ narrow                             │
     ROM      SRAM     CSRs: UART, timer,  buffer memory                        │
                       accelerator         │ wide                               │
                          │             ───┴─────┬── 128-bit Wishbone ──────────┘
                          └─ CTR accelerator (DMA)

One class serves every target; its board and configuration (`gateware.targets`) define the differences. The DMA and the
vector unit reach only the buffer memory, one block in each access over the wide port; neither is a master of the SoC's
bus. With Ethernet the DMA also reaches the slots of the CPU's frames (`gateware.soc.ethernet`). SDRAM, if the
configuration has it, is only on the CPU's bus (`gateware.soc.sdram`). An extension may replace the vector unit, or add
parts with masters on the same arbiter (`gateware.extensions`). With a loader in the boot ROM, the firmware is in a
separate memory (`gateware.soc.loader`).
"""

from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

from litex import get_data_mod
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCCore
from litex.soc.interconnect import wishbone

from ..ctr.service import CTRService, create_service
from ..dma import accelerator
from ..dma.accelerator import CTRAccelerator
from ..isa.command import CommandRegister
from ..isa.vector_unit import VectorAESUnit
from ..memory import distributed, in_luts
from ..net.macsec import secy
from ..net.records import peripheral as fast_path
from ..random.oscillators import RingOscillators
from ..random.source import RandomSource
from ..targets import Target
from .buffer import BufferArbiter, BufferMemory
from .ethernet import add_ethernet, slots_region
from .loader import add_loader
from .sdram import BUS_TIMEOUT_CYCLES as SDRAM_BUS_TIMEOUT_CYCLES
from .sdram import add_sdram

BUFFER_ORIGIN = 0x4000_0000
# Time limit of a bus access in cycles. Registers and on-chip memories answer within a few cycles. A small limit needs
# only a short counter, which is quick to compare.
BUS_TIMEOUT_CYCLES = 63
CONSOLE_FIFO_BYTES = 64
# Cycles from the watchdog's interrupt to the reset: time to print a last message.
WATCHDOG_RESET_DELAY_CYCLES = 4096


def create_ctr_service(target: Target) -> CTRService:
    """Return the CTR service of a target. Its clients are the fast path, the accelerator and the SecY, in this order;
    a target without Ethernet has no fast path, and a target without MACsec has no SecY.
    """
    configuration = target.configuration
    if configuration.ethernet:
        clients = [fast_path.client(), accelerator.client()]
        if configuration.ethernet.macsec:
            clients += secy.clients()
        core = {"datapath": configuration.ethernet.core_datapath, "engines": configuration.ethernet.core_engines}
    else:
        clients = [accelerator.client()]
        core = {"datapath": configuration.core_datapath}
    return create_service(clients, sbox=target.fit.core_sbox, key_stages=target.fit.key_stages, **core)


class CipherlaneSoC(SoCCore):
    """The SoC for one board, in one configuration.

    Parameters
    ----------
    target : Target
        Board and configuration.
    firmware : list[int]
        Words of the boot ROM, the first at the reset address. Must not be empty, or LiteX would build its BIOS. If the
        configuration has a loader, these are the words of the code memory.
    loader : list[int]
        Words of the boot ROM if the configuration has a loader; not empty in that case.
    """

    def __init__(self, target: Target, firmware: list[int], loader: Sequence[int] = (0,)):
        self.target = target
        board, configuration = target.board, target.configuration
        platform = board.create_platform()
        SoCCore.__init__(
            self,
            platform,
            target.sys_clk_freq,
            cpu_type="vexriscv",
            cpu_variant="full",
            bus_bursting=True,
            bus_timeout=SDRAM_BUS_TIMEOUT_CYCLES if configuration.sdram_cache else BUS_TIMEOUT_CYCLES,
            integrated_rom_size=configuration.rom_size,
            integrated_rom_init=list(loader) if configuration.code_size else firmware,
            integrated_sram_size=configuration.sram_size,
            ident=f"Cipherlane {target.name}",
            uart_name=board.uart_name,
            uart_baudrate=board.uart_baudrate,
            uart_fifo_depth=board.uart_fifo_depth,
            with_timer=True,
            timer_uptime=True,
        )
        sdram = board.sdram if configuration.sdram_cache else None
        self.crg = (sdram or board).create_crg(platform, target.sys_clk_freq)
        self._add_aes_unit(target)
        self._add_buffer(configuration.buffer_size)
        self.ctr_service = create_ctr_service(target)
        self._add_accelerator(target)
        self.random = RandomSource(None if board.simulated else RingOscillators())
        if configuration.ethernet:
            add_ethernet(
                self,
                board.create_phy,
                configuration.ethernet,
                service=self.ctr_service.ports[0],
                macsec_service=self.ctr_service.ports[2:],
                dma_bus=self.dma_to_slots,
                padding_register=target.fit.padding_register,
            )
        if sdram:
            add_sdram(self, sdram, configuration.sdram_cache, target.fit.distributed_words)
        if configuration.console:
            pads = platform.request("serial", 1, loose=True)
            self.add_uart("console", board.console_name, pads, board.uart_baudrate, CONSOLE_FIFO_BYTES)
        if configuration.watchdog:
            self.add_watchdog("watchdog", reset_delay=WATCHDOG_RESET_DELAY_CYCLES)
        if configuration.code_size:
            add_loader(self, target, firmware)
        for name, value in (
            ("CIPHERLANE_SIMULATED", int(board.simulated)),
            ("CIPHERLANE_RX_WINDOW", board.rx_window),
            ("CIPHERLANE_MAX_DATA", configuration.max_data),
            ("CIPHERLANE_BENCH_BYTES", configuration.bench_bytes),
            ("CIPHERLANE_BOARD", target.name),
        ):
            self.add_constant(name, value)
        in_luts(self, target.fit.lut_words)
        distributed(self, target.fit.distributed_words)

    def add_csr_bridge(self, name="csr", origin=None, register=False):
        """Add LiteX's CSR bridge with `register=True`, so that the CSRs stay out of the bus's combinational paths."""
        super().add_csr_bridge(name, origin, register=True)

    def _add_aes_unit(self, target: Target) -> None:
        # Use the VexRiscv with a CFU port as an external variant, not as LiteX's variant "full+cfu". LiteX's variant
        # accepts only a Verilog file without additional ports. The AES unit is a Migen module, and has ports in
        # addition to the CFU port.
        cores = Path(get_data_mod("cpu", "vexriscv").data_location)
        self.cpu.use_external_variant(str(cores / "VexRiscv_FullCfu.v"))
        if target.configuration.unit:
            self.aes_unit = unit = resolve_name(target.configuration.unit)(sbox=target.fit.cfu_sbox)
            self.add_constant("CIPHERLANE_OTHER_UNIT")
        else:
            self.aes_unit = unit = VectorAESUnit(
                memory=(BUFFER_ORIGIN, target.configuration.buffer_size),
                sbox=target.fit.cfu_sbox,
                product_cycles=target.fit.product_cycles,
            )
            if target.fit.product_cycles:
                self.add_constant("CIPHERLANE_VECTOR_PRODUCTS")
        self.aes_command = command = CommandRegister()
        self.comb += [
            unit.cmd_valid.eq(command.source.valid),
            command.source.ready.eq(unit.cmd_ready),
            unit.cmd_function_id.eq(command.source.function_id),
            unit.cmd_inputs[0].eq(command.source.input0),
            unit.cmd_inputs[1].eq(command.source.input1),
        ]
        self.cpu.cpu_params.update(
            o_CfuPlugin_bus_cmd_valid=command.sink.valid,
            i_CfuPlugin_bus_cmd_ready=command.sink.ready,
            o_CfuPlugin_bus_cmd_payload_function_id=command.sink.function_id,
            o_CfuPlugin_bus_cmd_payload_inputs_0=command.sink.input0,
            o_CfuPlugin_bus_cmd_payload_inputs_1=command.sink.input1,
            i_CfuPlugin_bus_rsp_valid=unit.rsp_valid,
            o_CfuPlugin_bus_rsp_ready=unit.rsp_ready,
            i_CfuPlugin_bus_rsp_payload_outputs_0=unit.rsp_output,
        )

    def _add_buffer(self, size: int) -> None:
        self.buffer = BufferMemory(size=size)
        self.bus.add_slave("buffer", self.buffer.narrow, SoCRegion(origin=BUFFER_ORIGIN, size=size))

    def _add_accelerator(self, target: Target) -> None:
        configuration = target.configuration
        regions = [(BUFFER_ORIGIN, configuration.buffer_size)]
        if configuration.ethernet:
            regions.append(slots_region(configuration.ethernet))
        self.accelerator = CTRAccelerator(
            service=self.ctr_service.ports[1 if configuration.ethernet else 0],
            regions=regions,
            gcm_cycles=configuration.gcm_cycles,
        )
        if configuration.gcm_cycles:
            self.add_constant("CIPHERLANE_GCM")
        self.irq.add("accelerator", use_loc_if_exists=True)
        dma_bus = self.accelerator.bus
        if configuration.ethernet:
            parts = [wishbone.Interface(data_width=128, address_width=32, addressing="word") for _ in regions]
            # Byte addresses below 2^31 belong to the buffer memory, and higher addresses to Ethernet's slots.
            chosen = [lambda address: ~address[-1], lambda address: address[-1]]
            self.dma_decoder = wishbone.Decoder(dma_bus, list(zip(chosen, parts, strict=True)))
            dma_bus, self.dma_to_slots = parts
        masters = [dma_bus] if configuration.unit else [self.aes_unit.bus, dma_bus]
        for part in configuration.parts:
            masters += resolve_name(part.add)(self, target)
        self.buffer_arbiter = BufferArbiter(masters, self.buffer)
