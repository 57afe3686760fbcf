# SPDX-License-Identifier: BSD-2-Clause
"""Uses AES from the Python package `cryptography` to check a running transfer, and to read authenticated files. The
package is installed with the extra `verify`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cipherlane_base.wire.layout import BLOCK

from ..errors import TamperedError, VerifyError
from ..files.authenticated import TAG_BYTES, Header, check_size
from ..link.counterblocks import block_after
from ..link.transfer import Reader, Writer

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import CipherContext


_MISSING = "--verify and --port none need the package cryptography: pip install 'cipherlane[verify]'"


class Verifier:
    """Checks the data of an AES-CTR transfer: encrypts the input with the package `cryptography`, and compares the
    board's results with this reference.
    """

    def __init__(self, key: bytes, iv: bytes, offset: int = 0, cut: Callable[[bytes, int], bytes] | None = None):
        """Check the encryption or decryption of an AES-CTR stream from byte `offset` on. `offset` is a multiple of 16.

        `cut`, if given, changes the expected data at an offset to what the transfer is to write.

        Raises:
            VerifyError: the package is not installed.
        """
        self._stream = _stream(key, iv, offset)
        self._expected = bytearray()
        self._position = self._noted = offset
        self._cut = cut

    def watch(self, reader: Reader, writer: Writer) -> tuple[Reader, Writer]:
        """Return a reader and a writer that pass on all data, and also give all data to this verifier."""
        return _WatchedReader(self, reader), _WatchedWriter(self, writer)

    def note(self, data: bytes) -> None:
        """Encrypt `data` with the package `cryptography`, and store the result. The board receives the same data."""
        result = self._stream.update(data)
        self._expected += self._cut(result, self._noted) if self._cut else result
        self._noted += len(data)

    def compare(self, data: bytes) -> None:
        """Compare `data`, which are the next results from the board, with the stored results of `cryptography`.

        Raises:
            VerifyError: they differ from the reference.
        """
        expected = bytes(self._expected[: len(data)])
        if data != expected:
            at = next((i for i, (a, b) in enumerate(zip(data, expected, strict=False)) if a != b), len(expected))
            raise VerifyError(f"byte {self._position + at} differs from the reference: do not use this result")
        del self._expected[: len(data)]
        self._position += len(data)

    def check(self, data: bytes, result: bytes) -> None:
        """Check `result`, which the board returned for the input `data`.

        Raises:
            VerifyError: the result differs from the reference.
        """
        self.note(data)
        self.compare(result)

    def finish(self) -> None:
        """Check that the board has returned results for all data that were sent.

        Raises:
            VerifyError: results are missing.
        """
        if self._expected:
            raise VerifyError(f"{len(self._expected)} bytes from byte {self._position} on were never written")


class Gcm:
    """Encrypts and decrypts records of an authenticated file."""

    def __init__(self, key: bytes, header: Header):
        """Encrypt and decrypt records of the file with this `header`.

        Raises:
            VerifyError: the package is not installed.
        """
        try:
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        except ImportError as error:
            raise VerifyError(_MISSING) from error
        self._cipher = AESGCM(key)
        self._header, self._encoded = header, header.encode()

    def encrypted(self, number: int, data: bytes, last: bool) -> bytes:
        """Return `data` encrypted as record `number`, with its tag at the end."""
        return self._cipher.encrypt(self._header.nonce(number, last), data, self._encoded)

    def records(self, plaintext: bytes) -> bytes:
        """Encrypt `plaintext` as an authenticated file; return the file's content without the header."""
        size = self._header.record_bytes
        offsets = range(0, max(1, len(plaintext)), size)
        parts = [plaintext[offset : offset + size] for offset in offsets]
        return b"".join(self.encrypted(number, part, number == len(parts) - 1) for number, part in enumerate(parts))

    def decrypted(self, number: int, data: bytes | memoryview, last: bool) -> bytes:
        """Return the plaintext of record `number`; `data` ends with its tag.

        Raises:
            TamperedError: the tag is wrong.
        """
        from cryptography.exceptions import InvalidTag

        check_size(number, len(data))
        try:
            return self._cipher.decrypt(self._header.nonce(number, last), data, self._encoded)
        except InvalidTag as error:
            raise TamperedError.of_record(number) from error


class GcmVerifier:
    """Observes a GCM transfer: computes each record with `cryptography`, and compares it with the board's record."""

    def __init__(self, key: bytes, header: Header, direction: str, number: int = 0):
        """Check the stream with this `header` from record `number` on.

        Raises:
            VerifyError: the package is not installed.
        """
        gcm, self._decrypts = Gcm(key, header), direction == "decrypt"
        self._result = gcm.decrypted if self._decrypts else gcm.encrypted
        self._size = header.record_bytes + (TAG_BYTES if self._decrypts else 0)
        self._noted = bytearray()
        self._number = number

    def watch(self, reader: Reader, writer: Writer) -> tuple[Reader, Writer]:
        """Return a reader and a writer that pass on all data, and also give all data to this verifier."""
        return _WatchedReader(self, reader), _WatchedWriter(self, writer)

    def note(self, data: bytes) -> None:
        """Store `data`, which the board also receives, for a later comparison."""
        self._noted += data

    def compare(self, data: bytes) -> None:
        """Compare `data`, whole records from the board, with the results of the package `cryptography`.

        A record is the last one if no more input was read, because the transfer reads ahead.

        Raises:
            VerifyError: they differ from the reference.
        """
        while data:
            data = self._compare(data, len(self._noted) <= self._size)

    def check(self, data: bytes, result: bytes) -> None:
        """Check `result`, which the board returned for `data`. Both are whole records, without the stream's last
        record.

        Raises:
            VerifyError: the result differs from the reference.
        """
        self.note(data)
        while result:
            result = self._compare(result, False)

    def finish(self) -> None:
        """Check that the board has returned results for all data that were sent.

        Raises:
            VerifyError: results are missing.
        """
        if self._noted and (not self._decrypts or self._compare(b"", True)):
            raise VerifyError(f"{len(self._noted)} bytes from record {self._number} on were never written")

    def _compare(self, data: bytes, last: bool) -> bytes:
        """Compare the first record in `data` with the reference; return the `data` after this record."""
        number, noted = self._number, bytes(self._noted[: self._size])
        try:
            expected = self._result(number, noted, last)
        except TamperedError as error:
            raise VerifyError(f"the board released record {number}, but its tag is wrong: do not use it") from error
        if data[: len(expected)] != expected:
            raise VerifyError(f"record {number} differs from the reference: do not use this result")
        del self._noted[: self._size]
        self._number += 1
        return data[len(expected) :]


def encrypted(key: bytes, iv: bytes, data: bytes) -> bytes:
    """Return `data` encrypted or decrypted with AES-CTR, starting at the initial counter block `iv`.

    Raises:
        VerifyError: the package is not installed.
    """
    return _stream(key, iv, 0).update(data)


def stream(key: bytes, iv: bytes) -> Callable[[bytes], bytes]:
    """Return a function that encrypts or decrypts successive parts of a stream with AES-CTR from `iv` on.

    Raises:
        VerifyError: the package is not installed.
    """
    return _stream(key, iv, 0).update


def encrypted_ecb(key: bytes, data: bytes) -> bytes:
    """Return `data` encrypted with AES-ECB; `data` consists of whole blocks. Equal blocks get equal ciphertexts.

    Raises:
        VerifyError: the package is not installed.
    """
    return _encryptor(key, "ECB").update(data)


def name() -> str:
    """Return name and version of the reference package, and of the library that it uses."""
    import cryptography
    from cryptography.hazmat.backends.openssl import backend

    library = " ".join(backend.openssl_version_text().split()[:2])
    return f"the Python package cryptography {cryptography.__version__} ({library})"


def _stream(key: bytes, iv: bytes, offset: int) -> CipherContext:
    return _encryptor(key, "CTR", block_after(iv, offset // BLOCK))


def _encryptor(key: bytes, mode: str, *parameters: bytes) -> CipherContext:
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise VerifyError(_MISSING) from error
    return Cipher(algorithms.AES(key), getattr(modes, mode)(*parameters)).encryptor()


class _WatchedReader:
    def __init__(self, verifier: Verifier | GcmVerifier, reader: Reader):
        self._verifier = verifier
        self._reader = reader

    def read(self, size: int, /) -> bytes:
        data = self._reader.read(size)
        self._verifier.note(data)
        return data


class _WatchedWriter:
    def __init__(self, verifier: Verifier | GcmVerifier, writer: Writer):
        self._verifier = verifier
        self._writer = writer

    def write(self, data: bytes, /) -> None:
        self._verifier.compare(data)
        self._writer.write(data)
