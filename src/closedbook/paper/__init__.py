"""What is asked on an exam, before anybody decides how it looks.

A blueprint and a verified bank become a :class:`~closedbook.paper.plan.Plan` (which card, which
numbers, which order of options on which variant); a plan becomes, one variant at a time, the
frozen structure of :mod:`closedbook.paper.exam`. Paper, key, marking sheet, manifest and the
files for learning platforms are all made from that one structure, so they cannot disagree.
"""
