"""The name rule: an exception, a warning or a dtype on the answer side stands where values do."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Mapping

from closedbook.model.bank import DrawnCard, Generator
from closedbook.verify.plan import applies, is_run
from closedbook.verify.rules.finding import Finding

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
      [A-Z][^\W_]*(?:Error|Warning|Exception) | {"|".join(_OTHERS)}
    | (?:b?float|q?u?int|complex)(?:4|8|16|32|64|128)(?:_e\d+m\d+\w*)? | fp(?:8|16|32|64)
    | torch\.(?:double|half|float|long|short|cfloat|cdouble|chalf)
    )(?![^\W_])"""
)

_ALIASES = {
    "torch.double": "float64", "torch.float": "float32", "torch.half": "float16",
    "torch.long": "int64", "torch.short": "int16",
    "torch.cdouble": "complex128", "torch.cfloat": "complex64", "torch.chalf": "complex32",
    "fp64": "float64", "fp32": "float32", "fp16": "float16",
}  # fmt: skip
"""Other names of a dtype: who says one of them says what a check has observed."""

_MAYBE = re.compile(
    rf"Error|Warning|Exception|(?:float|int|complex|fp)\d|torch\.[dhflsc]|{'|'.join(_OTHERS)}"
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
            stated += [(loc, match) for match in _NAMES.finditer(text)]
    known = _names_in(drawn, generators)
    known.update(name for text in asked for name in _read(text))
    # What explains a wrong option may speak of what the options say.
    offered = {name for loc, text, side in texts if side == "ask" for name in _read(text)}
    for loc, match in stated:
        name = _ALIASES.get(match[0], match[0])
        if name not in known and not (loc[-1] == "because" and name in offered):
            message = (
                f"{match[0]!r} is stated, but neither the asking side nor a check of this card "
                "has it"
            )
            yield Finding("name", loc, message, match.start(), match[0])


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
    for name in _NAMES.findall(text):
        yield _ALIASES.get(name, name)
