# SPDX-License-Identifier: BSD-2-Clause
"""Makes a folder that looks like the build of a simulated board. The program in this folder runs the model board."""

import json
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]

PROGRAM = """#!/bin/sh
grep SigIgn /proc/self/status
exec {python} - <<'END'
import json, os, pathlib, socket, sys, threading
sys.path.insert(0, {repository!r})
from tests.host.model import PeerBoard, SocketBoard
assert pathlib.Path("memory.init").is_symlink() and pathlib.Path("memory.init").read_text() == "words"
modules = json.loads(pathlib.Path("sim_config.js").read_text())
arguments = next(module["args"] for module in modules if module["module"] == "loopback_uart")
assert arguments["port"] == "0", "a string, as in the build"
tether = socket.socket(fileno=int(arguments["tether"]))
folder = pathlib.Path.cwd()
for file in folder.iterdir():
    file.unlink()
folder.rmdir()
threading.Thread(target=lambda: (tether.recv(1), os._exit(0)), daemon=True).start()
print("model peer listens", flush=True)
board = PeerBoard(kind=1)
tell = tether.sendall
{extra}
served = SocketBoard(board)
tell(served.url.rpartition(":")[2].encode() + b"\\n")
served.run()
END
"""


def make_build(directory, program=None, extra=""):
    """Create the files that `make sim` creates. The executable is the script `program`; by default, it is a script that
    runs the model board.
    """
    gateware = directory / "gateware"
    (gateware / "obj_dir").mkdir(parents=True)
    (gateware / "memory.init").write_text("words")
    modules = [{"module": "clocker", "args": {}}, {"module": "loopback_uart", "args": {"port": "1234"}}]
    (gateware / "sim_config.js").write_text(json.dumps(modules))
    (directory / "board.json").write_text(
        json.dumps({"name": "sim", "gateware": "gateware", "executable": "obj_dir/Vsim", "clock_hz": 75000000})
    )
    executable = gateware / "obj_dir" / "Vsim"
    executable.write_text(program or PROGRAM.format(python=sys.executable, repository=str(REPOSITORY), extra=extra))
    executable.chmod(0o755)
    return directory
