"""The meta-judge (HalluDial Table 18): is a judgement with its place and reason accurate?

Judgements of both verdicts are drawn of each subject: one that only judges positives says nothing of what a subject
passes over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from truerate.core.keys import draw
from truerate.llm import Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, facts
from truerate.llm.replies.accuracy import accurate
from truerate.llm.replies.reading import cut
from truerate.tracks.halludial.context import Context, shown
from truerate.tracks.halludial.detecting import LOCATE
from truerate.tracks.halludial.settings import Settings

PURPOSE = "meta"
CUE = "Evaluation Is"


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


def drawn(found: Iterable[Judged], n: int, seed: int) -> list[Judged]:
    """`n` judgements of each subject in a seeded order, as many of one verdict as of the other as far as there
    are; by id.
    """
    ranked = sorted(found, key=lambda one: (draw(seed, "meta", one.judgement_id), one.judgement_id))
    numbers: dict[tuple[str, bool], int] = {}
    by_judge: dict[str, list[tuple[int, bool, Judged]]] = {}
    for one in ranked:
        number = numbers[one.judge, one.is_positive] = numbers.get((one.judge, one.is_positive), -1) + 1
        by_judge.setdefault(one.judge, []).append((number, not one.is_positive, one))
    kept = [
        one for of_judge in by_judge.values() for *_, one in sorted(of_judge, key=lambda part: part[:2])[:n]
    ]
    return sorted(kept, key=lambda one: one.judgement_id)


def requests(
    asked_of: Sequence[Judged],
    found: Mapping[str, Context],
    meta_judge: str,
    settings: Settings,
    *,
    prompts_dir: str | None,
) -> list[Prompted]:
    """One request per judgement."""
    asked, decoded = [], decoding(settings.detecting)
    for one in asked_of:
        told, _ = shown(found[one.item_id], settings.max_history_words)
        messages = prompts.render(
            "halludial", "meta", prompts_dir, **told, text=one.response, evaluation=one.evaluation
        )
        known: dict[str, str | None] = {"task": "dialogue", "target": one.judgement_id, "judge": one.judge}
        asked.append(Prompted(Request(meta_judge, tuple(messages), decoded), one.item_id, PURPOSE, known))
    return asked


def read(asked: Prompted, reply: str) -> Read:
    """A reply as Accurate or Inaccurate (`accurate`: yes, no)."""
    told = accurate(reply, CUE)
    if told.value is None:
        return Read(reply, "unparsed", told.reason, cut(told, "heading"))
    return Read(reply, attributes={"accurate": "yes" if told.value else "no", **cut(told, "heading")})
