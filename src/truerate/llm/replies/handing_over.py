"""What hands over what was asked for: a verdict that stands alone (`Here you go: Yes`, `After careful review, no.`), or
a text on the lines below (`How about this:`).

Before a verdict it is taken off where the word is a sentence of its own, and where the words before it hold no
verdict, no negation and no word of what is right or wrong: they say nothing of the judged text.
"""

import re

from truerate.core.patterns import lazy
from truerate.llm.replies.lexicon import FAULT, NEGATION, SOUND, WORD

_GIVEN = (
    r"(?:you(?:'ve|\s+have|'d|\s+had)?\s+)?(?:asked|requested|wanted|needed|need|want|instructed)(?:\s+for)?"
)
_REPLY = r"(?:answer|reply|response|output|result|judge?ment|verdict|decision|evaluation|assessment|conclusion|classification|label|word)"
_HANDED = (
    r"(?:here|there)\s+you\s+(?:go|are)|here\s+(?:it\s+)?(?:is|comes|goes)(?:\s+it)?|"
    rf"here(?:'s|\s+is|\s+comes)\s+(?:what\s+{_GIVEN}|(?:the|my|your|an?)\s+(?:[\w-]+\s+){{0,2}}?{_REPLY}\s+(?:that\s+|as\s+)?{_GIVEN}|"
    rf"my\s+{_REPLY}|(?:the|my|your|an?)\s+(?:single[- ]word|one[- ]word|short|brief|required|requested|final|own)\s+{_REPLY})|"
    rf"as\s+{_GIVEN}|as\s+per\s+(?:your|the)\s+(?:instructions?|request|format|rules?)|"
    r"tl\s*;?\s*dr|bottom\s+line|(?:the\s+)?short\s+(?:answer|version)|long\s+story\s+short|simply\s+put|to\s+sum\s+(?:it\s+)?up|"
    r"in\s+(?:a\s+nutshell|one\s+word|a\s+single\s+word|short|brief|sum|summary)"
)
_AFTER = (
    r"(?:after|upon|on|following|in\s+(?:the\s+)?light\s+of|based\s+on|having|considering|judging|reviewing|weighing)\b"
    r"[^:;,.!?\n\"“”()]{1,70}"
)
_HANDS_OVER = lazy(
    r"\A[\s*_#>]*(?:(?:sure(?:\s+thing)?|certainly|of\s+course|ok(?:ay)?|alright|gladly|understood|got\s+it)\s*[!.,]+\s*)?"
    rf"(?P<words>(?:{_HANDED})\s*[*_]*[:—–-]|{_AFTER}[:,])[\s*_]*(?:\n\s*)?"
    rf"(?=[\"'“*_`(\[]*(?<!\w)(?:{WORD})(?!\w|-\w)[\"'”*_`)\]]*[.!]?[\"'”*_`)\]]*(?:\s*\n|\s*\Z|(?<=[.!])\s|(?<=[.!][*_`\"'])\s))",
    re.I,
)
# an outro right behind the word, without a full stop between
_LEAVES = lazy(
    rf"\A(?P<word>[\s*_#>\"'“`(\[]*(?:{WORD})[\"'”*_`)\]]*)\s+(?=(?:(?:please\s+)?(?:let\s+me\s+know|feel\s+free)|"
    rf"(?:i\s+)?hope\s+(?:this|that|it)\s+helps|"
    r"is\s+there\s+anything\s+else|if\s+you\s+(?:have|need|want|would\s+like)\s+(?:any\s+(?:\w+\s+)?questions?|more|"
    r"further|me\s+to|another))\b)",
    re.I,
)
# a line of its own above a text; with the text behind a colon where it can be no part of one
TEXT_BELOW = lazy(
    r"\A[\s*_#>]*(?:(?:sure(?:\s+thing)?|certainly|of\s+course|ok(?:ay)?|alright|gladly|understood|got\s+it)\s*[!.,]+\s*)?"
    rf"(?:(?:{_HANDED})\s*[*_]*[:—–-][\s*_]*(?=\S)|(?:{_HANDED}|how\s+about\s+(?:this|the\s+following)(?:\s+one)?|"
    r"(?:i(?:'d|\s+would|\s+will|'ll)|let\s+me)\s+(?:write|go\s+with|say|offer|suggest|answer)(?:\s+(?:one|this|it|"
    r"with\s+this|the\s+following))?|"
    r"following\s+(?:the|your)\s+(?:\w+\s+)?(?:instructions?|rules?|format|pattern|examples?))[*_]*\s*[.:!][ \t*_]*\n\s*)",
    re.I,
)
_SAYS = lazy(
    rf"(?<!\w)(?:{WORD})(?!\w)|{NEGATION}|{FAULT}|{SOUND}|n't\b|\b(?:not|never|nothing|none|without|but|free|if|unless|whether|right|"
    r"accura\w*|correct\w*|tru(?:e|th\w*)|faith\w*|support\w*|consist\w*|fals\w*|wrong\w*|incorrect\w*|inaccura\w*|error\w*|mistake\w*|"
    r"hallucinat\w*|fabricat\w*|contradict\w*|mismatch\w*|match\w*|says?|said|stat(?:es?|ed|ing)|claims?|answered|quot\w*)\b",
    re.I,
)


def taken(text: str) -> str:
    """A text without what hands over the verdict that it begins with, and with a full stop before an outro; the text
    itself where nothing hands it over.
    """
    text = _LEAVES.sub(r"\g<word>. ", text)
    found = _HANDS_OVER.match(text)
    return text if found is None or _SAYS.search(found["words"]) else text[found.end() :]
