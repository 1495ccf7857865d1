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
from truerate.detectors.fetched import identity_of
from truerate.detectors.interface import judged_columns, judgements
from truerate.detectors.published import judges
from truerate.detectors.published.adapters import Adapter
from truerate.detectors.published.checks import usable
from truerate.detectors.published.judges import Ask
from truerate.detectors.published.texts import Text, texts_of

UNVERSIONED = ("ids", "trained_on", "licence")  # fields of an adapter that decide nothing
Members = Mapping[str, Published]
Endpoint = Callable[[str], tuple[Ask, str]]  # of a model: how it is asked, and what names it for ever


def judge_published(members: Members, rows: pl.DataFrame, endpoint: Endpoint | None = None) -> pl.DataFrame:
    """Return what each member says of each row (`target_id`, `text`, `knowledge`, `question`, `history`), as
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
    if how.model is not None:
        if endpoint is None:
            raise TruerateError(f"asking model {how.model!r}: models are asked within a build alone")
        ask, identity = endpoint(how.model)
        readings = judges.judge(adapter, texts, ask)
    else:
        loaded, base = network(adapter, how), how.base or adapter.base
        # a detector of ours reads special tokens as any other signs
        is_own = adapter.kind == "own"
        readings = loaded.judge(rows if is_own else [text.read_as(loaded.tokens.plain) for text in texts])
        named = [(how.weights or "", how.revision), *([(base, how.base_revision)] if base else [])]
        identity = "+".join(identity_of(*weights) for weights in named)
    attributes = []
    for reading in readings:
        threshold = adapter.threshold if reading.threshold is None else reading.threshold
        composed = "yes" if adapter.kind == "own" and reading.rationale else None
        values = {"n_windows": reading.n_windows, "threshold": threshold, "composed": composed}
        attributes.append(pairs(adapter=adapter.name, **values))
    targets = [text.target_id for text in texts]
    version = version_of(adapter, how, identity)
    return judgements(name, version, targets, **judged_columns(readings), attributes=attributes)


@lru_cache(maxsize=1)
def network(adapter: Adapter, how: Published) -> Any:
    """Load a Marks, Scorer, Writer or Trained by an adapter, once. Torch comes with it."""
    from truerate.detectors.published.marks import Marks
    from truerate.detectors.published.scorers import SCORERS
    from truerate.detectors.published.trained import Trained
    from truerate.detectors.published.writer import Writer

    if adapter.kind == "own":
        return Trained(how)
    return {"tokens": Marks, "judge": Writer, **SCORERS}[adapter.kind](adapter, how)


def version_of(adapter: Adapter, how: Published, identity: str) -> str:
    """Return the version of a detector: its weights, wherever they lie, its adapter, and the bits it is read
    in. Versions keep the name `place` of the supported class, with which they began.
    """
    values = {name: value for name, value in asdict(adapter).items() if name not in UNVERSIONED}
    values["place"] = values.pop("supported_class")
    return content_id("published", values, how.quantise, identity)
