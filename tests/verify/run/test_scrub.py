"""What captured text loses, so that it is the same everywhere."""

from pathlib import Path

import pytest

from closedbook.verify.run.scrub import scrub

ROOT = Path("/home/somebody/bank")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("<Node object at 0x7f3a5c1b2d40>", "<Node object at 0x…>"),
        ("<Node object at 0x55d0f00dcafe>", "<Node object at 0x…>"),
        ("id 139887654321456", "id …"),
        ('File "/usr/lib/python3/site-packages/torch/autograd/graph.py", line 841',
         'File "…/graph.py", line 841'),
        ("/home/somebody/bank/generators/e.py:3", "generators/e.py:3"),
        ("see /home/another/bank/generators/e.py", "see …/e.py"),
        ("(5, 4) / (3, 4), 1/2, a/b, n / i / o", "(5, 4) / (3, 4), 1/2, a/b, n / i / o"),
        ("https://pytorch.org/docs/main/notes.html", "https://pytorch.org/docs/main/notes.html"),
        ("half \ud800 a pair, \u00e9 \U0001f600", "half \\ud800 a pair, \u00e9 \U0001f600"),
        ("mask 0xff, 123456789012 items, 1.2345678901234567", None),
        ("tensor([[0.12345678901234567]])", None),
        ("a path /tmp alone", None),
    ],
)  # fmt: skip
def test_what_is_taken_out(text: str, clean: str | None) -> None:
    """Addresses, object ids and folders go; numbers, fractions and links stay."""
    assert scrub(text, ROOT) == (text if clean is None else clean)


def test_scrubbing_again_changes_nothing() -> None:
    """Clean text stays as it is."""
    once = scrub("at 0x7f3a5c1b2d40 in /usr/lib/python3/x.py id 139887654321456", ROOT)
    assert scrub(once, ROOT) == once
