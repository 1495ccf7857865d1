"""Replies that a source brings with their facts and with people's verdicts, in the tables that the track
makes of its own replies.

In the source, a reply is a sample of task `entity` (attribute `n_claims`), a fact one of task `fact` that
names its reply (`generation`). Facts without a reply are labelled claims to measure verifiers on: they stay
samples and are none of these tables.
"""

from typing import NamedTuple

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import (
    Fact,
    Generation,
    Judgement,
    Sample,
    frame,
    generation_row,
    judgement_row,
    pairs,
)
from truerate.llm.generation import facts as attributes_of
from truerate.tracks.wildhallucinations.abstention import RULES, abstains
from truerate.tracks.wildhallucinations.facts import key_of

HUMAN = "human"
PUBLISHED = "published"


class Ready(NamedTuple):
    """Frames of `schemas.Generation` (purpose `generate`), `Fact`, `Judgement` (judge `human`, and the judges whose
    verdicts on these facts the source brings), and the labelled facts as `Sample`.
    """

    generations: pl.DataFrame
    facts: pl.DataFrame
    judgements: pl.DataFrame
    samples: pl.DataFrame


def ready(tables, rule: str = RULES[0]) -> Ready:
    """The replies of a source, their facts and verdicts; empty frames where it brings none.

    Ids are those of the samples. A reply with claims answers. One without either abstains, where the `rule`
    of abstention says so of its text, or responds without a fact: nothing that could be checked is in it, or
    taking the claims out failed, which the source does not say. What the other rule says of the text stands
    in the attributes. A verdict is true (not supported) where the sample is hallucinated: any published label
    but entailment. Facts stand in their published order; the source does not say which sentence they come
    from, so each counts as a sentence of its own. Where the source says whether a reply answers (attribute `responds`:
    yes, no; of a `no` also `silent_by`, else it is people's word), that stands in the place of the rule; and so does
    what it says of facts (`is_duplicate`, `is_title`) and of a reply that it does not have whole (`is_whole`: false).
    """
    replies = tables.samples.filter(pl.col("task") == "entity").sort("sample_id")
    claims = tables.samples.filter(pl.col("task") == "fact").sort("sample_id")
    generations = [_generation(row, rule) for row in replies.iter_rows(named=True)]
    ids = {row["generation_id"] for row in generations}
    facts = _facts(
        [row for row in claims.iter_rows(named=True) if attributes_of(row).get("generation") in ids]
    )
    verdicts = {row["sample_id"]: row for row in claims.iter_rows(named=True)}
    judgements = [_judgement(fact, verdicts[fact["fact_id"]]) for fact in facts]
    judgements += tables.judgements.filter(
        pl.col("target_id").is_in([fact["fact_id"] for fact in facts])
    ).to_dicts()
    return Ready(
        frame(Generation, generations),
        frame(Fact, facts),
        frame(Judgement, judgements),
        frame(Sample, claims.to_dicts()),
    )


def _generation(row: dict, rule: str) -> dict:
    said = {name: abstains(row["text"], name) for name in RULES}
    known = attributes_of(row)
    told = known.get("responds")
    said[rule] = is_silent = told == "no" if told else said[rule] and known.get("n_claims") == "0"
    how = known.get("silent_by", "people") if told else f"{rule}-rule"
    marks = {f"abstained_{name}": str(is_so).lower() for name, is_so in said.items()}
    return generation_row(
        generation_id=row["sample_id"],
        item_id=row["item_id"],
        purpose="generate",
        model=row["generator"] or PUBLISHED,
        text=row["text"],
        status="abstained" if is_silent else "ok",
        reason=how if is_silent else None,
        attributes=pairs(lang=row["lang"], is_whole=known.get("is_whole"), **marks),
    )


def _facts(rows: list[dict]) -> list[dict]:
    """Fact rows by reply and place; which of them repeat an earlier one is said by the source, else by the track's
    rule.
    """
    placed = [(attributes_of(row)["generation"], int(attributes_of(row)["place"]), row) for row in rows]
    said: set[tuple] = set()
    found = []
    for generation_id, place, row in sorted(placed, key=lambda one: one[:2]):
        known = attributes_of(row)
        key = (generation_id, key_of(row["text"]))
        found.append(
            {
                "fact_id": row["sample_id"],
                "generation_id": generation_id,
                "item_id": row["item_id"],
                "subject": row["generator"] or PUBLISHED,
                "sentence_index": place,
                "sentence": row["text"],
                "text": row["text"],
                "is_duplicate": known["is_duplicate"] == "true" if "is_duplicate" in known else key in said,
                "is_title": known.get("is_title") == "true",
                "evidence": known.get("evidence", "").split(),
            }
        )
        said.add(key)
    return found


def _judgement(fact: dict, sample: dict) -> dict:
    """What people said of a fact."""
    return judgement_row(
        judgement_id=content_id("judgement", HUMAN, PUBLISHED, fact["fact_id"]),
        judge=HUMAN,
        judge_version=PUBLISHED,
        target_id=fact["fact_id"],
        verdict=sample["is_hallucinated"],
        attributes=pairs(
            generation=fact["generation_id"],
            subject=fact["subject"],
            label=attributes_of(sample).get("label"),
        ),
    )
