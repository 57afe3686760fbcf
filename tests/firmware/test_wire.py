# SPDX-License-Identifier: BSD-2-Clause
"""Compares the generated C header of the record format with the layout, which this test computes independently."""

import subprocess
import tomllib

import pytest

from gateware.codegen import wire
from tests.firmware.core_peer import WIRE_TOML
from tests.waiting import HANG_S

SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "bytes8": 8, "bytes16": 16, "bytes32": 32}


def layouts(definition):
    yield "header", definition["header"]["fields"]
    yield "error_reply", definition["error"]["fields"]
    for record in definition["record"]:
        for part in ("request", "reply"):
            if record[part] and record[part] != "data":
                yield f"{record['name']}_{part}", record[part]


def test_header_states_every_code_size_and_offset(tmp_path):
    definition = tomllib.loads(WIRE_TOML.read_text())
    (tmp_path / "cl_wire.h").write_text(wire.render(WIRE_TOML))
    equal = [("CL_WIRE_VERSION", definition["version"]), ("CL_WIRE_TYPE_ERROR", definition["error"]["code"])]
    lists = {"record": "TYPE", "error_code": "ERROR", "kind": "KIND", "flag": "FLAG", "engine": "ENGINE"}
    for list_name, prefix in lists.items():
        equal += [(f"CL_WIRE_{prefix}_{item['name'].upper()}", item["code"]) for item in definition[list_name]]
    for name, fields in layouts(definition):
        offset = 0
        for field in fields:
            equal.append((f"CL_WIRE_{name.upper()}_{field['name'].upper()}", offset))
            equal.append((f"sizeof(((struct cl_wire_{name} *)0)->{field['name']})", SIZES[field["type"]]))
            offset += SIZES[field["type"]]
        equal.append((f"CL_WIRE_{name.upper()}_SIZE", offset))
    asserts = [f'_Static_assert({left} == {right}, "{left}");'.replace('"sizeof', '"size of') for left, right in equal]
    assert len(asserts) > 100
    source = tmp_path / "check.c"
    source.write_text('#include "cl_wire.h"\n' + "\n".join(asserts) + "\n")
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror", "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert done.returncode == 0, done.stderr


def test_rendering_is_reproducible():
    assert wire.render(WIRE_TOML) == wire.render(str(WIRE_TOML))


def test_header_is_fit_for_hardware():
    offset = 0
    for field in tomllib.loads(WIRE_TOML.read_text())["header"]["fields"]:
        assert offset % SIZES[field["type"]] == 0
        offset += SIZES[field["type"]]
    assert offset % 4 == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type = "u64"', 'type = "u65"', "u65"),
        ('name = "token"', 'name = "to ken"', "to ken"),
        ('name = "kind", type = "u8"', 'name = "kind", type = "u16"', "info_reply: max_data is not aligned"),
        ('name = "info"\ncode = 0x01', 'name = "info"\ncode = 0x02', "twice"),
    ],
)
def test_mistakes_in_the_definition_are_named(tmp_path, old, new, message):
    text = WIRE_TOML.read_text()
    assert old in text
    (tmp_path / "wire.toml").write_text(text.replace(old, new))
    with pytest.raises(wire.WireDefinitionError, match=message):
        wire.render(tmp_path / "wire.toml")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rank = 8\n", "rank = 7\n", "ranks are not 1, 2, 3"),
        ("serves = true\n", "", "engine fastpath: serves is missing"),
        ('name = "sim"\ncode = 1', 'name = "sim"\ncode = 2', "Kind: a code is given twice"),
        ('name = "zkn"', 'name = "Zkn"', "'Zkn' is no identifier"),
    ],
)
def test_mistakes_in_codes_and_traits_are_named(tmp_path, old, new, message):
    text = WIRE_TOML.read_text()
    assert text.count(old) == 1
    path = tmp_path / "wire.toml"
    path.write_text(text.replace(old, new))
    with pytest.raises(wire.WireDefinitionError, match=message):
        wire.render_codes(path)


def test_stale_codes_are_noticed_and_written_anew(tmp_path, monkeypatch, capsys):
    module = tmp_path / "codes.py"
    monkeypatch.setattr(wire, "CODES", module)
    assert wire.main(["--check"]) == 1
    assert "codes.py is stale: run `make pages`" in capsys.readouterr().err
    assert wire.main([]) == 0
    assert wire.main(["--check"]) == 0
    module.write_text(module.read_text().replace("ISE = 2", "ISE = 9"))
    assert wire.main(["--check"]) == 1


def test_the_codes_that_are_kept_are_current():
    assert wire.main(["--check"]) == 0
