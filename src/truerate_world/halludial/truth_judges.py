"""The expected scores of subjects, annotator and meta-judge over the labels of a board's texts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from truerate_world.halludial.given import Given, standing
from truerate_world.halludial.models.claims import Checker, Finding
from truerate_world.halludial.models.judging import flawed_of, is_accurate
from truerate_world.halludial.models.profiles import Model
from truerate_world.halludial.models.tasks import Asked
from truerate_world.halludial.models.verdict_wording import OF_CHOICES, OF_VERDICTS
from truerate_world.manners import unread_after
from truerate_world.steps import attributes, mean_row, planted_row

VARIANTS = {"detect": "zero-shot", "locate": "three-shot"}
HALLUCINATED = ("factuality", "faithfulness")


class Labelled(NamedTuple):
    """A sample: its item, text, attributes and label."""

    item_id: str
    text: str
    facts: dict[str, str]
    is_hallucinated: bool


class Texts:
    """The labelled texts of a board by id, people's labels of responses, and the truth of both."""

    def __init__(self, checker: Checker, given: Mapping[str, Given], samples: pl.DataFrame):
        self.checker, self.given = checker, given
        columns = samples.select("sample_id", "item_id", "text", "attributes", "is_hallucinated")
        self.samples = {
            row["sample_id"]: Labelled(row["item_id"], row["text"], attributes(row), row["is_hallucinated"])
            for row in columns.iter_rows(named=True)
            if row["item_id"] in given
        }
        labels = (
            (sample.facts.get("generation"), sample.is_hallucinated) for sample in self.samples.values()
        )
        self.gold = {name: label for name, label in labels if name}

    def finding(self, item_id: str, text: str) -> Finding:
        """The truth about a text in the gold conversation."""
        return self.checker.finding(text, self.given[item_id].knowledge, self.given[item_id].conversation())

    def is_accurate(self, sample: Labelled, evaluation: str) -> bool:
        """Whether an evaluation of a sample is."""
        given = self.given[sample.item_id]
        fields = {"Knowledge": given.knowledge, "Conversation": given.conversation()}
        fields |= {"Response": sample.text, "Evaluation": evaluation}
        return is_accurate(self.checker, Asked("meta", fields=fields))


class _Asker(NamedTuple):
    """Who is behind the aliases, and how often an unread reply is asked for again."""

    simulated: Mapping[str, Model]
    reask: int

    def unread(self, alias: str, allowed: Sequence[str]) -> float:
        """The share of an alias's verdicts or choices that are never read."""
        model = self.simulated[alias]
        return unread_after(model.name, model.unparsed, self.reask, allowed)


def judge_scores(
    texts: Texts, asked: pl.DataFrame, judgements: pl.DataFrame, *, simulated: Mapping[str, Model], reask: int
) -> list[dict]:
    """Return planted rows of verdicts, choices, annotations and evaluations."""
    asker = _Asker(simulated, reask)
    rows = [(row, attributes(row)) for row in standing(asked).sort("generation_id").iter_rows(named=True)]
    of: defaultdict[str, list[tuple]] = defaultdict(list)
    for row, facts in rows:
        of[row["purpose"]].append((row, facts))
    return [
        *_verdicts(texts, [*of["detect"], *of["locate"]], asker),
        *_pooled(texts, of["detect"]),
        *_choices(texts, of["compare"], asker),
        *_annotations(texts, of["annotate"], of["respond"], asker),
        *_evaluations(texts, of["meta"], of["locate"], judgements, asker),
    ]


def _verdicts(texts: Texts, rows: Iterable[tuple], asker: _Asker) -> Iterator[dict]:
    """TPR, TNR and the share of verdicts never read, by judge, variant, scenario and kind."""
    groups: dict[tuple, list[float]] = {}
    for row, facts in rows:
        model, variant = asker.simulated[row["model"]], VARIANTS[row["purpose"]]
        unread = asker.unread(row["model"], OF_VERDICTS)
        for where, label, p in _labelled(texts, facts["target"], model, variant):
            key = (row["model"], tuple(sorted({**where, "variant": variant}.items())))
            groups.setdefault((*key, "tpr" if label else "tnr"), []).append(p if label else 1 - p)
            groups.setdefault((*key, "unparsed_rate"), []).append(unread)
    for (judge, where, metric), values in sorted(groups.items()):
        yield mean_row(metric, judge, dict(where), values)


def _pooled(texts: Texts, rows: Iterable[tuple]) -> Iterator[dict]:
    """The share of hallucinated responses among the spontaneous ones that a judge was asked about."""
    record: dict[str, list[float]] = {}
    for row, facts in rows:
        sample = texts.samples.get(facts["target"])
        if sample is not None and sample.facts.get("scenario") == "spontaneous":
            is_flawed = texts.finding(sample.item_id, sample.text).is_hallucinated
            record.setdefault(row["model"], []).append(float(is_flawed))
    for judge, values in sorted(record.items()):
        yield mean_row("rate_by_judge", judge, {"estimator": "planted"}, values)


def _labelled(texts: Texts, target: str, model: Model, variant: str) -> Iterator[tuple[dict, bool, float]]:
    """The slices in which a judged text is scored, its label there, and that the judge says Yes."""
    sample = texts.samples.get(target)
    if sample is None:
        return
    p = model.p_yes(texts.finding(sample.item_id, sample.text), variant=variant)
    for where in slices_of(sample.facts, sample.is_hallucinated):
        yield where, sample.is_hallucinated, p
    if target in texts.gold:
        yield {"scenario": "natural"}, texts.gold[target], p


def slices_of(texts_by_name: Mapping[str, str], is_hallucinated: bool) -> list[dict[str, str]]:
    """The slices that a sample is scored in: its scenario, and both of the paper's together; by kind the
    hallucinated ones against references, and references or paraphrases against both. Paraphrases stand in
    their own alone.
    """
    scenario, kind = texts_by_name.get("scenario", ""), texts_by_name.get("kind")
    if kind is None:
        return [{"scenario": scenario}, *([{"scenario": "all"}] if scenario == "spontaneous" else [])]
    if kind == "matched":
        return [{"scenario": scenario, "kind": kind}]
    kinds = (kind, "reference", "matched") if is_hallucinated else (*HALLUCINATED, "reference")
    both = [{"scenario": scenario}, {"scenario": "all"}]
    return [*both, *({"scenario": scenario, "kind": text} for text in kinds)]


def _choices(texts: Texts, rows: Iterable[tuple], asker: _Asker) -> Iterator[dict]:
    """Accuracy in either order and in both, first position and unread choices, by judge and kind."""
    groups: dict[tuple[str, str], list[float]] = {}
    for row, facts in rows:
        pair = [texts.samples.get(facts[side]) for side in ("first", "second")]
        if facts.get("order") == "reference-first" and None not in pair:
            p = _named(texts, asker.simulated[row["model"]], pair)
            groups.setdefault((row["model"], facts["kind"]), []).append(p)
    for (judge, kind), named in sorted(groups.items()):
        yield from _choice_rows(judge, {"variant": "compare", "kind": kind}, named, asker)


def _named(texts: Texts, model: Model, pair: Sequence[Labelled]) -> float:
    """That the second of two responses is named where no bias decides."""
    findings = [texts.finding(labelled.item_id, labelled.text) for labelled in pair]
    flawed = flawed_of(findings, [labelled.text for labelled in pair])
    p = model.p_named(findings[flawed - 1])
    return p if flawed == 2 else 1 - p


def _choice_rows(judge: str, where: dict[str, str], named: Sequence[float], asker: _Asker) -> Iterator[dict]:
    unread, bias = asker.unread(judge, OF_CHOICES), asker.simulated[judge].position_bias
    read, n = 1 - unread, len(named)
    both = (1 - bias) * sum(named) / n
    yield planted_row("accuracy", judge, {**where, "order": "induced-first"}, (bias + both) * read, n)
    yield planted_row("accuracy", judge, {**where, "order": "reference-first"}, both * read, n)
    yield planted_row("accuracy", judge, where, (bias / 2 + both) * read, 2 * n)
    yield planted_row("accuracy_both_orders", judge, where, both * read**2, n)
    yield planted_row("first_position_rate", judge, where, (1 + bias) / 2, 2 * n)
    yield planted_row("unparsed_rate", judge, where, unread, 2 * n)


def _annotations(
    texts: Texts, rows: Iterable[tuple], responses: Iterable[tuple], asker: _Asker
) -> Iterator[dict]:
    """Agreement of the annotator (reference in view) with people: accuracy, TPR and TNR."""
    response_of = {row["generation_id"]: row for row, _ in responses}
    record: dict[tuple[str, str], list[float]] = {}
    for row, facts in rows:
        target, label = response_of.get(facts["target"]), texts.gold.get(facts["target"])
        if target is not None and label is not None:
            finding = texts.finding(target["item_id"], target["text"])
            p = asker.simulated[row["model"]].p_yes(finding, has_reference=True)
            for metric in ("annotator_accuracy", "annotator_tpr" if label else "annotator_tnr"):
                record.setdefault((metric, row["model"]), []).append(p if label else 1 - p)
    for (metric, annotator), values in sorted(record.items()):
        yield mean_row(metric, annotator, {}, values)


def _evaluations(
    texts: Texts, rows: Iterable[tuple], located: Iterable[tuple], judgements: pl.DataFrame, asker: _Asker
) -> Iterator[dict]:
    """Share of a judge's located judgements that the meta-judge calls accurate."""
    record = {(row["model"], facts["target"]): row["text"] for row, facts in located if row["status"] == "ok"}
    names = judgements.select("judgement_id", "judge", "target_id", "verdict").iter_rows()
    of_judgement = {name: (judge, target, verdict) for name, judge, target, verdict in names}
    groups: dict[tuple[str, str], list[float]] = {}
    for row, facts in rows:
        judge, target, verdict = of_judgement.get(facts["target"], ("", "", None))
        sample, evaluation = texts.samples.get(target), record.get((judge, target))
        if sample is None or evaluation is None:
            continue
        p = asker.simulated[row["model"]].p_accurate(texts.is_accurate(sample, evaluation))
        for over in ("all", "positives" if verdict else "negatives"):
            groups.setdefault((judge, over), []).append(p)
    for (judge, over), values in sorted(groups.items()):
        yield mean_row("meta_accuracy", judge, {"over": over}, values)
