"""Detectors that mark hallucinated tokens of an answer, given its reference.

What trains and asks them is imported where it is first named: other families need features.py alone. Nothing
here brings torch or transformers, which take seconds to import, before a network is trained or asked
(networks.py).
"""

from truerate.detectors.tokens.rules import check_member

__all__ = ["check_member", "fit_tokens", "judge_tokens", "mark_text", "mark_texts"]


def __getattr__(name: str):
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from truerate.detectors.tokens import family

    return getattr(family, name)
