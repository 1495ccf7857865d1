"""How a reply names one of two texts: a noun and a number, an ordinal, a sign; and with which verbs it picks one."""

import re
from collections.abc import Sequence
from functools import lru_cache

from truerate.core.patterns import lazy

MOST_NAMED = 200  # mentions that are held against each other; a reply with more of them goes round in circles
_ORDINALS = (
    r"first|1st|former|erste[rns]?|premi(?:er|ère)|primer[oa]?|prim[oa]|primeir[oa]|eerste|birinci|"
    r"перв(?:ый|ая|ое|ом|ой|ого)|第?一(?:个|個|番目の?|つ目の?)|第一|最初の|1番目の?|الأولى?|첫\s?번째|पहला|पहली",
    r"second|2nd|latter|zweite[rns]?|deuxième|seconde?|segund[oa]|second[oa]|tweede|ikinci|втор(?:ой|ая|ое|ом|ого)|"
    r"第?二(?:个|個|番目の?|つ目の?)|第二|2番目の?|الثانية?|الثاني|두\s?번째|दूसरा|दूसरी",
)
_NUMBERS = ("1|one", "2|two")
NOUNS = (
    r"answers?|responses?|summar(?:y|ies)|options?|candidates?|choice|number|no\.|nr\.|text|version|item|"
    r"antwort|zusammenfassung|réponse|résumé|respuesta|resumen|opción|risposta|riassunto|opzione|resposta|"
    r"resumo|opção|"
    r"antwoord|samenvatting|yanıt|cevap|özet|ответ[ае]?|вариант|резюме|答案|回答|摘要|总结|选项|要約|応答|回复|الإجابة|الملخص|الرد|"
    r"답변|응답|요약|उत्तर|सारांश|जवाब"
)
# a mention in a script that sets no blanks
UNSPACED = lazy(
    r"(?:答案|回答|回复|応答|摘要|总结|选项|要約)[ ]?[12](?!\d)|"
    r"(?:요약|답변|응답)[ ]?[12](?=[가-힣])|"
    r"第?[一二](?:个|個|番目の?|つ目の?)(?:答案|回答|回复|応答|摘要|总结|选项|要約)"
)
_LETTER = lazy(r"\(?(?:(?:Option|Candidate) |(?<=\())(?P<letter>[AB])\)?")
SIGNS = r"[ \t#\[(<\-–_:*`\"'№]*"
_ENDS = r"[\])>*`\"']*"
VERB = (
    r"(?:i(?:'d|\s+would|\s+will|'ll)?\s+(?:pick|choose|select|prefer|take|go\s+(?:with|for)|opt\s+for|say|"
    r"answer|vote\s+for)|"
    r"(?:(?:my|the|your|best|better|final|chosen|selected|preferred|more|most|plausible|convincing|natural|"
    r"believable|likely|hallucinated|wrong|incorrect|faulty|fabricated|false)\s+)+"
    r"(?:choice|pick|answer|response|summary|one|option|selection)\s*(?:is|:)|(?:choice|pick|"
    r"best|chosen|selected|better|final|verdict|judge?ment|decision|conclusion|selection|answer)\s*:|"
    r"it(?:'s|\s+is)|that\s+is|(?:so|hence|thus|therefore|overall)\s*[:,]?)"
)


# `the first is …`, `the second sticks to …`: of a text, where no noun stands
_DOES = (
    r"\s+(?:(?:is|isn't|was)\s+(?:an?\s+(?:much\s+|slightly\s+)?(?:more|better|less)\b|(?!(?:that|an?|the\s+(?:claim|fact|year|date))\b))|(?:doesn't|does\s+not|sticks|stays|"
    r"keeps|invents|fabricates|contradicts|"
    r"hallucinates)\s)"
)


@lru_cache(maxsize=1)
def short() -> re.Pattern[str]:
    """A whole answer: a number with or without noun and signs, an ordinal with or without noun."""
    first, second = (rf"(?:{number}|{ordinal})" for number, ordinal in zip(_NUMBERS, _ORDINALS, strict=True))
    article = r"(?:the|la|le|el|die|der|das|il|lo|a|o|de|het)\s+"
    return re.compile(
        rf"(?:{article})?(?:{NOUNS})?{SIGNS}(?:(?:no|nr)\.\s*)?(?:(?P<first>{first})|"
        rf"(?P<second>{second})){_ENDS}\s*(?:one|{NOUNS})?",
        re.I,
    )


@lru_cache(maxsize=1)
def mention() -> re.Pattern[str]:
    """A mention within words: noun and number, ordinal and noun, a signed number, or former and latter."""
    parts = []
    for tag, number, ordinal in zip(("first", "second"), _NUMBERS, _ORDINALS, strict=True):
        parts.append(
            rf"(?P<{tag}>(?<!\w)(?:{NOUNS}){SIGNS}(?:{number})(?![\w.]\w|\w){_ENDS}"
            rf"|(?:(?<=\b(?:il|el|la|le)\s)|(?<=\b(?:die|der|das)\s))(?:{ordinal})(?=\s*(?:[.,;:!]|\Z))"
            rf"|(?<!\w)(?<!\bmy\s)(?:{ordinal})(?:(?:\s+|(?<=[个個]))(?:one|{NOUNS}))(?!\w)|(?<=the\s)(?:{ordinal})(?=\s*(?:[.,;:!]|"
            rf"\Z)|{_DOES})|[#\[](?:{number[0]})\]?(?!\w)"
            rf"|(?<!\w)the\s+(?:{'former' if tag == 'first' else 'latter'})(?!\w))"
        )
    return re.compile("|".join(parts), re.I)


def alone_name(text: str, names: Sequence[str]) -> str | None:
    """The name that a text is, in any form of a mention, and nothing beside it."""
    plain = re.sub(r"\s+it\s+is\Z", "", text.strip().strip(".!*_`\"'#,: \t\n→⇒=>"))
    if letter := _LETTER.fullmatch(plain):
        return names["AB".index(letter["letter"])]
    found = short().fullmatch(plain)
    return names[0 if found["first"] else 1] if found else None
