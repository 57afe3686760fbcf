# SPDX-License-Identifier: BSD-2-Clause
import struct
import subprocess
import sys

import pytest
from cipherlane.errors import VersionMismatchError
from cipherlane.protocol import records
from cipherlane_base.wire import layout, reference

from tests.waiting import HANG_S

from . import blocks, model


def test_header_is_word_sized_and_aligned():
    assert layout.HEADER.size == 24 == model.HEADER.size
    at = 0
    for field in layout.HEADER.fields:
        assert at % field.size == 0, field.name
        at += field.size


def test_layout_sizes_match_their_structs():
    formats = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "bytes8": "8s", "bytes16": "16s", "bytes32": "32s"}
    for record in model.WIRE["record"]:
        for side, layouts in (("request", layout.REQUESTS), ("reply", layout.REPLIES)):
            if record[side] == "data":
                assert record["code"] not in layouts
                continue
            size = struct.calcsize("<" + "".join(formats[field["type"]] for field in record[side]))
            assert layouts[record["code"]].size == size
            assert size % 4 == 0, (record["name"], side)


def test_constants_come_from_the_definition():
    assert {item.name.lower(): item.value for item in layout.RecordType} == model.CODES
    assert {item.name.lower(): item.value for item in layout.ErrorCode} == blocks.ERRORS
    assert {item.name.lower(): item.value for item in layout.Engine} == model.ENGINES


def test_record_encoding_is_the_models():
    record = records.Record(layout.RecordType.DATA, 0x01020304, 0x1000, 0x1122334455667788, b"abc")
    raw = record.encode()
    assert raw == model.HEADER.pack(layout.VERSION, 3, 3, 0x01020304, 0x1000, 0x1122334455667788) + b"abc"
    assert records.decode(raw) == record


def test_decode_refuses_wrong_sizes_and_versions():
    raw = records.Record(1, data=b"12345678").encode()
    for bad in (b"", raw[:1], raw[:23], raw[:-1], raw + b"x"):
        with pytest.raises(ValueError, match=r"length|shorter"):
            records.decode(bad)
    with pytest.raises(VersionMismatchError, match=r"version 3.*version 9") as caught:
        records.decode(b"\x09" + raw[1:])
    assert (caught.value.host, caught.value.board) == (3, 9)


def test_pack_needs_every_field():
    with pytest.raises(TypeError):
        layout.REQUESTS[layout.RecordType.OPEN].pack(key_bits=128)


def test_reference_page_is_current():
    command = [sys.executable, "-m", "cipherlane_base.wire.reference", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr


def test_stale_reference_page_is_noticed(tmp_path, monkeypatch, capsys):
    page = tmp_path / "README.md"
    monkeypatch.setattr(reference, "PAGE", page)
    assert reference.main(["--check"]) == 1
    assert "stale" in capsys.readouterr().err
    assert reference.main([]) == 0
    assert reference.main(["--check"]) == 0
    page.write_text(page.read_text(encoding="utf-8") + "x", encoding="utf-8")
    assert reference.main(["--check"]) == 1


def test_traits_of_engines_and_other_codes_come_from_the_definition():
    wire = layout.load_wire()
    for engine in wire["engine"]:
        assert layout.Engine(engine["code"]).traits._asdict().items() <= engine.items()
    for codes, tables in ((layout.Kind, wire["kind"]), (layout.OpenFlag, wire["flag"]), (layout.Mode, wire["mode"])):
        assert {item.name.lower(): item.value for item in codes} == {table["name"]: table["code"] for table in tables}
    assert (wire["version"], wire["udp_port"]) == (layout.VERSION, layout.UDP_PORT)
