"""The preview's server: this machine only, reading only, up to date with the files."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from closedbook.preview.bench import Bench, State
from closedbook.preview.server import PreviewServer

PATIENCE = 60.0


class Visitor:
    """A browser, as far as these tests need one."""

    def __init__(self, server: PreviewServer) -> None:
        self.server = server

    def ask(
        self, path: str, *, host: str | None = None, method: str = "GET"
    ) -> tuple[HTTPResponse, bytes]:
        """The answer to a request whose path is sent as it is."""
        connection = HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.server.port}")
        connection.endheaders()
        response = connection.getresponse()
        body = response.read()
        connection.close()
        return response, body

    def text(self, path: str) -> str:
        """The body of an answer that is well."""
        response, body = self.ask(path)
        assert response.status == 200, body
        return body.decode()


def serve(bank: Path, *, checks: bool) -> Iterator[Visitor]:
    """A server on a free port, and its end."""
    bench = Bench(bank, checks=checks)
    server = PreviewServer(bench, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    bench.start()
    try:
        bench.wait(0, PATIENCE)
        yield Visitor(server)
    finally:
        bench.end()
        server.shutdown()
        server.server_close()
        thread.join(PATIENCE)


@pytest.fixture
def visitor(bank: Path) -> Iterator[Visitor]:
    """A visitor of the small bank, nothing checked."""
    yield from serve(bank, checks=False)


@pytest.fixture
def checked(bank: Path) -> Iterator[Visitor]:
    """A visitor of the small bank, claims checked."""
    yield from serve(bank, checks=True)


def until(visitor: Visitor, words: str) -> State:
    """The first state whose status holds these words."""
    state = visitor.server.bench.state
    while words not in state.status:
        newer = visitor.server.bench.wait(state.version, PATIENCE)
        assert newer.version > state.version, f"{state.status!r} stayed"
        state = newer
    return state


def test_pages(visitor: Visitor) -> None:
    """The page, its style and its script are served, and the state lists the cards in order."""
    assert "<title>cards preview</title>" in visitor.text("/")
    assert "EventSource" in visitor.text("/page.js")
    assert "color-scheme" in visitor.text("/page.css")
    state = json.loads(visitor.text("/state"))
    assert state["title"] == "A small bank"
    assert [card["id"] for card in state["cards"]] == ["shapes", "gaps", "typed", "drawn"]
    assert state["cards"][1]["faces"] == ["gap 1", "gap 2", "gap 3"]
    assert state["cards"][3]["draw"].startswith("n = ")
    assert state["problems"] == []
    assert (state["wrong"], state["paper"]) == (False, False)


def test_cards_by_day_and_night(visitor: Visitor) -> None:
    """Each side of a card is a page of its own, in Anki's colours, formulas drawn."""
    front = visitor.text("/card/shapes/0/front/day")
    assert "a over b" in front
    assert "\\(" not in front
    assert "square root" not in front
    assert 'class="card "' in front
    back = visitor.text("/card/shapes/0/back/night")
    assert "the square root of x" in back
    assert 'class="card nightMode night_mode"' in back
    assert "[hint]" in visitor.text("/card/gaps/0/front/day")
    assert "[...]" in visitor.text("/card/gaps/1/front/day")


def test_figures_are_served_by_their_flat_name_only(visitor: Visitor) -> None:
    """A figure comes from the table of figures; a path of the file system is never one."""
    (name,) = visitor.server.bench.state.site.media
    response, body = visitor.ask(f"/media/{name}")
    assert (response.status, response.getheader("Content-Type")) == (200, "image/svg+xml")
    assert b"<svg" in body
    assert f'src="/media/{name}"' in visitor.text("/card/shapes/0/back/day")


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/media/../cards.yaml",
        "/media/..%2f..%2fcards%2fbank.yaml",
        "/media/%2Fetc%2Fpasswd",
        "/data/page.html",
        "/page.html",
        "/card/shapes/1/front/day",
        "/card/shapes/-1/front/day",
        "/card/shapes/%C2%B2/front/day",
        f"/card/shapes/{'9' * 5000}/front/day",
        "/card/shapes/00/front/day",
        "//[",
        "/card/shapes/0/front/noon",
        "/card/none/0/front/day",
        "/card/shapes/0/front/day/more",
        "/nothing",
    ],
)
def test_there_is_nothing_else(visitor: Visitor, path: str) -> None:
    """Whatever is not in a table is not found."""
    response, _ = visitor.ask(path)
    assert response.status == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1"]
)
def test_other_hosts_get_nothing(visitor: Visitor, host: str) -> None:
    """A name that was made to point to this machine opens nothing."""
    response, body = visitor.ask("/state", host=host.format(port=visitor.server.port))
    assert response.status == 403
    assert b"small" not in body
    localhost, _ = visitor.ask("/state", host=f"localhost:{visitor.server.port}")
    assert localhost.status == 200


def test_only_this_machine_and_only_reading(visitor: Visitor) -> None:
    """The server listens on 127.0.0.1, and takes neither POST nor PUT."""
    assert visitor.server.server_address[0] == "127.0.0.1"
    for method in ("POST", "PUT", "DELETE"):
        response, _ = visitor.ask("/state", method=method)
        assert response.status == 501
    response, body = visitor.ask("/", method="HEAD")
    assert (response.status, body) == (200, b"")


def test_pages_may_load_nothing_from_elsewhere(visitor: Visitor) -> None:
    """A card's page stands in a sandbox; no page may fetch from other hosts or be sniffed."""
    for path in ("/", "/state", "/card/shapes/0/front/day"):
        response, _ = visitor.ask(path)
        policy = response.getheader("Content-Security-Policy") or ""
        assert policy.startswith("default-src 'none'")
        assert response.getheader("X-Content-Type-Options") == "nosniff"
        assert ("sandbox allow-scripts" in policy) == path.startswith("/card")


def test_a_save_is_seen(visitor: Visitor, bank: Path) -> None:
    """Saving a file makes a new version, which the page is told of, with the new text."""
    connection = HTTPConnection("127.0.0.1", visitor.server.port, timeout=PATIENCE)
    connection.request("GET", "/events")
    events = connection.getresponse()
    assert events.getheader("Content-Type") == "text/event-stream"
    assert events.readline() == b"data: 1\n"
    file = bank / "cards/unit/cards.yaml"
    file.write_text(file.read_text().replace("Type it.", "Type this."))
    events.readline()
    assert events.readline() == b"data: 2\n"
    assert "Type this." in visitor.text("/card/typed/0/front/day")
    connection.close()


def test_a_mistake_is_a_message_on_the_page(visitor: Visitor, bank: Path) -> None:
    """A mistake in YAML or in a formula is told with its place; the other cards stay in sight."""
    file = bank / "cards/unit/cards.yaml"
    good = file.read_text()
    file.write_text(good.replace("  ask: Type it.", "  aks: Type it."))
    until(visitor, "mend")
    state = json.loads(visitor.text("/state"))
    assert state["wrong"]
    assert "cards/unit/cards.yaml:15:3: unknown field 'aks'" in state["problems"][0]["text"]
    assert "a over b" in visitor.text("/card/shapes/0/front/day")
    file.write_text(good.replace("frac{a}", "farc{a}"))
    state = until(visitor, "mend")
    while "farc" not in str(state.site.problems):
        state = visitor.server.bench.wait(state.version, PATIENCE)
    (problem,) = json.loads(visitor.text("/state"))["problems"]
    assert problem["card"] == "shapes"
    assert "did you mean '\\frac'?" in problem["text"]
    file.write_text(good)
    assert not until(visitor, "nothing checked").wrong


def test_paper_once_every_check_holds(checked: Visitor) -> None:
    """A card's paper and key are drawn from a verified bank, and from no other."""
    until(checked, "all hold")
    paper = checked.text("/paper/gaps")
    assert paper.count("<svg") >= 1
    assert "<svg" in checked.text("/key/gaps")
    response, body = checked.ask("/paper/none")
    assert (response.status, body) == (409, b"this card is on no paper")


def test_no_paper_before(visitor: Visitor) -> None:
    """Where nothing was checked there is no paper."""
    response, body = visitor.ask("/paper/gaps")
    assert response.status == 409
    assert b"once every check holds" in body
