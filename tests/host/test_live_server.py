# SPDX-License-Identifier: BSD-2-Clause
"""Tests the live view's server with clients that are not browsers: access and limits."""

import asyncio
import contextlib
import http.client
import json
import re
import socket
import threading
from collections import Counter

import pytest
from cipherlane.errors import ArgumentError
from cipherlane.live import hub as hubs
from cipherlane.live import server, waiting
from cipherlane.live.hub import Channel, Hub
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.waiting import HANG_S
from tests.waiting import until as live_wait

WAIT = HANG_S


class Live:
    """Runs the server of a live view. The test puts messages into the server's hub."""

    def __init__(self, token=None, address="127.0.0.1", allowed=()):
        self.hub, self.chosen, self.token = Hub(), [], token
        self.listener, self.hosts, self.loopback = server.listen(address, 0, allowed)
        self.host = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.refuses = False

    def choose(self, wanted):
        if self.refuses:
            raise ArgumentError("no such choice")
        self.chosen.append(wanted)

    def __enter__(self):
        app = server.application(self.hub, self.choose, self.hosts, self.token)
        self._serving = server.serving(app, self.listener)
        self._serving.__enter__()
        return self

    def __exit__(self, *error):
        self._serving.__exit__(*error)

    def get(self, path, **headers):
        connection = http.client.HTTPConnection(self.host, timeout=WAIT)
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer, body

    def connect(self, origin="", **options):
        origin = f"http://{self.host}" if origin == "" else origin
        return connect(f"ws://{self.host}/messages", origin=origin, open_timeout=WAIT, proxy=None, **options)


@pytest.fixture
def live():
    with Live() as running:
        yield running


def test_the_page_needs_nothing_from_elsewhere(live):
    answer, page = live.get("/")
    assert answer.status == 200 and b"<title>Cipherlane live</title>" in page
    names = re.findall(rb'(?:src|href)="([^"#]+)"', page)
    assert {b"live.js", b"style.css", b"icon.svg"} <= set(names)
    for name in (*names, b"charts.js"):
        answer, body = live.get(f"/{name.decode()}")
        assert answer.status == 200
        assert set(re.findall(rb"https?://[^\"]*", body)) <= {b"http://www.w3.org/2000/svg"}, "no CDN"


POLICY = {
    "default-src": "'none'",
    "img-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [("/", "", 200), ("/live.js", "", 200), ("/nothing", "", 404), ("/", "evil.example", 421)],
)
def test_each_answer_has_each_rule_for_the_browser(live, path, host, status):
    answer, _ = live.get(path, **({"Host": host} if host else {}))
    assert answer.status == status
    said = dict(each.split(maxsplit=1) for each in answer.headers["Content-Security-Policy"].split(";"))
    assert said == POLICY, "nothing from elsewhere, and the page stands in no other site's frame"
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "//etc/passwd", "/nothing"])
def test_nothing_but_the_page_is_served(live, path):
    answer, body = live.get(path)
    assert answer.status == 404 and b"import" not in body


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""])
def test_another_host_is_refused(live, host):
    """The server must refuse a foreign host name even if it resolves to this machine (DNS rebinding)."""
    name = host.format(port=live.host.rpartition(":")[2])
    answer, body = live.get("/", Host=name)
    assert answer.status == 421 and b"--allow-host NAME:PORT" in body
    with pytest.raises(InvalidStatus) as refused:
        live.connect(origin=f"http://{name}")
    assert refused.value.response.status_code == 403


def test_loopback_has_its_usual_names(live):
    port = live.host.rpartition(":")[2]
    for name in ("localhost", "LOCALHOST", "127.0.0.1", "[::1]"):
        assert live.get("/", Host=f"{name}:{port}")[0].status == 200


def test_an_allowed_host_reaches_page_and_messages_and_no_other_does():
    """A host name that the user allows gives access to page and messages, for example through an SSH tunnel. All other
    host names are refused.
    """
    with Live(allowed=["Lab.example:9000", "tunnel", "[::2]:9000"]) as live:
        at = live.host.rpartition(":")[2]
        for good in ("lab.example:9000", f"tunnel:{at}", "[::2]:9000", live.host):
            assert live.get("/", Host=good)[0].status == 200
            to = socket.create_connection(("127.0.0.1", int(at)), WAIT)
            with connect(f"ws://{good}/messages", sock=to, origin=f"http://{good}", proxy=None) as viewer:
                live.hub.put(Channel.STATE, b"{}")
                viewer.send("ready")
                assert viewer.recv(WAIT) == "{}"
        for bad in ("lab.example", "lab.example:9001", "tunnel:9000", "tunnel", f"a.lab.example:{at}"):
            assert live.get("/", Host=bad)[0].status == 421
            with pytest.raises(InvalidStatus):
                live.connect(origin=f"http://{bad}")


@pytest.mark.parametrize(
    ("allowed", "loopback"),
    [
        ((), True),
        (("localhost:9000",), True),
        (("127.0.0.1:1", "[::1]:2"), True),
        (("localhost", "lab.example"), False),
    ],
)
def test_a_name_that_is_not_of_loopback_needs_the_token(allowed, loopback):
    listener, _, found = server.listen("127.0.0.1", 0, allowed)
    listener.close()
    assert found is loopback


def test_all_addresses_may_be_listened_to_where_names_are_allowed():
    listener, hosts, loopback = server.listen("0.0.0.0", 0, ["lab.example:80"])
    listener.close()
    assert hosts == {"lab.example:80", "lab.example"} and not loopback


@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "a/b", "http://a", "a:", "a:x", "a:70000", "user@a", "a?b", "a#b", "\xe4", "*", "a:1:2", "[::1"],
)
def test_names_that_cannot_be_hosts(name):
    with pytest.raises(ArgumentError, match="--allow-host"):
        server.listen("127.0.0.1", 0, [name])


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "https://{host}", "http://127.0.0.1:1"])
def test_another_origin_is_refused(live, origin):
    with pytest.raises(InvalidStatus) as refused:
        live.connect(origin=origin and origin.format(host=live.host))
    assert refused.value.response.status_code == 403 and live.hub.viewers == 0


def test_beyond_loopback_the_token_comes_first():
    with Live(token="right") as live:
        live.hub.put(Channel.STATE, b"{}")
        with live.connect() as viewer:
            viewer.send("right")
            viewer.send("ready")
            assert viewer.recv(WAIT) == "{}"
        for word in ("wrong", "ready", "", b"right", "right "):
            with live.connect() as viewer, pytest.raises(ConnectionClosed) as closed:
                viewer.send(word)
                viewer.send("ready")  # the server may already have closed the connection
                viewer.recv(WAIT)
            assert closed.value.rcvd.code == 4401 and "right" not in closed.value.rcvd.reason
        assert b"right" not in live.get("/")[1]


def test_who_says_nothing_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(server, "TOKEN_PATIENCE", 0.1)
    with Live(token="right") as live, live.connect() as viewer, pytest.raises(ConnectionClosed):
        viewer.recv(WAIT)


def test_choices_and_refusals(live):
    with live.connect() as viewer:
        viewer.send('{"engine": "ise"}')
        live_wait(lambda: live.chosen == [{"engine": "ise"}])
        live.refuses = True
        for text in ('{"engine": 1}', "[]", "{", "1", "[" * 3000, "\0"):
            viewer.send(text)
            assert list(json.loads(viewer.recv(WAIT))) == ["refused"]
        viewer.send("x" * 5000)
        with pytest.raises(ConnectionClosed):
            viewer.recv(WAIT)
    assert len(live.chosen) == 1


def test_a_message_is_sent_to_who_is_ready_and_the_newest_alone(live):
    asked, step = threading.Event(), live.hub.next

    async def noted(seen):
        asked.set()
        return await step(seen)

    live.hub.next = noted
    with live.connect() as quick, live.connect() as slow:
        live_wait(lambda: live.hub.viewers == 2)
        for number in range(50):
            live.hub.put(Channel.PICTURE, b"%d" % number)
            quick.send("ready")
            assert quick.recv(WAIT) == b"%d" % number
        live.hub.put(Channel.STATE, b"state")
        slow.send("ready")
        assert slow.recv(WAIT) == "state"
        slow.send("ready")
        assert slow.recv(WAIT) == b"49", "it missed the others"
        asked.clear()
        slow.send("ready")
        assert asked.wait(WAIT)  # the server waits, because it has no new message for this viewer
        live.hub.put(Channel.PICTURE, b"50")
        assert slow.recv(WAIT) == b"50"
    live_wait(lambda: live.hub.viewers == 0)


ROUNDS = 60


def test_what_is_not_read_is_not_sent(live):
    """If a browser asks for pictures but does not read them, the kernel's buffers become full. The server must then
    stop sending.
    """
    taken, step = Counter(), live.hub.next

    async def counted(seen):
        found = await step(seen)
        taken[id(seen)] += 1
        return found

    live.hub.next = counted
    with live.connect(max_queue=1) as viewer, live.connect(max_size=None) as reader:
        live_wait(lambda: live.hub.viewers == 2)
        for _ in range(ROUNDS):  # one viewer does not read; the other viewer, `reader`, gets every picture
            live.hub.put(Channel.PICTURE, bytes(1 << 20))
            viewer.send("ready")
            reader.send("ready")
            assert len(reader.recv(WAIT)) == 1 << 20
        few, all_ = sorted(taken.values())
    assert 0 < few < ROUNDS // 2 and all_ == ROUNDS


def test_viewers_are_bounded_and_their_places_are_free_again(live, monkeypatch):
    monkeypatch.setattr(hubs, "MOST_VIEWERS", 1)
    for _ in range(3):
        with live.connect() as viewer:
            live_wait(lambda: live.hub.viewers == 1)
            with live.connect() as another, pytest.raises(ConnectionClosed) as closed:
                another.recv(WAIT)
            assert closed.value.rcvd.code == 1013
            viewer.send(b"bytes, which no page sends")
            live_wait(lambda: live.hub.viewers == 0)


# Tests of connections that are not viewers


def half_open(live, words=b"GET / HTTP/1.1\r\n"):
    """Open a connection and send the beginning of a request."""
    connection = socket.create_connection(("127.0.0.1", live.listener.getsockname()[1]), WAIT)
    connection.sendall(words)
    return connection


def ended(connection):
    """Wait until the server closes `connection`; return whether it did so in time."""
    try:
        while connection.recv(4096):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("words", [b"", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n", b"upgrade"])
def test_many_who_only_connect_lock_no_viewer_out(monkeypatch, words):
    """Many connections that never become viewers must not keep viewers out.

    They send no request, half a request, one request and then nothing, or no token.
    """
    monkeypatch.setattr(waiting, "MOST_GUESTS", 8)
    monkeypatch.setattr(waiting, "PATIENCE", 10 * WAIT)
    monkeypatch.setattr(server, "TOKEN_PATIENCE", 10 * WAIT)
    with contextlib.ExitStack() as stack:
        live = stack.enter_context(Live(token="right"))
        live.hub.put(Channel.STATE, b"{}")
        if words == b"upgrade":
            open_one = lambda: live.connect(ping_interval=None, close_timeout=0)  # noqa: E731
        else:
            open_one = lambda: half_open(live, words.replace(b"{host}", live.host.encode()))  # noqa: E731
        strangers = [stack.enter_context(open_one()) for _ in range(2 * waiting.MOST_GUESTS)]
        assert live.get("/")[0].status == 200
        with live.connect() as viewer:
            viewer.send("right")
            viewer.send("ready")
            assert viewer.recv(WAIT) == "{}"
            if words == b"upgrade":
                with pytest.raises(ConnectionClosed):
                    strangers[0].recv(WAIT)
            else:
                assert ended(strangers[0]), "the oldest"
            more = [stack.enter_context(open_one()) for _ in range(waiting.MOST_GUESTS)]
            live.hub.put(Channel.STATE, b"[]")
            viewer.send("ready")
            assert viewer.recv(WAIT) == "[]" and more, "a viewer is no guest"


def test_a_header_that_never_ends_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(waiting, "PATIENCE", 0.2)
    with Live() as live, half_open(live) as slow, live.connect() as viewer:
        assert ended(slow)
        live.hub.put(Channel.STATE, b"{}")
        viewer.send("ready")
        assert viewer.recv(WAIT) == "{}", "a viewer stays"


class Wire:
    """A fake network connection with the methods that `WaitingRoom` calls."""

    def __init__(self, address, port):
        self.client, self.closed = (address, port), False

    def get_extra_info(self, name):
        return self.client

    def is_closing(self):
        return self.closed

    def abort(self):
        self.closed = True


def test_who_opens_many_connections_loses_their_own():
    async def run():
        room = waiting.WaitingRoom()
        first = Wire("192.0.2.1", 1)
        room.came(first)
        many = [Wire("192.0.2.2", port) for port in range(3 * waiting.MOST_GUESTS)]
        for each in many:
            room.came(each)
        assert not first.closed and sum(not each.closed for each in many) == waiting.MOST_GUESTS - 1
        assert [each.closed for each in many] == sorted((each.closed for each in many), reverse=True), "oldest first"
        room.became_viewer(many[-1].client)
        others = [Wire("192.0.2.2", 1000 + port) for port in range(waiting.MOST_GUESTS)]
        for each in others:
            room.came(each)
        assert not many[-1].closed, "a viewer"
        room.left(many[-1].client)
        for each in [Wire("192.0.2.2", 5000 + port) for port in range(waiting.MOST_GUESTS)]:
            room.came(each)
        assert many[-1].closed and not first.closed

    asyncio.run(run())
