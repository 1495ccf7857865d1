"""Gold samples from what annotators returned: screening against silver, shared texts settled, agreement
(mFAVA section 3.1, appendix A.2).

Annotators of a language are heard where they agree enough with silver. A text that one of them labelled takes
that label; a text that several labelled is settled by max-voting over its tokens, or (the paper's way) as the
annotator says who is closest to silver over all shared texts, which favours silver. Which one makes the
samples is a setting; agreement with silver is scored for both.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from truerate.config.layout import Layout
from truerate.core.keys import content_id, split_of
from truerate.core.schemas import Judgement, Reject, Sample, Score, frame, judgement_row, pairs, sample_row
from truerate.core.tags import TYPES
from truerate.metrics.agreement import marked_agreement
from truerate.metrics.mushroom import HARD
from truerate.metrics.score_writer import ScoreWriter
from truerate.metrics.tokens import Span as Offset
from truerate.metrics.tokens import offsets_by
from truerate.sources.label_files import Labelled, reject
from truerate.tracks.mfava.agreement import (
    ANNOTATORS,
    agreement_rows,
    plausibility_rows,
    silver_gold_rows,
)
from truerate.tracks.mfava.label_rows import Label, Span, checked_labels, runs, token_types, voted

VOTING, CLOSEST = "max-voting", "closest-to-silver"
SETTLEMENTS = (VOTING, CLOSEST)
GOLD = ("gold", "published")  # label sources that are people
MAX_PAIRED = 10  # annotators of one language of a source: more of them have hardly a text in common


@dataclass(frozen=True)
class Text:
    """A text that people label: a silver passage (with silver's token types) or a reply in the wild."""

    task_id: str
    item_id: str
    group_id: str
    task: str
    lang: str
    text: str
    generator: str | None
    offsets: tuple[Offset, ...]
    silver: np.ndarray | None = field(compare=False)


@dataclass(frozen=True)
class Heard:
    """The labels of annotators who passed, by task, and the token types of each label, by (task, annotator).

    `agreement`: with silver, of each (language, annotator); `passed`: who reached the threshold; `closest`:
    who of a language agrees most with silver over the shared passages.
    """

    labels: dict[str, list[Label]]
    tokens: dict[tuple[str, str], np.ndarray]
    agreement: dict[tuple[str, str], float | None]
    passed: frozenset[tuple[str, str]]
    closest: dict[str, str]


def label(
    at: Layout,
    board: str,
    tables,
    dataset: Mapping[str, pl.DataFrame],
    tasks: Sequence[dict],
    rows: Sequence[tuple],
    *,
    where: str,
    inputs: str,
) -> Labelled:
    """Gold samples, every label as a judgement, rejects and agreement, from the rows of label files
    (`sources.label_files.read_labels`).

    `inputs` is the digest that its scores name.
    """
    settings = at.p.track(board)
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    texts = texts_of(tasks, dataset, tokenizer=settings.tokenizer)
    given = {name: text.text for name, text in texts.items()}
    labels, rejects = checked_labels(rows, given, where=where, on_bad_row=at.p.on_bad_row)
    heard = screened(labels, texts, threshold=settings.labelling.screening_agreement)
    rejects += [
        _screened_out(*key, heard.agreement[key]) for key in sorted(set(heard.agreement) - heard.passed)
    ]
    rejects += [
        reject("labels", "no_labels", "nobody who is heard labelled it", target=name)
        for name in unlabelled(texts, heard, labels)
    ]
    settle = settings.labelling.settle
    samples = [
        _sample(texts[name], found, heard.closest, settle=settle)
        for name, found in sorted(heard.labels.items())
    ]
    scores = label_scores(labels, texts, heard, writer) if labels else []
    scores += published_rows(dataset["samples"], settings.tokenizer, writer)
    scores += published_agreement(tables.samples, tables.judgements, settings.tokenizer, writer)
    judgements = [_judgement(one, (texts[one.task_id].lang, one.annotator) in heard.passed) for one in labels]
    return Labelled(
        frame(Sample, samples).sort("sample_id"),
        frame(Judgement, judgements).sort("judgement_id"),
        frame(Reject, rejects),
        frame(Score, scores),
    )


def texts_of(
    tasks: Sequence[dict], dataset: Mapping[str, pl.DataFrame], *, tokenizer: str
) -> dict[str, Text]:
    """The texts that were given out, by task: silver samples by `sample_id`, replies by `generation_id`.
    Others are not known here.
    """
    named = [task["task_id"] for task in tasks]
    item_of = {
        row["item_id"]: row
        for row in dataset["items"].select("item_id", "group_id", "lang").iter_rows(named=True)
    }
    cut, found = offsets_by(tokenizer), {}
    for row in dataset["samples"].filter(pl.col("sample_id").is_in(named)).iter_rows(named=True):
        offsets = tuple(cut(row["text"]))
        place = {name: row[name] for name in ("item_id", "group_id", "task", "lang", "text", "generator")}
        silver = row_types(offsets, row["spans"]) if row["label_source"] == "silver" else None
        found[row["sample_id"]] = Text(row["sample_id"], **place, offsets=offsets, silver=silver)
    for row in dataset["generations"].filter(pl.col("generation_id").is_in(named)).iter_rows(named=True):
        item = item_of[row["item_id"]]
        place = {
            "group_id": item["group_id"],
            "task": "wild",
            "lang": item["lang"],
            "text": row["text"],
            "generator": row["model"],
        }
        name = row["generation_id"]
        found[name] = Text(name, row["item_id"], **place, offsets=tuple(cut(row["text"])), silver=None)
    return found


def row_types(offsets: Sequence[Offset], spans: Sequence[dict]) -> np.ndarray:
    """Token types of the hard spans of a Sample row; a source that has no types counts as having one."""
    hard = [span for span in spans if span["p"] is None or span["p"] > HARD]
    return token_types(
        offsets,
        [Span(one["start"], one["end"], one["type"] if one["type"] in TYPES else TYPES[0]) for one in hard],
    )


# ---- screening ---------------------------------------------------------------------------------------------


def screened(labels: Sequence[Label], texts: Mapping[str, Text], *, threshold: float) -> Heard:
    """Who is heard: an annotator of a language whose agreement with silver on its passages reaches the
    threshold, or could not be told.
    """
    tokens = {
        (one.task_id, one.annotator): token_types(texts[one.task_id].offsets, one.spans) for one in labels
    }
    by_annotator: dict[tuple[str, str], list[str]] = {}
    for one in labels:
        by_annotator.setdefault((texts[one.task_id].lang, one.annotator), []).append(one.task_id)
    agreement = {
        (lang, who): _agreement(
            [name for name in named if texts[name].silver is not None], who, tokens, texts
        )
        for (lang, who), named in sorted(by_annotator.items())
    }
    passed = frozenset(key for key, share in agreement.items() if share is None or share >= threshold)
    kept: dict[str, list[Label]] = {}
    for one in sorted(labels, key=lambda found: (found.task_id, found.annotator)):
        if (texts[one.task_id].lang, one.annotator) in passed:
            kept.setdefault(one.task_id, []).append(one)
    return Heard(kept, tokens, agreement, passed, closest_annotators(kept, tokens, texts))


def _agreement(named: Sequence[str], who: str, tokens: Mapping, texts: Mapping[str, Text]) -> float | None:
    return marked_agreement([tokens[name, who] for name in named], [texts[name].silver for name in named])


def unlabelled(texts: Mapping[str, Text], heard: Heard, labels: Sequence[Label]) -> list[str]:
    """The tasks that somebody could have labelled and nobody who is heard did; none where no label came at
    all.
    """
    return sorted(set(texts) - set(heard.labels)) if labels else []


def _screened_out(lang: str, name: str, share: float | None) -> dict:
    return reject("labels", "screened_out", f"{share:.3f} agreement with silver in {lang}", target=name)


# ---- settling ----------------------------------------------------------------------------------------------


def closest_annotators(
    labels: Mapping[str, Sequence[Label]], tokens: Mapping, texts: Mapping[str, Text]
) -> dict[str, str]:
    """By language, who agrees most with silver over the passages that several labelled; the first by name of
    equals.
    """
    shared: dict[str, dict[str, list[str]]] = {}
    for name, found in labels.items():
        if len(found) > 1 and texts[name].silver is not None:
            for one in found:
                shared.setdefault(texts[name].lang, {}).setdefault(one.annotator, []).append(name)
    return {
        lang: max(sorted(named), key=lambda who: _agreement(named[who], who, tokens, texts) or 0.0)
        for lang, named in sorted(shared.items())
    }


def settled(found: Sequence[Label], text: Text, closest: Mapping[str, str], *, settle: str) -> list[dict]:
    """The spans of one text: its one annotator's, or as several are settled. A voted span has the share of
    annotators as p.

    Voted replies in the wild keep the spans of minorities, too (soft labels; p ≤ 0.5 does not count as
    marked); silver passages do not.
    """
    one = found[0] if len(found) == 1 else None
    if one is None and settle == CLOSEST:
        one = next((label for label in found if label.annotator == closest.get(text.lang)), None)
    if one is not None:
        return [{"start": span.start, "end": span.end, "type": span.type, "p": None} for span in one.spans]
    share, types = voted(text.offsets, found)
    return runs(
        text.offsets, types, share, (lambda p: p > 0) if text.task == "wild" else (lambda p: p > HARD)
    )


def _sample(text: Text, found: Sequence[Label], closest: Mapping[str, str], *, settle: str) -> dict:
    """A gold sample. Its id is its own: the passage (`silver`) or reply (`generation`) that it labels is judged
    by its own id.
    """
    spans = settled(found, text, closest, settle=settle)
    facts = {
        "n_labels": len(found),
        "settled": settle if len(found) > 1 else None,
        "silver": text.task_id if text.task == "silver" else None,
        "generation": text.task_id if text.task == "wild" else None,
    }
    return sample_row(
        sample_id=content_id("gold", text.task_id),
        item_id=text.item_id,
        group_id=text.group_id,
        task=text.task,
        lang=text.lang,
        text=text.text,
        is_hallucinated=any(span["p"] is None or span["p"] > HARD for span in spans),
        label_source="gold",
        generator=text.generator,
        spans=spans,
        split=split_of(text.group_id),
        attributes=pairs(**facts),
    )


def _judgement(one: Label, is_heard: bool) -> dict:
    return judgement_row(
        judgement_id=content_id("label", one.annotator, one.task_id),
        judge=one.annotator,
        judge_version="label",
        target_id=one.task_id,
        verdict=bool(one.spans),
        spans=[{"start": span.start, "end": span.end, "type": span.type, "p": None} for span in one.spans],
        attributes=pairs(
            stage="annotation", heard="yes" if is_heard else None, plausibility=one.plausibility
        ),
    )


# ---- scores ------------------------------------------------------------------------------------------------


def label_scores(
    labels: Sequence[Label], texts: Mapping[str, Text], heard: Heard, writer: ScoreWriter
) -> list[dict]:
    """Screening, agreement of those who are heard on shared texts, of gold with silver under both
    settlements, and plausibility.
    """
    lang_of = {name: text.lang for name, text in texts.items()}
    shared = {
        (one.task_id, one.annotator) for found in heard.labels.values() if len(found) > 1 for one in found
    }
    n_of = Counter(
        (lang_of[one.task_id], one.annotator) for one in labels if texts[one.task_id].silver is not None
    )
    made = [
        writer.row("screening_agreement", who, {"lang": lang}, share, n_of[lang, who])
        for (lang, who), share in heard.agreement.items()
    ]
    for lang in sorted({lang for lang, _ in heard.agreement}):
        n, passed = (sum(name == lang for name, _ in keys) for keys in (heard.agreement, heard.passed))
        made.append(writer.row("n_annotators_passed", ANNOTATORS, {"lang": lang}, float(passed), n))
    made += agreement_rows({key: heard.tokens[key] for key in sorted(shared)}, lang_of, writer)
    silver = {name: text.silver for name, text in texts.items() if text.silver is not None}
    for way in SETTLEMENTS:
        chosen = {
            name: settled(heard.labels[name], texts[name], heard.closest, settle=way)
            for name in silver
            if name in heard.labels
        }
        gold = {name: row_types(texts[name].offsets, spans) for name, spans in chosen.items()}
        made += silver_gold_rows(gold, silver, lang_of, {"settled": way}, writer)
    heard_of = [one for found in heard.labels.values() for one in found if one.plausibility is not None]
    return made + plausibility_rows([(lang_of[one.task_id], one.plausibility) for one in heard_of], writer)


def published_agreement(
    samples: pl.DataFrame, judgements: pl.DataFrame, tokenizer: str, writer: ScoreWriter
) -> list[dict]:
    """Agreement of the annotators that a source came with, where a language has few enough of them to be
    paired (MAX_PAIRED).
    """
    known = samples.select("sample_id", "text", "lang").join(
        judgements, left_on="sample_id", right_on="target_id", maintain_order="left"
    )
    few = (
        known.group_by("lang", maintain_order=True)
        .agg(pl.col("judge").n_unique())
        .filter(pl.col("judge") <= MAX_PAIRED)["lang"]
        .to_list()
    )
    shared = known.filter(pl.col("lang").is_in(few) & (pl.len().over("sample_id") > 1)).sort(
        "sample_id", "judge"
    )
    cut, tokens, lang_of = offsets_by(tokenizer), {}, {}
    for (name,), part in shared.group_by("sample_id", maintain_order=True):
        offsets, lang_of[name] = cut(part["text"][0]), part["lang"][0]
        tokens |= {
            (name, judge): row_types(offsets, spans)
            for judge, spans in part.select("judge", "spans").iter_rows()
        }
    return agreement_rows(tokens, lang_of, writer) if tokens else []


def published_rows(samples: pl.DataFrame, tokenizer: str, writer: ScoreWriter) -> list[dict]:
    """Agreement of the gold that a source came with and the silver of the same texts (settled: published)."""
    known = samples.filter(pl.col("task") == "silver").select(
        "item_id", "text", "lang", "label_source", "spans"
    )
    gold, silver = (
        known.filter(pl.col("label_source").is_in(GOLD)),
        known.filter(pl.col("label_source") == "silver"),
    )
    both = gold.join(silver, on=["item_id", "text"], suffix="_silver", maintain_order="left")
    cut, types = offsets_by(tokenizer), {}
    for row in both.iter_rows(named=True):
        offsets = cut(row["text"])
        types[row["item_id"]] = (
            row_types(offsets, row["spans"]),
            row_types(offsets, row["spans_silver"]),
            row["lang"],
        )
    gold_types, silver_types, lang_of = (
        {name: one[place] for name, one in types.items()} for place in range(3)
    )
    return silver_gold_rows(gold_types, silver_types, lang_of, {"settled": "published"}, writer)
