"""Render the devicetree of a Zephyr board from the SoC's own description.

The input is `csr.json`, which LiteX's Builder writes: register addresses, interrupts, clock and memories. If the SoC
has SDRAM, `sdram.json` in the same folder describes it; `gateware.codegen.sdram` makes that file. Each register of a
node has an entry and a name, as in Zephyr's bindings of LiteX's cores.
"""

import json
from pathlib import Path
from typing import Any

INTERRUPT_PRIORITY = 0
# Maximum number of the SoC's interrupts. They use entries 0 to 10 of Zephyr's interrupt table. Entry 11 is the CPU's
# external interrupt, through which the CPU receives all interrupts of the SoC.
INTERRUPTS_MAX = 11

# For each peripheral, the registers that its devicetree node lists.
_UART = ("rxtx", "txfull", "rxempty", "ev_status", "ev_pending", "ev_enable", "txempty", "rxfull")
_TIMER = ("load", "reload", "en", "update_value", "value", "ev_status", "ev_pending", "ev_enable")
_UPTIME = ("uptime_latch", "uptime_cycles")
_WATCHDOG = ("control", "cycles", "remaining", "ev_status", "ev_pending", "ev_enable")

# Maps the name of each register of the Ethernet MAC in the devicetree node to LiteX's name of the register.
_ETHERNET = {
    "rx_slot": "sram_writer_slot",
    "rx_length": "sram_writer_length",
    "rx_errors": "sram_writer_errors",
    "rx_ev_pending": "sram_writer_ev_pending",
    "rx_ev_enable": "sram_writer_ev_enable",
    "tx_start": "sram_reader_start",
    "tx_ready": "sram_reader_ready",
    "tx_level": "sram_reader_level",
    "tx_slot": "sram_reader_slot",
    "tx_length": "sram_reader_length",
    "tx_checksum": "tx_checksum",
    "station_row": "stations_row",
    "station_mac0": "stations_mac0",
    "station_mac1": "stations_mac1",
    "station_address": "stations_address",
    "station_known": "stations_known",
    "preamble_errors": "rx_datapath_preamble_errors",
    "crc_errors": "rx_datapath_crc_errors",
}
SDRAM_JSON = "sdram.json"
# A simulated board has no source of noise. Its devicetree instead contains this generator of predictable numbers, with
# a fixed, arbitrary seed.
_INSECURE_ENTROPY = """
	insecure_entropy0: insecure-entropy {
		compatible = "cipherlane,insecure-entropy";
		seed = <0x5eed>;
	};
"""
# Registers in the devicetree node of the SDRAM controller. The node lists all registers of the first DFI phase, but
# only the first register of the second phase. From the address of this register, the driver computes the addresses of
# all other registers. If the PHY has registers that adjust the timing of reads, the node lists these registers too.
_PI0 = ("command", "command_issue", "address", "baddress", "wrdata", "rddata")
_DFII = ("control", *(f"pi0_{name}" for name in _PI0), "pi1_command")
_READ_DELAY = ("dq_rst", "dq_inc", "dq_bitslip_rst", "dq_bitslip")
_PHY = ("dly_sel", *(f"rdly_{name}" for name in _READ_DELAY), "burstdet_clr", "burstdet_seen")
_SLOTS = {"rx_slots": "ethmac_rx", "tx_slots": "ethmac_tx"}


class DescriptionError(ValueError):
    """The SoC's description lacks an item that Zephyr needs."""


def _named_registers(description: dict[str, Any], prefix: str, names: tuple[str, ...]) -> str:
    registers = description["csr_registers"]
    try:
        entries = [registers[f"{prefix}_{name}"] for name in names]
    except KeyError as error:
        raise DescriptionError(f"the SoC has no register {error}") from error
    return _reg({name: (entry["addr"], 4 * entry["size"]) for name, entry in zip(names, entries, strict=True)})


def _reg(places: dict[str, tuple[int, int]]) -> str:
    """Return the properties `reg` and `reg-names` of a node. `places` maps each name to an address and a size in
    bytes.
    """
    reg = ",\n\t\t\t      ".join(f"<0x{address:08x} 0x{size:x}>" for address, size in places.values())
    names = ", ".join(f'"{name}"' for name in places)
    return f"reg = {reg};\n\t\t\treg-names = {names};"


def _interrupt(description: dict[str, Any], name: str) -> str:
    number = description["constants"].get(f"{name}_interrupt")
    if number is None:
        raise DescriptionError(f"the SoC has no interrupt of {name}")
    if number >= INTERRUPTS_MAX:
        raise DescriptionError(f"interrupt {number} of {name} is beyond those that Zephyr's table has room for")
    return f"interrupts = <{number} {INTERRUPT_PRIORITY}>;"


def _address(description: dict[str, Any], prefix: str) -> str:
    base = description["csr_bases"].get(prefix)
    if base is None:
        raise DescriptionError(f"the SoC has no {prefix}")
    return f"{base:x}"


def _memory(description: dict[str, Any], name: str) -> tuple[int, int]:
    region = description["memories"].get(name)
    if region is None:
        raise DescriptionError(f"the SoC has no memory {name}")
    return region["base"], region["size"]


def _ethernet(description: dict[str, Any]) -> str:
    if "ethmac" not in description["csr_bases"]:
        return ""
    constants, registers = description["constants"], description["csr_registers"]
    places = {name: (registers[f"ethmac_{register}"]["addr"], 4) for name, register in _ETHERNET.items()}
    places |= {name: _memory(description, region) for name, region in _SLOTS.items()}
    mac_address = " ".join(f"{constants[f'macaddr{i}']:02x}" for i in range(1, 7))
    return f"""
		ethernet0: ethernet@{_address(description, "ethmac")} {{
			compatible = "cipherlane,ethernet";
			{_reg(places)}
			{_interrupt(description, "ethmac")}
			slot-bytes = <{constants["ethmac_slot_size"]}>;
			slot-sums = <{constants["ethmac_slot_sums"]}>;
			local-mac-address = [{mac_address}];
		}};

		fast_path0: fast-path@{_address(description, "fastpath")} {{
			compatible = "cipherlane,fast-path";
			reg = <0x{_address(description, "fastpath")} 0x100>;
		}};
"""


def _sdram(description: dict[str, Any], sdram: dict[str, Any]) -> tuple[str, str]:
    """Return the nodes of the SDRAM and of its controller; both are empty if there is no SDRAM."""
    if not sdram:
        return "", ""
    base, size = _memory(description, "main_ram")
    registers = description["csr_registers"]
    named = [(name, registers.get(f"sdram_dfii_{name}")) for name in _DFII]
    named += [(name, registers.get(f"ddrphy_{name}")) for name in _PHY]
    reg = _reg({name: (entry["addr"], 4 * entry["size"]) for name, entry in named if entry})
    values = "".join(f"\t\t\t{name.replace('_', '-')} = <{value}>;\n" for name, value in sdram["values"].items())
    lane_bits = ", ".join(f"<0x{bits:08x}>" for bits in sdram["lane_bits"])
    steps = ",\n\t\t\t\t".join(
        f"<{command} {bits} 0x{address:x} {bank} {cycles}> /* {what} */"
        for what, command, bits, address, bank, cycles in sdram["steps"]
    )
    memory = f"""
	sdram0: memory@{base:x} {{
		compatible = "zephyr,memory-region", "mmio-sram";
		device_type = "memory";
		reg = <0x{base:08x} 0x{size:x}>;
		zephyr,memory-region = "SDRAM";
	}};
"""
    controller = f"""
		sdram_controller0: memory-controller@{_address(description, "sdram")} {{
			compatible = "cipherlane,sdram";
			{reg}
			memory = <&sdram0>;
			memory-kind = "{sdram["kind"]}";
			l2-bytes = <{description["constants"]["config_l2_size"]}>;
{values}			lane-bits = {lane_bits};
			steps = {steps};
		}};
"""
    return memory, controller


def render(csr_json: Path) -> str:
    """Return the text of the devicetree.

    Parameters
    ----------
    csr_json : Path
        LiteX's description of the SoC. If the SoC has SDRAM, `sdram.json` in the same folder describes it.

    Raises
    ------
    DescriptionError
        The SoC lacks what Zephyr needs: UART, console, timer with uptime, watchdog, accelerator, a memory.
    """
    description = json.loads(csr_json.read_text())
    constants = description["constants"]
    frequency = constants["config_clock_frequency"]
    rom, rom_size = _memory(description, "rom")
    sram, sram_size = _memory(description, "sram")
    buffer, buffer_size = _memory(description, "buffer")
    scratch = description["csr_registers"]["ctrl_scratch"]["addr"]
    reset = description["csr_registers"]["ctrl_reset"]["addr"]
    has_sdram = "main_ram" in description["memories"]
    sdram = json.loads(csr_json.with_name(SDRAM_JSON).read_text()) if has_sdram else {}
    sdram_memory, sdram_controller = _sdram(description, sdram)
    accelerator, random = _address(description, "accelerator"), _address(description, "random")
    simulated = constants["cipherlane_simulated"]
    multiplier = "\t\tmultiplier;\n" if "cipherlane_vector_products" in constants else ""
    entropy = "insecure_entropy0" if simulated else "random0"
    return f"""\
/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from the SoC's description by `make pages`; do not edit. */

/dts-v1/;

/ {{
	#address-cells = <1>;
	#size-cells = <1>;
	model = "Cipherlane {constants["cipherlane_board"]}";
	compatible = "cipherlane,{constants["cipherlane_board"].replace("_", "-")}";

	chosen {{
		zephyr,sram = &sram0;
		zephyr,flash = &rom0;
		zephyr,console = &console0;
		zephyr,shell-uart = &console0;
		cipherlane,uart = &uart0;
		zephyr,entropy = &{entropy};
	}};

	aliases {{
		watchdog0 = &watchdog0;
	}};

	cpus {{
		#address-cells = <1>;
		#size-cells = <0>;

		cpu0: cpu@0 {{
			device_type = "cpu";
			compatible = "litex,vexriscv-standard", "riscv";
			reg = <0>;
			riscv,isa = "rv32im_zicsr_zifencei";
			clock-frequency = <{frequency}>;
		}};
	}};

	rom0: flash@{rom:x} {{
		compatible = "soc-nv-flash";
		reg = <0x{rom:08x} 0x{rom_size:x}>;
	}};

	sram0: memory@{sram:x} {{
		compatible = "mmio-sram";
		device_type = "memory";
		reg = <0x{sram:08x} 0x{sram_size:x}>;
	}};

	buffer0: buffer@{buffer:x} {{
		compatible = "zephyr,memory-region";
		reg = <0x{buffer:08x} 0x{buffer_size:x}>;
		zephyr,memory-region = "BUFFER";
	}};
{sdram_memory}
	cipherlane0: cipherlane {{
		compatible = "cipherlane,soc";
		board-name = "{constants["cipherlane_board"]}";
		clock-frequency = <{frequency}>;
		{"simulated;" if simulated else "/* not simulated */"}
	}};
{_INSECURE_ENTROPY if simulated else ""}
	vector_aes0: vector-aes {{
		compatible = "cipherlane,vector-aes";
		buffer-memory = <&buffer0>;
		drain-register = <0x{scratch:08x}>;
{multiplier}	}};

	soc {{
		#address-cells = <1>;
		#size-cells = <1>;
		compatible = "simple-bus";
		interrupt-parent = <&intc0>;
		ranges;

		intc0: interrupt-controller@bc0 {{
			compatible = "cipherlane,intc";
			#address-cells = <0>;
			#interrupt-cells = <2>;
			interrupt-controller;
			reg = <0xbc0 0x4>, <0xfc0 0x4>;
			reg-names = "irq_mask", "irq_pending";
		}};

		timer0: timer@{_address(description, "timer0")} {{
			compatible = "litex,timer0";
			{_named_registers(description, "timer0", _TIMER + _UPTIME)}
			{_interrupt(description, "timer0")}
		}};

		uart0: serial@{_address(description, "uart")} {{
			compatible = "cipherlane,uart";
			{_named_registers(description, "uart", _UART)}
			{_interrupt(description, "uart")}
		}};

		console0: serial@{_address(description, "console")} {{
			compatible = "cipherlane,uart";
			{_named_registers(description, "console", _UART)}
			{_interrupt(description, "console")}
		}};

		watchdog0: watchdog@{_address(description, "watchdog")} {{
			compatible = "cipherlane,watchdog";
			{_named_registers(description, "watchdog", _WATCHDOG)}
			{_interrupt(description, "watchdog")}
			clock-frequency = <{frequency}>;
		}};

		ctr_accelerator0: crypto@{accelerator} {{
			compatible = "cipherlane,ctr-accelerator";
			reg = <0x{accelerator} 0x100>;
			{_interrupt(description, "accelerator")}
			buffer-memory = <&buffer0>;
		}};

		random0: random@{random} {{
			compatible = "cipherlane,random";
			reg = <0x{random} 0x100>;
		}};

		soc_reset0: reset@{reset:x} {{
			compatible = "cipherlane,reset";
			reg = <0x{reset:08x} 0x4>;
		}};
{sdram_controller}{_ethernet(description)}	}};
}};
"""
