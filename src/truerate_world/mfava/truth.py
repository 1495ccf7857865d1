"""The planted truth of replies in the wild: the share of hallucinated tokens in a board's own replies."""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from truerate.core.schemas import pair
from truerate.metrics.tokens import offsets_by, token_counts, total
from truerate_world.manners import manners_of
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.planted import PROFILES, TYPES
from truerate_world.mfava.models.reader import reader
from truerate_world.models import base
from truerate_world.steps import attributes, planted_row, score_rows

FLAWS = ("repeats", "dont_know", "cut", "wrong_language")
ALL = "all"
REJECTED = {  # steps whose replies are rejected as often whatever they are about, and the reasons
    "write": ("thought_only",),
    "insert": ("refusal", "thought_only", "altered"),
    "translate": ("thought_only",),
}


def planted_scores(
    board: str,
    *,
    seed: int,
    models: Sequence[str],
    simulated: Mapping[str, str] | None = None,
    generations: pl.DataFrame,
    tokenizer: str,
    inputs: str = "",
) -> list[dict]:
    """Return planted rows: hallucination_rate and n_spans per model, language, and replies (all, kept).
    `models`: measured aliases; `simulated`: all, whose other replies have a rejected_rate by reason. Tokens
    are pooled within a language; lang `all` is the mean over languages. A model without a token in a language
    has no row.
    """
    simulated = simulated or {}
    answers = generations.filter(
        (pl.col("purpose") == "answer") & (pl.col("status") == "ok") & pl.col("model").is_in(list(models))
    )
    read = [_read(row, seed, tokenizer) for row in answers.sort("generation_id").iter_rows(named=True)]
    return score_rows([*_rates(read), *_spans(read), *_rejected(generations, simulated)], board, inputs)


def _rejected(generations: pl.DataFrame, simulated: Mapping[str, str]) -> list[dict]:
    """Rates of refused, cut and altered replies of writer and translator, by step and language."""
    rows = []
    replies = generations.select("purpose", "model", pair("attributes", "lang"))
    groups = replies.filter(pl.col("purpose").is_in(list(REJECTED))).group_by("purpose", "model")
    for (step, alias), part in sorted(groups, key=lambda group: group[0]):
        if alias in simulated:
            profile, cut = PROFILES[base(simulated[alias])], manners_of(simulated[alias]).unfinished
            refuses = profile.refuses if step == "insert" else 0.0
            rates = {"refusal": refuses, "thought_only": (1 - refuses) * cut}
            rates |= {"altered": (1 - refuses) * (1 - cut) * profile.altered}
            for code in [*sorted(part["lang"].drop_nulls().unique()), ALL]:
                n = part.height if code == ALL else part.filter(pl.col("lang") == code).height
                for reason in REJECTED[step]:
                    where = {"step": step, "lang": code, "reason": reason}
                    rows.append(planted_row("rejected_rate", alias, where, rates[reason], n))
    return rows


def _read(row: dict, seed: int, tokenizer: str) -> dict:
    """One reply: whose, in which language, whether it is kept, its tokens, and what is false in it."""
    facts = attributes(row)
    spans = reader(build(seed)).truth(row["text"], facts["lang"])
    offsets = [(span["start"], span["end"]) for span in spans]
    counts = token_counts(offsets_by(tokenizer)(row["text"]), offsets, [])
    is_kept = not any(facts.get(flaw) == "yes" for flaw in FLAWS)
    reply = {"model": row["model"], "lang": facts["lang"], "is_kept": is_kept}
    return reply | {"counts": counts, "types": [span["type"] for span in spans]}


def _groups(read: Iterable[dict]) -> dict[tuple[str, str, str], list[dict]]:
    """Replies by model, which of them are counted, and language."""
    groups: dict[tuple[str, str, str], list[dict]] = {}
    for row in read:
        for replies in ("all", "kept") if row["is_kept"] else ("all",):
            groups.setdefault((row["model"], replies, row["lang"]), []).append(row)
    return dict(sorted(groups.items()))


def _rates(read: Sequence[dict]) -> list[dict]:
    entries, by_model = [], {}
    for (model, replies, code), rows in _groups(read).items():
        counts = total(row["counts"] for row in rows)
        if counts.n:
            rate, where = counts.gold / counts.n, {"lang": code, "replies": replies}
            by_model.setdefault((model, replies), []).append((rate, len(rows)))
            entries.append(_row("hallucination_rate", model, where, rate, len(rows)))
    for (model, replies), rates in by_model.items():
        mean, n = sum(rate for rate, _ in rates) / len(rates), sum(n for _, n in rates)
        entries.append(_row("hallucination_rate", model, {"lang": ALL, "replies": replies}, mean, n))
    return entries


def _spans(read: Sequence[dict]) -> list[dict]:
    """How many false spans of each type the replies hold."""
    entries = []
    for (model, replies, code), rows in _groups(read).items():
        types = [kind for row in rows for kind in row["types"]]
        for kind in TYPES:
            where = {"lang": code, "replies": replies, "type": kind}
            entries.append(_row("n_spans", model, where, types.count(kind), len(rows)))
    return entries


def _row(metric: str, subject: str, where: dict[str, str], value: float, n: int) -> dict:
    return planted_row(metric, subject, {"estimator": "planted", **where}, value, n)
