"""From marked words to a judgement: what the forms share that mark words and compose their reasons."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from truerate.detectors.judges.cells import Judged
from truerate.detectors.judges.decision import Decision, HeldOut, located
from truerate.detectors.judges.rationale import composed, grounds, known_sentences
from truerate.detectors.tokens.span_probabilities import Reading

NOTHING = Reading(np.zeros((0, 2)), np.zeros(0), np.zeros(0))  # of a text without a word


def held_out(passages: pl.DataFrame, read: Mapping[str, Reading]) -> list[HeldOut]:
    """Labelled passages with what was read of them."""
    columns = passages.select("target_id", "text", "is_hallucinated", "spans").iter_rows()
    return [HeldOut(text, read.get(target, NOTHING), label, spans) for target, text, label, spans in columns]


def judged_all(passages: pl.DataFrame, read: Mapping[str, Reading], decision: Decision) -> list[Judged]:
    """The judgement of each passage, in their order."""
    columns = passages.select("target_id", "text", "knowledge", "history", "question").iter_rows()
    return [
        judged(
            text,
            read.get(target, NOTHING),
            decision,
            knowledge=knowledge,
            conversation=f"{history}\n{question}",
        )
        for target, text, knowledge, history, question in columns
    ]


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
