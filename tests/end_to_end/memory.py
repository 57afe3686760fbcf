"""What a simulated board holds in all its memories and registers, read from the running simulator's process.

Verilator keeps the model, every memory and register of the board, in one piece of the process's memory, which has
pages of its own; it is found by the ROM's contents in it. What LiteX's modules beside the model keep (the queues of
`serial2tcp`, sockets) is no part of the board and lies elsewhere.

A secret is looked for word by word, so that it does not matter how a memory is laid out: as words of four bytes at
every alignment, also where words have a place of eight bytes each (a memory of 33 to 64 bits has), and as lanes of
four bytes that are four apart, for memories that keep each byte of a word in a memory of its own (the CPU's data cache
does). The UART's FIFOs have entries of 16 bits: see `BoardMemory.queues`.

A part of a secret counts as found with two of its words. A board holds some 50,000 different words, at all alignments:
one of a secret's 700 is among them by chance in one search of 100, two of one part in one of 70,000.
"""

import contextlib
import os
import signal
import subprocess
from array import array
from collections import Counter

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from tests.gateware.isa import fips197

WORD = 4
WORDS_MIN = 2
# No more than this is asked for of a mapping: the model has a fraction of a megabyte.
MAPPING_BYTES_MAX = 1 << 22


class Secret:
    """A key with an initial counter block and data, and everything that the board makes of them.

    The round keys are those of FIPS-197, 5.2, the keystream comes from `cryptography`.
    """

    def __init__(self, rng, key_bits: int, size: int, name: str = ""):
        self.name = name or f"AES-{key_bits}"
        self.key, self.iv, self.plain = rng.randbytes(key_bits // 8), rng.randbytes(16), rng.randbytes(size)
        encryptor = Cipher(algorithms.AES(self.key), modes.CTR(self.iv)).encryptor()
        whole_blocks = bytes(-(-size // 16) * 16)
        keystream = encryptor.update(whole_blocks)
        self.cipher = bytes(a ^ b for a, b in zip(self.plain, keystream, strict=False))
        expanded = b"".join(fips197.expand_key(self.key))
        parts = {
            "key": self.key,
            "round keys": expanded[len(self.key) :],
            "keystream": keystream,
            "data": self.plain,
        }
        self.words = {}
        for part, data in parts.items():
            for pattern in words_of(data):
                self.words[pattern] = part


def words_of(data: bytes) -> set[int]:
    """Words of `data` and lanes of its blocks, as little-endian numbers."""
    whole = data[: len(data) // WORD * WORD]
    blocks = [data[i : i + 16] for i in range(0, len(data) - 15, 16)]
    lanes = b"".join(block[lane::4] for block in blocks for lane in range(4))
    found = array("I", whole + lanes)
    return set(found)


class BoardMemory:
    """The memory of a running simulated board."""

    def __init__(self, board):
        words = (board.directory / "gateware" / "sim_rom.init").read_text().split()
        self._pid = board.pid
        self._rom = b"".join(int(word, 16).to_bytes(WORD, "little") for word in words[:1024])
        self._rom_bytes = WORD * len(words)
        places = ("firmware.elf", "zephyr/zephyr/zephyr.elf")
        (self._elf,) = [path for place in places if (path := board.directory / "firmware" / place).is_file()]
        self._begin, self._size, self._rom_offset = self._find_model()

    def image(self) -> bytes:
        """All that the board holds at one moment, in the model's order, with zeros for the ROM."""
        with self._stopped(), open(f"/proc/{self._pid}/mem", "rb", 0) as memory:
            memory.seek(self._begin)
            data = memory.read(self._size)
        assert len(data) == self._size
        rom_end = self._rom_offset + self._rom_bytes
        return data[: self._rom_offset] + bytes(self._rom_bytes) + data[rom_end:]

    def found(self, *secrets: Secret) -> dict[str, set[str]]:
        """Which parts of each secret are somewhere on the board, by its name; empty if nothing is."""
        image = self.image()
        words = array("I", image[: len(image) // WORD * WORD])
        return _search(secrets, (image, words[::2].tobytes(), words[1::2].tobytes()))

    def copies(self, data: bytes) -> int:
        """How often the first words of `data` are on the board, wherever they are."""
        image = self.image()
        return max(image.count(data[i : i + WORD]) for i in range(0, len(data), WORD))

    def in_slots(self, data: bytes) -> int:
        """How many words of `data`, from its byte 2 on, are on the board: so they lie in the MAC's slots, in banks."""
        image = self.image()
        return sum(data[i : i + WORD] in image for i in range(2, len(data) - WORD, WORD))

    def queues(self, *secrets: Secret) -> dict[str, set[str]]:
        """As `found`, in memories with entries of 16 bits whose low bytes are the data: the UART's FIFOs."""
        image = self.image()
        return _search(secrets, (image[::2], image[1::2]))

    @contextlib.contextmanager
    def broken(self, function: str):
        """While in this context, a function of the firmware begins with an illegal instruction."""
        tool = ["riscv64-unknown-elf-nm", str(self._elf)]
        symbols = subprocess.run(tool, capture_output=True, text=True, check=True, timeout=60).stdout
        (address,) = [int(line.split()[0], 16) for line in symbols.splitlines() if line.split()[-1] == function]
        where = self._begin + self._rom_offset + address
        with open(f"/proc/{self._pid}/mem", "r+b", 0) as memory:
            memory.seek(where)
            before = memory.read(WORD)
            memory.seek(where)
            memory.write(bytes(WORD))
            try:
                yield
            finally:
                memory.seek(where)
                memory.write(before)

    @contextlib.contextmanager
    def _stopped(self):
        os.kill(self._pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._pid, signal.SIGCONT)

    def _find_model(self) -> tuple[int, int, int]:
        with open(f"/proc/{self._pid}/maps") as maps, open(f"/proc/{self._pid}/mem", "rb", 0) as memory:
            for line in maps:
                span, mode, _, _, _, *name = line.split()
                begin, end = (int(limit, 16) for limit in span.split("-"))
                if not mode.startswith("rw") or name or end - begin > MAPPING_BYTES_MAX:
                    continue
                memory.seek(begin)
                at = memory.read(end - begin).find(self._rom)
                if at >= 0:
                    return begin, end - begin, at
        raise AssertionError("the ROM was not found in the simulator's memory")


def _search(secrets, images) -> dict[str, set[str]]:
    held = set()
    for image in images:
        for shift in range(WORD):
            part = image[shift:]
            held.update(array("I", part[: len(part) // WORD * WORD]))
    found = {}
    for secret in secrets:
        words = Counter(secret.words[word] for word in secret.words.keys() & held)
        parts = {part for part, count in words.items() if count >= WORDS_MIN}
        if parts:
            found[secret.name] = parts
    return found
