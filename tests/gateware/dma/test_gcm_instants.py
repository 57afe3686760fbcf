# SPDX-License-Identifier: BSD-2-Clause
"""Test commands in every cycle of a GCM message: the accelerator must never write unverified text or use a wrong key.

A command comes n cycles after `start`, for every n. The message then ends, or it is aborted and has written only the
beginning of its result. A forged message never writes anything. Later messages have correct results.
"""

import random
from dataclasses import replace

import pytest

from gateware.dma.errors import Error
from gateware.dma.gcm_dispatch import MODE_DECRYPT, MODE_ENCRYPT
from tests.gateware.dma.bench import ORIGIN, OUT
from tests.gateware.dma.gcm_bench import GCMBench, Message

KEY, OTHER = bytes(range(32)), bytes(range(50, 66))
FILL = b"\xee"
AAD, TEXT = bytes(range(20)), bytes(range(100, 140))
SEALED = Message(
    KEY, b"twelve bytes", AAD, TEXT, slot=1, source=ORIGIN + 3, aad_address=ORIGIN + 0x85, destination=OUT + 5
)
SEALED = replace(SEALED, tag_address=OUT + 5 + len(TEXT))
OPENED = replace(SEALED.to_open(), tag_address=ORIGIN + 0x107)
MESSAGES = {
    "encrypt": SEALED,
    "decrypt": OPENED,
    "forged": replace(OPENED, tag=bytes(16), error=Error.TAG),
    "long IV": replace(SEALED, iv=bytes(range(30)), iv_address=ORIGIN + 0x200),
}


@pytest.fixture(scope="module")
def simulated():
    bench = GCMBench()
    yield bench
    bench.sim.close()


class Tries:
    """Runs a message many times, with a command in a different cycle each time."""

    def __init__(self, bench, message: Message):
        self.bench, self.message = bench, message
        self.result = b"".join(data for _, data in message.outputs())
        for address, data in message.parts():
            bench.memory.write(address, data)

    def prepare(self):
        """Load the key, and fill the destination. Write the words of another key, and a descriptor, to registers."""
        self.bench.memory.write(OUT, FILL * 96)
        yield from self.bench.set_key(KEY, 1)
        yield from self.bench.write_fields("key_config", key_length=0, slot=2)
        yield from self.bench.write_key(OTHER)
        yield from self.bench.set_descriptor(self.message)

    def command(self, name: str):
        csr = self.bench.csr
        value = 1 << self.bench.fields["control"][name].offset
        yield [csr.adr.eq(self.bench.address["control"]), csr.dat_w.eq(value), csr.we.eq(1)]
        yield
        yield csr.we.eq(0)

    def start_and(self, command: str, cycles: int):
        """Start the message, and give the command `cycles` cycles later. Return the message's number."""
        number = yield from self.bench.read("submitted")
        yield from self.command("start")
        for _ in range(cycles):
            yield
        yield from self.command(command)
        yield
        return number

    def written(self) -> bytes:
        return self.bench.memory.read(OUT, 96)

    def whole(self) -> bytes:
        return (5 * FILL + self.result).ljust(96, FILL)

    def has_a_beginning(self) -> bool:
        """Return true if the output is right up to some bus word, and the memory after this word is unchanged."""
        found, whole = self.written(), self.whole()
        ends = (0, *range(16, 96, 16), 5 + len(TEXT), 5 + len(self.result))
        return any(found == whole[:n].ljust(96, FILL) for n in ends)

    def again(self):
        """Run the message once more, and check its result."""
        self.bench.memory.write(OUT, FILL * 96)
        assert (yield from self.bench.result((yield from self.bench.submit(self.message)))) == self.message.error
        assert self.written() == self.whole()


@pytest.mark.parametrize("command", ["abort", "zeroize"])
@pytest.mark.parametrize("name", MESSAGES)
def test_abort_and_zeroize(bench, name, command):
    tries, seen = Tries(bench, MESSAGES[name]), []
    message = tries.message

    def life(n):
        yield from tries.prepare()
        number = yield from tries.start_and(command, n)
        first = yield from bench.result(number)
        yield from bench.wait_idle()
        assert first in (message.error, Error.ABORTED)
        assert tries.has_a_beginning(), f"after {n} cycles"
        if first == message.error:
            assert tries.written() == tries.whole(), f"after {n} cycles"
        if message.mode == MODE_DECRYPT and message.error:
            assert tries.written() == FILL * 96
        if command == "zeroize":
            before = tries.written()
            assert (yield from bench.result((yield from bench.submit(message)))) == Error.NO_KEY
            assert tries.written() == before
            yield from bench.set_key(KEY, 1)
        yield from tries.again()
        seen.append(first)

    for n in range(300):
        bench.run(life(n))
        if n > 20 and seen[-12:] == [message.error] * 12:
            break
    assert seen == sorted(seen, key=lambda e: e != Error.ABORTED)
    assert set(seen) == {message.error, Error.ABORTED} and len(seen) < 300
    bench.assert_empty()


@pytest.mark.parametrize("name", ["encrypt", "decrypt"])
def test_a_key_for_another_slot(bench, name):
    """Load a key into another slot during a message. This message, and a later message under the new key, must get
    right results.
    """
    tries, rng = Tries(bench, MESSAGES[name]), random.Random(name)

    def life(n):
        yield from tries.prepare()
        number = yield from tries.start_and("load_key", n)
        other = replace(SEALED, key=OTHER, slot=2, iv=rng.randbytes(12), source=ORIGIN + 0x300, destination=OUT + 0x200)
        other = replace(other, tag_address=OUT + 0x300)
        bench.memory.write(other.source, other.text)
        later = yield from bench.submit(other)
        assert (yield from bench.result(number)) == Error.NONE
        assert (yield from bench.result(later)) == Error.NONE
        assert tries.written() == tries.whole(), f"after {n} cycles"
        for address, data in other.outputs():
            assert bench.memory.read(address, len(data)) == data, f"after {n} cycles"
        yield from bench.write_fields("key_config", slot=2)
        yield from bench.wait_idle()
        yield from bench.command("clear_key")
        yield from bench.wait_idle()
        assert (yield from bench.result((yield from bench.submit(other)))) == Error.NO_KEY

    for n in range(170):
        bench.run(life(n))
    bench.assert_empty()


def test_a_key_command_on_the_slot_of_a_message(bench):
    """`clear_key` on a message's slot is refused until the message has ended. Then the command removes the key and the
    GHASH subkey.
    """
    tries, seen = Tries(bench, MESSAGES["encrypt"]), []
    assert tries.message.mode == MODE_ENCRYPT

    def life(n):
        yield from tries.prepare()
        yield from bench.write_fields("key_config", key_length=0, slot=1)
        number = yield from tries.start_and("clear_key", n)
        refused = (yield from bench.status())["refused"]
        assert (yield from bench.result(number)) == Error.NONE
        assert tries.written() == tries.whole(), f"after {n} cycles"
        yield from bench.wait_idle()
        last = yield from bench.result((yield from bench.submit(tries.message)))
        assert last == (Error.NONE if refused else Error.NO_KEY)
        seen.append(refused)

    for n in range(260):
        bench.run(life(n))
        if n > 20 and not any(seen[-12:]):
            break
    assert seen == sorted(seen, reverse=True) and set(seen) == {0, 1}
    bench.assert_empty()


def test_start_during_a_key_load(bench):
    """A message that starts in any cycle after `load_key` waits for the new key and uses it."""
    rng = random.Random(3)
    tries = Tries(bench, MESSAGES["encrypt"])

    def life(n):
        new = rng.randbytes(16)
        yield from tries.prepare()
        yield from bench.write_fields("key_config", key_length=0, slot=1)
        yield from bench.write_key(new)
        yield from tries.again()  # after this message, GHASH's tables belong to the old key
        number = yield from bench.read("submitted")
        yield from tries.command("load_key")
        for _ in range(n):
            yield
        yield from tries.command("start")
        assert (yield from bench.result(number)) == Error.NONE
        for address, data in replace(SEALED, key=new).outputs():
            assert bench.memory.read(address, len(data)) == data, f"after {n} cycles"

    for n in range(90):
        bench.run(life(n))
    bench.assert_empty()
