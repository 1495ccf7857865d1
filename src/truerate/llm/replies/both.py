"""What a reply says of both texts before it picks one of them: that it read them, what it grants both, that neither
is right and one has to be picked all the same.
"""

import re

from truerate.core.patterns import lazy
from truerate.llm.replies.mentions import NOUNS, VERB

# both are granted something before one is picked: `Both are fine, but I would choose …`
_BOTH_BUT = lazy(
    rf"^\W*(?:both|either|neither|they|the\s+two)\b[^.;:!?\n]{{0,80}}?,?\s+but\s+(?=(?:overall,?\s+)?(?:{VERB}\s|"
    rf"(?:{NOUNS})\s+[12]\s+\w+s\s+(?:[^.;:!?\n]{{0,60}}\s)?(?:more|better|best|closer|nearer)\b))",
    re.I,
)


# one has to be picked though both, or neither, would do: `Neither is right, but if I must choose, Answer 1.`
_FORCED = lazy(
    rf"^\W*(?:(?:both|neither|either|none|they|the\s+two)\b[^.;:!?\n]{{0,80}}(?:[.;!]\s+|,?\s+))?(?:(?:but|however|still|yet),?\s+)?"
    rf"if\s+(?:i\s+)?(?:must|had\s+to|have\s+to|(?:am\s+|'m\s+)?forced(?:\s+to)?)(?:\s+(?:choose|pick|decide|say|"
    rf"select)(?:\s+one)?)?\s*,?\s+"
    rf"(?:then\s+)?(?=(?:{VERB}\s|(?:{NOUNS})\s+[12]\b|the\s))",
    re.I,
)


# a first sentence, or clause, that says only that both were looked at
_BOTH_READ = lazy(
    rf"^\W*(?:(?:ok(?:ay)?|sure|well|so|alright|certainly|of\s+course|absolutely|yes)\W+)?(?:i(?:'ve|\s+have)?|after|having|upon)\s+(?:(?:now|carefully|closely|first)\s+)*"
    rf"(?:re-?)?(?:read(?:ing)?|look(?:ed|ing)\s+at|consider(?:ed|ing)|compar(?:ed|ing)|review(?:ed|ing)|examin(?:ed|ing)|"
    rf"check(?:ed|ing)|evaluat(?:ed|ing)|analy[sz](?:ed|ing)|weigh(?:ed|ing)|went\s+through|going\s+through)\s+(?:through\s+)?"
    rf"both(?:\s+of\s+(?:them|these|the\s+two))?(?:\s+(?:of\s+)?(?:the\s+|these\s+)?(?:{NOUNS}))?"
    rf"(?:\s+(?:carefully|closely|again|twice|in\s+turn|against\s+the\s+\w+|with\s+(?:great\s+)?care))?\s*[.,:;!]\s*(?=\S)",
    re.I,
)


# what the writer is about to do, on the way to a pick
_ANNOUNCED = lazy(
    r"\A\W*(?:(?:ok(?:ay)?|sure|alright|well|so|first)\W+)?(?:let\s+me|let's|i(?:'ll|\s+will))\s+(?:\w+\s+)?"
    r"(?:look|think|analy[sz]e|compare|evaluate|check|consider|examine|judge|read|go\s+through)\b"
    r"(?!(?:[^.:!?\n])*?(?:[12]|\b(?:first|second|one|former|latter)\b))[^.:!?\n]{0,80}[.:!]\s+(?=\S)",
    re.I,
)


def without_both(text: str) -> str:
    """A reply without what it begins to say of both texts, where a pick of one follows, or is about to do."""
    return _FORCED.sub("", _BOTH_READ.sub("", _BOTH_BUT.sub("", _ANNOUNCED.sub("", text))))
