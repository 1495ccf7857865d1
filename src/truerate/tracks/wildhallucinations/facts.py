"""Atomic facts (FActScore, Min et al. 2023): one call per reply, or per paragraph, its sentences
numbered; read from the lines of the fact writer (`llm.replies.lists.facts`), with those that repeat an
earlier one or only the entity's name marked.

A repeated or trivial fact is a fact all the same (the paper counts them); the marks let scores be shown
without them (Jiang et al. 2024, Core: such facts raise FActScore).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Fact, frame, pair
from truerate.core.sentence_spans import sentence_spans
from truerate.core.text import n_words, normalise, sentences, uncited
from truerate.llm.generation import Prompted, Read, standing
from truerate.llm.generation import facts as attributes
from truerate.llm.guard import neutralise
from truerate.llm.replies.cutting import MAX_CHARS
from truerate.llm.replies.lists.facts import read_facts
from truerate.llm.replies.lists.revisions import UNCHECKABLE, read_revisions
from truerate.tracks.asking import UNREAD, Prompter

GENERATE, WRITE, REVISE = "generate", "write_facts", "revise_facts"
Part = tuple[str | None, str | None]  # a reply, and the first sentence of the part of it where it is parted
REPLY = ("generation_id", "item_id", "model", "text")  # columns of a reply that its facts are made of
AT_ONCE = 20_000  # facts that are dictionaries at a time
SHORT, LONG = 40, 300  # words below which a paragraph is read with the next, and above which it is parted
N_BEFORE = 3  # sentences before a part that its call shows, for what pronouns stand for
_BLANK_LINE = re.compile(r"\n\s*\n")
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
    """Return one request per `ok` reply with a sentence, or per part of it (`parts_of`) where `facts_by` is
    "paragraph"; without citation marks, which look like numbers.

    A request about a part has the attribute `first_sentence` and shows the N_BEFORE sentences before it.
    """
    asked, settings = [], prompter.settings
    for row in replies:
        name = names.get(row["item_id"])
        if row["status"] != "ok" or name is None:
            continue
        spans = sentence_spans(row["text"])
        whole = [uncited(row["text"][start:end]) for start, end in spans]
        is_parted = settings.facts_by == "paragraph"
        parts = parts_of(row["text"], spans) if is_parted else [range(len(whole))] if whole else []
        for part in parts:
            of_reply = {"generation": row["generation_id"], "subject": row["model"], "name": name}
            of_reply |= {"lang": attributes(row).get("lang"), "n_sentences": str(len(part))}
            of_reply |= {"first_sentence": str(part.start)} if len(parts) > 1 else {}
            how = settings.fact_writer, row["item_id"], settings.writing_facts, of_reply
            before = " ".join(whole[max(0, part.start - N_BEFORE) : part.start])
            values = {"subject": name, "sentences": numbered(whole[part.start : part.stop]), "before": before}
            asked.append(prompter.prompted(WRITE, *how, **values))
    return asked


def parts_of(text: str, spans: Sequence[tuple[int, int]]) -> list[range]:
    """Return the sentences of a text (`spans`) in parts, in order and together all of them: its paragraphs,
    which blank lines part. One of fewer than SHORT words (a heading, an entry) is joined with the next;
    before a sentence with which a part would have more than LONG words a new one begins.
    """
    parts, start, size = [], 0, 0
    for index, (begin, end) in enumerate(spans):
        n = n_words(text[begin:end])
        is_new = index and size >= SHORT and _BLANK_LINE.search(text, spans[index - 1][1], begin)
        if is_new or (size and size + n > LONG):
            parts.append(range(start, index))
            start, size = index, 0
        size += n
    return [*parts, range(start, len(spans))] if spans else []


def read(asked: Prompted, text: str, texts: Mapping[str, str]) -> Read:
    """Read a reply as the lines of facts of the text that it is about, which is the one of `texts` that it
    names, or of its part.

    `n_missed` counts sentences without a line, `n_malformed` lines that may have been meant as facts and were
    not read; `cuts` names what was read loosely (`reading.CUTS`).
    """
    whole = sentences(texts[asked.attributes["generation"] or ""])
    part = _part(asked.attributes, len(whole))
    reading = read_facts(text, [uncited(whole[index]) for index in part])
    cuts = {"cuts": " ".join(reading.cuts) or None}
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cuts)
    counts = {"n_missed": str(len(reading.value.missed)), "n_malformed": str(reading.value.n_malformed)}
    return Read(text, attributes={**counts, **cuts})


def _part(names: Mapping[str, str | None], n: int) -> range:
    """The sentences, of `n`, that a request's attributes say it is about: all, unless it is about a part."""
    if (first := names.get("first_sentence")) is None:
        return range(n)
    return range(n)[int(first) : int(first) + int(names.get("n_sentences") or n)]


def n_lost(reading: Read) -> int:
    """Return how many sentences and lines were lost; of an unreadable reply more than any reply has."""
    if reading.status == UNREAD:
        return MAX_CHARS
    return int(reading.attributes["n_missed"] or 0) + int(reading.attributes["n_malformed"] or 0)


def numbered(lines: Iterable[str]) -> str:
    """Return lines as they stand in a prompt: `[1] …`, each on one line, and neutralised."""
    return "\n".join(f"[{k}] {' '.join(neutralise(line).split())}" for k, line in enumerate(lines, 1))


# ---- revising ----------------------------------------------------------------------------------------------


def revise_requests(
    replied: pl.DataFrame, written: pl.DataFrame, questions: Mapping[str, str], prompter: Prompter
) -> tuple[list[Prompted], dict[Part, list[str]]]:
    """Return one request per reply of the fact writer that holds a fact: it gets these facts, the text that they
    were cut from and what was asked, and makes each self-contained or says that nobody can check it (VeriScore,
    Song et al. 2024; SAFE, Wei et al. 2024). Beside them these facts by what they are of.
    """
    text_of, asked = dict(replied.select("generation_id", "text").iter_rows()), []
    claims_of: dict[Part, list[str]] = {}
    for row in _in_order(written).iter_rows(named=True):
        names = attributes(row)
        text = text_of[names["generation"]]
        if claims := [fact for _, fact in _entries(row, sentences(text))]:
            of_row = {name: names.get(name) for name in ("generation", "subject", "lang", "first_sentence")}
            of_row |= {"n_claims": str(len(claims))}
            claims_of[_part_of(of_row)] = claims
            how = prompter.settings.fact_writer, row["item_id"], prompter.settings.writing_facts, of_row
            values = {"subject": questions[row["item_id"]], "text": text, "claims": numbered(claims)}
            asked.append(prompter.prompted(REVISE, *how, **values))
    return asked, claims_of


def read_revised(asked: Prompted, text: str, claims_of: Mapping[Part, Sequence[str]]) -> Read:
    """Read a reply as the self-contained claims that its request asks for (`read_revisions`). `n_checkable`
    counts those that can be checked, `n_changed` those of them in other words than before, `n_unread` those of
    which nothing was read.
    """
    before = claims_of[_part_of(asked.attributes)]
    n = len(before)
    reading = read_revisions(text, n)
    claims = reading.value or [None] * n
    n_changed = sum(bool(claim) and claim != first for claim, first in zip(claims, before, strict=True))
    counts = {
        "n_unread": claims.count(None),
        "n_checkable": n - claims.count(None) - claims.count(UNCHECKABLE),
    }
    counts |= {"n_changed": n_changed}
    cuts = {name: str(count) for name, count in counts.items()} | {"cuts": " ".join(reading.cuts) or None}
    is_unread = reading.value is None
    return Read(text, "unparsed" if is_unread else "ok", reading.reason if is_unread else None, cuts)


def _part_of(names: Mapping[str, str | None]) -> Part:
    return names["generation"], names.get("first_sentence")


def n_unread(reading: Read) -> int:
    """Return how many claims of a reply were not read."""
    return int(reading.attributes["n_unread"] or 0)


# ---- reading -----------------------------------------------------------------------------------------------


def facts_of(generations: pl.DataFrame) -> pl.DataFrame:
    """Return the Fact rows of all replies, without evidence, from Generation rows of purposes `generate` and
    `write_facts`, in order. Where they were revised (`revise_facts`) their text is the self-contained claim; one
    of which nothing was read, or which nobody can check, stays as it was written.

    The sentences are those of `text.sentences`; a fact keeps its id as long as its reply, its sentence and
    its words stay.
    """
    parts = [frame(Fact)]
    rows_of = (row for row, _ in _facts(generations))
    while batch := list(islice(rows_of, AT_ONCE)):  # as dictionaries those of a board would fill the memory
        parts.append(frame(Fact, batch))
    return pl.concat(parts)


def uncheckable(generations: pl.DataFrame) -> frozenset[str]:
    """Return the ids of the facts of which their reviser says that nobody can check them."""
    if not (generations["purpose"] == REVISE).any():
        return frozenset()
    return frozenset(row["fact_id"] for row, is_checkable in _facts(generations) if not is_checkable)


def _in_order(generations: pl.DataFrame) -> pl.DataFrame:
    """What stands of the facts that were written: the parts of a reply behind one another, by its sentences,
    with the `reply` that each is about and its `first` sentence.
    """
    is_read = (pl.col("purpose") == WRITE) & (pl.col("status") == "ok")
    first, reply = (pair("attributes", name) for name in ("first_sentence", "generation"))
    written = standing(generations.filter(is_read)).with_columns(first=first.cast(pl.Int64), reply=reply)
    return written.sort(pl.col("generation_id").min().over("reply"), "first", "generation_id")


def _entries(row: dict, whole: Sequence[str]) -> list[tuple[int, str]]:
    """The facts of a row of the fact writer, each with its sentence among all (`whole`), by sentence."""
    part = _part(attributes(row), len(whole))
    read = read_facts(row["text"], [uncited(whole[index]) for index in part]).value
    return (
        [(part[number], fact) for number, fact in sorted(read.facts, key=lambda pair: pair[0])]
        if read
        else []
    )


def _facts(generations: pl.DataFrame) -> Iterator[tuple[dict, bool]]:
    """The facts of replies, from what was written of them or of their parts, and whether they can be checked."""
    rows = generations.lazy().filter(pl.col("purpose") == GENERATE).select(*REPLY).collect()
    reply_of = {row["generation_id"]: row for row in rows.iter_rows(named=True)}
    revised = standing(generations.filter(purpose=REVISE, status="ok")).iter_rows(named=True)
    revision_of = {_part_of(attributes(row)): row["text"] for row in revised}
    written = _in_order(generations).iter_rows(named=True)
    for name, of_reply in groupby(written, key=lambda row: row["reply"]):
        if (reply := reply_of.get(name)) is None:
            continue
        whole, contents, n_times = sentences(reply["text"]), set(), Counter[tuple[int, str]]()
        for row in of_reply:
            names, entries = attributes(row), _entries(row, whole)
            revision = revision_of.get(_part_of(names), "")
            claims = read_revisions(revision, len(entries)).value or [None] * len(entries)
            for (index, first), claim in zip(entries, claims, strict=True):
                fact = claim or first
                content, nth = key_of(fact), n_times[index, fact]
                fact_row = {
                    "fact_id": content_id("fact", reply["generation_id"], index, fact, nth),
                    "generation_id": reply["generation_id"],
                    "item_id": reply["item_id"],
                    "subject": reply["model"],
                    "sentence_index": index,
                    "sentence": whole[index],
                    "text": fact,
                    "evidence": [],
                    "is_duplicate": content in contents,
                    "is_title": is_title(fact, names.get("name", "")),
                }
                yield fact_row, claim != UNCHECKABLE
                n_times[index, fact] += 1
                contents.add(content)


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
