"""What tells one installation from another: receipts of another program are no receipts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from closedbook.verify import environment

PARTS = ("model", "paper", "render", "source", "verify", "verify/formats")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one file a part, which this module takes for its own."""
    for part in (*PARTS, "grade"):
        folder = tmp_path / part
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "one.py").write_text("ONE = 1\n")
    monkeypatch.setattr(environment, "__file__", str(tmp_path / "verify" / "environment.py"))
    return tmp_path


def engine() -> str:
    """The engine's version, read anew."""
    environment.package_digest.cache_clear()
    try:
        return environment.engine_version.__wrapped__()
    finally:
        environment.package_digest.cache_clear()


@pytest.mark.parametrize("part", ["model", "source", "verify", "verify/formats"])
def test_an_edit_of_the_engine_is_another_engine(package: Path, part: str) -> None:
    """Whoever mends what reads or runs a check sees checks run again; another edit does nothing."""
    before = engine()
    (package / "grade" / "one.py").write_text("ONE = 2\n")
    assert engine() == before
    (package / part / "one.py").write_text("ONE = 2\n")
    assert engine() != before


@pytest.mark.parametrize("part", PARTS)
def test_a_remembered_verdict_is_one_of_these_very_files(package: Path, part: str) -> None:
    """A file of other size or time, or a file more, is another installation."""
    first = environment.stamp()
    assert environment.stamp() == first
    file = package / part / "one.py"
    os.utime(file, ns=(0, 0))
    second = environment.stamp()
    (package / part / "two.txt").write_text("")
    assert len({first, second, environment.stamp()}) == 3


def test_what_python_leaves_behind_is_no_other_installation(package: Path) -> None:
    """Compiled files come and go."""
    before = environment.stamp(), engine()
    (package / "verify" / "__pycache__").mkdir()
    (package / "verify" / "__pycache__" / "one.pyc").write_text("")
    assert (environment.stamp(), engine()) == before


def test_what_is_installed_beside_torch_is_part_of_an_installation(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library of another version may find other mistakes in the same files."""
    folder = package / "site-packages"
    (folder / "markdown_it_py-4.0.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(environment, "installed", environment.installed.__wrapped__)
    monkeypatch.syspath_prepend(str(folder))
    before = environment.stamp()
    assert "markdown_it_py-4.0.0" in environment.installed()
    (folder / "markdown_it_py-4.0.0.dist-info").rename(folder / "markdown_it_py-5.0.0.dist-info")
    assert environment.stamp() != before


def test_the_version_of_torch_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version of torch is its distribution's own, found with and without the quick look."""
    import torch

    assert environment.torch_version() == torch.__version__
    monkeypatch.setattr(environment, "installed", tuple)
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"{name} by metadata")
    assert environment.torch_version.__wrapped__() == "torch by metadata"
