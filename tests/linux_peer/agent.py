#!/usr/bin/python3 -I
# SPDX-License-Identifier: BSD-2-Clause
"""The init process of user-mode Linux: loads modules, then runs the commands that it reads from the console.

A command is a line of JSON: ``{"run": [program, ...], "timeout": seconds}``. The answer is a line that begins with
`ANSWER` and has ``{"status": exit status or null, "output": text}``. The file system is the machine's own, read-only.
"""

import ctypes
import json
import os
import subprocess
import sys

FINIT_MODULE = 313  # system call on x86-64
POWER_OFF = 0x4321FEDC
# Kernel modules, in the order in which they are loaded. The module gcm needs random numbers, so the modules of the
# random number generator come before it.
MODULES = (
    "hmac",
    "sha512_generic",
    "sha3_generic",
    "drbg",
    "jitterentropy_rng",
    "gf128mul",
    "ghash-generic",
    "ctr",
    "gcm",
)
LIBC = ctypes.CDLL(None, use_errno=True)


def require(status: int, action: str) -> None:
    """Print why an action failed, if its status is not 0."""
    if status:
        print(f"{action}: {os.strerror(ctypes.get_errno())}", flush=True)


def main() -> None:
    """Run commands from the console until the console closes, then switch the machine off."""
    for kind, place in (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run"), ("tmpfs", "/tmp")):
        require(LIBC.mount(kind.encode(), place.encode(), kind.encode(), 0, None), f"mount {place}")
    os.environ.update(PATH="/usr/sbin:/usr/bin:/sbin:/bin", HOME="/tmp", LANG="C.UTF-8")
    folder = f"/usr/lib/uml/modules/{os.uname().release}/kernel"
    for module in (*(f"crypto/{name}" for name in MODULES), "drivers/net/macsec"):
        with open(f"{folder}/{module}.ko", "rb") as file:
            require(LIBC.syscall(FINIT_MODULE, file.fileno(), b"", 0), f"load {module}")
    print("READY", flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        try:
            result = subprocess.run(
                command["run"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=command["timeout"],
                check=False,
            )
            answer = {"status": result.returncode, "output": result.stdout.decode(errors="replace")}
        except (OSError, subprocess.TimeoutExpired) as error:
            answer = {"status": None, "output": str(error)}
        print("ANSWER " + json.dumps(answer), flush=True)
    os.sync()
    LIBC.reboot(POWER_OFF)


if __name__ == "__main__":
    main()
