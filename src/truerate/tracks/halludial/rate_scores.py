"""How often responders hallucinate (HalluDial 4): per turn and per dialogue, in gold and in self history, at every
temperature, by one detector; raw, corrected by its errors on induced texts and on responses that people labelled,
and by people's labels of some of the very responses.

A dialogue is hallucinated where one of its turns is. It counts where the detector judged each of its turns, and
its label where people labelled each: errors of dialogues are those of such dialogues alone.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from truerate.core.schemas import Outcome, frame, pair
from truerate.metrics.estimators.prediction_powered import clustered_rate, pooled_slope, residuals
from truerate.metrics.estimators.sample import verdicts
from truerate.metrics.intervals import cluster_sums
from truerate.metrics.paired import ratio_contrasts
from truerate.metrics.rates import (
    PREDICTION_POWERED,
    RAW,
    Errors,
    Estimate,
    Units,
    errors_of,
    estimate_rows,
    estimates,
)
from truerate.metrics.score_writer import ScoreWriter
from truerate.tracks.halludial import responding
from truerate.tracks.halludial.dataset import NATURAL
from truerate.tracks.halludial.judged_texts import INDUCED, TEST
from truerate.tracks.halludial.prompting import MATCHED, RESPOND

RATE = "hallucination_rate"
TURN, DIALOGUE = "turn", "dialogue"
CELL = ("model", "history", "temperature")
Cells = dict[tuple[str, str, str], pl.DataFrame]
Calibrated = Mapping[str, Errors]


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
    """Score rows of the rates of every responder by the verdicts of `detector`. `base`: the temperature of the
    responses that people label. No detector, no rows; where a source tells no dialogues their rate is empty.
    """
    verdicts = verdicts_of(judgements, detector)
    turns = judged_turns(items, samples, verdicts, generations)
    if detector is None or turns.is_empty():
        return []
    dialogues = judged_dialogues(turns)
    known = {TURN: calibrations(turns, samples, verdicts, writer), DIALOGUE: _natural(dialogues, writer)}
    made = []
    for unit, rows in ((TURN, turns), (DIALOGUE, dialogues)):
        made += _unit_rows(unit, rows, known[unit], base, writer)
    if dialogues.is_empty():
        made += [
            writer.row(RATE, model, _where(DIALOGUE, history, at) | {"estimator": RAW}, None, 0)
            for model, history, at in cells_of(turns)
        ]
    return [*made, *dialogue_lengths(dialogues, writer), *history_rows(turns, dialogues, base, writer)]


# ---- units -------------------------------------------------------------------------------------------------


def verdicts_of(judgements: pl.DataFrame, detector: str | None) -> pl.DataFrame:
    """What the detector says, once of each text: `target_id`, `runs` (the verdict of each of its seeds) and `verdict`,
    the share of these that flags it (null: none was read).
    """
    said = judgements.filter(judge=detector or "").select(
        "target_id", pl.col("verdict").cast(pl.Float64), seed=pair("attributes", "seed").cast(pl.Int64)
    )
    said = said.unique(["target_id", "seed"], keep="first", maintain_order=True).sort(
        "seed", maintain_order=True
    )
    return said.group_by("target_id", maintain_order=True).agg(pl.col("verdict").mean(), runs="verdict")


def judged_turns(
    items: pl.DataFrame, samples: pl.DataFrame, verdicts: pl.DataFrame, generations: pl.DataFrame
) -> pl.DataFrame:
    """A row per response of a test dialogue that was read: CELL, `generation_id`, `group_id`, `n_turns` of its
    dialogue (null: it stands alone), `flagged` (the detector's verdict, null where there is none), its `runs`, `label`
    (people's, null).
    """
    keys = ("history", "temperature", "split")
    columns = ["generation_id", "item_id", "model", "purpose", "status", "attributes"]
    rows = generations.select(columns).filter(purpose=RESPOND, status="ok")
    rows = rows.select(*columns[:3], *(pair("attributes", key) for key in keys))
    turn_of = items.select("item_id", "group_id", n_turns=turns_of_dialogue())
    gold = samples.filter(label_source="gold").select(
        pair("attributes", "generation").alias("generation_id"), label="is_hallucinated"
    )
    rows = rows.filter(pl.col("split") == TEST).join(
        turn_of, on="item_id", how="inner", maintain_order="left"
    )
    flags = verdicts.rename({"target_id": "generation_id", "verdict": "flagged"})
    for more in (
        flags,
        gold.drop_nulls("generation_id").unique("generation_id", keep="first", maintain_order=True),
    ):
        rows = rows.join(more, on="generation_id", how="left", maintain_order="left")
    return rows.drop("split", "item_id").sort(*CELL, "generation_id")


def turns_of_dialogue() -> pl.Expr:
    """How many turns the dialogue of an item has; null where its source tells no dialogues."""
    return pl.when(pair("attributes", "turn").is_not_null()).then(pl.len().over("group_id")).cast(pl.Int64)


def judged_dialogues(turns: pl.DataFrame) -> pl.DataFrame:
    """A row per dialogue each of whose turns was judged, with the columns of `judged_turns`; it has a label
    where each of them has. Of several seeds it is flagged by the share of them that flags one of its turns.
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


def units(rows: pl.DataFrame) -> Units:
    """The rows with a verdict as units; clusters are dialogues."""
    told = rows.drop_nulls("flagged")
    label = told["label"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return Units(told["flagged"].cast(pl.Float64).to_numpy(), told["group_id"].to_list(), label)


# ---- what the detector is known to do ----------------------------------------------------------------------


def calibrations(
    turns: pl.DataFrame, samples: pl.DataFrame, verdicts: pl.DataFrame, writer: ScoreWriter
) -> dict[str, Errors]:
    """The detector's errors on turns, by what they were measured on: `induced` against references, test split;
    `natural`: labelled responses of all responders together. What no text is labelled for is left out.
    """
    induced = samples.filter(split=TEST).select(
        "sample_id",
        "group_id",
        pair("attributes", "scenario"),
        pair("attributes", "kind"),
        label="is_hallucinated",
    )
    induced = induced.filter(pl.col("kind").ne_missing(MATCHED), scenario=INDUCED)
    judged = induced.join(verdicts, left_on="sample_id", right_on="target_id", maintain_order="left").rename(
        {"verdict": "flagged"}
    )
    known = {}
    if not judged.is_empty():
        known[INDUCED] = errors_of(units(judged.sort("sample_id")), confidence=writer.statistics.confidence)
    return known | _natural(turns, writer)


def _natural(rows: pl.DataFrame, writer: ScoreWriter) -> dict[str, Errors]:
    labelled = rows.drop_nulls("label")
    if labelled.is_empty():
        return {}
    return {NATURAL: errors_of(units(labelled), confidence=writer.statistics.confidence)}


# ---- rows --------------------------------------------------------------------------------------------------


def _unit_rows(
    unit: str, rows: pl.DataFrame, known: Calibrated, base: str, writer: ScoreWriter
) -> list[dict]:
    """Every estimate of every cell; where people labelled some of a cell's own units, from these too."""
    cells = cells_of(rows)
    own = {key: units(cell) for key, cell in cells.items()}
    sampled = {key: verdicts(one.is_flagged, one.label, one.clusters) for key, one in own.items()}
    labelled = [
        residuals(one)
        for (_, history, at), one in sampled.items()
        if (history, at) == (responding.GOLD, base)
    ]
    slope = pooled_slope(one for one in labelled if one is not None)
    made = []
    for key, one in own.items():
        model, history, temperature = key
        where = _where(unit, history, temperature)
        each = estimates(one, known, writer)
        if one.is_labelled.any():
            found = clustered_rate(sampled[key], slope=slope, confidence=writer.statistics.confidence)
            each.append(Estimate(PREDICTION_POWERED, NATURAL, found))
        made += estimate_rows(RATE, model, where, each, len(one.is_flagged), writer)
    return made


def _where(unit: str, history: str, temperature: str) -> dict[str, object]:
    return {"unit": unit, "history": history, "temperature": temperature}


def cells_of(rows: pl.DataFrame) -> Cells:
    """The rows of each responder, history and temperature."""
    return {
        (str(model), str(history), str(at)): part
        for (model, history, at), part in rows.group_by(*CELL, maintain_order=True)
    }


def dialogue_lengths(dialogues: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    """Rates of dialogues by their number of turns, corrected by the errors on labelled dialogues of as many."""
    made = []
    for (n_turns,), part in dialogues.sort("n_turns").group_by("n_turns", maintain_order=True):
        known = _natural(part, writer)
        for (model, history, temperature), cell in cells_of(part).items():
            where = _where(DIALOGUE, history, temperature) | {"turns": n_turns}
            one = units(cell)
            made += estimate_rows(
                RATE, model, where, estimates(one, known, writer), len(one.is_flagged), writer
            )
    return made


def history_rows(turns: pl.DataFrame, dialogues: pl.DataFrame, base: str, writer: ScoreWriter) -> list[dict]:
    """`gold_minus_self`: by how much more is flagged in gold history than in self history, over the dialogues
    that were judged in both, dialogues resampled; and its p-value.
    """
    made = []
    for unit, rows in ((TURN, turns), (DIALOGUE, dialogues)):
        told = rows.drop_nulls("flagged").filter(temperature=base)
        for (model,), part in told.group_by("model", maintain_order=True):
            made += _difference(str(model), {"unit": unit, "temperature": base}, part, writer)
    return made


def _difference(model: str, where: dict, rows: pl.DataFrame, writer: ScoreWriter) -> list[dict]:
    histories = (responding.GOLD, responding.SELF)
    sides = [rows.filter(history=history) for history in histories]
    both = set.intersection(*(set(side["group_id"]) for side in sides))
    kept = rows.filter(pl.col("group_id").is_in(list(both)), pl.col("history").is_in(histories))
    if len(both) < 2:
        return []
    inside = np.stack([(kept["history"] == history).to_numpy() for history in histories], axis=1)
    flagged = kept["flagged"].cast(pl.Float64).to_numpy()[:, None]
    sums = cluster_sums(kept["group_id"].to_list(), np.hstack([inside * flagged, inside]))
    ((interval, p),) = ratio_contrasts(sums, np.array([[1.0], [-1.0]]), **writer.drawn)
    slice_ = {**where, "estimator": RAW}
    return [
        writer.row("gold_minus_self", model, slice_, interval, len(both)),
        writer.row("gold_minus_self_p", model, slice_, p, len(both)),
    ]


# ---- How often labelled responses that a source brought hallucinate: by peo --------------------------------


PEOPLE = "people"  # the writer of a response that no system wrote
LABELLED = "labelled_rate"
KEYS = ("scenario", "corpus", "system", "generation")


def score_written(
    samples: pl.DataFrame, judgements: pl.DataFrame, *, detector: str | None, writer: ScoreWriter
) -> tuple[list[dict], pl.DataFrame]:
    """Score rows per corpus and writer: `labelled_rate` by people's labels, `hallucination_rate` of turns as
    `detector` flags them, and an empty one of dialogues; and the Outcome rows of the first, on which writers are
    ranked, where there are several corpora over all of them, too. Intervals and tests are over groups (texts of
    knowledge).
    """
    rows = samples.filter(pl.col("label_source") != "silver")
    rows = rows.with_columns(*(pair("attributes", key) for key in KEYS))
    rows = rows.filter(pl.col("generation").is_null(), scenario=NATURAL).with_columns(
        writer=pl.coalesce("generator", "system", pl.lit(PEOPLE))
    )
    flags = verdicts_of(judgements, detector).rename({"target_id": "sample_id", "verdict": "flagged"})
    rows = rows.join(flags, on="sample_id", how="left", maintain_order="left").sort(
        "corpus", "writer", "sample_id"
    )
    made, outcomes = [], [frame(Outcome)]
    if rows["corpus"].n_unique() > 1:
        for (name,), part in rows.group_by("writer", maintain_order=True):
            made.append(_labelled(str(name), {"scenario": NATURAL}, part, writer))
            outcomes.append(writer.outcomes(LABELLED, {"scenario": NATURAL}, _response_units(part)))
    for (corpus, name), part in rows.group_by("corpus", "writer", maintain_order=True):
        where = {"scenario": NATURAL, "corpus": corpus}
        made.append(_labelled(str(name), where, part, writer))
        outcomes.append(writer.outcomes(LABELLED, where, _response_units(part)))
        if detector is not None:
            told = part.drop_nulls("flagged")
            slice_ = {**where, "unit": TURN, "estimator": RAW}
            flagged, groups = told["flagged"].to_list(), told["group_id"].to_list()
            made.append(writer.share(RATE, str(name), slice_, flagged, groups))
            made.append(writer.row(RATE, str(name), {**slice_, "unit": DIALOGUE}, None, 0))
    return made, pl.concat(outcomes)


def _labelled(name: str, where: dict, part: pl.DataFrame, writer: ScoreWriter) -> dict:
    label, clusters = part["is_hallucinated"].to_list(), part["group_id"].to_list()
    return writer.share(LABELLED, name, where, label, clusters)


def _response_units(part: pl.DataFrame) -> pl.DataFrame:
    """A writer's responses, by what they respond to: the same turn of two writers is one unit. Of several
    responses of a writer to one turn each is a unit of its own.
    """
    place = pl.int_range(pl.len()).over("item_id").cast(pl.String)
    return part.select(
        subject="writer",
        unit_id=pl.concat_str("item_id", place, separator="-"),
        cluster_id="group_id",
        value="is_hallucinated",
    )
