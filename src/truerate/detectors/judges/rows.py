"""The Judgement rows of a judge: verdict, segments, p, and the reason."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import NOT_FITTED, Judgement, of_columns, pairs


class Judged(NamedTuple):
    """What a judge says of one text. `reason`: why there is no verdict, null where there is one."""

    verdict: bool | None
    p: float | None
    spans: list[dict]
    rationale: str | None
    reason: str | None = None


UNFITTED = Judged(None, None, [], None, NOT_FITTED)


def judgements(
    judge: str,
    version: str,
    targets: Sequence[str],
    said: Sequence[Judged],
    *,
    attributes: Mapping[str, object],
) -> pl.DataFrame:
    """One row per target. `attributes` tell the judges of a member apart, and how their verdicts came about;
    a text without a verdict is `unparsed` with its reason.
    """
    told = pairs(**attributes)
    rows = {
        "judgement_id": [content_id("judgement", judge, version, told, target) for target in targets],
        "judge": [judge] * len(targets),
        "judge_version": [version] * len(targets),
        "target_id": list(targets),
        "verdict": [one.verdict for one in said],
        "status": ["unparsed" if one.reason else "ok" for one in said],
        "reason": [one.reason for one in said],
        "spans": [one.spans for one in said],
        "p": [one.p for one in said],
        "rationale": [one.rationale for one in said],
        "attributes": [told] * len(targets),
    }
    return of_columns(Judgement, rows)
