"""Grades for machines: JSON, JUnit and CSV."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Any

from closedbook.grade.printable import clean
from closedbook.grade.report.words import Feedback, lost, rows, several, title, worth
from closedbook.grade.verdict import Grade, PointMark, number


def to_json(grades: Sequence[Grade], feedback: Feedback) -> str:
    """A list of grades; points are exact texts such as ``2.5`` or ``4/3``, and numbers beside."""
    return json.dumps([_grade(grade, feedback) for grade in grades], indent=2, ensure_ascii=False)


def _grade(grade: Grade, feedback: Feedback) -> dict[str, Any]:
    full = feedback == "full"
    return {
        "task": grade.task,
        "attempt": grade.attempt,
        "earned": number(grade.earned),
        "points": number(grade.points),
        "fraction": float(grade.earned / grade.points) if grade.points else 1.0,
        "marks": [_mark(mark, grade, feedback) for mark in grade.marks],
        "notes": [{"line": note.line, "text": note.text} for note in grade.remarks],
        "outside": [{"line": note.line, "text": note.text} for note in grade.outside],
        "printed": clean(grade.printed, 500),
        "guards": grade.guards,
        "seconds": round(grade.seconds, 2),
        "torch": grade.torch,
        **({"seed": grade.seed} if full else {}),
    }


def _mark(mark: PointMark, grade: Grade, feedback: Feedback) -> dict[str, Any]:
    reason = mark.reason
    return {
        "probe": mark.probe,
        "class": mark.function,
        "say": mark.say,
        "earned": number(mark.earned),
        "points": number(mark.points),
        "withheld": mark.withheld,
        "why": None
        if reason is None
        else {
            **{k: v for k, v in rows(mark, grade, feedback) if not k.startswith(("line", "expl"))},
            "line": reason.line,
            "trap": reason.trap,
        },
    }


def to_junit(grades: Sequence[Grade], feedback: Feedback) -> str:
    """A suite an attempt, a case a point of the contract."""
    root = ET.Element("testsuites")
    for grade in grades:
        failures = sum(not mark.full for mark in grade.marks)
        suite = ET.SubElement(
            root,
            "testsuite",
            name=_xml(grade.attempt),
            tests=str(len(grade.marks)),
            failures=str(failures),
            errors="0",
            time=f"{grade.seconds:.2f}",
        )
        for mark in grade.marks:
            name = title(mark, several(grade))
            case = ET.SubElement(suite, "testcase", classname=grade.task, name=name, time="0")
            if not mark.full:
                text = "\n".join(f"{label}: {said}" for label, said in rows(mark, grade, feedback))
                message = worth(mark.earned, mark.points)
                ET.SubElement(case, "failure", message=message).text = _xml(text)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Text without the characters that XML has no way to write."""
    return "".join(
        ch if ch.isprintable() or ch in "\n\t" else "\N{REPLACEMENT CHARACTER}" for ch in text
    )


def to_csv(grades: Sequence[Grade]) -> str:
    """A row an attempt: earned, points, then a column for each point of the contract."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = list(dict.fromkeys(title(m, several(g)) for g in grades for m in g.marks))
    writer.writerow(["attempt", "earned", "points", *names, "note"])
    for grade in grades:
        by_name = {title(m, several(grade)): number(m.earned) for m in grade.marks}
        note = lost(grade) if not grade.earned else ""
        row = [grade.attempt, number(grade.earned), number(grade.points)]
        writer.writerow([_cell(c) for c in (*row, *(by_name.get(n, "") for n in names), note)])
    return out.getvalue()


def _cell(text: str) -> str:
    """A file's name is a stranger's text: no spreadsheet shall take it for a formula."""
    shown = clean(text, 200)
    return f"'{shown}" if shown[:1] in ("=", "+", "-", "@") else shown
