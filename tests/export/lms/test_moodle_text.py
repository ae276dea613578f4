"""Texts in Moodle: what its filters and its reader would change is written in another way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from closedbook.export.lms.moodle_text import shown, with_cdata
from closedbook.render.html import to_html
from closedbook.render.markdown import parse
from tests.export.lms.moodle_reader import AsMoodle, text_of

FACES = [":-)", "(y)", "(n)", "8-)", "( )", "V-.", "^-)", "}-]", "(martin)", ";-)"]


def html(text: str) -> str:
    """A text as Moodle gets it."""
    return shown(to_html(parse(text)[0], target="platform"))


def outside_nolink(text: str) -> str:
    """The HTML that Moodle's filters read."""
    return re.sub(r'<span class="nolink">.*?</code></span>', "", text)


@pytest.mark.parametrize("face", FACES)
def test_no_emoticon_is_seen_in_prose(face: str) -> None:
    """What looks like an emoticon is shown as typed, and Moodle's filter does not find it."""
    written = html(f"A {face} and f{face}.")
    assert face not in written
    assert text_of(written) == f"A {face} and f{face}."


def test_code_within_a_line_is_kept_from_filters() -> None:
    """Moodle's filters pass over it: no f(h) becomes a heart, no address a link."""
    written = html("Of `f(h)` and `torch.ones(n) :-) {x}` at 1.\n\n```python\nf(h)\n```")
    assert "<code" not in outside_nolink(written).replace("<pre", "").partition("<div")[0]
    assert text_of(written) == "Of f(h) and torch.ones(n) :-) {x} at 1.\nf(h)"


def test_underlines_and_figures_of_moodle_are_text() -> None:
    """Neither the place of a field nor the address of a figure is found in what an author wrote."""
    text = "A ______ and @@PLUGINFILE@@/x.png"
    written = html(text)
    assert "_____" not in written
    assert "@@PLUGINFILE@@" not in written
    assert text_of(written) == text


def test_a_section_may_hold_its_own_end() -> None:
    """What ends CDATA is text within it."""
    xml = "<quiz><text>a ]]&gt; &amp;amp; &lt;b&gt;</text><text /></quiz>"
    assert AsMoodle(with_cdata(xml).encode()).texts == ["a ]]> &amp; <b>", ""]


def test_tables_and_code_bring_their_look(tmp_path: Path) -> None:
    """Cells have borders and their column's side, keywords a colour, and no class is left."""
    written = html("| a | b |\n|--:|---|\n| 1 | 2 |\n\n```python\nreturn x\n```\n\n3. three")
    assert "border: 1px solid" in written
    assert written.count("text-align: right") == 2
    assert re.search(r'<span style="color: #\w{6}; font-weight: 600">return</span>', written)
    assert re.search(r'<pre style="background: [^"]*"><code>', written)
    assert "class=" not in written
    assert '<ol start="3">' in written
