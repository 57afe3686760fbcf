# SPDX-License-Identifier: BSD-2-Clause
"""Python runs this file at its start if this folder is on PYTHONPATH. The file hides modules that only POSIX has.

The tests of the host tool must still pass without these modules.

Programs that these tests start run it, too, in whatever folder they are.
"""

import os
import sys

sys.modules.update(dict.fromkeys(("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")))
os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)))
