"""Detectors: what says of a text, without asking a model, whether it contains hallucination. One interface,
many members.
"""

from truerate.detectors.family import fit_family, judge_family, members
from truerate.detectors.interface import Detector

__all__ = ["Detector", "fit_family", "judge_family", "members"]
