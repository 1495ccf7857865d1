"""What words say of one claim: that the sources support it, that they do not, or neither clearly.

The words are a verdict at their start or at their end (`phrases.yaml`); whatever else in them could turn it leaves the
claim without one.
"""

from functools import lru_cache

from truerate.core.patterns import lazy
from truerate.llm.replies.phrases import Words, longest, single, words_of

_SIGNS = frozenset(".。:：;；,，()（）[]–—=/|→!>-")
_CLOSING = frozenset(".。!;；)]）,，:：")
_VALUES = dict.fromkeys(("yes", "y", "true", "1"), True) | dict.fromkeys(("no", "n", "false", "0"), False)


_WORD = lazy(r"\w+")


@lru_cache(maxsize=1024)
def verdict_of(text: str, claim: str = "") -> bool | None:
    """Whether words say that a claim is NOT supported (True) or is (False); None where they say neither clearly."""
    words = words_of(without_claim(text, claim) if claim else text)
    while words and words[0] in _SIGNS:
        words = words[1:]
    while words and words[-1] in _CLOSING:
        words = words[:-1]
    if n := longest(words, 0, "verdict_labels"):
        rest = words[n + (words[n : n + 1] == ("is",)) :]
        words = rest[1:] if rest[:1] and rest[0] in _SIGNS else rest
    start = _past_subject(words, 0)
    head = head_of(words, start)
    return _last(words) if head is None else _first(words, *head)


def _past_subject(words: Words, start: int) -> int:
    """The place behind `so, this claim is` and the like."""
    if words[start : start + 1] and words[start] in single("so"):
        start += 1 + (words[start + 1 : start + 2] == (",",))
    return start + longest(words, start, "subjects")


def head_of(words: Words, start: int) -> tuple[int, bool] | None:
    """The end of the verdict that stands at a place, and whether it denies; adverbs of certainty are no part of it."""
    plain = [
        (at, word) for at, word in enumerate(words[start : start + 8], start) if word not in single("surely")
    ]
    for name, is_bad in (("not_supported", True), ("supported", False)):
        if n := longest([word for _, word in plain], 0, name):
            end = plain[n - 1][0] + 1
            is_bare = words[end - 1] in single("bare_verdicts") and n == 1
            return None if is_bare and words[end : end + 1] and words[end][0].isalnum() else (end, is_bad)
    return None


def _first(words: Words, end: int, is_bad: bool) -> bool | None:
    """The verdict that stands first, where nothing behind it turns it."""
    if (value := _field(words, end)) is not None:
        return None if value == "" else _VALUES[value] is is_bad
    for _ in range(3):  # a sign or `yes` with the word behind it: both say the same, or nothing is said
        start = end
        while start < len(words) and words[start] in _SIGNS:
            start += 1
        if (more := head_of(words, _past_subject(words, start))) is None:
            break
        if more[1] != is_bad:
            return None
        end = more[0]
    tail = words[end:]
    if tail and tail[0] not in _SIGNS and (tail[0] not in single("reason_openers") or len(tail) == 1):
        return None
    return None if _turns(tail, is_bad) else is_bad


def _field(words: Words, end: int) -> str | None:
    """The value behind a verdict that is the name of a field (`supported: yes`); empty where it is no yes or no, None
    where a reason stands there, or nothing.
    """
    rest = words[end + 1 :]
    if len(rest) == 1 and words[end] in ":：=→|-–—" and (rest[0] in _VALUES or rest[0] in "✓✔✅☑✗✘❌✖"):
        return rest[0] if rest[0] in _VALUES else "yes" if rest[0] in "✓✔✅☑" else "no"
    is_short = 0 < len(rest) < 4 and not any(len(word) > 3 and word.isalpha() for word in rest[1:])
    if not is_short or words[end] not in ":：=→|":
        return None
    return "" if rest[0] not in single("supported") | single("not_supported") else None


def _turns(tail: Words, is_bad: bool) -> bool:
    """Whether the words behind a verdict could take it back: of a denial those that support, but denied themselves."""
    if not is_bad:
        against = [
            at for at, word in enumerate(tail) if word in single("against_support") or word.endswith("n't")
        ]
        is_between = [
            tail[at] == "or"
            and tail[at - 1].isdigit()
            and tail[at + 1 : at + 2] != ()
            and tail[at + 1].isdigit()
            for at in against
        ]
        return not all(is_between)
    is_denied = False
    for word in tail:
        if word in single("against_denial") or (
            word in single("supporting") and not is_denied and word.startswith("support")
        ):
            return True
        is_denied = word not in _SIGNS and (is_denied or word in single("denials") or word.endswith("n't"))
    return "but" in tail and not any(word in single("denials") for word in tail[tail.index("but") :])


def _last(words: Words) -> bool | None:
    """The verdict that stands last, behind a sign, where nothing before it could turn it."""
    places = [at for at, word in enumerate(words) if word in _SIGNS and word not in "(（,，"]
    places += [at for at, word in enumerate(words[:-1]) if word in ",，" and words[at + 1] in single("so")]
    for at in sorted(places)[-3:]:
        head = head_of(words, _past_subject(words, at + 1))
        if head is None or head[0] < len(words):
            continue
        prior, is_bad = words[:at], head[1]
        is_stop = words[at] in ".。!;；"
        if words[-1] in single("bare_verdicts") and is_stop:
            return None
        agreeing = single("contradicting") if is_bad and words[at] in "→>-–—,，" else frozenset()
        denied = set() if is_bad else single("denials")
        is_against = any(
            word in single("against_last") - agreeing or word in denied or word.endswith("n't") and not is_bad
            for word in prior
        )
        return None if is_against else is_bad
    return None


def without_claim(text: str, claim: str) -> str:
    """Words without the claim where it stands first or last in them, whatever marks lie between its words."""
    result = [(match[0].casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
    stated, claimed = [word for word, _, _ in result], [word.casefold() for word in _WORD.findall(claim)]
    n = len(claimed)
    for lead in (["the", "claim", "that"], ["the", "statement", "that"], []):
        first = len(lead)
        if n and stated[:first] == lead and stated[first : first + n] == claimed:
            return text[result[first + n - 1][2] :].lstrip(" .,;!*_`\"'“”’)»]–—-→")
    if n and len(stated) > n and stated[-n:] == claimed:
        before = text[: result[-n][1]].rstrip(" *_`\"'“„«")
        return before if before[-1:] in ":：.(–—-" else text
    return text
