"""A program of its own: makes the folder of a simulator, and becomes the simulator in it.

The simulator deletes the folder once it has read it. So nothing is left although whoever started this is killed at
any instant. Its words are the folder to make, the one with the simulator's files, the program's path in that, and the
text of the simulator's configuration.
"""

import os
import sys

CONFIG = "sim_config.js"


def main(folder: str, gateware: str, program: str, config: str) -> None:
    """Become the simulator, in a `folder` with links to the files in `gateware` and its own `config`.

    Raises:
        OSError: that is not possible; the folder is gone again.
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
