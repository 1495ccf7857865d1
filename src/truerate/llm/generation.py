"""Requests with what they were asked for, and the Generation rows their replies become."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from truerate.config import Sampling
from truerate.core.keys import content_id
from truerate.core.schemas import Generation, Reject, frame, generation_row, pair, pairs, reject_row, unpaired
from truerate.core.text import clean
from truerate.llm.request import Reply, Request

REASKED = "reasked"  # yes: its question was asked twice, and the other reply stands
DECLINED = (
    "refusal"  # the reason of a reply in which the model declines, in words or in a field of its server's
)
ATTEMPT = "attempt"  # 2: the reply to a question that was asked again; not there: the first one


@dataclass(frozen=True)
class Prompted:
    """One request, the item and purpose it serves, and its row's attributes. `may_decline`: the model may
    decline: in words, which are read, or by a refusal field of its server; it then abstains.
    """

    request: Request
    item_id: str
    purpose: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    may_decline: bool = False

    def is_declined(self, reply: Reply) -> bool:
        """Return whether a server says of this, in a field of its own, that its model declines."""
        return self.may_decline and (reply.status, reply.reason) == ("dead", DECLINED)


@dataclass(frozen=True)
class Read:
    """What was read from a reply: its text, outcome, and facts to add to the row."""

    text: str
    status: str = "ok"
    reason: str | None = None
    attributes: dict[str, str | None] = field(default_factory=dict)


def decoding(settings: Sampling, index: int = 0) -> dict[str, object]:
    """The request parameters of a decoding block; a seed only if replies are sampled."""
    params = settings.model_dump()
    return {**params, "seed": index} if settings.temperature > 0 else params


def generation(asked: Prompted, reply: Reply, read: Read | None = None) -> dict[str, object]:
    """The Generation row of a reply. Without `read` the reply is kept as it came."""
    if reply.status != "ok" or read is None:
        status = "abstained" if asked.is_declined(reply) else reply.status
        read = Read(reply.text, status, reply.reason, read.attributes if read else {})
    request = asked.request
    beside = {"thought": reply.thought or None, "served": reply.served, "retrieved": reply.retrieved}
    attributes = {**asked.attributes, **read.attributes, **beside}
    return generation_row(
        generation_id=content_id(asked.purpose, asked.item_id, request.model, reply.key, asked.attributes),
        item_id=asked.item_id,
        purpose=asked.purpose,
        model=request.model,
        sample_index=request.sample_index,
        params=json.dumps(request.params, sort_keys=True),
        text=read.text,
        finish_reason=reply.finish_reason,
        status=read.status,
        reason=read.reason,
        prompt_key=reply.key,
        n_tokens_in=reply.n_tokens_in,
        n_tokens_out=reply.n_tokens_out,
        cost_usd=reply.cost_usd,
        attributes=pairs(**attributes),
    )


def rejected(row: dict[str, Any], reason: str, detail: str | None = None) -> dict[str, Any]:
    """The Reject row of an unused Generation row; without `detail` with the row's own reason."""
    detail = detail or facts(row).get("detail") or (row["reason"] if row["status"] == "dead" else None) or ""
    return reject_row(
        where=row["purpose"],
        target_id=row["generation_id"],
        reason=reason,
        detail=clean(detail),
        text=clean(row["text"]),
    )


def rejects(rows: Iterable[dict[str, Any]], more: Sequence[dict[str, Any]]) -> pl.DataFrame:
    """A Reject frame of every reply that is not `ok`, with its reason and raw text, and what else was not
    kept.
    """
    lost = [
        rejected(row, row["reason"] if row["status"] == "unparsed" else row["status"])
        for row in rows
        if row["status"] != "ok"
    ]
    return frame(Reject, [*lost, *more]).sort("where", "target_id", "reason")


def generations(rows: Sequence[dict[str, object]]) -> pl.DataFrame:
    """Rows as a Generation frame, in a fixed order."""
    return frame(Generation, list(rows)).sort("generation_id")


def standing(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows that stand: without those beside which another reply to the same question does (`reasked`)."""
    return rows.filter(pair("attributes", REASKED).is_null())


def facts(row: dict[str, Any]) -> dict[str, str]:
    """The attributes of a row as a mapping."""
    return unpaired(row["attributes"])
