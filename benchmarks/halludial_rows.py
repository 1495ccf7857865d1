"""Invented rows of HalluDial's size for `halludial.py`: dialogues, labelled texts, replies of judges, and the tables
that scores are made of.
"""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

PAPER = 4094
TURNS_PER_DIALOGUE = 18_357 / PAPER
RESPONDERS = tuple(f"responder-{n}" for n in range(5))
JUDGES = tuple(f"judge-{n:02}" for n in range(11))
KINDS = {"factuality": True, "faithfulness": True, "reference": False}
SHARE, TEST = 0.2365, "test"  # hallucinated spontaneous responses, as published
LOCATED, COMPARED, META, NATURAL = 3200 / PAPER, 2000 / PAPER, 850 / PAPER, 200 / PAPER
WORDS = np.array([f"word{n}" for n in range(4000)])
YES = ("Yes", "Yes.", "Yes, it does.", "#Is It Hallucinated#: Yes", "**Yes**")
NO = ("No", "No.", "No, it does not.", "#Is It Hallucinated#: No", "**No**")
UNREAD = ("", "I cannot tell.", "Maybe.")


# ---- invented tables ---------------------------------------------------------------------------------------


def pairs_of(**values: Any) -> pl.Expr:
    """A `PAIRS` column of texts and columns, keys sorted."""
    cells = [
        pl.struct(pl.lit(key).alias("key"), _expr(values[key]).cast(pl.String).alias("value"))
        for key in sorted(values)
    ]
    return pl.concat_list(cells)


def _expr(value: Any) -> pl.Expr:
    return value if isinstance(value, pl.Expr) else pl.lit(value)


def texts(rng: np.random.Generator, n: int, low: int, high: int) -> list[str]:
    """Texts of so many words."""
    sizes = rng.integers(low, high, n)
    drawn = WORDS[rng.integers(0, len(WORDS), sizes.sum())].tolist()
    ends = np.cumsum(sizes).tolist()
    return [" ".join(drawn[end - size : end]) for size, end in zip(sizes.tolist(), ends, strict=True)]


def made_items(n_dialogues: int, rng: np.random.Generator) -> pl.DataFrame:
    """A row per turn of dialogues of two to seven turns."""
    sizes = rng.permutation(np.resize([2, 3, 4, 5, 6, 7, 5, 4], n_dialogues))
    short = round(n_dialogues * TURNS_PER_DIALOGUE) - int(sizes.sum())
    for place in rng.permutation(n_dialogues)[: abs(short)]:
        sizes[place] += np.sign(short)
    dialogue = np.repeat(np.arange(n_dialogues), sizes)
    turn = np.concatenate([np.arange(size) for size in sizes])
    names = {"item_id": [f"{d:06}-{t}" for d, t in zip(dialogue, turn, strict=True)]}
    items = pl.DataFrame({**names, "group_id": [f"dialogue-{d:06}" for d in dialogue], "turn": turn})
    return items.select(
        "item_id",
        pl.lit("invented").alias("source"),
        pl.lit("dialogue").alias("task"),
        pl.lit("en").alias("lang"),
        "group_id",
        document_ids=pl.concat_list(pl.col("group_id")),
        history=pl.lit(""),
        question=pl.lit("and then?"),
        right_answer=pl.lit("word1 word2"),
        attributes=pairs_of(dialogue=pl.col("group_id"), turn=pl.col("turn")),
    )


def made_texts(items: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """All labelled texts before they are split: eight of each turn."""
    parts = []
    for name in (*RESPONDERS, *KINDS):
        is_induced = name in KINDS
        label = KINDS.get(name, rng.random(items.height) < SHARE)
        part = items.select("item_id", "group_id", sample_id=pl.lit(f"{name}-") + pl.col("item_id"))
        labels = np.broadcast_to(label, items.height)
        part = part.with_columns(pl.Series("is_hallucinated", labels, dtype=pl.Boolean))
        scenario, kind = ("induced", name) if is_induced else ("spontaneous", None)
        writer = name if not is_induced else ("inducer" if KINDS[name] else None)
        parts.append(
            part.with_columns(
                text=pl.Series(texts(rng, items.height, 12, 28)),
                scenario=pl.lit(scenario),
                kind=pl.lit(kind, dtype=pl.String),
                generator=pl.lit(writer, dtype=pl.String),
                start=pl.Series(rng.integers(0, 30, items.height)),
                reason=pl.Series(texts(rng, items.height, 8, 25)),
            )
        )
    return pl.concat(parts)


def make(folder: Path, n_dialogues: int) -> None:
    """Write what the source and the models brought."""
    rng = np.random.default_rng(7)
    items = made_items(n_dialogues, rng)
    items.write_parquet(folder / "items.parquet")
    made_texts(items, rng).write_parquet(folder / "texts.parquet")


def replies_of(folder: Path, n_dialogues: int, judge: str) -> dict[str, list]:
    """The replies of one judge, drawn: to each test text, to the located ones, and to both orders of pairs."""
    rng = np.random.default_rng(100 + JUDGES.index(judge))
    test = pl.read_parquet(folder / "samples.parquet").filter(split=TEST)
    label = test["is_hallucinated"].to_numpy()
    tpr, fpr = 0.3 + 0.05 * JUDGES.index(judge), 0.05 + 0.02 * JUDGES.index(judge)

    def said(labels: np.ndarray) -> np.ndarray:
        """0 unread, 1 No, 2 Yes."""
        yes = rng.random(len(labels)) < np.where(labels, tpr, fpr)
        return np.where(rng.random(len(labels)) < 0.02, 0, 1 + yes)

    def formed(kinds: np.ndarray) -> list[str]:
        place = rng.integers(0, 5, len(kinds)).tolist()
        forms = [(UNREAD, NO, YES)[kind] for kind in kinds.tolist()]
        return [one[at % len(one)] for one, at in zip(forms, place, strict=True)]

    order = np.random.default_rng(3).permutation(test.height)
    some = test[np.sort(order[: round(LOCATED * n_dialogues)])]
    induced = test.filter(pl.col("pattern").is_not_null())
    n_pairs = round(COMPARED * n_dialogues)
    of_kind = [
        induced.filter(pattern=kind).sort("sample_id").head(n_pairs)
        for kind in ("factuality", "faithfulness")
    ]
    pairs = pl.concat(of_kind)
    kinds = said(some["is_hallucinated"].to_numpy())
    reasons = texts(rng, some.height, 8, 25)
    starts = rng.integers(0, 30, some.height).tolist()
    located = [
        ("", "No. All of it is said.", f'Yes. The segment "{text[at : at + 25]}" is wrong: {reason}')[kind]
        for kind, text, at, reason in zip(kinds.tolist(), some["text"], starts, reasons, strict=True)
    ]
    orders = [order for order in ("induced-first", "reference-first") for _ in range(pairs.height)]
    second = [int(rng.random() < (0.3 if order == "induced-first" else 0.7)) for order in orders]
    return {
        "verdict": formed(said(label)),
        "verdict_id": test["sample_id"].to_list(),
        "located": located,
        "located_id": some["sample_id"].to_list(),
        "located_text": some["text"].to_list(),
        "choice": [f"Response {1 + place}" if rng.random() > 0.02 else "Both." for place in second],
        "choice_id": pairs["sample_id"].to_list() * 2,
        "order": orders,
        "kind": pairs["pattern"].to_list() * 2,
    }


# ---- tables of scoring -------------------------------------------------------------------------------------


def judgement_frame(rows: pl.DataFrame, judge: str, variant: str, attributes: pl.Expr) -> pl.DataFrame:
    """Judgement rows of `target`, `verdict`, and where they are there `spans` and `rationale`."""
    from truerate.core.schemas import SPANS, Judgement, schema

    more = {name: pl.lit(None, dtype=pl.String) for name in ("rationale",) if name not in rows.columns}
    spans = pl.lit([], dtype=SPANS)
    if "spans" in rows.columns:
        typed = pl.struct(
            pl.element().struct.field("start"),
            pl.element().struct.field("end"),
            type=pl.lit("unspecified"),
            p=pl.lit(None, dtype=pl.Float64),
        )
        spans = pl.col("spans").list.eval(typed)
    status = pl.when(pl.col("verdict").is_null()).then(pl.lit("unparsed")).otherwise(pl.lit("ok"))
    return rows.with_columns(
        judgement_id=pl.format(
            "{}-{}-{}-{}", pl.lit(judge), pl.lit(variant), "target", pl.int_range(pl.len())
        ),
        judge=pl.lit(judge),
        judge_version=pl.lit("1"),
        target_id="target",
        status=status,
        reason=pl.lit(None, dtype=pl.String),
        spans=spans,
        p=pl.lit(None, dtype=pl.Float64),
        attributes=attributes,
        **more,
    ).select(schema(Judgement).names())


def judgements_of(folder: Path, items: pl.DataFrame) -> pl.DataFrame:
    """The Judgement table of all judges, and of the rates' detector on all responses to test dialogues."""
    parts = []
    for judge in JUDGES:
        names = ("verdicts", "located", "chosen")
        verdicts, located, chosen = (pl.read_parquet(folder / f"{judge}-{name}.parquet") for name in names)
        parts.append(judgement_frame(verdicts, judge, "zero-shot", pairs_of(variant="zero-shot")))
        parts.append(judgement_frame(located, judge, "three-shot", pairs_of(variant="three-shot")))
        is_first = pl.col("order") == "induced-first"
        first = pl.when(is_first).then(pl.lit("Response 1")).otherwise(pl.lit("Response 2"))
        rows = chosen.with_columns(verdict=pl.col("said") == first)
        known = pairs_of(variant="compare", order=pl.col("order"), kind=pl.col("kind"))
        parts.append(judgement_frame(rows, judge, "compare", known))
    rng = np.random.default_rng(11)
    own = [f"self-{name}-{item}" for name in RESPONDERS for item in items["item_id"]]
    flagged = pl.DataFrame({"target": own, "verdict": rng.random(len(own)) < 0.2})
    parts.append(judgement_frame(flagged, JUDGES[0], "self", pairs_of(variant="zero-shot")))
    return pl.concat(parts)


def generations_of(items: pl.DataFrame, samples: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """The Generation rows that scores are made of: responses in both histories, annotations, induced texts, and
    what the meta-judge says.
    """
    side = dict(samples.select("group_id", "split").unique().iter_rows())
    base = items.select("item_id", "group_id", split=pl.col("group_id").replace_strict(side))
    parts = []
    for name in RESPONDERS:
        for history, rows in (("gold", base), ("self", base.filter(split=TEST))):
            start = f"{name}-" if history == "gold" else f"self-{name}-"
            known = pairs_of(history=history, temperature="1", split=pl.col("split"), n_words="20")
            parts.append(_generation(rows, pl.lit(start) + pl.col("item_id"), "respond", name, known))
        known = pairs_of(target=pl.lit(f"{name}-") + pl.col("item_id"), verdict="no")
        parts.append(
            _generation(base, pl.lit(f"ann-{name}-") + pl.col("item_id"), "annotate", "annotator", known)
        )
    for kind in ("factuality", "faithfulness"):
        known = pairs_of(kind=kind, words_over="2")
        parts.append(_generation(base, pl.lit(f"{kind}-") + pl.col("item_id"), "induce", "inducer", known))
    located = judgements.filter(pl.col("rationale").is_not_null()).group_by("judge", maintain_order=True)
    item_of = samples.select(target_id="sample_id", item_id="item_id")
    some = located.head(round(META * PAPER)).join(item_of, on="target_id")
    known = pairs_of(target=pl.col("judgement_id"), judge=pl.col("judge"), accurate="yes")
    parts.append(_generation(some, pl.lit("meta-") + pl.col("judgement_id"), "meta", "meta", known))
    return pl.concat(parts)


def _generation(
    rows: pl.DataFrame, name: pl.Expr, purpose: str, model: str, attributes: pl.Expr
) -> pl.DataFrame:
    from truerate.core.schemas import Generation, generation_row, schema

    plain = generation_row(generation_id="", item_id="", purpose=purpose, model=model, text="")
    types = schema(Generation)
    own = ("item_id", "attributes")
    fixed = {key: pl.lit(value, dtype=types[key]) for key, value in plain.items() if key not in own}
    return rows.select("item_id", **(fixed | {"generation_id": name}), attributes=attributes).select(
        types.names()
    )


def with_gold(samples: pl.DataFrame, n_dialogues: int) -> pl.DataFrame:
    """The samples with people's labels of some whole conversations."""
    rng = np.random.default_rng(13)
    own = samples.filter(pl.col("generator") == RESPONDERS[0], split=TEST)
    groups = own["group_id"].unique().sort().head(round(NATURAL * n_dialogues)).to_list()
    some = own.filter(pl.col("group_id").is_in(groups))
    flip = pl.Series(rng.random(some.height) < 0.1)
    gold = some.with_columns(
        sample_id=pl.lit("gold-") + pl.col("sample_id"),
        is_hallucinated=pl.col("is_hallucinated") ^ flip,
        label_source=pl.lit("gold"),
        attributes=pairs_of(generation=pl.col("sample_id"), scenario="natural"),
    )
    return pl.concat([samples, gold])
