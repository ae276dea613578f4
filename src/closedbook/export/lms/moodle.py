"""Moodle XML: one file a variant, to import into a question bank.

Choices are multiple choice, single numbers numerical with their tolerance, typed answers short
answers, clozes Moodle's own cloze; the rest are essays, and a task asks for a file. What a grader
needs stands in the question's information for graders.
"""

from __future__ import annotations

import base64
import re
from fractions import Fraction
from math import lcm
from pathlib import Path
from xml.etree import ElementTree as ET

from closedbook.export.lms.common import Files, Setup, Writer, heading, shown_hint
from closedbook.export.lms.moodle_text import with_cdata
from closedbook.paper.exam import Quantity, Question, Variant
from closedbook.paper.seed import digest
from closedbook.paper.trees import plain
from closedbook.render.tree import CodeBlock, Image, Math, MathBlock
from closedbook.render.walk import gap_contents, walk

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def moodle_files(variant: Variant, setup: Setup) -> Files:
    """``A.xml``: a category and its questions, in the order of the paper."""
    quiz = ET.Element("quiz")
    category = ET.SubElement(quiz, "question", type="category")
    path = f"$course$/top/{_in_path(variant.title)}/Variant {variant.label}"
    _text(ET.SubElement(category, "category"), path)
    for question in variant.questions:
        quiz.append(_Question(question, setup.root).element())
    ET.indent(quiz)
    xml = with_cdata(ET.tostring(quiz, encoding="unicode"))
    return {f"{variant.label}.xml": f"{_DECLARATION}{xml}\n".encode()}


def _in_path(title: str) -> str:
    """A category's name: Moodle doubles the slashes that are no separators."""
    return title.replace("/", "//")


def _text(parent: ET.Element, text: str) -> ET.Element:
    node = ET.SubElement(parent, "text")
    node.text = text
    return node


class _Question:
    def __init__(self, question: Question, root: Path) -> None:
        self.question = question
        self.root = root
        self.figures: dict[str, str] = {}
        self.writer = Writer(self._image, target="platform")

    def element(self) -> ET.Element:
        """The question as Moodle's XML."""
        question = self.question
        if question.options:
            return self._choice()
        if question.blanks and self._can_embed():
            return self._cloze()
        if question.quantity is not None:
            return self._numerical(question.quantity)
        if question.typed:
            return self._short()
        return self._essay()

    def _image(self, image: Image) -> str:
        name = f"{digest(image.path).hex()[:12]}{Path(image.path).suffix}"
        self.figures[name] = image.path
        return f"@@PLUGINFILE@@/{name}"

    def _start(self, kind: str, asked: str) -> ET.Element:
        question = self.question
        node = ET.Element("question", type=kind)
        _text(ET.SubElement(node, "name"), heading(question))
        self._html(node, "questiontext", asked)
        self._html(node, "generalfeedback", self.writer.key(question))
        ET.SubElement(node, "defaultgrade").text = f"{float(question.points):.7g}"
        ET.SubElement(node, "penalty").text = "0"
        ET.SubElement(node, "hidden").text = "0"
        ET.SubElement(node, "idnumber").text = f"{question.card}-{question.number}"
        return node

    def _html(self, parent: ET.Element, name: str, html: str) -> None:
        node = ET.SubElement(parent, name, format="html")
        _text(node, html)
        for figure, path in sorted(self.figures.items()):
            data = base64.b64encode((self.root / path).read_bytes()).decode("ascii")
            ET.SubElement(node, "file", name=figure, path="/", encoding="base64").text = data
        self.figures.clear()

    def _choice(self) -> ET.Element:
        options = self.question.options
        right = sum(option.right for option in options)
        node = self._start("multichoice", self.writer.asked(self.question))
        ET.SubElement(node, "single").text = "true" if right == 1 else "false"
        ET.SubElement(node, "shuffleanswers").text = "false"
        ET.SubElement(node, "answernumbering").text = "ABCD"
        wrong = len(options) - right
        for option in options:
            share = Fraction(100, right) if option.right else Fraction(0)
            if not option.right and right > 1:
                share = Fraction(-100, wrong)
            answer = ET.SubElement(node, "answer", fraction=f"{float(share):.7g}", format="html")
            _text(answer, self.writer.html(option.text))
            self._html(answer, "feedback", self.writer.html(option.because))
        return node

    def _numerical(self, right: Quantity) -> ET.Element:
        node = self._start("numerical", self.writer.asked(self.question))
        answer = ET.SubElement(node, "answer", fraction="100", format="moodle_auto_format")
        _text(answer, f"{right.value:.15g}")
        ET.SubElement(answer, "tolerance").text = f"{right.tolerance:.15g}"
        return node

    def _short(self) -> ET.Element:
        node = self._start("shortanswer", self.writer.asked(self.question))
        ET.SubElement(node, "usecase").text = "1"
        answer = ET.SubElement(node, "answer", fraction="100", format="moodle_auto_format")
        told = plain(self.question.parts[0].awards[0].says)
        _text(answer, told.replace("*", "\\*"))  # a bare star stands for anything
        return node

    def _essay(self) -> ET.Element:
        question = self.question
        writer = self.writer
        asked = writer.asked(question) + writer.parts(question) + writer.hand_in(question)
        node = self._start("essay", asked)
        for name, value in self._essay_settings():
            ET.SubElement(node, name).text = value
        self._html(node, "graderinfo", writer.key(question))
        return node

    def _essay_settings(self) -> list[tuple[str, str]]:
        if self.question.hand_in is None:
            lines = max(5, sum(part.space.lines or 8 for part in self.question.parts))
            return [
                ("responseformat", "editor"),
                ("responserequired", "1"),
                ("responsefieldlines", str(lines)),
                ("attachments", "0"),
                ("attachmentsrequired", "0"),
            ]
        return [
            ("responseformat", "editor" if self.question.hand_in.broken else "noinline"),
            ("responserequired", "0"),
            ("responsefieldlines", "5"),
            ("attachments", "1"),
            ("attachmentsrequired", "1"),
            ("filetypeslist", ".py"),
        ]

    def _can_embed(self) -> bool:
        """Moodle puts its fields into text, not into formulas or code blocks."""
        return not any(
            node.gaps
            for node in walk(self.question.stem)
            if isinstance(node, Math | MathBlock | CodeBlock)
        )

    def _cloze(self) -> ET.Element:
        question = self.question
        unit = lcm(*(award.points.denominator for award in question.awards))
        weights = [int(award.points * unit) for award in question.awards]
        answers = [plain(gap) for gap in gap_contents(question.stem)]
        fields = iter(
            f"{{{weight}:SHORTANSWER_C:={_in_field(answer)}}}"
            for weight, answer in zip(weights, answers, strict=True)
        )

        def field(number: int, content: str, hint: str | None, maths: bool) -> str:
            return next(fields) + shown_hint(hint)

        writer = Writer(self._image, gap=field, target="platform")
        node = self._start("cloze", writer.asked(question))
        node.remove(node.find("defaultgrade"))  # type: ignore[arg-type] # made a line ago; Moodle adds up the fields
        return node


def _in_field(answer: str) -> str:
    """An answer within Moodle's braces: its own signs and HTML's are escaped."""
    shown = re.sub(r"([\\}#~/\"*])", r"\\\1", answer)
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
