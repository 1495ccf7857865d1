"""Detectors that mark hallucinated tokens of an answer, given its reference."""

from truerate.detectors.tokens.family import check_member, fit_tokens, judge_tokens, mark_text

__all__ = ["check_member", "fit_tokens", "judge_tokens", "mark_text"]
