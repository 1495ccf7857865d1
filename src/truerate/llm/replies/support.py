"""Whether words say that a claim is supported: a verdict first, last, or in one of a few sentences; else nothing.

The words (`supported` → supported; what says otherwise or cannot tell → not supported) are `GOOD` and `BAD`. A
reason may stand behind the verdict, and the claim before or behind it. The verdict is left unread where anything
else in the words could turn it: the other verdict, a negation behind `supported`, a doubt, a question, something
taken back. So is a negated denial (`not unsupported`), and a sentence that only holds the word.
"""

import re
import unicodedata

from truerate.core.patterns import lazy
from truerate.core.text import words

_SURELY = r"(?:(?:fully|completely|entirely|clearly|directly|explicitly|strongly|well)[ -])?"
_SIGNS_GOOD, _SIGNS_BAD = "✓✔✅☑", "✗✘❌✖"
GOOD = (
    rf"(?:{_SURELY}(?:supported|support|supports|entailed|entails|entailment|confirmed|verified|corroborated)"
    rf"|(?:true|correct|accurate|yes)|[{_SIGNS_GOOD}])"
)
BAD = (
    r"(?:not (?:at all |(?:fully|completely|entirely|directly|explicitly|clearly|sufficiently|adequately)[ -])?"
    r"(?:supported|entailed|confirmed|verified|verifiable|corroborated|mentioned|stated|found|addressed|covered|true|"
    r"correct|accurate|enough (?:evidence|information|info))"
    r"|(?:un|non|not)[ -]?supported|unverifiable|unverified|unconfirmed|(?:partially|partly)[ -](?:supported|true|correct)"
    r"|partially|partly|partial support|refuted|refutes?|contradicted|contradicts?|contradictory|contradiction|disproved|"
    r"disproven|disproves|neutral|"
    r"false|incorrect|inaccurate|wrong|(?:no|lacks|without) (?:supporting evidence|support|evidence|mention|information)|"
    r"can(?:not|'t| not) be (?:verified|confirmed|supported|determined)|insufficient (?:evidence|information|support)|"
    r"neither (?:supported|confirmed) nor (?:contradicted|refuted|denied|disproved)|no"
    rf"|[{_SIGNS_BAD}])"
)
_HEAD = lazy(rf"(?:(?P<bad>{BAD})|(?P<good>{GOOD}))(?![\w'])")
_SUBJECT = (
    r"(?:(?:so|therefore|thus|hence)[, ]+)?"
    r"(?:(?:(?:(?:the|this|that) (?:claim|statement|fact|assertion)(?: \d+)?|claim \d+|it|this) )?(?:is|was|has been) )?"
)
_ACTIVE = lazy(
    r"(?:(?P<none>no passages?|none of the passages|nothing in the passages)"
    r"|(?:the )?passages?(?: \(?\d+\)?(?:(?:,| and|, and) \(?\d+\)?)*)?"
    r"(?P<not> (?:do not|does not|don't|doesn't|did not|cannot))?)"
    r" (?:support|supports|confirm|confirms|state|states) (?:this|that|the|it)(?: (?:claim|statement|fact))?"
)
_TAIL = lazy(
    r"[.:;(\[\-–—/|=]|,? ?(?:in|from|because|since|as|according|per|based|see|cf|via|due|at|given|for|anywhere|here|not|no|nor)\b"
    r"|,? ?(?:by|with) (?:all |both |any |some |several |many |most )?(?:of )?(?:the )?(?:(?:given|other|first|second|third|last) )?"
    r"(?:passages?|sources?|texts?|evidence|context|documents?|"
    r"[(\[#]?\d)|,? ?passages?\b|,? ?which\b"
)
_DOUBT = (
    r"\b(?:wait|actually|correction|hmm|unless|maybe|perhaps|possibly|probably|likely|unclear|doubt\w*|whether|"
    r"or rather|on second thought|i mean|scratch that|however|yet)\b|\?"
)
# behind `supported`: whatever could take it back
_AGAINST_GOOD = lazy(
    rf"{_DOUBT}|\b(?:but|although|though|not|no|nor|none|never|nothing|zero|cannot|except|only|partial\w*|partly|"
    rf"contradict\w*|refut\w*|false|unsupported|if|wrong|incorrect|un\w*verif\w*|unconfirmed|insufficient|disagree\w*|"
    rf"differ\w*|conflict\w*|while|whereas|otherwise|instead|rather|without|lack\w*|fails?|neither|almost|or|own|"
    rf"general knowledge|common knowledge|in part|parts?|mostly|largely|somewhat|some|"
    rf"loosely|weakly|indirectly|half|at best|alone|caveats?|i|guess|"
    rf"rumou?rs?|assum\w+|seem\w*|appear\w*|barely|hardly|arguably|debat\w+|questionabl\w+|suspect\w*|disput\w+|"
    rf"to (?:some|a certain) (?:extent|degree))\b|n't|[{_SIGNS_BAD}]"
)
# behind `not supported`: that it is supported after all
_AGAINST_BAD = lazy(
    rf"{_DOUBT}|\bsupport\w*|\b(?:is|are|was|as|it's) (?:true|correct|confirmed|verified|stated)\b|\b(?:although|though|"
    rf"except|or|states? it|says? so|confirms? it)\b|\A\W*(?:true|correct|yes)\b|\bpassages? \(?\d+\)? (?:alone|only)|[{_SIGNS_GOOD}]"
    r"|\bbut\b(?!.*\b(?:not?|never|none|nothing|without|different|other|another|neither|contradict\w*|nor)\b)"
)
_DENIED = lazy(
    r"(?:\bnot|\bun|\bno passages?|\bnone(?: of)?(?: the)?(?: passages)?|\bnothing|\bnever|n't|\bneither|\bnor|\bcannot|\bnot? \w+|"
    r"\bwithout|\black\w*|\bno)[ -]?(?:\w+ ){0,4}?(?:supported|supporting|supports?|stated?s?|confirm\w*|says? so)\b"
)
# behind `supported`: that nothing speaks against it
_NONE_AGAINST = lazy(
    r"\b(?:nothing|no passages?|none of the passages|no other passages?)(?: (?:in|of) the passages)? "
    r"(?:(?:speaks?|argues?|goes) against|contradicts?|refutes?|disputes?|denies|says? otherwise)(?: it| this| that)?"
    r"|\b(?:is )?not contradicted(?: by (?:anything|any of them|any passages?|the passages?))?"
    r"(?=\W*\Z|[.,;)])"
)
# before a verdict that stands last
_AGAINST_LAST = lazy(
    rf"{_DOUBT}|\b(?:not|no|nor|none|never|nothing|cannot|hardly|un\w*supported|supported|refuted|contradict\w*|false|if|would|could|"
    rf"might|may|should|neither|but|although|though|true|correct|or)\b|n't|[{_SIGNS_GOOD}{_SIGNS_BAD}]"
)
_LAST = lazy(
    rf"(?P<prior>.+?)\s*(?:(?P<sign>[:：→|=(\[]+|[-–—](?=\s)|->|=>|,(?= (?:so|therefore|thus|hence)\b))|[.。])\s*{_SUBJECT}"
    rf"(?:(?P<bad>{BAD})|(?P<good>{GOOD}))[\s.)\]*_`'\"]*"
)
# that the passages deny it, which agrees with `not supported` behind it
_DENIES = lazy(r"\b(?:not|no|nor|none|never|nothing|cannot|neither|refut\w*|contradict\w*|false)\b|n't")
_ENDED = (
    "",
    "→",
    "->",
    "=>",
    "-",
    "–",
    "—",
    ",",
)  # signs, behind which a verdict is no part of what stands before it
# that they are silent: no more than `not supported` says
_SILENT = lazy(
    r"(?:do(?:es)? not|don't|doesn't|did not|no passages?|none of the passages?|nothing|never|not) (?:\w+ ){0,2}?"
    r"(?:mention|state|say|speak|"
    r"contain|give|name|discuss|address|cover|confirm|support|indicate|provide)\w*"
)
_THAT = lazy(
    rf"the (?:claim|statement|fact|assertion) that (?P<prior>[^.:;?!]{{1,300}}?) (?:is|was) (?:(?P<bad>{BAD})|(?P<good>{GOOD}))"
    r"(?: by (?:the|any) passages?)?"
)
_BARE_WORDS = frozenset(("yes", "no", "true", "false", "correct", "incorrect", "wrong"))
_LABEL = lazy(
    r"(?:final |my )?(?:verdicts?|judge?ments?|answer|conclusion|label|status|result|decision|rating|assessment|classification)"
    r"[*_]*\s*(?:is\b)?\s*[:：=\-–—]?\s*"
)
# a field whose name is a verdict, and its value, where that is short and names no passage
_FIELD = lazy(
    r"(?:is )?(?:(?P<sound>supported|entailed|confirmed|verified|true|correct|accurate|factual)|"
    r"unsupported|not supported|refuted|contradicted|false|incorrect|inaccurate|hallucinated)"
    r"[*_`\"']*\s*(?:[:：=→|]|[–—-]+)\s*[*_`\"']*(?P<value>yes|no|y|n|true|false|0|1|✅|✔|✓|❌|✗|✘|✖|n/a|null|none|unknown|unclear|[-–—]|"
    r"\d+(?:[.,]\d+)?\s*(?:/\s*\d+|%|out of \d+))[*_`\"'.!]*"
)
_VALUES = {
    **dict.fromkeys(("yes", "y", "true", "1", "✅", "✔", "✓"), True),
    **dict.fromkeys(("no", "n", "false", "0", "❌", "✗", "✘", "✖"), False),
}
# what is asked of a claim, before a yes or no that answers it
_ASKED = lazy(
    rf"(?:is (?:it|this|the \w+) )?{_SURELY}(?:supported|entailed|confirmed|verified|corroborated|true|correct|accurate|factual)"
    r"(?: by (?:the|any|these) \w+)?\s*[:：=→–—-]+\s*(?=(?:yes|no|true|false)\b)"
)
_EDGES = " \t*_`\"'“”„’‘()[]{}.,;:。!"


def verdict_of(text: str, claim: str = "") -> bool | None:
    """Whether words say that a claim is NOT supported (True) or is (False); None where they say neither clearly."""
    plain = _plain(without_claim(text, claim) if claim else text)
    if not plain:
        return None
    if (field := _FIELD.fullmatch(plain)) is not None:
        said = _VALUES.get(field["value"])
        return None if said is None else said is (field["sound"] is None)
    label = _LABEL.match(plain)
    if label and label.end() < len(plain):
        plain = plain[label.end() :].lstrip("*_ ")
    if asked := _ASKED.match(plain):
        plain = plain[asked.end() :]
    if (active := _active(plain)) is not None:
        return active
    start = re.match(_SUBJECT, plain)
    assert start is not None
    head = _HEAD.match(plain, start.end())
    if head is None or (head[0] == "no" and re.match(r"\s+\w", plain[head.end() :])):  # `no passage says so`
        return _last(plain)
    return _first(head, plain[head.end() :])


def _plain(text: str) -> str:
    """Words as compared: case folded, straight apostrophes, no marks of form at their ends."""
    folded = unicodedata.normalize("NFKC", text).replace("\ufe0f", "").replace("’", "'").casefold()
    folded = re.sub(r"\b(isn't|wasn't|is n't)\b", "is not", folded)
    folded = (
        re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", folded).replace("_", " ").replace("‑", "-").replace("‐", "-")
    )
    folded = re.sub(r"\bnot[- ](?=\w)", "not ", folded)
    return " ".join(folded.split()).strip(_EDGES)


def _first(head: re.Match[str], tail: str) -> bool | None:
    """The verdict that stands first, where nothing behind it turns it."""
    is_bad = head["bad"] is not None
    tail = re.sub(r"\A[\s\"'”)\]]+(?=[,.:;(\[\-–—])", "", tail).strip()
    for _ in range(3):  # a sign or `yes` with the word behind it: both say the same, or nothing is said
        again = re.match(rf"[\s,.:;(\[\-–—/]*{_SUBJECT}(?=\S)", tail)
        more = _HEAD.match(tail, again.end() if again else 0)
        if more is None or (more[0] in _BARE_WORDS and re.match(r"\s*\w", tail[more.end() :])):
            break
        if (more["bad"] is not None) != is_bad:
            return None
        tail = tail[more.end() :].strip()
    if not tail.strip(_EDGES):
        return is_bad
    is_sign = head[0] in _SIGNS_GOOD + _SIGNS_BAD or head[0] in _BARE_WORDS
    if is_sign and not re.match(r"[,.:;(\[\-–—]|because\b|since\b|as\b|by\b", tail) or not _TAIL.match(tail):
        return None
    if is_bad:
        return None if _AGAINST_BAD.search(_DENIED.sub(" ", tail)) else True
    tail = _NONE_AGAINST.sub(" ", re.sub(r"(\d\W{0,2}) or (?=(?:passage )?\W?\d)", r"\1 ", tail))
    return None if _AGAINST_GOOD.search(tail) else False


def _last(plain: str) -> bool | None:
    """The verdict that stands last, behind a sign or a full stop, where nothing before it could turn it."""
    if named := _THAT.fullmatch(plain):
        return None if _AGAINST_LAST.search(named["prior"]) else named["bad"] is not None
    found = _LAST.fullmatch(plain)
    if found is None:
        return None
    is_bad, word = found["bad"] is not None, found["bad"] or found["good"]
    prior = _SILENT.sub(" ", found["prior"]) if is_bad else found["prior"]
    if (
        is_bad and (found["sign"] or "") in _ENDED
    ):  # else what is denied with a reason is lost, and what is granted is not
        prior = _DENIES.sub(" ", prior)
    if _AGAINST_LAST.search(prior) or (found["sign"] is None and word in _BARE_WORDS):
        return None
    return is_bad


def _active(plain: str) -> bool | None:
    """`passage 2 supports this claim` and its denial."""
    found = _ACTIVE.match(plain)
    if found is None or _DOUBT_RE.search(plain) or re.search(r"\bbut\b|\bonly\b|\bnot\b.*\bnot\b", plain):
        return None
    is_bad = found["none"] is not None or found["not"] is not None
    rest = plain[found.end() :]
    if rest.strip(_EDGES) and (
        not is_bad and _AGAINST_GOOD.search(rest) or is_bad and _AGAINST_BAD.search(rest)
    ):
        return None
    return is_bad


_DOUBT_RE = lazy(_DOUBT)


_BETWEEN = lazy(rf"[^\w{_SIGNS_GOOD}{_SIGNS_BAD}]*")
_NAMES_CLAIM = (
    lazy(r"(?:the )?(?:claim|statement) that", re.IGNORECASE),
    lazy(r"(?:the )?(?:claim|statement)", re.IGNORECASE),
)
_OPENS_CLAIM = frozenset(':：.(-–—"“')


def without_claim(text: str, claim: str) -> str:
    """Words without the claim where it stands first or last in them, whatever marks lie between its words.

    Word by word, without a pattern of each claim's own: to compile one takes a hundred times as long as to read.
    """
    parts = words(claim)
    if not parts or parts[0].lower() not in text.lower():
        return text
    if (end := _past_claim_at_start(text, parts)) is not None:
        return text[_skipped(text, end) :]
    return text[: _claim_at_end(text, parts)]


def _skipped(text: str, place: int) -> int:
    """The place behind the marks and spaces that stand at a place."""
    found = _BETWEEN.match(text, place)
    return found.end() if found else place


def _past_claim_at_start(text: str, parts: list[str]) -> int | None:
    """The place behind a claim with which words begin, `the claim that` before it or not."""
    first = _skipped(text, 0)
    named = [found.end() for name in _NAMES_CLAIM if (found := name.match(text, first))]
    for start in (*(_skipped(text, end) for end in named), first):
        end = _past_claim(text, start, parts)
        if end is not None and not re.match(r"\w", text[end : end + 1]):
            return end
    return None


def _past_claim(text: str, place: int, parts: list[str]) -> int | None:
    """The place behind a claim whose words stand at a place, marks or spaces between each two; None where they
    do not.
    """
    for number, part in enumerate(parts):
        if number:
            before, place = place, _skipped(text, place)
            if place == before:
                return None
        if text[place : place + len(part)].lower() != part.lower():
            return None
        place += len(part)
    return place


def _claim_at_end(text: str, parts: list[str]) -> int:
    """The place of the sign behind which a claim is the last thing said; the end of the words where it is not."""
    folded, first = text.lower(), parts[0].lower()
    place = folded.rfind(first)
    while place > 0:
        end = _past_claim(text, place, parts)
        if end is not None and _skipped(text, end) == len(text):
            start = place
            while start and _skipped(text[start - 1 : start], 0):
                start -= 1
            signs = (at for at in range(start, place) if text[at] in _OPENS_CLAIM)
            return next(signs, len(text))
        place = folded.rfind(first, 0, place)
    return len(text)
