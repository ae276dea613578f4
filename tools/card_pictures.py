"""Pictures of a deck's cards as Anki shows them: both sides, day and night, phone and desktop.

    python tools/card_pictures.py build/closedbook-pytorch.apkg docs/images/cards

Imports the deck into a scratch collection, lets Anki render one card of every template, and
takes pictures with Chromium. MathJax comes from ``--mathjax DIR`` (its ``es5`` folder) or is
fetched with npm into a temporary folder.
"""

from __future__ import annotations

import argparse
import hashlib
import html
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from closedbook.export.anki.scratch import import_package, scratch_collection

if TYPE_CHECKING:
    from anki.cards import Card  # Anki's modules import each other: its collection comes first
    from anki.collection import Collection

PHONE, DESKTOP = 390, 860
MADE_FROM = "made-from.txt"
_MATHJAX = "mathjax@3.2.2"  # the series that Anki ships

# The part of Anki's reviewer that shows: its reset, its colours at night, its MathJax settings.
_FRAME = """<!doctype html><html class="{night_html}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><base href="{base}/">
<style>html{{overflow-x:hidden}} body{{margin:20px;overflow-wrap:break-word}}
body.nightMode{{background:#2c2c2c;color:#fcfcfc}} #qa{{padding:0}}
#typeans{{width:100%;box-sizing:border-box;line-height:1.75}}
.typeGood{{background:#afa;color:black}} .typeBad{{background:#faa;color:black}}
.typeMissed{{background:#ccc;color:black}}
.nightMode .typeGood{{background:#5d9c62}} .nightMode .typeBad{{background:#a85a5a}}</style>
<script>window.MathJax={{tex:{{displayMath:[["\\\\[","\\\\]"]],processEscapes:false,
processEnvironments:false,processRefs:false}},options:{{enableMenu:false}}}};</script>
<script src="file://{mathjax}/tex-chtml-full.js"></script></head>
<body class="card card{number} {night}"><div id="qa">{side}</div></body></html>"""

_SHEET = """<!doctype html><html><head><meta charset="utf-8"><style>
body{{margin:16px;background:#8a9099;font:600 15px system-ui;display:flex;flex-wrap:wrap;gap:16px;
align-items:flex-start;width:{width}px}}
figure{{margin:0}} figcaption{{color:#fff;margin-bottom:4px}}
iframe{{border:0;border-radius:10px;display:block;background:#fff}}
</style></head><body>{frames}<script>
const fit = () => document.querySelectorAll("iframe").forEach((frame) => {{
  const body = frame.contentDocument.body;
  frame.style.height = body.scrollHeight + 8 + "px";
}});
setInterval(fit, 200);
</script></body></html>"""


def main() -> None:
    """Write one sheet a template and width: ``question-phone.png`` and so on."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("deck", type=Path)
    options.add_argument("folder", type=Path)
    options.add_argument("--mathjax", type=Path, help="MathJax's es5 folder")
    options.add_argument("--card", help="only cards whose note's first field contains this")
    options.add_argument("--all", action="store_true", help="every card, not one a template")
    given = options.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with scratch_collection() as collection, tempfile.TemporaryDirectory() as scratch:
        import_package(collection, given.deck)
        mathjax = given.mathjax or _fetch_mathjax(Path(scratch))
        if not (given.card or given.all):
            (given.folder / MADE_FROM).write_text(made_from(collection) + "\n")
        for name, card in _cards(collection, given.card, every=given.all):
            for size, width in (("phone", PHONE), ("desktop", DESKTOP)):
                page = Path(scratch, f"{name}-{size}.html")
                page.write_text(_sheet(collection, card, width, mathjax), encoding="utf-8")
                _shoot(page, given.folder / f"{name}-{size}.png", width)


def made_from(collection: Collection) -> str:
    """A hash of all that the pictures show: both sides of a card of each template, and names."""
    digest = hashlib.sha256()
    for name, card in _cards(collection, None, every=False):
        digest.update(f"{name}\n{card.question()}\n{card.answer()}\n".encode())
    return digest.hexdigest()


def _fetch_mathjax(folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("no npm to fetch MathJax with: give --mathjax")
    subprocess.run([npm, "pack", _MATHJAX], cwd=folder, check=True, capture_output=True)
    shutil.unpack_archive(next(folder.glob("mathjax-*.tgz")), folder / "mathjax")
    return folder / "mathjax" / "package" / "es5"


def _cards(
    collection: Collection, wanted: str | None, *, every: bool
) -> Iterator[tuple[str, Card]]:
    """A card of each template (the first that fits), or every card, with a name for its file."""
    seen: set[str] = set()
    for number in collection.db.list("select id from cards order by due, id"):
        card = collection.get_card(number)
        first = card.note().fields[0]
        if wanted and wanted not in first:
            continue
        name = f"{card.note_type()['name']} {card.template()['name']}".lower()
        name = "-".join(dict.fromkeys(name.removeprefix("closedbook ").split()))
        if every or wanted:
            name = f"{first}-{name}-{card.ord + 1}".replace("/", ".").replace("#", ".")
        if name not in seen:
            seen.add(name)
            yield name, card


def _sheet(collection: Collection, card: Card, width: int, mathjax: Path) -> str:
    """Four frames: front and back by day, front and back at night."""
    frames = []
    for night in (False, True):
        for side in ("front", "back"):
            shown = card.question() if side == "front" else card.answer()
            frame = _FRAME.format(
                night_html="night-mode" if night else "",
                night="nightMode" if night else "",
                number=card.ord + 1,
                base=Path(collection.media.dir()).as_uri(),
                mathjax=mathjax.resolve(),
                side=_typed(card, shown, side),
            )
            caption = f"{side}, {'night' if night else 'day'}"
            frames.append(
                f"<figure><figcaption>{caption}</figcaption><iframe style='width:{width}px' "
                f'srcdoc="{html.escape(frame)}"></iframe></figure>'
            )
    return _SHEET.format(frames="".join(frames), width=_columns(width) * (width + 16))


def _typed(card: Card, shown: str, side: str) -> str:
    """The box for a typed answer, which Anki's reviewer puts in by itself."""
    box = '<center><input type="text" id="typeans"></center>'
    if side == "back":
        note = card.note()
        compared = card.col.compare_answer(note["Typed"] if "Typed" in note else "", "(4, 3)")  # noqa: SIM401 - a note has no get
        box = f'<div style="font-size:20px">{compared}</div>'
    return shown.replace("[[type:Typed]]", box)


def _columns(width: int) -> int:
    return 4 if width == PHONE else 2


def _shoot(page: Path, picture: Path, width: int) -> None:
    """Take the picture and cut off what is empty below."""
    wide = _columns(width) * (width + 16) + 32
    subprocess.run(
        [
            shutil.which("chromium") or "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--allow-file-access-from-files",
            f"--user-data-dir={page.parent}/profile",
            f"--window-size={wide},3200",
            "--virtual-time-budget=8000",
            f"--screenshot={picture}",
            page.as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    gray = ["-bordercolor", "#8a9099"]
    trim = [*gray, "-fuzz", "1%", "-trim", "+repage", *gray, "-border", "16"]
    small = ["+dither", "-colors", "192", f"PNG8:{picture}"]
    subprocess.run(["convert", str(picture), *trim, *small], check=True, timeout=120)


if __name__ == "__main__":
    main()
