"""What the tests of checking share."""

from pathlib import Path

import pytest

from tests.verify.small_bank import LINEAR, SmallBank


@pytest.fixture
def bank(tmp_path: Path) -> SmallBank:
    """A bank that holds nothing yet."""
    return SmallBank(tmp_path)


@pytest.fixture
def linear(bank: SmallBank) -> SmallBank:
    """A bank with a linear layer that is right and one whose bias gradient is zero."""
    return bank.add("functions/linear.py", LINEAR)
