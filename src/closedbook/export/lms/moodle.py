"""Moodle XML: one file a variant, to import into a question bank.

Choices are multiple choice, single numbers numerical with their tolerance, typed answers short
answers, clozes Moodle's own cloze; the rest are essays, and a task asks for files. What a grader
needs stands in the question's information for graders; what a learner reads after the attempt is
the general feedback of a question that Moodle scores.
"""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree as ET

from closedbook.export.lms.common import (
    Files,
    Setup,
    Writer,
    files_of,
    number_text,
    numbered_gaps,
    shown_hint,
)
from closedbook.export.lms.moodle_cloze import field, whole_points
from closedbook.export.lms.moodle_text import BLANK, Texts, add_text, with_cdata
from closedbook.paper.exam import HandIn, Quantity, Question, Section, Variant
from closedbook.paper.points import format_points, points_text
from closedbook.paper.seed import digest
from closedbook.paper.trees import plain
from closedbook.render.html import ShowGap
from closedbook.render.tree import Math, MathBlock
from closedbook.render.walk import walk

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_MOST_OF_AN_ID = 100
_SEVERAL = (
    "Each right box that is ticked gives its share of the points; a wrong one takes them all."
)


def moodle_files(variant: Variant, setup: Setup) -> Files:
    """``A.xml``: a category and its questions, whose names sort into the order of the paper."""
    quiz = ET.Element("quiz")
    category = ET.SubElement(quiz, "question", type="category")
    path = f"$course$/top/{_in_path(variant.title)}/Variant {variant.label}"
    add_text(ET.SubElement(category, "category"), path)
    parts, numbers = len(str(len(variant.sections))), len(str(len(variant.questions)))
    if variant.rules:
        texts = Texts(setup.root)
        rules = Writer(texts.image, target="platform").html(variant.rules)
        quiz.append(_description(texts, f"Part {0:0{parts}}, Rules", rules))
    for section in variant.sections:
        part = f"Part {section.number:0{parts}}"
        texts = Texts(setup.root)
        head = Writer(texts.image, target="platform").head(section)
        quiz.append(_description(texts, f"{part}, Introduction", head))
        for question in section.questions:
            name = f"{part}, Question {question.number:0{numbers}} ({question.card})"
            quiz.append(_Question(question, name, section, setup).element())
    ET.indent(quiz)
    xml = with_cdata(ET.tostring(quiz, encoding="unicode"))
    return {f"{variant.label}.xml": f"{_DECLARATION}{xml}\n".encode()}


def _in_path(title: str) -> str:
    """A category's name: Moodle takes off tags, and doubles slashes that separate nothing."""
    name = title.replace("&", "&amp;").replace("<", "&lt;").replace("/", "//")
    return " " * name.startswith("/") + name + " " * name.endswith("/")


def _description(texts: Texts, name: str, html: str) -> ET.Element:
    """A text between the questions."""
    node = ET.Element("question", type="description")
    add_text(ET.SubElement(node, "name"), name)
    texts.add(node, "questiontext", html)
    ET.SubElement(node, "defaultgrade").text = "0"
    return node


class _Question:
    def __init__(self, question: Question, name: str, section: Section, setup: Setup) -> None:
        self.question = question
        self.name = name
        self.section = section
        self.setup = setup
        self.texts = Texts(setup.root)
        self.writer = self._writer(numbered_gaps(lambda at: f"<strong>[{at}]</strong>"))

    def _writer(self, gap: ShowGap) -> Writer:
        return Writer(self.texts.image, gap=gap, target="platform")

    def element(self) -> ET.Element:
        """The question as Moodle's XML."""
        question = self.question
        if question.options:
            return self._choice()
        if question.blanks:
            return self._cloze()
        if question.quantity is not None or question.typed:
            says = plain(question.parts[0].awards[0].says)
            return self._entry(self.writer.asked(question), says, question.quantity)
        return self._essay()

    def _start(self, kind: str, asked: str, feedback: str = "") -> ET.Element:
        question = self.question
        node = ET.Element("question", type=kind)
        add_text(ET.SubElement(node, "name"), self.name)
        self.texts.add(node, "questiontext", asked)
        if kind != "essay":
            self.texts.add(node, "generalfeedback", feedback + self.writer.feedback(question))
        ET.SubElement(node, "defaultgrade").text = f"{float(question.points):.7g}"
        ET.SubElement(node, "penalty").text = "0"
        ET.SubElement(node, "hidden").text = "0"
        ET.SubElement(node, "idnumber").text = _id_number(question)
        return node

    def _choice(self) -> ET.Element:
        options = self.question.options
        several = len(self.question.right_letters) > 1
        asked = self.writer.asked(self.question)
        node = self._start("multichoice", asked, f"<p>{_SEVERAL}</p>" if several else "")
        ET.SubElement(node, "single").text = "false" if several else "true"
        ET.SubElement(node, "shuffleanswers").text = "false"
        ET.SubElement(node, "answernumbering").text = "ABCD"
        shares = iter(self._shares())
        for option in options:
            share = next(shares) if option.right else Fraction(-100 if several else 0)
            answer = ET.SubElement(node, "answer", fraction=f"{float(share):.7g}", format="html")
            self.texts.fill(answer, self.writer.html(option.text))
            self.texts.add(answer, "feedback", self.writer.html(option.because))
        return node

    def _shares(self) -> list[Fraction]:
        """The hundredths of each right option: Moodle knows n equal ones up to ten, and 5."""
        right = len(self.question.right_letters)
        if right <= 10:
            return [Fraction(100, right)] * right
        if right > 20:
            card = self.question.card
            message = f"card '{card}' has {right} right options, and Moodle scores 20 at most"
            self.setup.tell(self.section, card, message, severity="error")
        return [Fraction(10 if at < 20 - right else 5) for at in range(right)]

    def _entry(self, asked: str, says: str, right: Quantity | None) -> ET.Element:
        """One field: a number within its tolerance, or a text, letter for letter."""
        node = self._start("shortanswer" if right is None else "numerical", asked)
        if right is None:
            ET.SubElement(node, "usecase").text = "1"
        answer = ET.SubElement(node, "answer", fraction="100", format="moodle_auto_format")
        if right is None:
            add_text(answer, says.replace("*", "\\*"))  # a bare star stands for anything
        else:
            add_text(answer, number_text(right.value))
            ET.SubElement(answer, "tolerance").text = f"{right.tolerance:.15g}"
        return node

    def _cloze(self) -> ET.Element:
        """Fields within the text, where Moodle can put them and their points come out."""
        question = self.question
        if any(node.gaps for node in walk(question.stem) if isinstance(node, Math | MathBlock)):
            return self._essay()
        points = whole_points([award.points for award in question.awards])
        if points is not None:
            return self._embedded(points)
        if len(question.blanks) == 1:
            asked = self._writer(lambda *gap: BLANK + shown_hint(gap[2])).asked(question)
            return self._entry(asked, question.blanks[0], question.quantities[0])
        self._tell("it is an essay there")
        return self._essay()

    def _embedded(self, points: list[int]) -> ET.Element:
        question = self.question
        if points != [award.points for award in question.awards]:
            self._tell(f"there they are {' + '.join(map(str, points))}")
        longest = max(len(blank) + blank.count("*") for blank in question.blanks)
        fields = [
            field(*given, longest)
            for given in zip(points, question.blanks, question.quantities, strict=True)
        ]
        left = iter(fields)
        writer = self._writer(lambda *gap: next(left) + shown_hint(gap[2]))
        node = self._start("cloze", writer.asked(question))
        node.remove(node.find("defaultgrade"))  # type: ignore[arg-type] # made a line ago; Moodle adds up the fields
        return node

    def _tell(self, instead: str) -> None:
        """What becomes of gaps whose points are fractions."""
        awards, card = self.question.awards, self.question.card
        listed = " + ".join(format_points(award.points) for award in awards)
        even = Fraction(len(awards) * max(1, round(self.question.points / len(awards))))
        self.setup.tell(
            self.section,
            card,
            f"the gaps of card '{card}' are worth {listed}, and Moodle gives whole points to a "
            f"gap: {instead}",
            f"give it {points_text(even)} here, or another multiple of {len(awards)}",
        )

    def _essay(self) -> ET.Element:
        question = self.question
        writer = self.writer
        asked = writer.asked(question) + writer.parts(question) + writer.hand_in(question)
        node = self._start("essay", asked)
        given = _files(question.hand_in) if question.hand_in else _words(question)
        for name, value in given.items():
            ET.SubElement(node, name).text = value
        self.texts.add(node, "graderinfo", writer.key(question))
        return node


def _words(question: Question) -> dict[str, str]:
    """What an essay has for an answer in words, or in code where there is code to mend."""
    lines = max(5, sum(part.space.lines or 8 for part in question.parts))
    return {
        "responseformat": "monospaced" if question.kind == "trap" else "editor",
        "responserequired": "1",
        "responsefieldlines": str(lines),
        "attachments": "0",
        "attachmentsrequired": "0",
    }


def _files(task: HandIn) -> dict[str, str]:
    """What an essay has for files; who gets no further than the first half hands in one."""
    names = files_of(task)
    return {
        "responseformat": "noinline",
        "responserequired": "0",
        "responsefieldlines": "5",
        "attachments": str(len(names)),
        "attachmentsrequired": "1",
        "filetypeslist": ",".join(sorted({f".{name.rpartition('.')[2]}" for name in names})),
    }


def _id_number(question: Question) -> str:
    """A name that is unique in its category and no longer than Moodle allows."""
    name = f"{question.card}-{question.number}"
    if len(name) <= _MOST_OF_AN_ID:
        return name
    end = f"-{digest(question.card).hex()[:12]}-{question.number}"
    return name[: _MOST_OF_AN_ID - len(end)] + end
