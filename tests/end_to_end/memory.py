# SPDX-License-Identifier: BSD-2-Clause
"""Read and search all memories and registers of a simulated board, in the memory of the running simulator process.

Verilator keeps the model, that is, every memory and register of the board, in one mapping of the process's memory. This
mapping is found by the contents of the ROM. LiteX's modules outside the model keep other data (queues of `serial2tcp`,
sockets), which lie elsewhere and do not belong to the board.

The search for a secret goes word by word, so that the layout of a memory does not matter. It finds words of four bytes
at every alignment. It also finds words that each occupy eight bytes, as in a memory of 33 to 64 bits. And it finds
lanes, which are four bytes that are four apart, since the CPU's data cache keeps each byte of a word in a memory of its
own. The UART's FIFOs have entries of 16 bits; see `BoardMemory.queues`.

A part of a secret counts as found if two of its words are. A board holds some 50,000 different words, counting all
alignments. By chance, one of a secret's 700 words is among them in one of 100 searches, but two of one part only in one
of 70,000.
"""

import contextlib
import os
import signal
import struct
import subprocess
from array import array
from collections import Counter

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tests.gateware.isa import fips197

WORD = 4
WORDS_MIN = 2
# Ignore memory mappings of the simulator that are larger than this number of bytes. The simulation model takes less
# than a megabyte, so it is in a smaller mapping.
MAPPING_BYTES_MAX = 1 << 22


class Secret:
    """The secrets of a session: key, initial counter block, data, and all values that the board computes from them.

    The round keys follow FIPS-197, 5.2; the keystream comes from `cryptography`. In `gcm`, the data are the only record
    of a stream, and `iv` is its nonce prefix and zeros; `cipher` ends with the tag.
    """

    def __init__(self, rng, key_bits: int, size: int, name: str = "", gcm: bool = False):
        self.name = name or f"AES-{key_bits}"
        self.key, self.iv, self.plain = rng.randbytes(key_bits // 8), rng.randbytes(16), rng.randbytes(size)
        first = self.iv
        if gcm:
            # The first counter block of the text consists of the nonce and the number 2 (SP 800-38D). The nonce
            # consists of a prefix and the number 1, which stands for record 0 as the last record of a stream.
            self.iv = self.iv[:8] + bytes(8)
            first = self.iv[:8] + struct.pack(">II", 1, 2)
        encryptor = Cipher(algorithms.AES(self.key), modes.CTR(first)).encryptor()
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
        if gcm:
            self.record_bytes = -(-size // 16) * 16
            block = Cipher(algorithms.AES(self.key), modes.ECB()).encryptor()
            subkey, of_tag = block.update(bytes(16)), block.update(first[:12] + struct.pack(">I", 1))
            header = struct.pack(">4sBBH8s", b"CLGC", 1, len(self.key), self.record_bytes // 16, self.iv[:8])
            self.cipher = AESGCM(self.key).encrypt(first[:12], self.plain, header)
            number = int.from_bytes(subkey, "big")
            operand = b"".join((number >> shift & 0xFFFFFFFF).to_bytes(4, "little") for shift in range(0, 128, 32))
            parts |= {"hash subkey": subkey + operand, "keystream of the tag": of_tag}
        self.words = {}
        for part, data in parts.items():
            for pattern in words_of(data):
                self.words[pattern] = part


def words_of(data: bytes) -> set[int]:
    """Return the 32-bit words of `data`. Some memories store only one of the four bytes of each word. In such a memory,
    bytes 0, 4, 8 and 12 of a 16-byte block are next to each other, or bytes 1, 5, 9 and 13, and so on. So also return
    the words that consist of these bytes.
    """
    whole = data[: len(data) // WORD * WORD]
    blocks = [data[i : i + 16] for i in range(0, len(data) - 15, 16)]
    lanes = b"".join(block[lane::4] for block in blocks for lane in range(4))
    found = array("I", whole + lanes)
    return set(found)


class BoardMemory:
    """Reads the memory of a running simulated board."""

    def __init__(self, board):
        words = (board.directory / "gateware" / "sim_rom.init").read_text().split()
        self._pid = board.pid
        self._rom = b"".join(int(word, 16).to_bytes(WORD, "little") for word in words[:1024])
        self._rom_bytes = WORD * len(words)
        places = ("firmware.elf", "zephyr/zephyr/zephyr.elf")
        (self._elf,) = [path for place in places if (path := board.directory / "firmware" / place).is_file()]
        self._begin, self._size, self._rom_offset = self._find_model()

    def image(self) -> bytes:
        """Return a copy of all memories and registers at one moment, in the order of the simulation model. In the copy,
        zeros replace the contents of the ROM.
        """
        with self._stopped(), open(f"/proc/{self._pid}/mem", "rb", 0) as memory:
            memory.seek(self._begin)
            data = memory.read(self._size)
        assert len(data) == self._size
        rom_end = self._rom_offset + self._rom_bytes
        return data[: self._rom_offset] + bytes(self._rom_bytes) + data[rom_end:]

    def found(self, *secrets: Secret) -> dict[str, set[str]]:
        """Search the board's memory for parts of secrets, such as keys. Return a dictionary that maps the name of a
        secret to the names of the parts found. The dictionary omits a secret if no part of it was found.
        """
        image = self.image()
        words = array("I", image[: len(image) // WORD * WORD])
        return _search(secrets, (image, words[::2].tobytes(), words[1::2].tobytes()))

    def copies(self, data: bytes) -> int:
        """Count how often each 32-bit word of `data` occurs in the board's memories; return the largest count."""
        image = self.image()
        return max(image.count(data[i : i + WORD]) for i in range(0, len(data), WORD))

    def in_slots(self, data: bytes) -> int:
        """Return how many 32-bit words of `data` the board's memories contain. The first word begins at byte 2, because
        in the frame buffers (slots) of the Ethernet MAC, byte 2 of `data` is the first byte of a word.
        """
        image = self.image()
        return sum(data[i : i + WORD] in image for i in range(2, len(data) - WORD, WORD))

    def queues(self, *secrets: Secret) -> dict[str, set[str]]:
        """Search the board for secrets in memories with 16-bit words that contain one data byte each, such as the
        UART's FIFOs. Return a dictionary in the format of `found`.
        """
        image = self.image()
        return _search(secrets, (image[::2], image[1::2]))

    @contextlib.contextmanager
    def broken(self, function: str):
        """Context manager: replace the first instruction of a firmware function by an illegal instruction."""
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
