"""Detectors of ours as published ones: those that `publish` put on the Hub or into a folder, and judges as
`train` leaves them. They judge by what they learned, wherever that was.

A reference that does not fit beside its answer is read in overlapping windows (`tokens.groups`), of which
each token takes the least suspicious: one window that bears it out is enough.
"""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from truerate.config import Published
from truerate.core.schemas import SPANS
from truerate.detectors.judges.judged import DECISION, NOTHING, judged, load_decision, reference_of
from truerate.detectors.published.readout import Verdict
from truerate.detectors.tokens.cells import NETWORK
from truerate.detectors.tokens.pretrained import TokenDetector
from truerate.detectors.tokens.span_probabilities import Reading, soft_spans
from truerate.detectors.tokens.train import readings
from truerate.detectors.training import processes
from truerate.detectors.training.trainable import single_threaded


class Trained:
    """A detector of ours; `decision` is None for one that marks tokens and was not fitted to judge: its
    verdict is a p above its `threshold`, that of params.yaml, else the one that its training chose. Raises
    TruerateError, one line, where it cannot be loaded.
    """

    def __init__(self, how: Published):
        path = Path(how.weights or "").expanduser()
        inner = path / NETWORK
        where = str(inner if inner.is_dir() else path if path.is_dir() else how.weights)
        loaded = TokenDetector.from_pretrained(where, revision=how.revision, device=str(processes.device()))
        self.network = loaded.network
        self.threshold = loaded.threshold if how.threshold is None else how.threshold
        self.decision = load_decision(path) if (path / DECISION).is_file() else None

    def judge(self, rows: pl.DataFrame) -> list[Verdict]:
        """Return what it says of each row (`text`, `knowledge`, `question`, `history`), in their order. A
        token detector has the knowledge as its reference, and what was said before where that is a
        conversation; a judge always has both, as it learned.
        """
        filled = rows.with_columns(pl.col("knowledge", "question", "history").fill_null(""))
        columns = filled.select("text", "knowledge", "question", "history").rows()
        read = self._readings(columns)
        return [self._reading(read.get(str(number), NOTHING), *row) for number, row in enumerate(columns)]

    def _readings(self, columns: Sequence[tuple[str, str, str, str]]) -> dict[str, Reading]:
        """The readings of texts that hold a token, by their places."""
        rows = [(str(number), row[0], self._reference(*row[1:])) for number, row in enumerate(columns)]
        schema = dict.fromkeys(("target_id", "text", "reference"), pl.String)
        passages = pl.DataFrame(rows, schema=schema, orient="row").with_columns(
            group_id=pl.lit(""), lang=pl.lit(""), spans=pl.lit([], dtype=SPANS)
        )
        with single_threaded(self.network.backbone):
            return dict(readings(self.network, passages, self.network.backbone))

    def _reference(self, knowledge: str, question: str, history: str) -> str:
        """Return what a text is held against; empty where it has nothing."""
        is_told = self.decision is not None or history.strip()
        return reference_of(knowledge, history, question) if is_told else knowledge

    def _reading(self, reading: Reading, text: str, knowledge: str, question: str, history: str) -> Verdict:
        if self.decision is None:
            spans = soft_spans(text, reading, self.network.labels)
            largest = max((span["p"] for span in spans), default=0.0)
            return Verdict(largest > self.threshold, largest, spans, reading.n_read, threshold=self.threshold)
        context = {"knowledge": knowledge, "conversation": f"{history}\n{question}"}
        judgement = judged(text, reading, self.decision, **context)
        return Verdict(
            judgement.verdict, judgement.p, judgement.spans, reading.n_read, rationale=judgement.rationale
        )
