# SPDX-License-Identifier: BSD-2-Clause
"""Test the program that checks all variants of the cores: the program's totals, exit status and time limit."""

import pytest

from tests.gateware.cores import made, matrix


@pytest.fixture
def two_members(monkeypatch, tmp_path):
    monkeypatch.setattr(matrix, "FOLDER", tmp_path)
    monkeypatch.setattr(matrix, "members", lambda: [{"core": "ghash", "cycles": cycles} for cycles in (8, 16)])


def test_totals_count_the_members_that_passed(two_members, monkeypatch, capsys):
    monkeypatch.setitem(matrix.TOOLS, "icarus", lambda folder, name: (int("16" in name), "wrong item"))
    assert matrix.main(["icarus"]) == 1
    printed = capsys.readouterr().out
    assert "icarus: 001 cipherlane_ghash_cycles16: failed: wrong item\n" in printed
    assert printed.endswith("icarus: 1 of 2 members passed\n")


def test_a_second_run_repeats_only_what_failed(two_members, monkeypatch, capsys):
    monkeypatch.setitem(matrix.TOOLS, "icarus", lambda folder, name: (int("16" in name), "wrong item"))
    matrix.main(["icarus"])
    monkeypatch.setitem(matrix.TOOLS, "icarus", lambda folder, name: (int("16" not in name), "repeated"))
    capsys.readouterr()
    assert matrix.main(["icarus"]) == 0
    printed = capsys.readouterr().out
    assert "icarus passed before" in printed and printed.endswith("icarus: 2 of 2 members passed\n")


def test_a_command_that_hangs_fails_with_its_limit(monkeypatch, tmp_path):
    monkeypatch.setattr(made, "HANG_S", 1)
    assert made.run(["sh", "-c", "sleep 1000 & sleep 1000"], tmp_path) == (124, "sh had not ended after 1 s")
