# SPDX-License-Identifier: BSD-2-Clause
"""Test how the loader handles records. The loader is built for the host, with sanitizers, and with an array instead of
the code memory.
"""

import random
import struct

import pytest
from cipherlane.protocol.records import Record, decode
from cipherlane_base import image
from cipherlane_base.wire import layout
from cipherlane_base.wire.layout import IMAGE, Cause, ErrorCode, ImageState, RecordType

from tests.firmware.core_peer import ROOT, CorePeer, link, portable_sources

LOADER = ROOT / "firmware" / "loader"
ORIGIN, SIZE, DATA_BYTES = 0x20000000, 8192, 1024
GATEWARE = b"gateware"
BUILD = GATEWARE + bytes(range(8))
FIRMWARE = random.Random(1).randbytes(5 * DATA_BYTES + 300)
TOKEN = 0x1122334455667788


class LoaderPeer(CorePeer):
    def start(self, cause=Cause.POWER, *, size=SIZE, passing=False, memory=b""):
        self.call("S", struct.pack("<IBB", size, cause, passing))
        self.call("M", memory)

    def record(self, kind, data=b"", offset=0):
        """Let the loader handle a record. Return two values: the reply of the loader (None if there is none), and
        whether the loader would start the firmware after this record.
        """
        return self.raw(Record(kind, offset=offset, token=TOKEN, data=data).encode())

    def raw(self, record):
        answered = self.call("R", record)
        return decode(answered[1:]) if answered[1:] else None, bool(answered[0])

    def memory(self):
        return self.call("G")[4:]

    def flushes(self):
        return int.from_bytes(self.call("G")[:4], "little")

    def refusal(self, *record, **options):
        """Send a record that the loader must refuse without starting firmware; return the error's code and detail."""
        answered, starts = self.record(*record, **options)
        assert not starts and answered.type == layout.ERROR_TYPE and answered.token == TOKEN
        error = layout.ERROR.unpack(answered.data)
        assert error.request == record[0]
        return error.code, error.detail

    def accepted(self, *record, **options):
        answered, starts = self.record(*record, **options)
        assert answered.type == record[0] | layout.REPLY and answered.token == TOKEN
        assert starts == (record[0] == RecordType.LOAD_START)
        return answered.data

    def describe(self):
        return layout.REPLIES[RecordType.LOADER].unpack(self.accepted(RecordType.LOADER))

    def send(self, whole, order=None):
        self.accepted(RecordType.LOAD_BEGIN, whole[: IMAGE.size])
        firmware = whole[IMAGE.size :]
        for offset in order or range(0, len(firmware), DATA_BYTES):
            self.accepted(RecordType.LOAD_DATA, firmware[offset : offset + DATA_BYTES], offset)


@pytest.fixture(scope="module")
def peer():
    main = ROOT / "tests" / "firmware" / "loader_peer.c"
    with LoaderPeer(link(main, LOADER / "loader.c", *portable_sources(), include=[LOADER])) as running:
        yield running


def made(firmware=FIRMWARE, build=BUILD, origin=ORIGIN):
    return image.pack(firmware, build, origin)


def test_an_image_in_any_order_each_part_twice(peer):
    whole = made()
    order = 2 * list(range(0, len(FIRMWARE), DATA_BYTES))
    random.Random(2).shuffle(order)
    peer.start(memory=made(b"the old firmware"))
    before = peer.flushes()
    peer.send(whole, order)
    assert peer.describe().image == ImageState.NONE, "not before it is checked"
    peer.accepted(RecordType.LOAD_START)
    assert peer.memory() == whole.ljust(SIZE, b"\0")
    assert peer.flushes() > before, "what was written is read back"


def test_what_the_loader_says_of_itself(peer):
    peer.start(Cause.WATCHDOG, memory=made())
    found = peer.describe()
    assert (found.kind, found.cause, found.image) == (1, Cause.WATCHDOG, ImageState.WHOLE)
    assert (found.data_bytes, found.capacity, found.origin) == (DATA_BYTES, SIZE, ORIGIN)
    assert (found.board, found.build_id[:8], found.image_id) == (b"a_name_of_sixtee", GATEWARE, BUILD)
    peer.start(memory=made(build=BUILD[::-1]))
    assert (peer.describe().image, peer.describe().image_id) == (ImageState.GATEWARE, bytes(16))


def damage(whole, at):
    return whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :]


@pytest.mark.parametrize("at", range(len(made(FIRMWARE[:12]))))
def test_each_byte_is_under_the_check(peer, at):
    whole = made(FIRMWARE[:12])
    peer.start(memory=damage(whole, at))
    code, state = peer.refusal(RecordType.LOAD_START)
    assert code == ErrorCode.IMAGE and state != ImageState.WHOLE
    peer.start(memory=whole)
    peer.accepted(RecordType.LOAD_START)


def test_an_image_that_came_damaged_is_not_started_and_can_be_mended(peer):
    whole = made()
    peer.start()
    peer.send(damage(whole, 3000))
    for _ in range(2):
        assert peer.refusal(RecordType.LOAD_START) == (ErrorCode.IMAGE, ImageState.DAMAGED)
        assert not any(peer.memory()[: IMAGE.size]), "a reset now finds no image"
    offset = (3000 - IMAGE.size) // DATA_BYTES * DATA_BYTES
    peer.accepted(RecordType.LOAD_DATA, FIRMWARE[offset : offset + DATA_BYTES], offset)
    peer.accepted(RecordType.LOAD_START)
    assert peer.memory() == whole.ljust(SIZE, b"\0")


def test_a_transfer_that_breaks_off_leaves_no_image(peer):
    """If a transfer is interrupted, the loader must not find a valid image, even if the code memory still contains the
    whole old firmware.
    """
    peer.start(memory=made())
    peer.accepted(RecordType.LOAD_BEGIN, made()[: IMAGE.size])
    left = peer.memory()
    peer.start(memory=left)  # a reset
    assert peer.describe().image == ImageState.NONE
    assert peer.refusal(RecordType.LOAD_START) == (ErrorCode.IMAGE, ImageState.NONE)


@pytest.mark.parametrize(
    ("header", "state"),
    [
        (bytes(IMAGE.size), ImageState.NONE),
        (made(origin=ORIGIN + 32)[: IMAGE.size], ImageState.LAYOUT),
        (made(bytes(SIZE - IMAGE.size + 4))[: IMAGE.size], ImageState.LAYOUT),
        (made(b"")[: IMAGE.size], ImageState.LAYOUT),
        (made(b"abc")[: IMAGE.size], ImageState.LAYOUT),
        (made(build=b"Gateware" + BUILD[8:])[: IMAGE.size], ImageState.GATEWARE),
    ],
    ids=["none", "elsewhere", "too large", "empty", "no words", "other gateware"],
)
def test_a_header_that_does_not_fit_changes_nothing(peer, header, state):
    peer.start(memory=made())
    assert peer.refusal(RecordType.LOAD_BEGIN, header) == (ErrorCode.IMAGE, state)
    assert peer.memory() == made().ljust(SIZE, b"\0")
    assert peer.refusal(RecordType.LOAD_DATA, bytes(16)) == (ErrorCode.IMAGE, ImageState.NONE)


def test_the_largest_image(peer):
    whole = made(random.Random(3).randbytes(SIZE - IMAGE.size))
    peer.start()
    peer.send(whole)
    peer.accepted(RecordType.LOAD_START)
    assert peer.memory() == whole


@pytest.mark.parametrize(
    ("offset", "size", "code"),
    [
        (8, 16, ErrorCode.OFFSET),
        (len(FIRMWARE) // 16 * 16, 16, ErrorCode.OFFSET),
        (len(FIRMWARE) // 16 * 16 + 16, 0, ErrorCode.OFFSET),
        (1 << 32, 16, ErrorCode.OFFSET),
        ((1 << 64) - 16, 16, ErrorCode.OFFSET),
        ((1 << 64) - 16, 32, ErrorCode.OFFSET),
        (0, 6, ErrorCode.LENGTH),
    ],
)
def test_data_that_lie_elsewhere_are_refused(peer, offset, size, code):
    peer.start(memory=bytes([0xA5]) * SIZE)
    peer.accepted(RecordType.LOAD_BEGIN, made()[: IMAGE.size])
    before = peer.memory()
    assert peer.refusal(RecordType.LOAD_DATA, bytes(size), offset=offset)[0] == code
    assert peer.memory() == before


@pytest.mark.parametrize("kind", [RecordType.LOADER, RecordType.LOAD_BEGIN, RecordType.LOAD_START])
def test_records_of_another_size_are_refused(peer, kind):
    peer.start(memory=made())
    assert peer.refusal(kind, bytes(4))[0] == ErrorCode.LENGTH
    assert peer.memory() == made().ljust(SIZE, b"\0")


def test_what_is_for_firmware_is_answered_by_why_there_is_none(peer):
    peer.start(Cause.FIRMWARE)
    for kind in (RecordType.INFO, RecordType.OPEN, RecordType.MAC, 0x77):
        assert peer.refusal(kind) == (ErrorCode.LOADING, Cause.FIRMWARE)
    raw = bytearray(Record(RecordType.INFO, token=TOKEN).encode())
    raw[0] += 1
    answered, _ = peer.raw(bytes(raw))
    assert layout.ERROR.unpack(answered.data).code == ErrorCode.VERSION


def test_what_is_for_firmware_that_is_about_to_start_is_left_to_it(peer):
    """After power-on, the loader waits briefly before it starts the firmware. In this time, it must not answer records
    for the firmware. After a request to the loader itself, it must answer records for the firmware with an error.
    """
    peer.start(passing=True, memory=made())
    assert peer.record(RecordType.INFO) == (None, False)
    assert peer.raw(b"\xff" * 40) == (None, False)
    assert peer.describe().image == ImageState.WHOLE
    assert peer.refusal(RecordType.INFO)[0] == ErrorCode.LOADING


def test_replies_and_scraps_are_left_unanswered(peer):
    peer.start()
    for raw in (b"", b"\2", bytes(23), Record(RecordType.LOADER | layout.REPLY).encode()):
        assert peer.raw(raw) == (None, False)


def test_whatever_comes_nothing_but_a_whole_image_is_started(peer):
    """Send random records: the loader must start only whole images. The modelled code memory has exactly its nominal
    size, so the sanitizers notice each access beyond it.
    """
    rng = random.Random(4)
    headers = [made()[: IMAGE.size], made(bytes(SIZE - IMAGE.size))[: IMAGE.size], rng.randbytes(IMAGE.size)]
    kinds = [RecordType.LOADER, RecordType.LOAD_BEGIN, RecordType.LOAD_DATA, RecordType.LOAD_START]
    peer.start()
    started = 0
    for _ in range(3000):
        kind = rng.choice(kinds)
        data = rng.choice(headers) if kind == RecordType.LOAD_BEGIN else b""
        offset = rng.choice((0, rng.randrange(SIZE), rng.getrandbits(64)))
        if kind == RecordType.LOAD_DATA:
            offset = rng.choice((offset, offset // DATA_BYTES * DATA_BYTES % SIZE))
            size = rng.choice((DATA_BYTES, rng.randrange(DATA_BYTES + 1), 0))
            data = rng.choice((FIRMWARE[offset : offset + size], rng.randbytes(size), bytes(size)))
        raw = bytearray(Record(kind, offset=offset, data=data).encode())
        if rng.random() < 0.1:
            raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
        _, starts = peer.raw(bytes(raw))
        if starts:
            held = peer.memory()
            length = IMAGE.unpack(held).length
            assert held[: IMAGE.size + length] == image.pack(
                held[IMAGE.size : IMAGE.size + length], IMAGE.unpack(held).build_id, ORIGIN
            )
            assert held[12:20] == GATEWARE
            started += 1
    assert started < 3000
