# SPDX-License-Identifier: BSD-2-Clause
"""Results of descriptors and key commands: codes in the error fields of the accelerator's registers."""

from enum import IntEnum


class Error(IntEnum):
    """Result of a descriptor or of a key command."""

    NONE = 0
    NO_KEY = 1
    KEY_LENGTH = 2
    WIDTH = 3
    BAD_ADDRESS = 4
    OVERLAP = 5
    BUS_ERROR = 6
    BUS_TIMEOUT = 7
    ABORTED = 8
    TAG = 9
    LENGTH = 10

    def describe(self) -> str:
        """Return a sentence that explains this result, for reference pages."""
        return _DESCRIPTIONS[self]


ERROR_BITS = 4

_DESCRIPTIONS = {
    Error.NONE: "Success.",
    Error.NO_KEY: "The slot holds no key, or there is no such slot: nothing was done.",
    Error.KEY_LENGTH: "load_key had an invalid key_length: the slot keeps its previous key.",
    Error.WIDTH: "The width of the counter is invalid: nothing was done.",
    Error.BAD_ADDRESS: (
        "The source or destination buffer is not completely inside one allowed region: nothing was done."
    ),
    Error.OVERLAP: "destination lies inside the source buffer, after its first byte: nothing was done.",
    Error.BUS_ERROR: "The bus answered an access with an error: the output is incomplete.",
    Error.BUS_TIMEOUT: "The bus did not answer an access in time: the output is incomplete.",
    Error.ABORTED: "abort or zeroize ended the descriptor: the output is incomplete.",
    Error.TAG: "The tag of a GCM message is wrong: nothing was written.",
    Error.LENGTH: (
        "A GCM message has an invalid length of tag or IV, or too much text for mode decrypt: nothing was done."
    ),
}
