"""What stands beside a word of verdict and speaks against it, or shows that it answers something else: the same
said in words, agreement with a claim of the text, the verdict on one step of a list.
"""

import re

from truerate.core.patterns import lazy
from truerate.llm.replies.grammar import paraphrase, state
from truerate.llm.replies.lexicon import WORD

# words of the other verdict behind one, in a sentence that the grammar does not read
CONTRARY = {
    True: lazy(r"\b(?:not|no|n't|free\s+of|without)\s+(?:\w+\s+){0,2}?hallucinat", re.I),
    False: lazy(r"\A(?!.*\b(?:not|no|nothing|none|never|without|free|neither|nor|zero|if|whether|non)\b|.*n't\b)"
                r".*\b(?:is|are|was|were|contains?|has|have|includes?)\s+(?:\w+\s+){0,2}?hallucinat", re.I | re.DOTALL),
}  # fmt: skip
_SOURCE = r"(?:the|this|that)\s+(?:\w+\s+)?(?:document|knowledge|source|text|passage|article|dialogue|context|history|evidence)\s+"
# a Yes that agrees with a claim, and a No that disputes one: the contrary of what was asked, or a step
OF_CLAIM = {
    True: lazy(
        rf"{_SOURCE}(?:does|says?|states?|mentions?|confirms?|supports?|has|agrees)\s*"
        r"(?:so|it|this|that|exactly\s+that|the\s+same)?\s*\Z",
        re.I,
    ),
    False: lazy(
        rf"{_SOURCE}(?:(?:does\s+not|doesn't|never)\s*(?:says?|states?|mentions?|confirms?|supports?)?\s*(?:so|it|this|that)?|"
        r"(?:disagrees|says\s+otherwise|contradicts\s+(?:it|this|that)))\s*\Z",
        re.I,
    ),
}
# in a list: the verdict on one entry behind what it is about (`2. The year is 1931. Yes, it matches.`)
_ENTRY = lazy(r"^[ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+\S", re.MULTILINE)
_STEP = lazy(
    r"^([ \t]*(?:\d{1,2}[.)]|[-*•])[ \t]+(?![^\n]*\b(?:final|overall|judge?ment|verdict|conclusion)\b)"
    rf"[^\n]*?\w[^\n]*?[.!][\"*_)]*[ \t]+)(?:{WORD})(?!\w)",
    re.I | re.MULTILINE,
)


def without_steps(text: str) -> str:
    """A text whose lists hold a placeholder for each verdict on one entry."""
    return _STEP.sub(r"\1Q", text) if len(_ENTRY.findall(text)) > 1 else text


def in_words(clause: str) -> bool | None:
    """What a clause beside a verdict says in words of the judged text."""
    plain = clause.strip(" \t,.;:!—–-()[]|…")
    said = paraphrase(plain) if plain else None
    return state(plain) if said is None and plain else said
