"""The card of a detector: what it marks, its training data, its scores per language beside baselines, its limits."""

from collections.abc import Iterator, Mapping

import polars as pl
from huggingface_hub import EvalResult, ModelCardData
from markupsafe import Markup

from truerate.core.schemas import unpaired
from truerate.hub.citing import bibtex
from truerate.hub.front_matter import licence_fields, source_datasets
from truerate.hub.markdown import filled
from truerate.hub.release import DetectorFacts

CARD = "model_card.md.j2"
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


def card_of(facts: DetectorFacts, network: Mapping, *, repo: str) -> str:
    """Return README.md of a detector. `network`: its network.json as published. Values are escaped as data."""
    backbone, training = network["backbone"], facts.training
    values = {
        "yaml": Markup(metadata(facts, backbone).to_yaml()),
        "facts": facts,
        "source": {"citation": None, "url": None, **facts.source},
        "repo": repo,
        "bibtex": bibtex(repo, f"{facts.detector}, a detector of hallucinated words", "model"),
        "labels": network["labels"],
        "max_tokens": backbone["max_tokens"],
        "backbone": None if backbone["weights"] == "tiny" else backbone,
        "settings": [
            (name, words(backbone[name])) for name in _TRAINING if backbone.get(name) not in (None, [], ())
        ],
        "found": [(name, training[name]) for name in FOUND if name in training],
        "validation": training.get("validation", {}),
        "threshold": network.get("threshold", 0.5),
        "passages": words(training.get("passages", {})),
        "results": results(facts),
        "baselines": BASELINES,
        "n_seeds": n_seeds(facts),
        "percent": percent,
    }
    return filled(CARD, values)


def words(value: object) -> object:
    """A list or mapping as words behind commas; anything else as it is."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one}" for name, one in value.items())
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


# ---- the measured ------------------------------------------------------------------------------------------
def results(facts: DetectorFacts) -> list[dict]:
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
            own = {name: rows_by_key.get((facts.detector, against, lang, name)) for name in METRICS}
            baselines = {name: rows_by_key.get((name, against, lang, "token_f1")) for name in BASELINES}
            rows.append(
                {
                    "lang": lang,
                    "n": max(row["n"] for row in own.values() if row),
                    "own": own,
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


# ---- the YAML ----------------------------------------------------------------------------------------------
def metadata(facts: DetectorFacts, backbone: Mapping) -> ModelCardData:
    """The card's YAML: licence, languages, tags, training data and backbone on the Hub, measured scores."""
    data = [name for name in source_datasets(facts) if "/" in name]
    measured = list(evaluations(facts))
    return ModelCardData(
        language=list(facts.languages),
        **licence_fields([facts.licence]),
        library_name="truerate",
        pipeline_tag="token-classification",
        tags=["hallucination-detection", "truerate", *(["simulated-data"] if facts.is_simulated else [])],
        datasets=data or None,
        base_model=backbone["weights"] if "/" in str(backbone["weights"]) else None,
        metrics=list(METRICS.values()),
        model_name=facts.detector if measured else None,
        eval_results=measured or None,
    )


def evaluations(facts: DetectorFacts) -> Iterator[EvalResult]:
    """The measured scores in the form of the Hub's model index, a config per comparison and language."""
    for result in results(facts):
        for row in result["rows"]:
            for metric, own in row["own"].items():
                if own and own["value"] is not None:
                    yield EvalResult(
                        task_type="token-classification",
                        task_name="marking hallucinated tokens",
                        dataset_type=facts.board,
                        dataset_name=f"{facts.title}: {result['title'].lower()} ({row['lang']})",
                        dataset_config=f"{result['against']}-{row['lang']}",
                        dataset_split="test",
                        metric_type=METRICS[metric],
                        metric_value=own["value"],
                    )
