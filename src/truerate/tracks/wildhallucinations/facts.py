"""Atomic facts: read from the lines of the fact writer, with those that repeat an earlier one or only the
entity's name marked.

A repeated or trivial fact is a fact all the same (the paper counts them); the marks let scores be shown
without them (Jiang et al. 2024, Core: such facts raise FActScore).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Fact, frame
from truerate.core.text import normalise, sentences
from truerate.llm import parse
from truerate.llm.generation import facts as attributes

GENERATE, WRITE = "generate", "write_facts"
_LINE = re.compile(r"(?:[-*•][ \t]*)?\[(\d{1,4})\][ \t]*(\S.*)")
# A line that means to be an entry: of a list, of a table, or with a number in whatever marks, also behind a
# word (`Sentence 2: …`).
_ENTRY = re.compile(
    r"[-+–—]\s*[^-+–—*_=\s].*|\*\s+\S.*|[•·‣◦|>]\s*\S.*|[\"'`“„«*_]*(?:[\[{【［〔①-⓿]|[(（]\s*\d).*"
    r"|[\"'`“„«*_#]*\d{1,4}(?:[ *_]*[\])}.:：、|】］）〕]| *\t| +[-–—] ).*|[*_]*\w+ +#?\d{1,4}[*_]*[).:：、][\s*_]*[^\s*_].*"
)
# What only frames entries: a fence of code or of data, a tag alone, a rule, a heading, a line in bold, one
# that ends with a colon.
_FRAME = re.compile(
    r"(?:```|~~~).*|</?[\w-]+>|[-*_=#]{3,}|#{1,6}\s.*|\*\*[^*]+\*\*|__[^_]+__|[^\[\](){}|]*[:：][*_]*"
)
_BARE = re.compile(
    r"[\W_]+|[\[(（【][^\d\[\](){}]*[\])）】][.:!]?"
)  # marks alone, or words in brackets with no number and nothing behind
# An entry that speaks of the work itself, which no fact does: `- Done!`, `1. Facts`, `Step 1: I read the
# text.`
_CHATTY = re.compile(
    r"(?:[-+–—*•·‣◦|>]\s*|\d{1,3}[.):]\s*|(?:step|part|note)\s*\d*\s*[.):]\s*)+"
    r"(?:(?:i|i['’]\w+|we|here|below|let me|let us|hope)\b.*|(?:done|ok|okay|sure|(?:atomic )?facts?|end|finished|certainly|of course)\W*)",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:[,،、]|\b(?:a|an|the|of|in|on|at|to|by|for|from|with|and|or|is|was|as))$", re.IGNORECASE
)  # a fact that goes on
_NONE = frozenset(("none", "no facts", "no fact"))
# Words that carry no content of their own: what two wordings of one fact may differ in.
_EMPTY = frozenset(
    "is are was were be been being am do does did has have had of in on at to for from by with as and that this these those it its he his "
    "him she her they their them there also which who whom".split()
)
_NAMING = frozenset(
    "called named name names known title titled entitled entity subject thing something exists exist existing one".split()
)


class Lines(NamedTuple):
    """What a fact writer's reply holds: (sentence from 0, fact) in its order, sentences without a line, lines
    that could not be read.
    """

    facts: tuple[tuple[int, str], ...]
    missed: tuple[int, ...]
    n_malformed: int


def read_lines(text: str, n_sentences: int) -> Lines | None:
    """The lines `[1] fact` of a reply, `[1] none` for a sentence without a fact; None where no line can be read.

    What stands around these lines and frames them (a greeting, a heading, a fence of code, a closing word) is
    left: it holds no fact. A line that means to be an entry and does not hold the number of a sentence in
    brackets is malformed (`_is_malformed`). A sentence that got no line at all is missed.
    """
    found = parse.after_heading(text, "Facts", is_optional=True).value
    lines = [line.strip() for line in (found or "").splitlines()]
    matches = [
        match if (match := _LINE.fullmatch(line)) and _is_fact(match, n_sentences) else None for line in lines
    ]
    told = [(int(match[1]) - 1, match[2].strip()) for match in matches if match]
    if not told:
        return None
    missed = sorted(set(range(n_sentences)) - {place for place, _ in told})
    stated = tuple((place, fact) for place, fact in told if fact.rstrip(".").casefold() not in _NONE)
    last = max(place for place, match in enumerate(matches) if match)
    n_malformed = sum(
        not match
        and _is_malformed(
            line, lines[place - 1] if place else "", is_between=place < last, is_whole=not missed
        )
        for place, (line, match) in enumerate(zip(lines, matches, strict=True))
    )
    return Lines(stated, tuple(missed), n_malformed)


def _is_fact(match: re.Match, n_sentences: int) -> bool:
    """Whether a line names a sentence that there is and says something."""
    return 1 <= int(match[1]) <= n_sentences and any(map(str.isalnum, match[2]))


def _is_malformed(line: str, before: str, *, is_between: bool, is_whole: bool) -> bool:
    """Whether a line that is no fact may have been meant as one, or as the rest of one; `before` is the line
    right above it.

    So a numbered line or a list entry in another form, and words right below a fact: between facts, or where
    they go on in small letters or that fact breaks off; where a sentence has no line (not `is_whole`) any
    words. What frames the facts is not.
    """
    if (
        not line
        or _BARE.fullmatch(line)
        or _CHATTY.fullmatch(line)
        or _FRAME.fullmatch(line)
        and not _ENTRY.fullmatch(line)
    ):
        return False
    is_below = bool(_LINE.fullmatch(before))
    is_rest = is_below and (is_between or line[0].islower() or bool(_OPEN.search(before)))
    return not is_whole or is_rest or bool(_ENTRY.fullmatch(line))


def facts_of(generations: pl.DataFrame) -> pl.DataFrame:
    """The Fact rows of all replies, without evidence, from Generation rows of purposes `generate` and
    `write_facts`, in order.

    The sentences are those of `text.sentences`; a fact keeps its id as long as its reply, its sentence and
    its words stay.
    """
    replies = {
        row["generation_id"]: row
        for row in generations.filter(pl.col("purpose") == GENERATE).iter_rows(named=True)
    }
    written = generations.filter((pl.col("purpose") == WRITE) & (pl.col("status") == "ok")).sort(
        "generation_id"
    )
    rows = []
    for row in written.iter_rows(named=True):
        known = attributes(row)
        if (reply := replies.get(known["generation"])) is not None:
            rows += _facts(reply, row["text"], known.get("name", ""))
    return frame(Fact, rows)


def _facts(reply: dict, text: str, name: str) -> list[dict]:
    """The facts of one reply."""
    parts = sentences(reply["text"])
    read = read_lines(text, len(parts))
    rows, seen, times = [], set(), {}
    for place, fact in sorted(read.facts, key=lambda one: one[0]) if read else ():
        nth = times[place, fact] = times.get((place, fact), -1) + 1
        content = key_of(fact)
        rows.append(
            {
                "fact_id": content_id("fact", reply["generation_id"], place, fact, nth),
                "generation_id": reply["generation_id"],
                "item_id": reply["item_id"],
                "subject": reply["model"],
                "sentence_index": place,
                "sentence": parts[place],
                "text": fact,
                "is_duplicate": content in seen,
                "is_title": is_title(fact, name),
                "evidence": [],
            }
        )
        seen.add(content)
    return rows


def content_words(text: str) -> list[str]:
    """The words of a text that carry content, case and articles levelled, in order; the whole where none do."""
    plain = normalise(text).split()
    return [word for word in plain if word not in _EMPTY] or plain


def key_of(fact: str) -> tuple[str, tuple[str, ...]]:
    """What two facts share that say the same: the first content word, and the others in any order.

    The first one is kept in its place, so that *A defeated B* and *B defeated A* stay two facts. Paraphrases
    in other words are not found.
    """
    first, *rest = content_words(fact) or [""]
    return first, tuple(sorted(rest))


def is_title(fact: str, name: str) -> bool:
    """Whether a fact says no more than that the entity is what it is called: its content words are those of
    the name, or of naming.
    """
    own = {_stem(word) for word in normalise(name).split()}
    said: Sequence[str] = content_words(fact)
    return bool(own) and bool(said) and all(_stem(word) in own or word in _NAMING for word in said)


def _stem(word: str) -> str:
    """A word without the ending of a possessive or plural."""
    return word.removesuffix("'s").removesuffix("s") if len(word) > 3 else word
