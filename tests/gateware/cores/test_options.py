# SPDX-License-Identifier: BSD-2-Clause
"""Test that the core generator rejects a wrong option value with one line that names the nearest valid value."""

import pytest

from gateware.cores.__main__ import main

WRONG = [
    ("aess", "core=aess: choose ", "the nearest is aes"),
    ("aes datapath=33", "datapath=33: choose 32, 64, 128, pipelined", "the nearest is 32"),
    ("aes sbox=tabel", "sbox=tabel", "the nearest is table"),
    ("ctr bus=axi", "bus=axi: choose ", "the nearest is axi-stream"),
    ("aes key-length=128", "unknown option key-length", "the nearest is key_lengths"),
    ("aes key_lengths=128,129", "key_lengths=129", "the nearest is 128"),
    ("aes slots=99", "slots=99: give 1 to 32", "the nearest is 32"),
    ("aes slots=many", "slots=many", "give an integer from 1 to 32"),
    ("aes datapath=pipelined engines=2", "engines=2: the pipelined core", "the nearest is 1"),
    ("aes stages=2", "stages=2: only datapath=pipelined", "the nearest is 0"),
    ("aes datapath=pipelined stages=3", "stages=3: S-box table takes 1 to 2", "the nearest is 2"),
    ("aes name=byte", "name=byte: this is a keyword", "the nearest is byte_core"),
    ("aes name=a__b", "name=a__b", "the nearest is a_b"),
    ("aes name=../up", "name=../up", "the nearest is up"),
    ("ghash cycles=3", "cycles=3: choose 1, 2, 4, 8, 16", "the nearest is 2"),
    ("cfu name=other", "name=other: cfu always has the name Cfu", ""),
    ("cfu memory=0x1000", "memory=0x1000: give ORIGIN:BYTES", ""),
    ("cfu memory=0x1000:0x1800", "memory=0x1000:0x1800", "the nearest is 0x0:0x2000"),
    ("datapath=32", "give one core", "choose aes"),
]


@pytest.mark.parametrize(("arguments", "begin", "end"), WRONG, ids=[each[0] for each in WRONG])
def test_wrong_values_are_refused_in_one_line(arguments, begin, end, tmp_path, capsys):
    assert main([*arguments.split(), f"out={tmp_path / 'cores'}"]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == 1
    assert printed.err.startswith(f"cores: error: {begin}") and end in printed.err
    assert not (tmp_path / "cores").exists()


def test_a_file_lists_cores(tmp_path):
    file = tmp_path / "cores.yml"
    file.write_text("little:\n  core: ghash\n  cycles: 16\n  bus: axi-stream\n")
    assert main([f"file={file}", f"out={tmp_path / 'cores'}"]) == 0
    text = (tmp_path / "cores" / "little" / "little.v").read_text()
    assert "module little (" in text and "cycles=16 cells=portable bus=axi-stream" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("good:\n  core: ghash\nbad:\n  core: ghash\n  cycles: 5\n", "bad: cycles=5"),
        ("good:\n  core: ghash\nbad:\n  cycles: 4\n", "bad needs core: aes|"),
        ("- aes\n", "give names of cores"),
        ("a: [\n", "parsing"),
        ("", "give names of cores"),
    ],
)
def test_a_wrong_file_makes_nothing(content, message, tmp_path, capsys):
    file = tmp_path / "cores.yml"
    file.write_text(content)
    assert main([f"file={file}", f"out={tmp_path / 'cores'}"]) == 2
    error = capsys.readouterr().err
    assert str(file) in error and message in error and error.count("\n") == 1
    assert not (tmp_path / "cores").exists()


def test_help_lists_every_kind(capsys):
    assert main(["help"]) == 0
    printed = capsys.readouterr().out
    assert all(f"\n{name}: " in printed for name in ("aes", "ctr", "gcm", "ghash", "macsec", "accelerator", "cfu"))
    assert "datapath=32|64|128|pipelined" in printed
