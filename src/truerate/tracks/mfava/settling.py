"""Which annotators count, one set of spans from several people's labels of a text (mFAVA section 3.1,
appendix A.2), and how far people agree with one another and with silver.

Annotators of a language pass where they agree enough with silver. A text that several labelled is settled by
max-voting over its tokens, or (the paper's way) by the label of the annotator who is closest to silver over
all shared texts, which favours silver. Which one makes the samples is a setting; both are scored.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import polars as pl

from truerate.annotation.agreement import ANNOTATORS, span_agreement
from truerate.annotation.labels import Label, Span
from truerate.annotation.voting import by_task, passing
from truerate.core.spans.tags import TYPES
from truerate.metrics.agreement import (
    KAPPA,
    cohen_kappa,
    contingency,
    marked_agreement,
    marked_or_not,
    table_agreement,
)
from truerate.metrics.cells import mean_of_defined
from truerate.metrics.intervals import UNIT, cluster_sums
from truerate.metrics.score_writer import ALL, ScoreWriter
from truerate.metrics.spans import HARD
from truerate.metrics.tokens import Span as Offset
from truerate.metrics.tokens import marked, offsets_by

VOTING, CLOSEST = "max-voting", "closest-to-silver"
GOLD = "gold"  # the subject of what is settled
PEOPLE = ("gold", "published")  # label sources that are people
KINDS = len(TYPES) + 1  # of a token: unmarked, or one of the types
MAX_PAIRED = 10  # annotators of one language of a source: more of them have hardly a text in common
Tokens = Mapping[tuple[str, str], np.ndarray]  # token types by (task, annotator)


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
class Screened:
    """The labels of annotators who passed, by task, and the token types of each label, by (task, annotator).

    `agreement`: with silver, of each (language, annotator); `passed`: who reached the threshold; `closest`:
    who of a language agrees most with silver over the shared passages.
    """

    labels: dict[str, list[Label]]
    tokens: Tokens
    agreement: dict[tuple[str, str], float | None]
    passed: set[tuple[str, str]]
    closest: dict[str, str]


# ---- tokens of one text ------------------------------------------------------------------------------------


def token_types(offsets: Sequence[Offset], spans: Iterable[Span]) -> np.ndarray:
    """Return the type of each token (tokens,): its place in TYPES + 1, 0 for no mark; of spans the last."""
    types = np.zeros(len(offsets), dtype=int)
    for span in spans:
        types[marked(offsets, [(span.start, span.end)])] = TYPES.index(span.type) + 1
    return types


def row_types(offsets: Sequence[Offset], spans: Sequence[dict]) -> np.ndarray:
    """Return the token types of the hard spans of a Sample row; spans without a type count as one type."""
    hard = [span for span in spans if span["p"] is None or span["p"] > HARD]
    types = [span["type"] if span["type"] in TYPES else TYPES[0] for span in hard]
    typed = zip(hard, types, strict=True)
    return token_types(offsets, [Span(span["start"], span["end"], kind) for span, kind in typed])


def voted(offsets: Sequence[Offset], labels: Sequence[Label]) -> tuple[np.ndarray, np.ndarray]:
    """Return each token's share of annotators who marked it, and the type that most of those named (0: no
    mark; ties by the order of TYPES), both (tokens,).
    """
    types = np.stack([token_types(offsets, label.spans) for label in labels])
    votes = np.stack([(types == kind).sum(axis=0) for kind in range(1, KINDS)])
    share = (types > 0).mean(axis=0)
    return share, np.where(share > 0, votes.argmax(axis=0) + 1, 0)


def runs(
    offsets: Sequence[Offset], types: np.ndarray, share: np.ndarray, keep: Callable[[float], bool]
) -> list[dict]:
    """Return spans of neighbouring tokens with one type and one share that `keep` keeps."""
    spans: list[dict] = []
    last = None
    for (start, end), kind, p in zip(offsets, types.tolist(), share.tolist(), strict=True):
        current = (kind, p) if kind and keep(p) else None
        if current is not None and current == last:
            spans[-1]["end"] = end
        elif current is not None:
            spans.append({"start": start, "end": end, "type": TYPES[kind - 1], "p": round(p, 6)})
        last = current
    return spans


# ---- all texts ---------------------------------------------------------------------------------------------


def screened(labels: Sequence[Label], texts: Mapping[str, Text], *, threshold: float) -> Screened:
    """Return the labels that count: of annotators of a language whose agreement with silver on its passages
    reaches the threshold, or is not known.
    """
    tokens = {}
    for label in labels:
        types = token_types(texts[label.task_id].offsets, label.spans)
        tokens[label.task_id, label.annotator] = types

    def agreement_on(names: Sequence[str], annotator: str) -> float | None:
        silver = [types for name in names if (types := texts[name].silver) is not None]
        return marked_agreement([tokens[name, annotator] for name in names], silver)

    passages_of: dict[tuple[str, str], list[str]] = {}
    for label in labels:
        text = texts[label.task_id]
        passages = passages_of.setdefault((text.lang, label.annotator), [])
        passages += [label.task_id] if text.silver is not None else []
    agreement = {key: agreement_on(names, key[1]) for key, names in sorted(passages_of.items())}
    passed = passing(agreement, threshold)
    kept = by_task(label for label in labels if (texts[label.task_id].lang, label.annotator) in passed)
    # who agrees most with silver over the passages that several labelled; the first by name of equals
    shared: dict[str, dict[str, list[str]]] = {}
    for name, of_task in kept.items():
        for label in of_task if len(of_task) > 1 and texts[name].silver is not None else ():
            shared.setdefault(texts[name].lang, {}).setdefault(label.annotator, []).append(name)
    closest = {
        lang: max(sorted(names), key=lambda who: agreement_on(names[who], who) or 0.0)
        for lang, names in sorted(shared.items())
    }
    return Screened(kept, tokens, agreement, passed, closest)


def settled(labels: Sequence[Label], text: Text, closest: Mapping[str, str], *, settle: str) -> list[dict]:
    """Return the spans of one text: its one annotator's, or as several are settled; p is the share of votes.

    Voted replies in the wild keep the spans of minorities, too (soft labels; p ≤ 0.5 does not count as
    marked); silver passages do not.
    """
    only = labels[0] if len(labels) == 1 else None
    if only is None and settle == CLOSEST:
        only = next((label for label in labels if label.annotator == closest.get(text.lang)), None)
    if only is not None:
        return [{**span._asdict(), "p": None} for span in only.spans]
    share, types = voted(text.offsets, labels)
    least = 0 if text.task == "wild" else HARD
    return runs(text.offsets, types, share, lambda p: p > least)


# ---- scores ------------------------------------------------------------------------------------------------


def label_scores(
    labels: Sequence[Label], texts: Mapping[str, Text], kept: Screened, writer: ScoreWriter
) -> list[dict]:
    """Return screening, agreement on shared texts, and gold with silver if settled either way."""
    lang_of = {name: text.lang for name, text in texts.items()}
    silver = {name: text.silver for name, text in texts.items() if text.silver is not None}
    n_of = Counter((lang_of[label.task_id], label.annotator) for label in labels if label.task_id in silver)
    scores = []
    for (lang, annotator), share in kept.agreement.items():
        n = n_of[lang, annotator]
        scores.append(writer.row("screening_agreement", annotator, {"lang": lang}, share, n))
    for lang in sorted({lang for lang, _ in kept.agreement}):
        n, passed = (sum(name == lang for name, _ in keys) for keys in (kept.agreement, kept.passed))
        scores.append(writer.row("n_annotators_passed", ANNOTATORS, {"lang": lang}, float(passed), n))
    shared = [label for of_task in kept.labels.values() if len(of_task) > 1 for label in of_task]
    keys = sorted((label.task_id, label.annotator) for label in shared)
    scores += agreement_rows({key: kept.tokens[key] for key in keys}, lang_of, writer)
    for lang in [*sorted({lang_of[task] for task, _ in keys}), ALL] if keys else []:
        of_lang = [name for name in dict(keys) if lang in (ALL, lang_of[name])]
        marked = [(name, len(texts[name].text), kept.labels[name]) for name in of_lang]
        scores += span_agreement(marked, {"lang": lang}, writer)
    for settle in (VOTING, CLOSEST):
        gold = {
            name: row_types(texts[name].offsets, settled(of_task, texts[name], kept.closest, settle=settle))
            for name, of_task in kept.labels.items()
            if name in silver
        }
        scores += silver_gold_rows(gold, silver, lang_of, {"settled": settle}, writer)
    return scores


def published_agreement(
    samples: pl.DataFrame, judgements: pl.DataFrame, tokenizer: str, writer: ScoreWriter
) -> list[dict]:
    """Return the agreement of a source's own annotators, where a language has at most MAX_PAIRED of them."""
    texts = samples.select("sample_id", "text", "lang")
    judged = texts.join(judgements, left_on="sample_id", right_on="target_id", maintain_order="left")
    is_few = pl.col("judge").n_unique().over("lang") <= MAX_PAIRED
    shared = judged.filter(is_few).filter(pl.len().over("sample_id") > 1).sort("sample_id", "judge")
    cut, tokens, lang_of = offsets_by(tokenizer), {}, {}
    columns = shared.select("sample_id", "text", "lang", "judge", "spans")
    for name, text, lang, judge, spans in columns.iter_rows():
        tokens[name, judge], lang_of[name] = row_types(cut(text), spans), lang
    return agreement_rows(tokens, lang_of, writer) if tokens else []


def published_rows(samples: pl.DataFrame, tokenizer: str, writer: ScoreWriter) -> list[dict]:
    """Return the agreement of a source's own gold with silver of the same texts (settled: published)."""
    passages = samples.filter(task="silver").select("item_id", "text", "lang", "label_source", "spans")
    by_people = passages.filter(pl.col("label_source").is_in(PEOPLE))
    by_silver = passages.filter(label_source="silver")
    both = by_people.join(by_silver, on=["item_id", "text"], suffix="_silver", maintain_order="left")
    cut, gold, silver, lang_of = offsets_by(tokenizer), {}, {}, {}
    for row in both.iter_rows(named=True):
        name, offsets = row["item_id"], cut(row["text"])
        gold[name], silver[name] = row_types(offsets, row["spans"]), row_types(offsets, row["spans_silver"])
        lang_of[name] = row["lang"]
    return silver_gold_rows(gold, silver, lang_of, {"settled": "published"}, writer)


def pair_tables(tokens: Tokens) -> np.ndarray:
    """Return the contingency tables of all pairs of annotators, by name, on the tasks that several labelled,
    (tasks, pairs, 7, 7); zeros where one of a pair did not label the task.
    """
    by_name: dict[str, set[str]] = {}
    for task, annotator in tokens:
        by_name.setdefault(task, set()).add(annotator)
    pairs = sorted({pair for names in by_name.values() for pair in combinations(sorted(names), 2)})
    empty = np.zeros((KINDS, KINDS))
    tables = [
        [contingency(tokens[task, a], tokens[task, b], KINDS) if {a, b} <= names else empty for a, b in pairs]
        for task, names in sorted(by_name.items())
        if len(names) > 1
    ]
    return np.array(tables).reshape(len(tables), len(pairs), KINDS, KINDS)


def agreement_rows(tokens: Tokens, lang_of: Mapping[str, str], writer: ScoreWriter) -> list[dict]:
    """Return `cohen_kappa` and `percent_agreement`, plain and by type (`…_typed`), of annotators on shared
    texts, per language and over all: means over the pairs that share a text; texts are resampled.
    """
    rows = []
    names = ("cohen_kappa", "cohen_kappa_typed", "percent_agreement", "percent_agreement_typed")
    for lang in [*sorted({lang_of[task] for task, _ in tokens}), ALL]:
        tables = pair_tables({key: types for key, types in tokens.items() if lang in (ALL, lang_of[key[0]])})
        if not tables.size:
            continue
        # a source may mark spans and name no type
        shown = slice(None) if tables[..., 2:, :].any() or tables[..., 2:].any() else slice(None, None, 2)
        estimates = writer.intervals(
            tables.reshape(len(tables), -1),
            lambda totals, n=tables.shape[1]: _pair_statistics(totals, n),
            bounds=(KAPPA, KAPPA, UNIT, UNIT),
        )
        for name, estimate in list(zip(names, estimates, strict=True))[shown]:
            rows.append(writer.row(name, ANNOTATORS, {"lang": lang}, estimate, len(tables)))
    return rows


def silver_gold_rows(
    gold: Mapping[str, np.ndarray],
    silver: Mapping[str, np.ndarray],
    lang_of: Mapping[str, str],
    where: dict,
    writer: ScoreWriter,
) -> list[dict]:
    """Return `silver_gold_kappa` (and `…_typed`) and `silver_gold_agreement`, per language and all."""
    both = sorted(set(gold) & set(silver))
    names = ("silver_gold_kappa", "silver_gold_kappa_typed", "silver_gold_agreement")
    rows = []
    for lang in [*sorted({lang_of[task] for task in both}), ALL] if both else []:
        tasks = [task for task in both if lang in (ALL, lang_of[task])]
        tables = np.stack([contingency(gold[task], silver[task], KINDS) for task in tasks])
        estimates = writer.intervals(
            cluster_sums(tasks, tables.reshape(len(tables), -1)),
            lambda totals: _pair_statistics(totals, 1)[:, [0, 1, 3]],
            bounds=(KAPPA, KAPPA, UNIT),
        )
        for name, estimate in zip(names, estimates, strict=True):
            rows.append(writer.row(name, GOLD, {**where, "lang": lang}, estimate, len(tasks)))
    return rows


def _pair_statistics(totals: np.ndarray, n_pairs: int) -> np.ndarray:
    """κ and agreement, types as one and types apart, each the mean over pairs of raters: (draws, 4)."""
    tables = totals.reshape(-1, n_pairs, KINDS, KINDS)
    flat = marked_or_not(tables)
    values = (cohen_kappa(flat), cohen_kappa(tables), table_agreement(flat), table_agreement(tables))
    return np.stack([mean_of_defined(value) for value in values], axis=1)
