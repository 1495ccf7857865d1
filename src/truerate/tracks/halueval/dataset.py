"""The data set of a board: items, all replies, labelled samples in pairs, what was rejected and why, and the
annotation tasks.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

import polars as pl

from truerate.core.keys import content_id, draw, split_of
from truerate.core.schemas import Reject, Sample, frame, pair, pairs, reject_row, sample_row
from truerate.core.text import clean
from truerate.llm.generation import facts
from truerate.tracks.halueval import filtering
from truerate.tracks.halueval.candidates import (
    LENGTH_RULED,
    NAMED,
    breaks_length_rule,
    candidate_reason,
)
from truerate.tracks.halueval.context import Context, is_probe
from truerate.tracks.halueval.filtering import Candidate, Pick
from truerate.tracks.halueval.settings import Settings

GENERATED, PUBLISHED = "generated", "published"
N_SHOWN = 300


@dataclass(frozen=True)
class Dataset:
    """The tables of a board's data set; `tasks` are the rows of tasks.jsonl."""

    items: pl.DataFrame
    generations: pl.DataFrame
    samples: pl.DataFrame
    rejects: pl.DataFrame
    counts: pl.DataFrame
    tasks: list[dict]


# ---- candidates --------------------------------------------------------------------------------------------


def checked(sampled: pl.DataFrame, found: dict[str, Context], *, slack: int) -> pl.DataFrame:
    """Candidates with `rejected: reason` where they cannot be a hallucinated text and `too_long: yes` where
    they break the length rule.
    """
    rows = [_checked_row(row, found[row["item_id"]], slack) for row in sampled.iter_rows(named=True)]
    return pl.DataFrame(rows, schema=sampled.schema)


def _checked_row(row: dict, context: Context, slack: int) -> dict:
    if row["status"] != "ok":
        return row
    known = facts(row)
    reason = candidate_reason(row["text"], context.right_answer, context.question)
    is_long = context.task in LENGTH_RULED and breaks_length_rule(int(known["words_over"]), slack)
    more = {"rejected": reason, "too_long": "yes" if is_long else None}
    return {**row, "attributes": pairs(**{**known, **more})}


def usable(candidates: pl.DataFrame) -> pl.DataFrame:
    """Candidates that came, were read and passed the checks."""
    return candidates.filter((pl.col("status") == "ok") & pair("attributes", "rejected").is_null())


def generated_candidates(candidates: pl.DataFrame, generator: str | None) -> dict[str, list[Candidate]]:
    """The usable candidates of the generator whose texts become the data set, by item."""
    found: dict[str, list[Candidate]] = {}
    for row in (
        usable(candidates)
        .filter(pl.col("model") == (generator or ""))
        .sort("generation_id")
        .iter_rows(named=True)
    ):
        found.setdefault(row["item_id"], []).append(
            Candidate(row["generation_id"], row["text"], facts(row)["scheme"])
        )
    return found


def published_candidates(samples: pl.DataFrame) -> dict[str, list[Candidate]]:
    """The hallucinated sides of published pairs that name their scheme, by item."""
    found: dict[str, list[Candidate]] = {}
    for row in (
        samples.filter(pl.col("is_hallucinated") & pl.col("pair_id").is_not_null())
        .sort("sample_id")
        .iter_rows(named=True)
    ):
        if scheme := facts(row).get("scheme"):
            found.setdefault(row["item_id"], []).append(Candidate(row["sample_id"], row["text"], scheme))
    return found


def without_probes(samples: pl.DataFrame, tasks: tuple[str, ...]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A source's published samples of the board's tasks, and its probe set."""
    return samples.filter(~is_probe() & pl.col("task").is_in(tasks)), samples.filter(is_probe())


def published_samples(
    samples: pl.DataFrame, settings: Settings, sizes: Mapping[str, int | None], seed: int
) -> pl.DataFrame:
    """The published samples that the board takes: of each of its tasks the texts of as many items as `sizes` says
    (null: all), groups drawn whole by seed, at least one; none where models write the board's texts.
    """
    found = without_probes(samples, settings.tasks)[0]
    if settings.texts == "generated":
        return found.clear()
    taken = [_drawn(found.filter(task=task), sizes[task], seed) for task in settings.tasks]
    return found.filter(pl.col("sample_id").is_in([name for names in taken for name in names]))


def _drawn(samples: pl.DataFrame, n: int | None, seed: int) -> list[str]:
    """The samples of the first groups in a seeded order that hold at most `n` items together; at least one group."""
    items = samples.group_by("group_id", maintain_order=True).agg(pl.col("item_id").n_unique()).rows()
    order = sorted(items, key=lambda row: (draw(seed, row[0]), row[0]))
    totals = list(accumulate(n_items for _, n_items in order))
    n_groups = len(order) if n is None else max(1, bisect_right(totals, n))
    groups = [name for name, _ in order[:n_groups]]
    return samples.filter(pl.col("group_id").is_in(groups))["sample_id"].to_list()


def written_tasks(published: pl.DataFrame, settings: Settings) -> tuple[str, ...]:
    """The tasks of the board whose texts models write: those of which it takes no published text."""
    has_text = set(published["task"])
    return tuple(task for task in settings.tasks if task not in has_text)


# ---- samples -----------------------------------------------------------------------------------------------


def pair_samples(candidates: pl.DataFrame, chosen: dict[str, Pick], found: dict[str, Context]) -> list[dict]:
    """The right and the hallucinated Sample row of every item with a chosen candidate.

    Both carry how it was picked and by which scheme it was made (`candidate_scheme`): the two belong to one
    set, whatever the scheme.
    """
    row_of = {row["generation_id"]: row for row in candidates.iter_rows(named=True)}
    rows = []
    for item_id in sorted(chosen):
        pick, context = chosen[item_id], found[item_id]
        row = row_of[pick.candidate_id]
        known = facts(row)
        more = pairs(pick=pick.pick, candidate_scheme=known["scheme"])
        over = pairs(
            pick=pick.pick,
            candidate_scheme=known["scheme"],
            candidate=pick.candidate_id,
            words_over=known["words_over"],
        )
        rows.append(_sample(context, context.right_answer, False, attributes=more))
        rows.append(
            _sample(
                context, row["text"], True, attributes=over, generator=row["model"], pattern=known["pattern"]
            )
        )
    return rows


def _sample(
    context: Context,
    text: str,
    is_hallucinated: bool,
    *,
    attributes: list,
    generator: str | None = None,
    pattern: str | None = None,
) -> dict:
    return sample_row(
        sample_id=content_id("sample", context.item_id, text, is_hallucinated, generator, attributes),
        item_id=context.item_id,
        pair_id=content_id("pair", context.item_id),
        group_id=context.group_id,
        task=context.task,
        lang=context.lang,
        text=text,
        is_hallucinated=is_hallucinated,
        label_source="silver",
        generator=generator,
        pattern=pattern,
        split=split_of(context.group_id),
        attributes=attributes,
    )


def with_picks(published: pl.DataFrame, chosen: dict[str, Pick]) -> pl.DataFrame:
    """Published samples with `pick` on those that filtering chose; none is left out, their labels are the
    source's.

    A `pick` that a source brings says how its publisher's filtering went: it is not this board's, and goes.
    """
    how = {pick.candidate_id: pick.pick for pick in chosen.values() if pick.pick != "only"}
    picks = [{**facts(row), "pick": how.get(row["sample_id"])} for row in published.iter_rows(named=True)]
    rows = [
        {**row, "attributes": pairs(**known)}
        for row, known in zip(published.iter_rows(named=True), picks, strict=True)
    ]
    return pl.DataFrame(rows, schema=published.schema)


# ---- what was not kept -------------------------------------------------------------------------------------


def rejects(
    candidates: pl.DataFrame, chosen: dict[str, Pick], responded: pl.DataFrame, *, generator: str | None
) -> pl.DataFrame:
    """Every candidate that is not in the data set with its reason, and every response that never came.

    Reasons are those of `candidates.REASONS`; `filtered_out` is a usable candidate of the data set's
    generator that lost to the other one. Other generators' usable candidates are only counted, not rejected.
    """
    kept = {pick.candidate_id for pick in chosen.values()}
    rows = []
    for row in candidates.sort("generation_id").iter_rows(named=True):
        known = facts(row)
        if row["status"] != "ok":
            rows.append(_outcome(row))
        elif "rejected" in known:
            rows.append(_reject(row, known["rejected"], known["scheme"]))
        elif row["model"] == generator and row["generation_id"] not in kept:
            rows.append(_reject(row, "filtered_out", known["scheme"]))
    rows.extend(
        _outcome(row)
        for row in responded.filter(pl.col("status") != "ok").sort("generation_id").iter_rows(named=True)
    )
    return frame(Reject, rows)


def _outcome(row: dict) -> dict:
    """A reply that is not ok: `refusal`, `no-answer`, `empty`, or its status with the reason as the detail."""
    is_named = row["reason"] in NAMED and row["status"] != "dead"
    return _reject(row, row["reason"] if is_named else row["status"], row["reason"] or "")


def _reject(row: dict, reason: str, detail: str) -> dict:
    shown = clean(row["text"])[:N_SHOWN]
    return reject_row(
        where=row["purpose"], target_id=row["generation_id"], reason=reason, detail=detail, text=shown
    )


# ---- all together ------------------------------------------------------------------------------------------


def chosen_candidates(
    filtered: pl.DataFrame, candidates: dict[str, list[Candidate]], *, origin: str, seed: int
) -> dict[str, Pick]:
    """The pick per item from the replies of filtering."""
    choices = (
        filtered.filter(pl.col("purpose") == filtering.PURPOSE).sort("generation_id").iter_rows(named=True)
    )
    return filtering.picks(choices, candidates, origin=origin, seed=seed)


def samples_frame(rows: list[dict], published: pl.DataFrame) -> pl.DataFrame:
    """The samples made here and those of the source, by id."""
    return pl.concat([following(frame(Sample, rows), published), published]).sort("sample_id")


def following(made: pl.DataFrame, source: pl.DataFrame) -> pl.DataFrame:
    """Samples made here on the side of the split that the source brings for their group (`test` where it
    brings both); others stay.
    """
    brought = source.filter(pair("attributes", "published_split").is_not_null())
    sides = brought.group_by("group_id", maintain_order=True).agg(
        pl.col("split").min().alias("side")
    )  # `test` stands before `train`
    known = made.join(sides, on="group_id", how="left", maintain_order="left")
    return known.with_columns(split=pl.coalesce("side", "split")).drop("side")


def items_of(items: pl.DataFrame, *tables: pl.DataFrame) -> pl.DataFrame:
    """The items that the tables name, by id."""
    named = pl.concat([table["item_id"] for table in tables]).unique(maintain_order=True)
    return items.filter(pl.col("item_id").is_in(named.to_list())).sort("item_id")
