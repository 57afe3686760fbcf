"""On PYTHONPATH, keeps Python from importing what POSIX systems alone have: host tests must pass all the same."""

import sys

sys.modules.update(dict.fromkeys(("fcntl", "termios", "tty", "pty", "resource", "syslog")))
