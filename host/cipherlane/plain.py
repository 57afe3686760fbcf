"""Text of others, made harmless: file names, what devices, boards and coordinators say, exceptions of libraries."""


def plain(text: str, keep: str = "") -> str:
    r"""Return text that prints as it stands: it moves no cursor, sets no colour and reverses no order of letters.

    What is not printable becomes its escape as in Python: \x1b for the escape character, \u202e for a bidirectional
    override, \n for the end of a line, \udcff for the byte 255 of a file name that is no text. Everything that the tool
    shows on a terminal passes through here.

    Args:
        text: whatever was received.
        keep: characters that stay as they are, such as line ends between lines of the tool's own.
    """
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in keep else each.encode("unicode_escape").decode("ascii") for each in text
    )
