"""Devicetree overlay for Zephyr's board ``litex_vexriscv``, from the SoC's own description.

The input is the JSON file of LiteX's Builder (`csr.json`): register addresses, interrupts, clock and memories.
Registers of a node are named, one entry each, as Zephyr's bindings of LiteX's cores have them.
"""

import json
from collections.abc import Collection
from pathlib import Path

INTERRUPT_PRIORITY = 0

# Registers that Zephyr's bindings name.
_UART = ("rxtx", "txfull", "rxempty", "ev_status", "ev_pending", "ev_enable", "txempty", "rxfull")
_TIMER = ("load", "reload", "en", "update_value", "value", "ev_status", "ev_pending", "ev_enable")
_UPTIME = ("uptime_latch", "uptime_cycles")
_WATCHDOG = ("control", "cycles", "remaining", "ev_status", "ev_pending", "ev_enable")

# Names of the MAC's registers: in the node, and LiteX's.
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
    "preamble_errors": "rx_datapath_preamble_errors",
    "crc_errors": "rx_datapath_crc_errors",
}
_SLOTS = {"rx_slots": "ethmac_rx", "tx_slots": "ethmac_tx"}

# What Zephyr's board describes in one release or another and this SoC lacks.
_ABSENT = (
    *("eth0", "mdio0", "phy0", "dna0", "spi0", "spi1", "prbs0", "i2c0", "pwm0", "gpio_out", "gpio_in"),
    *("i2s_rx", "i2s_tx", "clk0", "clk1", "clock0", "wdt0", "ctrl0"),
)
_SUBSYSTEMS_ABSENT = (
    "VEXRISCV_LITEX_IRQ",
    "HWINFO",
    "SPI",
    "GPIO",
    "I2C",
    "PWM",
    "I2S",
    "CLOCK_CONTROL",
)


class DescriptionError(ValueError):
    """The SoC's description lacks something."""


def _named_registers(description: dict, prefix: str, names: tuple[str, ...]) -> str:
    registers = description["csr_registers"]
    try:
        entries = [registers[f"{prefix}_{name}"] for name in names]
    except KeyError as error:
        raise DescriptionError(f"the SoC has no register {error}") from error
    reg = ", ".join(f"<0x{entry['addr']:08x} 0x{4 * entry['size']:x}>" for entry in entries)
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"\treg = {reg};\n\treg-names = {quoted};\n"


def _interrupt(description: dict, name: str) -> str:
    number = description["constants"].get(f"{name}_interrupt")
    if number is None:
        raise DescriptionError(f"the SoC has no interrupt of {name}")
    return f"\tinterrupt-parent = <&intc0>;\n\tinterrupts = <{number} {INTERRUPT_PRIORITY}>;\n"


def _address(description: dict, prefix: str) -> str:
    base = description["csr_bases"].get(prefix)
    if base is None:
        raise DescriptionError(f"the SoC has no {prefix}")
    return f"{base:x}"


def _memory(description: dict, name: str) -> tuple[int, int]:
    region = description["memories"].get(name)
    if region is None:
        raise DescriptionError(f"the SoC has no memory {name}")
    return region["base"], region["size"]


def _ethernet(description: dict) -> str:
    if "ethmac" not in description["csr_bases"]:
        return ""
    constants, registers = description["constants"], description["csr_registers"]
    reg = [(registers[f"ethmac_{name}"]["addr"], 4) for name in _ETHERNET.values()]
    reg += [_memory(description, name) for name in _SLOTS.values()]
    mac_address = " ".join(f"{constants[f'macaddr{i}']:02x}" for i in range(1, 7))
    address = " ".join(f"{constants[f'localip{i}']:02x}" for i in range(1, 5))
    return f"""
		ethernet0: ethernet@{_address(description, "ethmac")} {{
			compatible = "cipherlane,ethernet";
			reg = {", ".join(f"<0x{base:08x} 0x{size:x}>" for base, size in reg)};
			reg-names = {", ".join(f'"{name}"' for name in (*_ETHERNET, *_SLOTS))};
			interrupt-parent = <&intc0>;
			interrupts = <{constants["ethmac_interrupt"]} {INTERRUPT_PRIORITY}>;
			slot-bytes = <{constants["ethmac_slot_size"]}>;
			local-mac-address = [{mac_address}];
			ip-address = [{address}];
		}};

		fast_path0: fast-path@{_address(description, "fastpath")} {{
			compatible = "cipherlane,fast-path";
			reg = <0x{_address(description, "fastpath")} 0x100>;
		}};
"""


def overlay(csr_json: Path, labels: Collection[str]) -> str:
    """Text of the overlay.

    Parameters
    ----------
    csr_json : Path
        LiteX's description of the SoC.
    labels : Collection[str]
        Labels of the nodes that Zephyr's board has; they differ from release to release.

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
    accelerator = description["csr_bases"]["accelerator"]
    scratch = description["csr_registers"]["ctrl_scratch"]["addr"]
    reset = description["csr_registers"]["ctrl_reset"]["addr"]
    random = description["csr_bases"]["random"]
    absent = [label for label in _ABSENT if label in labels]
    ram = "/delete-node/ &ram0;\n" if "ram0" in labels else ""
    return f"""\
/* Generated by firmware/codegen from {csr_json.name}; do not edit. */

{ram}/ {{
	chosen {{
		zephyr,sram = &sram0;
		zephyr,flash = &rom0;
		zephyr,console = &console0;
		zephyr,shell-uart = &console0;
		cipherlane,uart = &uart0;
	}};

	aliases {{
		watchdog0 = &watchdog0;
	}};

	cpus {{
		cpu@0 {{
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

	cipherlane0: cipherlane {{
		compatible = "cipherlane,soc";
		board-name = "{constants["cipherlane_board"]}";
		clock-frequency = <{frequency}>;
		rx-window = <{constants["cipherlane_rx_window"]}>;
		max-data = <{constants["cipherlane_max_data"]}>;
		{"simulated;" if constants["cipherlane_simulated"] else "/* not simulated */"}
	}};

	vector_aes0: vector-aes {{
		compatible = "cipherlane,vector-aes";
		buffer-memory = <&buffer0>;
		drain-register = <0x{scratch:08x}>;
	}};

	soc {{
		ctr_accelerator0: crypto@{accelerator:x} {{
			compatible = "cipherlane,ctr-accelerator";
			reg = <0x{accelerator:08x} 0x100>;
			interrupt-parent = <&intc0>;
			interrupts = <{constants["accelerator_interrupt"]} {INTERRUPT_PRIORITY}>;
			buffer-memory = <&buffer0>;
		}};

		console0: serial@{_address(description, "console")} {{
			compatible = "cipherlane,uart";
		}};

		watchdog0: watchdog@{_address(description, "watchdog")} {{
			compatible = "cipherlane,watchdog";
			clock-frequency = <{frequency}>;
		}};

		random0: random@{random:x} {{
			compatible = "cipherlane,random";
			reg = <0x{random:08x} 0x100>;
		}};

		soc_reset0: reset@{reset:x} {{
			compatible = "cipherlane,reset";
			reg = <0x{reset:08x} 0x4>;
		}};
{_ethernet(description)}	}};
}};

&intc0 {{
	compatible = "cipherlane,intc";
}};

&uart0 {{
	compatible = "cipherlane,uart";
{_named_registers(description, "uart", _UART)}{_interrupt(description, "uart")}}};

&console0 {{
{_named_registers(description, "console", _UART)}{_interrupt(description, "console")}}};

&watchdog0 {{
{_named_registers(description, "watchdog", _WATCHDOG)}{_interrupt(description, "watchdog")}}};

&timer0 {{
{_named_registers(description, "timer0", _TIMER + _UPTIME)}{_interrupt(description, "timer0")}}};

{"".join(f'&{label} {{ status = "disabled"; }};{chr(10)}' for label in absent)}"""


def configuration(csr_json: Path) -> str:
    """Text of the Kconfig fragment that goes with the overlay: the clock, and what Zephyr's board enables in vain."""
    description = json.loads(csr_json.read_text())
    frequency = description["constants"]["config_clock_frequency"]
    networking = "y" if "ethmac" in description["csr_bases"] else "n"
    lines = ["CONFIG_CIPHERLANE=y", "CONFIG_XIP=y", f"CONFIG_SYS_CLOCK_HW_CYCLES_PER_SEC={frequency}"]
    lines += [f"CONFIG_NETWORKING={networking}", *(f"CONFIG_{symbol}=n" for symbol in _SUBSYSTEMS_ABSENT)]
    return "".join(f"{line}\n" for line in lines)
