"""The planted truth of a board as scores: the expectation over infinitely many draws on the same texts.
The truth of each text is read from the text itself, so that wrong labels count.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import polars as pl

from truerate_world.encyclopedia import World
from truerate_world.halueval.models.claim_checker import Finding, speaker
from truerate_world.halueval.models.profiles import PROFILES, Model
from truerate_world.halueval.models.simulated_model import find, helped
from truerate_world.halueval.models.tasks import TEXT, Asked
from truerate_world.halueval.models.verdict_wording import OF_CHOICES, OF_VERDICTS
from truerate_world.manners import unread_after
from truerate_world.steps import attributes, mean_row, planted_row, score_rows

LENGTH_RULED = ("qa", "summarization")
REASONS = {  # why a candidate is none, as the models' profiles and as boards name it
    "refusal": "refusal",
    "named_again": "right-restated",
    "restated": "same_as_right",
    "unfinished": "dead",
}


def planted_scores(
    board: str,
    *,
    world: World,
    models: Mapping[str, str],
    efforts: Mapping[str, str] | None = None,
    subjects: Sequence[str] | None = None,
    samples: pl.DataFrame,
    items: pl.DataFrame,
    documents: pl.DataFrame,
    variants: Sequence[str],
    knowledge: Mapping[str, str] | None = None,
    generations: pl.DataFrame | None = None,
    reask: int = 0,
    inputs: str = "",
) -> list[dict]:
    """Return planted score rows for recognition and, with `generations`, for candidates and filtering.
    `models`: simulated models by alias; `efforts`: at which those think that do; `subjects`: the ranked ones
    (default all); `knowledge`: given by item (default its own documents; never for summaries); `reask`: retries of
    an unread reply.
    """
    item_of = {row["item_id"]: row for row in items.iter_rows(named=True)}
    ordered = samples.sort("sample_id").iter_rows(named=True)
    rows = [(row, item_of[row["item_id"]]) for row in ordered if row["item_id"] in item_of]
    evidence = _evidence(item_of, documents)
    given = evidence if knowledge is None else knowledge
    aliases = [alias for alias in models if subjects is None or alias in subjects]
    ranked = {alias: replace(PROFILES[models[alias]], effort=(efforts or {}).get(alias)) for alias in aliases}
    planted: list[dict] = []
    for variant in variants:
        if variant == "contrast":
            n_pairs = _pairs(rows)
            for alias, model in ranked.items():
                planted += _contrast(alias, model, n_pairs, unread=_unread(model, reask, OF_CHOICES))
            continue
        truths = list(_truths(world, rows, evidence, given, variant))
        for alias, model in ranked.items():
            planted += _recognition(alias, model, truths, variant, unread=_unread(model, reask, OF_VERDICTS))
    if generations is not None:
        planted += _candidates(models, generations) + _filtering(models, generations, reask)
    return score_rows(planted, board, inputs)


def _evidence(item_of: Mapping[str, Mapping], documents: pl.DataFrame) -> dict[str, str]:
    """The texts of each item's own documents, one after the other."""
    texts = dict(documents.select("document_id", "text").iter_rows())
    return {
        name: "\n\n".join(texts[document] for document in item["document_ids"] if document in texts)
        for name, item in item_of.items()
    }


def _truths(
    world: World,
    rows: Iterable[tuple[dict, dict]],
    evidence: Mapping[str, str],
    given: Mapping[str, str],
    variant: str,
) -> Iterable[tuple[dict, Finding, str]]:
    """Each sample that the variant asks about, the truth of its text, and the variant whose rates apply."""
    for row, item in rows:
        task, knowledge = row["task"], given.get(row["item_id"], "")
        if variant == "knowledge" and (task == "summarization" or not knowledge):
            continue
        fields = {TEXT[task]: row["text"]}
        if variant == "knowledge":
            fields["Knowledge"] = knowledge
        if task == "summarization":
            fields["Document"] = evidence[row["item_id"]]
        fields |= {"Dialogue History": f"{item['history']}\n{item['question']}"} if task == "dialogue" else {}
        fields |= {"Question": item["question"], "User Query": item["question"]}
        asked = Asked("recognition", task, "", fields, is_step_by_step=variant == "chain-of-thought")
        finding = _finding(world, asked.task, tuple(sorted(fields.items())))
        yield row, finding, helped(asked, finding)


@lru_cache(maxsize=100_000)
def _finding(world: World, task: str, fields: tuple[tuple[str, str], ...]) -> Finding:
    asked = Asked("recognition", task, "", dict(fields))
    return find(speaker(world, "\n".join(text for _, text in fields)), asked, asked.fields[TEXT[task]])


def _recognition(
    alias: str, model: Model, truths: list[tuple[dict, Finding, str]], variant: str, *, unread: float
) -> list[dict]:
    """TPR over texts labelled hallucinated, TNR over the others, unparsed rate, by task and pattern."""
    groups: dict[tuple, list[float]] = {}
    for row, finding, rates in truths:
        p = model.p_yes(row["task"], rates, is_hallucinated=finding.is_hallucinated, pattern=finding.pattern)
        groups.setdefault(("unparsed_rate", row["task"], None), []).append(unread)
        if not row["is_hallucinated"]:
            groups.setdefault(("tnr", row["task"], None), []).append(1 - p)
            continue
        for pattern in {None, row["pattern"]}:
            groups.setdefault(("tpr", row["task"], pattern), []).append(p)
    ordered = sorted(groups.items(), key=lambda entry: tuple(map(str, entry[0])))
    return [
        mean_row(metric, alias, {"task": task, "variant": variant, "pattern": pattern}, values)
        for (metric, task, pattern), values in ordered
    ]


def _pairs(rows: Iterable[tuple[dict, dict]]) -> dict[str, int]:
    """How many pairs with two sides each task has."""
    sides: dict[tuple[str, str], set[bool]] = {}
    for row, _ in rows:
        if row["pair_id"] is not None:
            sides.setdefault((row["task"], row["pair_id"]), set()).add(row["is_hallucinated"])
    tasks = sorted(task for (task, _), labels in sides.items() if len(labels) == 2)
    return {task: tasks.count(task) for task in dict.fromkeys(tasks)}


def _contrast(alias: str, model: Model, n_pairs: Mapping[str, int], *, unread: float) -> list[dict]:
    """Accuracy in one order and in both, and first-position rate; an unread choice is wrong."""
    rows = []
    for task, n in n_pairs.items():
        where = {"task": task, "variant": "contrast"}
        unbiased, read = (1 - model.position_bias) * model.contrast[task], 1 - unread
        accuracy = (unbiased + model.position_bias / 2) * read
        rows.append(planted_row("accuracy", alias, where, accuracy, 2 * n))
        rows.append(planted_row("accuracy_both_orders", alias, where, unbiased * read**2, n))
        rows.append(planted_row("accuracy_one_side", alias, where, accuracy, n))
        rows.append(planted_row("first_position_rate", alias, where, (1 + model.position_bias) / 2, 2 * n))
        rows.append(planted_row("unparsed_rate", alias, where, unread, 2 * n))
    return rows


def _candidates(models: Mapping[str, str], generations: pl.DataFrame) -> list[dict]:
    """Failure rates of candidates by pattern and by reason, and how often one is too long."""
    failing: dict[tuple, list[float]] = {}
    reasons: dict[tuple, list[float]] = {}
    breaking: dict[tuple, list[float]] = {}
    for row in generations.filter(pl.col("purpose") == "sample").iter_rows(named=True):
        record = attributes(row)
        model, task, pattern = models.get(row["model"]), record.get("task"), record.get("pattern")
        if model is None or (task, pattern) not in PROFILES[model].restating:
            continue
        failing.setdefault((row["model"], task, pattern), []).append(PROFILES[model].failure(task, pattern))
        for name, rate in PROFILES[model].failures(task, pattern).items():
            if rate:
                reasons.setdefault((row["model"], task, REASONS[name]), []).append(rate)
        if task in LENGTH_RULED:
            rate = PROFILES[model].too_long(task, pattern)
            breaking.setdefault((row["model"], task, record.get("scheme")), []).append(rate)
    return [
        *_means("candidate_failure_rate", "pattern", failing),
        *_means("candidate_failure_rate", "reason", reasons),
        *_means("length_rule_broken_rate", "scheme", breaking),
    ]


def _means(metric: str, key: str, record: Mapping[tuple, list[float]]) -> list[dict]:
    """A row per generator, task and value of `key`: the mean of its probabilities."""
    return [
        mean_row(metric, alias, {"task": task, key: value}, values)
        for (alias, task, value), values in sorted(record.items())
    ]


def _filtering(models: Mapping[str, str], generations: pl.DataFrame, reask: int) -> list[dict]:
    """Rates of changed choices, first choices and unread choices, by judge and task."""
    asked: dict[tuple[str, str], int] = {}
    for row in generations.filter(pl.col("purpose") == "filter").iter_rows(named=True):
        task = attributes(row).get("task")
        if row["model"] in models and task:
            asked[row["model"], task] = asked.get((row["model"], task), 0) + 1
    rows = []
    for (alias, task), n in sorted(asked.items()):
        bias = PROFILES[models[alias]].position_bias
        rows.append(planted_row("filter_disagreement_rate", alias, {"task": task}, bias, n // 2))
        rows.append(planted_row("filter_first_position_rate", alias, {"task": task}, (1 + bias) / 2, n))
        unread = _unread(PROFILES[models[alias]], reask, OF_CHOICES)
        rows.append(planted_row("filter_unparsed_rate", alias, {"task": task}, unread, n))
    return rows


def _unread(model: Model, reask: int, allowed: Sequence[str]) -> float:
    """The share of a model's verdicts or choices that are never given."""
    return unread_after(model.name, model.unparsed, reask, allowed)
