"""Real programs to render with: a collection of Anki's."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from anki.collection import Collection
from anki.notes import Note


class Anki:
    """A collection of Anki's, and what it makes of a field."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def basic(self, front: str) -> str:
        """The question side of a Basic note, as visible text."""
        note = self._add("Basic", front)
        output = note.cards()[0].render_output()
        assert not output.question_av_tags, "Anki took a part of the text for a sound"
        return visible(output.question_text)

    def cloze(self, text: str) -> dict[int, tuple[str, str]]:
        """Gap number -> question and answer side of a Cloze note, as visible text."""
        sides = {}
        for card in self._add("Cloze", text).cards():
            output = card.render_output()
            assert not output.question_av_tags
            answer = visible(output.answer_text).removesuffix("\n")
            sides[card.ord + 1] = (visible(output.question_text), answer)
        return sides

    def _add(self, kind: str, first: str) -> Note:
        note_type = self._collection.models.by_name(kind)
        assert note_type is not None
        note = self._collection.new_note(note_type)
        note.fields[0] = first
        note.fields[1] = "x" if kind == "Basic" else ""
        self._collection.add_note(note, 1)
        return note


@pytest.fixture(scope="session")
def anki(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Anki]:
    """Anki with an empty collection."""
    collection = Collection(str(tmp_path_factory.mktemp("anki") / "collection.anki2"))
    yield Anki(collection)
    collection.close()


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def text_nodes(html: str) -> list[str]:
    """The text nodes of a page, each between two tags: MathJax never looks beyond one."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    return parser.parts


def visible(html: str) -> str:
    """What a browser's text nodes hold, joined; a letter and its mark as one, as they show."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    return unicodedata.normalize("NFC", "".join(parser.parts))
