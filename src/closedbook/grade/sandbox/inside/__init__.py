"""What runs in the sandbox. Nothing here may import the rest of closedbook.

The folder is mounted read-only where the attempt runs, and its modules import each other by their
bare names; :mod:`~closedbook.grade.sandbox.inside.wire` is used on both sides of the wall.
"""
