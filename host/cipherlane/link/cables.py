# SPDX-License-Identifier: BSD-2-Clause
"""Lists the JTAG cables attached to USB (on Linux only), their boards, and whether this user can open the cables.

The boards' data files name the cable of each board revision; `known_cables` is generated from them. Other devices may
use the same chips. openFPGALoader opens cables through libusb.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from .known_cables import ROWS

# Separate JTAG adapters that openFPGALoader supports. The table maps the USB identity (vendor:product) of an adapter to
# the name of the adapter or of its chip.
_ADAPTERS = {"0403:6014": "FT232H", "1d50:602b": "FPGALink"}


def _titles() -> dict[str, str]:
    boards: dict[str, list[str]] = {}
    for usb, chip, board, _ in ROWS:
        boards.setdefault(usb, []).append(board)
        boards[usb][0] = boards[usb][0] if len(boards[usb]) > 1 else f"{chip}, as on {board}"
    return {usb: " and ".join(names) for usb, names in boards.items()} | _ADAPTERS


# Maps the USB identity (vendor:product) of each known cable to a title: the boards with the cable, or an adapter's
# name.
CABLES = _titles()
_CMSIS_DAP = "0d28:0204"  # CMSIS-DAP cables: openFPGALoader opens them through hidraw (hidapi), not libusb
GROUP = "plugdev"
RULES = Path("/etc/udev/rules.d/70-cipherlane.rules")
REMEDY = f"run `sudo make udev` in the checkout, add yourself to the group {GROUP}, log in and attach it again"


@dataclass(frozen=True)
class Cable:
    """An attached cable: USB identity, title (see `CABLES`), serial number, and whether this user can open the cable.

    `product` is the name that the device reports; empty if it reports none.
    """

    usb: str
    title: str
    serial_number: str
    usable: bool
    product: str = ""


def attached(root: Path = Path("/")) -> list[Cable] | None:
    """Return the attached cables; None if this system cannot list USB devices."""
    devices = root / "sys" / "bus" / "usb" / "devices"
    if not devices.is_dir():
        return None
    found = []
    for device in sorted(devices.iterdir()):
        usb = f"{_text(device / 'idVendor')}:{_text(device / 'idProduct')}"
        bus, number = _text(device / "busnum"), _text(device / "devnum")
        if usb in CABLES and bus.isdecimal() and number.isdecimal():
            nodes = [root / "dev" / "bus" / "usb" / f"{int(bus):03}" / f"{int(number):03}"]
            if usb == _CMSIS_DAP:
                nodes = [root / "dev" / hid.name for hid in sorted(device.glob("*/*/hidraw/hidraw*"))] or nodes
            usable = all(os.access(node, os.R_OK | os.W_OK) for node in nodes)
            found.append(Cable(usb, CABLES[usb], _text(device / "serial"), usable, _text(device / "product")))
    return found


def boards_at(usb: str | None, interface: int | None) -> list[str]:
    """Return the boards (name and revision) that have their UART at interface number `interface` of the USB device
    `usb`.

    Args:
        usb: vendor and product of the device; None if the port is not on USB.
        interface: number of the port's interface; None if the device has only one, or the system does not tell.
    """
    found = []
    for _, _, board, uart in ROWS:
        identity, _, number = uart.partition("/")
        if identity and identity == usb and (not number or interface is None or int(number) == interface):
            found.append(board)
    return found


def rules() -> str:
    """Return udev rules that let members of `GROUP`, and the user who is logged in at the machine, open the cables."""
    lines = ["# Cipherlane: JTAG cables of its boards. Written by `make udev`."]
    for usb, title in CABLES.items():
        vendor, product = usb.split(":")
        access = f'MODE="0660", GROUP="{GROUP}", TAG+="uaccess"'
        lines += [f"# {title}"]
        lines += [f'SUBSYSTEM=="usb", ATTR{{idVendor}}=="{vendor}", ATTR{{idProduct}}=="{product}", {access}']
        if usb == _CMSIS_DAP:
            lines += [f'SUBSYSTEM=="hidraw", ATTRS{{idVendor}}=="{vendor}", ATTRS{{idProduct}}=="{product}", {access}']
    return "\n".join(lines) + "\n"


def _text(path: Path) -> str:
    """Return a file's contents, or an empty text if it cannot be read: a device can be unplugged at any time."""
    try:
        return path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return ""
