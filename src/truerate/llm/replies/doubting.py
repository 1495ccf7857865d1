"""Words of doubt, of condition and of exception, with which a sentence about a judged text is not read."""

import re

from truerate.core.patterns import lazy

_DOUBT = lazy(
    r"\b(?:(?-i:may)|might|maybe|perhaps|possibl[ey]|probabl[ey]|likely|could|would|should|if|whether|"
    r"unless|except|but|however|"
    r"although|though|otherwise|unclear|unsure|not\s+sure|uncertain|depends?|some\s+would|some\s+say|"
    r"one\s+might|either|or|nor|"
    r"mostly|mainly|largely|partly|partially|almost|nearly|hardly|in\s+part|only|apart\s+from|far\s+from|"
    r"anything|not\s+only|"
    r"suppose|assuming|(?<!\ba\s)(?<!answer\s)(?<!response\s)(?<!summary\s)(?<!\bit\s)claims?\s+that|question\s+is)\b",
    re.IGNORECASE,
)
# behind the colon of a fault, what leaves it open after all
_LEFT_OPEN = lazy(
    r"\b(?:maybe|perhaps|possibl[ey]|probabl[ey]|not\s+sure|unless|otherwise|or\s+is|may\s+be|but|however|although|though|if)\b|\?",
    re.I,
)
# a word of doubt before a clause that says outright what follows
_DOUBTS = lazy(
    r"\b(?:if|whether|unless|(?-i:may)|might|maybe|perhaps|possibl[ey]|probabl[ey]|likely|not\s+sure|unsure|uncertain|unclear|depends?|"
    r"some\s+(?:would|say))\b",
    re.I,
)


def is_doubted(sentence: str, clause: str, *, is_fault: bool) -> bool:
    """Whether a word of doubt stands before the tail of the clause that is read; the explanation of a fault may hold some."""
    head, *behind = re.split(r"\b(?:because|since)\b", clause)
    if is_fault:
        head, *more = re.split(r"[:(—–]|,\s+(?:which|while|whereas|when|as)\b", head, maxsplit=1)
        if any(_LEFT_OPEN.search(part) for part in more):
            return True
    before = sentence[: len(sentence) - len(clause)]
    is_outright = re.match(r"which\s+(?:makes|renders)\b", clause, re.I) or re.search(
        r"[,;:]\s*(?:(?:and\s+)?(?:so|hence|thus|therefore))\s*,?\s+\Z", before, re.I
    )
    return bool((_DOUBTS if is_outright else _DOUBT).search(before) or _DOUBT.search(head))
