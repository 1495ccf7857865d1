"""Detectors, which say without asking a model whether a text is hallucinated: one interface, many members."""

from truerate.detectors.family import fit_family, judge_family, members
from truerate.detectors.interface import Detector

__all__ = ["Detector", "fit_family", "judge_family", "members"]
