# SPDX-License-Identifier: BSD-2-Clause
"""The simulated board with a program in its ROM that replaces the firmware."""

import os
import socket
import subprocess
from pathlib import Path

import serial
from cipherlane.transport.simboard import SimulatedBoard, find_board

from gateware.flow.emulator import lay_out
from gateware.flow.firmware import LITEX, REPOSITORY
from tests.waiting import HANG_S


def build(
    output: Path,
    main: Path,
    more: tuple[Path, ...] = (),
    defines: tuple[str, ...] = (),
    *,
    board: Path | None = None,
    extension: Path | None = None,
) -> Path:
    """Compiles a program that runs without an operating system, and writes the files of a simulated board that starts
    this program.

    Parameters
    ----------
    output : Path
        Folder for everything made here; the program is its `firmware.elf`.
    main, more : Path, tuple[Path, ...]
        C file with `main`, and further ones. No name may equal the name of a file of the core.
    defines : tuple[str, ...]
        Options for the compiler.
    board : Path, optional
        Folder of the simulated board to build upon; by default the one that `find_board` finds.
    extension : Path, optional
        Folder of sources that the board's configuration adds.

    Returns
    -------
    Path
        The board's folder, for `SimulatedBoard`.
    """
    board = board or find_board()
    output.mkdir(parents=True, exist_ok=True)
    command = ["make", "-s", "-C", str(REPOSITORY / "firmware" / "baremetal"), f"OUT={output}", f"LITEX={LITEX}"]
    command += [f"INCLUDE={board / 'firmware' / 'include'}", f"MAIN={main}", f"MORE={' '.join(map(str, more))}"]
    command += [f"EXTENSION={extension or ''}"]
    command += [f"DEFINES={' '.join(defines)}", f"-j{os.cpu_count()}", str(output / "firmware.bin")]
    subprocess.run(command, check=True, timeout=HANG_S)
    return lay_out(output, board, output / "firmware.bin")


def open_uart(board: SimulatedBoard, **options) -> serial.SerialBase:
    """Open the UART of a running board with pyserial, and send a break first. The simulated UART disconnects clients
    that do not begin with a record or a break. Programs that replace the firmware accept no records, so only a break is
    possible.
    """
    port = serial.serial_for_url(board.url, **options)
    port._socket.send(b"\0", socket.MSG_OOB)
    return port
