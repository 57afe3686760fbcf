# SPDX-License-Identifier: BSD-2-Clause
"""Test that a simulated board refuses to start wrong programs; `tests.firmware` tests that it runs valid ones."""

import pytest

from gateware.flow import emulator


@pytest.mark.parametrize(
    ("board", "size", "built", "message"),
    [
        ("cipherlane_sim", 4, False, "run `make zephyr BOARD=sim CONFIG=zephyr`"),
        ("cipherlane_sim_eth", 4, False, "run `make zephyr BOARD=sim CONFIG=eth_zephyr`"),
        ("cipherlane_sim_sdram", 4, False, "run `make zephyr BOARD=sim CONFIG=sdram_zephyr`"),
        ("cipherlane_sim", None, True, "no image"),
        ("cipherlane_sim", 128 * 1024 + 1, True, "larger than the ROM, 131072 bytes"),
    ],
)
def test_what_cannot_be_started_is_said(tmp_path, monkeypatch, capsys, board, size, built, message):
    monkeypatch.setattr(emulator, "REPOSITORY", tmp_path)
    if built:
        (tmp_path / "build" / "sim_zephyr").mkdir(parents=True)
        (tmp_path / "build" / "sim_zephyr" / "board.json").write_text("{}")
    image = tmp_path / "zephyr.bin"
    if size is not None:
        image.write_bytes(bytes(size))
    monkeypatch.setattr("sys.argv", ["emulator", board, str(image)])
    assert emulator.main() == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ") and error.count("\n") == 1 and message in error
    assert not (tmp_path / "simulated").exists()
