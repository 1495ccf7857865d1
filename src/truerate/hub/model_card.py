"""The cards of trained models: what a detector or judge does, its training data, its scores beside baselines, its limits."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl
from huggingface_hub import EvalResult, ModelCardData
from markupsafe import Markup

from truerate.core.schemas import unpaired
from truerate.hub.markdown import bibtex, filled
from truerate.hub.metadata import licence_fields, source_datasets
from truerate.hub.release import DetectorFacts

ALL = "all"  # the language of a mean over languages
METRICS = {
    "token_precision": "precision",
    "token_recall": "recall",
    "token_f1": "f1",
}  # Score rows → the Hub's metrics
BASELINES = ("mark-all", "token-lr")  # what needs no network stands beside: without it no F1 can be judged
SEEDS = "token_f1_std"  # its `n` is the number of seeds that a detector's scores are means over
# What a detector is held against, the hardest and nearest to use first; what each is in words.
AGAINST = {
    "natural": (
        "Natural hallucinations",
        "what models made up by themselves in replies to queries, labelled afterwards",
    ),
    "held-out": (
        "Inserted hallucinations, held out",
        "passages on references about which no detector learned any passage",
    ),
    "gold": (
        "Inserted hallucinations, annotated",
        "passages with hallucinations put in on purpose, marked by annotators",
    ),
    "silver": (
        "Inserted hallucinations, as inserted",
        "the same kind of passages, marked where the hallucinations were put in",
    ),
}
FOUND = ("steps", "n_parameters", "windowed_rate")  # of what training found
_SHAPE = ("mask", "features", "max_tokens", "lora", "quantise")
_TRAINING = (
    *_SHAPE,
    "learning_rate",
    "weight_decay",
    "word_dropout",
    "batch",
    "accumulation",
    "token_budget",
    "epochs",
    "max_steps",
)
# what a judge is held against, the hardest and nearest to use first; what each is in words
SCENARIOS = {
    "natural": "responses of models that people labelled",
    "spontaneous": "responses of models, labelled by a model that sees the reference response",
    "induced": "responses that a model was asked to make wrong, against references",
}
JUDGE_METRICS = {"balanced_accuracy": "balanced accuracy", "tpr": "found", "tnr": "left alone"}
SPANS = "span_f1"  # over all texts; the Score row's `over` says so
JUDGE_BASELINES = ("answer-ngrams", "lexical-lr")  # what reads the response alone, or words alone


def words(value: object) -> object:
    """A list or mapping as words behind commas; anything else as it is."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def percent(row: Mapping | None) -> Markup:
    """A Score row in percent with its interval: `74.9 (67.8–80.9)`; a dash where nothing was measured."""
    if row is None or row["value"] is None:
        return Markup("–")
    interval = (
        ""
        if row["low"] is None or row["high"] is None
        else f" ({100 * row['low']:.1f}–{100 * row['high']:.1f})"
    )
    return Markup(f"{100 * row['value']:.1f}{interval}")


def _shared_values(facts: DetectorFacts, head: ModelCardData, *, repo: str, title: str) -> dict[str, object]:
    """What both cards say; every value of the facts is data: nothing in it acts."""
    return {
        "yaml": Markup(head.to_yaml()),
        "facts": facts,
        "source": {"citation": None, "url": None, **facts.source},
        "repo": repo,
        "bibtex": bibtex(repo, f"{facts.detector}, {title}", "model"),
        "percent": percent,
    }


def _head(
    facts: DetectorFacts,
    measured: Sequence[EvalResult],
    *,
    task: str,
    metrics: Sequence[str],
    base_model: str | None = None,
) -> ModelCardData:
    """A card's YAML: licence, languages, tags, training data and backbone on the Hub, measured scores."""
    return ModelCardData(
        language=list(facts.languages),
        **licence_fields([facts.licence]),
        library_name="truerate",
        pipeline_tag=task,
        tags=["hallucination-detection", "truerate", *(["simulated-data"] if facts.is_simulated else [])],
        datasets=[name for name in source_datasets(facts) if "/" in name] or None,
        base_model=base_model,
        metrics=list(metrics),
        model_name=facts.detector if measured else None,
        eval_results=list(measured) or None,
    )


# ---- detectors -----------------------------------------------------------------------------------------------
def detector_card(facts: DetectorFacts, network: Mapping, *, repo: str) -> str:
    """Return README.md of a detector. `network`: its network.json as published."""
    backbone, training, measured = network["backbone"], facts.training, detector_results(facts)
    head = _head(
        facts,
        list(_detector_evaluations(facts, measured)),
        task="token-classification",
        metrics=list(METRICS.values()),
        base_model=backbone["weights"] if "/" in str(backbone["weights"]) else None,
    )
    shown = [(name, words(backbone[name])) for name in _TRAINING if backbone.get(name) not in (None, [], ())]
    values = {
        "labels": network["labels"],
        "max_tokens": backbone["max_tokens"],
        "backbone": None if backbone["weights"] == "tiny" else backbone,
        "settings": shown,
        "found": [(name, training[name]) for name in FOUND if name in training],
        "validation": training.get("validation", {}),
        "threshold": network.get("threshold", 0.5),
        "passages": words(training.get("passages", {})),
        "results": measured,
        "baselines": BASELINES,
        "n_seeds": n_seeds(facts),
    }
    shared = _shared_values(facts, head, repo=repo, title="a detector of hallucinated words")
    return filled("model_card.md.j2", shared | values)


def detector_results(facts: DetectorFacts) -> list[dict]:
    """What was measured, by what it was held against: title, meaning, and a row per language with the Score
    rows of each metric.

    A row: lang, n, `own` (metric → Score row) and `baselines` (baseline → Score row of its F1 or None). Empty
    where nothing was measured.
    """
    rows_by_key = {(row["subject"], row["against"], row["lang"], row["metric"]): row for row in _rows(facts)}
    lines = []
    for against, (title, meaning) in AGAINST.items():
        languages = {key[2] for key in rows_by_key if key[:2] == (facts.detector, against)}
        langs = [
            lang
            for lang in [*sorted(facts.languages), *([ALL] if len(facts.languages) > 1 else [])]
            if lang in languages
        ]
        rows = []
        for lang in langs:
            scores = {name: rows_by_key.get((facts.detector, against, lang, name)) for name in METRICS}
            baselines = {name: rows_by_key.get((name, against, lang, "token_f1")) for name in BASELINES}
            rows.append(
                {
                    "lang": lang,
                    "n": max(row["n"] for row in scores.values() if row),
                    "own": scores,
                    "beside": baselines,
                }
            )
        if rows:
            lines.append({"against": against, "title": title, "meaning": meaning, "rows": rows})
    return lines


def n_seeds(facts: DetectorFacts) -> int:
    """How many networks, alike but for their seed, the scores are means over; 1 where no row says."""
    rows = _rows(facts, metrics=(SEEDS,))
    return max((row["n"] for row in rows if row["subject"] == facts.detector), default=1)


def _rows(facts: DetectorFacts, metrics: tuple[str, ...] = tuple(METRICS)) -> Iterator[dict]:
    """Score rows of this detector's cell and of the baselines in it, their slice as columns; none by type."""
    cell = {name: str(facts.settings[name]) for name in ("scope", "labels")}
    wanted = facts.scores.filter(
        pl.col("metric").is_in(metrics), pl.col("subject").is_in([facts.detector, *BASELINES])
    )
    for row in wanted.iter_rows(named=True):
        where = unpaired(row["slice"])
        if "type" not in where and cell.items() <= where.items():
            yield {**where, **row}


def _detector_evaluations(facts: DetectorFacts, measured: Sequence[dict]) -> Iterator[EvalResult]:
    """The scores in the form of the Hub's model index, a config per comparison and language."""
    for result in measured:
        for row in result["rows"]:
            for metric, score in row["own"].items():
                if score and score["value"] is not None:
                    yield EvalResult(
                        task_type="token-classification",
                        task_name="marking hallucinated tokens",
                        dataset_type=facts.board,
                        dataset_name=f"{facts.title}: {result['title'].lower()} ({row['lang']})",
                        dataset_config=f"{result['against']}-{row['lang']}",
                        dataset_split="test",
                        metric_type=METRICS[metric],
                        metric_value=score["value"],
                    )


# ---- judges --------------------------------------------------------------------------------------------------
def judge_card(facts: DetectorFacts, decision: Mapping[str, object], *, repo: str) -> str:
    """Return README.md of a judge. `decision`: how its training turns probabilities into verdicts."""
    measured = judge_results(facts)
    evaluations = list(_judge_evaluations(facts, measured))
    head = _head(facts, evaluations, task="text-classification", metrics=["accuracy"])
    values = {
        "decision": decision,
        "texts": words(facts.training.get("passages", {})),
        "results": measured,
        "metrics": JUDGE_METRICS,
        "baselines": JUDGE_BASELINES,
    }
    shared = _shared_values(facts, head, repo=repo, title="a judge of hallucination in dialogues")
    return filled("judge_card.md.j2", shared | values)


def judge_results(facts: DetectorFacts) -> list[dict]:
    """What was measured, by scenario: meaning, n, Score rows of each metric (`own`), of segments (`spans`) and baselines
    (`beside`). Empty if nothing was.
    """
    rows = {
        (row["subject"], row["metric"], tuple(sorted(unpaired(row["slice"]).items()))): row
        for row in facts.scores.iter_rows(named=True)
    }
    lines = []
    for scenario, meaning in SCENARIOS.items():
        where = (("scenario", scenario), ("variant", "zero-shot"))
        scores = {name: rows.get((facts.detector, name, where)) for name in JUDGE_METRICS}
        if any(scores.values()):
            line: dict = {"scenario": scenario, "meaning": meaning, "own": scores}
            line["n"] = max(row["n"] for row in scores.values() if row)
            line["spans"] = rows.get((facts.detector, SPANS, (("over", "all"), *where)))
            line["beside"] = {
                name: rows.get((name, next(iter(JUDGE_METRICS)), where)) for name in JUDGE_BASELINES
            }
            lines.append(line)
    return lines


def _judge_evaluations(facts: DetectorFacts, measured: Sequence[dict]) -> Iterator[EvalResult]:
    """The scores in the form of the Hub's model index, a config per scenario."""
    for result in measured:
        for metric, score in result["own"].items():
            if score and score["value"] is not None:
                yield EvalResult(
                    task_type="text-classification",
                    task_name="judging responses in dialogues",
                    dataset_type=facts.board,
                    dataset_name=f"{facts.title}: {result['scenario']}",
                    dataset_config=result["scenario"],
                    dataset_split="test",
                    metric_type=metric,
                    metric_value=score["value"],
                )
