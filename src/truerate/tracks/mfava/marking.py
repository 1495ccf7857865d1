"""Every text of a board cut into tokens once, and which tokens gold labels and each run of a detector mark.

A text is what an item and its wording are: a silver passage and its gold twin are one, and a labelled reply
is the reply itself, so a judgement that names either belongs to both.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.core.schemas.parts import PART
from truerate.core.tags import TYPES
from truerate.metrics.spans import HARD
from truerate.metrics.tokens import Span, TokenLine, token_line

HELD_OUT, SILVER, GOLD, NATURAL = "held-out", "silver", "gold", "natural"  # what a detector is held against
CALIBRATIONS = (SILVER, GOLD, NATURAL)  # what its rates are corrected by
AGAINST = (HELD_OUT, *CALIBRATIONS)
CATEGORY = "category"

One = TypeVar("One")


class Detector(NamedTuple):
    """A detector as the tables tell them apart; its seeds are runs of it."""

    member: str
    scope: str
    labels: str

    def where(self, **more: object) -> dict:
        """Its place in a slice."""
        return {"scope": self.scope, "labels": self.labels, **more}


@dataclass(frozen=True)
class Texts:
    """The texts of a board. `frame`: `item_id`, `text`, `group_id`, `lang`, a row per text; `place_of`: its
    row by sample or reply id.
    """

    frame: pl.DataFrame
    place_of: dict[str, int]
    line: TokenLine


@dataclass(frozen=True)
class Run:
    """One seed of a detector: `is_marked` (tokens,), `types` (tokens,; 0 or a place in TYPES + 1),
    `is_judged` (texts,).

    `rows`: `place`, `threshold`, `n_windows` of its judgements; `spans`: `place`, `start`, `end`, `p` of all their spans,
    a row each, which takes a third of what lists of them take.
    """

    seed: str
    is_marked: np.ndarray
    types: np.ndarray
    is_judged: np.ndarray
    rows: pl.DataFrame
    spans: pl.DataFrame


@dataclass(frozen=True)
class Labelled:
    """Texts with labels of one kind: their `places` (samples,), `groups`, `langs`, and the gold tokens over
    the whole line.
    """

    places: np.ndarray
    groups: np.ndarray
    langs: np.ndarray
    is_gold: np.ndarray
    types: np.ndarray
    samples: pl.DataFrame

    def where(self, is_kept: np.ndarray) -> "Labelled":
        """Those of the texts that are kept (samples,)."""
        places, groups, langs = (column[is_kept] for column in (self.places, self.groups, self.langs))
        return replace(self, places=places, groups=groups, langs=langs, samples=self.samples.filter(is_kept))


def answers(generations: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Replies in the wild that came, with `group_id`, `lang` of their items and the facts that their rows hold."""
    keys = ("subset", "subset_seed", "replicate", "repeats", "dont_know", "cut", "wrong_language")
    asked = generations.filter((pl.col("purpose") == "answer") & (pl.col("status") == "ok"))
    known = asked.select(
        "generation_id", "item_id", "model", "text", *(pair("attributes", key) for key in keys)
    )
    return known.join(items.select("item_id", "group_id", "lang"), on="item_id", maintain_order="left").sort(
        "generation_id"
    )


def board_texts(samples: pl.DataFrame, replies: pl.DataFrame, cut: Callable[[str], Iterable[Span]]) -> Texts:
    """The texts of labelled samples (held out, silver and wild) and of replies, each once, in the order of
    their items.
    """
    frame, placed = placed_texts(samples, replies)
    return Texts(
        frame, dict(placed.select("id", "place").iter_rows()), token_line(frame["text"].to_list(), cut)
    )


def placed_texts(samples: pl.DataFrame, replies: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """`Texts.frame`, and of every sample and reply its `id` and the `place` of its text there."""
    columns = ["item_id", "text", "group_id", "lang"]
    labelled = (
        samples.filter(pl.col("task").is_in(["held-out", "silver", "wild"]))
        .select("sample_id", *columns)
        .rename({"sample_id": "id"})
    )
    whole = pl.concat([labelled, replies.select("generation_id", *columns).rename({"generation_id": "id"})])
    frame = (
        whole.select(columns)
        .unique(["item_id", "text"], keep="first", maintain_order=True)
        .sort("item_id", "text")
    )
    placed = whole.join(
        frame.with_row_index("place").select("item_id", "text", "place"),
        on=["item_id", "text"],
        maintain_order="left",
    )
    return frame, placed.select("id", "place")


def labelled_replies(samples: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    """The replies of which there are labels: a labelled sample has their item and wording."""
    wild = samples.filter(task="wild").select("item_id", "text").unique(maintain_order=True)
    return replies.join(wild, on=["item_id", "text"], how="semi", maintain_order="left")


def hard_spans(
    rows: pl.DataFrame, texts: Texts, *, name: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[str | None]]:
    """Places of texts, starts, ends and types of all spans that count as marked (no p, or p above the row's
    `threshold`, one half where rows have none). `name`: the column of the text's id.
    """
    known = pl.DataFrame(
        {name: list(texts.place_of), "place": list(texts.place_of.values())},
        schema={name: pl.String, "place": pl.Int64},
    )
    threshold = pl.col("threshold") if "threshold" in rows.columns else pl.lit(HARD)
    spans = (
        rows.select(name, "spans", threshold=threshold)
        .join(known, on=name, maintain_order="left")
        .filter(pl.col("spans").list.len() > 0)
        .explode("spans")
        .unnest("spans")
    )
    hard = spans.filter(pl.col("p").is_null() | (pl.col("p") > pl.col("threshold")))
    places, starts, ends = (hard[column].to_numpy() for column in ("place", "start", "end"))
    return places, starts, ends, hard["type"].to_list()


def marks(rows: pl.DataFrame, texts: Texts, *, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Which tokens the spans of these rows mark (tokens,), and with which type (tokens,): 0 for none or a
    type that is none of TYPES.
    """
    places, starts, ends, kinds = hard_spans(rows, texts, name=name)
    types = np.zeros(len(texts.line.starts), dtype=np.int8)  # one of seven for each token of a board
    said = np.array([TYPES.index(kind) + 1 if kind in TYPES else 0 for kind in kinds], dtype=int)
    for kind in np.unique(said[said > 0]):
        types[texts.line.marked(places[said == kind], starts[said == kind], ends[said == kind])] = kind
    return texts.line.marked(places, starts, ends), types


def threshold_of() -> pl.Expr:
    """The p above which the detector of a judgement marks, as its attributes say; one half where they do not."""
    return pair("attributes", "threshold").cast(pl.Float64).fill_null(HARD)


def runs_of(judgements: pl.DataFrame, texts: Texts) -> dict[Detector, list[Run]]:
    """The runs of every detector, by seed. A mono detector counts on its own language alone; a text judged
    twice counts once.

    A text without a verdict (a detector that was not fitted) is not judged; a detector that judged nothing is
    left out.
    """
    known = _told(judgements, texts.frame, texts.place_of)
    found: dict[Detector, list[Run]] = {}
    for (judge, scope, labels, seed), part in known.group_by(
        "judge", "scope", "labels", "seed", maintain_order=True
    ):
        detector = Detector(judge, scope or "multi", labels or "binary")
        found.setdefault(detector, []).append(_run(seed or "", part, judgements["spans"], texts))
    return {detector: sorted(found[detector], key=lambda run: run.seed) for detector in sorted(found)}


def names_of_runs(
    judgements: pl.DataFrame, samples: pl.DataFrame, replies: pl.DataFrame
) -> set[tuple[Detector, str]]:
    """The detectors and seeds of `runs_of` on the texts of these samples and replies; spans are not looked at."""
    frame, placed = placed_texts(samples, replies)
    known = _told(judgements, frame, dict(placed.iter_rows()))
    rows = known.select("judge", "scope", "labels", "seed").unique(maintain_order=True).iter_rows()
    return {
        (Detector(judge, scope or "multi", labels or "binary"), seed or "")
        for judge, scope, labels, seed in rows
    }


def _told(judgements: pl.DataFrame, texts: pl.DataFrame, place_of: Mapping[str, int]) -> pl.DataFrame:
    """The judgements that count, by their ids, without their spans, which are most of a board's judgements: `row` is the
    place of each among all. `texts`, `place_of`: those of a `Texts`.
    """
    names = list(place_of)
    places = pl.DataFrame(
        {"target_id": names, "place": list(place_of.values())},
        schema={"target_id": pl.String, "place": pl.Int64},
    )
    keys = ("scope", "labels", "seed", "lang", "stage")
    said = (
        judgements.select("judgement_id", "judge", "target_id", "status", "attributes")
        .with_row_index("row")
        .filter((pl.col("status") == "ok") & pl.col("target_id").is_in(names))
    )
    known = said.select(
        *("row", "judgement_id", "judge", "target_id"),
        *(pair("attributes", key).alias(key) for key in keys),
        threshold=threshold_of(),
        n_windows=pair("attributes", "n_windows").cast(pl.Int64).fill_null(1),
    ).filter(pl.col("stage").is_null())
    known = known.join(places, on="target_id", maintain_order="left")
    text_langs = texts["lang"].gather(known["place"])
    known = known.filter(pl.col("lang").is_null() | (pl.col("lang") == text_langs))
    once = known.unique(["judge", "scope", "labels", "seed", "place"], keep="first", maintain_order=True)
    return once.sort("judgement_id")


def _run(seed: str, told: pl.DataFrame, spans: pl.Series, texts: Texts) -> Run:
    """One seed of a detector from its judgements (`_told`) and the spans of all."""
    part = told.with_columns(spans=spans.gather(told["row"]))
    is_judged = np.zeros(texts.frame.height, dtype=bool)
    is_judged[part["place"].to_numpy()] = True
    flat = (
        part.select("place", "spans").filter(pl.col("spans").list.len() > 0).explode("spans").unnest("spans")
    )
    narrow = flat.select(pl.col("place", "start", "end").cast(pl.Int32), pl.col("p").cast(pl.Float64))
    rows = part.select("place", "threshold", "n_windows")
    return Run(seed, *marks(part, texts, name="target_id"), is_judged, rows, narrow)


def of_kind(against: str) -> pl.Expr:
    """Which samples are of one kind of AGAINST."""
    is_human = pl.col("label_source").is_in(["gold", "published"])
    rules = {
        HELD_OUT: pl.col("task") == "held-out",
        SILVER: (pl.col("task") == "silver") & ~is_human,
        GOLD: (pl.col("task") == "silver") & is_human,
        NATURAL: (pl.col("task") == "wild") & is_human,
    }
    return rules[against]


def labelled(samples: pl.DataFrame, texts: Texts, against: str) -> Labelled:
    """The samples of one kind: held-out passages, silver ones with silver or gold labels, or replies that
    people labelled.
    """
    rows = samples.filter(of_kind(against)).sort("sample_id")
    places = np.array([texts.place_of[name] for name in rows["sample_id"]], dtype=int)
    return Labelled(
        places,
        rows["group_id"].to_numpy(),
        rows["lang"].to_numpy(),
        *marks(rows, texts, name="sample_id"),
        rows,
    )


def token_sums(held: Labelled, run: Run, line: TokenLine) -> np.ndarray:
    """n, gold, detected, both of each labelled text, (samples, 4); zeros where the run did not judge it."""
    parts = [
        line.sizes,
        line.per_text(held.is_gold),
        line.per_text(run.is_marked),
        line.per_text(held.is_gold & run.is_marked),
    ]
    return np.stack(parts, axis=1)[held.places] * run.is_judged[held.places, None]


def type_sums(held: Labelled, run: Run, line: TokenLine) -> np.ndarray:
    """Of each type: gold tokens, those of them that are marked at all, detected tokens, tokens right by type;
    (samples, types, 4).
    """
    counted = [
        (held.types, held.is_gold),
        (held.types, run.is_marked),
        (run.types, run.is_marked),
        (run.types, run.types == held.types),
    ]
    sums = np.stack([line.per_kind(kinds, keep, len(TYPES)) for kinds, keep in counted], axis=2)
    return sums[held.places] * run.is_judged[held.places, None, None]


def languages(langs: Sequence[str] | np.ndarray) -> list[str]:
    """The languages of rows, sorted."""
    return sorted(set(map(str, langs)))


def by_detector(cells: Mapping[tuple[str, Detector, str], One]) -> dict[tuple[str, Detector], dict[str, One]]:
    """What was found by kind of labels, detector and language, by the first two in the order of AGAINST and of
    detectors, and by language.
    """
    order = sorted(cells, key=lambda key: (AGAINST.index(key[0]), key[1], key[2]))
    found: dict[tuple[str, Detector], dict[str, One]] = {}
    for against, detector, lang in order:
        found.setdefault((against, detector), {})[lang] = cells[against, detector, lang]
    return found


def are_apart(groups: np.ndarray, langs: np.ndarray) -> bool:
    """Whether no group stands in two languages, so that what is measured in one says nothing of the other."""
    return len(set(zip(groups.tolist(), langs.tolist(), strict=True))) == len(set(groups.tolist()))


# ---- A board in parts that are scored one after the other: the texts of one --------------------------------


ONE = ""  # the part of a board that is not parted
Judgements = Mapping[str, pl.LazyFrame]  # by part


class Piece(NamedTuple):
    """What is scored of one part: samples, replies in the wild (`marking.answers`) and what was said of them."""

    samples: pl.DataFrame
    replies: pl.DataFrame
    judgements: pl.LazyFrame


def parts_of_items(items: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """The part of each item that has a row or a sample: `item_id`, `part`."""
    told = pl.concat([items.select("item_id", "lang"), samples.select("item_id", "lang")]).unique(
        maintain_order=True
    )
    is_parted = told["item_id"].n_unique() == told.height
    return told.select("item_id", part=pl.col("lang") if is_parted else pl.lit(ONE)).unique(
        maintain_order=True
    )


def scored_parts(items: pl.DataFrame, samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """The part of each sample and of each reply in the wild, by what judgements name: `target_id`, `part`."""
    replies = generations.filter(pl.col("purpose") == "answer").select("generation_id", "item_id")
    targets = pl.concat([replies.rename({"generation_id": "target_id"}), _targets(samples)])
    parts = parts_of_items(items, samples)
    return (
        targets.join(parts, on="item_id", maintain_order="left")
        .select("target_id", PART)
        .unique("target_id", keep="first", maintain_order=True)
    )


def _targets(samples: pl.DataFrame) -> pl.DataFrame:
    return samples.select("sample_id", "item_id").rename({"sample_id": "target_id"})


def in_parts(judgements: pl.DataFrame, parts: pl.DataFrame) -> Judgements:
    """Judgements that are in memory by part, as `schemas.set_apart` gives those of files. `parts`: `scored_parts`."""
    placed = judgements.join(parts, on="target_id", maintain_order="left")
    found = placed.partition_by(PART, as_dict=True, include_key=False, maintain_order=True)
    empty = placed.drop(PART).clear()
    return {name: found.get((name,), empty).lazy() for name in parts[PART].unique().sort()}


def pieces(
    items: pl.DataFrame, samples: pl.DataFrame, replies: pl.DataFrame, judgements: Judgements
) -> Iterator[Piece]:
    """The pieces of a board, in the order of their parts' names."""
    parts = parts_of_items(items, samples)
    of_samples, of_replies = (
        table.select("item_id").join(parts, on="item_id", how="left", maintain_order="left")[PART]
        for table in (samples, replies)
    )
    for name in sorted(judgements):
        yield Piece(samples.filter(of_samples == name), replies.filter(of_replies == name), judgements[name])
