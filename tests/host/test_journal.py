# SPDX-License-Identifier: BSD-2-Clause
"""Tests the sidecar (journal) of an incomplete output."""

import hashlib
import json
import os
import random
import re
import stat
import sys
from pathlib import Path

import pytest
from cipherlane.errors import FileError, VerifyError
from cipherlane.files.inputs import InputFile
from cipherlane.files.output import SIDECAR_SIZE, OutputFile
from cipherlane.link.journal import Journal, Parameters
from cipherlane.measuring.oracle import Verifier
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from .commands import LOCKED, ON_POSIX

KEY, IV = bytes(range(32)), bytes(range(100, 116))
DATA = random.Random(1).randbytes(100_003)
UNIT = 1008


def content(name):
    return Path(name).read_bytes()


def encrypted(data, block=IV):
    return Cipher(algorithms.AES(KEY), modes.CTR(block)).encryptor().update(data)


@pytest.fixture
def names(tmp_path):
    (tmp_path / "in").write_bytes(DATA)
    return str(tmp_path / "in"), str(tmp_path / "out")


def parameters(**others):
    return Parameters(**{"key": KEY, "iv": IV, "direction": "encrypt", **others})


def begin(names, count, ahead=5000, read=None):
    """Interrupt a transfer after it has written `count` bytes of the result. By then, the transfer has read `count` +
    `ahead` bytes of the input.
    """
    with pytest.raises(KeyboardInterrupt), InputFile(names[0]) as source, OutputFile(names[1], source) as output:
        journal = Journal.begin(output, source, parameters(), iv=IV, record_bytes=UNIT, ticket=7)
        with journal:
            reader, writer = journal.watch(source, output)
            reader.read(count + ahead)
            for start in range(0, count, UNIT):
                writer.write(encrypted(DATA)[start : min(start + UNIT, count)])
            raise KeyboardInterrupt


def resume(names, check=None, **others):
    """Resume an interrupted transfer and complete it; return the byte offset at which it resumed, and the journal."""
    with InputFile(names[0]) as source, OutputFile(names[1], source, resume=True) as output:
        journal = Journal.resume(output, source, parameters(**others))
        journal.check_kept(source, check)
        done = journal.done
        output.start_at(done)
        with journal:
            output.write(encrypted(DATA)[done:])
            assert source.read(len(DATA)) == DATA[done:]
            output.commit()
        return done, journal


def refused(names, message, **others):
    """Check that resuming is refused with an error that matches `message`, and changes no file."""
    before = {name: content(names[1] + name) for name in (".part", ".part.resume")}
    with pytest.raises(FileError, match=message) as caught:
        resume(names, **others)
    assert before == {name: content(names[1] + name) for name in before}
    assert "delete it and out.part.resume" in str(caught.value)


@LOCKED
@pytest.mark.parametrize("count", [0, 1, UNIT - 1, UNIT, UNIT + 1, 50 * UNIT, 50 * UNIT + 16, len(DATA)])
def test_a_transfer_goes_on_behind_its_last_whole_record(names, count):
    begin(names, count, ahead=min(5000, len(DATA) - count))
    done, journal = resume(names)
    assert done == count // UNIT * UNIT
    assert (journal.iv, journal.record_bytes, journal.ticket) == (IV, UNIT, 7)
    assert content(names[1]) == encrypted(DATA)
    assert not os.path.exists(names[1] + ".part.resume")


@LOCKED
def test_what_follows_the_last_whole_record_is_dropped(names):
    begin(names, 20 * UNIT)
    with open(names[1] + ".part", "ab") as part:
        part.write(bytes(2 * len(DATA)))
    assert resume(names)[0] == 20 * UNIT
    assert content(names[1]) == encrypted(DATA)


@LOCKED
def test_what_it_was_begun_with_is_checked(names, tmp_path):
    begin(names, 20 * UNIT)
    refused(names, "begun with another key", key=bytes(32))
    refused(names, "begun with another IV", iv=bytes(16))
    refused(names, "begun with another direction", direction="decrypt")
    status = os.stat(names[0])
    os.utime(names[0], ns=(status.st_atime_ns, status.st_mtime_ns + 1000))
    refused(names, "begun with another input, or .*in has changed")
    os.utime(names[0], ns=(status.st_atime_ns, status.st_mtime_ns))
    (tmp_path / "copy").write_bytes(DATA)
    os.utime(tmp_path / "copy", ns=(status.st_atime_ns, status.st_mtime_ns))
    refused((str(tmp_path / "copy"), names[1]), "begun with another input")
    assert resume(names, iv=None)[0] == 20 * UNIT, "the sidecar knows the IV"


@LOCKED
@pytest.mark.parametrize("at", [0, 5 * UNIT + 3, 20 * UNIT - 1])
def test_every_byte_that_was_kept_is_checked(names, at):
    begin(names, 20 * UNIT)
    status = os.stat(names[0])
    for name in (names[0], names[1] + ".part"):
        good = content(name)
        with open(name, "r+b") as file:
            file.write(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        os.utime(names[0], ns=(status.st_atime_ns, status.st_mtime_ns))
        refused(names, f"{re.escape(name)} has changed since then")
        with open(name, "r+b") as file:
            file.write(good)
        os.utime(names[0], ns=(status.st_atime_ns, status.st_mtime_ns))
    os.truncate(names[1] + ".part", 20 * UNIT - 1)
    refused(names, "out.part ends before byte")


@LOCKED
def test_verifying_covers_what_was_kept(names):
    """The incomplete output contains wrong bytes, but the sidecar (the journal) counts them as complete. If the user
    resumes the transfer with verification, the tool must still find the wrong bytes.
    """
    with pytest.raises(KeyboardInterrupt), InputFile(names[0]) as source, OutputFile(names[1], source) as output:
        journal = Journal.begin(output, source, parameters(), iv=IV, record_bytes=UNIT, ticket=None)
        with journal:
            reader, writer = journal.watch(source, output)
            for number in range(9):
                data = encrypted(DATA)[number * UNIT : (number + 1) * UNIT]
                reader.read(UNIT)
                writer.write(data if number != 4 else bytes(100) + data[100:])
            raise KeyboardInterrupt
    with pytest.raises(VerifyError, match=f"byte {4 * UNIT} differs"):
        resume(names, Verifier(KEY, IV).check)


@LOCKED
@ON_POSIX
def test_input_from_a_pipe_is_recognised_by_its_bytes(names):
    def opened(data):
        there, here = os.pipe()
        with open(here, "wb") as file:
            file.write(data)
        return InputFile(f"/dev/fd/{there}"), there

    source, there = opened(DATA[:20_000])
    with pytest.raises(KeyboardInterrupt), source, OutputFile(names[1], source) as output:
        journal = Journal.begin(output, source, parameters(), iv=IV, record_bytes=UNIT, ticket=None)
        with journal:
            reader, writer = journal.watch(source, output)
            writer.write(encrypted(reader.read(5 * UNIT)))
            raise KeyboardInterrupt
    os.close(there)
    for data, good in ((DATA[:20_000], True), (bytes([DATA[0] ^ 1]) + DATA[1:20_000], False), (DATA[:99], False)):
        source, there = opened(data)
        with source, OutputFile(names[1], source, resume=True) as output:
            journal = Journal.resume(output, source, parameters())
            if good:
                journal.check_kept(source)
                assert journal.done == 5 * UNIT and source.read(20_000) == DATA[5 * UNIT : 20_000]
            else:
                with pytest.raises(FileError, match=r"has changed since then|ends before byte"):
                    journal.check_kept(source)
        os.close(there)


@LOCKED
def test_what_was_written_after_the_last_note_can_be_taken_over(names):
    """If the tool was killed, the output can be longer than the sidecar states. `take_over` then counts the additional
    records in the output as complete.
    """
    begin(names, 20 * UNIT)
    with open(names[1] + ".part", "ab") as part:
        part.write(encrypted(DATA)[20 * UNIT : 25 * UNIT + 5])
    pieces = []
    with InputFile(names[0]) as source, OutputFile(names[1], source, resume=True) as output:
        journal = Journal.resume(output, source, parameters())
        journal.check_kept(source)
        journal.take_over(source, 24 * UNIT, lambda *piece: pieces.append(piece))
        assert journal.done == 24 * UNIT
        assert pieces == [(DATA[20 * UNIT : 24 * UNIT], encrypted(DATA)[20 * UNIT : 24 * UNIT])]
        with pytest.raises(FileError, match="ends before byte"):
            journal.take_over(source, 26 * UNIT)
    refused(names, "begun with another key", key=bytes(16))
    assert resume(names)[0] == 20 * UNIT


@LOCKED
@pytest.mark.parametrize("seed", range(4))
def test_an_interrupt_at_any_point_leaves_a_sidecar_that_holds(names, seed, monkeypatch):
    """A signal can interrupt the code anywhere. The test raises KeyboardInterrupt at random lines, and then resumes."""
    rng, steps = random.Random(seed), 0

    def trace(frame, event, argument):
        nonlocal steps
        if not frame.f_code.co_filename.endswith(("journal.py", "files.py", "private.py")):
            return None
        steps -= event == "line"
        if steps == 0:
            raise KeyboardInterrupt
        return trace

    monkeypatch.setattr("cipherlane.link.journal._CHECKPOINT_BYTES", 3 * UNIT)
    for _ in range(25):
        done = 0
        with InputFile(names[0]) as source, OutputFile(names[1], source) as output:
            journal = Journal.begin(output, source, parameters(), iv=IV, record_bytes=UNIT, ticket=7)
            steps = rng.randrange(1, 900)
            with pytest.raises(KeyboardInterrupt), journal:
                reader, writer = journal.watch(source, output)
                sys.settrace(trace)
                try:
                    for start in range(0, len(DATA), UNIT):
                        writer.write(encrypted(DATA)[start : start + len(reader.read(UNIT))])
                        done = start
                finally:
                    sys.settrace(None)
                raise KeyboardInterrupt
        at, _ = resume(names)
        assert at in (done, done + UNIT, done + 2 * UNIT)
        assert content(names[1]) == encrypted(DATA)
        os.unlink(names[1])


def test_the_sidecar_shows_nothing_of_key_and_data(names):
    begin(names, 20 * UNIT)
    sidecar = names[1] + ".part.resume"
    assert stat.S_IMODE(os.stat(sidecar).st_mode) == 0o600 or os.name != "posix"
    text = content(sidecar)
    assert len(text) == SIDECAR_SIZE
    shown = json.loads(text)
    blocks = [encrypted(bytes(16), IV), Cipher(algorithms.AES(KEY), modes.ECB()).encryptor().update(bytes(16)), KEY]
    blocks.append(encrypted(bytes(16), bytes.fromhex(shown["salt"])))
    for block in blocks:
        for start in range(len(block) - 3):
            assert block[start : start + 4].hex() not in text.decode(), "no four bytes of key or keystream"
    for part in (DATA[: 20 * UNIT], encrypted(DATA)[: 20 * UNIT]):
        assert hashlib.sha256(part).hexdigest() not in text.decode(), "data cannot be guessed by their hash"
    os.unlink(names[1] + ".part")
    os.unlink(sidecar)
    begin(names, 20 * UNIT)
    assert json.loads(content(sidecar))["key_check"] != shown["key_check"], "nor linked"


@LOCKED
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: b"",
        lambda text: text[:50],
        lambda text: b"[1]",
        lambda text: text.replace(b'"done": ', b'"done": 1'),
        lambda text: text.replace(b'"record_bytes": 1008', b'"record_bytes": 0'),
        lambda text: text.replace(b'"record_bytes": 1008', b'"record_bytes": "x"'),
        lambda text: text.replace(b"resume 1", b"resume 9"),
        lambda text: text.replace(b'"iv": "', b'"iv": "00'),
        lambda text: text.replace(b'"ticket": 7', b'"ticket": "7"'),
    ],
)
def test_damaged_sidecars_are_refused(names, damage):
    begin(names, 20 * UNIT)
    text = content(names[1] + ".part.resume")
    with open(names[1] + ".part.resume", "wb") as sidecar:
        sidecar.write(damage(text))
    refused(names, "does not record how far it got")


@LOCKED
def test_verifier_watches_in_front_of_the_journal(names):
    """The verifier checks a result before the journal sees it, so a wrong result is neither written nor counted."""
    with pytest.raises(VerifyError), InputFile(names[0]) as source, OutputFile(names[1], source) as output:
        journal = Journal.begin(output, source, parameters(), iv=IV, record_bytes=UNIT, ticket=7)
        with journal:
            reader, writer = Verifier(KEY, IV).watch(*journal.watch(source, output))
            writer.write(encrypted(reader.read(UNIT)))
            reader.read(UNIT)
            writer.write(bytes(UNIT))
    assert resume(names)[0] == UNIT
