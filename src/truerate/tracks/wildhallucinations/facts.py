"""Atomic facts (FActScore, Min et al. 2023): one call per reply, its sentences numbered; read from the lines
of the fact writer (`llm.replies.lists.facts`), with those that repeat an earlier one or only the entity's name
marked.

A repeated or trivial fact is a fact all the same (the paper counts them); the marks let scores be shown
without them (Jiang et al. 2024, Core: such facts raise FActScore).
"""

from collections import Counter
from collections.abc import Iterable, Mapping

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Fact, frame
from truerate.core.text import normalise, sentences, uncited
from truerate.llm.generation import Prompted, Read, standing
from truerate.llm.generation import facts as attributes
from truerate.llm.guard import neutralise
from truerate.llm.replies.cutting import MAX_CHARS
from truerate.llm.replies.lists.facts import read_facts
from truerate.tracks.asking import UNREAD, Prompter

GENERATE, WRITE = "generate", "write_facts"
REPLY = ("generation_id", "item_id", "model", "text")  # columns of a reply that its facts are made of
AT_ONCE = 2_000  # replies whose facts are dictionaries at a time
# Words that carry no content of their own: what two wordings of one fact may differ in.
_EMPTY = frozenset(
    "is are was were be been being am do does did has have had of in on at to for from by with as and that"
    " this these those it its he his him she her they their them there also which who whom".split()
)
_NAMING = frozenset(
    "called named name names known title titled entitled entity subject thing something exists exist existing"
    " one".split()
)


# ---- writing -----------------------------------------------------------------------------------------------


def write_requests(replies: Iterable[dict], names: Mapping[str, str], prompter: Prompter) -> list[Prompted]:
    """Return one request per `ok` reply with a sentence, without citation marks, which look like numbers."""
    asked, settings = [], prompter.settings
    for row in replies:
        name, parts = names.get(row["item_id"]), sentences(row["text"])
        if row["status"] == "ok" and name is not None and parts:
            of_reply = {"generation": row["generation_id"], "subject": row["model"], "name": name}
            of_reply |= {"lang": attributes(row).get("lang"), "n_sentences": str(len(parts))}
            how = settings.fact_writer, row["item_id"], settings.writing_facts, of_reply
            values = {"subject": name, "sentences": numbered(map(uncited, parts))}
            asked.append(prompter.prompted(WRITE, *how, **values))
    return asked


def read(asked: Prompted, text: str, texts: Mapping[str, str]) -> Read:
    """Read a reply as the lines of facts of the text that it is about, which is the one of `texts` that it
    names.

    `n_missed` counts sentences without a line, `n_malformed` lines that may have been meant as facts and were
    not read; `cuts` names what was read loosely (`reading.CUTS`).
    """
    parts = [uncited(part) for part in sentences(texts[asked.attributes["generation"] or ""])]
    reading = read_facts(text, parts)
    cuts = {"cuts": " ".join(reading.cuts) or None}
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cuts)
    counts = {"n_missed": str(len(reading.value.missed)), "n_malformed": str(reading.value.n_malformed)}
    return Read(text, attributes={**counts, **cuts})


def n_lost(reading: Read) -> int:
    """Return how many sentences and lines were lost; of an unreadable reply more than any reply has."""
    if reading.status == UNREAD:
        return MAX_CHARS
    return int(reading.attributes["n_missed"] or 0) + int(reading.attributes["n_malformed"] or 0)


def numbered(lines: Iterable[str]) -> str:
    """Return lines as they stand in a prompt: `[1] …`, each on one line, and neutralised."""
    return "\n".join(f"[{k}] {' '.join(neutralise(line).split())}" for k, line in enumerate(lines, 1))


# ---- reading -----------------------------------------------------------------------------------------------


def facts_of(generations: pl.DataFrame) -> pl.DataFrame:
    """Return the Fact rows of all replies, without evidence, from Generation rows of purposes `generate` and
    `write_facts`, in order.

    The sentences are those of `text.sentences`; a fact keeps its id as long as its reply, its sentence and
    its words stay.
    """
    rows = generations.lazy().filter(pl.col("purpose") == GENERATE).select(*REPLY).collect()
    reply_of = {row["generation_id"]: row for row in rows.iter_rows(named=True)}
    is_read = (pl.col("purpose") == WRITE) & (pl.col("status") == "ok")
    parts = [frame(Fact)]
    for part in standing(generations.filter(is_read)).sort("generation_id").iter_slices(AT_ONCE):
        facts: list[dict] = []  # as dictionaries those of a board would fill the memory
        for row in part.iter_rows(named=True):
            names = attributes(row)
            if reply := reply_of.get(names["generation"]):
                facts += _facts(reply, row["text"], names.get("name", ""))
        parts.append(frame(Fact, facts))
    return pl.concat(parts)


def _facts(reply: dict, text: str, name: str) -> list[dict]:
    """The facts of one reply."""
    parts = sentences(reply["text"])
    read = read_facts(text, [uncited(part) for part in parts]).value
    rows, contents, n_times = [], set(), Counter[tuple[int, str]]()
    for index, fact in sorted(read.facts, key=lambda pair: pair[0]) if read else ():
        content, nth = key_of(fact), n_times[index, fact]
        ids = {"fact_id": content_id("fact", reply["generation_id"], index, fact, nth)}
        ids |= {
            "generation_id": reply["generation_id"],
            "item_id": reply["item_id"],
            "subject": reply["model"],
        }
        texts = {"sentence_index": index, "sentence": parts[index], "text": fact, "evidence": []}
        marks = {"is_duplicate": content in contents, "is_title": is_title(fact, name)}
        rows.append(ids | texts | marks)
        n_times[index, fact] += 1
        contents.add(content)
    return rows


def content_words(text: str) -> list[str]:
    """Return the words of a text that carry content, normalised, in order; all where none do."""
    plain = normalise(text).split()
    return [word for word in plain if word not in _EMPTY] or plain


def key_of(fact: str) -> tuple[str, tuple[str, ...]]:
    """Return what two facts share that say the same: the first content word, and the others in any order.

    The first one is kept in its place, so that *A defeated B* and *B defeated A* stay two facts. Paraphrases
    in other words are not found.
    """
    first, *rest = content_words(fact) or [""]
    return first, tuple(sorted(rest))


def is_title(fact: str, name: str) -> bool:
    """Return whether a fact says no more than that the entity is what it is called."""

    def stem(word: str) -> str:
        return word.removesuffix("'s").removesuffix("s") if len(word) > 3 else word

    stems, words = {stem(word) for word in normalise(name).split()}, content_words(fact)
    return bool(stems) and bool(words) and all(stem(word) in stems or word in _NAMING for word in words)
