"""The data set of a board: items, all replies, labelled samples in pairs, what was rejected and why, and the
annotation tasks. Pure: nothing is asked.
"""

from bisect import bisect_right
from collections.abc import Mapping
from itertools import accumulate

import polars as pl

from truerate.core.keys import content_id, draw, split_of
from truerate.core.schemas import Reject, Sample, frame, pair, pairs, reject_row, sample_row
from truerate.core.text import clean
from truerate.llm.generation import facts
from truerate.tracks.halueval import filtering
from truerate.tracks.halueval.context import Context, is_probe
from truerate.tracks.halueval.filtering import Candidate, Pick
from truerate.tracks.halueval.sampling import LENGTH_RULED, NAMED, candidate_reason
from truerate.tracks.halueval.settings import Settings

GENERATED, PUBLISHED = "generated", "published"
N_SHOWN = 300


# ---- published samples -------------------------------------------------------------------------------------


def without_probes(samples: pl.DataFrame, tasks: tuple[str, ...]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a source's published samples of the board's tasks, and its probe set."""
    return samples.filter(~is_probe() & pl.col("task").is_in(tasks)), samples.filter(is_probe())


def published_samples(
    samples: pl.DataFrame, settings: Settings, sizes: Mapping[str, int | None], seed: int
) -> pl.DataFrame:
    """Return the published samples that the board takes: of each of its tasks the texts of as many items as
    `sizes` says (null: all), groups drawn whole by seed, at least one; none where models write the board's
    texts.
    """
    published = without_probes(samples, settings.tasks)[0]
    if settings.texts == "generated":
        return published.clear()
    taken: list[str] = []
    for task in settings.tasks:
        of_task, n = published.filter(task=task), sizes[task]
        items = of_task.group_by("group_id", maintain_order=True).agg(pl.col("item_id").n_unique()).rows()
        order = sorted(items, key=lambda row: (draw(seed, row[0]), row[0]))
        totals = list(accumulate(n_items for _, n_items in order))
        n_groups = len(order) if n is None else max(1, bisect_right(totals, n))
        groups = [name for name, _ in order[:n_groups]]
        taken += of_task.filter(pl.col("group_id").is_in(groups))["sample_id"].to_list()
    return published.filter(pl.col("sample_id").is_in(taken))


def written_tasks(published: pl.DataFrame, settings: Settings) -> tuple[str, ...]:
    """Return the tasks of the board whose texts models write: those of which it takes no published text."""
    has_text = set(published["task"])
    return tuple(task for task in settings.tasks if task not in has_text)


# ---- candidates --------------------------------------------------------------------------------------------


def checked(sampled: pl.DataFrame, contexts: dict[str, Context], *, slack: int) -> pl.DataFrame:
    """Return candidates with why they are `rejected`, and `too_long: yes` beyond `slack` more words."""
    rows = []
    for row in sampled.iter_rows(named=True):
        if row["status"] == "ok":
            attributes, context = facts(row), contexts[row["item_id"]]
            is_long = context.task in LENGTH_RULED and int(attributes["words_over"]) > slack
            reason = candidate_reason(row["text"], context.right_answer, context.question)
            more = {"rejected": reason, "too_long": "yes" if is_long else None}
            row = {**row, "attributes": pairs(**{**attributes, **more})}
        rows.append(row)
    return pl.DataFrame(rows, schema=sampled.schema)


def generated_candidates(candidates: pl.DataFrame, generator: str | None) -> dict[str, list[Candidate]]:
    """Return the usable candidates of the generator whose texts become the data set, by item."""
    is_usable = (pl.col("status") == "ok") & pair("attributes", "rejected").is_null()
    rows = candidates.filter(is_usable, pl.col("model") == (generator or "")).sort("generation_id")
    by_item: dict[str, list[Candidate]] = {}
    for row in rows.iter_rows(named=True):
        candidate = Candidate(row["generation_id"], row["text"], facts(row)["scheme"])
        by_item.setdefault(row["item_id"], []).append(candidate)
    return by_item


def published_candidates(samples: pl.DataFrame) -> dict[str, list[Candidate]]:
    """Return the hallucinated sides of published pairs that name their scheme, by item."""
    by_item: dict[str, list[Candidate]] = {}
    rows = samples.filter(pl.col("is_hallucinated") & pl.col("pair_id").is_not_null()).sort("sample_id")
    for row in rows.iter_rows(named=True):
        if scheme := facts(row).get("scheme"):
            by_item.setdefault(row["item_id"], []).append(Candidate(row["sample_id"], row["text"], scheme))
    return by_item


# ---- samples -----------------------------------------------------------------------------------------------


def pair_samples(
    candidates: pl.DataFrame, chosen: dict[str, Pick], contexts: dict[str, Context]
) -> list[dict]:
    """Return the right and the hallucinated Sample row of every item with a chosen candidate.

    Both carry how it was picked and by which scheme it was made (`candidate_scheme`): the two belong to one
    set, whatever the scheme.
    """
    row_of = {row["generation_id"]: row for row in candidates.iter_rows(named=True)}
    rows = []
    for item_id in sorted(chosen):
        pick, context = chosen[item_id], contexts[item_id]
        row = row_of[pick.candidate_id]
        attributes_of_row = facts(row)
        of_both = {"pick": pick.pick, "candidate_scheme": attributes_of_row["scheme"]}
        of_candidate = {"candidate": pick.candidate_id, "words_over": attributes_of_row["words_over"]}
        shared = {"item_id": item_id, "pair_id": content_id("pair", item_id), "label_source": "silver"}
        shared |= {name: getattr(context, name) for name in ("group_id", "task", "lang")}
        sides = (
            (context.right_answer, False, None, None, pairs(**of_both)),
            (row["text"], True, row["model"], attributes_of_row["pattern"], pairs(**of_both, **of_candidate)),
        )
        for text, is_hallucinated, generator, pattern, attributes in sides:
            name = content_id("sample", item_id, text, is_hallucinated, generator, attributes)
            of_side = {"sample_id": name, "text": text, "is_hallucinated": is_hallucinated}
            of_side |= {"generator": generator, "pattern": pattern, "attributes": attributes}
            rows.append(sample_row(**shared, **of_side, split=split_of(context.group_id)))
    return rows


def with_picks(published: pl.DataFrame, chosen: dict[str, Pick]) -> pl.DataFrame:
    """Return published samples with `pick` on those that filtering chose; none is left out, their labels are
    the source's.

    A `pick` that a source brings says how its publisher's filtering went: it is not this board's, and goes.
    """
    how = {pick.candidate_id: pick.pick for pick in chosen.values() if pick.pick != "only"}
    rows = [
        {**row, "attributes": pairs(**{**facts(row), "pick": how.get(row["sample_id"])})}
        for row in published.iter_rows(named=True)
    ]
    return pl.DataFrame(rows, schema=published.schema)


def following(samples: pl.DataFrame, source: pl.DataFrame) -> pl.DataFrame:
    """Return samples on the side of the split that the source brings for their group (`test` where both)."""
    brought = source.filter(pair("attributes", "published_split").is_not_null())
    side = pl.col("split").min().alias("side")  # `test` stands before `train`
    sides = brought.group_by("group_id", maintain_order=True).agg(side)
    with_side = samples.join(sides, on="group_id", how="left", maintain_order="left")
    return with_side.with_columns(split=pl.coalesce("side", "split")).drop("side")


def samples_of(
    candidates: pl.DataFrame,
    filtered: pl.DataFrame,
    published: pl.DataFrame,
    contexts: dict[str, Context],
    *,
    settings: Settings,
    seed: int,
) -> tuple[dict[str, Pick], pl.DataFrame]:
    """Return which candidate was chosen for each item, and all samples, by id."""
    ours = generated_candidates(candidates, settings.dataset_generator)
    theirs = published_candidates(published) if filtered.height else {}
    choices = filtered.filter(pl.col("purpose") == filtering.PURPOSE).sort("generation_id").to_dicts()
    chosen = filtering.picks(choices, ours, origin=GENERATED, seed=seed)
    published = with_picks(published, filtering.picks(choices, theirs, origin=PUBLISHED, seed=seed))
    written = frame(Sample, pair_samples(candidates, chosen, contexts))
    return chosen, pl.concat([following(written, published), published]).sort("sample_id")


# ---- what was not kept -------------------------------------------------------------------------------------


def rejects(
    candidates: pl.DataFrame, chosen: dict[str, Pick], responded: pl.DataFrame, *, generator: str | None
) -> pl.DataFrame:
    """Return every candidate that is not in the data set with its reason, and every response that never came.

    Reasons are those of `sampling.REASONS`; `filtered_out` is a usable candidate of the data set's generator
    that lost to the other one. Other generators' usable candidates are only counted, not rejected.
    """
    kept = {pick.candidate_id for pick in chosen.values()}
    rows = []
    for row in candidates.sort("generation_id").iter_rows(named=True):
        attributes = facts(row)
        if row["status"] != "ok":
            rows.append(_outcome(row))
        elif "rejected" in attributes:
            rows.append(_reject(row, attributes["rejected"], attributes["scheme"]))
        elif row["model"] == generator and row["generation_id"] not in kept:
            rows.append(_reject(row, "filtered_out", attributes["scheme"]))
    lost = responded.filter(pl.col("status") != "ok").sort("generation_id")
    return frame(Reject, rows + [_outcome(row) for row in lost.iter_rows(named=True)])


def _outcome(row: dict) -> dict:
    """A reply that is not ok: `refusal`, `no-answer`, `empty`, or its status with the reason."""
    is_named = row["reason"] in NAMED and row["status"] != "dead"
    return _reject(row, row["reason"] if is_named else row["status"], row["reason"] or "")


def _reject(row: dict, reason: str, detail: str) -> dict:
    text, target = clean(row["text"])[:N_SHOWN], row["generation_id"]
    return reject_row(where=row["purpose"], target_id=target, reason=reason, detail=detail, text=text)
