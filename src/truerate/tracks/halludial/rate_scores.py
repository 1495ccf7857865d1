"""How often responders hallucinate (HalluDial 4): per turn and per dialogue, in gold and in self history, at
every temperature, by one detector; raw, corrected by its errors on induced texts, on responses that a source brought with
labels, and on responses that people labelled, and by people's labels of some of the very responses.

A dialogue is hallucinated where one of its turns is. It counts where the detector judged each of its turns,
and its label where people labelled each: errors of dialogues are those of such dialogues alone.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, frame, pair, unpaired
from truerate.metrics.estimators.prediction_powered import clustered_rate, pooled_slope, residuals
from truerate.metrics.estimators.sample import Cell, errors_of, estimates, verdicts
from truerate.metrics.intervals import cluster_sums
from truerate.metrics.paired import ratio_contrasts
from truerate.metrics.rates import (
    PREDICTION_POWERED,
    RAW,
    Errors,
    Estimate,
    estimate_rows,
)
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.judged_texts import INDUCED, SPONTANEOUS, TEST
from truerate.tracks.halludial.prompting import MATCHED, RESPOND
from truerate.tracks.halludial.responding import GOLD, SELF

RATE = "hallucination_rate"
TURN, DIALOGUE = "turn", "dialogue"
CELL = ("model", "history", "temperature")
PEOPLE = "people"  # the writer of a response that no system wrote
LABELLED = "labelled_rate"
BROUGHT = {
    SPONTANEOUS: "published",
    NATURAL: "gold",
}  # labels of responses that a source brought, by scenario


def score_rates(
    items: pl.DataFrame,
    samples: pl.DataFrame,
    judgements: pl.DataFrame,
    generations: pl.DataFrame,
    *,
    detector: str | None,
    base: str,
    writer: ScoreWriter,
) -> list[dict]:
    """Return Score rows of the rates of every responder by the verdicts of `detector`. `base`: the
    temperature of labelled responses. No detector, no rows; where a source tells no dialogues their rate is
    empty.
    """
    flags = verdicts_of(judgements, detector)
    turns = judged_turns(items, samples, flags, generations)
    if detector is None or turns.is_empty():
        return []
    dialogues = judged_dialogues(turns)
    errors = text_errors(samples, flags, writer) | natural_errors(turns, writer)
    rows = _unit_rows(TURN, turns, errors, base, writer)
    rows += _unit_rows(DIALOGUE, dialogues, natural_errors(dialogues, writer), base, writer)
    for model, where, _ in cells_of(turns) if dialogues.is_empty() else ():
        rows.append(writer.row(RATE, model, {"unit": DIALOGUE, **where, "estimator": RAW}, None, 0))
    for (n_turns,), part in dialogues.sort("n_turns").group_by("n_turns", maintain_order=True):
        errors = natural_errors(part, writer)  # on labelled dialogues of as many turns
        for model, where, cell in cells_of(part):
            cell_units, slice_ = units(cell), {"unit": DIALOGUE, **where, "turns": n_turns}
            each, n = estimates(cell_units, errors, writer), cell_units.n
            rows += estimate_rows(RATE, model, slice_, each, n, writer)
    return [*rows, *history_rows(turns, dialogues, base, writer)]


# ---- units -------------------------------------------------------------------------------------------------


def verdicts_of(judgements: pl.DataFrame, detector: str | None) -> pl.DataFrame:
    """Return the detector's verdicts, once of each text: `target_id`, `runs` (of each of its seeds) and
    `flagged`, the share of these that flags it (null: none was read).
    """
    seed = pair("attributes", "seed").cast(pl.Int64)
    rows = judgements.filter(judge=detector or "")
    rows = rows.select("target_id", pl.col("verdict").cast(pl.Float64), seed=seed)
    once = rows.unique(["target_id", "seed"], keep="first", maintain_order=True)
    by_text = once.sort("seed", maintain_order=True).group_by("target_id", maintain_order=True)
    return by_text.agg(flagged=pl.col("verdict").mean(), runs="verdict")


def judged_turns(
    items: pl.DataFrame, samples: pl.DataFrame, flags: pl.DataFrame, generations: pl.DataFrame
) -> pl.DataFrame:
    """Return a row per response of a test dialogue: CELL, `generation_id`, `group_id`, `n_turns` of its
    dialogue (null: it stands alone), `flagged` (null: no verdict), its `runs`, `label` (people's, null).
    """
    columns = ["generation_id", "item_id", "model"]
    rows = generations.select(*columns, "purpose", "status", "attributes")
    keys = (pair("attributes", key) for key in ("history", "temperature", "split"))
    rows = rows.filter(purpose=RESPOND, status="ok").select(*columns, *keys)
    turn_of = items.select("item_id", "group_id", n_turns=turns_of_dialogue())
    gold = samples.filter(label_source="gold")
    gold = gold.select(generation_id=pair("attributes", "generation"), label="is_hallucinated")
    gold = gold.drop_nulls("generation_id").unique("generation_id", keep="first", maintain_order=True)
    rows = rows.filter(split=TEST).join(turn_of, on="item_id", how="inner", maintain_order="left")
    for more in (flags.rename({"target_id": "generation_id"}), gold):
        rows = rows.join(more, on="generation_id", how="left", maintain_order="left")
    return rows.drop("split", "item_id").sort(*CELL, "generation_id")


def turns_of_dialogue() -> pl.Expr:
    """Return how many turns the dialogue of an item has; null where its source tells no dialogues."""
    return pl.when(pair("attributes", "turn").is_not_null()).then(pl.len().over("group_id")).cast(pl.Int64)


def judged_dialogues(turns: pl.DataFrame) -> pl.DataFrame:
    """Return a row per dialogue each of whose turns was judged; it has a label where each of them has. Of
    several seeds it is flagged by the share of them that flags one of its turns.
    """
    n_runs = int(turns["runs"].list.len().max() or 0)  # type: ignore[arg-type]
    of_runs = [pl.col("runs").list.get(run, null_on_oob=True).max() for run in range(n_runs)]
    whole = turns.drop_nulls("n_turns").group_by(*CELL, "group_id", "n_turns", maintain_order=True)
    rows = whole.agg(
        generation_id=pl.col("generation_id").min(),
        n_judged=pl.col("flagged").is_not_null().sum(),
        n_labelled=pl.col("label").is_not_null().sum(),
        flagged=pl.mean_horizontal(of_runs) if of_runs else pl.col("flagged").max(),
        label=pl.col("label").any(),
    ).filter(pl.col("n_judged") == pl.col("n_turns"))
    label = pl.when(pl.col("n_labelled") == pl.col("n_turns")).then("label")
    return rows.with_columns(label=label).drop("n_judged", "n_labelled").sort(*CELL, "group_id")


def units(rows: pl.DataFrame) -> Cell:
    """Return the rows with a verdict as units; clusters are dialogues."""
    read = rows.drop_nulls("flagged")
    label = read["label"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return verdicts(read["flagged"].cast(pl.Float64).to_numpy(), label, read["group_id"].to_list())


def cells_of(rows: pl.DataFrame) -> Iterator[tuple[str, dict[str, object], pl.DataFrame]]:
    """Yield the rows of each responder, history and temperature, with the latter two as a slice."""
    for (model, history, temperature), part in rows.group_by(*CELL, maintain_order=True):
        yield str(model), {"history": history, "temperature": temperature}, part


# ---- errors of the detector --------------------------------------------------------------------------------


def text_errors(samples: pl.DataFrame, flags: pl.DataFrame, writer: ScoreWriter) -> dict[str, Errors]:
    """Return the detector's errors on texts of the test split, by what they rest on: induced ones, and
    responses of others that a source brought with labels (`spontaneous`: published ones; `natural`: people's).
    """
    keys = (pair("attributes", key) for key in ("scenario", "kind", "generation"))
    keyed = samples.filter(split=TEST).with_columns(keys)
    is_induced = pl.col("scenario").eq(INDUCED) & pl.col("kind").ne_missing(MATCHED)
    label_source = pl.col("scenario").replace_strict(BROUGHT, default=None)
    is_brought = pl.col("generation").is_null() & pl.col("label_source").eq(label_source)
    texts = keyed.filter(is_induced | is_brought).sort("sample_id")
    texts = texts.select("sample_id", "group_id", "scenario", label="is_hallucinated")
    judged = texts.join(flags, left_on="sample_id", right_on="target_id", maintain_order="left")
    parts = ((scenario, judged.filter(scenario=scenario)) for scenario in (INDUCED, *BROUGHT))
    confidence = writer.statistics.confidence
    return {
        scenario: errors_of(units(part), confidence=confidence) for scenario, part in parts if part.height
    }


def natural_errors(rows: pl.DataFrame, writer: ScoreWriter) -> dict[str, Errors]:
    """Return the detector's errors on labelled responses or dialogues of all responders."""
    labelled = rows.drop_nulls("label")
    if labelled.is_empty():
        return {}
    return {NATURAL: errors_of(units(labelled), confidence=writer.statistics.confidence)}


# ---- rows --------------------------------------------------------------------------------------------------


def _unit_rows(
    unit: str, rows: pl.DataFrame, errors: Mapping[str, Errors], base: str, writer: ScoreWriter
) -> list[dict]:
    """Every estimate of every cell; where people labelled some of a cell's own units, from these too."""
    cells = [(model, where, units(cell)) for model, where, cell in cells_of(rows)]
    labelled = {"history": GOLD, "temperature": base}
    left = [residuals(cell) for _, where, cell in cells if where == labelled]
    slope = pooled_slope(residual for residual in left if residual is not None)
    scores = []
    for model, where, cell in cells:
        each = estimates(cell, errors, writer)
        if cell.k:
            rate = clustered_rate(cell, slope=slope, confidence=writer.statistics.confidence)
            each.append(Estimate(PREDICTION_POWERED, NATURAL, rate))
        scores += estimate_rows(RATE, model, {"unit": unit, **where}, each, cell.n, writer)
    return scores


def history_rows(turns: pl.DataFrame, dialogues: pl.DataFrame, base: str, writer: ScoreWriter) -> list[dict]:
    """Return `gold_minus_self` (with its p-value): by how much more is flagged in gold history than in self
    history, over the dialogues that were judged in both, dialogues resampled.
    """
    scores = []
    for unit, rows in ((TURN, turns), (DIALOGUE, dialogues)):
        is_in_both = pl.col("history").n_unique().over("model", "group_id") == 2
        read = rows.drop_nulls("flagged").filter(pl.col("history").is_in([GOLD, SELF]), temperature=base)
        for (model,), part in read.filter(is_in_both).group_by("model", maintain_order=True):
            n = part["group_id"].n_unique()
            if n < 2:
                continue
            inside = np.stack([(part["history"] == history).to_numpy() for history in (GOLD, SELF)], axis=1)
            flagged = part["flagged"].cast(pl.Float64).to_numpy()[:, None]
            sums = cluster_sums(part["group_id"].to_list(), np.hstack([inside * flagged, inside]))
            ((interval, p),) = ratio_contrasts(sums, np.array([[1.0], [-1.0]]), **writer.drawn)
            where = {"unit": unit, "temperature": base, "estimator": RAW}
            scores.append(writer.row("gold_minus_self", str(model), where, interval, n))
            scores.append(writer.row("gold_minus_self_p", str(model), where, p, n))
    return scores


# ---- labelled responses that a source brought --------------------------------------------------------------


def score_written(
    samples: pl.DataFrame, judgements: pl.DataFrame, *, detector: str | None, writer: ScoreWriter
) -> tuple[list[dict], pl.DataFrame]:
    """Return Score rows per corpus and writer: `labelled_rate` by people's labels, `hallucination_rate` of
    turns as `detector` flags them, and an empty one of dialogues; and the Outcome rows of the first, where
    there are several corpora over all of them, too. Intervals and tests are over groups (texts of knowledge).

    A unit is the same turn of two writers; of several responses of a writer to one turn each is a unit of its
    own.
    """
    keys = ("scenario", "corpus", "system", "generation")
    rows = samples.filter(pl.col("label_source") != "silver")
    rows = rows.with_columns(pair("attributes", key) for key in keys)
    rows = rows.filter(pl.col("generation").is_null(), scenario=NATURAL)
    rows = rows.with_columns(writer=pl.coalesce("generator", "system", pl.lit(PEOPLE)))
    flags = verdicts_of(judgements, detector).rename({"target_id": "sample_id"})
    rows = rows.join(flags, on="sample_id", how="left", maintain_order="left")
    rows = rows.sort("corpus", "writer", "sample_id")
    how = {"subject": "writer", "scenario": NATURAL}
    scores, outcomes = [], [frame(Outcome)]
    for corpus in (("corpus",), ()) if rows["corpus"].n_unique() > 1 else (("corpus",),):
        scores += writer.shares_by(rows, {LABELLED: pl.col("is_hallucinated")}, by=corpus, **how)
        number = pl.int_range(pl.len()).over("writer", "item_id", *corpus).cast(pl.String)
        units = rows.with_columns(unit_id=pl.concat_str("item_id", number, separator="-"))
        for name, part in units.group_by(corpus or pl.lit(NATURAL), maintain_order=True):
            where = {"scenario": NATURAL, **dict(zip(corpus, name, strict=False))}
            named = part.select("unit_id", subject="writer", cluster_id="group_id", value="is_hallucinated")
            outcomes.append(writer.outcomes(LABELLED, where, named))
    if detector is not None:
        flagged = {RATE: pl.col("flagged")}
        rates = writer.shares_by(rows, flagged, by=("corpus",), unit=TURN, estimator=RAW, **how)
        of_dialogues = ((row["subject"], unpaired(row["slice"]) | {"unit": DIALOGUE}) for row in rates)
        scores += rates + [writer.row(RATE, *named, None, 0) for named in of_dialogues]
    return scores, pl.concat(outcomes)
