"""The name rule: an exception, a warning or a dtype on the answer side stands where values do."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping

from closedbook.model.bank import DrawnCard, Generator
from closedbook.verify.plan import applies, is_run
from closedbook.verify.rules.finding import Finding
from closedbook.verify.rules.values import plain_of, segments

_OTHERS = sorted(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type)
    and issubclass(value, BaseException)
    and not name.endswith(("Error", "Warning", "Exception"))
)
"""Exceptions whose names do not say that they are any: ``StopIteration``, ``SystemExit``."""

_NAMES = re.compile(
    rf"""(?x)(?<![^\W_])(?:
      [A-Z][^\W_]*(?:Error|Warning|Exception)s? | {"|".join(_OTHERS)}
    | (?:b?float|q?u?int|complex)(?:4|8|16|32|64|128)(?:_e\d+m\d+\w*)? | fp(?:8|16|32|64) | bf16
    | torch\.(?:double|half|float|long|short|int|bool|cfloat|cdouble|chalf)
    )(?![^\W_])"""
)

_ALIASES = {
    "torch.double": "float64", "torch.float": "float32", "torch.half": "float16",
    "torch.long": "int64", "torch.int": "int32", "torch.short": "int16", "bf16": "bfloat16",
    "torch.cdouble": "complex128", "torch.cfloat": "complex64", "torch.chalf": "complex32",
    "fp64": "float64", "fp32": "float32", "fp16": "float16",
}  # fmt: skip
"""Other names of a dtype: who says one of them says what a check has observed."""

_PLURAL = re.compile(r"(Error|Warning|Exception)s$")
_MAYBE = re.compile(
    rf"Error|Warning|Exception|(?:float|int|complex|fp|bf)\d|torch\.[bcdfhils]|{'|'.join(_OTHERS)}"
)


def check_names(drawn: DrawnCard, generators: Mapping[str, Generator]) -> Iterator[Finding]:
    """Every such name on the answer side that neither the asking side nor a check has."""
    texts = [written for written in drawn.content.texts() if _MAYBE.search(written[1])]
    if not texts:
        return  # most cards: this is quicker than looking for the names
    exempt = {claim.say_loc for claim in drawn.claims if claim.unchecked or not applies(claim)}
    stated, asked = [], []
    for loc, text, side in texts:
        if side == "ask" and loc[0] != "options":
            asked.append(text)
        elif loc not in exempt and loc[-1] != "wrong":
            stated += [(loc, name, at) for name, at in _placed(text)]
    known = _names_in(drawn, generators)
    known.update(name for text in asked for name in _read(text))
    # What explains a wrong option may speak of what the options say.
    offered = {name for loc, text, side in texts if side == "ask" for name in _read(text)}
    for loc, written, at in stated:
        name = _dtype(written)
        if name not in known and not (loc[-1] == "because" and name in offered):
            message = (
                f"{written!r} is stated, but neither the asking side nor a check of this card "
                "has it"
            )
            yield Finding("name", loc, message, at, written)


def _names_in(drawn: DrawnCard, generators: Mapping[str, Generator]) -> set[str]:
    """The names in the checks, in the code that is printed, and in the sources that are run."""
    texts = [listing.text for listing in drawn.listings.values()]
    for claim in drawn.claims:
        check = claim.check
        if check is None or not is_run(claim):
            continue
        texts.append(repr(check.arguments))
        for name, want in check.expect.items():
            texts.append(f"{name} {want!r}")
        called = (check.run, *(v for v in check.arguments.values() if isinstance(v, str)))
        texts += [generators[name].source for name in called if name in generators]
    return {name for text in texts for name in _read(text)}


def _read(text: str) -> Iterator[str]:
    yield from map(_dtype, _NAMES.findall(text))


def _placed(text: str) -> Iterator[tuple[str, int]]:
    """The names that a reader sees, and where each is written."""
    for segment in segments(text):
        plain = plain_of(text, segment)
        for match in _NAMES.finditer(plain.text):
            yield match[0], plain.starts[match.start()]


def _dtype(name: str) -> str:
    """A name as checks have it: of several errors, one; of a dtype, not its other name."""
    return _ALIASES.get(name, _PLURAL.sub(r"\1", name))
