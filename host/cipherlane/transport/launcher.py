# SPDX-License-Identifier: BSD-2-Clause
"""A separate program that creates a folder for a simulator, and then replaces itself with the simulator (exec).

The simulator deletes the folder after reading it, so no files remain even if the starting process is killed at any
instant. The arguments are the folder to create, the folder with the simulator's files, the path of the program inside
that folder, and the text of the simulator's configuration.
"""

import os
import sys

CONFIG = "sim_config.js"


def main(folder: str, gateware: str, program: str, config: str) -> None:
    """Create `folder`, with links to the files in `gateware` and a new file with the text `config`. Then execute
    `program` in this folder.

    Raises:
        OSError: that is not possible; the folder is deleted again.
    """
    os.umask(0o077)
    os.mkdir(folder)
    os.chdir(folder)
    try:
        for name in os.listdir(gateware):
            if name != CONFIG:
                os.symlink(os.path.join(gateware, name), name)
        with open(CONFIG, "x", encoding="utf-8") as file:
            file.write(config)
        path = os.path.join(folder, program)
        os.execv(path, [path])
    except BaseException:
        for name in os.listdir():
            os.unlink(name)
        os.rmdir(folder)
        raise


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as failure:
        sys.exit(f"{failure.filename or sys.argv[3]}: {failure.strerror}")
