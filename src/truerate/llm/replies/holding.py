"""What a sentence says of a text by holding it against the source (`Answer 1 says May, but the document says June`), put
in words of the grammar of clauses (`weighing`). `told` is a reply with a sign for each text (`comparisons.signed`).
"""

import re

from truerate.core.patterns import lazy

_NAME = "[\x01\x02]"
SOURCE = (
    r"(?:the\s+|its\s+)?(?:given\s+|provided\s+|source\s+|actual\s+|original\s+)?(?:knowledge|documents?|sources?|"
    r"dialogue(?:\s+history)?|history|"
    r"context|facts?|text|article|passage|evidence|truth|material|information|conversation)"
)
# set between commas, to no effect on what is said
_ASIDE = lazy(
    r"(?P<name>[\x01\x02])\s*,\s+(?:on\s+the\s+other\s+hand|by\s+contrast|in\s+contrast|however|meanwhile|conversely|"
    r"though|in\s+turn|for\s+its\s+part)\s*,",
    re.I,
)
_SAYS = (
    rf"(?P<name>{_NAME})\s*:?\s+(?:\w+ly\s+)?(?:says|states|claims|gives|names|speaks|has|reports|mentions|asserts|adds|puts|tells|"
    r"makes|attributes|includes|uses|describes)\b(?:(?!\b(?:not|no|never)\b|n't)[^.!?;\n\x01\x02]){1,160}?,?\s+"
)
# up to where the other text is told of
_ON = r"(?:(?!,?\s+(?:and|while|whereas|but)\s+[\x01\x02])[^.!?;\n\x01\x02])*"
_SHOWS = (
    r"(?:clearly\s+|actually\s+|only\s+)?(?:says|states|gives|has|speaks|names|mentions|reports|puts|shows|tells|"
    r"reads|describes|credits|lists|dates|places)\b"
)
_SAME_AS = r"(?:same|so|too|also|as\s+well|agree\w*|confirm\w*|likewise|exactly\s+that|it|this|that)\b"
# what a text says, held against the source in the same sentence
_OTHERWISE = lazy(
    rf"{_SAYS}(?:but|while|whereas|when|although|though|yet)\s+(?:in\s+)?(?:{SOURCE}(?:,)?\s+(?:it\s+(?:is|was)|"
    rf"we\s+(?:read|find)|{_SHOWS})(?!\s+(?:the\s+|that\s+|it\s+)?{_SAME_AS})"
    rf"|(?:it|that|he|she|they)\s+(?:is|was|were)\s+(?:actually|really|in\s+fact))(?!{_ON}\b(?:same|also|too)\b){_ON}",
    re.I,
)
_NOT_THERE = lazy(
    rf"{_SAYS}(?:which|that|and\s+that|and\s+this)\s+(?:(?:is|was|are|were|does|do|can)(?:n't|\s*not|\s+nowhere|"
    rf"\s+never)\s+(?:to\s+)?(?:be\s+)?(?:in|"
    r"mentioned|stated|supported|found|given|true|correct|backed|appear|occur|said|part\s+of|verified|confirmed)\b|"
    r"(?:is|was)(?:n't|\s+not)(?=\s*(?:[.!,;\n]|\Z))|(?:is|was)\s+(?:simply\s+|clearly\s+)?(?:wrong|false|incorrect|made[ -]up|"
    rf"fabricated|invented|unsupported)\b|(?:contradicts|conflicts\s+with|is\s+contrary\s+to)\s+{SOURCE}){_ON}",
    re.I,
)
_THERE = lazy(
    rf"{_SAYS}(?:which|and\s+that|and\s+this|as)\s+(?:(?:is|was)\s+(?:exactly\s+|also\s+|indeed\s+)?(?:what|in|"
    rf"correct|right|true|supported\s+by|confirmed\s+by|stated\s+in)\b|(?:matches|agrees\s+with)\s+{SOURCE}|"
    rf"{SOURCE}\s+(?:does|says|confirms)\b){_ON}",
    re.I,
)
# what is right, told with the text that says it
_GIVEN_IN = lazy(
    rf"(?:the\s+(?:correct|right|true|actual)\s+\w+\s+is\b|"
    rf"{SOURCE}\s+{_SHOWS})[^.!?;\n\x01\x02]*,\s+(?:as\s+(?:(?:is\s+)?(?:given|stated|said|told)\s+(?:in|by)\s+)?|"
    rf"which\s+is\s+what\s+)(?P<name>{_NAME})(?:\s+(?:says|gives|has|states|does))?(?=\s*[.!;\n]|\s*\Z)",
    re.I,
)


def held_against(told: str) -> str:
    """A reply with what each text says and the source does, or does not, in words of the grammar."""
    told = _GIVEN_IN.sub(r"\g<name> matches the source", told)
    told = _OTHERWISE.sub(r"\g<name> contradicts the source", told)
    told = _NOT_THERE.sub(r"\g<name> contradicts the source", told)
    return _THERE.sub(r"\g<name> matches the source", told)


def without_asides(told: str) -> str:
    """A reply without words set between commas behind a name, to no effect on what is said (`Answer 2, by contrast, …`)."""
    return _ASIDE.sub(r"\g<name>", told)
