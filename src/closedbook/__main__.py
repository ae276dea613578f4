"""``python -m closedbook`` is ``cards``."""

from closedbook.cli import main

if __name__ == "__main__":
    main()
