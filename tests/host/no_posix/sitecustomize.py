# SPDX-License-Identifier: BSD-2-Clause
"""If this folder is on PYTHONPATH, Python cannot import modules that only POSIX has; tests of the host must still pass.

Programs that these tests start use this file too, in whatever folder they run.
"""

import os
import sys

sys.modules.update(dict.fromkeys(("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")))
os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)))
