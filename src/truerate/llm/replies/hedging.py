"""Words with which a verdict is left open, hedged, excepted from or taken back."""

import re

from truerate.core.patterns import lazy

# before a cue in its sentence: what stands behind it holds under a condition alone
CONDITION = r"if|unless|suppos\w+|assum\w+|whether"
BOTH = lazy(
    r"\b(?:yes|ja|oui|sí|sim)\s*(?:/|\||or|and|oder|und|ou|et|y|o|e)\s*(?:no|nein|non|não)\b|\bno\s*(?:/|or|"
    r"and)\s*yes\b",
    re.I,
)

OPEN = lazy(
    r"\b(?:(?:can(?:no|')t|could\s*n[o']t|can\s+not|unable\s+to|not\s+able\s+to|would\s*n[o']t|"
    r"do\s*n[o']t)\s+(?:\w+\s+)?(?:tell|say|decide|judge|determine|commit|know|settle|resolve)"
    r"|\bstill\s+(?:have|need)\s+to\s+(?:check|verify|look|compare)|\bhave\s+no\s+way\s+(?:to|of)\s+\w+"
    r"|(?:am|i'm|is|it's)\s+(?:not\s+(?:sure|certain|clear)\s+(?:whether|if|about|which)|unsure|undecided|"
    r"not\s+sure)"
    r"|(?:hard|difficult|impossible)\s+to\s+(?:say|tell|judge|decide|determine)|it\s+depends|leave\s+(?:it|"
    r"this|that|the\s+(?:question|matter|verdict))(?:\s+\w+)?\s+open"
    r"|could\s+go\s+either\s+way|not\s+enough\s+(?:information|evidence|context)\s+to|on\s+the\s+fence|"
    r"toss[- ]?up|50[/-]50"
    r"|undecided|flip\s+a\s+coin|i\s+guess"
    # what is to be judged is asked for
    r"|please\s+(?:provide|share|send|paste|give)\s+(?:me\s+)?(?:with\s+)?(?:the|your)\s+(?:\w+\s+)?(?:document|summary|answer|text|"
    r"response|dialogue|question|knowledge|source|content)|"
    r"(?:which|what|how)\s+(?:\w+\s+){0,2}?(?:shall|should|can|may)\s+i\b[^.\n]*\?|what\s+would\s+you\s+like)"
    # a sentence of doubt alone
    r"|(?<=[.!?…])\s+(?:maybe|perhaps|possibly|probably)(?:\s+not)?\W*\Z",
    re.I,
)

HEDGED = lazy(
    r"^\W*(?:(?:only\s+)?(?:if|unless|provided|assuming|depending|when|in\s+part|partly|partially|perhaps|"
    r"maybe|probably|possibly|not\s+(?:sure|certain)|unsure|uncertain|i\s+(?:[\w']+\s+){0,2}?(?:dis)?agree|"
    r"i\s+guess|sort\s+of|kind\s+of|i\s+(?:can|could)\s+(?:\w+ly\s+)?(?:help|assist|do|check|judge|evaluate|look|see\s+(?:the|your))|"
    r"please\s+(?:provide|share|send|paste|give)|(?:i|we)\s+(?:understand|see(?=\s*(?:[.!,]|$)|\s+(?:the|"
    r"your)\s+(?!hallucin|err|mistake|problem|issue|fault|contradict)\w+\s*(?:[.!]|$)))|"
    r"and\s+no|or\s+no|more\s+or\s+less|not\s+really|not\s+quite|in\s+a\s+way|to\s+some\s+extent|(?:sure|"
    r"and)\b.*\b(?:pigs|the\s+pope|the\s+moon|cheese)|right\s*$))\b",
    re.I,
)

BUT_FIRST = lazy(
    r"\A\W*(?:because|since|as)\s+(?:although|though|while)\b[^,]*,", re.I
)  # a reason that grants something

EXCEPTED = lazy(
    r"(?:^|[,;—–\s，、])(?:aber|mais|pero|ma|mas|maar|но|ama|fakat|لكن|但|でも|しかし|but|however|although|though|"
    r"except|unless|if\s+(?:not|you|we|one|the))\b",
    re.I,
)

# behind a Yes: what is granted of a part of the text, or of most of it, is no exception
PART_GRANTED = lazy(
    r"(?:^|[,;—–-]\s*)(?:but|though|although|even\s+though|however,?)\s+(?:(?:most|much|some|parts?|half|a\s+part|the\s+rest|the\s+bulk)"
    r"(?:\s+of\s+(?:it|the\s+\w+|what\s+it\s+says))?|the\s+(?:(?:first|second|other|last|remaining)\s+)?(?:part|half|sentence|claim|name|"
    r"date|year|place|title|number|rest|beginning|end)s?)\s+(?:is|are|was|were)\s+(?:\w+ly\s+)?(?:accurate|correct|right|true|fine|"
    r"faithful|supported)(?=\s*(?:[.,:;!]|$))",
    re.I,
)

# words with which a writer turns on what was just said, whatever was asked
BACK = (
    r"wait|scra(?:tch|p)\s+that|on\s+(?:reflection|second\s+thoughts?)|second\s+(?:look|thoughts?)|i\s+mean|"
    r"correction"
)
TAKEN_BACK = lazy(
    rf"\b(?:{BACK}|or\s+rather|"
    r"i\s+take\s+(?:it\s+back|that\s+back|back\s+my)|"
    r"never\s*mind|(?:edit|update|revised)(?=\s*:)|let\s+me\s+correct|i\s+was\s+wrong|my\s+mistake)\b"
    r"|(?:^|[.!?…;\n])\s*or\s+(?:maybe|perhaps|possibly)\b",
    re.I,
)
# of two texts: that none is picked
UNDECIDED = lazy(
    r"\bi(?:'m|\s+am)?\s+(?:really\s+|honestly\s+|simply\s+|just\s+)?(?:can(?:no|')t|cannot|unable\s+to|"
    r"not\s+able\s+to)\s+(?:really\s+)?(?:tell|say|decide|choose|determine|pick)\b"
    r"|\bi(?:'m|\s+am)\s+(?:not\s+(?:sure|certain)|unsure|undecided|torn)\b",
    re.I,
)
# anywhere in a reply, of its verdict: so narrow that no judged text says it
RETRACTED = lazy(
    r"\bdisregard\s+(?:my|the|this|that)\s+(?:\w+\s+){0,2}?(?:judge?ment|verdict|answer|above|previous)\b|\bignore\s+(?:my|the|this|that)\s+(?:\w+\s+)?(?:judge?ment|verdict|line)\s+above\b"
    r"|\bi\s+(?:have|give)\s+no\s+(?:verdict|judge?ment)\b|\bi\s+(?:hereby\s+)?(?:retract|withdraw)\b"
    r"|\bi(?:'ll|\s+will|\s+would)?\s+leave\s+the\s+(?:choice|decision|judge?ment)\s+to\s+you\b",
    re.I,
)
# behind a choice that was made outright, where any such word takes it back
WITHDRAWN = lazy(
    r"\b(?:disregard|retract|withdraw)\b|\b(?:i\s+)?take\s+(?:it|this|that)\s+back\b|\bscratch\s+(?:that|this)\b|\bstrike\s+that\b|"
    r"\bignore\s+(?:this|that|my)\b|\bi\s+misread\b(?!\s+(?:at\s+first|before|earlier))|\bi\s+(?:do\s+not|don't)\s+(?:want|wish)\s+to\s+"
    r"(?:make|give|choose|decide|pick)\b|\bno\s+best\s+(?:one|answer|response|summary)\b",
    re.I,
)
# before a statement that is not the writer's own, or that the writer does not make
REPORTED = lazy(
    r"\baccording\s+to\s+(?:the|an?|my|your)\s+(?:\w+\s+)?(?:annotator|judge|model|reader|user|author|prompt|person|rater|reviewer|"
    r"colleague|example|instructions?)|\b(?:(?:doubt|wonder|deny|question)\s+(?:that|whether|if)|(?:nobody|no\s+one|hardly\s+any\w*)\s+(?:would|could|"
    r"will|can)|not\s+(?:convinced|the\s+case|true|certain|sure|say|think|claim|mean)\b"
    r"|(?:question|issue|point|matter)\s+is\s+(?:whether|if|which)|(?:some|others|people|one|you|many|critics|"
    r"they)\s+(?:\w+\s+)?(?:would|might|may|could|can)\s+(?:\w+\s+)?(?:say|think|argue|claim|believe|object)"
    r"|(?:some|others|people|many|critics)\s+(?:say|think|argue|claim|believe)|(?:user|judge|annotator|reader|person|"
    r"author|prompt|instructions?|demonstrations?|task|guidelines?)\s+(?:\w+\s+){0,3}?(?:says?|said|claims?|claimed|"
    r"argues?|argued|tells?|told|asks?|asked|asserts?)\s+(?:\w+\s+){0,3}?(?:that|whether|when|which)"
    r"|wrong\s+to\s+(?:say|think|claim|call)|(?:might|may|could)\s+be\s+(?:that|argued)|unless|whether|only\s+say)\b|"
    r"\A\W*had\s+(?:it|the|this|they|he|she)\b|\bin\s+the\s+examples?\b",
    re.I,
)
