"""Samples of induced hallucination: of every turn the reference response, one that is factually wrong, one that is
unfaithful, and a faithful paraphrase (HalluDial section 2.2).

The shortcut audit is made of two schemes: induced responses against references, as published, and against the
paraphrases of the same writer. A pair of the first is the factuality one with the reference, of the second the
faithfulness one with the paraphrase.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from truerate.core.keys import content_id
from truerate.core.schemas import pairs, sample_row
from truerate.llm.generation import facts, rejected
from truerate.tracks.halludial.context import Context
from truerate.tracks.halludial.demonstrations import FACTUALITY, FAITHFULNESS, KINDS, MATCHED, REFERENCE
from truerate.tracks.halludial.inducing import INDUCE, MATCH, broken
from truerate.tracks.halludial.located import spans
from truerate.tracks.halludial.settings import Settings
from truerate.tracks.halludial.splits import side_by_sample, side_of

SCENARIO = "induced"
AGAINST_REFERENCES, AGAINST_MATCHED = "induced-references", "induced-matched"  # schemes of the shortcut audit
SCHEMES = {
    REFERENCE: AGAINST_REFERENCES,
    MATCHED: AGAINST_MATCHED,
    **dict.fromkeys(KINDS, f"{AGAINST_REFERENCES}+{AGAINST_MATCHED}"),
}
PAIRED = {REFERENCE: FACTUALITY, FACTUALITY: FACTUALITY, MATCHED: FAITHFULNESS, FAITHFULNESS: FAITHFULNESS}
WHOLE_TURN = "turn-rejected"  # of what stood beside an induced response that breaks a rule


def samples(
    rows: Sequence[dict], found: Mapping[str, Context], settings: Settings
) -> tuple[list[dict], list[dict]]:
    """Sample rows of all turns of which an induced response was read, and Reject rows: of induced responses
    that break a rule, and where such are rejected (`on_broken`) of all else of their turn.
    """
    of_turn: dict[str, list[dict]] = {}
    for row in rows:
        if row["purpose"] in (INDUCE, MATCH) and row["status"] == "ok":
            of_turn.setdefault(row["item_id"], []).append(row)
    made: list[dict] = []
    dropped: list[dict] = []
    for item_id, written in sorted(of_turn.items()):
        kept, lost = _turn(written, settings)
        dropped += lost
        if any(row["purpose"] == INDUCE for row in kept):
            context = found[item_id]
            made.append(_reference(context, settings))
            made += [_sample(row, context, settings) for row in kept]
    return made, dropped


def _turn(written: Sequence[dict], settings: Settings) -> tuple[list[dict], list[dict]]:
    """What is kept of a turn's texts, and Reject rows of the rest."""
    if settings.on_broken == "keep":
        return list(written), []
    reasons = {row["generation_id"]: broken(facts(row)) for row in written if row["purpose"] == INDUCE}
    is_whole = len(reasons) == len(KINDS) and not any(reasons.values())
    if is_whole:
        return list(written), []
    return [], [
        rejected(row, why[0] if (why := reasons.get(row["generation_id"])) else WHOLE_TURN) for row in written
    ]


def _reference(context: Context, settings: Settings) -> dict:
    text = context.right_answer or ""
    name = content_id("reference", context.item_id, text)
    return _row(context, settings, REFERENCE, sample_id=name, text=text, is_hallucinated=False)


def _sample(row: dict, context: Context, settings: Settings) -> dict:
    """A text of the writer; its id is that of the reply."""
    known = facts(row)
    kind, is_induced = known["kind"], row["purpose"] == INDUCE
    return _row(
        context,
        settings,
        kind,
        sample_id=row["generation_id"],
        text=row["text"],
        is_hallucinated=is_induced,
        generator=row["model"],
        pattern=kind if is_induced else None,
        spans=spans(known) if is_induced else [],
        rationale=known.get("rationale") if is_induced else None,
    )


def _row(context: Context, settings: Settings, kind: str, **values: Any) -> dict:
    """A Sample row of a turn; `values`: what tells it from the others of the turn."""
    more = {
        "scenario": SCENARIO,
        "kind": kind,
        "scheme": SCHEMES[kind],
        "split_by_sample": side_by_sample(values["sample_id"], settings),
        **context.place,
    }
    return sample_row(
        item_id=context.item_id,
        pair_id=content_id("pair", context.item_id, PAIRED[kind]),
        group_id=context.group_id,
        task="dialogue",
        lang=context.lang,
        label_source="silver",
        split=side_of(context.group_id, settings),
        attributes=pairs(**more),
        **values,
    )
