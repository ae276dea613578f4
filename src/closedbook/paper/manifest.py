"""The manifest: everything that is needed to print the same papers again, and to answer them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from importlib.metadata import version
from typing import Any

from closedbook import __version__
from closedbook.model import kinds
from closedbook.model.bank import Blueprint
from closedbook.paper.balance import balance
from closedbook.paper.exam import Question, Variant
from closedbook.paper.labels import letters
from closedbook.paper.plan import Plan, Slot
from closedbook.paper.points import format_points
from closedbook.paper.pool import points_of
from closedbook.paper.seed import digest
from closedbook.paper.trees import plain
from closedbook.problem import Place, Problem
from closedbook.verify.verified import VerifiedBank

FORMAT = 1


def blueprint_hash(blueprint: Blueprint) -> str:
    """SHA-256 of what the blueprint says, whatever its comments and its layout."""
    return digest(blueprint.id, blueprint.info.model_dump_json(by_alias=True)).hex()


def question_hash(question: Question) -> str:
    """SHA-256 of everything that a question asks and answers, whatever its order of options."""
    options = sorted(question.options, key=lambda option: option.written)
    told = [(option.text, option.right, option.because) for option in options]
    return digest(
        question.card,
        question.points,
        question.stem,
        question.listing,
        told,
        question.blanks,
        [(part.ask, part.space, part.listing, part.why) for part in question.parts],
        question.hand_in
        and (question.hand_in.file, question.hand_in.classes, question.hand_in.broken),
        [(award.points, award.says) for award in question.all_awards],
        question.result,
        question.why,
    ).hex()


def versions(verified: VerifiedBank) -> dict[str, str]:
    """What the bytes of papers and keys hang on, beside the bank."""
    return {"closedbook": __version__, "torch": verified.torch, "typst": version("typst")}


def manifest_head(
    verified: VerifiedBank, plan: Plan, *, large_print: bool = False, duplex: bool = False
) -> dict[str, Any]:
    """What the manifest says before its variants."""
    info = plan.blueprint.info
    total = sum((slot.points for slot in plan.variants[0]), start=plan.variants[0][0].points * 0)
    return {
        "format": FORMAT,
        "bank": verified.bank.info.id,
        "blueprint": plan.blueprint.id,
        "title": info.title,
        "blueprint_sha256": blueprint_hash(plan.blueprint),
        "seed": plan.seed,
        "paper": info.paper,
        "large_print": large_print,
        "duplex": duplex,
        "points": format_points(total),
        "versions": versions(verified),
        "balance": balance(verified, plan),
    }


def variant_entry(variant: Variant, plan: Plan, index: int) -> dict[str, Any]:
    """One variant's entry: for each question its card, numbers, order, points and answer."""
    slots = plan.variants[index]
    return {
        "label": variant.label,
        "points": format_points(variant.points),
        "questions": [
            _question_entry(question, slot)
            for question, slot in zip(variant.questions, slots, strict=True)
        ],
    }


def _question_entry(question: Question, slot: Slot) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "number": question.number,
        "section": slot.section,
        "card": question.card,
        "kind": question.kind,
        "difficulty": question.difficulty,
        "points": str(question.points),
        "draw": dict(question.draw),
        "sha256": question_hash(question),
    }
    if question.options:
        entry["options"] = list(slot.options)
    entry["answer"] = answer_text(question)
    return entry


def answer_text(question: Question) -> str | list[str]:
    """The answer in short: letters, what belongs in the blanks, or what earns the points."""
    if question.options:
        return list(question.right_letters)
    if question.blanks:
        return list(question.blanks)
    if question.hand_in is not None:
        return question.hand_in.command
    told = [plain(award.says) for part in question.parts for award in part.awards]
    return told[0] if len(told) == 1 else told


def variant_text(entry: Mapping[str, Any]) -> bytes:
    """A variant's entry as the manifest shows it, one question a line, in UTF-8.

    A thousand of them wait for the last variant: as bytes they take half the room of text.
    """
    rest = {name: value for name, value in entry.items() if name != "questions"}
    rows = [f"      {_json(question)}" for question in entry["questions"]]
    lines = [f'    {_json(rest)[:-1]}, "questions": [', ",\n".join(rows), "    ]}"]
    return "\n".join(lines).encode("utf-8")


def manifest_pieces(head: Mapping[str, Any], variants: Iterable[bytes]) -> Iterator[bytes]:
    """The manifest, piece by piece: one field a line at the top, the variants' texts, its seal."""
    seal = hashlib.sha256(_canonical(head))
    fields = [f"  {_json(name)}: {_json(value)}," for name, value in head.items()]
    yield "\n".join(["{", *fields, '  "variants": [', ""]).encode("utf-8")
    between = b""
    for text in variants:
        yield between
        yield text
        between = b",\n"
        seal.update(_canonical(json.loads(text)))
    yield f'\n  ],\n  "seal": "{seal.hexdigest()}"\n}}\n'.encode()


def _canonical(value: Any) -> bytes:
    """A value of JSON as bytes that its layout does not change."""
    return json.dumps(value, sort_keys=True).encode("ascii") + b"\n"


def seal_of(manifest: Mapping[str, Any]) -> str:
    """SHA-256 of all that a manifest says beside its seal: whether it is as it was written.

    It finds what was changed by hand, and keeps nobody out who wants to forge a manifest.
    """
    rest = {name: value for name, value in manifest.items() if name not in ("seal", "variants")}
    seal = hashlib.sha256(_canonical(rest))
    for entry in manifest["variants"]:
        seal.update(_canonical(entry))
    return seal.hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_plan(
    text: str, path: str, verified: VerifiedBank
) -> tuple[Plan | None, Mapping[str, Any], list[Problem]]:
    """The plan that a manifest was written from, to print it again; and the manifest itself.

    The blueprint, the cards and their draws have to be the same still: what has changed since
    comes as problems, and no plan.
    """
    place = Place(path)
    try:
        manifest = json.loads(text)
        if manifest["format"] != FORMAT:
            return (
                None,
                {},
                [Problem(place, f"a manifest of format {manifest['format']} is unknown")],
            )
        return _plan(manifest, place, verified)
    except RecursionError:
        return None, {}, [Problem(place, "this is no manifest of 'cards exam': nested too deeply")]
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        return None, {}, [Problem(place, f"this is no manifest of 'cards exam': {error!r}")]


def _plan(
    manifest: dict[str, Any], place: Place, verified: VerifiedBank
) -> tuple[Plan | None, Mapping[str, Any], list[Problem]]:
    wanted = manifest["blueprint"]
    found = next((b for b in verified.bank.blueprints if b.id == wanted), None)
    if found is None:
        return None, manifest, [Problem(place, f"the bank has no blueprint '{wanted}' any more")]
    if blueprint_hash(found) != manifest["blueprint_sha256"]:
        changed = found.origin.problem(
            (), "this blueprint has changed since the manifest was written"
        )
        return None, manifest, [changed]
    problems: list[Problem] = []
    variants = []
    for entry in manifest["variants"]:
        slots = [
            _slot(question, found, place, verified, problems) for question in entry["questions"]
        ]
        variants.append(tuple(slot for slot in slots if slot is not None))
    labels = tuple(entry["label"] for entry in manifest["variants"])
    if not labels or labels != tuple(letters(index) for index in range(len(labels))):
        raise ValueError("its variants are not A, B and so on")  # they name files
    if not all(isinstance(manifest[name], bool) for name in ("large_print", "duplex")):
        raise ValueError("'large_print' and 'duplex' are true or false")
    if not isinstance(manifest["versions"], dict):
        raise TypeError("'versions' maps each name to a version")
    plan = Plan(found, int(manifest["seed"]), labels, tuple(variants))
    return (None if problems else plan), manifest, list(dict.fromkeys(problems))


def _slot(
    question: dict[str, Any],
    blueprint: Blueprint,
    place: Place,
    verified: VerifiedBank,
    problems: list[Problem],
) -> Slot | None:
    """The slot of a question. Raises ValueError for what no plan of the blueprint holds."""
    name = question["card"]
    card = verified.card(name)
    if card is None:
        problems.append(Problem(place, f"the bank has no card '{name}' any more"))
        return None
    draw = question["draw"]
    index = next((at for at, known in enumerate(card.draws) if dict(known) == draw), None)
    if index is None:
        shown = ", ".join(f"{key} = {value}" for key, value in draw.items())
        problems.append(
            card.card.origin.problem(
                (), f"card '{name}' has no verified draw {shown or 'without numbers'} any more"
            )
        )
        return None
    content = card.card.content
    points, section = Fraction(question["points"]), question["section"]
    options = tuple(question.get("options", ()))
    written = range(len(content.options) if isinstance(content, kinds.Question) else 0)
    if section not in range(len(blueprint.info.sections)):
        raise ValueError(f"the blueprint has no section {section!r}")
    if points != points_of(blueprint.info.sections[section], name):
        raise ValueError(f"the blueprint does not give {name!r} {points} points")
    if not isinstance(question["number"], int) or not isinstance(question["sha256"], str):
        raise TypeError("a question has a 'number' and a 'sha256'")
    if sorted(options) != list(written):
        raise ValueError(f"{options} is no order of the {len(written)} options of {name!r}")
    return Slot(section, name, index, points, options)


def changed_questions(
    manifest: Mapping[str, Any], entries: list[dict[str, Any]], path: str, verified: VerifiedBank
) -> list[Problem]:
    """The cards whose questions are no longer those of the manifest at ``path``.

    Where none has changed, what the manifest tells otherwise than these cards do was written
    into it by hand: its points, numbers and answers are those of the key, or it is refused.
    """
    was = {
        (entry["label"], question["number"]): question["sha256"]
        for entry in manifest["variants"]
        for question in entry["questions"]
    }
    changed = {
        question["card"]
        for entry in entries
        for question in entry["questions"]
        if was.get((entry["label"], question["number"])) != question["sha256"]
    }
    found = []
    for name in sorted(changed):
        card = verified.card(name)
        if card is not None:
            message = f"card '{name}' has changed since the manifest was written"
            found.append(card.card.origin.problem((), message, card=name))
    if found:
        return found
    for was_entry, entry in zip(manifest["variants"], entries, strict=True):
        told = {name: value for name, value in was_entry.items() if name != "sha256"}
        if told != json.loads(_json(entry)) or entry["points"] != manifest.get("points"):
            message = f"variant {entry['label']} was edited: it is none that 'cards exam' wrote"
            found.append(Problem(Place(path), message))
    if not found and manifest.get("seal") != seal_of(manifest):
        message = (
            "this manifest was edited: it is none that 'cards exam' wrote, and may not say what "
            "was printed; give the one that stands beside the papers"
        )
        found.append(Problem(Place(path), message))
    return found


def printed_sums(manifest: Mapping[str, Any], verified: VerifiedBank) -> dict[str, str]:
    """The SHA-256 of each PDF of a sound manifest; none where other versions printed them."""
    if manifest["versions"] != versions(verified):
        return {}
    return {
        name: total
        for entry in manifest["variants"]
        for name, total in entry.get("sha256", {}).items()
    }


def other_versions(manifest: Mapping[str, Any], path: str, verified: VerifiedBank) -> list[Problem]:
    """A warning where other versions wrote the manifest at ``path``: bytes may differ then."""
    was, now = manifest["versions"], versions(verified)
    changed = [
        f"{name} {was.get(name)}, now {now[name]}" for name in now if was.get(name) != now[name]
    ]
    if not changed:
        return []
    message = f"printed by other versions, pages may differ: {'; '.join(changed)}"
    return [Problem(Place(path), message, severity="warning")]
