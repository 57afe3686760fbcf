# SPDX-License-Identifier: BSD-2-Clause
"""`cipherlane pair`: protects the board's Ethernet with MACsec, with a Linux machine as the peer."""

import argparse
import re
import secrets
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cipherlane_base.wire.layout import ErrorCode, Suite

from .. import views
from ..errors import ArgumentError, BoardError
from ..files.claims import WrittenName
from ..link.replies import MACsecState
from . import common, keygen

PORT = b"\0\1"  # port number of a secure channel; the channel's SCI is a MAC address followed by this number
DEVICE = "macsec0"
BOARD_PRIORITY, HOST_PRIORITY = 16, 100  # in MKA, the station with the lower priority number becomes key server
_INTERFACES = Path("/sys/class/net")
_SUITES = {suite.name.lower().replace("_", "-"): suite for suite in Suite}
_ABSENT = "the board has no MACsec: use firmware and gateware of configuration macsec"


def add_to(commands: Any) -> None:
    """Add the command `pair` to the command-line parser."""
    parser = common.add_command(
        commands,
        "pair",
        help="protect the board's Ethernet with MACsec",
        description="Draw a MACsec key, give it to the board over its UART, and write FILE for the Linux machine at "
        "the other end of the cable, with mode 0600. FILE is a configuration of wpa_supplicant, which agrees with the "
        f"board on keys (MKA) and creates the interface {DEVICE}. With --static, FILE is a shell script that creates "
        "it with fixed keys. From then on the board answers nothing outside MACsec. The keys vanish from the board "
        "when its power is cycled, or with --undo.",
    )
    parser.add_argument("--interface", metavar="NAME", help="network interface of the Linux machine at the cable")
    parser.add_argument(
        "--mac-address",
        type=_mac_address,
        metavar="MAC",
        help="--static: MAC address of that interface (default: as this machine's interface NAME has it)",
    )
    parser.add_argument(
        "--address", metavar="IP/BITS", default="192.168.1.100/24", help=f"for {DEVICE} (default: %(default)s)"
    )
    parser.add_argument(
        "--suite",
        choices=_SUITES,
        help="cipher suite (default: gcm-aes-256 with --static; otherwise gcm-aes-128, the only one that "
        "wpa_supplicant 2.10 sets up)",
    )
    parser.add_argument("--integrity-only", action="store_true", help="protect frames without encrypting them")
    parser.add_argument("--static", action="store_true", help="fixed keys, without wpa_supplicant")
    parser.add_argument("--undo", action="store_true", help="turn the board's MACsec off and zeroize its keys")
    parser.add_argument("file", type=WrittenName, nargs="?", metavar="FILE", help="name of the new file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Send new MACsec keys to the board, and write a file for the Linux machine. With --undo, turn MACsec off."""
    if args.undo:
        with common.open_device(args) as device:
            _set(device.unprotect)
            state = device.macsec()
        left = "no frame passes until the next `cipherlane pair`" if state and state.closed else "all frames pass"
        views.show(f"the board has no MACsec keys: {left}. On the Linux machine, end wpa_supplicant, or:", stderr=True)
        views.show(f"  sudo ip link delete {DEVICE}", stderr=True)
        return 0
    if not args.file or not args.interface:
        raise ArgumentError("keys are never printed: name the interface with --interface, and FILE")
    if not re.fullmatch(r"[A-Za-z0-9][\w.@-]{0,14}", args.interface):
        raise ArgumentError(f"{args.interface!r} is not the name of an interface: see `ip link`")
    mac_address = args.mac_address or (_own_mac_address(args.interface) if args.static else b"")
    args.suite = args.suite or ("gcm-aes-256" if args.static else "gcm-aes-128")
    suite = _SUITES[args.suite]
    size = 32 if suite == Suite.GCM_AES_256 else 16
    keys = secrets.token_bytes(size), secrets.token_bytes(32 if not args.static else size)
    encrypt = not args.integrity_only
    with common.open_device(args) as device:
        state = device.macsec()
        if state is None:
            raise ArgumentError(_ABSENT)
        path = Path(args.file)
        written = path.with_name(path.name + ".new") if args.force and path.exists() else path
        with keygen.new_private_file(written) as file:
            file.write(script(args, state, *keys) if args.static else supplicant(args, *keys))
        try:
            if args.static:
                _set(lambda: device.protect(suite, *keys, mac_address + PORT, encrypt=encrypt))
            else:
                _set(lambda: device.agree(suite, *keys, priority=BOARD_PRIORITY, encrypt=encrypt))
        except BaseException:
            written.unlink()
            raise
        if written != path:
            written.replace(path)
    name = shlex.quote(str(path))
    steps = [f"sudo sh {name}"]
    if not args.static:
        steps = [f"sudo wpa_supplicant -B -i {args.interface} -D macsec_linux -c {name}"]
        steps.append(f"sudo ip address add {shlex.quote(args.address)} dev {DEVICE}")
    views.show("the board answers only through MACsec now. On the Linux machine:", stderr=True)
    for step in steps:
        views.show(f"  {step}", stderr=True)
    return 0


def supplicant(args: argparse.Namespace, cak: bytes, ckn: bytes) -> str:
    """Return the text of wpa_supplicant's configuration file."""
    return "\n".join(
        (
            "# The MACsec key of a Cipherlane board.",
            "eapol_version=3",
            "ap_scan=0",
            "network={",
            "    key_mgmt=NONE",
            "    eapol_flags=0",
            "    macsec_policy=1",
            f"    macsec_integ_only={int(args.integrity_only)}",
            "    macsec_replay_protect=1",
            "    macsec_replay_window=0",
            f"    mka_cak={cak.hex()}",
            f"    mka_ckn={ckn.hex()}",
            f"    mka_priority={HOST_PRIORITY}",
            "}",
            "",
        )
    )


def script(args: argparse.Namespace, state: MACsecState, board_key: bytes, host_key: bytes) -> str:
    """Return a script that sets up MACsec on the Linux machine. The script contains both transmit keys."""
    encrypt = "off" if args.integrity_only else "on"
    channel = f"port 1 address {':'.join(f'{byte:02x}' for byte in state.sci[:6])}"
    options = f"port 1 cipher {args.suite} encrypt {encrypt} validate strict replay on window 0"
    return "\n".join(
        (
            "# MACsec keys of a Cipherlane board: run as root, once, then delete this file.",
            "set -e",
            f"ip link add link {args.interface} {DEVICE} type macsec {options}",
            "# Other users can see command lines, so the keys go to standard input.",
            "ip -batch - <<'end'",
            f"macsec add {DEVICE} rx {channel}",
            f"macsec add {DEVICE} rx {channel} sa 0 pn 1 on key 01 {board_key.hex()}",
            f"macsec add {DEVICE} tx sa 0 pn 1 on key 00 {host_key.hex()}",
            "end",
            f"ip link set {args.interface} up",
            f"ip link set {DEVICE} up",
            f"ip address add {shlex.quote(args.address)} dev {DEVICE}",
            "",
        )
    )


def _set(action: Callable[[], None]) -> None:
    """Call `action`, which sends the board a request. If the board does not know the request, raise ArgumentError."""
    try:
        action()
    except BoardError as error:
        if error.code == ErrorCode.TYPE:
            raise ArgumentError(f"{_ABSENT}; keys are accepted over its UART only, not over a network") from error
        raise


def _mac_address(text: str) -> bytes:
    if not re.fullmatch(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a MAC address such as 02:00:00:00:00:01")
    return bytes.fromhex(text.replace(":", ""))


def _own_mac_address(interface: str) -> bytes:
    try:
        return _mac_address((_INTERFACES / interface / "address").read_text(encoding="ascii").strip())
    except (OSError, UnicodeError, argparse.ArgumentTypeError) as error:
        raise ArgumentError(
            f"this machine has no Ethernet interface {interface}: see `ip link`, or give --mac-address of another one"
        ) from error
