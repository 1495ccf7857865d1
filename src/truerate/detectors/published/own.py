"""Detectors of ours as published ones: those that `publish` put on the Hub or into a folder, and judges as
`train` leaves them. They judge by what they learned, wherever that was.

A reference that does not fit beside its answer is read in overlapping windows, of which each token takes the
least suspicious: one window that bears it out is enough. (Where a detector judges the board it learned on,
such a reference loses its end, as it did in training.)
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from truerate.config import Published
from truerate.core.schemas import SPANS, read_json
from truerate.detectors.judges.cells import DECISION
from truerate.detectors.judges.conversations import reference_of
from truerate.detectors.judges.decision import Decision
from truerate.detectors.judges.marked import NOTHING, judged
from truerate.detectors.published.chunks import windows
from truerate.detectors.published.readout import Said
from truerate.detectors.tokens.cells import NETWORK
from truerate.detectors.tokens.networks import readings
from truerate.detectors.tokens.pretrained import TokenDetector
from truerate.detectors.tokens.span_probabilities import Reading, soft_spans
from truerate.detectors.training import processes
from truerate.detectors.training.device import single_threaded


class Own:
    """A detector of ours; `decision` is None for one that marks tokens and was not fitted to judge: its verdict
    is a p above its `threshold`, that of params.yaml, else the one that its training chose. Raises
    TruerateError, one line, where it cannot be loaded.
    """

    def __init__(self, how: Published):
        place = Path(how.weights or "").expanduser()
        inner = place / NETWORK
        where = str(inner if inner.is_dir() else place if place.is_dir() else how.weights)
        loaded = TokenDetector.from_pretrained(where, revision=how.revision, device=str(processes.device()))
        self.network = loaded.network
        self.threshold = loaded.threshold if how.threshold is None else how.threshold
        learned = place / DECISION
        self.decision = Decision(**read_json(learned)) if learned.is_file() else None

    def judge(self, rows: pl.DataFrame) -> list[Said]:
        """What it says of each row (`text`, `knowledge`, `question`, `history`), in their order.

        A token detector has the knowledge as its reference, and what was said before where that is a
        conversation; a judge always has both, as it learned.
        """
        filled = rows.with_columns(pl.col("knowledge", "question", "history").fill_null(""))
        columns = filled.select("text", "knowledge", "question", "history").rows()
        pieces = [self._pieces(*row) for row in columns]
        read = self._readings([(row[0], parts) for row, parts in zip(columns, pieces, strict=True)])
        return [self._said(reading, *row) for reading, row in zip(read, columns, strict=True)]

    def _pieces(self, text: str, knowledge: str, question: str, history: str) -> list[str]:
        """The windows of a text's reference; an empty one where it has none."""
        is_told = self.decision is not None or history.strip()
        reference = reference_of(knowledge, history, question) if is_told else knowledge
        coder, backbone = self.network.coder, self.network.backbone
        whole = backbone.max_tokens - len(coder.start) - len(coder.between)
        room = whole - min(len(coder.encode([text])[0][0]), whole // 2)
        return windows(reference, room, self._offsets) or [""]

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        return [(start, end) for start, end in self.network.coder.encode([text])[0][1].tolist()]

    def _readings(self, asked: Sequence[tuple[str, list[str]]]) -> list[tuple[Reading, int]]:
        """The reading of each text by all windows of its reference, and how many these are."""
        whole = [
            (f"{row}/{place}", text, part)
            for row, (text, parts) in enumerate(asked)
            for place, part in enumerate(parts)
        ]
        passages = pl.DataFrame(
            whole, schema={name: pl.String for name in ("target_id", "text", "reference")}, orient="row"
        ).with_columns(group_id=pl.lit(""), lang=pl.lit(""), spans=pl.lit([], dtype=SPANS))
        with single_threaded(self.network.backbone):
            read = dict(readings(self.network, passages, self.network.backbone))
        return [
            (least_of([read.get(f"{row}/{place}", NOTHING) for place in range(len(parts))]), len(parts))
            for row, (_, parts) in enumerate(asked)
        ]

    def _said(
        self, read: tuple[Reading, int], text: str, knowledge: str, question: str, history: str
    ) -> Said:
        reading, n_windows = read
        if self.decision is None:
            spans = soft_spans(text, reading, self.network.labels)
            largest = max((span["p"] for span in spans), default=0.0)
            return Said(largest > self.threshold, largest, spans, n_windows, threshold=self.threshold)
        told = {"knowledge": knowledge, "conversation": f"{history}\n{question}"}
        one = judged(text, reading, self.decision, **told)
        return Said(one.verdict, one.p, one.spans, n_windows, rationale=one.rationale)


def least_of(read: Sequence[Reading]) -> Reading:
    """Readings of one text by several windows as one: each token's least p, with the label of that window."""
    first = read[0]
    if len(read) == 1:
        return first
    p = np.stack([one.p for one in read])
    place = p.argmin(axis=0)
    kinds = np.stack([one.kinds for one in read])[place, np.arange(p.shape[1])]
    return Reading(first.offsets, p.min(axis=0), kinds)
