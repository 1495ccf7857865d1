"""A sentence about a judged text in the plain form that the grammar reads: contractions opened, asides and reasons that
stand first taken off, roundabout negations said straight (`anything but accurate`, `I could not find anything`).
"""

import re

from truerate.core.patterns import lazy

_CONTRACTED = lazy(r"\b(it|that|there|this|everything|nothing|answer|response|summary)'s\b", re.I)
_I_WOULD = lazy(
    r"\bi\s+would\s+(?=(?:say|conclude|judge|label|classify|mark|rate|consider|call|deem|regard|count)\b)",
    re.I,
)
_REASON_FIRST = lazy(
    r"\A(?:since|because|as|given\s+that)\s+(?!if\b)[^,;:?]{3,160},\s+(?=(?:the|it|this|that|i)\b)", re.I
)
# `anything but accurate` denies what stands behind it
_ANYTHING_BUT = lazy(r"\b(is|are|was|were)\s+(?:anything\s+but|far\s+from(?:\s+being)?)\s+(?=\w)", re.I)
# what was sought and not found is told in the past, without a doubt
_SHOULD = lazy(
    r"\bshould\s+(?=be\s+(?:considered|called|judged|classified|labell?ed|marked|rated|regarded|deemed|treated)\b)",
    re.I,
)
# words set between dashes
_ASIDE = lazy(r"\s+[–—]\s+[^–—]{1,120}\s+[–—]\s+")
# what was sought in vain
_NOT_ANYTHING = lazy(
    r"\bi\s+(?:cannot|can't|can\s+not|could\s+not|couldn't|do\s+not|don't|did\s+not|didn't)\s+(?:see|find|spot|detect|identify|locate)\s+"
    r"(?:anything|a\s+single\s+\w+(?:\s+in\s+(?:the|this)\s+(?:answer|response|summary))?|any\s+(?:statements?|"
    r"claims?|details?|information|content|parts?|facts?))(?=\s)",
    re.I,
)
_SAYS_NOTHING = lazy(
    r"\b(?:does|did)(?:\s+not|n't)\s+(say|claim|state|contain|include|add|introduce)\s+anything\b", re.I
)
_COULD_NOT = lazy(r"\bi\s+(?:could\s+not|couldn't)\s+(?=(?:see|find|detect|identify|spot|locate)\b)", re.I)


def levelled(sentence: str) -> str:
    """The sentence in its plain form, on one line and without the marks around it."""
    plain = " ".join(sentence.strip(" \t\n.!;*_`\"'#>-()[]").replace("’", "'").split())
    plain = _SAYS_NOTHING.sub(r"\1s nothing", _NOT_ANYTHING.sub("i find nothing", plain))
    plain = _ASIDE.sub(" ", _SHOULD.sub("must ", _CONTRACTED.sub(r"\1 is", plain)))
    plain = _I_WOULD.sub("i'd ", _COULD_NOT.sub("i did not ", _REASON_FIRST.sub("", plain)))
    plain = _ANYTHING_BUT.sub(r"\1 not ", plain)
    return plain
