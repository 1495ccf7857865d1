"""The cards of trained detectors and judges: training data, scores beside baselines, limits."""

from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter

import polars as pl
from huggingface_hub import EvalResult, ModelCardData
from markupsafe import Markup

from truerate.core.schemas import unpaired
from truerate.hub.configs import CARD_WORDS
from truerate.hub.markdown import bibtex, filled
from truerate.hub.metadata import licence_fields, source_datasets
from truerate.hub.release import DetectorFacts

ALL = "all"  # the language of a mean over languages
SEEDS = "token_f1_std"  # its `n` is the number of seeds that a detector's scores are means over
SPANS = "span_f1"  # over all texts; the Score row's `over` says so
DETECTOR, JUDGE = CARD_WORDS["detector"], CARD_WORDS["judge"]
METRICS: Mapping[str, str] = DETECTOR["metrics"]


def words(value: object) -> object:
    """A list or mapping as words behind commas; anything else as it is."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {part}" for name, part in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def percent(row: Mapping | None) -> Markup:
    """A Score row in percent with its interval: `74.9 (67.8–80.9)`; a dash where nothing was measured."""
    if row is None or row["value"] is None:
        return Markup("–")
    low, high = row["low"], row["high"]
    interval = "" if low is None or high is None else f" ({100 * low:.1f}–{100 * high:.1f})"
    return Markup(f"{100 * row['value']:.1f}{interval}")


def _filled(
    card: Mapping,
    facts: DetectorFacts,
    scored: Iterable[tuple[str, str, str, Mapping | None]],
    *,
    repo: str,
    base_model: str | None = None,
    values: Mapping[str, object],
) -> str:
    """Return a card: its YAML with licence, languages, training data and scores, then the filled template.

    `card`: what cards.yaml says of its kind; `scored`: what was measured, its config, the Hub's metric, and
    the Score row.
    """
    evaluations = [
        EvalResult(
            task_type=card["task"],
            task_name=card["task_name"],
            dataset_type=facts.board,
            dataset_name=f"{facts.title}: {what}",
            dataset_config=config,
            dataset_split="test",
            metric_type=metric,
            metric_value=row["value"],
        )
        for what, config, metric, row in scored
        if row and row["value"] is not None
    ] or None
    head = ModelCardData(
        language=list(facts.languages),
        **licence_fields([facts.licence]),
        library_name="truerate",
        pipeline_tag=card["task"],
        tags=["hallucination-detection", "truerate", *(["simulated-data"] if facts.is_simulated else [])],
        datasets=[name for name in source_datasets(facts) if "/" in name] or None,
        base_model=base_model,
        metrics=card["hub_metrics"],
        model_name=facts.detector if evaluations else None,
        eval_results=evaluations,
    )
    shared = {
        "yaml": Markup(head.to_yaml()),
        "facts": facts,
        "source": {"citation": None, "url": None, **facts.source},
        "repo": repo,
        "bibtex": bibtex(repo, f"{facts.detector}, {card['title']}", "model"),
        "percent": percent,
        "baselines": card["baselines"],
        "passages": words(facts.training.get("passages", {})),
    }
    return filled(card["template"], shared | values)


# ---- detectors ---------------------------------------------------------------------------------------------
def detector_card(facts: DetectorFacts, network: Mapping, *, repo: str) -> str:
    """Return README.md of a detector. `network`: its network.json as published."""
    backbone, training, results = network["backbone"], facts.training, detector_results(facts)
    named = [(name, backbone.get(name)) for name in DETECTOR["settings"]]
    values = {
        "labels": network["labels"],
        "max_tokens": backbone["max_tokens"],
        "backbone": None if backbone["weights"] == "tiny" else backbone,
        "settings": [(name, words(value)) for name, value in named if value not in (None, [], ())],
        "found": [(name, training[name]) for name in DETECTOR["training"] if name in training],
        "validation": training.get("validation", {}),
        "threshold": network.get("threshold", 0.5),
        "results": results,
        "n_seeds": n_seeds(facts),
    }
    scored = (
        (
            f"{result['title'].lower()} ({row['lang']})",
            f"{result['against']}-{row['lang']}",
            METRICS[name],
            score,
        )
        for result in results
        for row in result["rows"]
        for name, score in row["own"].items()
    )
    base_model = backbone["weights"] if "/" in str(backbone["weights"]) else None
    return _filled(DETECTOR, facts, scored, repo=repo, base_model=base_model, values=values)


def detector_results(facts: DetectorFacts) -> list[dict]:
    """Return what was measured, by the labels it was compared with: title, meaning, and a row per language:
    lang, n, `own` (metric → Score row) and `beside` (baseline → Score row of its F1 or None). Empty where
    nothing was measured.
    """
    key = itemgetter("subject", "against", "lang", "metric")
    scores = {key(row): row for row in _rows(facts, *METRICS)}
    languages = [*sorted(facts.languages), *([ALL] if len(facts.languages) > 1 else [])]
    results = []
    for against, about in DETECTOR["against"].items():
        measured = {lang for subject, of, lang, _ in scores if (subject, of) == (facts.detector, against)}
        rows = []
        for lang in (lang for lang in languages if lang in measured):
            measures = {name: scores.get((facts.detector, against, lang, name)) for name in METRICS}
            beside = {name: scores.get((name, against, lang, "token_f1")) for name in DETECTOR["baselines"]}
            n = max(row["n"] for row in measures.values() if row)
            rows.append({"lang": lang, "n": n, "own": measures, "beside": beside})
        if rows:
            results.append({"against": against, **about, "rows": rows})
    return results


def n_seeds(facts: DetectorFacts) -> int:
    """Return how many networks, alike but for their seed, the scores are means over; 1 where no row says."""
    return max((row["n"] for row in _rows(facts, SEEDS) if row["subject"] == facts.detector), default=1)


def _rows(facts: DetectorFacts, *metrics: str) -> Iterator[dict]:
    """Score rows of this detector's cell and of the baselines in it, their slice as columns; none by type."""
    cell = {name: str(facts.settings[name]) for name in ("scope", "labels")}
    subjects = [facts.detector, *DETECTOR["baselines"]]
    wanted = facts.scores.filter(pl.col("metric").is_in(metrics), pl.col("subject").is_in(subjects))
    for row in wanted.iter_rows(named=True):
        keys = unpaired(row["slice"])
        if "type" not in keys and cell.items() <= keys.items():
            yield {**keys, **row}


# ---- judges ------------------------------------------------------------------------------------------------
def judge_card(facts: DetectorFacts, decision: Mapping[str, object], *, repo: str) -> str:
    """Return README.md of a judge. `decision`: how its training turns probabilities into verdicts."""
    results = judge_results(facts)
    scored = (
        (result["scenario"], result["scenario"], name, score)
        for result in results
        for name, score in result["own"].items()
    )
    values = {"decision": decision, "results": results, "metrics": JUDGE["metrics"]}
    return _filled(JUDGE, facts, scored, repo=repo, values=values)


def judge_results(facts: DetectorFacts) -> list[dict]:
    """Return what was measured, by scenario: meaning, n, Score rows of each metric (`own`), of segments
    (`spans`) and of baselines (`beside`).
    """
    rows = {
        (row["subject"], row["metric"], tuple(sorted(unpaired(row["slice"]).items()))): row
        for row in facts.scores.iter_rows(named=True)
    }
    results = []
    for scenario, meaning in JUDGE["against"].items():
        where = (("scenario", scenario), ("variant", "zero-shot"))
        measures = {name: rows.get((facts.detector, name, where)) for name in JUDGE["metrics"]}
        measured = [row["n"] for row in measures.values() if row]
        if measured:
            first, spans = next(iter(measures)), rows.get((facts.detector, SPANS, (("over", "all"), *where)))
            beside = {name: rows.get((name, first, where)) for name in JUDGE["baselines"]}
            about = {"scenario": scenario, "meaning": meaning, "n": max(measured)}
            results.append(about | {"own": measures, "spans": spans, "beside": beside})
    return results
