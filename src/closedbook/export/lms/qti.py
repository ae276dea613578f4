"""QTI 2.1: one package a variant, with an item a question and a test that holds them in order.

Choices, numbers, typed answers and blanks are scored by the platform; the rest is an extended text
or an upload, with the key in a rubric block that only scorers see.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

from closedbook.export.lms.common import (
    Files,
    Setup,
    Writer,
    files_of,
    number_text,
    numbered_gaps,
)
from closedbook.export.lms.styles import style_sheet
from closedbook.export.lms.xhtml import to_xhtml
from closedbook.paper.exam import Quantity, Question, Variant
from closedbook.paper.points import points_text
from closedbook.paper.seed import digest
from closedbook.paper.trees import plain
from closedbook.render.tree import Image

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
CP = "http://www.imsglobal.org/xsd/imscp_v1p1"
_DATE = (1980, 1, 1, 0, 0, 0)
_GAP = "closedbook-gap"
_STYLE = "style.css"
_BLANKS = r"\s+"


def qti_files(variant: Variant, setup: Setup) -> Files:
    """``A.zip``: imsmanifest.xml, test.xml, the items, their figures and their style sheet."""
    files: dict[str, bytes] = {_STYLE: style_sheet().encode()}
    test = _Texts()
    files["test.xml"] = _xml(_test(variant, test), QTI)
    resources = [("test", "imsqti_test_xmlv2p1", "test.xml", test.files())]
    figures = dict(test.figures)
    for question in variant.questions:
        item = _Item(question)
        name = f"{_name(question)}.xml"
        files[name] = _xml(item.element(), QTI)
        resources.append((_name(question), "imsqti_item_xmlv2p1", name, item.texts.files()))
        figures |= item.texts.figures
    for figure, path in figures.items():
        files[figure] = (setup.root / path).read_bytes()
    files["imsmanifest.xml"] = _xml(_manifest(variant, resources), CP)
    return {f"{variant.label}.zip": _package(files)}


def _package(files: dict[str, bytes]) -> bytes:
    """A zip whose bytes hang on nothing but its files."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _DATE), files[name], zipfile.ZIP_DEFLATED)
    return raw.getvalue()


def _xml(root: ET.Element, namespace: str) -> bytes:
    """The document, with ``namespace`` as that of all its elements."""
    root.set("xmlns", namespace)
    xml: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml + b"\n"


def _name(question: Question) -> str:
    return f"q{question.number}-{question.card}"


def _node(
    parent: ET.Element | None, tag: str, text: str | None = None, **fields: str
) -> ET.Element:
    """An element of QTI; a keyword's trailing underline is dropped."""
    given = {name.rstrip("_"): value for name, value in fields.items()}
    node = ET.Element(tag, given) if parent is None else ET.SubElement(parent, tag, given)
    node.text = text
    return node


class _Texts:
    """Texts as XHTML, and the figures that they show by their name in the package."""

    def __init__(self) -> None:
        self.figures: dict[str, str] = {}
        gap = numbered_gaps(lambda at: f'<span class="{_GAP}">[{at}]</span>')
        self.writer = Writer(self._image, gap=gap, target="platform")

    def _image(self, image: Image) -> str:
        name = f"figures/{digest(image.path).hex()[:12]}{Path(image.path).suffix}"
        self.figures[name] = image.path
        return name

    def files(self) -> list[str]:
        """What the texts need to be shown."""
        return [_STYLE, *sorted(self.figures)]


def _style_link(parent: ET.Element) -> None:
    _node(parent, "stylesheet", href=_STYLE, type="text/css")


class _Item:
    def __init__(self, question: Question) -> None:
        self.question = question
        self.texts = _Texts()
        self.writer = self.texts.writer
        self.tests: list[tuple[ET.Element, Fraction]] = []

    def element(self) -> ET.Element:
        """The question as an assessmentItem."""
        question = self.question
        item = _node(
            None,
            "assessmentItem",
            identifier=_name(question),
            title=f"Question {question.number}",
            adaptive="false",
            timeDependent="false",
        )
        kind = self._kind()
        body = _node(None, "itemBody")
        declared = list(kind(body))
        for declaration in declared:
            item.append(declaration)
        _outcome(item, "SCORE", 0)
        _outcome(item, "MAXSCORE", float(question.points))
        rubric = _node(body, "rubricBlock", view="scorer")
        rubric.append(to_xhtml(self.writer.key(question)))
        _style_link(item)
        item.append(body)
        if self.tests:
            self._processing(item)
        return item

    def _kind(self) -> Callable[[ET.Element], Iterator[ET.Element]]:
        """The method that writes the body and declares its responses."""
        question = self.question
        if question.options:
            return self._choice
        if question.blanks:
            return self._cloze
        if question.quantity is not None or question.typed:
            return self._entry
        return self._text

    def _asked(self, body: ET.Element, html: str) -> ET.Element:
        asked = to_xhtml(html)
        body.append(asked)
        return asked

    def _choice(self, body: ET.Element) -> Iterator[ET.Element]:
        options = self.question.options
        several = len(self.question.right_letters) > 1
        self._asked(body, self.writer.asked(self.question))
        choice = _node(
            body,
            "choiceInteraction",
            responseIdentifier="RESPONSE",
            shuffle="false",
            maxChoices="0" if several else "1",
        )
        if several:
            _node(choice, "prompt", "Tick every right answer.")
        for option in options:
            one = _node(choice, "simpleChoice", identifier=option.letter)
            one.append(to_xhtml(self.writer.html(option.text)))
        self._score("match", "RESPONSE", self.question.points)
        cardinality = "multiple" if several else "single"
        yield _response("RESPONSE", cardinality, "identifier", *self.question.right_letters)

    def _entry(self, body: ET.Element) -> Iterator[ET.Element]:
        question = self.question
        self._asked(body, self.writer.asked(question))
        says = plain(question.parts[0].awards[0].says)
        line = _node(body, "p")
        yield self._field(line, "RESPONSE", says, question.quantity, question.points)

    def _cloze(self, body: ET.Element) -> Iterator[ET.Element]:
        """Blanks in their place; those in formulas below, by number."""
        question = self.question
        asked = self._asked(body, self.writer.asked(question))
        places = {node.text: node for node in asked.iter("span") if node.get("class") == _GAP}
        for at, blank in enumerate(question.blanks):
            number = f"[{at + 1}]"
            place = places.get(number)
            if place is None:
                place = _node(body, "p", f"{number} ")
            else:
                place.text = None
            name, worth = f"RESPONSE{at + 1}", question.awards[at].points
            yield self._field(place, name, blank, question.quantities[at], worth)

    def _field(
        self, place: ET.Element, name: str, right: str, number: Quantity | None, worth: Fraction
    ) -> ET.Element:
        """A field for one answer, and its declaration."""
        _node(place, "textEntryInteraction", responseIdentifier=name, expectedLength="20")
        if number is None:
            self._score("patternMatch", name, worth, pattern=_pattern(right))
            return _response(name, "single", "string", right)
        if number.tolerance:
            size = _decimal(number.tolerance)
            near = {"toleranceMode": "absolute", "tolerance": f"{size} {size}"}
            self._score("equal", name, worth, **near)
        else:
            self._score("equal", name, worth, toleranceMode="exact")
        return _response(name, "single", "float", _decimal(number.value))

    def _text(self, body: ET.Element) -> Iterator[ET.Element]:
        question, writer = self.question, self.writer
        self._asked(body, writer.asked(question) + writer.hand_in(question))
        if question.hand_in is not None:
            for at, file in enumerate(files_of(question.hand_in)):
                name = f"FILE{at + 1}"
                upload = _node(body, "uploadInteraction", responseIdentifier=name)
                _node(upload, "prompt", file)
                yield _response(name, "single", "file")
            return
        for at, part in enumerate(question.parts if question.by_parts else ()):
            name = f"RESPONSE{at + 1}"
            head = f"<p><strong>{part.label}</strong>, <em>{points_text(part.points)}</em></p>"
            self._asked(body, head + writer.html(part.ask))
            self._extended(body, name, part.space.lines or 8)
            yield _response(name, "single", "string")
        if not question.by_parts:
            self._extended(body, "RESPONSE", 8)
            yield _response("RESPONSE", "single", "string")

    def _extended(self, body: ET.Element, name: str, lines: int) -> None:
        _node(body, "extendedTextInteraction", responseIdentifier=name, expectedLines=str(lines))

    def _score(self, test: str, name: str, worth: Fraction, **fields: str) -> None:
        """Give points where a response stands the test; what has no test a person scores."""
        node = _node(None, test, **fields)
        _node(node, "variable", identifier=name)
        if test != "patternMatch":
            _node(node, "correct", identifier=name)
        self.tests.append((node, worth))

    def _processing(self, item: ET.Element) -> None:
        processing = _node(item, "responseProcessing")
        for test, worth in self.tests:
            when = _node(_node(processing, "responseCondition"), "responseIf")
            when.append(test)
            add = _node(_node(when, "setOutcomeValue", identifier="SCORE"), "sum")
            _node(add, "variable", identifier="SCORE")
            _node(add, "baseValue", _decimal(float(worth)), baseType="float")


def _pattern(right: str) -> str:
    """The answer as a pattern of XML Schema, which matches it with blanks around it."""
    words = (re.sub(r"[\\|.?*+(){}\[\]^-]", r"\\\g<0>", word) for word in right.split())
    return rf"\s*{_BLANKS.join(words)}\s*"


def _response(name: str, cardinality: str, base: str, *right: str) -> ET.Element:
    node = _node(
        None, "responseDeclaration", identifier=name, cardinality=cardinality, baseType=base
    )
    if right:
        correct = _node(node, "correctResponse")
        for value in right:
            _node(correct, "value", value)
    return node


def _decimal(value: float) -> str:
    """The number in digits with a dot: ``1e-06`` is not read everywhere."""
    digits = format(Decimal(number_text(value)), "f")
    return digits if "." in digits else f"{digits}.0"


def _outcome(item: ET.Element, name: str, value: float) -> None:
    node = _node(
        item, "outcomeDeclaration", identifier=name, cardinality="single", baseType="float"
    )
    _node(_node(node, "defaultValue"), "value", _decimal(value))


def _test(variant: Variant, texts: _Texts) -> ET.Element:
    test = _node(
        None,
        "assessmentTest",
        identifier=f"{variant.exam}-{variant.label}",
        title=f"{variant.title}: Variant {variant.label}",
    )
    _outcome(test, "SCORE", 0)
    _node(test, "timeLimits", maxTime=str(variant.minutes * 60))
    part = _node(
        test,
        "testPart",
        identifier="paper",
        navigationMode="nonlinear",
        submissionMode="simultaneous",
    )
    for section in variant.sections:
        node = _node(
            part,
            "assessmentSection",
            identifier=f"part-{section.number}",
            title=section.title,
            visible="true",
        )
        if section.number == 1 and variant.rules:
            _told(node, texts.writer.html(variant.rules))
        _told(node, texts.writer.intro(section))
        for question in section.questions:
            name = _name(question)
            _node(node, "assessmentItemRef", identifier=name, href=f"{name}.xml")
    processing = _node(test, "outcomeProcessing")
    total = _node(_node(processing, "setOutcomeValue", identifier="SCORE"), "sum")
    _node(total, "testVariables", variableIdentifier="SCORE")
    return test


def _told(section: ET.Element, html: str) -> None:
    """What a candidate reads with a section's questions."""
    rubric = _node(section, "rubricBlock", view="candidate")
    rubric.append(to_xhtml(html))
    _style_link(rubric)


def _manifest(variant: Variant, resources: list[tuple[str, str, str, list[str]]]) -> ET.Element:
    def node(
        parent: ET.Element | None, tag: str, text: str | None = None, **fields: str
    ) -> ET.Element:
        made = ET.Element(tag, fields) if parent is None else ET.SubElement(parent, tag, fields)
        made.text = text
        return made

    root = node(None, "manifest", identifier=f"{variant.exam}-{variant.label}-package")
    about = node(root, "metadata")
    node(about, "schema", "QTIv2.1 Package")
    node(about, "schemaversion", "1.0.0")
    node(root, "organizations")
    listed = node(root, "resources")
    for name, kind, file, needed in resources:
        resource = node(listed, "resource", identifier=name, type=kind, href=file)
        for href in (file, *needed):
            node(resource, "file", href=href)
        if name == "test":
            for item, *_ in resources[1:]:
                node(resource, "dependency", identifierref=item)
    return root
