"""A family of published detectors: each member asked about every text of a board."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import polars as pl

from truerate.config import Published
from truerate.core.errors import TruerateError
from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, frame, pairs
from truerate.detectors.judgements import judgements
from truerate.detectors.published.adapters import Adapter
from truerate.detectors.published.checks import usable
from truerate.detectors.published.judges import Ask
from truerate.detectors.published.readout import Said
from truerate.detectors.published.texts import Text, texts_of
from truerate.detectors.weights import identity_of

Members = Mapping[str, Published]
Endpoint = Callable[[str], tuple[Ask, str]]  # of a model: how it is asked, and what names it for ever


def judge_published(members: Members, rows: pl.DataFrame, endpoint: Endpoint | None = None) -> pl.DataFrame:
    """What each member says of each row (`target_id`, `text`, `knowledge`, `question`, `history`), as
    Judgements; `unparsed` with a reason where there is no verdict: `no-evidence` (no document), `no-text`,
    `too-long` (the text leaves no room for a document), or why a judge's reply could not be read.

    `attributes` say the adapter, the threshold of its score (of a token detector of ours: of p, as its
    training chose it) and the number of windows that were read. Raises TruerateError, one line, for a member
    that cannot be used.
    """
    texts = list(texts_of(rows))
    frames = [_judgements(name, how, rows, texts, endpoint) for name, how in members.items()]
    return pl.concat([frame(Judgement), *frames])


def _judgements(
    name: str, how: Published, rows: pl.DataFrame, texts: Sequence[Text], endpoint: Endpoint | None
) -> pl.DataFrame:
    adapter = usable(how, f"published detector {name!r}")
    readings, identity = _asked(adapter, how, rows, texts, endpoint)
    attributes = [
        pairs(
            adapter=adapter.name,
            n_windows=reading.n_windows,
            threshold=adapter.threshold if reading.threshold is None else reading.threshold,
            composed="yes" if adapter.kind == "own" and reading.rationale else None,
        )
        for reading in readings
    ]
    return judgements(
        name,
        version_of(adapter, how, identity),
        [text.target_id for text in texts],
        verdict=[reading.verdict for reading in readings],
        p=[reading.p for reading in readings],
        reason=[reading.reason for reading in readings],
        spans=[reading.spans for reading in readings],
        rationale=[reading.rationale for reading in readings],
        attributes=attributes,
    )


def _asked(
    adapter: Adapter, how: Published, rows: pl.DataFrame, texts: Sequence[Text], endpoint: Endpoint | None
) -> tuple[list[Said], str]:
    """The readings of each text, and the identity of the detector; torch is imported for networks alone."""
    if how.model is not None:
        from truerate.detectors.published import judges

        if endpoint is None:
            raise TruerateError(f"asking model {how.model!r}: models are asked within a build alone")
        ask, identity = endpoint(how.model)
        return judges.judge(adapter, texts, ask), identity
    readings = _by_network(adapter, how, rows, texts)
    return readings, _identity(how, adapter)


def _by_network(adapter: Adapter, how: Published, rows: pl.DataFrame, texts: Sequence[Text]) -> list[Said]:
    loaded = network(adapter, how)
    if adapter.kind == "own":  # reads special tokens as any other signs
        readings: list[Said] = loaded.judge(rows)
        return readings
    texts = [text.read_as(loaded.tokens.plain) for text in texts]
    if adapter.kind == "tokens":
        readings = loaded.judge(texts)
    elif adapter.kind == "judge":
        from truerate.detectors.published import judges

        readings = judges.judge(adapter, texts, loaded.ask, offsets=loaded.tokens.offsets)
    else:
        from truerate.detectors.published import claims

        readings = claims.judge(loaded, texts)
    return readings


@lru_cache(maxsize=1)
def network(adapter: Adapter, how: Published) -> Any:
    """What asks the weights of an adapter, loaded once: a Marks, Scorer, Writer or Trained."""
    from truerate.detectors.published.marks import Marks
    from truerate.detectors.published.scorers import Scorer
    from truerate.detectors.published.trained import Trained
    from truerate.detectors.published.writer import Writer

    if adapter.kind == "own":
        return Trained(how)
    return {"tokens": Marks, "judge": Writer}.get(adapter.kind, Scorer)(adapter, how)


def _identity(how: Published, adapter: Adapter) -> str:
    base = how.base or adapter.base
    names = [identity_of(how.weights or "", how.revision)]
    return "+".join([*names, *([identity_of(base, how.base_revision)] if base else [])])


def version_of(adapter: Adapter, how: Published, identity: str) -> str:
    """The version of a detector: its weights, wherever they lie, its adapter, and how many bits it is read
    in.
    """
    values = {
        "place"
        if name == "supported_class"
        else name: value  # versions keep the name that they were made with
        for name, value in asdict(adapter).items()
        if name not in ("ids", "trained_on", "licence")
    }
    return content_id("published", values, how.quantise, identity)
