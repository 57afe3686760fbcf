# SPDX-License-Identifier: BSD-2-Clause
"""Test 128-EEA1 on the command line, with a model board that encrypts as the standard defines."""

import json
import random

from lab.tests.snow3g.reference import eea1
from tests.host.commands import KEY, command, one_line_error
from tests.host.model import SocketBoard
from tests.host.test_lte import SnowBoard, cut, lte

OTHERS = "gcm or --cipher ctr or --cipher eea2"


class StandardBoard(SnowBoard):
    """A model board. Its engine `snow3g` encrypts messages as the standard of 128-EEA1 defines."""

    def _data(self, session, offset, token, data):
        entry = self._find(session, token)
        session, _ = super()._data(session, offset, token, data)
        first, number = divmod(entry.start + offset // 16, 1 << 64)
        count, bearer, direction = first >> 32, first >> 27 & 31, first >> 26 & 1
        return session, eea1(entry.key, count, bearer, direction, bytes(16 * number) + data)[16 * number :]


def test_eea1(tmp_path):
    """Encrypt and decrypt several records with 128-EEA1, which only some engines and key lengths support."""
    data = random.Random(6).randbytes(2500)
    (tmp_path / "in").write_bytes(data)
    expected = cut(eea1(bytes.fromhex(KEY[:32]), 77, 9, 0, data), 19994)
    with SocketBoard(StandardBoard()) as server:
        words = ("--bits", 19994, "--json")
        status, stdout, stderr = lte(
            server, tmp_path / "in", tmp_path / "out", *words, cipher="eea1", numbers=(77, 9, 0)
        )
        assert status == 0, stderr
        assert (tmp_path / "out").read_bytes() == expected
        record = json.loads(stdout)
        assert (record["engine"], record["cipher"], record["bytes"]) == ("snow3g", "eea1", 2500)
        server.board.power_cycle()
        status, _, stderr = lte(
            server, tmp_path / "out", tmp_path / "back", cipher="eea1", numbers=(77, 9, 0), verb="decrypt"
        )
        assert status == 0, stderr
        assert (tmp_path / "back").read_bytes()[:-1] == data[:-1]
        for cipher, engine, given in (("eea1", "table", OTHERS), ("eea2", "snow3g", "eea1")):
            status, _, stderr = lte(server, tmp_path / "in", tmp_path / "no", "--engine", engine, cipher=cipher)
            expected = f"engine {engine} is not for --cipher {cipher}: give --cipher {given}, or another engine"
            assert status == 2 and expected in one_line_error(stderr)
        status, stdout, stderr = command("bench", "--port", server.url, "--json", "--key-bits", 256)
        assert status == 0 and "snow3g" not in stdout.decode(), "with no key that it does not take"
        status, stdout, stderr = lte(server, tmp_path / "in", tmp_path / "aes", "--json", numbers=(1, 1, 1))
        assert status == 0 and json.loads(stdout)["engine"] == "accelerator", "the fastest of AES"
