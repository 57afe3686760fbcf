# SPDX-License-Identifier: BSD-2-Clause
"""Compares the accelerator's results with the standards' examples and with `cryptography`."""

import random

import pytest

from gateware.ctr.counter import WIDTH_64, WIDTHS
from gateware.ctr.service import create_service
from gateware.dma.accelerator import CTRAccelerator, client
from gateware.dma.errors import Error
from gateware.dma.registers import SLOTS
from tests.gateware.ctr.reference import KEYS, PLAIN, SP_800_38A, T1, eea2_sets, eea2_t1
from tests.gateware.dma.bench import ORIGIN, OUT, Descriptor

BLOCK = 16


def blocks(address: int, size: int) -> list[tuple[int, int]]:
    """Return the bus accesses for a buffer, as (block address, mask). Bit n of a mask is 1 for a byte of the buffer."""
    result = []
    for base in range(address - address % BLOCK, address + size, BLOCK):
        lanes = range(max(address, base), min(address + size, base + BLOCK))
        result.append((base, sum(1 << lane - base for lane in lanes)))
    return result


def check(bench, keys, descriptors, max_cycles=40000):
    """Execute descriptors with separate buffers. Check the results, and the number and order of bus accesses. Check
    also that all other memory is unchanged.
    """
    before = bytes(bench.memory.contents[ORIGIN])
    expected = bytearray(before)
    for d in descriptors:
        offset = d.source - ORIGIN
        data = before[offset : offset + d.size]
        target = d.destination - ORIGIN
        expected[target : target + d.size] = d.result(keys[d.slot], data)
    bench.memory.log.clear()
    assert bench.transfer(*descriptors, max_cycles=max_cycles) == [Error.NONE] * len(descriptors)
    assert bytes(bench.memory.contents[ORIGIN]) == bytes(expected)
    reads = [b for d in descriptors for b, _ in blocks(d.source, d.size)]
    writes = [b for d in descriptors for b in blocks(d.destination, d.size)]
    assert [a for we, a, _ in bench.memory.log if not we] == reads
    assert [(a, sel) for we, a, sel in bench.memory.log if we] == writes
    bench.assert_empty()


def fill(bench):
    size = len(bench.memory.contents[ORIGIN])
    bench.memory.contents[ORIGIN][:] = bench.rng.randbytes(size)


@pytest.mark.parametrize("key_bits", KEYS)
def test_sp_800_38a_f5(bench, key_bits):
    bench.load_key(KEYS[key_bits], slot=5)
    bench.memory.write(ORIGIN, PLAIN)
    assert bench.transfer(Descriptor(length=len(PLAIN), counter=T1, slot=5)) == [Error.NONE]
    assert bench.memory.read(OUT, len(PLAIN)).hex() == SP_800_38A[key_bits]
    # In CTR, decryption is the same operation as encryption. With index 2, this descriptor decrypts the message from
    # its third block on.
    decrypt = Descriptor(source=OUT + 32, destination=ORIGIN + 0x101, length=32, counter=T1, index=2, slot=5)
    assert bench.transfer(decrypt) == [Error.NONE]
    assert bench.memory.read(ORIGIN + 0x101, 32) == PLAIN[32:]


def test_eea2_sets_back_to_back(bench):
    """Encrypt all test sets of TS 33.401, C.1, without a pause, with separate keys and from odd addresses."""
    sets = eea2_sets()
    source, destination, descriptors = ORIGIN + 1, OUT + 3, []
    for slot, s in enumerate(sets):
        bench.load_key(s["key"], slot)
        bench.memory.write(source, s["plaintext"])
        counter = eea2_t1(s["count"], s["bearer"], s["direction"])
        options = {"slot": slot, "width": WIDTH_64, "in_bits": 1}
        descriptors.append(Descriptor(source, destination, s["length"], counter, **options))
        source += len(s["plaintext"]) + 1
        destination += len(s["plaintext"])
    assert bench.transfer(*descriptors) == [Error.NONE] * len(sets)
    for d, s in zip(descriptors, sets, strict=True):
        assert bench.memory.read(d.destination, d.size) == s["ciphertext"], s["name"]


@pytest.mark.parametrize("key_bits", KEYS)
def test_lengths(bench, key_bits):
    fill(bench)
    bench.load_key(KEYS[key_bits])
    lengths = [*range(0, 36), 63, 64, 65, 200, 1000]
    for in_place in (False, True):
        address = ORIGIN
        descriptors = []
        for length in lengths:
            destination = address if in_place else address + 0x2000
            descriptors.append(Descriptor(address, destination, length, T1 + length))
            address += length + 16
        check(bench, {0: KEYS[key_bits]}, descriptors)


@pytest.mark.parametrize("destination", range(0, 16, 3))
def test_offsets(bench, destination):
    """The source of a descriptor can begin and end at any byte of a block."""
    fill(bench)
    bench.load_key(KEYS[128])
    descriptors = []
    address = ORIGIN
    for source in range(16):
        for length in (1 + (source * 7 + destination) % 16, 16, 33 + source):
            descriptors.append(Descriptor(address + source, address + 0x2000 + destination, length, T1))
            address += 96
    check(bench, {0: KEYS[128]}, descriptors)


@pytest.mark.parametrize("distance", [0, 1, 15, 16, 17, 40])
def test_in_place_and_before(bench, distance):
    """The output begins `distance` bytes before the source. With distance 0, the output overwrites the source."""
    fill(bench)
    bench.load_key(KEYS[128])
    for length in (5, 16, 100, 300):
        data = bench.memory.read(ORIGIN + 101, length)
        descriptor = Descriptor(ORIGIN + 101, ORIGIN + 101 - distance, length, T1)
        assert bench.transfer(descriptor) == [Error.NONE]
        assert bench.memory.read(ORIGIN + 101 - distance, length) == descriptor.result(KEYS[128], data)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("index", [0, 1, 2**32 - 1, 2**32, 2**64 - 1])
def test_index_and_wraps(bench, width, index):
    fill(bench)
    bench.load_key(KEYS[128])
    counters = [0, 2**32 - 2, 2**64 - 2, 2**128 - 2]
    descriptors = [
        Descriptor(ORIGIN, OUT + 80 * n, 70, counter, index, width=width) for n, counter in enumerate(counters)
    ]
    check(bench, {0: KEYS[128]}, descriptors)


def test_bits(bench):
    """A message can have any number of bits. The accelerator writes zeros to the unused bits of the last byte."""
    fill(bench)
    bench.load_key(KEYS[256])
    lengths = [*range(0, 20), *range(120, 140), 255, 1000]
    descriptors = [Descriptor(ORIGIN + n, OUT + 130 * n, bits, T1, in_bits=1) for n, bits in enumerate(lengths)]
    check(bench, {0: KEYS[256]}, descriptors)


@pytest.mark.parametrize("slow", [False, True], ids=["reads", "writes"])
def test_slow_reads_or_writes_hold_up_the_core(bench, slow):
    """If memory writes are slow, the DMA's read and write queues fill up. If reads are slow, both queues run empty."""
    fill(bench)
    bench.load_key(KEYS[128])
    present = []

    def answer(_, we):
        present[:] = [we]
        return "ack"

    bench.memory.answer = answer
    bench.memory.latency = lambda: 60 if present == [slow] else 1
    check(bench, {0: KEYS[128]}, [Descriptor(ORIGIN + 0x400 * n, OUT + 0x405 * n, 0x400, T1 + n) for n in range(3)])


@pytest.mark.parametrize("longest", [1, 2, 8, 40])
def test_random_differential(bench, longest):
    """Use random slots, counter widths, lengths, offsets and bus waits. Other slots' keys change meanwhile."""
    rng = bench.rng = random.Random(longest)
    fill(bench)
    bench.memory.latency = lambda: rng.choice([1, 1, 1, rng.randrange(1, longest + 1)])
    keys = {slot: rng.randbytes(rng.choice([16, 24, 32])) for slot in range(8)}
    for slot, key in keys.items():
        bench.load_key(key, slot)
    for _ in range(6):
        changing = rng.randrange(8)
        keys[changing] = rng.randbytes(rng.choice([16, 24, 32]))
        expected = bytearray(bench.memory.contents[ORIGIN])
        before = bytes(expected)
        descriptors = []
        for n in range(rng.randrange(1, 8)):
            in_bits = int(rng.random() < 0.3)
            length = rng.choice([rng.randrange(0, 20), rng.randrange(0, 400)])
            d = Descriptor(
                source=ORIGIN + rng.randrange(0, 0x1800),
                destination=OUT + 0x400 * n + rng.randrange(0, 64),
                length=length * (8 if in_bits else 1) + in_bits * rng.randrange(8),
                counter=rng.getrandbits(128) | rng.choice([0, 2**128 - 16, 2**64 - 16, 2**32 - 16]),
                index=rng.choice([0, rng.getrandbits(64)]),
                slot=rng.choice([s for s in range(8) if s != changing]),
                width=rng.choice(list(WIDTHS)),
                in_bits=in_bits,
            )
            descriptors.append(d)
        descriptors.append(Descriptor(ORIGIN + 3, OUT + 0x1D05, 50, T1, slot=changing))
        for d in descriptors:
            offset, target = d.source - ORIGIN, d.destination - ORIGIN
            expected[target : target + d.size] = d.result(keys[d.slot], before[offset : offset + d.size])
        results = []

        def life(descriptors=descriptors, changing=changing, results=results):
            numbers = []
            for d in descriptors[:-1]:
                numbers.append((yield from bench.submit(d)))
            yield from bench.begin_key(keys[changing], changing)
            numbers.append((yield from bench.submit(descriptors[-1])))  # waits for its key
            for number in numbers:
                results.append((yield from bench.result(number)))

        bench.run(life(), max_cycles=100000)
        assert results == [Error.NONE] * len(descriptors)
        assert bytes(bench.memory.contents[ORIGIN]) == bytes(expected)
        bench.assert_empty()


def test_ordered_reads_what_the_one_before_wrote(bench):
    bench.load_key(KEYS[128], 0)
    bench.load_key(KEYS[192], 1)
    data = bench.rng.randbytes(200)
    bench.memory.write(ORIGIN, data)
    first = Descriptor(ORIGIN, OUT, 200, T1)
    second = Descriptor(OUT, OUT + 0x400, 200, T1, slot=1, ordered=1)
    assert bench.transfer(first, second) == [Error.NONE] * 2
    assert bench.memory.read(OUT + 0x400, 200) == second.result(KEYS[192], first.result(KEYS[128], data))


def test_cycles_depend_on_length_and_key_size_alone(bench, core):
    for key_bits, rounds in ((128, 10), (192, 12), (256, 14)):
        seen = {}
        for _ in range(2):
            key = bench.rng.randbytes(key_bits // 8)
            bench.load_key(key)
            for length in (1, 16, 160, 161, 1600):
                bench.memory.write(ORIGIN, bench.rng.randbytes(length))
                descriptor = Descriptor(length=length, counter=bench.rng.getrandbits(128))
                assert bench.transfer(descriptor) == [Error.NONE]
                cycles = []

                def read(cycles=cycles):
                    cycles.append((yield from bench.read("cycles")))

                bench.run(read())
                assert seen.setdefault(length, cycles[0]) == cycles[0]
        # In a core that is not pipelined, each of the 90 additional blocks of the longer message takes one cycle per
        # round. The core is idle only in the last burst.
        if core.get("datapath") != "pipelined":
            assert 90 * rounds <= seen[1600] - seen[160] <= 90 * rounds + 8
        assert seen[1] == seen[16]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regions": []}, "regions is empty"),
        ({"regions": [(8, 16)]}, "multiples of 16"),
        ({"regions": [(0, 2**32 + 16)]}, "within 32 bits"),
        ({"regions": [(0, 16)], "timeout_cycles": 1}, "timeout_cycles"),
        ({"regions": [(0, 16)], "burst_beats": 1}, "burst_beats"),
        ({"regions": [(0, 16)], "slots": 17}, "slots"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        service = create_service([client(parameters.pop("slots", SLOTS))])
        CTRAccelerator(service=service.ports[0], **parameters)
