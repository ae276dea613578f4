"""The preview's server: this machine only, reading only.

It answers requests whose Host names this machine and no others, so that a page elsewhere whose
name is made to point here (DNS rebinding) gets nothing. No path of a request ever becomes a path
of a file: names are looked up in tables.
"""

from __future__ import annotations

import json
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

from closedbook.export.anki.notetypes import css
from closedbook.preview.bench import Bench, State
from closedbook.preview.papers import pages_of
from closedbook.problem import Problem

_PAGE_FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
}
_MEDIA = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
_KEEP_ALIVE = 15.0
"""Seconds after which a waiting page hears that the server is still there."""

_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data:; frame-src 'self'; base-uri 'none'; form-action 'none'"
)
_CARD_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src http: data:; sandbox allow-scripts"
)
_CARD = """<!doctype html>
<html lang="{lang}" class="{night}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<base target="_blank"><style>{css}
.formula.display {{ display: block; margin: 0.75em 0; overflow-x: auto; text-align: center }}
.formula svg {{ overflow: visible }}
.cloze .formula {{ color: inherit }}
.fault {{ outline: 2px solid currentColor }}
</style></head>
<body class="card {night}">{body}
<script>
const tell = () => parent.postMessage(document.documentElement.offsetHeight, "*");
addEventListener("load", tell);
addEventListener("toggle", tell, true);
new ResizeObserver(tell).observe(document.body);
</script></body></html>
"""

_SHEETS = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Paper</title><style>
body { margin: 0; padding: 1rem; background: #8a929c }
svg { display: block; max-width: 100%; height: auto; margin: 0 auto 1rem; background: #fff }
</style></head><body>PAGES</body></html>
"""

Answer = tuple[HTTPStatus, str, bytes]


class PreviewServer(ThreadingHTTPServer):
    """Serves a bench on 127.0.0.1; port 0 takes any that is free."""

    daemon_threads = True

    def __init__(self, bench: Bench, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.bench = bench

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that goes away in mid-answer is no error; a bug is told in one line."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError):
            print(f"cards preview: {error!r}", file=sys.stderr)  # noqa: T201 - the edge

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])


class _Handler(BaseHTTPRequestHandler):
    server: PreviewServer
    protocol_version = "HTTP/1.1"
    server_version = "cards-preview"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer a request to read."""
        if not self._is_for_us():
            self._send((HTTPStatus.FORBIDDEN, "text/plain", b"This server is for this machine.\n"))
            return
        path = self.path.partition("?")[0]
        if path == "/events":
            self._events()
            return
        self._send(answer(self.server.bench.state, path), head=self.command == "HEAD")

    do_HEAD = do_GET  # noqa: N815 - the name that http.server looks for

    def _is_for_us(self) -> bool:
        """Whether the Host is this machine under this port."""
        port = self.server.port
        return self.headers.get("Host") in (f"127.0.0.1:{port}", f"localhost:{port}")

    def _send(self, found: Answer, *, head: bool = False) -> None:
        status, kind, body = found
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self._safe(self.path.startswith(("/card/", "/media/", "/paper/", "/key/")))
        self.end_headers()
        if not head:
            self.wfile.write(body)

    def _safe(self, is_card: bool) -> None:
        self.send_header("Content-Security-Policy", _CARD_POLICY if is_card else _PAGE_POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header(
            "Cross-Origin-Resource-Policy", "cross-origin" if is_card else "same-origin"
        )
        self.send_header("Cache-Control", "no-store")

    def _events(self) -> None:
        """Server-sent events: the version of the state, whenever it is a new one."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self._safe(is_card=False)
        self.end_headers()
        self.close_connection = True
        seen = -1
        try:
            while not self.server.bench.ended:
                state = self.server.bench.wait(seen, _KEEP_ALIVE)
                line = f"data: {state.version}\n\n" if state.version > seen else ": still here\n\n"
                seen = state.version
                self.wfile.write(line.encode())
                self.wfile.flush()
        except OSError:  # the page was closed
            return

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the author's."""


def answer(state: State, path: str) -> Answer:
    """What the server says to a path."""
    if path in _PAGE_FILES:
        name, kind = _PAGE_FILES[path]
        page = files("closedbook.preview") / "data" / name
        return HTTPStatus.OK, kind, page.read_bytes()
    if path == "/state":
        body = json.dumps(_summary(state), ensure_ascii=False).encode()
        return HTTPStatus.OK, "application/json", body
    parts = [unquote(part) for part in path.split("/")[1:]]
    match parts:
        case ["card", id, number, "front" | "back" as side, "day" | "night" as light]:
            return _card(state, id, number, side, light)
        case ["media", name]:
            return _media(state, name)
        case ["paper" | "key" as kind, id]:
            return _paper(state, id, key=kind == "key")
        case _:
            return _missing()


def _summary(state: State) -> dict[str, Any]:
    bank = state.site.bank
    return {
        "version": state.version,
        "title": bank.info.title if bank else "A bank that cannot be read",
        "status": state.status,
        "wrong": state.wrong,
        "paper": state.verified is not None,
        "problems": [_told(problem) for problem in state.site.problems],
        "cards": state.site.summary(),
    }


def _told(problem: Problem) -> dict[str, str | None]:
    return {"card": problem.card, "text": str(problem)}


def _card(state: State, id: str, number: str, side: str, light: str) -> Answer:
    card = state.site.cards.get(id)
    if card is None or number not in map(str, range(len(card.faces))):
        return _missing()
    face = card.faces[int(number)]
    body = face.front if side == "front" else face.back
    # Anki shows media from a folder of its own; here they have one too
    body = body.replace('<img src="closedbook-', '<img src="/media/closedbook-')
    night = "nightMode night_mode" if light == "night" else ""
    lang = state.site.bank.info.language if state.site.bank else "en"
    page = _CARD.format(lang=lang, night=night, css=css(), body=body)
    return HTTPStatus.OK, "text/html; charset=utf-8", page.encode()


def _media(state: State, name: str) -> Answer:
    path = state.site.media.get(name)
    if path is None:
        return _missing()
    try:
        return (
            HTTPStatus.OK,
            _MEDIA.get(path.suffix.lower(), "application/octet-stream"),
            path.read_bytes(),
        )
    except OSError:
        return _missing()


def _paper(state: State, id: str, *, key: bool) -> Answer:
    if state.verified is None:
        return (
            HTTPStatus.CONFLICT,
            "text/plain; charset=utf-8",
            b"Paper is set once every check holds.\n",
        )
    pages, told = pages_of(state.verified, id, key=key)
    if not pages:
        return HTTPStatus.CONFLICT, "text/plain; charset=utf-8", told.encode()
    page = _SHEETS.replace("PAGES", "\n".join(pages))
    return HTTPStatus.OK, "text/html; charset=utf-8", page.encode()


def _missing() -> Answer:
    return HTTPStatus.NOT_FOUND, "text/plain; charset=utf-8", b"There is no such page.\n"
