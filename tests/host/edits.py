# SPDX-License-Identifier: BSD-2-Clause
"""Makes random edits of authenticated files, chosen by seed. `decrypt` must refuse each edited file. `make edits` runs
10,000 edits.

The files are made with `cryptography` and this module's own reading of the page on the format, not with the tool. An
edit changes at least one byte, or the length. A refusal is one line, has a status, leaves no OUT, and hands out no byte
of a record that differs from the original one.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .commands import command

HEADER, TAG = 16, 16
TAMPERED, WRONG_FILE = 8, 2
LENGTHS = (16, 24, 32)


@dataclass(frozen=True)
class Sealed:
    """An authenticated file in memory."""

    key: bytes
    plain: bytes
    size: int  # plaintext bytes of a full record
    prefix: bytes

    @property
    def header(self):
        return b"CLGC\x01" + bytes([len(self.key)]) + (self.size // 16).to_bytes(2, "big") + self.prefix

    @property
    def records(self):
        """The encrypted records of the file, each with its tag."""
        count = max(1, -(-len(self.plain) // self.size))
        cipher = AESGCM(self.key)
        return [
            cipher.encrypt(
                self.prefix + (2 * number + (number == count - 1)).to_bytes(4, "big"),
                self.plain[number * self.size : (number + 1) * self.size],
                self.header,
            )
            for number in range(count)
        ]

    @property
    def data(self):
        return self.header + b"".join(self.records)

    def clean(self, data):
        """Compare `data` with this file. Return the plaintext of all records before the first record that differs."""
        if data[:HEADER] != self.header:
            return b""
        at, clean = HEADER, 0
        for record in self.records:
            if data[at : at + len(record)] != record:
                break
            at += len(record)
            clean += len(record) - TAG
        return self.plain[:clean]


def drawn(rng, key=None, size=None, least=0):
    """Return a random file of at least `least` records."""
    key = key or rng.randbytes(rng.choice(LENGTHS))
    size = size or 16 * rng.choice((1, 1, 2, 3, 5, 60))
    length = rng.randrange(max(0, least - 1) * size + (least > 0), (least + 6) * size)
    if rng.random() < 0.3:
        length = max(least, length // size) * size
    return Sealed(key, rng.randbytes(length), size, rng.randbytes(8))


def _flip(rng, file, data):
    at = rng.randrange(8 * len(data))
    data[at // 8] ^= 1 << at % 8


def _flip_many(rng, file, data):
    for _ in range(rng.randrange(2, 20)):
        _flip(rng, file, data)


def _header(rng, file, data):
    at = rng.randrange(HEADER)
    data[at] = rng.randrange(256)


def _record_size(rng, file, data):
    data[6:8] = rng.randrange(1 << 16).to_bytes(2, "big")


def _key_size(rng, file, data):
    data[5] = rng.choice(LENGTHS)


def _cut(rng, file, data):
    del data[rng.randrange(len(data)) :]


def _cut_records(rng, file, data):
    """Cut off whole records at the end; every remaining record is intact."""
    del data[HEADER + rng.randrange(len(file.records)) * (file.size + TAG) :]


def _extend(rng, file, data):
    data += rng.randbytes(rng.randrange(1, 2 * file.size + 2 * TAG))


def _extend_by_a_record(rng, file, data):
    data += rng.choice(file.records)


def _swap(rng, file, data):
    records = file.records
    one, other = rng.sample(range(len(records)), 2) if len(records) > 1 else (0, 0)
    records[one], records[other] = records[other], records[one]
    data[HEADER:] = b"".join(records)


def _shuffle(rng, file, data):
    records = file.records
    rng.shuffle(records)
    data[HEADER:] = b"".join(records)


def _duplicate(rng, file, data):
    records = file.records
    records.insert(rng.randrange(len(records) + 1), rng.choice(records))
    data[HEADER:] = b"".join(records)


def _remove(rng, file, data):
    records = file.records
    del records[rng.randrange(len(records))]
    data[HEADER:] = b"".join(records)


def _splice(rng, file, data):
    """From a random record on, replace all records by records of another file under the same key."""
    other = drawn(rng, file.key, file.size)
    at = rng.randrange(len(file.records) + 1)
    data[HEADER:] = b"".join(file.records[:at] + other.records[at:])


def _replace_record(rng, file, data):
    """Replace one record by a record of another file under the same key. The replacement has the same number. If the
    other file has too few records, its last record replaces the record.
    """
    other = drawn(rng, file.key, file.size).records
    records = file.records
    at = rng.randrange(len(records))
    records[at] = other[min(at, len(other) - 1)]
    data[HEADER:] = b"".join(records)


def _other_header(rng, file, data):
    data[:HEADER] = drawn(rng, file.key, file.size).header


def _other_end(rng, file, data):
    """Replace the last tag by the last tag of another file under the same key."""
    data[-TAG:] = drawn(rng, file.key, file.size).data[-TAG:]


def _move_a_border(rng, file, data):
    """Insert or remove some bytes, so that the records after them begin at other offsets."""
    at, count = rng.randrange(len(data)), rng.randrange(1, 40)
    if rng.random() < 0.5:
        data[at:at] = rng.randbytes(count)
    else:
        del data[at : at + count]


def _truncate_plaintext(rng, file, data):
    """Shorten the last record by removing bytes before its tag."""
    count = rng.randrange(1, max(2, len(file.records[-1]) - TAG + 1))
    del data[-TAG - count : -TAG]


def _ends_like_an_empty_file(rng, file, data):
    """An empty file has one record, which contains only a tag. Make such a record under the key of this file. Append
    this record to the file, or replace all records of the file by this record.
    """
    data[HEADER:] = (
        rng.choice((b"", bytes(data[HEADER:]))) + Sealed(file.key, b"", file.size, rng.randbytes(8)).records[0]
    )


EDITS = [
    value for name, value in list(globals().items()) if name.startswith("_") and callable(value) and name[1:2] != "_"
]


def edited(seed):
    """Return a random file, the file's bytes after a random edit that changes them, and the name of the edit."""
    rng = random.Random(seed)
    while True:
        file = drawn(rng, least=rng.randrange(4))
        edit = rng.choice(EDITS)
        data = bytearray(file.data)
        edit(rng, file, data)
        if data != file.data:
            return file, bytes(data), edit.__name__[1:]


def check(seed, folder, *words):
    """Run `cipherlane decrypt` on the edited file of a seed, and fail unless the command refuses the file. Return its
    exit status and the edit's name.
    """
    file, data, name = edited(seed)
    source, out = folder / "in", folder / "out"
    source.write_bytes(data)
    clean = file.clean(data)
    # If `streams` is true, the command writes to standard output, and passes on each record as soon as it is verified.
    streams = random.Random(seed).random() < 0.5
    env = {"CIPHERLANE_KEY": file.key.hex()}
    status, stdout, stderr = command("decrypt", *words, source, "-" if streams else out, env=env)
    what = f"seed {seed}, {name}: status {status}, {stderr}"
    known = data[:5] == file.header[:5] and (data[6:8] == file.header[6:8] or "none" in words)
    allowed = {TAMPERED} if known else {TAMPERED, WRONG_FILE}
    assert status in allowed, what
    assert stderr.startswith("cipherlane: error: ") and stderr.count("\n") == 1, what
    assert clean.startswith(stdout) and len(stdout) % file.size == 0, what
    assert [path.name for path in folder.iterdir()] == ["in"], what
    return status, name


def main(argv=None):
    """Run the edits that the command line asks for; return the exit status."""
    parser = argparse.ArgumentParser(description="Check that decrypt refuses random edits of authenticated files.")
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first edit (default: 0)")
    args = parser.parse_args(argv)
    counts = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.first, args.first + args.edits):
            counts[check(seed, Path(folder), "--port", "none")] += 1
            if sys.stderr.isatty() and not seed % 100:
                print(f"\r{seed}", end="", file=sys.stderr)
    for name in sorted({name for _, name in counts}):
        print(f"{name:24} {sum(count for (_, other), count in counts.items() if other == name):6} refused")
    print(f"{'all':24} {sum(counts.values()):6} refused, with no byte of a record that differs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
