"""What a published detector is asked about: a text, its document and its question."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from truerate.core.text import sentences
from truerate.detectors.evidence import split
from truerate.detectors.judges.judged import reference_of
from truerate.detectors.published.adapters import Adapter

NO_EVIDENCE, NO_TEXT, TOO_LONG = "no-evidence", "no-text", "too-long"  # why there is no verdict


class Text(NamedTuple):
    """A text with its `document`: the knowledge, and where the text is a turn of a conversation what was said
    before it. `question`: what it answers, empty where it answers none.
    """

    target_id: str
    text: str
    document: str
    question: str

    @property
    def passages(self) -> list[str]:
        """The document's passages, of which it has at least one where it holds any text."""
        return split(self.document)

    def read_as(self, plain: Callable[[str], str]) -> "Text":
        """The same with its text, document and question as `plain` gives them."""
        return self._replace(
            text=plain(self.text), document=plain(self.document), question=plain(self.question)
        )


def texts_of(rows: pl.DataFrame) -> Iterator[Text]:
    """The texts of rows (`target_id`, `text`, `knowledge`, `question`, `history`; null: none)."""
    columns = [pl.col(name).fill_null("") for name in ("text", "knowledge", "question", "history")]
    for target, text, knowledge, question, history in rows.select("target_id", *columns).iter_rows():
        has_turns = bool(history.strip())
        document = reference_of(knowledge, history, question) if has_turns else knowledge
        yield Text(target, text, document, question.strip())


def claims_of(adapter: Adapter, text: str) -> list[str]:
    """Return what is asked about at once: the text, or its sentences. Of one without letters, nothing. SummaC
    drops sentences as short as the pieces of a document that it drops, unless there are no others.
    """
    if not text.strip():
        return []
    if adapter.claim == "answer":
        return [text]
    parts = sentences(text)
    least = adapter.chunker.size if adapter.chunker and adapter.chunker.rule == "sentences" else 0
    return [part for part in parts if len(part) > least] or parts


Piece = tuple[Text, str, str]  # a text, a claim of it, and a piece of its document
Plan = list[
    tuple[str, range]
]  # each claim of a text, and the places of its pieces among those that are asked


def plans_of(
    adapter: Adapter, texts: Sequence[Text], pieces_of: Callable[[Text, str], list[str] | None]
) -> tuple[list[Piece], list[Plan | str]]:
    """The pieces that are asked about, of all texts together, and the plan of each text, or why it has no
    verdict. `pieces_of` gives those of the document for a claim, None where the claim leaves no room.
    """
    asked: list[Piece] = []
    plans: list[Plan | str] = []
    for text in texts:
        claims = claims_of(adapter, text.text)
        pieces = [pieces_of(text, claim) for claim in claims]
        if not claims or not all(pieces):
            plans.append(NO_TEXT if not claims else TOO_LONG if None in pieces else NO_EVIDENCE)
            continue
        plan = []
        for claim, parts in zip(claims, pieces, strict=True):
            plan.append((claim, range(len(asked), len(asked) + len(parts or []))))
            asked += [(text, claim, part) for part in parts or []]
        plans.append(plan)
    return asked, plans
