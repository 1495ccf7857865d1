"""The sample browser's records where several hands mark words: people (gold), the writer (silver), detectors;
one text, many layers.

A text is a string of segments `[text, [[layer, type, per cent], …]]`; a layer is a place in the index's
`layers`. Texts with the same item, words and writer are one record, whatever tables hold them.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import zip_longest

import polars as pl

from truerate.core.schemas import pair, unpaired
from truerate.site.languages import language
from truerate.site.layers import UNTYPED, segments
from truerate.site.samples_index import coded
from truerate.site.tables import Board, rows_by, texts_of
from truerate.site.vocabulary import Vocabulary

GOLD, SILVER = "gold", "silver"
HARD = 0.5  # a span is a mark where its probability is above this, unless its detector says otherwise, or none is given
FILTERS = (
    ("task", "Text", "All texts"),
    ("lang", "Language", "All languages"),
    ("source", "Labels", "With or without"),
    ("type", "Type of span", "All types"),
    ("generator", "Written by", "Anyone"),
    ("oddity", "Reply", "All replies"),
)
JUDGES = ("Marks of", "The leading detector")
OUTCOMES = (
    ("m", "Misses a labelled span", "mb"),
    ("x", "Marks what is not labelled", "xb"),
    ("a", "Agrees with the labels", "a"),
)
DIFFER, NONE = "silver and gold differ", "no labels"
ODDITIES = ("repeats", "dont_know", "cut", "wrong_language")


def records(board: Board, n_max: int) -> tuple[list[dict], dict]:
    """At most `n_max` records of a board and the index over them."""
    names = _names(board)
    kept = _kept(board, names, n_max)
    detectors = _detectors(board)
    layers = [GOLD, SILVER, *detectors]
    marks = _marks(board, {name for text in kept for name in text["targets"]})
    items = rows_by(board.items, "item_id", [text["item_id"] for text in kept])
    documents = texts_of(board.documents, items)
    entries = [
        _record(text, items.get(text["item_id"], {}), documents, _layers(text, marks, detectors), layers)
        for text in kept
    ]
    return entries, _index(entries, layers, names.height, board)


def targets(board: Board, n_max: int) -> set[str]:
    """The ids under which the texts of `records` may have been judged; the board's judgements are not looked at."""
    return {name for text in _kept(board, _names(board), n_max) for name in text["targets"]}


def _kept(board: Board, names: pl.DataFrame, n_max: int) -> list[dict]:
    """The texts that records are made of."""
    return chosen(list(_texts(board, drawn(names, n_max)).values()), n_max, board.vocabulary)


def _names(board: Board) -> pl.DataFrame:
    """Every text once, by item, words and writer, with what `drawn` goes by, in columns: a board's replies as
    rows take many times their memory.
    """
    samples = board.samples.sort("sample_id").select(
        *("item_id", "text"), by="generator", id="sample_id", task="task", lang="lang", source="label_source"
    )
    task, lang = (pair("attributes", key) for key in ("task", "lang"))
    answers = (
        _answers(board)
        .sort("generation_id")
        .select(
            *("item_id", "text"),
            by="model",
            id="generation_id",
            task=task.fill_null("wild"),
            lang=lang.fill_null(""),
            source=pl.lit(None, dtype=pl.String),
        )
    )
    found = pl.concat([samples, answers.cast(dict(samples.schema))])
    return found.group_by("item_id", "text", "by", maintain_order=True).agg(
        pl.col("id", "task", "lang").first(), is_gold=(pl.col("source") == GOLD).any()
    )


def drawn(names: pl.DataFrame, n_max: int) -> pl.DataFrame:
    """Those of the texts that `chosen` takes, with the same rule over columns."""
    stratum = [pl.col("task") == "train", ~pl.col("is_gold"), pl.col("task"), pl.col("lang")]
    keyed = names.sort("id").with_columns(
        **{f"_{place}": one for place, one in enumerate(stratum)},
    )
    keys = [f"_{place}" for place in range(len(stratum))]
    turned = keyed.with_columns(turn=pl.int_range(pl.len()).over(keys))
    return turned.sort("turn", *keys).head(n_max)


def _answers(board: Board) -> pl.DataFrame:
    return board.generations.filter(
        pl.col("purpose") == "answer", pl.col("status") == "ok", pl.col("text") != ""
    )


def _texts(board: Board, names: pl.DataFrame) -> dict[tuple, dict]:
    """These texts: the labels of each by source, and the ids under which it may have been judged."""
    texts: dict[tuple, dict] = {}
    whose = {"left_on": ["item_id", "text", "generator"], "right_on": ["item_id", "text", "by"]}
    samples = board.samples.join(names, how="semi", nulls_equal=True, **whose, maintain_order="left")
    answers = _answers(board).join(
        names,
        how="semi",
        nulls_equal=True,
        **(whose | {"left_on": ["item_id", "text", "model"]}),
        maintain_order="left",
    )
    for row in samples.sort("sample_id").iter_rows(named=True):
        text = _text(texts, row, row["generator"], row["lang"], row["task"])
        text["labels"][row["label_source"]] = row["spans"] or []
        text["targets"].append(row["sample_id"])
        text["id"] = text["id"] or row["sample_id"]
    for row in answers.sort("generation_id").iter_rows(named=True):
        facts = unpaired(row["attributes"])
        text = _text(texts, row, row["model"], facts.get("lang", ""), facts.get("task", "wild"))
        text["targets"].append(row["generation_id"])
        text["id"] = text["id"] or row["generation_id"]
        text["oddities"] = [name for name in ODDITIES if facts.get(name) == "yes"]
    return texts


def _text(texts: dict, row: dict, by: str | None, lang: str, task: str) -> dict:
    blank = {
        "id": None,
        "item_id": row["item_id"],
        "text": row["text"],
        "by": by,
        "lang": lang,
        "task": task,
        "labels": {},
        "targets": [],
        "oddities": [],
    }
    return texts.setdefault((row["item_id"], row["text"], by), blank)


def chosen(texts: list[dict], n_max: int, vocabulary: Vocabulary) -> list[dict]:
    """At most `n_max` texts, in turn from each part, labelling and language by their ids (content hashes);
    labelled ones first.
    """
    strata: dict[tuple, list[dict]] = defaultdict(list)
    for text in sorted(texts, key=lambda one: one["id"]):
        strata[text["task"] == "train", GOLD not in text["labels"], text["task"], text["lang"]].append(text)
    turns = [text for turn in zip_longest(*(strata[key] for key in sorted(strata))) for text in turn if text]
    return sorted(
        turns[:n_max],
        key=lambda text: (
            vocabulary.sort_key(text["task"]),
            vocabulary.sort_key(text["lang"]),
            GOLD not in text["labels"],
            text["id"],
        ),
    )


def _detectors(board: Board) -> list[str]:
    """Whose marks may be shown: the leading detector first, then all others by name."""
    names = sorted(board.judgements["judge"].unique())
    return sorted(names, key=lambda name: (name != board.detector.get("member"), name))


def _marks(board: Board, targets: set[str]) -> dict[tuple[str, str], list[dict]]:
    """The hard spans by detector and target: of the leading scope and labels where a detector has them, of
    its first seed.
    """
    facts = [pair("attributes", key) for key in ("scope", "labels", "seed", "threshold")]
    rows = board.judgements.filter(
        pl.col("target_id").is_in(sorted(targets)), pl.col("status") == "ok"
    ).with_columns(facts)
    wanted = board.detector
    rows = rows.with_columns(
        other=(pl.col("scope") != wanted.get("scope", "multi")).fill_null(False),
        kind=(pl.col("labels") != wanted.get("labels", "binary")).fill_null(False),
    )
    rows = rows.sort("other", "kind", "seed", "judgement_id").unique(
        ["judge", "target_id"], keep="first", maintain_order=True
    )
    return {
        (row["judge"], row["target_id"]): hard(row["spans"], float(row["threshold"] or HARD))
        for row in rows.iter_rows(named=True)
    }


def hard(spans: Iterable[dict] | None, threshold: float = HARD) -> list[dict]:
    """The spans that are marks: without a probability, or one above a detector's threshold, a half for people
    (Mu-SHROOM's rule).
    """
    return [span for span in spans or () if span["p"] is None or span["p"] > threshold]


def _layers(text: dict, marks: dict, detectors: list[str]) -> dict[str, list[dict] | None]:
    """The spans of each layer; None where its hand has not been at the text."""
    layers = {
        source: hard(text["labels"][source]) if source in text["labels"] else None
        for source in (GOLD, SILVER)
    }
    for name in detectors:
        layers[name] = next(
            (marks[name, target] for target in text["targets"] if (name, target) in marks), None
        )
    return layers


def compare(truth: list[dict] | None, marks: list[dict] | None) -> str:
    """One letter: a(grees), m(isses a labelled span wholly), x (marks where no label is), b(oth); n without
    labels, - without marks.
    """
    if marks is None:
        return "-"
    if truth is None:
        return "n"
    is_missed = any(not any(_meet(span, mark) for mark in marks) for span in truth)
    is_extra = any(not any(_meet(span, mark) for span in truth) for mark in marks)
    return {(False, False): "a", (True, False): "m", (False, True): "x", (True, True): "b"}[
        is_missed, is_extra
    ]


def _meet(first: dict, second: dict) -> bool:
    return max(first["start"], second["start"]) < min(first["end"], second["end"])


def _record(text: dict, item: dict, documents: dict[str, str], layers: dict, names: list[str]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    labelled = [source for source in (GOLD, SILVER) if layers[source] is not None]
    truth = next((layers[source] for source in labelled), None)
    is_different = len(labelled) == 2 and _extent(layers[GOLD]) != _extent(layers[SILVER])
    return {
        "id": text["id"],
        "lang": text["lang"],
        "language": language(text["lang"]),
        "task": text["task"],
        "by": text["by"],
        "hands": [index for index, name in enumerate(names) if layers[name] is not None],
        "oddities": text["oddities"],
        "text": segments(text["text"], [layers[name] for name in names]),
        "question": item.get("question") or "",
        "knowledge": "\n\n".join(
            documents[name] for name in item.get("document_ids") or () if name in documents
        ),
        "_search": [
            *(text["id"], text["text"], item.get("question")),
            *(documents[name] for name in item.get("document_ids") or () if name in documents),
        ],
        "_source": [*labelled, *([DIFFER] if is_different else [])] or [NONE],
        "_types": sorted({span["type"] or UNTYPED for source in labelled for span in layers[source]}),
        "_outcome": {name: compare(truth, layers[name]) for name in names[2:]},
    }


def _extent(spans: list[dict]) -> set[int]:
    return {place for span in spans for place in range(span["start"], span["end"])}


def _index(records: list[dict], layers: list[str], n_all: int, board: Board) -> dict:
    values = {
        "task": [record["task"] for record in records],
        "lang": [record["lang"] for record in records],
        "source": [record["_source"] for record in records],
        "type": [record["_types"] for record in records],
        "generator": [record["by"] or "" for record in records],
        "oddity": [record["oddities"] for record in records],
    }
    types = sorted({kind for record in records for kind in record["_types"]}, key=board.vocabulary.sort_key)
    return {
        "form": "marked",
        "n": len(records),
        "n_all": n_all,
        "ids": [record["id"] for record in records],
        "types": types,
        "layers": layers,
        "leader": board.detector.get("member", ""),
        "filters": [list(one) for one in FILTERS],
        "columns": {name: coded(name, values[name], board.vocabulary) for name, *_ in FILTERS},
        "judged": list(JUDGES),
        "outcomes": [list(outcome) for outcome in OUTCOMES],
        "judges": {name: "".join(record["_outcome"][name] for record in records) for name in layers[2:]},
    }
