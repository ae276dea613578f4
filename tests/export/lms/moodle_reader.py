"""What Moodle makes of a file: texts, questions, fields of a cloze."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from xml.etree import ElementTree as ET
from xml.parsers import expat

from closedbook.export.lms.xhtml import to_xhtml


class AsMoodle:
    """Moodle's reader: it drops a piece of text that is blank, and a reference ends a piece."""

    def __init__(self, xml: bytes) -> None:
        self.texts: list[str] = []
        self._open = self._whole = False
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.CharacterDataHandler = self._data
        parser.StartCdataSectionHandler = lambda: self._cdata(True)
        parser.EndCdataSectionHandler = lambda: self._cdata(False)
        parser.Parse(xml, True)

    def _start(self, tag: str, fields: dict[str, str]) -> None:
        self._open = tag == "text"
        self.texts += [""] * self._open

    def _cdata(self, begins: bool) -> None:
        self._whole = begins

    def _data(self, data: str) -> None:
        if self._open and (self._whole or data.strip()):
            self.texts[-1] += data


def questions(xml: bytes) -> list[ET.Element]:
    """A file's questions and descriptions, without the category."""
    root = ET.fromstring(xml)  # noqa: S314 - written a moment ago
    return [node for node in root.findall("question") if node.get("type") != "category"]


def name_of(question: ET.Element) -> str:
    """The name that Moodle lists it by."""
    return question.findtext("name/text") or ""


def by_card(xml: bytes) -> dict[str, ET.Element]:
    """A file's questions by card."""
    return {
        name[1]: node for node in questions(xml) if (name := re.search(r"\((.*)\)$", name_of(node)))
    }


def html_of(question: ET.Element, name: str = "questiontext") -> str:
    """A text in HTML."""
    return question.findtext(f"{name}/text") or ""


def text_of(html: str) -> str:
    """What a learner reads of the HTML."""
    return "".join(to_xhtml(html).itertext())


def worth(question: ET.Element) -> float:
    """The mark that a quiz gives the question: the fields of a cloze are added up."""
    if question.get("type") == "cloze":
        return sum(field.points for field in fields(html_of(question)))
    return float(question.findtext("defaultgrade") or 1)


@dataclass(frozen=True)
class Field:
    """A field of a cloze: its points, its type, each answer with its share."""

    points: int
    kind: str
    answers: tuple[tuple[str, str], ...]


_ANSWER = r"(?:=|%-?[0-9]+(?:[.,][0-9]*)?%)?(?:.+?(?<!\\)(?<!&)(?<!&amp;)(?=[~#}]|$))"
_FIELD = re.compile(
    rf"\{{([0-9]*):(NUMERICAL|SHORTANSWER_C|SHORTANSWER):({_ANSWER}(?:~{_ANSWER})*)\}}", re.DOTALL
)


def fields(text: str) -> list[Field]:
    """The fields of a text, as Moodle's own patterns find them."""
    return [
        Field(int(points), kind, tuple(map(_answer, re.findall(f"~?({_ANSWER})", answers))))
        for points, kind, answers in _FIELD.findall(text)
    ]


def _answer(written: str) -> tuple[str, str]:
    share, answer = re.match(r"(=|%[^%]+%)(.*)", written, re.DOTALL).groups()  # type: ignore[union-attr] # all of ours have a share
    answer = html.unescape(answer)
    return share, answer.replace(r"\}", "}").replace(r"\#", "#")
