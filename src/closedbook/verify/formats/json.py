"""For programs. docs/ci.md documents the fields; a change that breaks a reader raises VERSION."""

from __future__ import annotations

import json
from typing import Any

from closedbook.problem import Place, Problem
from closedbook.verify.report import Passed, Report

VERSION = 1


def to_json(report: Report, prefix: str = "") -> str:
    """The whole report as one JSON object. Paths start from the bank's folder."""
    return json.dumps(as_data(report), ensure_ascii=False, indent=2) + "\n"


def as_data(report: Report) -> dict[str, Any]:
    """The report as plain data."""
    errors = sum(problem.severity == "error" for problem in report.problems)
    return {
        "format": "closedbook-verify",
        "version": VERSION,
        "holds": not errors,
        "torch": report.torch,
        "seconds": round(report.seconds, 3),
        "counts": {
            "cards": report.cards,
            "claims": report.claims,
            "checks": report.checks,
            "draws": report.draws,
            "references": report.references,
            "exemptions": report.exemptions,
            "skipped": report.skipped,
            "ran": report.ran,
            "receipts": report.receipts,
            "errors": errors,
            "warnings": len(report.problems) - errors,
        },
        "problems": [_problem(problem) for problem in report.problems],
        "cards": [
            {
                "id": card.id,
                "unit": card.unit,
                **_place(card.place),
                "claims": card.claims,
                "draws": card.draws,
                "seconds": round(card.seconds, 6),
                "holds": not card.failed,
            }
            for card in report.results
        ],
        "exempted": [_passed(one) for one in report.exempted],
        "skipped": [_passed(one) for one in report.outside],
        "sampled": [
            {"card": s.card, "taken": s.taken, "size": s.size, "exact": s.exact}
            for s in report.sampled
        ],
        "notes": report.notes,
    }


def _place(place: Place) -> dict[str, Any]:
    return {"path": place.path, "line": place.line, "column": place.column}


def _passed(one: Passed) -> dict[str, Any]:
    return {"card": one.card, **_place(one.place), "reason": one.reason}


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "severity": problem.severity,
        **_place(problem.place),
        "card": problem.card,
        "message": problem.message,
        "excerpt": problem.excerpt,
        "notes": [
            {"text": note.text, **(_place(note.place) if note.place else {})}
            for note in problem.notes
        ],
    }
