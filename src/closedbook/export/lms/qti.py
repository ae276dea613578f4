"""QTI 2.1: one package a variant, with an item a question and a test that holds them in order.

Choices, numbers, typed answers and blanks are scored by the platform; the rest is an extended text
or an upload, with the key in a rubric block that only scorers see.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from xml.etree import ElementTree as ET

from closedbook.export.lms.common import Files, Setup, Writer, numbered_gaps
from closedbook.export.lms.xhtml import to_xhtml
from closedbook.paper.exam import Question, Variant
from closedbook.paper.seed import digest
from closedbook.paper.trees import plain
from closedbook.render.tree import Image

QTI = "http://www.imsglobal.org/xsd/imsqti_v2p1"
CP = "http://www.imsglobal.org/xsd/imscp_v1p1"
_DATE = (1980, 1, 1, 0, 0, 0)
_GAP = "closedbook-gap"


def qti_files(variant: Variant, setup: Setup) -> Files:
    """``A.zip``: imsmanifest.xml, test.xml, the items and their figures."""
    files: dict[str, bytes] = {}
    resources = []
    for question in variant.questions:
        item = _Item(question)
        name = f"{_name(question)}.xml"
        files[name] = _xml(item.element(), QTI)
        for figure, path in sorted(item.figures.items()):
            files[figure] = (setup.root / path).read_bytes()
        resources.append((_name(question), "imsqti_item_xmlv2p1", name, sorted(item.figures)))
    files["test.xml"] = _xml(_test(variant), QTI)
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


class _Item:
    def __init__(self, question: Question) -> None:
        self.question = question
        self.figures: dict[str, str] = {}
        gap = numbered_gaps(lambda at: f'<span class="{_GAP}">[{at}]</span>')
        self.writer = Writer(self._image, gap=gap, target="platform")

    def _image(self, image: Image) -> str:
        name = f"figures/{digest(image.path).hex()[:12]}{Path(image.path).suffix}"
        self.figures[name] = image.path
        return name

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
        item.append(body)
        self._processing(item, declared)
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
        for option in options:
            one = _node(choice, "simpleChoice", identifier=option.letter)
            one.append(to_xhtml(self.writer.html(option.text)))
        cardinality = "multiple" if several else "single"
        yield _response("RESPONSE", cardinality, "identifier", *self.question.right_letters)

    def _entry(self, body: ET.Element) -> Iterator[ET.Element]:
        self._asked(body, self.writer.asked(self.question))
        line = _node(body, "p")
        _node(line, "textEntryInteraction", responseIdentifier="RESPONSE", expectedLength="20")
        if self.question.quantity is not None:
            right = _decimal(self.question.quantity.value)
            yield _response("RESPONSE", "single", "float", right)
        else:
            answer = plain(self.question.parts[0].awards[0].says)
            yield _response("RESPONSE", "single", "string", answer)

    def _cloze(self, body: ET.Element) -> Iterator[ET.Element]:
        """Blanks in their place; where some stand in formulas or code blocks, below by number."""
        asked = self._asked(body, self.writer.asked(self.question))
        code = {node for block in asked.iter("pre") for node in block.iter("span")}
        spans = [node for node in asked.iter("span") if node.get("class") == _GAP]
        inside = len(spans) == len(self.question.blanks) and code.isdisjoint(spans)
        for at, blank in enumerate(self.question.blanks):
            name = f"RESPONSE{at + 1}"
            parent = spans[at] if inside else _node(body, "p")
            parent.text = None if inside else f"[{at + 1}] "
            _node(parent, "textEntryInteraction", responseIdentifier=name, expectedLength="20")
            yield _response(name, "single", "string", blank)

    def _text(self, body: ET.Element) -> Iterator[ET.Element]:
        question, writer = self.question, self.writer
        self._asked(body, writer.asked(question) + writer.hand_in(question))
        if question.hand_in is not None:
            _node(body, "uploadInteraction", responseIdentifier="FILE")
            yield _response("FILE", "single", "file")
        if question.hand_in is None or question.hand_in.broken_award is not None:
            parts = question.parts if question.by_parts else ()
            for at, part in enumerate(parts):
                name = f"RESPONSE{at + 1}"
                self._asked(body, f"<p>{part.label}</p>{writer.html(part.ask)}")
                self._extended(body, name, part.space.lines or 8)
                yield _response(name, "single", "string")
            if not parts:
                self._extended(body, "RESPONSE", 8)
                yield _response("RESPONSE", "single", "string")

    def _extended(self, body: ET.Element, name: str, lines: int) -> None:
        _node(body, "extendedTextInteraction", responseIdentifier=name, expectedLines=str(lines))

    def _processing(self, item: ET.Element, declared: list[ET.Element]) -> None:
        """Points for each response that has a right answer; none where a person scores."""
        scored = [node for node in declared if len(node)]
        if not scored:
            return
        processing = _node(item, "responseProcessing")
        awards = self.question.all_awards
        for at, node in enumerate(scored):
            worth = awards[at].points if self.question.blanks else self.question.points
            condition = _node(processing, "responseCondition")
            when = _node(condition, "responseIf")
            self._matches(when, node.attrib["identifier"])
            add = _node(_node(when, "setOutcomeValue", identifier="SCORE"), "sum")
            _node(add, "variable", identifier="SCORE")
            _node(add, "baseValue", _decimal(float(worth)), baseType="float")

    def _matches(self, when: ET.Element, name: str) -> None:
        quantity = self.question.quantity
        if quantity is None:
            test = _node(when, "match")
        elif quantity.tolerance:
            size = _decimal(quantity.tolerance)
            near = {"toleranceMode": "absolute", "tolerance": f"{size} {size}"}
            test = _node(when, "equal", **near)
        else:
            test = _node(when, "equal", toleranceMode="exact")
        _node(test, "variable", identifier=name)
        _node(test, "correct", identifier=name)


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
    digits = format(Decimal(f"{value:.15g}"), "f")
    return digits if "." in digits else f"{digits}.0"


def _outcome(item: ET.Element, name: str, value: float) -> None:
    node = _node(
        item, "outcomeDeclaration", identifier=name, cardinality="single", baseType="float"
    )
    _node(_node(node, "defaultValue"), "value", _decimal(value))


def _test(variant: Variant) -> ET.Element:
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
        for question in section.questions:
            name = _name(question)
            _node(node, "assessmentItemRef", identifier=name, href=f"{name}.xml")
    processing = _node(test, "outcomeProcessing")
    total = _node(_node(processing, "setOutcomeValue", identifier="SCORE"), "sum")
    _node(total, "testVariables", variableIdentifier="SCORE")
    return test


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
    test = node(listed, "resource", identifier="test", type="imsqti_test_xmlv2p1", href="test.xml")
    node(test, "file", href="test.xml")
    for name, kind, file, figures in resources:
        node(test, "dependency", identifierref=name)
        item = node(listed, "resource", identifier=name, type=kind, href=file)
        for href in (file, *figures):
            node(item, "file", href=href)
    return root
