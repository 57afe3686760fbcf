"""How a command to the accelerator ended: the codes of the field `error` of its status register."""

from enum import IntEnum


class Error(IntEnum):
    """Result of the last command; `describe` gives its meaning for reference pages."""

    NONE = 0
    NO_KEY = 1
    KEY_LENGTH = 2
    UNALIGNED = 3
    BAD_ADDRESS = 4
    OVERLAP = 5
    BUS_ERROR = 6
    BUS_TIMEOUT = 7
    ABORTED = 8

    def describe(self) -> str:
        """One sentence on what happened."""
        return _DESCRIPTIONS[self]


ERROR_BITS = 4

_DESCRIPTIONS = {
    Error.NONE: "The command was carried out.",
    Error.NO_KEY: "start without a key: nothing was done.",
    Error.KEY_LENGTH: "load_key with an invalid key_length: nothing was done, the key before it stays.",
    Error.UNALIGNED: "source or destination is not a multiple of 16: nothing was done.",
    Error.BAD_ADDRESS: "The source or destination buffer is not wholly inside one allowed region: nothing was done.",
    Error.OVERLAP: "destination lies inside the source buffer, behind its first byte: nothing was done.",
    Error.BUS_ERROR: "The bus answered an access with an error: the run ended there, the output is incomplete.",
    Error.BUS_TIMEOUT: "The bus did not answer an access in time: the run ended there, the output is incomplete.",
    Error.ABORTED: "abort or zeroize ended the run: the output is incomplete.",
}
