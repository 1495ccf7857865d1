"""What a sentence says of two texts against each other, by a closed grammar; a sentence matches as a whole.

With `@` for the text that it picks and `%` for the other one (own: words of the pole that was asked for, other:
of the contrary pole):

    @ is own(more) than %                   % is other(worse) than @          compared with %, @ is own
    @ is own, while % is other | is not     % is other; @ is own              the own one is @, because % …
    I reject % and pick @                   I prefer @ to %
    since % …, @ is own                     @ is own because % is other

    neither: not %, but @                   of @ and %, the former own

A sentence of one text picks it where it says of it what was asked for (`grammar.paraphrase`: `Answer 1 contains
a hallucination`), and speaks for the other one where it says the contrary; the latter alone picks nothing.

A reply is read where every sentence that names a text is such a one or only tells of the texts, one of them
picks, all agree, and no word of doubt, question or taking back stands in it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from truerate.core.patterns import lazy
from truerate.llm.replies.grammar import paraphrase

Asks = Literal["hallucinated", "best"] | None
_IS = (
    r"(?:is|was|seems|sounds|looks|appears|reads|feels|(?:seems|appears)\s+to\s+be)\s+"
    r"(?:(?:clearly|slightly|much|far|a\s+bit|somewhat|significantly|definitely|simply|overall|entirely|completely|"
    r"wholly|totally|the|also)\s+)*"
)
_QUALITY = (
    r"(?:plausible|convincing|natural|believable|credible|fitting|suitable|appropriate|realistic|persuasive|"
    r"relevant|coherent|fluent|accurate|helpful|logical|reasonable|likely|precise|faithful|complete|correct|"
    r"consistent|factual|informative)"
)
_BETTER = (
    r"(?:closer\s+to\s+the\s+(?:truth|knowledge|facts?|document|source|question)|"
    rf"better|stronger|superior|preferable|more\s+{_QUALITY}(?:\s+and\s+(?:more\s+)?\w+)?)"
)
_WORSE = rf"(?:worse|weaker|inferior|less\s+{_QUALITY})"
_FAULTY = (
    r"(?:hallucinated|fabricated|made[ -]up|invented|false|wrong|incorrect|inaccurate|unfaithful|"
    r"(?:a|the)\s+hallucination)"
)
_SOUND = (
    r"(?:faithful|correct|accurate|right|true|supported|consistent|grounded|factual|fine|not\s+hallucinated|"
    r"free\s+of\s+hallucinations?)"
)
_SOURCE = r"(?:the\s+)?(?:knowledge|document|source|dialogue|history|context|facts?|text|article|passage)"
_NOUN = r"(?:one|answer|response|summary|choice|option|candidate|text|version)"
_TAIL = r"(?:\s+(?:with|to|by|from|in|of|on|for)\s+[^.;:!?@%]{1,60})?"
_REASON = r"(?:\s*[,;:(—–-]?\s*(?:because|since|as|for|due\s+to)\b[^@%]*|\s*,\s*which\b[^@%]*)?"
_AND = r"(?:\s*(?:,\s*)?(?:while|whereas|but|and|so|hence|thus|therefore|;)\s*(?:,\s*)?|\s*,\s*)"
_SO = r"(?:i\s+(?:think|believe|find)\s+(?:that\s+)?)?(?:(?:so|thus|hence|therefore|overall|in\s+short|between\s+the\s+two)\s*,?\s+)?"
_PICK = r"(?:pick|choose|select|take|prefer|go\s+(?:with|for)|opt\s+for)"
_REJECT = r"(?:reject|discard|dismiss|rule\s+out|exclude|eliminate|avoid|skip|drop)"
AGAINST = r"(?:compared\s+(?:with|to)|unlike|in\s+contrast\s+to|in\s+comparison\s+(?:with|to)|relative\s+to)"
_DOUBT = lazy(
    r"\b(?:both|neither|either|none|tied?|equal(?:ly)?|could|might|may|maybe|perhaps|possibly|probably|unsure|"
    r"unclear|if|unless|not\s+sure|hard\s+to|(?:cannot|can't)(?!\s+be\s+(?:verified|found|confirmed|traced|"
    r"supported)\b)|wait|actually|(?<!would\s)(?<!'d\s)rather(?!\s+than)|on\s+reflection|"
    r"scratch|i\s+mean|however|although|though)\b|\?",
    re.I,
)


_BOTH_ARE = lazy(r"\s+are\s+both\b", re.I)
# a sentence that first grants something, which is no doubt
_GRANTS = lazy(r"(?m)(?:^|(?<=[.!]\s))(?:although|though|even\s+though)\s+(?=[^,\n]{1,120},)", re.I)


def compared(text: str, mentions: Sequence[tuple[int, int, int]], asks: Asks) -> int | None:
    """The place (0 or 1) of the text that is picked, None where the grammar reads none.

    `mentions` are (place, start, end) of the names in the text, which are the texts' own words no longer.
    """
    if asks is None or not mentions:
        return None
    marked = _IS_NOT.sub(r" while \1", _BOTH_ARE.sub(" are", signed(text, mentions)))
    marked = _GRANTS.sub("while ", marked)
    if _DOUBT.search(marked):
        return None
    sentences = [one for one in _sentences(marked) if "\x01" in one or "\x02" in one]
    picks = [_picked(one, asks) for one in sentences]
    open_ones = [one for one, pick in zip(sentences, picks, strict=True) if pick is None]
    against = [_spoken_against(one, asks) for one in open_ones]
    found = {one for one in picks if one is not None}
    is_told = all(
        other is not None or _TELLS.fullmatch(one) for one, other in zip(open_ones, against, strict=True)
    )
    agreed = found | {1 - other for other in against if other is not None}
    return found.pop() if len(found) == 1 and len(agreed) == 1 and is_told else None


_TOLD = (
    r"[\x01\x02](?:\s+(?:says|states|names|gives|mentions|claims|uses|repeats|adds)|:\s+(?:says|states|names|gives|"
    r"mentions|claims))\b[^\x01\x02]*"
)
_TELLS = lazy(rf"{_TOLD}(?:(?<=[\s,;]){_TOLD})?")
# a sentence that only denies of one what was said of the other: `Answer 1 is correct. Answer 2 is not.`
_IS_NOT = lazy(
    r"[.;]\s+(?:however,?\s+|but\s+)?([\x01\x02]\s+(?:does|is|was)(?:\s+not|n't))(?=\s*(?:[.!]|$))",
    re.I | re.MULTILINE,
)
_ALONE = lazy(r"[^\x01\x02]*(?P<sign>[\x01\x02])[^\x01\x02]*")  # of one text


def against(text: str, mentions: Sequence[tuple[int, int, int]], asks: Asks) -> set[int]:
    """The places of the texts of which a sentence says the contrary of what was asked for."""
    parts = _sentences(signed(text, mentions)) if asks and mentions else []
    return {place for part in parts if (place := _spoken_against(part, asks)) is not None}


def _says(sentence: str) -> tuple[int, bool] | None:
    """Of a sentence of one text: its place, and whether a fault (True) or none (False) is stated of it."""
    found = _ALONE.fullmatch(sentence)
    if found is None:
        return None
    said = paraphrase(sentence.replace(found["sign"], "the answer"))
    return None if said is None else ("\x01\x02".index(found["sign"]), said)


def _spoken_against(sentence: str, asks: Asks) -> int | None:
    """The place of the one text of which a sentence says the contrary of what was asked for."""
    said = _says(sentence)
    return said[0] if said and said[1] is (asks == "best") else None


def signed(text: str, mentions: Sequence[tuple[int, int, int]]) -> str:
    """A text with a sign for each name."""
    parts, at = [], 0
    for place, start, end in mentions:
        parts += [text[at:start], "\x01\x02"[place]]
        at = end
    return re.sub(r"(?:\bthe\s+)?([\x01\x02])", r"\1", "".join([*parts, text[at:]]), flags=re.I)


def _sentences(text: str) -> list[str]:
    return [part.strip(" \t*_`\"'-") for part in re.split(r"(?<=[.!])\s+|\n+", text) if part.strip()]


def _picked(sentence: str, asks: Asks) -> int | None:
    """The place that one sentence picks."""
    plain = sentence.strip(" .!")
    if (said := _says(plain)) and said[1] is (asks == "hallucinated"):
        return said[0]
    found = {
        place
        for place, own in enumerate("\x01\x02")
        if _forms(asks).fullmatch(plain.translate({1: "@%"[own == "\x02"], 2: "%@"[own == "\x02"]}))
    }
    return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=4)
def _forms(asks: Asks) -> re.Pattern[str]:
    """The sentences that pick `@`."""
    forms = (
        [*_shared(_BEST), *_of_best()] if asks == "best" else [*_shared(_HALLUCINATED), *_of_hallucinated()]
    )
    return re.compile("|".join(f"(?:{form})" for form in forms), re.I)


class _Said(NamedTuple):
    """What a sentence says of the text that it picks (`own`, and `named` before the noun) and of the other one
    (`other`, `lacks` the same).
    """

    own: str
    other: str
    named: str
    lacks: str


_BEST = _Said(
    own=rf"{_IS}(?:the\s+)?(?:{_BETTER}|best|most\s+{_QUALITY}|{_SOUND}|one\s+(?:that|which)\s+{_SOURCE}\s+supports)(?:\s+{_NOUN})?",
    other=rf"{_IS}(?:{_WORSE}|too\s+\w+|vague|off|{_FAULTY}|(?:not|un)\s*supported)",
    named=rf"(?:{_BETTER}|best|most\s+{_QUALITY})",
    lacks=r"(?:is|does|was)(?:\s+not|n't)",
)
_HALLUCINATED = _Said(
    own=rf"(?:{_IS}(?:the\s+)?{_FAULTY}(?:\s+{_NOUN})?|(?:(?:clearly|directly)\s+)?(?:contradicts|conflicts\s+with)\s+{_SOURCE}"
    r"|contains?\s+(?:a\s+|the\s+)?hallucinations?)",
    other=rf"(?:{_IS}{_SOUND}(?:\s+{_NOUN})?|(?:matches|agrees\s+with|is\s+supported\s+by)\s+{_SOURCE})",
    named=_FAULTY,
    lacks=r"(?:is|does)(?:\s+not|n't)",
)


def _shared(said: _Said) -> list[str]:
    """The forms that pick in the words of either question."""
    own, other, named, lacks = said
    because = r"(?:since|because|as|given\s+that|while|whereas)"
    both = r"(?:@\s+and\s+%|%\s+and\s+@)"
    return [
        rf"{_SO}@\s+{own}{_TAIL}{_AND}%\s+(?:{other}{_TAIL}|{lacks})",
        rf"{_SO}@\s+{own}{_TAIL}\s*,\s*%\s+{lacks}",
        rf"{_SO}%\s+{other}{_TAIL}{_AND}@\s+{own}{_TAIL}",
        rf"{_SO}the\s+{named}(?:\s+{_NOUN})?\s+is\s+@\s*[,;:(—–-]?\s*(?:because|since|as|while|whereas)\s+%\s+"
        rf"(?:(?!\bnot\b|n't).)*",
        rf"{_SO}(?:i(?:'d|'ll|\s+would|\s+will)?\s+)?{_REJECT}\s+%\s*,?\s*(?:and|so|then)\s+(?:i\s+)?"
        rf"(?:'d\s+|would\s+)?{_PICK}\s+@{_REASON}",
        rf"{_SO}{because}\s+%\s+(?:(?!\b(?:better|best|more|most)\b)[^@%,;]){{1,120}},\s*@\s+{own}{_TAIL}",
        rf"{_SO}@\s+{own}{_TAIL}\s*,?\s*{because}\s+%\s+{other}{_TAIL}",
        rf"{_SO}while\s+%\s+(?:(?!\b(?:better|best|hallucinat\w+|{_PICK}|{_FAULTY}|{_SOUND})\b)[^@%;]){{1,120}},\s*"
        rf"(?:(?:it\s+is\s+)?@\s+(?:that|which)\s+{own}|@\s+{own})(?:\s+and\s+(?:{_SO})?(?:the\s+)?{named}(?:\s+{_NOUN})?)?{_TAIL}",
        rf"{_SO}not\s+%\s*,?\s*but\s+(?:rather\s+)?@{_REASON}",
        rf"{_SO}it\s+is(?:\s+not|n't)\s+%\s+(?:that|which)\s+{own}{_TAIL}\s*,?\s*but\s+(?:rather\s+)?@{_REASON}",
        rf"{_SO}it\s+is\s+@\s*,?\s*(?:and\s+)?not\s+%\s*,?\s+(?:that|which)\s+{own}{_TAIL}",
        rf"{_SO}(?:comparing|between|of|out\s+of|looking\s+at)\s+{both}\s*,\s*@\s+{own}{_TAIL}{_REASON}",
    ]


def _of_hallucinated() -> list[str]:
    """The forms that pick the hallucinated one."""
    own, other, _, lacks = _HALLUCINATED
    fault = (
        rf"(?:(?:contradict|conflict\s+with)\s+{_SOURCE}|contain\s+(?:an?\s+|any\s+|the\s+)?hallucinations?)"
    )
    stated = r"(?:states|says|claims|adds)\s+(?:something|what)\s+(?:that\s+is\s+)?(?:not\s+supported|unsupported|false|wrong)"
    return [
        rf"{_SO}@\s+is\s+not\s+(?:supported|faithful|correct|accurate)\s*(?:,|{_AND})\s*%\s+is",
        rf"{_SO}%\s+{other}{_TAIL}{_AND}@\s+{lacks}",
        rf"{_SO}{_SOURCE}\s+(?:supports|confirms)\s+%{_AND}@\s+{own}{_TAIL}",
        rf"{_SO}%\s+{other}{_TAIL}{_AND}@\s+(?:adds|invents|introduces|fabricates|makes\s+up)\s+[^@%.;]+",
        rf"{_SO}@\s+(?:adds|invents|introduces|fabricates|makes\s+up)\s+(?!nothing\b|no\b)[^@%.;]+?{_AND}%\s+{lacks}",
        rf"{_SO}%\s+do(?:es)?(?:\s+not|n't)\s+{fault}\s*(?:,|{_AND})\s*@\s+does",
        rf"{_SO}{AGAINST}\s+%\s*,\s*@\s+(?:{own}|{stated}){_TAIL}",
        rf"{_SO}(?:{AGAINST}\s+%\s*,\s*)?@\s+is\s+the\s+one\s+(?:that|which)\s+(?:has\s+)?(?:invented|made\s+up|fabricated|hallucinated)\s"
        rf"(?!no\b|nothing\b)[^@%.;]*",
    ]


def _of_best() -> list[str]:
    """The forms that pick the better one."""
    own, _, _, lacks = _BEST
    return [
        rf"{_SO}@\s+{_IS}(?:the\s+)?(?:{_BETTER}|best|most\s+{_QUALITY})(?:\s+{_NOUN})?{_TAIL}{_REASON}",
        rf"{_SO}@\s+{own}{_AND}%\s+{lacks}",
        rf"{_SO}@\s+{own}{_TAIL}{_AND}%\s+(?:repeats|ignores|changes|lacks|misses|omits|fails|contradicts)\b[^@%]*",
        rf"{_SO}@\s+{own}{_TAIL}\s*,?\s*(?:because|since|as)\s+%\s+(?:(?!\b(?:better|best|more|most|right|correct|also|too)\b)[^@%])+",
        rf"{_SO}%\s+{lacks}\s+{_SOUND}{_TAIL}{_AND}@\s+is",
        rf"{_SO}@\s+{_IS}(?:superior|preferable)\s+to\s+%{_REASON}",
        rf"{_SO}@\s+(?:(?!\b(?:not|no|hardly|barely|scarcely|neither)\b|n't)[^@%.;])+?\s(?:better|"
        rf"more\s+\w+ly)\s+than\s+%(?:\s+does)?{_REASON}",
        rf"{_SO}@\s+(?:provides|gives|offers|presents)\s+a\s+(?:more|better)\s[^@%.;]+?\sthan\s+%{_REASON}",
        rf"{_SO}@\s+{own}\s+than\s+%{_TAIL}{_REASON}",
        rf"{_SO}%\s+{_IS}{_WORSE}\s+than\s+@{_TAIL}{_REASON}",
        rf"{_SO}@\s+(?:beats|outperforms|wins\s+over|is\s+preferable\s+to|>)\s+%{_REASON}",
        rf"{_SO}%\s+(?:is|was)\s+(?:outdone|outperformed|beaten|surpassed)\s+by\s+@{_REASON}",
        rf"{_SO}i(?:'d|\s+would)?\s+(?:rather|sooner)\s+(?:use|pick|choose|take|have|keep|trust)\s+@\s+than\s+%{_REASON}",
        rf"{_SO}%\s+is(?:\s+not|n't)\s+as\s+(?:good|{_QUALITY})\s+as\s+@{_REASON}",
        rf"{_SO}%\s+(?:loses\s+to|<)\s+@{_REASON}",
        rf"{_SO}%\s+{_IS}(?:fine|good|ok(?:ay)?|close|{_QUALITY})\s*,\s*(?:but\s+)?@\s+{_IS}(?:{_BETTER}|{_SOUND})",
        rf"{_SO}(?:@\s+and\s+%|%\s+and\s+@)\s+are\s+(?:both\s+)?(?:\w+\s+)?(?:fine|good|ok(?:ay)?|{_SOUND}|{_QUALITY})\s*,\s*"
        rf"(?:but\s+)?@\s+{own}{_TAIL}{_REASON}",
        rf"{_SO}{AGAINST}\s+%\s*,\s*@\s+{own}{_TAIL}{_REASON}",
        rf"{_SO}i(?:'d|\s+would)?\s+prefer\s+@\s+(?:to|over)\s+%{_REASON}",
    ]
