"""What of a board goes to other tools, of a built and of a committed one alike: its card, the scores of its
models, the units behind them, who the models are, and the texts that may be passed on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from truerate.config.layout import Layout
from truerate.core.card import Ranked
from truerate.core.errors import SettingsError, TruerateError, listed, meant
from truerate.core.metric import Metric
from truerate.core.schemas import Row, load
from truerate.pipeline.tracks import card_of, records_of
from truerate.results.commit import result_of
from truerate.results.exchange.models import Model, declared, model_of
from truerate.results.exchange.unit_texts import Texts, Unit, unit_texts
from truerate.results.files import SCORE_COLUMNS, ResultCard, load_result, slice_texts
from truerate.results.read import MODELS, RESULTS
from truerate.site.models.aliases import read_aliases


@dataclass(frozen=True)
class Outgoing:
    """A board on its way out.

    `scores`: those of its models, with a value, as SCORE_COLUMNS, whose metric says which way is better;
    `rows`: Outcome rows with `where`, the slice as text; `models` by subject; `ranked`: what leads; `judge`: who gave the verdicts that
    its rates rest on, None where people did; `texts` of units, none where they may not be passed on or are not
    here; `slices`: those of the metric that leads, also where no model has a value.
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
    slices: tuple[str, ...] = ()


def outgoing(
    config: Layout, name: str, *, table: str | None = None, results: str | Path = RESULTS
) -> Outgoing:
    """A board of params.yaml, or a committed one of `results/`; of one `table` of it alone where named.

    Raises SettingsError for a name of neither, TruerateError where the board is not built or none of its scores
    says which way is better.
    """
    committed = {path.name for path in Path(results).glob("[!.]*") if path.is_dir()}
    if name in config.p.boards:
        board = _built(config, Path(results), name)
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
    sound = board.scores.with_columns(pl.col("value", "low", "high").fill_nan(None))
    kept = sound.filter(pl.col("metric").is_in(directed), kind="model").drop_nulls("value")
    if kept.is_empty():
        raise TruerateError(
            f"board {name!r} has no score of a model that says which way is better; it ranks no model"
        )
    lead = pl.col("metric") != board.card.headline.metric, pl.col("slice") != board.card.headline.slice
    kept = kept.sort("subject", *lead, "metric", "slice")
    rows = board.rows.with_columns(where=slice_texts(pl.col("slice")))
    of_scores = kept.select("metric", "subject", where="slice")
    rows = rows.join(of_scores, on=of_scores.columns, how="semi", maintain_order="left")
    of_lead = sound.filter(metric=board.ranked.metric, kind="model")["slice"].unique().sort()
    return Outgoing(
        **{**vars(board), "slices": tuple(of_lead), "scores": kept, "rows": rows.drop_nulls("value")}
    )


def _committed(results: Path, name: str) -> Outgoing:
    result = load_result(results / name)
    aliases = read_aliases(results / MODELS)
    tabled = {row["subject"]: row for row in ([] if result.table is None else result.table.to_dicts())}
    # people and rules
    others = {alias.name for alias in aliases.not_models if name in (alias.boards or [name])}
    scores = result.scores.filter(~pl.col("subject").is_in(others), kind="model")
    models = {
        subject: model_of(name, subject, aliases, tabled.get(subject))
        for subject in scores["subject"].unique(maintain_order=True)
    }
    lead = result.card.headline
    fixed = dict(pair.split("=", 1) for pair in lead.slice.split(";") if pair)
    ranked = Ranked(lead.metric, fixed, lead.what)
    card = result.card
    return Outgoing(card, card.records, scores, result.rows, models, ranked, card.judge)


def _built(config: Layout, results: Path, name: str) -> Outgoing:
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
    aliases = read_aliases(results / MODELS)
    models = {
        subject: declared(config, name, subject) or model_of(name, subject, aliases)
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
        unit_texts(config, name, result.rows),
    )
