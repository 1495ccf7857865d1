"""What judges learn from and are asked of, and the judgement of a text: from marked words, for the forms that
mark words and compose their reasons.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.schemas import NOT_FITTED, read_json
from truerate.detectors.judges.decision import Decision, HeldOut, located
from truerate.detectors.judges.rationale import composed, grounds, known_sentences
from truerate.detectors.tokens.span_probabilities import Reading
from truerate.detectors.training.jobs import write

SCOPE, LABELS = "multi", "binary"  # of every judge: one for all languages, hallucinated or not
DECISION = "decision.json"
CONTEXT = ("knowledge", "history", "question")  # columns of a passage besides those that token detectors read


class Judged(NamedTuple):
    """What a judge says of one text. `reason`: why there is no verdict, null where there is one."""

    verdict: bool | None
    p: float | None
    spans: list[dict]
    rationale: str | None
    reason: str | None = None


NOTHING = Reading(np.zeros((0, 2)), np.zeros(0), np.zeros(0))  # of a text without a word
UNFITTED = Judged(None, None, [], None, NOT_FITTED)


def save_decision(decision: Decision, folder: Path) -> None:
    """Write a decision beside the network that it was chosen for."""
    write(folder / DECISION, decision._asdict())


def load_decision(folder: Path) -> Decision:
    """Read the decision in the folder of a fitted judge."""
    return Decision(**read_json(folder / DECISION))


def reference_of(knowledge: str, history: str, question: str) -> str:
    """Knowledge, the turn that is answered and the turns before it, latest first, as one text."""
    turns = [line for line in history.splitlines() if line.strip()]
    asked = [question] if question.strip() and not any(question in turn for turn in turns[-1:]) else []
    return "\n".join(part for part in (knowledge, *asked, *reversed(turns)) if part.strip())


def with_references(passages: pl.DataFrame) -> pl.DataFrame:
    """Return passages with the `reference` of their `knowledge`, `history` and `question` (null: none)."""
    blank = passages.with_columns(pl.col(name).fill_null("") for name in CONTEXT)
    rows = blank.select(CONTEXT).iter_rows()
    return blank.with_columns(reference=pl.Series([reference_of(*row) for row in rows], dtype=pl.String))


def training_passages(passages: pl.DataFrame) -> pl.DataFrame:
    """Return the passages that teach where a hallucination stands: those labelled hallucinated
    (`is_hallucinated`) with a located span, and those that are not, which have none. A hallucinated one
    without a location would teach that all of it is clean: it is left out.
    """
    is_located = pl.col("spans").list.len() > 0
    if "rationale" not in passages.columns:
        passages = passages.with_columns(rationale=pl.lit(None, dtype=pl.String))
    is_hallucinated = pl.col("is_hallucinated").fill_null(is_located)
    clean = pl.when(is_hallucinated).then(pl.col("spans")).otherwise(pl.col("spans").list.head(0))
    return passages.filter(~is_hallucinated | is_located).with_columns(
        spans=clean, is_hallucinated=is_hallucinated
    )


# ---- from marked words to a judgement ----------------------------------------------------------------------
def held_out(passages: pl.DataFrame, read: Mapping[str, Reading]) -> list[HeldOut]:
    """Labelled passages with what was read of them."""
    columns = passages.select("target_id", "text", "is_hallucinated", "spans").iter_rows()
    return [HeldOut(text, read.get(target, NOTHING), label, spans) for target, text, label, spans in columns]


def judged_all(passages: pl.DataFrame, read: Mapping[str, Reading], decision: Decision) -> list[Judged]:
    """The judgement of each passage, in their order."""
    columns = passages.select("target_id", "text", "knowledge", "history", "question").iter_rows()
    each = []
    for target, text, knowledge, history, question in columns:
        context = {"knowledge": knowledge, "conversation": f"{history}\n{question}"}
        each.append(judged(text, read.get(target, NOTHING), decision, **context))
    return each


def judged(text: str, reading: Reading, decision: Decision, *, knowledge: str, conversation: str) -> Judged:
    """The judgement of one text by its words: p, verdict, and where it is hallucinated the segments with a
    composed reason. Of a text that is not there is nothing to say but that.
    """
    p = decision.of(reading)
    if not p > decision.threshold:
        return Judged(False, p, [], None)
    sentences, spans, reasons = known_sentences(knowledge, conversation), [], []
    for segment, likely in located(text, reading, decision.word_threshold):
        why = grounds(text, segment, sentences)
        spans.append({"start": segment[0], "end": segment[1], "type": why.kind, "p": likely})
        reasons.append((segment, why))
    return Judged(True, p, spans, composed(text, reasons))
