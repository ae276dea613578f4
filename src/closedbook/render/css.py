"""The colours of highlighted code, by day and by night.

Each colour stands out from the plate behind the code by 4.5 to 1 at least, as WCAG's level AA
asks; keywords are told from names by weight as well, not by hue alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NIGHT = (".nightMode", ".night_mode")
"""Anki's classes for night mode: on computers and Android, and of old on iOS."""

# Pygments' short classes, by what they mean
_ROLES = {
    "comment": "c ch cm cp cpf c1 cs sd",
    "keyword": "k kc kd kn kp kr kt ow",
    "name": "nf fm nc nd ne nn",
    "builtin": "nb bp",
    "string": "s sa sb sc dl s2 se sh si sx sr s1 ss",
    "number": "m mb mf mh mi mo il",
    "special": "nt na nv vc vg vi vm no",
    "error": "gd gr gt err",
    "added": "gi",
    "heading": "gh gu",
}
DAY: Mapping[str, str] = {
    "comment": "#5f6773",
    "keyword": "#8a1c7c",
    "name": "#0b559e",
    "builtin": "#0a6070",
    "string": "#1d6b34",
    "number": "#9a3f0c",
    "special": "#6d4a00",
    "error": "#a4262c",
    "added": "#13713a",
    "heading": "#0b559e",
}
AT_NIGHT: Mapping[str, str] = {
    "comment": "#a0a8b3",
    "keyword": "#e7a6ff",
    "name": "#86bdfb",
    "builtin": "#7fd3dd",
    "string": "#9ad69f",
    "number": "#ffb07c",
    "special": "#e6c36a",
    "error": "#ff9a96",
    "added": "#7fd79b",
    "heading": "#86bdfb",
}
_MORE = {
    "comment": "font-style: italic",
    "keyword": "font-weight: 600",
    "heading": "font-weight: 600",
}


def code_css(night: Sequence[str] = NIGHT) -> str:
    """The rules below ``.highlight``; those for the night also below one of ``night``."""
    return _rules(DAY, ("",), _MORE) + _rules(AT_NIGHT, [f"{scope} " for scope in night], {})


def code_styles() -> dict[str, str]:
    """The style of each class by day, for pages that take no style sheet."""
    return {
        name: f"color: {DAY[role]}" + (f"; {_MORE[role]}" if role in _MORE else "")
        for role, classes in _ROLES.items()
        for name in classes.split()
    }


def _rules(palette: Mapping[str, str], scopes: Sequence[str], more: Mapping[str, str]) -> str:
    rules = []
    for role, classes in _ROLES.items():
        selectors = [f"{scope}.highlight .{name}" for scope in scopes for name in classes.split()]
        extra = f"; {more[role]}" if role in more else ""
        rules.append(f"{', '.join(selectors)} {{ color: {palette[role]}{extra} }}\n")
    return "".join(rules)


PYGMENTS_CSS = code_css()
"""The rules for Anki's cards."""
