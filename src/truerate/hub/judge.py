"""The repository of a judge with boosted trees: arrays and numbers of its training, card, checksums; no code."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import EvalResult, ModelCardData
from markupsafe import Markup

from truerate.core.errors import TruerateError
from truerate.hub.citing import bibtex, signed
from truerate.hub.detector import refuse_training
from truerate.hub.detector_card import percent, words
from truerate.hub.front_matter import licence_fields, source_datasets
from truerate.hub.kept import Kept, with_kept
from truerate.hub.markdown import filled
from truerate.hub.release import CHANGELOG, CHECKSUMS, MARK, README, DetectorFacts, Files, Stamp
from truerate.hub.sums import checksums, mark

MODEL_TYPE = "truerate-tree-judge"
CONFIG, STATE, DECISION = "config.json", "state.npz", "decision.json"
CARD = "judge_card.md.j2"
# what a judge is held against, the hardest and nearest to use first; what each is in words
SCENARIOS = {
    "natural": "responses of models that people labelled",
    "spontaneous": "responses of models, labelled by a model that sees the reference response",
    "induced": "responses that a model was asked to make wrong, against references",
}
METRICS = {"balanced_accuracy": "balanced accuracy", "tpr": "found", "tnr": "left alone"}
SPANS = "span_f1"  # over all texts; the Score row's `over` says so
BASELINES = ("answer-ngrams", "lexical-lr")  # what reads the response alone, or words alone


@dataclass(frozen=True)
class JudgeDraft:
    """A Draft: the files of a judge's repository, whole but for their date and history."""

    name: str
    facts: DetectorFacts
    decision: Mapping[str, object]
    repo: str
    prefixes: tuple[str, ...] = ("build/",)

    @property
    def summary(self) -> str:
        """One line for the commit and the change log."""
        return f"judge {self.name}, trained on {self.facts.board}"

    def files(self, *, stamp: Stamp, changelog: str, kept: Kept) -> Files:
        """All files of the repository, sorted by path; the arrays by where they lie."""
        found: dict[str, bytes | Path] = {path: text.encode() for path, text in self.facts.made.items()}
        found |= {name: self.facts.folder / name for name in (STATE, DECISION)}
        found[CONFIG] = (json.dumps({"model_type": MODEL_TYPE}, indent=1) + "\n").encode()
        card = signed(card_of(self.facts, self.decision, repo=self.repo), stamp.maker)
        found[README] = with_kept(card, kept).encode()
        found[MARK] = mark("model", self.name, prefixes=self.prefixes, stamp=stamp, files=found).encode()
        found[CHECKSUMS] = checksums(found).encode()
        return dict(sorted((found | {CHANGELOG: changelog.encode()}).items()))


def draft_of(facts: DetectorFacts, *, repo: str) -> JudgeDraft:
    """The draft of a trained judge.

    Raises TruerateError where it has learned nothing, is of another form, or learned from texts that may not go
    out.
    """
    what = f"publishing judge {facts.detector!r}"
    if not facts.training.get("is_fitted", False):
        raise TruerateError(f"{what}: it had nothing to learn from on board {facts.board!r}; publish another")
    if not all((facts.folder / name).is_file() for name in (STATE, DECISION)):
        raise TruerateError(f"{what}: only judges of `form: trees` go out; this one is of another form")
    refuse_training(facts.source, what=f"judge {facts.detector!r}")
    decision = json.loads((facts.folder / DECISION).read_text("utf-8"))
    return JudgeDraft(facts.detector, facts, decision, repo)


# ---- the card ----------------------------------------------------------------------------------------------


def card_of(facts: DetectorFacts, decision: Mapping[str, object], *, repo: str) -> str:
    """README.md of a judge. Every value of the facts is data: nothing in it acts."""
    values = {
        "yaml": Markup(metadata(facts).to_yaml()),
        "facts": facts,
        "source": {"citation": None, "url": None, **facts.source},
        "repo": repo,
        "bibtex": bibtex(repo, f"{facts.detector}, a judge of hallucination in dialogues", "model"),
        "decision": decision,
        "texts": words(facts.training.get("passages", {})),
        "results": results(facts),
        "metrics": METRICS,
        "baselines": BASELINES,
        "percent": percent,
    }
    return filled(CARD, values)


def results(facts: DetectorFacts) -> list[dict]:
    """What was measured, by scenario: its name, meaning, n, the Score rows of each metric (`own`), of its segments
    (`spans`), and of each baseline's balanced accuracy (`beside`). Empty where nothing was measured.
    """
    rows = {(row["subject"], row["metric"], _place(row)): row for row in facts.scores.iter_rows(named=True)}
    lines = []
    for scenario, meaning in SCENARIOS.items():
        place = (("scenario", scenario), ("variant", "zero-shot"))
        own = {name: rows.get((facts.detector, name, place)) for name in METRICS}
        if any(own.values()):
            spans = rows.get((facts.detector, SPANS, (("over", "all"), *place)))
            beside = {name: rows.get((name, next(iter(METRICS)), place)) for name in BASELINES}
            n = max(row["n"] for row in own.values() if row)
            lines.append(
                {
                    "scenario": scenario,
                    "meaning": meaning,
                    "n": n,
                    "own": own,
                    "spans": spans,
                    "beside": beside,
                }
            )
    return lines


def _place(row: Mapping) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((pair["key"], pair["value"]) for pair in row["slice"]))


def metadata(facts: DetectorFacts) -> ModelCardData:
    """The card's YAML: licence, languages, tags, the training data where the Hub has it, the measured scores."""
    data = [name for name in source_datasets(facts) if "/" in name]
    measured = list(_evaluations(facts))
    return ModelCardData(
        language=list(facts.languages),
        **licence_fields([facts.licence]),
        library_name="truerate",
        pipeline_tag="text-classification",
        tags=["hallucination-detection", "truerate", *(["simulated-data"] if facts.is_simulated else [])],
        datasets=data or None,
        metrics=["accuracy"],
        model_name=facts.detector if measured else None,
        eval_results=measured or None,
    )


def _evaluations(facts: DetectorFacts) -> Iterator[EvalResult]:
    """The measured scores in the form of the Hub's model index."""
    for result in results(facts):
        for metric, own in result["own"].items():
            if own and own["value"] is not None:
                yield EvalResult(
                    task_type="text-classification",
                    task_name="judging responses in dialogues",
                    dataset_type=facts.board,
                    dataset_name=f"{facts.title}: {result['scenario']}",
                    dataset_config=result["scenario"],
                    dataset_split="test",
                    metric_type=metric,
                    metric_value=own["value"],
                )
