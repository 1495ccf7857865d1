"""The sample browser's data: a stratified choice of records per board, cut into segments, as scripts that a
page loads from disk.

`samples/<board>/index.js` calls `truerateIndex(board, {…})` with one code (or a list of codes) per record and
filter, and what the filters are called; `samples/<board>/<k>.js` calls `truerateShard(board, k, [records])`.
Text travels as segments, not offsets: Python counts code points, JavaScript UTF-16 units.
"""

from collections import defaultdict
from itertools import zip_longest

import polars as pl

from truerate.site.rights import has_texts, open_part
from truerate.site.safety import script
from truerate.site.samples_index import coded
from truerate.site.sections import page_of
from truerate.site.tables import Board, Tables, rows_by, texts_of, unpaired
from truerate.site.vocabulary import Vocabulary

SHARD = 100
BROWSER = "samples.js"  # after the scripts of the records that it shows
FILTERS = (
    ("task", "Task", "All tasks"),
    ("label", "Label", "Both labels"),
    ("pattern", "Pattern", "All patterns"),
    ("generator", "Written by", "Anyone"),
)
OUTCOMES = (
    ("w", "Judged wrongly", "w"),
    ("r", "Judged rightly", "r"),
    ("u", "No verdict read", "u"),
)  # value, words, letters it holds for
JUDGES = ("Judged by", "Any judge")


def context(tables: Tables) -> dict:
    """What samples.md.j2 shows: the boards whose texts may be shown, and those whose may not."""
    shown = [board for board in tables.boards if has_texts(open_part(board))]
    of_forms = (name for board in shown for name in page_of(board.track).record_scripts)
    return {
        "shown": shown,
        "scripts": [*dict.fromkeys(of_forms), BROWSER],
        "closed": [board for board in tables.boards if has_texts(board) and not has_texts(open_part(board))],
        "n_max": tables.max_samples,
    }


def scripts(tables: Tables, board: Board) -> dict[str, str]:
    """The data scripts of one board, {path: text}; none where texts may not be shown."""
    board = open_part(board)
    if not has_texts(board):
        return {}
    records, index = (page_of(board.track).records or labelled)(board, tables.max_samples)
    folder = f"samples/{board.name}"
    files = {f"{folder}/index.js": script("truerateIndex", board.name, index | {"shard": SHARD})}
    for k in range(0, len(records), SHARD):
        shown = [
            {name: value for name, value in record.items() if not name.startswith("_")}
            for record in records[k : k + SHARD]
        ]
        files[f"{folder}/{k // SHARD}.js"] = script("truerateShard", board.name, k // SHARD, shown)
    return files


def labelled(board: Board, n_max: int) -> tuple[list[dict], dict]:
    """At most `n_max` records of a board whose texts have a label and verdicts, and the index over them."""
    samples = board.samples.select("sample_id", "pair_id", "task", "pattern", "is_hallucinated")
    names = [one["sample_id"] for one in chosen(samples.to_dicts(), n_max, board.vocabulary)]
    rows = rows_by(board.samples, "sample_id", names)
    records = _records(board, [rows[name] for name in names])
    return records, _index(board, records)


def chosen(samples: list[dict], n_max: int, vocabulary: Vocabulary) -> list[dict]:
    """At most `n_max` samples, both sides of a pair together, drawn in turn from each task and pattern by
    their ids (content hashes).
    """
    units: dict[str, list[dict]] = defaultdict(list)
    for sample in samples:
        units[sample["pair_id"] or sample["sample_id"]].append(sample)
    strata: dict[tuple, list[str]] = defaultdict(list)
    for unit in sorted(units):
        strata[_stratum(units[unit])].append(unit)
    kept: list[dict] = []
    for turn in zip_longest(*(strata[key] for key in sorted(strata))):
        for unit in filter(None, turn):
            if len(kept) + len(units[unit]) <= n_max:
                kept += units[unit]
    return sorted(
        kept,
        key=lambda one: (
            vocabulary.sort_key(one["task"]),
            one["pair_id"] or one["sample_id"],
            not one["is_hallucinated"],
            one["sample_id"],
        ),
    )


def _stratum(unit: list[dict]) -> tuple[str, str, bool]:
    """Task, pattern of the hallucinated side, and whether there is one."""
    return (
        unit[0]["task"],
        max(sample["pattern"] or "" for sample in unit),
        any(sample["is_hallucinated"] for sample in unit),
    )


def segments(text: str, spans: list[dict]) -> list:
    """A text cut at its spans: plain strings, and `[string, [types]]` where spans lie; overlapping spans
    share a segment.

    Spans are half-open code points; what reaches beyond the text is cut off, empty spans are left out.
    """
    spans = [(max(0, span["start"]), min(len(text), span["end"]), span["type"]) for span in spans or ()]
    spans = [span for span in spans if span[0] < span[1]]
    cuts = sorted({0, len(text), *(cut for start, end, _ in spans for cut in (start, end))})
    pieces = []
    for start, end in zip(cuts, cuts[1:], strict=False):
        types = sorted({kind for low, high, kind in spans if low <= start and end <= high})
        pieces.append([text[start:end], types] if types else text[start:end])
    return pieces


def _records(board: Board, samples: list[dict]) -> list[dict]:
    items = rows_by(board.items, "item_id", [sample["item_id"] for sample in samples])
    texts = texts_of(board.documents, items)
    judgements = _judgements(board, {sample[name] for sample in samples for name in ("sample_id", "pair_id")})
    return [
        _record(
            sample,
            items.get(sample["item_id"], {}),
            texts,
            judgements[sample["sample_id"]] + judgements[sample["pair_id"]],
        )
        for sample in samples
    ]


def _record(sample: dict, item: dict, texts: dict[str, str], judgements: list[dict]) -> dict:
    """One record as the page shows it; names with `_` stay in the index."""
    return {
        "id": sample["sample_id"],
        "pair": sample["pair_id"],
        "lang": sample["lang"],
        "task": sample["task"],
        "wrong": sample["is_hallucinated"],
        "source": sample["label_source"],
        "by": sample["generator"],
        "pattern": sample["pattern"],
        "why": sample["rationale"],
        "text": segments(sample["text"], sample["spans"]),
        "question": item.get("question") or "",
        "history": item.get("history") or "",
        "knowledge": "\n\n".join(texts[name] for name in item.get("document_ids") or () if name in texts),
        "said": [
            [
                judgement["who"],
                judgement["verdict"],
                judgement["reason"],
                segments(sample["text"], judgement["spans"]) if judgement["spans"] else None,
            ]
            for judgement in judgements
        ],
        "_outcome": {
            judgement["who"]: _outcome(judgement["verdict"], sample["is_hallucinated"])
            for judgement in judgements
        },
    }


def _judgements(board: Board, targets: set[str | None]) -> dict[str | None, list[dict]]:
    """Judgements of these by target, each with who said it (judge and variant) in one phrase."""
    by_target: dict[str | None, list[dict]] = defaultdict(list)
    rows = board.judgements.filter(pl.col("target_id").is_in(sorted(filter(None, targets))))
    for row in rows.sort("judge", "judgement_id").iter_rows(named=True):
        facts = unpaired(row["attributes"])
        how = [
            board.vocabulary.label(facts[key]).lower()
            for key in ("variant", "stage", "order")
            if key in facts
        ]
        by_target[row["target_id"]].append(row | {"who": " · ".join([row["judge"], *how])})
    return by_target


def _outcome(verdict: bool | None, truth: bool) -> str:
    return "u" if verdict is None else "r" if verdict == truth else "w"


def _index(board: Board, records: list[dict]) -> dict:
    """Filters, and one letter per record and judge: r(ight), w(rong), u(nparsed), - (not asked)."""
    values = {
        "task": [record["task"] for record in records],
        "label": ["hallucinated" if record["wrong"] else "right" for record in records],
        "pattern": [record["pattern"] or "" for record in records],
        "generator": [record["by"] or "" for record in records],
    }
    judges = sorted({who for record in records for who in record["_outcome"]})
    types = sorted(
        {kind for record in records for part in record["text"] if isinstance(part, list) for kind in part[1]}
    )
    return {
        "n": len(records),
        "n_all": board.samples.height,
        "ids": [record["id"] for record in records],
        "types": types,
        "filters": [list(one) for one in FILTERS],
        "columns": {name: coded(name, values[name], board.vocabulary) for name, *_ in FILTERS},
        "judged": list(JUDGES),
        "outcomes": [list(one) for one in OUTCOMES],
        "judges": {who: "".join(record["_outcome"].get(who, "-") for record in records) for who in judges},
    }
