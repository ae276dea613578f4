"""For CI servers: JUnit's XML as Jenkins, GitLab and pytest know it."""

from __future__ import annotations

import re
from collections import defaultdict
from xml.etree import ElementTree as Tree

from closedbook.problem import Problem
from closedbook.verify.report import CardResult, Report

_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: Report, prefix: str = "") -> str:
    """A test case for each card, a suite for each unit, and one for what belongs to no card.

    Paths start from the bank's folder.
    """
    suites: dict[str, list[Tree.Element]] = defaultdict(list)
    of_card: dict[str | None, list[Problem]] = defaultdict(list)
    for problem in report.problems:
        if problem.severity == "error":
            of_card[problem.card].append(problem)
    skipped = {one.card: one.reason for one in report.outside}
    for result in report.results:
        reason = skipped.get(result.id)
        if result.waits_for is not None:
            reason = f"it waits for {result.waits_for}"
        case = _card(result, of_card.pop(result.id, []), reason)
        suites[result.unit].append(case)
    for problem in [problem for problems in of_card.values() for problem in problems]:
        case = Tree.Element("testcase", name=_clean(str(problem.place)), classname="bank", time="0")
        _fail(case, "error", problem)
        suites["bank"].append(case)
    root = Tree.Element("testsuites", name="cards verify")
    for name, cases in suites.items():
        root.append(_suite(name, cases))
    for attribute in ("tests", "failures", "errors"):
        root.set(attribute, str(sum(int(suite.get(attribute, "0")) for suite in root)))
    root.set("time", _time(report.seconds))
    Tree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Tree.tostring(root, "unicode")}\n'


def _card(result: CardResult, problems: list[Problem], reason: str | None) -> Tree.Element:
    classname = result.place.path.removesuffix(".yaml").replace("/", ".")
    case = Tree.Element(
        "testcase", name=result.id, classname=_clean(classname), time=_time(result.seconds)
    )
    for problem in problems:
        _fail(case, "failure", problem)
    if reason and not problems:
        Tree.SubElement(case, "skipped", message=_clean(reason))
    return case


def _fail(case: Tree.Element, kind: str, problem: Problem) -> None:
    failure = Tree.SubElement(case, kind, message=_clean(problem.message), type="claim")
    failure.text = _clean(str(problem))


def _suite(name: str, cases: list[Tree.Element]) -> Tree.Element:
    suite = Tree.Element("testsuite", name=_clean(name), tests=str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(attribute, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", _time(sum(float(case.get("time", "0")) for case in cases)))
    suite.extend(cases)
    return suite


def _time(duration: float) -> str:
    """Seconds with at most three decimals, as Jenkins' schema has them."""
    return f"{duration:.3f}"


def _clean(text: str) -> str:
    """Only what XML 1.0 can hold."""
    return _NO_XML.sub("\ufffd", text)
