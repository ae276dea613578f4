"""The fixture bank, verified once; each test edits a copy."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.verify.verified import VerifiedBank
from tests.export.anki.workbench import Workbench


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of receipts that all tests here share."""
    return tmp_path_factory.mktemp("receipts")


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory, store: Path) -> VerifiedBank:
    """The fixture bank as it is, verified."""
    return Workbench(tmp_path_factory.mktemp("small"), store).verified()


@pytest.fixture
def bench(tmp_path: Path, store: Path) -> Workbench:
    """A copy of the fixture bank to edit, with the lock of its first release."""
    return Workbench(tmp_path, store)
