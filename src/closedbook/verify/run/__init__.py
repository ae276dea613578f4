"""Running one check: the bank's code is loaded, called with care, and asked for facts.

All that imports torch is here.
"""
