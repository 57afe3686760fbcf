"""JTAG cables on USB, as Linux lists them: which are attached, and whether this user may open them.

Those of the supported boards, and what these boards' cables share a chip with; openFPGALoader opens them by libusb.
"""

import os
from dataclasses import dataclass
from pathlib import Path

# USB vendor and product: what it is.
CABLES = {
    "0403:6010": "FTDI FT2232H, of the ECPIX-5, the Versa ECP5 and others",
    "0403:6011": "FTDI FT4232H",
    "0403:6014": "FTDI FT232H",
    "0403:6015": "FTDI FT231X, of the ULX3S",
    "0d28:0204": "CMSIS-DAP, of the Colorlight i5's extension board",
    "1209:5af0": "OrangeCrab, in its boot loader",
    "1209:5af1": "ButterStick, in its boot loader",
    "1d50:602b": "FPGALink",
}
_CMSIS_DAP = "0d28:0204"  # which openFPGALoader opens through hidapi's hidraw, not through libusb
GROUP = "plugdev"
RULES = Path("/etc/udev/rules.d/70-cipherlane.rules")
REMEDY = f"run `sudo make udev` in the checkout, add yourself to the group {GROUP}, log in and attach it again"


@dataclass(frozen=True)
class Cable:
    """An attached cable: its USB identity, what it is, its serial number if it has one, whether it may be opened."""

    usb: str
    title: str
    serial_number: str
    usable: bool


def attached(root: Path = Path("/")) -> list[Cable] | None:
    """Return the cables that are attached; None where the system does not list them."""
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
            found.append(Cable(usb, CABLES[usb], _text(device / "serial"), usable))
    return found


def rules() -> str:
    """Return udev's rules that let the group `GROUP`, and who sits at the machine, open the cables."""
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
    """What a file says, nothing if it cannot be read: a device may go meanwhile."""
    try:
        return "".join(
            each for each in path.read_text(encoding="ascii", errors="replace").strip() if each.isprintable()
        )
    except OSError:
        return ""
