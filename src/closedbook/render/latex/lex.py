"""LaTeX maths in tokens, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["command", "open", "close", "sup", "sub", "cell", "prime", "space", "char", "end"]

_TOKEN = re.compile(r"\\(?P<name>[A-Za-z]+\*?|.)|(?P<space>\s+)|(?P<char>.)", re.DOTALL)
_KINDS: dict[str, Kind] = {
    "{": "open",
    "}": "close",
    "^": "sup",
    "_": "sub",
    "&": "cell",
    "'": "prime",
}
_STARRED = frozenset({"operatorname*"})


@dataclass(frozen=True, slots=True)
class Token:
    """One token: a command's name without its backslash, or a character."""

    kind: Kind
    text: str
    at: int

    def is_command(self, *names: str) -> bool:
        """Whether this is one of these commands."""
        return self.kind == "command" and self.text in names


def tokens(tex: str) -> list[Token]:
    """The tokens of a formula, and one more for its end."""
    out: list[Token] = []
    at = 0
    while at < len(tex):
        match = _TOKEN.match(tex, at)
        if match is None:  # a backslash with nothing behind it
            out.append(Token("char", tex[at], at))
            break
        text, end = match[0], match.end()
        if match["name"]:
            name = match["name"]
            if name.endswith("*") and len(name) > 1 and name not in _STARRED:
                name, end = name[:-1], end - 1
            out.append(Token("command", name, at))
        elif match["space"]:
            out.append(Token("space", text, at))
        else:
            out.append(Token(_KINDS.get(text, "char"), text, at))
        at = end
    out.append(Token("end", "", len(tex)))
    return out
