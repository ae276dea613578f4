"""What runs in the sandbox. Nothing here may import the rest of closedbook.

The folder is mounted read-only where the attempt runs; :mod:`~closedbook.grade.inside.wire` is
used on both sides of the wall.
"""
