"""The planted truth of a board of replies in the wild: the share of hallucinated tokens in the very replies
of its data set.
"""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from truerate.core.schemas import pair, pairs
from truerate.metrics.tokens import offsets_by, token_counts, total
from truerate_world.manners import manners_of
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.planted import PROFILES, TYPES
from truerate_world.mfava.models.reader import reader
from truerate_world.models import base

DIGITS = 6
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
    """Score rows of method `planted`: hallucination_rate (in [0, 1]) and n_spans per model and language over
    replies of purpose `answer`.

    `models` are the aliases of simulated models that are measured, `simulated` all by what is behind them, whose
    replies of other purposes have a rejected_rate by reason. Replies `all`, and `kept` without those that repeat
    themselves, do not know, are cut or in the wrong language. Within a language tokens are pooled over all
    replies; lang `all` is the mean over languages (n: their replies). A model without a token in a language
    has no row there.
    """
    simulated = simulated or {}
    answers = generations.filter(
        (pl.col("purpose") == "answer") & (pl.col("status") == "ok") & pl.col("model").is_in(list(models))
    )
    read = [_read(row, seed, tokenizer) for row in answers.sort("generation_id").iter_rows(named=True)]
    texts_by_name = {"board": board, "low": None, "high": None, "method": "planted", "inputs": inputs}
    return [
        {**row, **texts_by_name} for row in [*_rates(read), *_spans(read), *_rejected(generations, simulated)]
    ]


def _rejected(generations: pl.DataFrame, simulated: Mapping[str, str]) -> list[dict]:
    """That a reply of the writer or translator is refused, is a thought that is cut, or is altered
    outside its tags, by step and language; the rates are the same for every prompt.
    """
    rows = []
    known = generations.select("purpose", "model", pair("attributes", "lang"))
    groups = known.filter(pl.col("purpose").is_in(list(REJECTED))).group_by("purpose", "model")
    for (step, alias), part in sorted(groups, key=lambda found: found[0]):
        if alias in simulated:
            profile, cut = PROFILES[base(simulated[alias])], manners_of(simulated[alias]).unfinished
            refuses = profile.refuses if step == "insert" else 0.0
            rates = {"refusal": refuses, "thought_only": (1 - refuses) * cut}
            rates |= {"altered": (1 - refuses) * (1 - cut) * profile.altered}
            for code in [*sorted(part["lang"].drop_nulls().unique()), ALL]:
                n = part.height if code == ALL else part.filter(pl.col("lang") == code).height
                rows += [
                    _named(
                        "rejected_rate", alias, {"step": step, "lang": code, "reason": name}, rates[name], n
                    )
                    for name in REJECTED[step]
                ]
    return rows


def _read(row: dict, seed: int, tokenizer: str) -> dict:
    """One reply: whose, in which language, whether it is kept, its tokens, and what is false in it."""
    facts = {pair["key"]: pair["value"] for pair in row["attributes"]}
    spans = reader(build(seed)).truth(row["text"], facts["lang"])
    counts = token_counts(
        offsets_by(tokenizer)(row["text"]), [(span["start"], span["end"]) for span in spans], []
    )
    is_kept = not any(facts.get(flaw) == "yes" for flaw in FLAWS)
    return {
        "model": row["model"],
        "lang": facts["lang"],
        "is_kept": is_kept,
        "counts": counts,
        "types": [span["type"] for span in spans],
    }


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
            rate = counts.gold / counts.n
            by_model.setdefault((model, replies), []).append((rate, len(rows)))
            entries.append(
                _row("hallucination_rate", model, {"lang": code, "replies": replies}, rate, len(rows))
            )
    for (model, replies), rates in by_model.items():
        mean = sum(rate for rate, _ in rates) / len(rates)
        entries.append(
            _row(
                "hallucination_rate", model, {"lang": ALL, "replies": replies}, mean, sum(n for _, n in rates)
            )
        )
    return entries


def _spans(read: Sequence[dict]) -> list[dict]:
    """How many false spans of each type the replies hold."""
    entries = []
    for (model, replies, code), rows in _groups(read).items():
        types = [kind for row in rows for kind in row["types"]]
        entries += [
            _row(
                "n_spans",
                model,
                {"lang": code, "replies": replies, "type": kind},
                types.count(kind),
                len(rows),
            )
            for kind in TYPES
        ]
    return entries


def _row(metric: str, subject: str, where: dict[str, str], value: float, n: int) -> dict:
    return _named(metric, subject, {"estimator": "planted", **where}, value, n)


def _named(metric: str, subject: str, where: dict[str, str], value: float, n: int) -> dict:
    return {
        "metric": metric,
        "subject": subject,
        "slice": pairs(**where),
        "value": round(float(value), DIGITS),
        "n": n,
    }
