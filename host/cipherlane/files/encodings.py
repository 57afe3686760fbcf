# SPDX-License-Identifier: BSD-2-Clause
"""Recognises a text file that is not plain UTF-8: some editors and shells write other encodings."""

import codecs
import os
import shlex

_MARK = len(codecs.BOM_UTF8) + 1  # 1-based position of the first byte after a UTF-8 byte order mark, for `tail -c +N`

# Python opens a codec's file when the codec is first used. Later this can fail, for example if the process has reached
# its limit of open files. So load these codecs now.
for _name in ("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32"):
    codecs.lookup(_name)


def foreign(data: bytes) -> tuple[str, str]:
    """Return the reason why `data` are not plain ASCII or UTF-8, and the command that converts `data` to UTF-8. Return
    two empty texts if no conversion is needed.
    """
    if data.startswith(codecs.BOM_UTF8):
        return "begins with a byte-order mark", f"tail -c +{_MARK}"
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)) and _is_text(data, "utf-32"):
        return "is UTF-32", "iconv -f UTF-32 -t UTF-8"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) and _is_text(data, "utf-16"):
        return "is UTF-16, with a byte-order mark", "iconv -f UTF-16 -t UTF-8"
    for name in ("UTF-16LE", "UTF-16BE"):
        if b"\0" in data and _is_text(data, name):
            return "is UTF-16", f"iconv -f {name} -t UTF-8"
    return "", ""


def remedy(command: str, name: str) -> str:
    """Return advice: a shell line that converts the file `name` with `command` and writes the result to NAME.new.

    Only the user can read NAME.new.
    """
    if os.name != "posix":
        return ""
    return f": `(umask 077; {command} {shlex.quote(name)} > {shlex.quote(name + '.new')})` converts it to {name}.new"


def _is_text(data: bytes, name: str) -> bool:
    try:
        text = data.decode(name)
    except UnicodeDecodeError:
        return False
    return all(each.isprintable() or each.isspace() for each in text.removeprefix("\ufeff"))
