"""The server of the live view, asked by clients that are no browser: who may ask, and what is bounded."""

import http.client
import json
import re
import threading
from collections import Counter

import pytest
from cipherlane.errors import ArgumentError
from cipherlane.live import hub as hubs
from cipherlane.live import server
from cipherlane.live.hub import Channel, Hub
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.waiting import HANG_S
from tests.waiting import until as live_wait

WAIT = HANG_S


class Live:
    """A server of its own, with a hub that the test fills."""

    def __init__(self, token=None, address="127.0.0.1"):
        self.hub, self.chosen, self.token = Hub(), [], token
        self.listener, self.hosts, self.loopback = server.listen(address, 0)
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
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store"
    names = re.findall(rb'(?:src|href)="([^"#]+)"', page)
    assert {b"live.js", b"style.css", b"icon.svg"} <= set(names)
    for name in (*names, b"charts.js"):
        answer, body = live.get(f"/{name.decode()}")
        assert answer.status == 200
        assert set(re.findall(rb"https?://[^\"]*", body)) <= {b"http://www.w3.org/2000/svg"}, "no CDN"


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "//etc/passwd", "/nothing"])
def test_nothing_but_the_page_is_served(live, path):
    answer, body = live.get(path)
    assert answer.status == 404 and b"import" not in body


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""])
def test_another_host_is_refused(live, host):
    """A name that its owner points at this machine (DNS rebinding) is none of this server's."""
    name = host.format(port=live.host.rpartition(":")[2])
    answer, body = live.get("/", Host=name)
    assert answer.status == 421 and b"another address" in body
    with pytest.raises(InvalidStatus) as refused:
        live.connect(origin=f"http://{name}")
    assert refused.value.response.status_code == 403


def test_loopback_has_its_usual_names(live):
    port = live.host.rpartition(":")[2]
    for name in ("localhost", "LOCALHOST", "127.0.0.1", "[::1]"):
        assert live.get("/", Host=f"{name}:{port}")[0].status == 200


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
                viewer.send("ready")  # it may be closed before
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
        assert asked.wait(WAIT)  # there is nothing new for it until something comes
        live.hub.put(Channel.PICTURE, b"50")
        assert slow.recv(WAIT) == b"50"
    live_wait(lambda: live.hub.viewers == 0)


ROUNDS = 60


def test_what_is_not_read_is_not_sent(live):
    """A browser that asks and does not read: what the kernel holds for it is all there is."""
    taken, step = Counter(), live.hub.next

    async def counted(seen):
        found = await step(seen)
        taken[id(seen)] += 1
        return found

    live.hub.next = counted
    with live.connect(max_queue=1) as viewer, live.connect(max_size=None) as reader:
        live_wait(lambda: live.hub.viewers == 2)
        for _ in range(ROUNDS):  # in which one that reads gets all
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
