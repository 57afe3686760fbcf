# SPDX-License-Identifier: BSD-2-Clause
"""Loads new firmware into a board: enters its loader, and sends an image, which the loader checks and starts.

The loader answers while no firmware runs: briefly after power-on and after a break on the UART line, and without limit
after firmware was ended or if the image is incomplete. The names of its records in wire.toml begin with `load`. Each
record is answered before the next is sent, and each may be repeated.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cipherlane_base import build_id
from cipherlane_base.wire.layout import BLOCK, CAUSE_DOCS, HEADER, IMAGE, IMAGE_STATE_DOCS, ErrorCode, RecordType

from ..errors import ArgumentError, BoardError, CipherlaneError, LoadError, NoLoaderError, NoReplyError, ReplyError
from ..files.image import Image
from ..protocol.records import Record
from ..transport import Transport
from ..transport.serial import SerialTransport
from .device import Device
from .expected_build import require
from .replies import BoardInfo, printable

# Seconds to wait for the loader's answer to one call: on a board, and in simulation. After power-on, a board's loader
# accepts calls for 0.25 s. The host calls a board every 0.2 s, so at least one call falls into this time.
_CALL_S, _SIMULATED_CALL_S = 0.2, 3.0
# Seconds to wait for the loader after a UART break: one pair for boards, one pair for simulation. In each pair, the
# first value applies if nothing answers, and the second value applies if firmware answers instead of the loader.
_ENTRY_S, _SIMULATED_ENTRY_S = (5.0, 5.0), (60.0, 10.0)
MOST_DATA = 0xFFF0  # maximum number of data bytes in a record, whose length field has 16 bits
_QUIET_S = 0.1  # seconds between two calls of the loader while firmware answers
_STAYS = "the loader is still in the board: run the command again"


@dataclass(frozen=True)
class LoaderInfo:
    """A loader's report about itself and about the image in the code memory."""

    board: str
    cause: int
    image: int
    data_bytes: int
    capacity: int
    origin: int
    build_id: str
    image_id: str

    @classmethod
    def from_reply(cls, reply: Any) -> "LoaderInfo":
        """Check a loader's `reply` and return its values."""
        ids = build_id.text(reply.build_id), build_id.text(reply.image_id)
        if not BLOCK <= reply.data_bytes <= MOST_DATA:
            raise ReplyError("loader", f"data_bytes {reply.data_bytes} (must be {BLOCK} to {MOST_DATA})")
        limits = reply.data_bytes // BLOCK * BLOCK, reply.capacity, reply.origin
        return cls(printable(reply.board), reply.cause, reply.image, *limits, *ids)


def enter(device: Device) -> LoaderInfo:
    """Call the board's loader. If the loader does not answer, send a UART break, which starts the loader, and call
    again.

    Raises:
        ArgumentError: the port is not a UART.
        NoLoaderError: firmware still answers after the break.
        NoReplyError: nobody answers.
    """
    transport = uart(device.link.transport)
    call, limits = _patience(device)
    device.strict_version = False
    transport.resync()
    found = _call(device, call)
    if isinstance(found, LoaderInfo):
        return found
    transport.send_break()
    begin, answered = device.clock.now(), False
    while device.clock.now() - begin < limits[answered]:
        found = _call(device, call)
        if isinstance(found, LoaderInfo):
            return found
        answered = found
        if found:
            device.link.drain(min(_QUIET_S, call), min(_QUIET_S, call))
    if answered:
        raise NoLoaderError(
            "the board's firmware answers, but no loader after a break: flash configuration loader; if the port "
            "passes no break on, reset the board while the command runs"
        )
    raise NoReplyError(f"no reply from firmware or loader: {transport.advice}")


def uart(transport: Transport) -> SerialTransport:
    """Return the transport if it is a UART; otherwise raise ArgumentError."""
    if isinstance(transport, SerialTransport):
        return transport
    raise ArgumentError("the loader answers only on the UART: name a serial port with --port")


def require_fit(image: Image, loader: LoaderInfo) -> None:
    """Check that an image suits the board that this loader reports: its gateware, code memory size and address.

    Raises:
        ArgumentError: the image is for other gateware, for another address, or too large; the message says which.
    """
    mine, theirs = (shown.partition("-")[0] or "none" for shown in (loader.build_id, image.build_id))
    if mine != theirs:
        raise ArgumentError(
            f"the image was built for other gateware ({theirs}) than the board has ({mine}, {loader.board}): "
            "load the one that was built with its bitstream"
        )
    size = IMAGE.size + len(image.firmware)
    if size > loader.capacity:
        raise ArgumentError(f"the image takes {size} bytes, the board's code memory has {loader.capacity}")
    if image.origin != loader.origin:
        raise ArgumentError(
            f"the image is for 0x{image.origin:08X}, the board's code memory is at 0x{loader.origin:08X}"
        )


def send(device: Device, image: Image, loader: LoaderInfo, progress: Callable[[int], None] = lambda done: None) -> None:
    """Send an image to a loader; `progress` is called with the number of firmware bytes that have arrived.

    Raises:
        LoadError: the transfer broke off.
    """
    size = loader.data_bytes
    device.link.set_window(2 * device.link.transport.wire_size(HEADER.size + size), HEADER.size + size)
    try:
        device.request(RecordType.LOAD_BEGIN, header=image.header)
        for offset in range(0, len(image.firmware), size):
            data = image.firmware[offset : offset + size]
            device.exchange(Record(RecordType.LOAD_DATA, offset=offset, token=offset + 1, data=data))
            progress(offset + len(data))
    except CipherlaneError as error:
        raise LoadError(f"loading broke off: {error}; {_STAYS}") from error


def start(device: Device) -> None:
    """Tell the loader to check the image in the board's code memory, and to start this image.

    Raises:
        LoadError: the image is incomplete; nothing was started.
    """
    try:
        device.request(RecordType.LOAD_START)
    except BoardError as error:
        if error.code == ErrorCode.IMAGE:
            state = IMAGE_STATE_DOCS.get(error.detail, f"State {error.detail}.").rstrip(".")
            raise LoadError(f"the image in the board's memory was not started: {state}; {_STAYS}") from error
        # The firmware answers with the error TYPE, because it does not know this request. So the firmware has started,
        # and the loader's reply was lost.
        if error.code != ErrorCode.TYPE:
            raise


def await_firmware(device: Device, wanted: str) -> BoardInfo:
    """Wait until the firmware answers. If `wanted` is not empty, check that the firmware's build id equals `wanted`.

    Raises:
        LoadError: the firmware does not answer, or has ended.
        ReplyError: the firmware is another build.
    """
    call, (limit, _) = _patience(device)
    begin = device.clock.now()
    try:
        while not _answers(device, call):
            if device.clock.now() - begin > limit:
                raise LoadError(
                    "the firmware was started but does not answer; the loader returns when the watchdog ends "
                    "the firmware, or after a break: load another"
                )
        info = device.connect()
    except BoardError as error:
        if error.code != ErrorCode.LOADING:
            raise
        raise LoadError(
            f"the firmware was started but has ended: {cause_text(error.detail)}; the loader answers: load another"
        ) from error
    if wanted:
        require(info.build_id, wanted)
    return info


def cause_text(cause: int) -> str:
    """Return the reason for a board's reset, as part of a sentence."""
    text = CAUSE_DOCS.get(cause, f"Cause {cause}.").rstrip(".")
    return text[:1].lower() + text[1:]


def _patience(device: Device) -> tuple[float, tuple[float, float]]:
    """Return a time limit for one answer, and a pair of time limits for the start of the loader, all in seconds. In the
    pair, the first limit applies if nothing answers, and the second limit applies if firmware answers.

    A reply time-out set by the user limits the wait for one answer. Multiplied by the number of attempts, it limits the
    wait for the loader.
    """
    transport = uart(device.link.transport)
    simulated = transport.simulated or "://" in transport.url
    call, entry = (_SIMULATED_CALL_S, _SIMULATED_ENTRY_S) if simulated else (_CALL_S, _ENTRY_S)
    if device.timeout is None:
        return call, entry
    most = device.timeout * device.link.pace.attempts
    return min(call, device.timeout), (min(entry[0], most), min(entry[1], most))


def _answers(device: Device, timeout: float) -> bool:
    with contextlib.suppress(NoReplyError):
        device.request(RecordType.INFO, timeout=timeout, attempts=1, resync=True)
        return True
    return False


def _call(device: Device, timeout: float) -> LoaderInfo | bool:
    """Call the loader once. Return the loader's answer, True if the firmware answers, or False if nothing answers."""
    with contextlib.suppress(NoReplyError):
        try:
            return LoaderInfo.from_reply(device.request(RecordType.LOADER, timeout=timeout, attempts=1, resync=True))
        except BoardError as error:
            if error.code not in (ErrorCode.TYPE, ErrorCode.VERSION):
                raise
            return True
    return False
