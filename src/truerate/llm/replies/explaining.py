"""What stands behind a text that was asked for and tells of it: an explanation, an aside, what would be right, a
farewell.
"""

import re

from truerate.core.patterns import lazy

# what a text that was asked for is called, and which it is
KINDS = (
    r"(?:hallucinated|fabricated|made[- ]up|fake|false|wrong|incorrect|refined|corrected|revised|rewritten|modified|altered|improved|"
    r"plausible|"
    r"final|new|my|your)"
)
MADE = (
    r"(?:answer|response|summary|text|reply|version|candidate|example|statement|alternatives?|options?|"
    r"paraphrase|attempt)"
)
_CLAIMS = (
    r"(?:hallucinat\w*|false|incorrect|wrong|inaccurate|fabricat\w*|made[- ]up|invented|not\s+true|untrue|"
    r"fictional|fictitious|plausible|contradict\w*)"
)
EXPLAINED = lazy(
    rf"\n\s*(?:[-=*_]{{3,}}\s*\n+\s*)?[\s*_#>(\[]*(?:"
    rf"(?:explanation(?:\s+of\s+(?:the\s+)?\w+)?|notes?|reason(?:ing)?|rationale|justification|pattern(?:\s+used)?|"
    rf"hallucinations?(?:\s+(?:types?|"
    rf"patterns?|introduced|added|inserted|made|included))?|(?:introduced|inserted|added|key)\s+(?:hallucinations?|errors?|facts)|"
    rf"type\s+of\s+(?:hallucination|error)|strategy|method|technique|fabricat(?:ions?|ed\s+details?)|"
    rf"changes?(?:\s+made)?|comment|disclaimer|"
    rf"correction|(?:right|correct|true|real|actual)\s+(?:answer|response|summary))[\s*_#]*[:：—–-]"
    rf"|(?:word\s+count|number\s+of\s+words|words)\s*[:=]\s*~?\d+\b|~?\d+\s+words?\s*[)\]*_.]*\Z"
    rf"|(?<=[(\[*_])(?:this|the|my)\s+{MADE}\s+(?:stays|keeps|stands|sticks|uses|follows|answers|draws|is\s+(?:based|grounded|within|under|drawn))\b"
    rf"|why\s+(?:it|this|that)\b[^\n]{{0,60}}|alternatively[\s*_]*[:,]|===\s*(?:user|system|assistant|human)\s*==="
    rf"|what\s+(?:is|was|i)\s+(?:wrong|changed?)\b"
    rf"|(?:the|your)\s+(?:original|given|previous|initial)\s+(?:answer|response|summary)\s+"
    rf"(?:\w+ly\s+)?(?:named|said|stated|claimed|was|is|contained|contains|gave|gives|had|has|mentioned|mentions|attributed|"
    rf"confused|placed|included|omitted|mixed|got|used)\b"
    rf"|(?:this|that|it|the|my)\s+(?:{KINDS}\s+)?(?:(?:answer|response|summary|statement|text|one|"
    rf"version)\s+)?(?:is|was|contains|sounds|seems|follows|states|names)\s+[^\n]{{0,80}}?\b{_CLAIMS}"
    rf"|(?:this|that|the|my)\s+(?:{KINDS}\s+)?{MADE}\s+(?:adds|invents|introduces|changes|replaces|claims|states|says|mentions)\s+[^\n]{{0,160}}?"
    r"(?:\b(?:not|nowhere|never|wrong|false|instead)\b|n't\b)"
    rf"|(?:let\s+me\s+know|tell\s+me\s+(?:if|whether)|i\s+hope\s+(?:this|that|it)|feel\s+free|would\s+you\s+like|"
    rf"please\s+(?:note|let)|hope\s+(?:this|that|it)|"
    rf"is\s+there\s+anything)\b"
    rf"|the\s+(?:hallucination|error|mistake|fabrication|false\s+(?:part|detail))\s+(?:lies|is|was|here|consists|concerns)\b"
    rf"|(?<=[(\[*])[^\n()]{{0,160}}?\b(?:is|are|was|were)\s+(?:\w+\s+)?{_CLAIMS}"
    rf"|(?<=[(\[*])[^\n]{{0,160}}?\b(?:is|are|was|were)\s+not\s+(?:mentioned|stated|in|found|supported|"
    rf"given)\b[^\n]{{0,30}}\b(?:document|knowledge|source)\b"
    rf"|note\s+that\b[^\n]{{0,160}}?\b(?:{_CLAIMS}|(?:not|never|isn't|aren't)\b[^\n]{{0,60}}\b(?:document|knowledge|source|text)\b)"
    rf"|(?<=[(\[*])[^\n()]{{0,160}}?\b(?:has|have)\s+been\s+(?:\w+ly\s+)?(?:changed|altered|replaced|swapped|invented|made\s+up)\b"
    rf"|(?:i|we)\s+(?:have\s+)?(?:chose|picked|went\s+with|changed?|replaced|corrected|swapped|altered|invented|made\s+up|kept|"
    rf"removed)\b"
    rf"|in\s+(?:this|the|my)\s+(?:{KINDS}\s+)?{MADE},?\s+(?:i\s+|[^\n.]{{1,80}}?\s(?:was|were|is|has\s+been|"
    rf"have\s+been)\s+)(?:\w+ly\s+)?(?:changed|altered|replaced|swapped|invented|fabricated|made\s+up|modified)\b"
    rf"|in\s+(?:this|the|my)\s+(?:{KINDS}\s+)?{MADE},?\s+[^\n.]{{1,80}}?\s(?:is|are|was|were)\s+(?:\w+ly\s+)?{_CLAIMS}"
    rf"|the\s+\w+\s+(?:was|were|is)\s+(?:wrong|incorrect|false|changed|corrected)\s+(?:in|from)\s+the\s+original\b"
    rf"|[^\n]{{0,200}}\bi\s+(?:have\s+)?(?:changed|replaced|corrected|swapped|altered)\b"
    rf"|(?:in\s+fact|in\s+reality|actually),?\s+[^\n]{{0,120}}?\b(?:right|correct|true|document|knowledge|"
    rf"source)\b"
    rf").*\Z",
    re.I | re.DOTALL,
)

ASIDE = lazy(
    rf"\s+//\s*{_CLAIMS}[^\n]{{0,60}}\Z|\s*[*_]{{0,2}}[(\[](?:instead\s+of\b|this\s+is|this\s+(?:answer|response)|the\s+response\b|notes?\b|the\s+(?:right|correct|true|actual|"
    rf"real)\s+\w+\s+(?:is|was|being|would)\b|the\s+(?:right|correct|true|actual|real)\s+answer|explanation|in\s+fact|actually|"
    rf"(?:right|correct|true|actual|real)(?:\s+\w+)?\s*[:=]|"
    rf"not\s+(?:the|true)|corrected\b|changed\s+from|replaced\b|(?:changed|swapped|altered|modified)\s+(?:the|an?|its|"
    rf"one)\b|{_CLAIMS})[^()\[\]]*[)\]][.*_]{{0,3}}\s*\Z",
    re.I,
)

# a text that is quoted as a whole, and words of the writer's behind it: in a paragraph or in brackets of their own
QUOTED_FIRST = lazy(
    r"\A(?:\"(?P<text>[^\"\n]{8,}[.!?])\"|“(?P<curly>[^”\n]{8,}[.!?])”)(?:\s*\n\s*\n.+|\s*[*_]?\([^()\n]+\)[.*_]*)\s*\Z",
    re.DOTALL,
)
# behind a short answer alone: what would be right, that this is wrong
ACTUAL = lazy(
    rf"(?:\n\s*(?:the|its)\s+(?:actual|right|correct|true|real)\s+\w+\s+(?:is|was)\b|"
    rf"\s+//\s*{_CLAIMS}|\s+[—–-]\s*(?:(?:this|that|it|which)\s+(?:is|was)|an?(?:\s+(?:\w+\s+)?(?:but|and|"
    rf"yet))?)\s+(?:\w+\s+but\s+)?{_CLAIMS}).*\Z",
    re.I | re.DOTALL,
)

FAREWELL = lazy(r"\s+(?:i\s+hope\s+(?:this|that|it)\s+helps|let\s+me\s+know\s+if)\b[^\n]*\Z", re.I)

# a last line that speaks to the one who asked
PARTING = lazy(
    r"\n\s*[*_(\[]*(?:have\s+a\s+(?:great|nice|good|wonderful|lovely)\s+(?:day|one|time|weekend|evening)|"
    r"(?:many\s+)?thanks?(?:\s+(?:you|a\s+lot|again|so\s+much|in\s+advance|for\s+[^\n]{1,60}))*|cheers|good\s+luck|"
    r"(?:please\s+)?(?:provide|send|give|share|paste)\s+(?:me\s+)?(?:with\s+)?the\s+next\b[^\n]{0,60}|"
    r"next\s+(?:one|question|example|item)\b[^\n]{0,40}|(?:do|would)\s+you\s+(?:want|like|need|prefer)\b[^\n]{0,100}|"
    r"shall\s+i\b[^\n]{0,100}|"
    r"(?:the\s+)?end\s+of\s+(?:the\s+|my\s+)?(?:\w+\s+)?(?:answer|response|summary|reply|output|text|example))[\s.!?)\]*_]*\Z",
    re.I,
)
