"""On PYTHONPATH, this keeps Python from importing modules that only POSIX systems have. Host tests must still pass.

Programs started from these tests find it, too, in whatever folder they run.
"""

import os
import sys

sys.modules.update(dict.fromkeys(("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")))
os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)))
