"""The meta-judge (HalluDial Table 18): is a judgement with its place and reason accurate?

Judgements of both verdicts are drawn of each subject: one that only judges positives says nothing of what a subject
passes over.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truerate.core.keys import draw
from truerate.llm.generation import Prompted, Read, facts
from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.reading import cut
from truerate.tracks.halludial.context import Context
from truerate.tracks.halludial.prompting import CUES, LOCATE, META, Questions, unread


@dataclass(frozen=True, slots=True)
class Judged:
    """A located judgement: its id, who judges, of which text (`response`) of which item, and what it says."""

    judgement_id: str
    judge: str
    item_id: str
    response: str
    evaluation: str
    is_positive: bool


def judged(rows: Iterable[dict], texts: Mapping[str, str], names: Mapping[str, str]) -> list[Judged]:
    """The located judgements that were read, from Generation rows of purpose `locate`. `texts`: what was judged,
    by id; `names`: the judgement that a row makes, by the row's id.
    """
    return [
        Judged(
            names[row["generation_id"]],
            row["model"],
            row["item_id"],
            texts[known["target"]],
            row["text"],
            known["verdict"] == "yes",
        )
        for row in rows
        if row["purpose"] == LOCATE and row["status"] == "ok" and (known := facts(row))["target"] in texts
    ]


def drawn(judgements: Iterable[Judged], n: int, seed: int) -> list[Judged]:
    """Return `n` judgements of each subject in a seeded order, as many of one verdict as of the other as far as there
    are; by id.
    """
    order = {judged: (draw(seed, "meta", judged.judgement_id), judged.judgement_id) for judged in judgements}
    turns: Counter[tuple[str, bool]] = Counter()
    by_judge: dict[str, list[tuple[int, bool, Judged]]] = {}
    for judged in sorted(order, key=lambda judged: order[judged]):
        verdict = judged.judge, judged.is_positive
        by_judge.setdefault(judged.judge, []).append((turns[verdict], not judged.is_positive, judged))
        turns[verdict] += 1
    kept = [
        ranked[2] for of_judge in by_judge.values() for ranked in sorted(of_judge, key=lambda r: r[:2])[:n]
    ]
    return sorted(kept, key=lambda judged: judged.judgement_id)


def requests(
    judgements: Sequence[Judged], contexts: Mapping[str, Context], meta_judge: str, questions: Questions
) -> list[Prompted]:
    """Return one question per judgement."""
    asked = []
    for judged in judgements:
        attributes: dict[str, str | None] = {"target": judged.judgement_id, "judge": judged.judge}
        values: dict[str, Any] = {
            "text": judged.response,
            "evaluation": judged.evaluation,
            "is_about_turn": False,
        }
        context, sampling = contexts[judged.item_id], questions.settings.detecting
        asked.append(questions.question(META, meta_judge, context, sampling, attributes, **values))
    return asked


def read(question: Prompted, reply: str) -> Read:
    """Return a reply as Accurate or Inaccurate (`accurate`: yes, no)."""
    parsed = accurate(reply, CUES[META])
    if parsed.value is None:
        return unread(reply, parsed, "heading")
    return Read(reply, attributes={"accurate": "yes" if parsed.value else "no", **cut(parsed, "heading")})
