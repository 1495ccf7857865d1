"""Atomic facts: read from the lines of the fact writer (`llm.replies.numbered`), with those that repeat an
earlier one or only the entity's name marked.

A repeated or trivial fact is a fact all the same (the paper counts them); the marks let scores be shown
without them (Jiang et al. 2024, Core: such facts raise FActScore).
"""

from collections.abc import Mapping, Sequence

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Fact, frame
from truerate.core.text import normalise, sentences, uncited
from truerate.llm.generation import facts as attributes
from truerate.llm.generation import standing
from truerate.llm.replies.numbered import read_facts

GENERATE, WRITE = "generate", "write_facts"
REPLY = ("generation_id", "item_id", "model", "text")  # columns of a reply that its facts are made of
AT_ONCE = 2_000  # replies whose facts are dictionaries at a time
# Words that carry no content of their own: what two wordings of one fact may differ in.
_EMPTY = frozenset(
    "is are was were be been being am do does did has have had of in on at to for from by with as and that this these those it its he his "
    "him she her they their them there also which who whom".split()
)
_NAMING = frozenset(
    "called named name names known title titled entitled entity subject thing something exists exist existing one".split()
)


def facts_of(generations: pl.DataFrame) -> pl.DataFrame:
    """The Fact rows of all replies, without evidence, from Generation rows of purposes `generate` and
    `write_facts`, in order.

    The sentences are those of `text.sentences`; a fact keeps its id as long as its reply, its sentence and
    its words stay.
    """
    told = generations.lazy().filter(pl.col("purpose") == GENERATE).select(*REPLY).collect()
    replies = {row["generation_id"]: row for row in told.iter_rows(named=True)}
    is_read = (pl.col("purpose") == WRITE) & (pl.col("status") == "ok")
    written = standing(generations.filter(is_read)).sort("generation_id")
    parts = (_facts_of_some(part, replies) for part in written.iter_slices(AT_ONCE))
    return pl.concat([frame(Fact), *parts])


def _facts_of_some(written: pl.DataFrame, replies: Mapping[str, dict]) -> pl.DataFrame:
    """The Fact rows of a few replies: as dictionaries those of a board would fill the memory."""
    rows = []
    for row in written.iter_rows(named=True):
        known = attributes(row)
        if (reply := replies.get(known["generation"])) is not None:
            rows += _facts(reply, row["text"], known.get("name", ""))
    return frame(Fact, rows)


def _facts(reply: dict, text: str, name: str) -> list[dict]:
    """The facts of one reply."""
    parts = sentences(reply["text"])
    read = read_facts(text, [uncited(part) for part in parts]).value
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
