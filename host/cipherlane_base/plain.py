# SPDX-License-Identifier: BSD-2-Clause
"""Makes untrusted text safe to print: file names, texts from boards, and messages from libraries."""


def plain(text: str, keep: str = "") -> str:
    r"""Return `text` with unprintable characters escaped, so that it cannot move the cursor, set colours or reorder
    letters.

    Unprintable characters become their Python escapes: \x1b for the escape character, \u202e for a bidirectional
    override, \n for a line end, \udcff for the byte 255 in a file name that is not valid text. Everything that the tool
    prints on a terminal passes through here.

    Args:
        text: the text received.
        keep: characters to leave unchanged, such as line ends between the tool's own lines.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each in keep else _escape(each) for each in text)


def _escape(character: str) -> str:
    """Return the Python escape of `character`. The code below uses no Python codec, because Python opens a file to load
    a codec. Opening a file fails if the process has no free file descriptor.
    """
    number = ord(character)
    if character in "\n\r\t":
        return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}[character]
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
