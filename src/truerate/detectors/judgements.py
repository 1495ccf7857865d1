"""The frame of Judgements that every detector gives, column by column."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, of_columns


def judgements(
    judge: str,
    version: str,
    targets: Sequence[str],
    *,
    verdict: Sequence[bool | None],
    p: Sequence[float | None],
    reason: Sequence[str | None] | None = None,
    spans: Sequence[list[dict]] | None = None,
    rationale: Sequence[str | None] | None = None,
    attributes: Sequence[list[dict]] | None = None,
    slice_pairs: list[dict] | None = None,
) -> pl.DataFrame:
    """One row per target, in order; a text with a `reason` is `unparsed`. `slice_pairs` tell the detectors of
    one judge apart, and are then a part of the rows' names.
    """
    n, key = len(targets), () if slice_pairs is None else (slice_pairs,)
    blank = [None] * n
    rows = {  # whole columns: polars takes longer to repeat a value than to read a list
        "judgement_id": [content_id("judgement", judge, version, *key, target) for target in targets],
        "judge": [judge] * n,
        "judge_version": [version] * n,
        "target_id": list(targets),
        "verdict": list(verdict),
        "status": ["unparsed" if why else "ok" for why in reason or blank],
        "reason": list(reason or blank),
        "spans": list(spans) if spans is not None else [[]] * n,
        "p": list(p),
        "rationale": list(rationale or blank),
        "attributes": list(attributes) if attributes is not None else [slice_pairs or []] * n,
    }
    return of_columns(Judgement, rows)


def said_columns(readings: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the columns of `judgements` that records hold: verdict, p, reason, spans and rationale of each text."""
    names = ("verdict", "p", "reason", "spans", "rationale")
    return {name: [getattr(reading, name) for reading in readings] for name in names}
