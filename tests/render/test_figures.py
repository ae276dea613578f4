"""A figure is shown only where it exists in the bank, whole, and holds nothing that runs."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from closedbook.render.figures import LARGEST, figure_problem

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">{}</svg>'


def png() -> bytes:
    """The smallest picture: one black pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0\0")
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A unit's folder in a bank."""
    folder = tmp_path / "bank" / "cards" / "unit"
    folder.mkdir(parents=True)
    return folder


def problem(folder: Path, name: str) -> str | None:
    """What is wrong with a figure of the unit."""
    return figure_problem(name, folder, folder.parent.parent)


def test_good_figures(folder: Path) -> None:
    """A plain SVG and a whole PNG are fine, also in a folder of their own."""
    (folder / "figures").mkdir()
    inner = (
        r'<style>rect{fill:url(#g)}</style><text>\frac \u \FFFFFFF</text><use href="#a"/>'
        '<image href="data:image/png;base64,"/>'
    )
    (folder / "a.svg").write_text("<?xml version='1.0'?>" + SVG.format(inner))
    (folder / "figures/b.png").write_bytes(png())
    assert problem(folder, "a.svg") is None
    assert problem(folder, "figures/b.png") is None


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        ("<script>1</script>", "holds <script>"),
        ("<g><x:SCRIPT xmlns:x='y'/></g>", "holds <x:SCRIPT>"),
        ("<foreignObject/>", "holds <foreignObject>"),
        ("<animate attributeName='href'/>", "holds <animate>"),
        ("<rect onload='x()'/>", "holds 'onload'"),
        ("<a href='javascript:x()'/>", "refers to 'javascript:x()'"),
        ("<image href='https://x.org/y.png'/>", "refers to 'https://x.org/y.png'"),
        ("<image href='data:image/svg+xml,x'/>", "refers to"),
        ("<use href='other.svg#a'/>", "refers to 'other.svg#a'"),
        ("<rect fill='url(http://x.org)'/>", "from outside in 'fill'"),
        ("<style>@import 'x.css';</style>", "from outside in its style"),
        ('<style>a{b:url( "http://x" )}</style>', "from outside in its style"),
        ("<style>a{b:u\\72l(http://x)}</style>", "from outside in its style"),
        (r"<style>@\000069 mport 'x.css';</style>", "from outside in its style"),
        (r"<rect style='b:\u\r\l(http://x)'/>", "from outside in 'style'"),
        ("<rect style='b:image-set(\"http://x\" 1x)'/>", "from outside in 'style'"),
        ("<?php 1 ?>", "processing instruction"),
        ("<g>", "no well-formed SVG"),
        ("<g>" * 300 + "</g>" * 300, "nested too deeply"),
    ],
)
def test_svg_that_is_refused(folder: Path, inner: str, message: str) -> None:
    """An SVG must not run anything or fetch anything."""
    (folder / "a.svg").write_text(SVG.format(inner))
    assert message in (problem(folder, "a.svg") or "")


def test_entities_are_refused_unexpanded(folder: Path) -> None:
    """A document of a thousand million laughs is refused at its first declaration."""
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE svg [<!ENTITY l0 "ha">{levels}]>' + SVG.format("<text>&l9;</text>")
    (folder / "a.svg").write_text(bomb)
    assert "declares an entity" in (problem(folder, "a.svg") or "")
    outside = '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + SVG.format("&x;")
    (folder / "b.svg").write_text(outside)
    assert "declares an entity" in (problem(folder, "b.svg") or "")


def test_broken_figures(folder: Path) -> None:
    """A file that is cut off, is something else, or is too large is refused."""
    (folder / "cut.png").write_bytes(png()[:-8])
    (folder / "text.png").write_text("no picture")
    (folder / "page.svg").write_text("<html/>")
    (folder / "a.bmp").write_bytes(b"BM")
    with (folder / "big.png").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert "its end is missing" in (problem(folder, "cut.png") or "")
    assert "is no PNG file" in (problem(folder, "text.png") or "")
    assert "outermost element is <html>" in (problem(folder, "page.svg") or "")
    assert "use SVG, PNG" in (problem(folder, "a.bmp") or "")
    assert "is larger than 8 MB" in (problem(folder, "big.png") or "")
    for encoding in ("none-such", "UTF-7", "shift_jis"):
        (folder / "a.svg").write_text(f"<?xml version='1.0' encoding='{encoding}'?><svg/>")
        assert "no well-formed SVG" in (problem(folder, "a.svg") or ""), encoding


def test_figures_stay_in_the_bank(folder: Path) -> None:
    """A figure is a file of the bank: no address, no way out, no link that leads out."""
    outside = folder.parent.parent.parent / "secret.png"
    outside.write_bytes(png())
    (folder / "link.png").symlink_to(outside)
    assert "lies outside the bank" in (problem(folder, "../../../secret.png") or "")
    assert "lies outside the bank" in (problem(folder, "link.png") or "")
    (folder.parent.parent / "assets.png").write_bytes(png())
    assert "lies outside of 'cards'" in (problem(folder, "../../assets.png") or "")
    assert "write the figure's path" in (problem(folder, str(outside)) or "")
    assert "shows offline" in (problem(folder, "https://x.org/a.png") or "")
    assert "no figure 'missing.svg'" in (problem(folder, "missing.svg") or "")
    (folder / "round.svg").symlink_to("round.svg")
    assert problem(folder, "round.svg")


def test_a_figure_that_was_mended_is_read_again(folder: Path) -> None:
    """The answer follows the file, not the first look at it."""
    file = folder / "a.svg"
    file.write_text(SVG.format("<script/>"))
    assert problem(folder, "a.svg")
    file.write_text(SVG.format("<rect/>"))
    assert problem(folder, "a.svg") is None
