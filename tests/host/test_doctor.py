# SPDX-License-Identifier: BSD-2-Clause
"""Tests `cipherlane doctor` with the model board, both in simulated time."""

import json
import os
import re

import pytest
from cipherlane.commands import common, doctor
from cipherlane.link import cables, routes
from cipherlane.link.device import Device

from .commands import NO_PORT, SERIAL, command, words_of
from .links import LossyLink
from .model import PeerBoard

CLOCK_HZ = 200_000  # clock rate in Hz; at this low rate, one benchmark takes 0.05 s


class TimedBoard(PeerBoard):
    """A board that reports a clock rate of `CLOCK_HZ`, but runs at `true_hz`.

    The host pauses for one of the times in `pauses`, in seconds, after each benchmark.
    """

    def __init__(self, true_hz=CLOCK_HZ):
        super().__init__()
        self.clock_hz, self.true_hz, self.pauses, self.clock = CLOCK_HZ, true_hz, [], None

    def _bench(self, session, offset, token, data):
        session, reply = super()._bench(session, offset, token, data)
        self.clock.sleep(int.from_bytes(reply[16:24], "little") / self.true_hz)
        self.clock.sleep(self.pauses.pop() if self.pauses else 0)
        return session, reply


@pytest.fixture(autouse=True)
def one_benchmark(monkeypatch):
    monkeypatch.setattr(doctor, "_CLOCK_SECONDS", 0.1)
    monkeypatch.setattr(cables, "attached", list)  # hide this machine's cables


@pytest.fixture
def checked(monkeypatch):
    """Return a function that runs `cipherlane doctor` on a board and returns the exit status and the checks.

    The checks are a dictionary by name, or a text without `json`.
    """

    def run(board, *words, json=True):
        link = LossyLink(board, seed=0, ordered=True)
        board.clock = link.clock
        board.device = Device(link)
        monkeypatch.setattr(common, "open_device", lambda args: board.device)
        status, stdout, stderr = command("doctor", "--port", "socket://127.0.0.1:1", *["--json"] * json, *words)
        assert not stderr
        return status, by_name(stdout) if json else stdout.decode()

    return run


def by_name(stdout):
    return {check["name"]: (check["passed"], check["seen"]) for check in json.loads(stdout)}


def test_a_board_as_it_should_be(checked):
    status, checks = checked(TimedBoard())
    assert status == 0
    status, text = checked(TimedBoard(), json=False)
    assert status == 0 and "fails" not in text and "tests passed" in text
    assert list(checks) == ["port", "cable", "board", "build", "link", "clock", "network", "macsec", "engines"]
    assert [passed for passed, _ in checks.values()] == [True, None, True, True, True, True, None, None, True]
    assert checks["clock"][1].startswith("0.2 MHz, 0.2 by this machine's time")
    assert checks["network"][1] == "the board has no network counters on this link"
    assert "tests passed" in checks["engines"][1]


BUILD_ID = "0001020304050607-08090a0b0c0d0e0f"


@pytest.mark.parametrize("form", ["{}", '{{"build_id": "{}"}}', None])
def test_the_build_that_is_expected(checked, tmp_path, form):
    file = tmp_path / "expected"
    file.write_text((form or "").format(BUILD_ID) + "\n")
    _, checks = checked(TimedBoard(), "--expect", file if form else BUILD_ID)
    assert checks["build"] == (True, f"{BUILD_ID}, as expected")


@pytest.mark.parametrize(
    ("wanted", "of_board", "says"),
    [
        (BUILD_ID[:-1] + "e", bytes(range(16)), f"build {BUILD_ID}, of other firmware than"),
        ("f" + BUILD_ID[1:], bytes(range(16)), f"build {BUILD_ID}, of other gateware than"),
        ("f" + BUILD_ID[1:-1] + "e", bytes(range(16)), f"build {BUILD_ID}, of other gateware and firmware than"),
        (BUILD_ID, bytes(16), f"no build id, not {BUILD_ID}"),
        (BUILD_ID, b"cipherlane build", f"no build id, not {BUILD_ID}"),
    ],
)
def test_another_build_than_is_expected(checked, wanted, of_board, says):
    board = TimedBoard()
    board.build_id = of_board
    status, checks = checked(board, "--expect", wanted)
    _, unasked = checked(board)
    assert status == 1 and checks["build"][0] is False and says in checks["build"][1]
    assert "engines" in checks, "the checks go on"
    assert unasked["build"][0] is (None if says.startswith("no build") else True)


@pytest.mark.parametrize("text", ["", BUILD_ID[:-1], '{"build_id": 7}', "{", "\xff"])
def test_what_is_no_build_id_is_told_before_the_port_is_opened(tmp_path, text):
    file = tmp_path / "expected"
    file.write_bytes(text.encode("latin-1"))
    for given in (file, tmp_path / "nothing", tmp_path):
        status, stdout, stderr = command("doctor", "--port", tmp_path / "nothing", "--expect", given)
        assert status == 2 and not stdout
        assert stderr.count("\n") == 1 and "no build id in" in stderr


@pytest.mark.parametrize("share", [0.75, 1.33])
def test_a_clock_that_is_not_what_the_firmware_says(checked, share):
    status, checks = checked(TimedBoard(CLOCK_HZ * share))
    assert status == 1 and checks["clock"][0] is False and checks["engines"][0]
    assert "0.2 MHz, but this machine measures 0." in checks["clock"][1]
    assert "flash the matching firmware" in checks["clock"][1]


@pytest.mark.parametrize(("pauses", "passed"), [([5.0], True), ([5.0, 5.0], True), ([5.0, 5.0, 5.0], False)])
def test_pauses_of_this_machine_are_not_taken_for_the_board_s_clock(checked, pauses, passed):
    """If this machine pauses during a measurement of the board's clock, the tool measures again. The check of the clock
    fails only if this machine pauses in every measurement.
    """
    board = TimedBoard()
    board.pauses = list(pauses)
    status, checks = checked(board)
    assert (status == 0) is passed and checks["clock"][0] is passed and checks["link"][0] and not board.pauses


def test_an_engine_that_fails(checked):
    board = TimedBoard()
    board.selftest_failures = 3
    status, checks = checked(board)
    assert status == 1 and checks["engines"][0] is False and "(ise)" in checks["engines"][1]


def test_a_link_that_loses_requests(checked):
    board, seen = TimedBoard(), []
    answer = board.answer

    def lose(record):
        seen.append(record)
        return answer(record) if len(seen) % 5 else None

    board.answer = lose
    status, checks = checked(board)
    assert status == 4 and checks["link"][0] is False
    assert "got no answer and 0 were damaged: check the board's power, cable and --port" in checks["link"][1]


def test_a_reply_has_the_time_of_the_first_one_until_it_is_lost(checked):
    """As long as no reply is lost, the host keeps its initial time-out for all replies.

    The limit that it derives from earlier replies, 0.25 s, is too short, because a busy machine may pause for longer.
    """
    board, times = TimedBoard(), []
    counters = board._counters
    board._counters = lambda *request: (times.append(board.device.link.timeout), counters(*request))[1]
    assert checked(board)[0] == 0
    assert len(times) == 32 and set(times) == {board.device.link.pace.first}


def test_nobody_answers(checked):
    silent = PeerBoard()
    silent.answer = lambda record: None
    status, checks = checked(silent)
    assert (
        status == 4 and list(checks) == ["port", "cable", "board"] and "no reply from the board" in checks["board"][1]
    )


def test_no_port(tmp_path):
    status, stdout, stderr = command("doctor", "--port", tmp_path / "nothing")
    assert status == 3 and not stderr
    assert NO_PORT.split()[0] in stdout.decode() and "fails" in stdout.decode()


CABLE = cables.Cable("0403:6010", "a chip", "", True)
NAMED = cables.Cable("0403:6015", "a chip", "", True, "ULX3S FPGA 85K v3.0.8")
LOCKED = cables.Cable("0403:6014", "another chip", "", False)


@pytest.mark.parametrize(
    ("found", "local", "passed", "says"),
    [
        (None, True, None, "does not list"),
        ([], True, None, "no JTAG cable is attached"),
        ([LOCKED, CABLE], True, True, "0403:6014 another chip, 0403:6010 a chip"),
        ([NAMED], True, True, 'a chip (it calls itself "ULX3S FPGA 85K v3.0.8")'),
        ([LOCKED], True, False, "0403:6014 another chip, which this user may not open: run `sudo make udev`"),
        ([LOCKED], False, None, "which this user may not open"),
    ],
)
def test_the_cable(tmp_path, monkeypatch, found, local, passed, says):
    monkeypatch.setattr(cables, "attached", lambda: found)
    port = tmp_path / "nothing" if local else "socket://127.0.0.1:1"
    status, stdout, _ = command("doctor", "--port", port, "--json")
    (_, cable) = json.loads(stdout)
    assert (cable["name"], cable["passed"]) == ("cable", passed) and says in cable["seen"]
    assert status == 3, "of the port"


def test_the_null_board(null_board):
    """No check fails with the null board. Its loopback address needs no gateway; the check of engines is skipped."""
    status, stdout, _ = command("doctor", "--port", null_board.url, "--json")
    checks = by_name(stdout)
    assert status == 0 and not any(passed is False for passed, _ in checks.values())
    assert checks["address"] == (True, "127.0.0.1 is this machine")
    passed, said = checks["engines"]
    assert passed is None and said == "a null board tests no engine: `cipherlane bench --link` uses it"
    advised = words_of(re.search("`(.*?)`", said)[1])
    assert command(*advised[1:], "--port", null_board.url, "--bytes", "1000")[0] == 0


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3"])
def test_loopback_has_no_gateway(tmp_path, host):
    """No gateway leads to loopback addresses, although Linux's routing table does not list them."""
    (tmp_path / "route").write_text(TABLE)
    assert routes.gateway("10.0.0.9", tmp_path / "route") and routes.gateway(host, tmp_path / "route") == ""


TABLE = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
eth1\t0002A8C0\t0201A8C0\t0003\t0\t0\t0\t00FFFFFF\t0\t0\t0
eth2\t0003A8C0\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0
"""


@pytest.mark.parametrize(
    ("host", "through"),
    [
        ("192.168.1.50", ""),
        ("192.168.2.50", "192.168.1.2"),
        ("192.168.3.50", "192.168.1.1"),
        ("10.0.0.9", "192.168.1.1"),
    ],
)
def test_gateways_of_linux(tmp_path, host, through):
    """The gateway comes from the route with the longest matching prefix. Routes of eth2 are ignored, as it is down."""
    (tmp_path / "route").write_text(TABLE)
    assert routes.gateway(host, tmp_path / "route") == through
    for broken in ("", "a\nb c\n", None):
        if broken is not None:
            (tmp_path / "broken").write_text(broken)
        assert routes.gateway(host, tmp_path / ("none" if broken is None else "broken")) == ""


@pytest.mark.parametrize(
    ("through", "passed", "says"),
    [
        ("", True, "10.1.1.1 of this machine reaches 127.0.0.1 without a gateway"),
        ("10.0.0.1", None, "through gateway 10.0.0.1; if nobody answers, give .* `sudo ip addr add 127.0.0.100/24 dev"),
    ],
)
def test_the_way_to_an_address(checked, null_board, monkeypatch, through, passed, says):
    monkeypatch.setattr(routes, "gateway", lambda host: through)
    monkeypatch.setattr(routes, "source", lambda host, port: "10.1.1.1")
    checks = by_name(command("doctor", "--port", null_board.url, "--json")[1])
    assert checks["address"][0] is passed and re.search(says, checks["address"][1])
    assert "address" not in checked(TimedBoard())[1], "a serial port has none"


@SERIAL
@pytest.mark.parametrize(
    ("noise", "says"), [(b"", "no reply from the board: check the board's power"), (b"U", "and --baud")]
)
def test_a_serial_port_at_which_is_no_board(monkeypatch, noise, says):
    """No board is at the port. In the first case, the port sends nothing. In the second case, the port sends bytes that
    are no records, as with a wrong baud rate.
    """
    far, near = os.openpty()
    pytest.importorskip("tty").setraw(near)
    opens = common.open_device

    def open_and_talk(args):
        device = opens(args)  # opening discards earlier data
        os.write(far, noise * 50)
        return device

    monkeypatch.setattr(common, "open_device", open_and_talk)
    try:
        status, stdout, _ = command("doctor", "--port", os.ttyname(near), "--timeout", "0.2", "--json")
    finally:
        os.close(far)
        os.close(near)
    checks = by_name(stdout)
    assert status == 4 and checks["port"][0] is True
    assert checks["board"][0] is False and says in checks["board"][1]
