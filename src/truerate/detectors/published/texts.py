"""What a published detector is asked about: a text, the document that it is held against, and its question."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import polars as pl

from truerate.detectors.evidence import split
from truerate.detectors.judges.cells import reference_of

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
