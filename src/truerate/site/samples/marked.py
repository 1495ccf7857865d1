"""Records of texts whose words several hands mark: people (gold), the writer (silver), detectors; one text,
many layers.

A text is a string of segments `[text, [[layer, type, per cent], …]]`; a layer is a place in the index's
`layers`. Texts with the same item, words and writer are one record, whatever tables hold them.
"""

from collections.abc import Iterable

import polars as pl

from truerate.core.schemas import pair, unpaired
from truerate.site.samples.index import AGREEMENT, Index
from truerate.site.samples.layers import UNTYPED, segments
from truerate.site.tables import Board, known_texts, rows_by, texts_of
from truerate.site.vocabulary import language

GOLD, SILVER = "gold", "silver"
HARD = 0.5  # a span with a probability is a mark above this, unless its detector says otherwise
DIFFER, NONE = "silver and gold differ", "no labels"
ODDITIES = ("repeats", "dont_know", "cut", "wrong_language")


def records(board: Board, n_max: int) -> tuple[list[dict], dict]:
    """At most `n_max` records of a board and the index over them."""
    names = _names(board)
    kept = _kept(board, names, n_max)
    # the leading detector first, then all others by name
    detectors = sorted(
        board.judgements["judge"].unique(), key=lambda name: (name != board.detector.get("member"), name)
    )
    layers = [GOLD, SILVER, *detectors]
    marks = _marks(board, {name for text in kept for name in text["targets"]})
    items = rows_by(board.items, "item_id", [text["item_id"] for text in kept])
    documents = texts_of(board.documents, items)
    entries = [
        _record(text, items.get(text["item_id"], {}), documents, _layers(text, marks, detectors), layers)
        for text in kept
    ]
    index, types = Index("marked"), {kind for entry in entries for kind in entry["_types"]}
    index.add(entries)
    return entries, index.as_dict(
        board.vocabulary,
        n_all=names.height,
        types=sorted(types, key=board.vocabulary.sort_key),
        layers=layers,
        leader=board.detector.get("member", ""),
        judges={name: index.judges.get(name, "") for name in detectors},
    )


def targets(board: Board, n_max: int) -> set[str]:
    """Return the ids under which the texts of `records` may be judged, without reading judgements."""
    return {name for text in _kept(board, _names(board), n_max) for name in text["targets"]}


def _names(board: Board) -> pl.DataFrame:
    """Return every text once, by item, words and writer, with the columns that `_kept` needs."""
    samples = board.samples.sort("sample_id").select(
        *("item_id", "text"), by="generator", id="sample_id", task="task", lang="lang", source="label_source"
    )
    task, lang = (pair("attributes", key) for key in ("task", "lang"))
    of_reply = {"task": task.fill_null("wild"), "lang": lang.fill_null("")}
    answers = (_answers(board).sort("generation_id")).select(
        *("item_id", "text"), by="model", id="generation_id", **of_reply, source=pl.lit(None, dtype=pl.String)
    )
    texts = pl.concat([samples, answers.cast(dict(samples.schema))])
    return texts.group_by("item_id", "text", "by", maintain_order=True).agg(
        pl.col("id", "task", "lang").first(), is_gold=(pl.col("source") == GOLD).any()
    )


def _kept(board: Board, names: pl.DataFrame, n_max: int) -> list[dict]:
    """Return at most `n_max` texts, in turn from each part, labelling and language, labelled ones first."""
    strata = [pl.col("task") == "train", ~pl.col("is_gold"), pl.col("task"), pl.col("lang")]
    keys = [f"_{number}" for number in range(len(strata))]
    keyed = names.sort("id").with_columns(**dict(zip(keys, strata, strict=True)))
    turns = keyed.with_columns(turn=pl.int_range(pl.len()).over(keys)).sort("turn", *keys)
    sort_key = board.vocabulary.sort_key

    def position(text: dict) -> tuple:
        return sort_key(text["task"]), sort_key(text["lang"]), GOLD not in text["labels"], text["id"]

    return sorted(_texts(board, turns.head(n_max)), key=position)


def _answers(board: Board) -> pl.DataFrame:
    return board.generations.filter(
        pl.col("purpose") == "answer", pl.col("status") == "ok", pl.col("text") != ""
    )


def _texts(board: Board, names: pl.DataFrame) -> list[dict]:
    """These texts: the labels of each by source, and the ids under which it may have been judged."""
    texts: dict[tuple, dict] = {}

    def text_of(row: dict, *, id_: str, by: str | None, lang: str, task: str) -> dict:
        key = (row["item_id"], row["text"], by)
        blank = {"id": id_, "item_id": row["item_id"], "text": row["text"], "by": by, "lang": lang}
        text = texts.setdefault(key, blank | {"task": task, "labels": {}, "targets": [], "oddities": []})
        text["targets"].append(id_)
        return text

    def of_names(table: pl.DataFrame, writer: str, id_: str) -> Iterable[dict]:
        on = {"left_on": ["item_id", "text", writer], "right_on": ["item_id", "text", "by"]}
        rows = table.join(names, **on, how="semi", nulls_equal=True, maintain_order="left")
        return rows.sort(id_).iter_rows(named=True)

    for row in of_names(board.samples, "generator", "sample_id"):
        text = text_of(row, id_=row["sample_id"], by=row["generator"], lang=row["lang"], task=row["task"])
        text["labels"][row["label_source"]] = row["spans"] or []
    for row in of_names(_answers(board), "model", "generation_id"):
        facts = unpaired(row["attributes"])
        lang, task = facts.get("lang", ""), facts.get("task", "wild")
        text = text_of(row, id_=row["generation_id"], by=row["model"], lang=lang, task=task)
        text["oddities"] = [name for name in ODDITIES if facts.get(name) == "yes"]
    return list(texts.values())


def _marks(board: Board, targets: set[str]) -> dict[tuple[str, str], list[dict]]:
    """Return the hard spans by detector and target: of the leading scope and labels, the first seed."""
    facts = [pair("attributes", key) for key in ("scope", "labels", "seed", "threshold")]
    rows = board.judgements.filter(pl.col("target_id").is_in(sorted(targets)), pl.col("status") == "ok")
    rows = rows.with_columns(facts).with_columns(
        other=(pl.col("scope") != board.detector.get("scope", "multi")).fill_null(False),
        kind=(pl.col("labels") != board.detector.get("labels", "binary")).fill_null(False),
    )
    rows = rows.sort("other", "kind", "seed", "judgement_id")
    rows = rows.unique(["judge", "target_id"], keep="first", maintain_order=True)
    return {
        (row["judge"], row["target_id"]): hard(row["spans"], float(row["threshold"] or HARD))
        for row in rows.iter_rows(named=True)
    }


def hard(spans: Iterable[dict] | None, threshold: float = HARD) -> list[dict]:
    """Return the spans without a probability or above the threshold, a half for people (Mu-SHROOM)."""
    return [span for span in spans or () if span["p"] is None or span["p"] > threshold]


def _layers(text: dict, marks: dict, detectors: list[str]) -> dict[str, list[dict] | None]:
    """The spans of each layer; None where its hand has not been at the text."""
    labels = text["labels"]
    layers = {source: hard(labels[source]) if source in labels else None for source in (GOLD, SILVER)}
    return layers | {
        name: next((marks[name, target] for target in text["targets"] if (name, target) in marks), None)
        for name in detectors
    }


def compare(truth: list[dict] | None, marks: list[dict] | None) -> str:
    """Return a(grees), m(isses a labelled span), x (marks without a label), b(oth), n(o labels), -."""
    if marks is None:
        return "-"
    if truth is None:
        return "n"
    is_missed = any(not any(_meet(span, mark) for mark in marks) for span in truth)
    is_extra = any(not any(_meet(span, mark) for span in truth) for mark in marks)
    return AGREEMENT[is_missed, is_extra]


def _meet(first: dict, second: dict) -> bool:
    return max(first["start"], second["start"]) < min(first["end"], second["end"])


def _offsets(spans: list[dict]) -> set[int]:
    """The places of a text that spans cover."""
    return {offset for span in spans for offset in range(span["start"], span["end"])}


def _record(text: dict, item: dict, documents: dict[str, str], layers: dict, names: list[str]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    labelled = [source for source in (GOLD, SILVER) if layers[source] is not None]
    truth = next((layers[source] for source in labelled), None)
    is_different = len(labelled) == 2 and _offsets(layers[GOLD]) != _offsets(layers[SILVER])
    knowledge = known_texts(item, documents)
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
        "knowledge": "\n\n".join(knowledge),
        "_search": [text["id"], text["text"], item.get("question"), *knowledge],
        "_source": [*labelled, *([DIFFER] if is_different else [])] or [NONE],
        "_types": sorted({span["type"] or UNTYPED for source in labelled for span in layers[source]}),
        "_outcome": {name: compare(truth, layers[name]) for name in names[2:]},
    }
