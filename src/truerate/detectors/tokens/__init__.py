"""Detectors that mark hallucinated tokens of an answer, given its reference.

What trains and asks them stands in `family`. Nothing here brings torch or transformers, which take seconds to
import, before a network is trained or asked (networks.py).
"""
