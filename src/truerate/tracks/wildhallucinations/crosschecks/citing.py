"""Citations of replies that came with results of a search: the sentences that state something, what each of them
cites, and whether the cited results support it (ALCE, Gao et al. 2023, section 3).

A sentence states something where the fact writer took a fact from it. A cited result is held as the page that
the board's own search read at its address, in its passages that speak most of the sentence, or else as the
text that the server told of it; where there is neither nothing can be said of it. The verifier is shown the
results of one question alone: sentences share a call only where they ask about the same results of one reply.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, frame, judgement_row, pair, pairs
from truerate.core.text import sentences
from truerate.llm import retrieved
from truerate.llm.generation import facts as attributes
from truerate.tracks.wildhallucinations.crosschecks.marks import Cited, address, cited, unmarked
from truerate.tracks.wildhallucinations.passages import Passage, ranked
from truerate.tracks.wildhallucinations.settings import Verification
from truerate.tracks.wildhallucinations.verifying import Call, Claim, shown

SENTENCE, CITATION = "cited-sentence", "citation"  # stages of the judgements
ASKED = "cited"  # stage of the calls
PAGE, SNIPPET, UNTOLD = "page", "snippet", "untold"  # what a cited result was held as
UNCITED, DANGLING = "uncited", "dangling"
Question = tuple[int, tuple[int, ...]]  # the position of a statement, and the results that are shown together
Ask = Callable[[Sequence[Question]], Mapping[Question, bool | None]]


class Statement(NamedTuple):
    """A sentence that states something, without its marks, what it cites, and the passages of every cited
    result that has a text, with what this was held as.
    """

    generation_id: str
    item_id: str
    subject: str
    sentence: int
    text: str
    name: str
    marks: Cited
    passages: Mapping[int, tuple[Passage, ...]]
    kinds: Mapping[int, str]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The cited results that can be shown."""
        return tuple(number for number in self.marks.numbers if self.kinds[number] != UNTOLD)


def pages_cited(replies: pl.DataFrame, documents: pl.LazyFrame) -> dict[str, tuple[str, str]]:
    """Return id and text of those documents that lie at the address of a result of the replies, by
    `marks.address`; of several at one address the first by id.
    """
    texts_of_results = replies.select(pair("attributes", "retrieved"))["retrieved"]
    addresses = {address(result["url"]) for text in texts_of_results for result in retrieved.read(text)}
    by_id = documents.select("document_id", "url").unique().sort("document_id").collect()
    address_of = {name: address(url) for name, url in by_id.iter_rows() if url and address(url) in addresses}
    texts = documents.filter(pl.col("document_id").is_in(list(address_of))).select("document_id", "text")
    text_of = dict(texts.collect().iter_rows())
    return {url: (name, text_of[name]) for name, url in reversed(address_of.items())}


def statements(
    replies: pl.DataFrame,
    facts: pl.DataFrame,
    names: Mapping[str, str],
    pages: Mapping[str, tuple[str, str]],
    how: Verification,
) -> list[Statement]:
    """Return the statements of replies that came with results, in order. `facts`: of these replies; `names`: of
    the entities by item; `pages`: id and text of the pages by `marks.address`.
    """
    is_stating: dict[str, set[int]] = {}
    for name, index in facts.select("generation_id", "sentence_index").iter_rows():
        is_stating.setdefault(name, set()).add(index)
    stated = []
    for row in replies.sort("generation_id").iter_rows(named=True):
        results = retrieved.read(attributes(row).get("retrieved"))
        number_of = {address(result["url"]): number for number, result in reversed([*enumerate(results, 1)])}
        whole = sentences(row["text"])
        for index in sorted(is_stating.get(row["generation_id"], ())):
            marks, text = cited(whole[index], len(results), number_of), unmarked(whole[index])
            cited_as = {number: _evidence(text, results[number - 1], pages, how) for number in marks.numbers}
            of_reply = row["generation_id"], row["item_id"], row["model"], index
            shown_as = {number: passages for number, (_, passages) in cited_as.items()}
            kinds = {number: kind for number, (kind, _) in cited_as.items()}
            stated.append(Statement(*of_reply, text, names[row["item_id"]], marks, shown_as, kinds))
    return stated


def _evidence(
    text: str, result: Mapping[str, str], pages: Mapping[str, tuple[str, str]], how: Verification
) -> tuple[str, tuple[Passage, ...]]:
    """What a cited result is held as, and its passages for a sentence."""
    page = pages.get(address(result["url"]))
    best = ranked([page], [text], how.n_passages, n_words=how.passage_words)[0] if page else []
    if best:
        return PAGE, tuple(best)
    if not (snippet := result["text"].strip()):
        return (PAGE, ()) if page else (UNTOLD, ())
    document_id = content_id("result", result["url"], snippet)
    return SNIPPET, (Passage(document_id, 0, len(snippet), snippet, result["title"]),)


# ---- asking ------------------------------------------------------------------------------------------------


def verdicts(stated: Sequence[Statement], ask: Ask) -> dict[Question, bool | None]:
    """Return whether results support a statement, by question (null: no verdict was read), in three rounds: all
    that it cites together; where these support it each alone; and where one does not, the others without it.
    """
    together = [
        (position, statement.numbers) for position, statement in enumerate(stated) if statement.numbers
    ]
    supported = dict(ask(together))
    several = [question for question in together if len(question[1]) > 1 and supported[question]]
    alone = [(position, (number,)) for position, numbers in several for number in numbers]
    supported |= ask(alone)
    without = {
        (position, rest): None
        for position, numbers in several
        for number in numbers
        if supported[position, (number,)] is False
        and (position, rest := tuple(other for other in numbers if other != number)) not in supported
    }
    return supported | ask(list(without))


def calls(stated: Sequence[Statement], questions: Iterable[Question], how: Verification) -> list[Call]:
    """Return the questions in calls of `facts_per_call` at most, each of one reply and the same results."""
    groups: dict[tuple[str, tuple[int, ...]], list[Claim]] = {}
    for question in questions:
        position, numbers = question
        statement = stated[position]
        turns = zip_longest(*(statement.passages[number] for number in numbers))
        passages = tuple(passage for turn in turns for passage in turn if passage is not None)
        of_reply = statement.generation_id, statement.item_id, statement.subject
        claim = Claim(claim_id(stated, question), *of_reply, statement.text, statement.name, passages)
        groups.setdefault((statement.generation_id, numbers), []).append(claim)
    n = how.facts_per_call
    parts = [
        (numbers, tuple(claims[start : start + n]))
        for (_, numbers), claims in groups.items()
        for start in range(0, len(claims), n)
    ]
    # the best passage of each result is shown for each sentence, however many these are
    return [
        Call(part, shown(part, max(how.window, len(part) * len(numbers))), ASKED) for numbers, part in parts
    ]


def claim_id(stated: Sequence[Statement], question: Question) -> str:
    """Return the name of a question."""
    position, numbers = question
    return content_id(ASKED, stated[position].generation_id, stated[position].sentence, list(numbers))


# ---- judgements --------------------------------------------------------------------------------------------


def precise(numbers: tuple[int, ...], number: int, of: Mapping[tuple[int, ...], bool | None]) -> bool | None:
    """Return whether a citation is precise: all cited results together support the sentence, and this one does
    alone or the others do not without it. Null where a verdict that decides it was not read. `of`: whether
    results support the sentence.
    """
    if not (together := of.get(numbers)) or of.get((number,)):
        return together
    if of.get((number,)) is None:
        return None
    others = of.get(tuple(other for other in numbers if other != number))
    return None if others is None else not others


def judgements(
    stated: Sequence[Statement], supported: Mapping[Question, bool | None], *, judge: str, version: str
) -> pl.DataFrame:
    """Return a Judgement per statement (stage SENTENCE, verdict true: what it cites does not support it) and per
    citation (stage CITATION, true: imprecise).

    `target_id` is the reply's id, the sentence's number from 0 and the citation's mark, joined by colons.
    `kind` of a statement: UNCITED, DANGLING (it cites nothing that was told); of a citation what the result was
    held as, or DANGLING. Without a verdict the status is `unparsed`, with the reason `untold` where no text of a
    cited result is known, else `unread`.
    """
    rows = []

    def add(stage: str, target: str, verdict: bool | None, kind: str | None, statement: Statement) -> None:
        reason = None if verdict is not None else UNTOLD if kind == UNTOLD else "unread"
        ids: dict[str, object] = {
            "judgement_id": content_id("judgement", judge, version, target),
            "judge": judge,
        }
        ids |= {"judge_version": version, "target_id": target, "verdict": verdict, "reason": reason}
        of_reply = pairs(
            generation=statement.generation_id, subject=statement.subject, stage=stage, kind=kind
        )
        rows.append(judgement_row(**ids, status="unparsed" if reason else "ok", attributes=of_reply))

    for position, statement in enumerate(stated):
        target, numbers = f"{statement.generation_id}:{statement.sentence}", statement.numbers
        of = {question[1]: verdict for question, verdict in supported.items() if question[0] == position}
        if not statement.marks.numbers:
            add(SENTENCE, target, True, DANGLING if statement.marks.dangling else UNCITED, statement)
        else:
            is_supported = of.get(numbers) if numbers else None
            is_against = None if is_supported is None else not is_supported
            add(SENTENCE, target, is_against, None if numbers else UNTOLD, statement)
        for number in statement.marks.numbers:
            is_precise = precise(numbers, number, of) if number in numbers else None
            is_wrong = None if is_precise is None else not is_precise
            add(CITATION, f"{target}:{number}", is_wrong, statement.kinds[number], statement)
        for mark in statement.marks.dangling:
            add(CITATION, f"{target}:{content_id(DANGLING, mark)[:12]}", True, DANGLING, statement)
    return frame(Judgement, rows).sort("judgement_id")
