"""Replies as sentences of words, each with the classes that `words.yaml` gives it in a *vocabulary*.

A line break within a paragraph is a blank and nothing else, marks of emphasis and of headings are no signs,
and what stands in quotation marks is one word of no class, unless it is a value alone. So the same words in
another dress are the same words.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from truerate.core.patterns import lazy
from truerate.llm.replies.names import with_names

_TOKEN = lazy(
    r"@[12]|\d+(?:[.,:]\d+)*%?|(?:[^\W\d_]|[\u0900-\u097f])+(?:['-][^\W\d_]+)*"
    r"|[.!?…。।！？؟;؛；:：،,，、()\[\]/|=—–→⇒✅❌✓✔✗✘-]|\"[^\"\n]*\""
)
_CJK = lazy(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_QUOTED = lazy(r"[\"“”„«»「『」』]")
_SINGLE = lazy(r"(?<![\w'])'([^'\n]{2,80})'(?!\w)")
# a line that is a heading or emphasised as a whole
_HEADING = lazy(
    r"^[ \t>]*(?:#{1,6}[ \t]*([^\n#*:：]{1,60})[ \t#*]*|\*\*([^\n*:：]{1,60})\*\*[ \t]*)$", re.MULTILINE
)
_TEX = lazy(r"\\(?:boxed|text\w*|mathrm|mathbf)\b")
_TAGS = lazy(r"</?(?:b|strong|i|em|u|mark|code|span|p|br|div)\b[^<>]{0,80}>", re.IGNORECASE)
_CHOICE = lazy(
    r"[(\[]?\byes\s*(?:/|\||or)\s*no\b[)\]]?(?=[\s*_`]*[:?])", re.IGNORECASE
)  # `Judgement (Yes/No): No`
_ITEM = lazy(r"(?m)^[ \t>]*(?:\(?\d{1,2}[.)]|[-*•+])(?=\s)")  # of a list
_LONG = {"ca": "can", "wo": "will", "sha": "shall"}
_SHORT = {"'s": "is", "'d": "would", "'ll": "will", "'ve": "have", "'m": "am", "'re": "are"}
_SHORTENED = frozenset("it that there this i we you he she what here everything nothing all".split())
MAX_WORDS = 3_000  # and signs, that are read of a reply
MAX_SENTENCES = 400  # of a reply that is read; one of 20,000 characters has about 200
MAX_STEM = 20  # characters of the longest beginning of words
MAX_NAME = 60  # characters of a text whose words are stored, as of names and cells
ENDS = frozenset(".!?…。！？؟।")
VALUES = frozenset(("fault_value", "sound_value"))  # the classes of a Yes and a No
_PICTURES = frozenset("✅❌✓✔✗✘")
_EDGES = _PICTURES | frozenset("-–—,)]|/([=:：")
_OF_LABELS = frozenset(
    "label reason_label filler subject conclusive fault fault_noun sound have better worse quality more".split()
)


class Word(NamedTuple):
    """A word or sign of a reply in small letters, its classes, and whether it was written with a capital."""

    text: str
    classes: frozenset[str]
    is_capital: bool = False


_TOO_LONG = Word("\0", frozenset(("too_long",)))


class Sentence(NamedTuple):
    """The words of a sentence, whether it asks, and whether it begins a paragraph."""

    words: tuple[Word, ...]
    is_question: bool
    is_first: bool


class Vocabulary(NamedTuple):
    """The classes of phrases, of beginnings of words (those with a star) and of words in scripts without
    blanks, and how many words the longest phrase has that begins with two words.
    """

    phrases: dict[tuple[str, ...], frozenset[str]]
    stems: dict[str, frozenset[str]]
    unspaced: dict[str, frozenset[str]]
    longest: dict[tuple[str, str], int]


@cache
def _lists() -> dict[str, Any]:
    lists: dict[str, Any] = yaml.load(
        Path(__file__).with_name("words.yaml").read_text("utf-8"),
        getattr(yaml, "CBaseLoader", yaml.BaseLoader),
    )
    return lists


def vocabularies() -> list[str]:
    """The names of the vocabularies that `words.yaml` changes."""
    return list(_lists()["vocabularies"])


@cache
def vocabulary(name: str) -> Vocabulary:
    """The words of `words.yaml`, of which a vocabulary drops some classes and to which it adds its own."""
    changes = _lists()["vocabularies"].get(name, {})
    left_out = ("vocabularies", *changes.get("drop", ()))
    by_class = {key: entries for key, entries in _lists().items() if key not in left_out}
    phrases, stems = _by_word(by_class)
    more, more_stems = _by_word(
        {key: entries for key, entries in changes.items() if key not in ("drop", "unknown")}
    )
    for key in _by_word({"unknown": changes.get("unknown", ())})[0]:
        phrases.pop(key, None)
    phrases |= {key: phrases.get(key, frozenset()) | names for key, names in more.items()}
    stems |= {key: stems.get(key, frozenset()) | names for key, names in more_stems.items()}
    longest: dict[tuple[str, str], int] = {}
    for key in phrases:
        if len(key) > 1:
            longest[key[0], key[1]] = max(longest.get((key[0], key[1]), 2), len(key))
    unspaced = {word: names for (word, *more), names in phrases.items() if not more and _CJK.search(word)}
    return Vocabulary(phrases, stems, unspaced, longest)


def _by_word(
    by_class: Mapping[str, Any],
) -> tuple[dict[tuple[str, ...], frozenset[str]], dict[str, frozenset[str]]]:
    """The classes of each phrase and of each beginning of words."""
    phrases: dict[tuple[str, ...], frozenset[str]] = {}
    stems: dict[str, frozenset[str]] = {}
    for name, lines in by_class.items():
        for entry in ", ".join(_flat(lines)).split(", "):
            stem = entry.removesuffix("*")
            forms = [entry]
            if stem != entry:
                forms = [stem, f"{stem}y", f"{stem}ies", f"{stem}s"]
                if " " not in entry:
                    stems[stem] = stems.get(stem, frozenset()) | {name}
            for form in forms:
                key = tuple(form.split())
                phrases[key] = phrases.get(key, frozenset()) | {name}
    return phrases, stems


def _flat(lists: Any) -> Iterator[str]:
    for part in lists:
        yield from [part] if isinstance(part, str) else _flat(part)


@lru_cache(1 << 16)
def _of_word(word: str, name: str) -> frozenset[str]:
    some = vocabulary(name)
    if (word,) in some.phrases:
        return some.phrases[word,]
    if _CJK.search(word):
        return _of_clause(word, some)
    ends = range(min(len(word), MAX_STEM), 3, -1)
    return next((some.stems[word[:n]] for n in ends if word[:n] in some.stems), frozenset())


def _of_clause(clause: str, some: Vocabulary) -> frozenset[str]:
    """The classes of a clause of Chinese, Japanese or Korean, which set no blanks; a negation turns fault
    into soundness.
    """
    inside = {word: names for word, names in some.unspaced.items() if word in clause}
    names = frozenset().union(*inside.values()) - {*VALUES, "no", "subject"}
    signs = names & {"fault", "sound"}
    for word, changes in inside.items():
        clause = clause.replace(word, "") if changes & signs else clause  # 不符 is no negation of its own
    if len(signs) == 1 and any("negation" in changes and word in clause for word, changes in inside.items()):
        signs = frozenset(("fault", "sound")) - signs
    if signs:
        names &= {"doubt", "condition", "retraction"}
        return names | {f"clause_{sign}" for sign in signs} if len(signs) == 1 else names
    is_label = any("label" in changes and clause.endswith(word) for word, changes in inside.items())
    return frozenset(("label",)) if is_label else names


def _plain(text: str, name: str) -> str:
    """A text with one kind of quotation marks and apostrophes, and full-width signs as plain ones."""
    plain = re.sub(r"[\uff01-\uff5e]", lambda sign: unicodedata.normalize("NFKC", sign[0]), text)
    if "#" in text or "**" in text:
        plain = _HEADING.sub(lambda line: _as_heading(line, name), plain)
    if "\\" in text:
        plain = _TEX.sub(lambda command: "\n\n" if "boxed" in command[0] else "", plain)
    plain = _CHOICE.sub("", _TAGS.sub("", plain))
    plain = _QUOTED.sub('"', plain.replace("’", "'").replace("‘", "'").replace("''", '"'))
    plain = _ITEM.sub(".", _SINGLE.sub(r'"\1"', plain))
    return re.sub(r"[*_`#~\\$<>{}]+", lambda mark: " " if mark[0].strip("*`~") else "", plain)


def _as_heading(line: re.Match[str], name: str) -> str:
    """A line that is a label and nothing else, with the colon that heads what stands below."""
    inside = line[1] or line[2]
    names = [_of_word(word, name) for word in inside.casefold().split()]
    is_label = any("label" in some for some in names) and all(
        {"label", "filler", "conclusive"} & some for some in names
    )
    return f"\n\n{inside}:\n" if is_label else line[0]


def _tokens(text: str, name: str) -> Iterator[tuple[str, bool]]:
    """The words and signs of a text, contractions written out, each with whether it has a capital."""
    for paragraph in re.split(r"\n[ \t]*\n", _plain(text, name)):
        for token in _TOKEN.finditer(paragraph.replace("\n", " ")):
            word, is_capital = token[0].casefold(), token[0][0].isupper()
            if word[0] == '"':
                for part in _quoted_value(word.strip('" .!,'), name):
                    yield part, token[0].strip('"')[:1].isupper()
            elif word.endswith("n't"):
                yield _LONG.get(word[:-3], word[:-3]), is_capital
                yield "not", False
            elif "'" in word and word.partition("'")[0] in _SHORTENED and word[word.index("'") :] in _SHORT:
                yield word.partition("'")[0], is_capital
                yield _SHORT[word[word.index("'") :]], False
            else:
                yield word, is_capital
        yield "\n", False


@lru_cache(1024)
def _quoted_value(inside: str, name: str) -> tuple[str, ...]:
    """The words of a value that stands alone between quotation marks, else one mark."""
    key = tuple(inside.split())
    return key if VALUES & (vocabulary(name).phrases.get(key) or _of_word(inside, name)) else ('"',)


def words(text: str, name: str = "") -> tuple[Word, ...]:
    """The words of a text in a vocabulary, phrases of several words as one; `\\n` between paragraphs."""
    return _words_of_name(text, name) if len(text) <= MAX_NAME else _words(text, name)


@lru_cache(1024)
def _words_of_name(text: str, name: str) -> tuple[Word, ...]:
    return _words(text, name)


def _words(text: str, name: str) -> tuple[Word, ...]:
    phrases, longest = vocabulary(name).phrases, vocabulary(name).longest
    tokens = list(islice(_tokens(text, name), MAX_WORDS))
    if len(tokens) == MAX_WORDS:
        return (_TOO_LONG,)
    tokens = with_names(tokens) if name == "choices" else tokens
    texts = [token for token, _ in tokens]
    some: list[Word] = []
    at = 0
    for here, pair in enumerate(zip(texts, [*texts[1:], ""], strict=True)):
        if here < at:
            continue  # within a phrase
        n = longest.get(pair, 1)
        while n > 1 and tuple(texts[here : here + n]) not in phrases:
            n -= 1
        if n > 1:
            key = tuple(texts[here : here + n])
            some.append(Word(" ".join(key), phrases[key], tokens[here][1]))
            at = here + n
        else:
            some.append(_word(*tokens[here], name))
    return tuple(some)


@lru_cache(1 << 16)
def _word(text: str, is_capital: bool, name: str) -> Word:
    return Word(text, _of_word(text, name), is_capital)


def has(some: Sequence[Word], *names: str) -> bool:
    """Return whether one of some words is of one of these classes."""
    for word in some:  # not `any`, of which the generator takes most of the time
        if not word.classes.isdisjoint(names):
            return True
    return False


def is_too_long(some: Sequence[Sentence]) -> bool:
    """Return whether sentences are more, or have more words, than are read of a reply."""
    return len(some) > MAX_SENTENCES or (bool(some) and has(some[0].words, "too_long"))


def sentences(text: str, name: str = "") -> list[Sentence]:
    """The sentences of a text: up to a sign that ends one, a blank line, a label with a colon, or a word by
    which one begins right behind a value.
    """
    parts: list[Sentence] = []
    now: list[Word] = []
    is_first = True
    some = words(text, name)
    for at, word in enumerate(some):
        behind = some[at + 1].text if at + 1 < len(some) else "\n"
        is_end, is_question = word.text in ENDS, word.text in "?？؟"
        if word.text == "\n" and now and now[-1].text in ":：":
            continue  # what a colon announces may stand below a blank line
        if is_end and now and word.text == "." and behind.isdecimal() and VALUES & now[-1].classes:
            continue  # `No. 7`
        if is_end and now and (now[-1].text, word.text) == ("vs", "."):
            continue
        if (
            word.text == "\n"
            or is_end
            or (now and ((_heads(some, at) and not has(now[-1:], "worse")) or _begins(now, word, behind)))
        ):
            if trimmed := _trimmed(now):
                parts.append(Sentence(trimmed, is_question, is_first))
                is_first = False
            now = []
        is_first = is_first or word.text == "\n"
        if word.text != "\n" and not is_end:
            now.append(word)
    if trimmed := _trimmed(now):
        parts.append(Sentence(trimmed, False, is_first))
    return parts


def _trimmed(some: Sequence[Word]) -> tuple[Word, ...]:
    """The words of a sentence without signs before it and pictures behind it; none of a number alone."""
    start, stop = 0, len(some)
    while start < stop and some[start].text in _EDGES:
        start += 1
    while start < stop and some[stop - 1].text in _PICTURES:
        stop -= 1
    return () if stop - start == 1 and some[start].text.isdecimal() else tuple(some[start:stop])


def _heads(some: Sequence[Word], at: int) -> bool:
    """Return whether a label with a colon begins here: `Final answer:`, `My judgement:`."""
    if not some[at].is_capital:
        return "reason_label" in some[at].classes and some[at + 1].text in (":", "：")
    for word in some[at : at + 4]:
        if word.text in (":", "："):
            return word is not some[at]
        if not word.classes & _OF_LABELS:
            return False
    return False


def _begins(now: list[Word], word: Word, behind: str) -> bool:
    """Return whether a word in capitals begins a sentence behind a value, or behind a label's value."""
    is_value = bool(VALUES & now[-1].classes) and (len(now) == 1 or now[-2].text in (":", "="))
    return is_value and word.is_capital and (bool({"opener", "farewell"} & word.classes) or behind == ":")
