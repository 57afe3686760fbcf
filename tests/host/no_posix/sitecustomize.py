"""On PYTHONPATH, keeps Python from importing what POSIX systems alone have: host tests must pass all the same.

Programs that are started from there, in whatever folder, find it too.
"""

import os
import sys

sys.modules.update(dict.fromkeys(("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")))
os.environ["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, os.environ["PYTHONPATH"].split(os.pathsep)))
