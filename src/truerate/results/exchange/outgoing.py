"""What of a board goes to other tools, of a built and of a committed one alike: its card, the scores of its
models, the units behind them, who the models are, and the texts that may be passed on.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import polars as pl

from truerate.config.layout import Layout
from truerate.core.card import Ranked
from truerate.core.errors import SettingsError, TruerateError, listed, meant
from truerate.core.metric import Metric
from truerate.core.schemas import Generation, Item, Judgement, Row, Sample, load, pair
from truerate.pipeline.publishing.board_facts import source_card
from truerate.pipeline.publishing.site_tables import judgement_files
from truerate.pipeline.tracks import card_of, records_of
from truerate.results.commit import result_of
from truerate.results.files import SCORE_COLUMNS, ResultCard, load_result, slice_texts
from truerate.results.read import MODELS, RESULTS
from truerate.site.models.aliases import read_aliases

SIMULATED = "closed-world"  # stands before the names of simulated models, as an organisation does elsewhere
UNKNOWN = "unknown"
LABELS = {True: "hallucinated", False: "not hallucinated", None: "unreadable"}
AVAILABLE = {"open": "open_weights", "open_weights": "open_weights", "closed": "closed_weights"}


_NO_NAME = re.compile(r'[<>:"/\\|?*\x00-\x1f]')  # what no folder's name holds on every system
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|data|com\d|lpt\d)(?=\.|$)")


def folder_of(name: str) -> str:
    """A name as that of a folder on every system."""
    plain = _NO_NAME.sub("_", name).rstrip(". ")
    return f"_{plain}" if not plain or _RESERVED.match(plain) else plain


class Model(NamedTuple):
    """Who a subject is: `id` is organisation/name, `maker` its maker in words or None, `availability` that of its weights."""

    id: str
    maker: str | None
    availability: str = UNKNOWN

    @property
    def folders(self) -> tuple[str, str]:
        """Organisation and name as folders that every system takes."""
        organisation, _, name = self.id.partition("/")
        return folder_of(organisation), folder_of(name)


class Texts(NamedTuple):
    """The texts of one unit: what was asked or judged, what the model wrote, the right answers or labels."""

    asked: str
    written: str
    right: tuple[str, ...]


Unit = tuple[str, str, str]  # subject, slice as text, unit_id


@dataclass(frozen=True)
class Outgoing:
    """A board on its way out.

    `scores`: those of its models, with a value, as SCORE_COLUMNS, whose metric says which way is better;
    `rows`: Outcome rows with `where`, the slice as text; `models` by subject; `ranked`: what leads; `judge`: who gave the verdicts that
    its rates rest on, None where people did; `texts` of units, none where they may not be passed on or are not
    here.
    """

    card: ResultCard
    metrics: Mapping[str, Metric]
    scores: pl.DataFrame
    rows: pl.DataFrame
    models: Mapping[str, Model]
    ranked: Ranked
    judge: str | None
    is_simulated: bool = False
    texts: Mapping[Unit, Texts] = field(default_factory=dict)


def outgoing(
    config: Layout, name: str, *, table: str | None = None, results: str | Path = RESULTS
) -> Outgoing:
    """A board of params.yaml, or a committed one of `results/`; of one `table` of it alone where named.

    Raises SettingsError for a name of neither, TruerateError where the board is not built or none of its scores
    says which way is better.
    """
    committed = {path.name for path in Path(results).glob("[!.]*") if path.is_dir()}
    if name in config.p.boards:
        board = _built(config, name)
    elif name in committed:
        board = _committed(Path(results), name)
    else:
        boards = listed([*config.p.boards, *committed])
        near = meant(name, [*config.p.boards, *committed])
        raise SettingsError(
            f"board {name!r} is neither in params.yaml nor in {results}/{near}; boards: {boards}"
        )
    directed = [key for key, metric in board.metrics.items() if metric.direction]
    tables = sorted({board.metrics[key].table for key in directed})
    if table is not None:
        if table not in tables:
            raise TruerateError(
                f"board {name!r} has no table {table!r} of scores; its tables: {listed(tables)}"
            )
        directed = [key for key in directed if board.metrics[key].table == table]
    kept = board.scores.filter(pl.col("metric").is_in(directed), kind="model").drop_nulls("value")
    if kept.is_empty():
        raise TruerateError(
            f"board {name!r} has no score of a model that says which way is better; it ranks no model"
        )
    lead = pl.col("metric") != board.card.headline.metric, pl.col("slice") != board.card.headline.slice
    kept = kept.sort("subject", *lead, "metric", "slice")
    rows = board.rows.with_columns(where=slice_texts(pl.col("slice")))
    of_scores = kept.select("metric", "subject", where="slice")
    rows = rows.join(of_scores, on=of_scores.columns, how="semi", maintain_order="left")
    return Outgoing(**{**vars(board), "scores": kept, "rows": rows.drop_nulls("value")})


def _committed(results: Path, name: str) -> Outgoing:
    result = load_result(results / name)
    aliases = read_aliases(results / MODELS)
    spelled = {spelling: maker for maker, each in aliases.makers.items() for spelling in each}
    tabled = {row["subject"]: row for row in ([] if result.table is None else result.table.to_dicts())}

    def model_of(subject: str) -> Model:
        row = tabled.get(subject, {})
        plain = row.get("base") or subject
        entry = next(
            (
                each
                for each in aliases.models
                if each.name in (plain, plain.rpartition("/")[2])
                or any(alias.name == plain and name in (alias.boards or [name]) for alias in each.names)
            ),
            None,
        )
        organisation = plain.partition("/")[0] if "/" in plain else None
        maker = row.get("maker") or (entry and entry.maker) or (organisation and spelled.get(organisation))
        weights = row.get("weights") or (entry and entry.weights) or ""
        maker = spelled.get(maker, maker) if maker else None
        prefix = (
            organisation or (aliases.makers.get(maker) or [maker])[0] if maker else organisation or UNKNOWN
        )
        whole = plain if organisation else f"{prefix}/{plain}"
        return Model(whole, maker, AVAILABLE.get(weights, UNKNOWN))

    others = {
        alias.name for alias in aliases.not_models if name in (alias.boards or [name])
    }  # people and rules
    scores = result.scores.filter(~pl.col("subject").is_in(others), kind="model")
    models = {subject: model_of(subject) for subject in scores["subject"].unique(maintain_order=True)}
    lead = result.card.headline
    fixed = dict(pair.split("=", 1) for pair in lead.slice.split(";") if pair)
    ranked = Ranked(lead.metric, fixed, lead.what)
    card = result.card
    return Outgoing(card, card.records, scores, result.rows, models, ranked, card.judge)


def _built(config: Layout, name: str) -> Outgoing:
    if not Path(config.leaderboard("rows")).is_file() or not Path(config.scores(name, "outcomes")).is_file():
        raise TruerateError(f"board {name!r} is not built; run `truerate build`")
    result = result_of(config, Path("."), name)
    if result is None:
        raise TruerateError(f"nothing on board {name!r} is ranked by units, so there is nothing to hand out")
    of_board = load(Row, config.leaderboard("rows")).filter(board=name, kind="model")
    scores = of_board.with_columns(
        pl.col("value", "low", "high").round(6), slice=slice_texts(pl.col("slice"))
    )
    is_simulated = config.p.source(config.p.board(name).source).is_simulated
    models = {
        subject: _model(config, subject, is_simulated=is_simulated)
        for subject in scores["subject"].unique(maintain_order=True)
    }
    counted = config.p.rate_of(name)
    return Outgoing(
        result.card,
        records_of(config, name),
        scores.select(list(SCORE_COLUMNS)),
        result.rows,
        models,
        card_of(config, name).ranks,
        result.card.judge or (counted and counted.member),
        is_simulated,
        _texts(config, name, result.rows),
    )


def _model(config: Layout, alias: str, *, is_simulated: bool) -> Model:
    if is_simulated or alias not in config.p.models:
        return Model(f"{SIMULATED}/{alias}", None)
    entry = config.p.model(alias)
    availability = {True: "open_weights", False: "closed_weights"}.get(entry.is_open, UNKNOWN)
    return Model(entry.model if "/" in entry.model else f"{UNKNOWN}/{entry.model}", None, availability)


# ---- texts of a built board --------------------------------------------------------------------------------
def _texts(config: Layout, board: str, rows: pl.DataFrame) -> dict[Unit, Texts]:
    """The texts of units that are a model's only reply to an item, or a labelled text on which the model gave
    a verdict; none where the source does not let its texts be passed on.
    """
    if source_card(config, config.p.board(board).source).get("redistribution") != "yes":
        return {}
    units = rows.select(
        "subject", "unit_id", variant=pair("slice", "variant"), where=slice_texts(pl.col("slice"))
    )
    items = load(Item, config.dataset(board, "items"), columns=("item_id", "question", "right_answer"))
    replies = load(
        Generation, config.dataset(board, "generations"), columns=("item_id", "model", "status", "text")
    )
    alone = replies.filter(status="ok").filter(pl.len().over("model", "item_id") == 1)
    texts: dict[Unit, Texts] = {}
    replied = alone.join(items, on="item_id", maintain_order="left").rename(
        {"model": "subject", "item_id": "unit_id"}
    )
    for row in units.join(replied, on=["subject", "unit_id"], maintain_order="left").to_dicts():
        right = (row["right_answer"],) if row["right_answer"] else ()
        texts[row["subject"], row["where"], row["unit_id"]] = Texts(row["question"] or "", row["text"], right)
    samples = load(
        Sample, config.labels(board, "samples"), columns=("sample_id", "item_id", "text", "is_hallucinated")
    )
    labelled = samples.join(items, on="item_id", how="left", maintain_order="left")
    for row in units.join(_verdicts(config, board), on=["subject", "unit_id", "variant"], nulls_equal=True,
                          maintain_order="left").join(labelled, left_on="unit_id", right_on="sample_id",
                                                      maintain_order="left").to_dicts():  # fmt: skip
        asked = "\n\n".join(part for part in (row["question"], row["text"]) if part)
        label = (LABELS[row["is_hallucinated"]],)
        texts[row["subject"], row["where"], row["unit_id"]] = Texts(asked, LABELS[row["verdict"]], label)
    return texts


def _verdicts(config: Layout, board: str) -> pl.DataFrame:
    """What each judge said of each text by a variant of the prompt, where it was asked once."""
    columns = ("judge", "target_id", "verdict", "attributes")
    whole = pl.concat([load(Judgement, path, columns=columns) for path in judgement_files(config, board)])
    named = whole.select(
        "verdict", subject="judge", unit_id="target_id", variant=pair("attributes", "variant")
    )
    return named.filter(pl.len().over("subject", "unit_id", "variant") == 1)
