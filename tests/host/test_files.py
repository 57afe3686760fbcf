# SPDX-License-Identifier: BSD-2-Clause
import io
import os
import random
import stat
import subprocess
import sys
import threading

import pytest
from cipherlane.errors import ExistsError, FileError, VerifyError
from cipherlane.files import private
from cipherlane.files.inputs import InputFile
from cipherlane.files.output import OutputFile
from cipherlane.measuring.oracle import Verifier

from tests.waiting import HANG_S

from .commands import LOCKED, ON_POSIX

DATA = random.Random(1).randbytes(2003)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(DATA)
    with InputFile(str(path)) as opened:
        yield opened


def link(path, target):
    """Make a symbolic link; skip the test if the system cannot make one."""
    try:
        path.symlink_to(target)
    except OSError as error:
        pytest.skip(f"no symbolic links here: {error.strerror}")
    if not path.is_symlink():
        pytest.skip("no symbolic links here")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def complete(path, source, **options):
    with OutputFile(str(path), source, **options) as output:
        output.write(DATA)
        output.commit()


def test_output_has_its_name_only_when_committed(tmp_path, source):
    out = tmp_path / "out"
    out.write_bytes(b"earlier")
    with OutputFile(str(out), source, replace=True) as output:
        output.write(DATA)
        assert out.read_bytes() == b"earlier"
        output.commit()
    assert out.read_bytes() == DATA
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_a_file_that_is_there_is_replaced_on_request_alone(tmp_path, source):
    out = tmp_path / "out"
    out.write_bytes(b"earlier")
    for resume in (False, True):
        with pytest.raises(ExistsError, match="out already exists: name another OUT, or replace it with --force"):
            OutputFile(str(out), source, resume)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]
    out.unlink()
    with OutputFile(str(out), source) as output:
        output.write(DATA)
        output.kept = 0
        out.write_bytes(b"of another program")
        with pytest.raises(FileError, match="was created by another program meanwhile"):
            output.commit()
    assert out.read_bytes() == b"of another program" and (tmp_path / "out.part").read_bytes() == DATA


def test_what_nobody_wants_to_go_on_with_is_removed(tmp_path, source):
    with OutputFile(str(tmp_path / "out"), source):
        assert (tmp_path / "out.part").exists() and (tmp_path / "out.part.resume").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("name", ["in", "link", "name"])
def test_the_input_is_never_the_output(tmp_path, source, name, replace):
    (tmp_path / "link").hardlink_to(tmp_path / "in")
    if name == "name":
        link(tmp_path / "name", "in")
    with pytest.raises(FileError, match="are the same file: name another OUT"):
        OutputFile(str(tmp_path / name), source, replace=replace)
    assert (tmp_path / "in").read_bytes() == DATA


@pytest.mark.parametrize("name", ["out.part", "out.part.resume"])
@pytest.mark.parametrize("resume", [False, True])
def test_the_input_is_never_where_the_output_is_kept(tmp_path, name, resume):
    path = tmp_path / name
    path.write_bytes(DATA)
    with InputFile(str(path)) as source, pytest.raises(FileError, match=r"which holds .* until it is complete"):
        OutputFile(str(tmp_path / "out"), source, resume)
    assert path.read_bytes() == DATA


def test_standard_input_and_output_are_compared_too(tmp_path):
    path = tmp_path / "both"
    path.write_bytes(DATA)
    program = (
        "from cipherlane.files.output import *; from cipherlane.files.inputs import *; OutputFile(%r, InputFile(%r))"
    )
    for output, name in (("-", "-"), ("-", str(path)), (str(path), "-")):
        with open(path, "r+b") as both:
            done = subprocess.run(
                [sys.executable, "-c", program % (output, name)],
                stdin=both,
                stdout=both,
                stderr=subprocess.PIPE,
                timeout=HANG_S,
            )
        assert b"are the same file" in done.stderr
    assert path.read_bytes() == DATA
    null = subprocess.run([sys.executable, "-c", program % (os.devnull, "-")], stdin=subprocess.DEVNULL, timeout=HANG_S)
    assert null.returncode == 0, "what holds nothing can be both"


@ON_POSIX
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o755, 0o200])
def test_output_keeps_its_mode_and_is_ours_alone_until_then(tmp_path, source, mode):
    out, old = tmp_path / "out", os.umask(0o022)
    try:
        out.touch()
        out.chmod(mode)
        with OutputFile(str(out), source, replace=True) as output:
            output.write(DATA)
            assert mode_of(output.part) == mode_of(output.sidecar) == 0o600
            output.commit()
        assert mode_of(out) == mode
        out.unlink()
        os.umask(0o027)
        complete(out, source)
        assert mode_of(out) == 0o640, "a new file has the usual mode"
    finally:
        os.umask(old)


def test_output_that_is_write_protected_is_refused(tmp_path, source):
    out = tmp_path / "out"
    out.write_bytes(b"earlier")
    out.chmod(0o444)
    with pytest.raises(FileError, match=r"write-protected; chmod u\+w"):
        OutputFile(str(out), source)
    assert out.read_bytes() == b"earlier" and mode_of(out) == 0o444


@pytest.mark.parametrize("resume", [False, pytest.param(True, marks=LOCKED)])
@pytest.mark.parametrize("name", ["out.part", "out.part.resume"])
def test_planted_links_are_not_followed(tmp_path, source, name, resume):
    victim, planted = tmp_path / "victim", tmp_path / name
    victim.write_bytes(b"of somebody else")
    if resume and name == "out.part.resume":
        (tmp_path / "out.part").write_bytes(DATA)
    for plant, reason in ((planted.hardlink_to, "another owner, name or kind"), (None, "symbolic link")):
        plant(victim) if plant else link(planted, victim)
        with pytest.raises(FileError, match=f"{name} .*{reason}.*delete it"):
            OutputFile(str(tmp_path / "out"), source, resume)
        assert victim.read_bytes() == b"of somebody else"
        planted.unlink()
        assert resume or not (tmp_path / "out.part").exists()
    link(planted, tmp_path / "made by following")
    with pytest.raises(FileError, match="symbolic link"):
        OutputFile(str(tmp_path / "out"), source, resume)
    assert not (tmp_path / "made by following").exists()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file to somebody else"
)
def test_another_user_s_beginning_is_refused(tmp_path, source):
    (tmp_path / "out.part").touch()
    os.chown(tmp_path / "out.part", 65534, 65534)
    with pytest.raises(FileError, match="another owner"):
        OutputFile(str(tmp_path / "out"), source)


@ON_POSIX
def test_links_as_output_are_replaced_and_pipes_are_not(tmp_path, source):
    target, out = tmp_path / "target", tmp_path / "out"
    target.write_bytes(b"left alone")
    target.chmod(0o600)
    out.symlink_to(target)
    complete(out, source, replace=True)
    assert target.read_bytes() == b"left alone" and out.read_bytes() == DATA and not out.is_symlink()
    assert mode_of(out) == 0o600
    with OutputFile("/dev/null", source) as output:
        assert output.part is None
        output.write(DATA)
        output.commit()
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@LOCKED
def test_of_two_runs_the_second_ends_at_once(tmp_path, source):
    out = tmp_path / "out"
    with OutputFile(str(out), source) as first:
        for resume in (False, True):
            with pytest.raises(FileError, match="another run of cipherlane is writing"):
                OutputFile(str(out), source, resume)
        first.write(DATA)
        first.commit()
    assert out.read_bytes() == DATA


@LOCKED
def test_a_beginning_is_not_thrown_away(tmp_path, source):
    part = tmp_path / "out.part"
    part.write_bytes(DATA[:100])
    with pytest.raises(FileError, match=r"holds an interrupted transfer: continue it with --resume, or delete"):
        OutputFile(str(tmp_path / "out"), source)
    assert part.read_bytes() == DATA[:100]
    part.write_bytes(b"")
    part.chmod(0o644)
    with OutputFile(str(tmp_path / "out"), source) as output:
        assert mode_of(part) == 0o600 or os.name != "posix", "one that holds nothing is taken over"
        output.write(DATA)
        output.commit()
    assert (tmp_path / "out").read_bytes() == DATA


def test_a_sidecar_that_is_none_of_ours_is_not_overwritten(tmp_path, source):
    sidecar = tmp_path / "out.part.resume"
    sidecar.write_bytes(b"a poem")
    with pytest.raises(FileError, match="not a file of cipherlane"):
        OutputFile(str(tmp_path / "out"), source)
    assert sidecar.read_bytes() == b"a poem"
    assert not (tmp_path / "out.part").exists()


def test_nothing_to_resume(tmp_path, source):
    with pytest.raises(FileError, match=r"there is no .*out\.part to resume: start without --resume"):
        OutputFile(str(tmp_path / "out"), source, resume=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in"]


@ON_POSIX
def test_a_part_that_was_replaced_is_not_committed(tmp_path, source):
    with OutputFile(str(tmp_path / "out"), source) as output:
        output.write(DATA)
        output.part.rename(tmp_path / "elsewhere")
        output.part.write_bytes(b"planted")
        with pytest.raises(FileError, match="another program moved or deleted"):
            output.commit()
    assert not (tmp_path / "out").exists()


def test_without_locks_a_new_run_works_and_resuming_is_refused(tmp_path, source, monkeypatch):
    monkeypatch.setattr(private, "fcntl", None)
    monkeypatch.setattr(private, "msvcrt", None)
    complete(tmp_path / "out", source)
    assert (tmp_path / "out").read_bytes() == DATA
    (tmp_path / "out.part").write_bytes(DATA)
    with pytest.raises(FileError, match="cannot be locked on this file system"):
        OutputFile(str(tmp_path / "out"), source, resume=True, replace=True)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full to have a full device")
def test_full_device_is_reported(source):
    with (
        pytest.raises(FileError, match=r"cannot write /dev/full: No space left on device: make room"),
        OutputFile("/dev/full", source) as output,
    ):
        output.write(bytes(1 << 16))


def test_a_file_that_may_not_grow_is_reported_and_kept_to_its_last_byte(tmp_path, source):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with OutputFile(str(tmp_path / "out"), source) as output:
        output.kept = 0
        resource.setrlimit(resource.RLIMIT_FSIZE, (1500, before[1]))
        try:
            with pytest.raises(FileError, match=r"cannot write .*out\.part: File too large"):
                output.write(DATA)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / "out.part").read_bytes() == DATA[:1500]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/self/mem, which cannot be read at 0")
def test_input_that_cannot_be_read_is_named():
    with pytest.raises(FileError, match=r"cannot read /proc/self/mem: .*disk"):
        InputFile("/proc/self/mem")  # this file is the process's memory: reading address 0 fails with EIO


def test_input_knows_its_size(tmp_path, source):
    assert source.size == len(DATA) and source.identity["inode"] == (tmp_path / "in").stat().st_ino
    assert source.read(5000) == DATA


@ON_POSIX
def test_what_a_pipe_has_is_read_at_once(tmp_path):
    """Reading from a pipe must return the bytes present, because waiting for a full buffer would delay records."""
    os.mkfifo(tmp_path / "pipe")
    descriptor = os.open(tmp_path / "pipe", os.O_RDWR)
    # If the read wrongly waits for a full buffer, this timer fills the pipe after 10 s, so that the read ends.
    late = threading.Timer(10, os.write, (descriptor, bytes(1 << 16)))
    late.start()
    with InputFile(str(tmp_path / "pipe")) as source:
        os.write(descriptor, DATA)
        assert source.read(1 << 16) == DATA
        late.cancel()
    late.join()
    os.close(descriptor)


def test_verifier_counts_from_the_beginning_of_the_stream():
    with pytest.raises(VerifyError, match="byte 3 differs"):
        # AES-128 of the zero block under the zero key begins with 66e94bd4.
        Verifier(bytes(16), bytes(16)).check(bytes(4), bytes.fromhex("66e94b00"))


def test_verifier_notices_wrong_and_missing_bytes():
    class Sink:
        def write(self, data):
            pass

    def verifier():
        result = Verifier(bytes(16), b"\xff" * 16, offset=32)
        reader, writer = result.watch(io.BytesIO(bytes(48)), Sink())
        return result, reader, writer

    # Keystream (AES-128) of counter blocks 1 and 2 under the zero key. The stream starts with block 2^128 - 1. Block 0
    # follows, so byte 32 of the stream is the first byte of block 1.
    keystream = bytes.fromhex("58e2fccefa7e3061367f1d57a4e7455a0388dace60b6a392f328c2b971b2fe78")
    check, reader, writer = verifier()
    reader.read(32)
    writer.write(keystream[:20])
    with pytest.raises(VerifyError, match="12 bytes from byte 52"):
        check.finish()
    writer.write(keystream[20:])
    check.finish()
    with pytest.raises(VerifyError, match="byte 64 differs"):
        writer.write(b"x")
    check, reader, writer = verifier()
    reader.read(32)
    with pytest.raises(VerifyError, match="byte 37 differs"):
        writer.write(keystream[:5] + bytes([keystream[5] ^ 1]) + keystream[6:])
    verifier()[0].check(bytes(20), keystream[:20])
