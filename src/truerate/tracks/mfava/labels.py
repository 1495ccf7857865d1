"""Gold samples from what annotators returned (mFAVA section 3.1, appendix A.2): how a label row is read, and the rows
of tables that come of the labels.

A row names its task, its annotator and the spans with their type: by `start` and `end` (code points, half-open), or by
`text` where it first occurs; no spans: nothing is hallucinated. `plausibility` (1–5, very unlikely to very likely to
fool a reader) may stand beside them.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from truerate.annotation import labels as annotation
from truerate.annotation.agreement import ANNOTATORS
from truerate.annotation.labels import BadLabel, Label, Labelled, Span, judgement_of, located_spans, reject
from truerate.config.layout import Layout
from truerate.core.keys import content_id, split_of
from truerate.core.schemas import pairs, sample_row
from truerate.core.tags import TYPES
from truerate.metrics.agreement import KAPPA, cohen_kappa, contingency, marked_or_not, table_agreement
from truerate.metrics.cells import mean_of_defined
from truerate.metrics.intervals import UNIT, cluster_sums
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.spans import HARD
from truerate.metrics.tokens import offsets_by
from truerate.tracks.mfava.settling import SETTLEMENTS, Screened, Text, Tokens, row_types, screened, settled

GOLD = "gold"  # the subject of what is settled
PEOPLE = ("gold", "published")  # label sources that are people
KINDS = len(TYPES) + 1  # of a token: unmarked, or one of the types
BOUNDS = (KAPPA, KAPPA, UNIT, UNIT)  # of `_pair_statistics`
MAX_PAIRED = 10  # annotators of one language of a source: more of them have hardly a text in common


def label_scores(
    labels: Sequence[Label], texts: Mapping[str, Text], screened: Screened, writer: ScoreWriter
) -> list[dict]:
    """Return screening, agreement of those who pass on shared texts, of gold with silver under both settlements, and
    plausibility.
    """
    lang_of = {name: text.lang for name, text in texts.items()}
    silver = {name: text.silver for name, text in texts.items() if text.silver is not None}
    n_of = Counter((lang_of[label.task_id], label.annotator) for label in labels if label.task_id in silver)
    scores = [
        writer.row("screening_agreement", annotator, {"lang": lang}, share, n_of[lang, annotator])
        for (lang, annotator), share in screened.agreement.items()
    ]
    for lang in sorted({lang for lang, _ in screened.agreement}):
        n, passed = (sum(name == lang for name, _ in keys) for keys in (screened.agreement, screened.passed))
        scores.append(writer.row("n_annotators_passed", ANNOTATORS, {"lang": lang}, float(passed), n))
    kept = [label for of_task in screened.labels.values() for label in of_task]
    shared = sorted(
        (label.task_id, label.annotator) for label in kept if len(screened.labels[label.task_id]) > 1
    )
    scores += agreement_rows({key: screened.tokens[key] for key in shared}, lang_of, writer)
    for settle in SETTLEMENTS:
        gold = {
            name: row_types(text.offsets, settled(of_task, text, screened.closest, settle=settle))
            for name, of_task in screened.labels.items()
            if (text := texts[name]).silver is not None
        }
        scores += silver_gold_rows(gold, silver, lang_of, {"settled": settle}, writer)
    ratings = [(lang_of[label.task_id], label.rating) for label in kept if label.rating is not None]
    return scores + plausibility_rows(ratings, writer)


def published_agreement(
    samples: pl.DataFrame, judgements: pl.DataFrame, tokenizer: str, writer: ScoreWriter
) -> list[dict]:
    """Return the agreement of the annotators that a source came with, where a language has few enough of them to be
    paired (MAX_PAIRED).
    """
    judged = samples.select("sample_id", "text", "lang").join(
        judgements, left_on="sample_id", right_on="target_id", maintain_order="left"
    )
    n_of_lang = judged.group_by("lang", maintain_order=True).agg(pl.col("judge").n_unique())
    is_few = pl.col("lang").is_in(n_of_lang.filter(pl.col("judge") <= MAX_PAIRED)["lang"].to_list())
    shared = judged.filter(is_few & (pl.len().over("sample_id") > 1)).sort("sample_id", "judge")
    cut, tokens, lang_of = offsets_by(tokenizer), {}, {}
    for (name,), part in shared.group_by("sample_id", maintain_order=True):
        offsets, lang_of[name] = cut(part["text"][0]), part["lang"][0]
        for judge, spans in part.select("judge", "spans").iter_rows():
            tokens[name, judge] = row_types(offsets, spans)
    return agreement_rows(tokens, lang_of, writer) if tokens else []


def published_rows(samples: pl.DataFrame, tokenizer: str, writer: ScoreWriter) -> list[dict]:
    """Return the agreement of the gold that a source came with and the silver of the same texts (settled: published)."""
    columns = ["item_id", "text", "lang", "label_source", "spans"]
    passages = samples.filter(pl.col("task") == "silver").select(columns)
    by_people = passages.filter(pl.col("label_source").is_in(PEOPLE))
    by_silver = passages.filter(pl.col("label_source") == "silver")
    both = by_people.join(by_silver, on=["item_id", "text"], suffix="_silver", maintain_order="left")
    cut, gold, silver = offsets_by(tokenizer), {}, {}
    for name, text, spans, silver_spans in both.select(
        "item_id", "text", "spans", "spans_silver"
    ).iter_rows():
        offsets = cut(text)
        gold[name], silver[name] = row_types(offsets, spans), row_types(offsets, silver_spans)
    lang_of = dict(both.select("item_id", "lang").iter_rows())
    return silver_gold_rows(gold, silver, lang_of, {"settled": "published"}, writer)


# ---- statistics over tokens ---------------------------------------------------------------------------------


def pair_tables(tokens: Tokens) -> dict[str, np.ndarray]:
    """Per task with several annotators: the contingency tables (pairs, 7, 7) of all pairs of annotators that
    share any task.

    Pairs are in the order of their names; zeros where one of a pair did not label the task.
    """
    by_task: dict[str, set[str]] = {}
    for task, annotator in tokens:
        by_task.setdefault(task, set()).add(annotator)
    pairs = sorted({pair for found in by_task.values() for pair in combinations(sorted(found), 2)})
    empty = np.zeros((KINDS, KINDS))
    return {
        task: np.stack(
            [
                contingency(tokens[task, a], tokens[task, b], KINDS) if {a, b} <= found else empty
                for a, b in pairs
            ]
        )
        for task, found in sorted(by_task.items())
        if len(found) > 1
    }


def agreement_rows(tokens: Tokens, lang_of: Mapping[str, str], writer: ScoreWriter) -> list[dict]:
    """`cohen_kappa`, `cohen_kappa_typed`, `percent_agreement` (typed as well) of annotators on shared texts,
    per language.

    Each is the mean over the pairs of annotators that share a text; texts are resampled.
    """
    made = []
    for lang in [*sorted({lang_of[task] for task, _ in tokens}), ALL]:
        tables = pair_tables({key: value for key, value in tokens.items() if lang in (ALL, lang_of[key[0]])})
        if not tables:
            continue
        whole = np.stack(list(tables.values()))
        n_pairs = whole.shape[1]
        found = writer.intervals(
            whole.reshape(len(whole), -1),
            lambda totals, n=n_pairs: _pair_statistics(totals, n),
            bounds=BOUNDS,
        )
        has_types = (
            whole[..., 2:, :].any() or whole[..., 2:].any()
        )  # a source may mark spans and name no type
        for name, one in zip(
            ("cohen_kappa", "cohen_kappa_typed", "percent_agreement", "percent_agreement_typed"),
            found,
            strict=True,
        ):
            if has_types or not name.endswith("_typed"):
                made.append(writer.row(name, ANNOTATORS, {"lang": lang}, one, len(whole)))
    return made


def _pair_statistics(totals: np.ndarray, n_pairs: int) -> np.ndarray:
    """κ and agreement, types as one and types apart, each the mean over pairs of raters: (draws, 4)."""
    tables = totals.reshape(-1, n_pairs, KINDS, KINDS)
    flat = marked_or_not(tables)
    values = (cohen_kappa(flat), cohen_kappa(tables), table_agreement(flat), table_agreement(tables))
    return np.stack([mean_of_defined(one) for one in values], axis=1)


def silver_gold_rows(
    gold: Mapping[str, np.ndarray],
    silver: Mapping[str, np.ndarray],
    lang_of: Mapping[str, str],
    where: dict,
    writer: ScoreWriter,
) -> list[dict]:
    """`silver_gold_kappa`, `silver_gold_kappa_typed`, `silver_gold_agreement` over the texts that have both,
    per language and over all.
    """
    both = sorted(set(gold) & set(silver))
    made = []
    for lang in [*sorted({lang_of[task] for task in both}), ALL] if both else []:
        tasks = [task for task in both if lang in (ALL, lang_of[task])]
        tables = np.stack([contingency(gold[task], silver[task], KINDS) for task in tasks])
        sums = cluster_sums(tasks, tables.reshape(len(tables), -1))
        found = writer.intervals(
            sums, lambda totals: _pair_statistics(totals, 1)[:, [0, 1, 3]], bounds=(KAPPA, KAPPA, UNIT)
        )
        names = ("silver_gold_kappa", "silver_gold_kappa_typed", "silver_gold_agreement")
        made += [
            writer.row(name, GOLD, {**where, "lang": lang}, one, len(tasks))
            for name, one in zip(names, found, strict=True)
        ]
    return made


def plausibility_rows(ratings: Sequence[tuple[str, int]], writer: ScoreWriter) -> list[dict]:
    """`plausibility_rate` of each rating 1–5 per language and over all, from (language, rating) of single
    ratings (mFAVA Table 1).
    """
    made = []
    for lang in [*sorted({lang for lang, _ in ratings}), ALL] if ratings else []:
        found = np.array([rating for name, rating in ratings if lang in (ALL, name)])
        for rating in range(1, 6):
            row = writer.row(
                "plausibility_rate",
                ANNOTATORS,
                {"lang": lang, "rating": rating},
                float((found == rating).mean()),
                len(found),
            )
            made.append(row)
    return made


# ---- Gold samples from what annotators returned (mFAVA section 3.1, appendi --------------------------------


# Why a label row or an annotator is not used. The first group stops a run unless params say `on_bad_row: reject`.
BAD_ROWS = (
    *annotation.BAD_ROWS, "bad_spans", "unknown_type", "outside_text", "overlapping_types", "bad_plausibility",
)  # fmt: skip
NOT_KEPT = ("screened_out", "no_labels")
RATINGS = ("very unlikely", "unlikely", "neutral", "likely", "very likely")


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
    """Return gold samples, every label as a judgement, rejects and agreement, from the rows of label files
    (`label_files.read_labels`). `inputs` is the digest that their scores name.
    """
    settings = at.p.track(board)
    settle = settings.labelling.settle
    writer = ScoreWriter(board, inputs, at.p.statistics, at.p.seed)
    texts = texts_of(tasks, dataset, tokenizer=settings.tokenizer)
    labels, rejects = annotation.checked_labels(
        rows, texts, read_row, where=where, on_bad_row=at.p.on_bad_row
    )
    found = screened(labels, texts, threshold=settings.labelling.screening_agreement)
    rejects += [
        reject("screened_out", f"{share:.3f} agreement with silver in {lang}", target=name)
        for (lang, name), share in found.agreement.items()
        if (lang, name) not in found.passed
    ]
    if labels:
        unlabelled = sorted(set(texts) - set(found.labels))
        rejects += [
            reject("no_labels", "nobody who is heard labelled it", target=name) for name in unlabelled
        ]
    scores = label_scores(labels, texts, found, writer) if labels else []
    scores += published_rows(dataset["samples"], settings.tokenizer, writer)
    scores += published_agreement(tables.samples, tables.judgements, settings.tokenizer, writer)
    judgements = [
        judgement_of(
            label,
            label.value,
            {
                "heard": "yes" if (texts[label.task_id].lang, label.annotator) in found.passed else None,
                "plausibility": label.rating,
            },
        )
        for label in labels
    ]
    samples = [
        _sample(texts[name], of_task, found.closest, settle=settle)
        for name, of_task in sorted(found.labels.items())
    ]
    return Labelled.of_rows(samples, judgements, rejects, scores)


def texts_of(
    tasks: Sequence[dict], dataset: Mapping[str, pl.DataFrame], *, tokenizer: str
) -> dict[str, Text]:
    """Return the texts that were given out, by task: silver samples by `sample_id`, replies by `generation_id`.
    Others are not known here.
    """
    names = [task["task_id"] for task in tasks]
    items = dataset["items"].select("item_id", "group_id", "lang")
    cut, texts = offsets_by(tokenizer), {}
    for row in dataset["samples"].filter(pl.col("sample_id").is_in(names)).iter_rows(named=True):
        offsets = tuple(cut(row["text"]))
        fields = {name: row[name] for name in ("item_id", "group_id", "task", "lang", "text", "generator")}
        silver = row_types(offsets, row["spans"]) if row["label_source"] == "silver" else None
        texts[row["sample_id"]] = Text(row["sample_id"], **fields, offsets=offsets, silver=silver)
    replies = dataset["generations"].filter(pl.col("generation_id").is_in(names))
    for row in replies.join(items, on="item_id", how="left", maintain_order="left").iter_rows(named=True):
        name, fields = (
            row["generation_id"],
            {key: row[key] for key in ("item_id", "group_id", "lang", "text")},
        )
        offsets = tuple(cut(row["text"]))
        texts[name] = Text(name, **fields, task="wild", generator=row["model"], offsets=offsets, silver=None)
    return texts


def read_row(row: dict, text: Text) -> tuple[dict, Sequence[annotation.LeftOut]]:
    """Return the fields of a Label that a row holds of its text; raises BadLabel where it does not hold."""
    if row.get("spans") is None:
        raise BadLabel(
            "missing_field", "field 'spans' is missing; an empty list says that nothing is hallucinated"
        )
    located: set[Span] = set()
    for span, record in located_spans(row["spans"], text.text, TYPES, bad_type="unknown_type"):
        if span is None:
            start, end = record.get("start"), record.get("end")
            shown = f"{start}–{end}" if start is not None else repr(str(record.get("text"))[:40])
            raise BadLabel(
                "outside_text", f"span {shown} is not a part of the text of {len(text.text)} characters"
            )
        located.add(span)
    spans = tuple(sorted(located))
    for before, after in zip(spans, spans[1:], strict=False):
        if after.start < before.end and after.type != before.type:
            both = f"{before.type} {before.start}–{before.end} and {after.type} {after.start}–{after.end}"
            raise BadLabel("overlapping_types", f"spans of different types overlap: {both}")
    return {"value": bool(spans), "spans": spans, "rating": _plausibility(row.get("plausibility"))}, ()


def _plausibility(value: object) -> int | None:
    if value is None or value == "":
        return None
    rating = value.strip().lower() if isinstance(value, str) else value
    if isinstance(rating, str):
        rating = RATINGS.index(rating) + 1 if rating in RATINGS else int(rating) if rating.isdecimal() else 0
    if (
        not isinstance(rating, int | float)
        or isinstance(rating, bool)
        or rating not in range(1, len(RATINGS) + 1)
    ):
        raise BadLabel(
            "bad_plausibility", f"plausibility is {str(value)[:40]!r}; allowed: 1–5, or {', '.join(RATINGS)}"
        )
    return int(rating)


def _sample(text: Text, labels: Sequence[Label], closest: Mapping[str, str], *, settle: str) -> dict:
    """A gold sample. Its id is its own: the passage (`silver`) or reply (`generation`) that it labels is judged
    by its own id.
    """
    spans = settled(labels, text, closest, settle=settle)
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
        attributes=pairs(
            n_labels=len(labels),
            settled=settle if len(labels) > 1 else None,
            silver=text.task_id if text.task == "silver" else None,
            generation=text.task_id if text.task == "wild" else None,
        ),
    )
