"""Every text of a board cut into tokens once, and which tokens gold labels and each run of a detector mark.

A text is what an item and its wording are: a silver passage and its gold twin are one, and a labelled reply
is the reply itself, so a judgement that names either belongs to both.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import polars as pl

from truerate.core.schemas import pair
from truerate.core.schemas.parts import PART
from truerate.core.spans.tags import TYPES
from truerate.metrics.spans import HARD
from truerate.metrics.tokens import Span, TokenLine, token_line

HELD_OUT, SILVER, GOLD, NATURAL = "held-out", "silver", "gold", "natural"  # labels to compare with
CALIBRATIONS = (SILVER, GOLD, NATURAL)  # what its rates are corrected by
AGAINST = (HELD_OUT, *CALIBRATIONS)
_BY_PEOPLE = pl.col("label_source").is_in(["gold", "published"])
OF_KIND = {  # which samples are of each kind of labels
    HELD_OUT: pl.col("task") == "held-out",
    SILVER: (pl.col("task") == "silver") & ~_BY_PEOPLE,
    GOLD: (pl.col("task") == "silver") & _BY_PEOPLE,
    NATURAL: (pl.col("task") == "wild") & _BY_PEOPLE,
}
WHOLE = ""  # the part of a board that is not parted
Judgements = Mapping[str, pl.LazyFrame]  # by part


class Detector(NamedTuple):
    """A detector as the tables tell them apart; its seeds are runs of it."""

    member: str
    scope: str
    labels: str

    def where(self, **more: object) -> dict:
        """Return its entries in a slice."""
        return {"scope": self.scope, "labels": self.labels, **more}


@dataclass(frozen=True)
class Texts:
    """The texts of a board, a row each; `places`: the row (`place`) of each sample or reply (`id`)."""

    frame: pl.DataFrame
    places: pl.DataFrame
    line: TokenLine

    def places_of(self, names: pl.Series) -> np.ndarray:
        """Return the rows of the texts of these samples or replies."""
        joined = pl.DataFrame({"id": names}).join(self.places, on="id", how="left", maintain_order="left")
        return joined["place"].to_numpy().astype(int)


@dataclass(frozen=True)
class Run:
    """One seed of a detector: `is_marked` (tokens,), `types` (tokens,; 0 or a place in TYPES + 1),
    `is_judged` (texts,), `rows` (`place`, `threshold`, `n_windows`) of its judgements, and their `spans`
    (`place`, `start`, `end`, `p`), a row each, which takes a third of what lists of them take.
    """

    seed: str
    is_marked: np.ndarray
    types: np.ndarray
    is_judged: np.ndarray
    rows: pl.DataFrame
    spans: pl.DataFrame


@dataclass(frozen=True)
class Labelled:
    """Texts with labels of one kind: `places`, `groups`, `langs` (samples,), gold tokens of the line."""

    places: np.ndarray
    groups: np.ndarray
    langs: np.ndarray
    is_gold: np.ndarray
    types: np.ndarray
    samples: pl.DataFrame

    def where(self, is_kept: np.ndarray) -> "Labelled":
        """Return those of the texts that are kept (samples,)."""
        places, groups, langs = (column[is_kept] for column in (self.places, self.groups, self.langs))
        return replace(self, places=places, groups=groups, langs=langs, samples=self.samples.filter(is_kept))


# ---- texts -------------------------------------------------------------------------------------------------


def answers(generations: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return the replies in the wild that came, with `group_id`, `lang` of their items."""
    keys = ("subset", "subset_seed", "replicate", "repeats", "dont_know", "cut", "wrong_language")
    asked = generations.filter(purpose="answer", status="ok")
    facts = (pair("attributes", key) for key in keys)
    asked = asked.select("generation_id", "item_id", "model", "text", *facts)
    of_item = items.select("item_id", "group_id", "lang")
    return asked.join(of_item, on="item_id", maintain_order="left").sort("generation_id")


def board_texts(samples: pl.DataFrame, replies: pl.DataFrame, cut: Callable[[str], Iterable[Span]]) -> Texts:
    """Return the texts of labelled samples and of replies, each once, by item and wording."""
    frame, places = distinct_texts(samples, replies)
    return Texts(frame, places, token_line(frame["text"].to_list(), cut))


def distinct_texts(samples: pl.DataFrame, replies: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return `Texts.frame` and `Texts.places`."""
    columns = ["item_id", "text", "group_id", "lang"]
    labelled = samples.filter(pl.col("task").is_in(["held-out", "silver", "wild"]))
    named = labelled.select(*columns, id="sample_id"), replies.select(*columns, id="generation_id")
    whole = pl.concat(named)
    keys = columns[:2]
    frame = whole.select(columns).unique(keys, keep="first", maintain_order=True).sort(keys)
    numbered = frame.select(keys).with_columns(place=pl.int_range(pl.len()))
    return frame, whole.join(numbered, on=keys, maintain_order="left").select("id", "place")


def labelled_replies(samples: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    """Return the replies of which there are labels: a labelled sample has their item and wording."""
    wild = samples.filter(task="wild").select("item_id", "text").unique(maintain_order=True)
    return replies.join(wild, on=["item_id", "text"], how="semi", maintain_order="left")


def labelled(samples: pl.DataFrame, texts: Texts, against: str) -> Labelled:
    """Return the samples of one kind of AGAINST with the tokens that their spans mark."""
    rows = samples.filter(OF_KIND[against]).sort("sample_id")
    places = texts.places_of(rows["sample_id"])
    spans = rows.select("spans", threshold=pl.lit(HARD), place=pl.Series(places, dtype=pl.Int64))
    marked = marks(spans, texts.line)
    return Labelled(places, rows["group_id"].to_numpy(), rows["lang"].to_numpy(), *marked, rows)


def flat_spans(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the spans of rows, a row each, with the other columns of their row."""
    return rows.filter(pl.col("spans").list.len() > 0).explode("spans").unnest("spans")


def marks(rows: pl.DataFrame, line: TokenLine) -> tuple[np.ndarray, np.ndarray]:
    """Return which tokens the spans of rows (`place`, `threshold`, `spans`) mark, (tokens,), and with which
    type, (tokens,): 0 for one that is none of TYPES. A span marks without p, or with one above the threshold.
    """
    hard = flat_spans(rows).filter(pl.col("p").is_null() | (pl.col("p") > pl.col("threshold")))
    places, starts, ends = (hard[name].to_numpy() for name in ("place", "start", "end"))
    kinds = np.array([TYPES.index(kind) + 1 if kind in TYPES else 0 for kind in hard["type"]], dtype=int)
    types = np.zeros(len(line.starts), dtype=np.int8)  # one of seven for each token of a board
    for kind in np.unique(kinds[kinds > 0]):
        inside = kinds == kind
        types[line.marked(places[inside], starts[inside], ends[inside])] = kind
    return line.marked(places, starts, ends), types


# ---- runs of detectors -------------------------------------------------------------------------------------


def counted_judgements(judgements: pl.DataFrame, texts: pl.DataFrame, places: pl.DataFrame) -> pl.DataFrame:
    """Return the judgements that count on texts (`distinct_texts`), by id, without their spans, which are
    most of a board's judgements: `row` is the place of each among all; `member`, `scope`, `labels`, `seed`
    name its run.

    One without a verdict (of a detector that was not fitted) does not count; a detector of one language
    counts on it alone; a text judged twice counts once.
    """
    keys = ("scope", "labels", "seed", "lang", "stage", "threshold", "n_windows")
    heads = judgements.select("judgement_id", "judge", "target_id", "status", "attributes")
    rows = (
        heads.with_row_index("row")
        .filter(status="ok")
        .join(places, left_on="target_id", right_on="id", maintain_order="left")
    )
    rows = rows.with_columns(pair("attributes", key) for key in keys).filter(pl.col("stage").is_null())
    text_langs = texts["lang"].gather(rows["place"])
    rows = rows.filter(pl.col("lang").is_null() | (pl.col("lang") == text_langs)).select(
        *("row", "judgement_id", "place"),
        member="judge",
        scope=pl.col("scope").fill_null("multi"),
        labels=pl.col("labels").fill_null("binary"),
        seed=pl.col("seed").fill_null(""),
        threshold=pl.col("threshold").cast(pl.Float64).fill_null(HARD),
        n_windows=pl.col("n_windows").cast(pl.Int64).fill_null(1),
    )
    run = ["member", "scope", "labels", "seed", "place"]
    return rows.unique(run, keep="first", maintain_order=True).sort("judgement_id")


def runs_of(judgements: pl.DataFrame, texts: Texts) -> dict[Detector, list[Run]]:
    """Return the runs of every detector, by seed; a detector that judged nothing is left out."""
    rows = counted_judgements(judgements, texts.frame, texts.places)
    runs: dict[Detector, list[Run]] = {}
    for (*name, seed), part in rows.group_by("member", "scope", "labels", "seed", maintain_order=True):
        part = part.with_columns(spans=judgements["spans"].gather(part["row"]))
        is_judged = np.zeros(texts.frame.height, dtype=bool)
        is_judged[part["place"].to_numpy()] = True
        spans = flat_spans(part.select("place", "spans"))
        narrow = spans.select(pl.col("place", "start", "end").cast(pl.Int32), pl.col("p").cast(pl.Float64))
        kept = part.select("place", "threshold", "n_windows")
        run = Run(str(seed), *marks(part, texts.line), is_judged, kept, narrow)
        runs.setdefault(Detector(*map(str, name)), []).append(run)
    return {detector: sorted(runs[detector], key=lambda run: run.seed) for detector in sorted(runs)}


def judgements_of(judgements: pl.DataFrame, detector: Detector) -> pl.DataFrame:
    """Return what one detector says, in all its seeds and languages."""
    scope, labels = (pair("attributes", name) for name in ("scope", "labels"))
    is_own = (scope.fill_null("multi") == detector.scope) & (labels.fill_null("binary") == detector.labels)
    return judgements.filter(judge=detector.member).filter(is_own)


def seeds_of(judgements: pl.DataFrame) -> list[str]:
    """Return the seeds under which a detector says anything."""
    rows = judgements.filter((pl.col("status") == "ok") & pair("attributes", "stage").is_null())
    return sorted(set(rows.select(pair("attributes", "seed").fill_null("")).to_series()))


def of_seeds(runs: Sequence[Run], seeds: Sequence[str], texts: Texts) -> list[Run]:
    """Return a run of every seed, in order; one that judged none of these texts has marked nothing."""
    by_seed = {run.seed: run for run in runs}
    n_tokens = len(texts.line.starts)
    rows = pl.DataFrame(schema={"place": pl.Int64, "threshold": pl.Float64, "n_windows": pl.Int64})
    spans = pl.DataFrame(schema={"place": pl.Int32, "start": pl.Int32, "end": pl.Int32, "p": pl.Float64})
    unmarked = np.zeros(n_tokens, dtype=bool), np.zeros(n_tokens, dtype=np.int8)
    blank = Run("", *unmarked, np.zeros(texts.frame.height, dtype=bool), rows, spans)
    return [by_seed.get(seed) or replace(blank, seed=seed) for seed in seeds]


# ---- counts ------------------------------------------------------------------------------------------------


def token_sums(gold: Labelled, run: Run, line: TokenLine) -> np.ndarray:
    """Return n, gold, detected, both of each labelled text, (samples, 4); zeros where it was not judged."""
    each = (gold.is_gold, run.is_marked, gold.is_gold & run.is_marked)
    sums = np.stack([line.sizes, *map(line.per_text, each)], axis=1)
    return sums[gold.places] * run.is_judged[gold.places, None]


def type_sums(gold: Labelled, run: Run, line: TokenLine) -> np.ndarray:
    """Return of each type n gold, gold marked at all, detected, right by type; (samples, types, 4)."""
    counted = (
        (gold.types, gold.is_gold),
        (gold.types, run.is_marked),
        (run.types, run.is_marked),
        (run.types, run.types == gold.types),
    )
    sums = np.stack([line.per_kind(kinds, keep, len(TYPES)) for kinds, keep in counted], axis=2)
    return sums[gold.places] * run.is_judged[gold.places, None, None]


def are_apart(rows: pl.DataFrame) -> bool:
    """Return whether no group stands in two languages, so that one language says nothing of the other."""
    return rows.select("group_id", "lang").n_unique() == rows["group_id"].n_unique()


# ---- a board in parts, scored one after the other: the texts of a language, where each item has one --------


class Piece(NamedTuple):
    """What is scored of one part: samples, replies in the wild (`answers`) and the judgements of them."""

    samples: pl.DataFrame
    replies: pl.DataFrame
    judgements: pl.LazyFrame


def parts_of_items(items: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """Return the part of each item that has a row or a sample: `item_id`, `part`."""
    langs = pl.concat([table.select("item_id", "lang") for table in (items, samples)])
    langs = langs.unique(maintain_order=True)
    is_parted = langs["item_id"].n_unique() == langs.height
    part = pl.col("lang") if is_parted else pl.lit(WHOLE)
    return langs.select("item_id", part.alias(PART)).unique(maintain_order=True)


def scored_parts(items: pl.DataFrame, samples: pl.DataFrame, generations: pl.DataFrame) -> pl.DataFrame:
    """Return the part of each sample and of each reply in the wild, by what judgements name: `target_id`,
    `part`.
    """
    replies = generations.filter(purpose="answer").select("item_id", target_id="generation_id")
    targets = pl.concat([replies, samples.select("item_id", target_id="sample_id")])
    with_part = targets.join(parts_of_items(items, samples), on="item_id", maintain_order="left")
    return with_part.select("target_id", PART).unique("target_id", keep="first", maintain_order=True)


def in_parts(judgements: pl.DataFrame, parts: pl.DataFrame) -> Judgements:
    """Return judgements in memory by part, as `schemas.set_apart` gives those of files."""
    with_part = judgements.join(parts, on="target_id", maintain_order="left")
    by_part = with_part.partition_by(PART, as_dict=True, include_key=False, maintain_order=True)
    empty = with_part.drop(PART).clear()
    return {name: by_part.get((name,), empty).lazy() for name in parts[PART].unique().sort()}


def pieces(
    items: pl.DataFrame, samples: pl.DataFrame, replies: pl.DataFrame, judgements: Judgements
) -> Iterator[Piece]:
    """Yield the pieces of a board, in the order of their parts' names."""
    parts = parts_of_items(items, samples)
    part_of = [
        table.select("item_id").join(parts, on="item_id", how="left", maintain_order="left")[PART]
        for table in (samples, replies)
    ]
    for name in sorted(judgements):
        yield Piece(samples.filter(part_of[0] == name), replies.filter(part_of[1] == name), judgements[name])
