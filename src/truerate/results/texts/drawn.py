"""Which texts of a built board are kept beside its result: of each kind the same number, in turn from each writer and
language, by content hash alone, so that a rebuilt board draws the same ones.
"""

import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from truerate.core.aggregates import average
from truerate.core.rights import KEYS, is_open, open_tables
from truerate.core.schemas import frame, pair, unpaired
from truerate.results.files import Result
from truerate.results.texts.table import (
    CUT,
    DIFFER,
    LONGEST,
    LONGEST_REFERENCE,
    RANDOM,
    WORST,
    Text,
)

N_EACH = 60  # texts of a kind
MOST_RATERS = (
    12  # of a set, whose single spans are kept; of more people the shares that each span has stand in its p
)
FEW_PARTS = 3  # a text of fewer facts counts as if it had as many: one wrong fact is not the worst answer
PEOPLE = "people"  # the writer of a text that no system wrote
LEFT_OUT = {"generation", "place", "row", "unit", "sentence", "n_claims", "published_split", "system", "id"}
EMAIL = r"[\w.+-]+@[\w-]+\.\w+"
WORD = re.compile(r"\w{3,}")


def texts_of(
    result: Result, source: str, card: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """Return the texts of a built board that are kept, sorted, a Text row each; none where its licence allows none.

    `card` is that of its `source`, `tables` the items, documents, samples and judgements of that source. A text is
    drawn at most once: as one that its judges differ on, else as one of the worst, else at random. Texts of more than
    LONGEST characters, and those that hold an e-mail address, are left out.
    """
    is_whole = card.get("redistribution") == "yes"
    licence = str(card["licence"] if is_whole else card.get("own_licence") or "")
    if not is_open(licence):
        return frame(Text)
    shown = open_tables(
        {name: table for name, table in tables.items() if name in KEYS}, card=card, source=source
    )
    facts = shown["samples"].filter(pl.col("task") == "fact")
    samples = _with_units(shown["samples"].filter(pl.col("task") != "fact"), result)
    samples = samples.filter(pl.col("text").str.len_chars() <= LONGEST, ~pl.col("text").str.contains(EMAIL))
    if samples.is_empty():
        return frame(Text)
    parts = _parts(facts)
    raters = _raters(shown["judgements"], samples)
    measured = samples.join(parts, on="sample_id", how="left", maintain_order="left")
    measured = measured.join(raters, on="sample_id", how="left", maintain_order="left")
    measured = measured.join(_judges(result), on=["subject", "unit_id"], how="left", maintain_order="left")
    measured = measured.with_columns(differ=_difference(), worst=_badness())
    items = {item["item_id"]: item for item in shown["items"].to_dicts()}
    documents = {page["document_id"]: page for page in shown["documents"].to_dicts()}
    about = {"board": result.card.board, "licence": licence}
    rows = [_row(row, items[row["item_id"]], documents) | about for row in _drawn(measured).to_dicts()]
    return frame(Text, rows).sort("subject", "unit_id")


def _with_units(samples: pl.DataFrame, result: Result) -> pl.DataFrame:
    """Samples with `subject`, who wrote each, and `unit_id` as the rows of the result have it: the attribute `unit`,
    the sample, its item, or its place among the writer's texts on that item (`<item>-<n>`), whichever the rows hold.
    """
    writer = pl.coalesce("generator", pair("attributes", "system"), pl.lit(PEOPLE))
    samples = samples.with_columns(subject=writer).sort("subject", "sample_id")
    number = pl.int_range(pl.len()).over("subject", "item_id").cast(pl.String)
    names = [
        pair("attributes", "unit"),
        pl.col("sample_id"),
        pl.col("item_id"),
        pl.concat_str("item_id", number, separator="-"),
    ]
    units = result.rows["unit_id"].unique(maintain_order=True).implode()
    counts = samples.select(name.is_in(units).sum().alias(str(k)) for k, name in enumerate(names)).row(0)
    named = samples.with_columns(unit_id=names[counts.index(max(counts))])
    named = named.filter(pl.col("unit_id").is_in(units))
    return named.unique(["subject", "unit_id"], keep="first", maintain_order=True)


def _parts(facts: pl.DataFrame) -> pl.DataFrame:
    """The facts of each reply, in their order."""
    facts_in = pl.struct(
        text="text", label=pair("attributes", "label").fill_null(""), is_hallucinated="is_hallucinated"
    )
    rows = facts.select(
        sample_id=pair("attributes", "generation"),
        place=pair("attributes", "place").cast(pl.Int64),
        parts=facts_in,
    )
    by_reply = (
        rows.drop_nulls("sample_id").sort("sample_id", "place").group_by("sample_id", maintain_order=True)
    )
    return by_reply.agg("parts")


def _raters(judgements: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """What each of several raters says of a text; none where there are more than MOST_RATERS."""
    rows = judgements.join(
        samples, left_on="target_id", right_on="sample_id", how="semi", maintain_order="left"
    )
    rows = rows.head(0) if rows["judge"].n_unique() > MOST_RATERS else rows.sort("target_id", "judge")
    named = rows.select(
        sample_id="target_id", raters=pl.struct(rater="judge", is_hallucinated="verdict", spans="spans")
    )
    return named.group_by("sample_id", maintain_order=True).agg("raters")


def _judges(result: Result) -> pl.DataFrame:
    """The share of the judges of a board that call each text hallucinated; rows of its other slices have none."""
    key = pl.element().struct.field("key")
    alone = result.rows.filter(
        pl.col("slice").list.eval(key == "judge").list.all(), pl.col("slice").list.len() == 1
    )
    of_texts = alone.drop_nulls("value").group_by("subject", "unit_id", maintain_order=True)
    return of_texts.agg(judged=average(pl.col("value")))


def _difference() -> pl.Expr:
    """How far those who judge a text differ, in [0, 1]: 1 where half of its raters, or of those who marked its
    words, say one thing; a judge counts against the label.
    """
    says = pl.element().struct.field("is_hallucinated").cast(pl.Float64)
    of_raters = _split(pl.col("raters").list.eval(says).list.mean())
    p, length = pl.element().struct.field("p"), _length()
    of_spans = pl.col("spans").list.eval((1 - (2 * p - 1).abs()) * length).list.sum() / _lengths()
    of_judges = (pl.col("judged") - pl.col("is_hallucinated").cast(pl.Float64)).abs()
    each = (of_raters, of_spans, of_judges)
    return pl.max_horizontal(value.fill_nan(None).fill_null(0.0) for value in each).round(6)


def _split(share: pl.Expr) -> pl.Expr:
    return 1 - (2 * share - 1).abs()


def _length() -> pl.Expr:
    return pl.element().struct.field("end") - pl.element().struct.field("start")


def _lengths() -> pl.Expr:
    return pl.col("spans").list.eval(_length()).list.sum()


def _badness() -> pl.Expr:
    """How bad a text is, in [0, 1]: the share of its facts that do not hold, or of its characters that are marked, each
    by its p; of a text that has neither whether it is hallucinated.
    """
    wrong = pl.col("parts").list.eval(pl.element().struct.field("is_hallucinated").cast(pl.Float64))
    of_parts = wrong.list.sum() / pl.max_horizontal(wrong.list.len(), pl.lit(FEW_PARTS))
    p = pl.element().struct.field("p").fill_null(1.0)
    marked = pl.col("spans").list.eval(_length() * p).list.sum() / pl.col("text").str.len_chars()
    plain = pl.col("is_hallucinated").cast(pl.Float64)
    of_text = pl.when(pl.col("spans").list.len() > 0).then(marked * plain).otherwise(plain)
    return pl.coalesce(of_parts, of_text).fill_nan(0.0).round(6)


def _drawn(samples: pl.DataFrame) -> pl.DataFrame:
    """N_EACH samples of each kind, as `drawn` says."""
    strata, rest, drawn = ["subject", "lang"], samples, []
    for kind, measure in ((DIFFER, pl.col("differ")), (WORST, pl.col("worst")), (RANDOM, pl.lit(1.0))):
        ordered = rest.with_columns(measure=measure).filter(pl.col("measure") > 0)
        ordered = ordered.sort("measure", "sample_id", descending=[True, False])
        turns = ordered.with_columns(order=pl.int_range(pl.len()).over(strata)).sort("order", *strata)
        drawn.append(turns.head(N_EACH).with_columns(drawn=pl.lit(kind)))
        rest = rest.join(drawn[-1], on="sample_id", how="anti", maintain_order="left")
    return pl.concat(drawn)


def _row(sample: dict, item: dict, documents: Mapping[str, dict]) -> dict:
    """One Text row, without board and licence."""
    spans, text = sorted(sample["spans"] or [], key=lambda span: (span["start"], span["end"])), sample["text"]
    pages = [documents[name] for name in item["document_ids"] or () if name in documents]
    pages = [page for page in pages if is_open(page["licence"] or "")]
    sought = " ".join(text[span["start"] : span["end"]] for span in spans) or text
    reference = cut_around("\n\n".join(page["text"] for page in pages), sought)
    attributes = {
        key: value
        for key, value in (unpaired(item["attributes"]) | unpaired(sample["attributes"])).items()
        if key not in LEFT_OUT
    }
    return {
        **{
            name: sample[name]
            for name in ("subject", "unit_id", "drawn", "order", "lang", "task", "text", "label_source")
        },
        "is_hallucinated": sample["is_hallucinated"],
        "history": last_of(item["history"] or ""),
        "question": item["question"] or "",
        "right_answer": item["right_answer"] or "",
        "rationale": sample["rationale"] or "",
        "reference": reference,
        "reference_title": "; ".join(page["title"] for page in pages if page["title"]),
        "address": next((page["url"] for page in pages if page["url"]), None) or attributes.pop("url", ""),
        "reference_licence": "; ".join(dict.fromkeys(page["licence"] for page in pages)),
        "labels": [{"key": key, "value": value} for key, value in sorted(attributes.items()) if key != "url"],
        "spans": spans,
        "raters": sample["raters"] or [],
        "parts": sample["parts"] or [],
    }


def cut_around(reference: str, sought: str, longest: int = LONGEST_REFERENCE) -> str:
    """The part of a reference, at most `longest` characters, that holds most of the words of a text; CUT stands
    where something is left out. Of equal parts the first; all of it where it is short.
    """
    if len(reference) <= longest:
        return reference
    words = {word.casefold() for word in WORD.findall(sought)}
    starts = range(0, len(reference) - longest // 2, longest // 4)

    def shared(start: int) -> int:
        return len(words & {word.casefold() for word in WORD.findall(reference[start : start + longest])})

    start = max(starts, key=shared)
    part = reference[start : start + longest]
    is_last = start + longest >= len(reference)
    head, tail = (f"{CUT} " if start else ""), ("" if is_last else f" {CUT}")
    part = part.partition(" ")[2] if start and " " in part[:80] else part
    part = part.rpartition(" ")[0] if not is_last and " " in part[-80:] else part
    return f"{head}{part.strip()}{tail}"


def last_of(history: str, longest: int = LONGEST_REFERENCE) -> str:
    """The end of what went before; CUT stands before it where something is left out."""
    return history if len(history) <= longest else f"{CUT} {history[-longest:].partition(' ')[2]}"
