import io
import os
import random

import pytest
from cipherlane.errors import FileError, VerifyError
from cipherlane.files import OVERLAP, InputFile, OutputFile
from cipherlane.oracle import Verifier

DATA = random.Random(1).randbytes(2003)


@pytest.mark.parametrize("kept", [0, 1, 15, 16, 17, 255, 256, 257, 272, 1024, 2002, 2003])
def test_resume_goes_on_from_any_length(tmp_path, kept):
    out, part = tmp_path / "out", tmp_path / "out.part"
    part.write_bytes(DATA[:kept])
    with OutputFile(str(out), resume=True) as output:
        assert output.start % 16 == 0
        assert kept // 16 * 16 - output.start == min(OVERLAP, kept // 16 * 16)
        for at in range(output.start, len(DATA), 100):
            output.write(DATA[at : at + 100])
        assert not out.exists()
        output.commit()
    assert out.read_bytes() == DATA and not part.exists()


def test_output_has_its_name_only_when_committed(tmp_path):
    out = tmp_path / "out"
    out.write_bytes(b"earlier")
    with OutputFile(str(out)) as output:
        output.write(DATA)
    assert out.read_bytes() == b"earlier" and (tmp_path / "out.part").read_bytes() == DATA


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full to have a full device")
def test_full_device_is_reported(tmp_path):
    with pytest.raises(FileError, match=r"cannot (write|complete) .*No space left"), OutputFile("/dev/full") as output:
        output.write(bytes(1 << 16))
        output.commit()


def test_input_knows_its_size_and_skips(tmp_path):
    path = tmp_path / "in"
    path.write_bytes(DATA)
    with InputFile(str(path)) as source:
        assert source.size == len(DATA)
        source.skip(1600)
        assert source.read(5000) == DATA[1600:]
    with InputFile(str(path)) as source, pytest.raises(FileError, match="input ends before byte 2016"):
        source.skip(2016)


def test_verifier_notices_wrong_and_missing_bytes():
    class Sink:
        def write(self, data):
            pass

    def verifier():
        result = Verifier(bytes(16), b"\xff" * 16, offset=32)
        reader, writer = result.watch(io.BytesIO(bytes(48)), Sink())
        return result, reader, writer

    # AES-128 of counter blocks 1, 2, 3 under the zero key: counter 2^128 - 1 + 2 wraps to 1.
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
