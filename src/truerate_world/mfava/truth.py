"""The planted truth of a board of replies in the wild: the share of hallucinated tokens in the very replies
of its data set.
"""

from collections.abc import Iterable, Sequence

import polars as pl

from truerate.core.schemas import pairs
from truerate.metrics.tokens import offsets_by, token_counts, total
from truerate_world.mfava.models.entity_table import build
from truerate_world.mfava.models.planted import TYPES
from truerate_world.mfava.models.reader import reader

DIGITS = 6
FLAWS = ("repeats", "dont_know", "cut", "wrong_language")
ALL = "all"


def planted_scores(
    board: str,
    *,
    seed: int,
    models: Sequence[str],
    generations: pl.DataFrame,
    tokenizer: str,
    inputs: str = "",
) -> list[dict]:
    """Score rows of method `planted`: hallucination_rate (in [0, 1]) and n_spans per model and language over
    replies of purpose `answer`.

    `models` are the aliases of simulated models. Replies `all`, and `kept` without those that repeat
    themselves, do not know, are cut or in the wrong language. Within a language tokens are pooled over all
    replies; lang `all` is the mean over languages (n: their replies). A model without a token in a language
    has no row there.
    """
    answers = generations.filter(
        (pl.col("purpose") == "answer") & (pl.col("status") == "ok") & pl.col("model").is_in(list(models))
    )
    read = [_read(row, seed, tokenizer) for row in answers.sort("generation_id").iter_rows(named=True)]
    known = {"board": board, "low": None, "high": None, "method": "planted", "inputs": inputs}
    return [{**row, **known} for row in [*_rates(read), *_spans(read)]]


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
    for one in read:
        for replies in ("all", "kept") if one["is_kept"] else ("all",):
            groups.setdefault((one["model"], replies, one["lang"]), []).append(one)
    return dict(sorted(groups.items()))


def _rates(read: Sequence[dict]) -> list[dict]:
    made, by_model = [], {}
    for (model, replies, code), found in _groups(read).items():
        counts = total(one["counts"] for one in found)
        if counts.n:
            rate = counts.gold / counts.n
            by_model.setdefault((model, replies), []).append((rate, len(found)))
            made.append(
                _row("hallucination_rate", model, {"lang": code, "replies": replies}, rate, len(found))
            )
    for (model, replies), rates in by_model.items():
        mean = sum(rate for rate, _ in rates) / len(rates)
        made.append(
            _row(
                "hallucination_rate", model, {"lang": ALL, "replies": replies}, mean, sum(n for _, n in rates)
            )
        )
    return made


def _spans(read: Sequence[dict]) -> list[dict]:
    """How many false spans of each type the replies hold."""
    made = []
    for (model, replies, code), found in _groups(read).items():
        types = [kind for one in found for kind in one["types"]]
        made += [
            _row(
                "n_spans",
                model,
                {"lang": code, "replies": replies, "type": kind},
                types.count(kind),
                len(found),
            )
            for kind in TYPES
        ]
    return made


def _row(metric: str, subject: str, where: dict[str, str], value: float, n: int) -> dict:
    slices = pairs(estimator="planted", **where)
    return {
        "metric": metric,
        "subject": subject,
        "slice": slices,
        "value": round(float(value), DIGITS),
        "n": n,
    }
