"""The colours of code can be read, by day and by night."""

from __future__ import annotations

import re
from importlib.resources import files

from pygments.token import STANDARD_TYPES, Token

from closedbook.render import css


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_double_a() -> None:
    """Every colour of code has a contrast of at least 4.5 to the plate of a card behind it."""
    card = files("closedbook.export.anki").joinpath("data", "card.css").read_text("utf-8")
    plates = re.findall(r"--plate: (#[0-9a-f]{6});", card)
    for palette, plate in zip((css.DAY, css.AT_NIGHT), plates, strict=True):
        assert {
            role: colour for role, colour in palette.items() if contrast(colour, plate) < 4.5
        } == {}


def test_day_and_night_colour_the_same_classes() -> None:
    """A class that has a colour by day has one by night, in each of Anki's night modes."""
    day = set(re.findall(r"(?:^|, )\.highlight (\.\w+)", css.PYGMENTS_CSS, re.MULTILINE))
    for scope in css.NIGHT:
        assert set(re.findall(rf"\{scope} \.highlight (\.\w+)", css.PYGMENTS_CSS)) == day
    assert {f".{name}" for name in STANDARD_TYPES.values()} >= day


def test_keywords_strings_numbers_and_comments_are_coloured() -> None:
    """No class of keywords, strings, numbers or comments is left in plain ink."""
    for kind, name in STANDARD_TYPES.items():
        if any(kind in of for of in (Token.Keyword, Token.Literal.String, Token.Comment)):
            assert f".highlight .{name}" in css.PYGMENTS_CSS, kind
