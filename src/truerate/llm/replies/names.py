"""The names of two texts in a reply (`Answer 1`, `the second one`, `Antwort (2)`), each as one sign: `@1`,
`@2`.
"""

import re
from collections.abc import Sequence

from truerate.core.patterns import lazy

Token = tuple[str, bool]  # in small letters, and whether it has a capital
NAMES = ("@1", "@2")
_NOUNS = frozenset(
    "answer response summary option candidate choice text version reply item antwort zusammenfassung réponse résumé respuesta "
    "resumen opción risposta riassunto opzione resposta resumo opção antwoord samenvatting yanıt cevap özet ответ ответе вариант "
    "резюме 答案 回答 回复 摘要 总结 选项 要約 応答 الإجابة الملخص الرد 답변 응답 요약 उत्तर सारांश जवाब no nr number № a one".split()
)
_UNSPACED = tuple("答案 回答 回复 摘要 总结 选项 要約 応答 답변 응답 요약".split())
_FIRST = frozenset(
    "first 1st former erste ersten erster première premier premier primera primero prima primo primeira eerste birinci первый "
    "первая первое 第一 第一个 第一個 最初の الأولى الأول पहला पहली".split()
)
_SECOND = frozenset(
    "second 2nd latter zweite zweiten zweiter deuxième seconde segunda segundo seconda secondo tweede ikinci второй вторая второе "
    "第二 第二个 第二個 二番目の الثانية الثاني दूसरा दूसरी".split()
)
_ARTICLES = frozenset("the la le el die der das il lo o de het al".split())
_NUMBERS = {"1": 0, "2": 1, "one": 0, "two": 1}
_BETWEEN = frozenset("# [ ( no nr number № - .".split())
_CLOSING = frozenset("] )".split())
_VERBS = frozenset("is was contains has sticks stays invents hallucinates says adds makes".split())
_NEAR = 30  # tokens before `the other one` in which the one is named
_STOPS = frozenset(". ! ? ; , : \n".split(" "))
_SCRIPTS = lazy(r"(?<=[\u3040-\ud7af])(?=[a-zA-Z0-9])|(?<=[a-zA-Z0-9])(?=[\u3040-\ud7af])")
_LETTERED = lazy(r"\bA(?=[12]\b)")
_SHORT = lazy(r"(?<![^\W_])(?:1st|2nd|vs[*_]*\.)", 2)
_LONG = {"1st": "first", "2nd": "second"}
_QUOTED = lazy(r"[\"“”„«»‘']((?:the )?\w+ #?(?:[12]|\w+))[\"“”«»’']", 2)
_QUOTED_END = lazy(r"([.!?])([\"”])(?=\s+[A-Z*])")
_AT_START = lazy(r"\A\W*([12])(?=\W*\Z|\W*\n(?!\W*(?:or|and|[12])\b|[^\0]*\n ?[12]\b)| *[,(—–-](?!\W*\d))")
_BROKEN = lazy(r"\b(answer|response|summary|option)\n+(?=[12]\b)", 2)
_LINE = lazy(
    r"^((?:[^\n]{1,40}[:：])?[^\w\n]*(?:[Tt]he )?\w+ ?[12][*_\"”)\]`]*)\n+(?=[^\w\n]*[A-Z])", re.MULTILINE
)
_WIDE = str.maketrans("①②", "12", "\u20e3") | {sign: sign - 0xFEE0 for sign in range(0xFF10, 0xFF1A)}


def spelled(text: str) -> str:
    """A text in which names are words with blanks between them, and a line that a name ends is a sentence."""
    plain = _BROKEN.sub(r"\1 ", text.translate(_WIDE))
    for noun in _UNSPACED if not plain.isascii() else ():
        plain = plain.replace(noun, f" {noun} ")
    plain = _AT_START.sub(r"answer \1 ", _QUOTED.sub(r"\1", _SCRIPTS.sub(" ", plain)))
    plain = (
        _LINE.sub(r"\1.\n", _QUOTED_END.sub(r"\2\1", plain)).replace("\n> ", " > ").replace(" > ", " beats ")
    )
    return _SHORT.sub(lambda short: _LONG.get(short[0].casefold(), "vs "), _LETTERED.sub("answer ", plain))


def with_names(tokens: Sequence[Token]) -> list[Token]:
    """Tokens with each name of a text as one sign: a noun and its number, an ordinal and a noun, the former
    or the latter.
    """
    texts = [text for text, _ in tokens]
    some: list[Token] = []
    at = 0
    while at < len(texts):
        position, n = _of_noun(texts, at) or _of_ordinal(texts, at) or _of_other(texts, at, some) or (0, 0)
        if n and some and some[-1][0] in _ARTICLES:
            some.pop()
        some.append((NAMES[position], True) if n else tokens[at])
        at += n or 1
    return some


def _of_noun(texts: Sequence[str], at: int) -> tuple[int, int] | None:
    """The text that a noun and its number name, and by how many tokens."""
    if texts[at] not in _NOUNS or texts[at] in ("a", "one"):
        return None
    end = at + 1
    while end < at + 4 and end < len(texts) and texts[end] in _BETWEEN:
        end += 1
    number = texts[end] if end < len(texts) else ""
    behind = texts[end + 1 : end + 3]
    if number not in _NUMBERS or (number == "one" and behind[:1] in (["is"], ["of"], ["that"])):
        return None
    if behind[:1] == ["."] and behind[1:] and behind[1].isdecimal():
        return None
    is_closed = end > at + 1 and behind[:1] and behind[0] in _CLOSING
    return _NUMBERS[number], end + 1 + bool(is_closed) - at


def _of_ordinal(texts: Sequence[str], at: int) -> tuple[int, int] | None:
    """The text that an ordinal names, and by how many tokens."""
    if texts[at] not in _FIRST and texts[at] not in _SECOND:
        return None
    position, behind = int(texts[at] in _SECOND), texts[at + 1 : at + 2]
    if behind and behind[0] in _NOUNS:
        return None if texts[at + 2 : at + 3] and texts[at + 2] in ("1", "2") else (position, 2)
    before = texts[at - 1] if at else "\n"
    is_alone = not behind or behind[0] in _STOPS or (before == "the" and behind[0] in _VERBS)
    is_headed = before in _ARTICLES or before in "\n—–:" or texts[at] in ("former", "latter")
    return (position, 1) if is_alone and is_headed else None


def _of_other(texts: Sequence[str], at: int, before: Sequence[Token]) -> tuple[int, int] | None:
    """The text beside the only one that is named right before (`the other one`), and by how many tokens."""
    if texts[at] != "other" or texts[at - 1 : at] != ["the"]:
        return None
    behind = texts[at + 1] if at + 1 < len(texts) else "\n"
    named = {text for text, _ in before[-_NEAR:]} & set(NAMES)
    if len(named) != 1 or (behind not in _NOUNS and behind not in _STOPS and behind not in _VERBS):
        return None
    return NAMES.index(named.pop()) ^ 1, 1 + (behind in _NOUNS)
