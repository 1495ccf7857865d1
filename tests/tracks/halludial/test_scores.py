"""All scores of a small board at once: each metric has a record, and each row holds."""

from collections import defaultdict
from types import SimpleNamespace

import polars as pl

from truerate.config import Model
from truerate.core.schemas import (
    NOT_FITTED,
    Generation,
    Item,
    Judgement,
    Outcome,
    Sample,
    Score,
    frame,
    validate,
)
from truerate.tracks.halludial.scores import score
from truerate.tracks.protocol import metrics_of_track

from .made_scores import WRITER, item, judgement, reply, sample, span
from .rows_by_hand import settings

LABELS = (  # made with labels
    "n_annotators_passed screening_agreement fleiss_kappa percent_agreement krippendorff_alpha_u pair_span_f1 meta_kappa "
    "human_accuracy"
)
SILENT = "no_answers no_verdicts"


def scored(ours, **tables):
    models = defaultdict(lambda: Model(endpoint="local", model="m"))
    more = {"statistics": WRITER.statistics, "seed": WRITER.seed, "models": models}
    p = SimpleNamespace(track=lambda board: ours, **more)
    return score(SimpleNamespace(p=p), WRITER.board, **tables, inputs=WRITER.inputs)


def board() -> dict:
    """Six dialogues of one turn: a response each with silver and gold labels, induced texts, two judges."""
    items, samples, judgements, generations = [], [], [], []
    for n in range(6):
        name, group = f"r{n}", f"g{n}"
        values = {"item_id": f"i{n}", "group_id": group}
        leak = {"split_by_sample": "train" if n % 2 else "test"}
        items.append(item(f"i{n}", group))
        generations.append(reply(name, f"i{n}"))
        generations.append(reply(f"self-{n}", f"i{n}", more={"history": "self"}))
        reason = {"spans": [span(0, 4)], "rationale": "that is not said"} if n % 2 else {}
        samples.append(sample(name, n % 2 == 1, more=leak, generator="aster", **values, **reason))
        gold = {"label_source": "gold", "more": {"generation": name}}
        samples.append(sample(f"gold-{n}", n % 3 == 1, scenario="natural", **values, **gold))
        for kind in ("factuality", "faithfulness", "reference", "matched"):
            is_bad = kind.startswith("fa")
            samples.append(sample(f"{kind}-{n}", is_bad, scenario="induced", kind=kind, more=leak, **values))
            judgements.append(
                judgement(f"{kind}-{n}", is_bad, judge="detector", variant=None, p=0.9 if is_bad else 0.2)
            )
            purpose = "match" if kind == "matched" else "induce"
            if kind != "reference":
                generations.append(
                    reply(f"{purpose}-{kind}-{n}", f"i{n}", purpose=purpose, more={"kind": kind})
                )
        judgements.append(judgement(name, n % 2 == 1, judge="detector", variant=None, p=0.7))
        judgements.append(judgement(f"self-{n}", n == 1, judge="detector", variant=None))
        judgements.append(judgement(name, n < 3))
        located = {"variant": "three-shot", "judgement_id": f"located-{n}", "rationale": "no"}
        located |= {"spans": [span(0, 4)]}
        judgements.append(judgement(name, n < 4, **located))
        meta = {"target": f"located-{n}", "judge": "judge", "accurate": "yes" if n else "no"}
        generations.append(reply(f"meta-{n}", f"i{n}", "m", "meta", more=meta))
        for order in ("induced-first", "reference-first"):
            more = {"order": order, "kind": "factuality"}
            judgements.append(judgement(f"factuality-{n}", True, variant="compare", more=more))
    samples.append(sample("other", True, scenario="natural", label_source="gold", generator="doha"))
    return {
        "items": frame(Item, items),
        "samples": frame(Sample, samples),
        "judgements": frame(Judgement, judgements),
        "generations": frame(Generation, generations),
    }


def test_every_metric_has_a_record_and_every_record_a_metric():
    scores, outcomes = scored(settings(detector="detector"), **board())
    validate(Score, scores, where="scores"), validate(Outcome, outcomes, where="outcomes")
    recorded = {metric.name for metric in metrics_of_track("halludial")}
    assert set(scores["metric"]) == recorded - {*LABELS.split(), *SILENT.split()}
    assert scores.select("metric", "subject", "slice").is_unique().all()
    assert set(outcomes["metric"]) == {"balanced_accuracy", "labelled_rate"}


def test_a_detector_that_learned_nothing_has_no_row_and_one_that_keeps_no_form_has():
    def judged_by(name, **changes):
        return frame(Judgement, [judgement(f"r{n}", None, judge=name, **changes) for n in range(6)])

    tables = board()
    silent = [judged_by("untaught", reason=NOT_FITTED), judged_by("formless", reason="absent")]
    tables["judgements"] = pl.concat([tables["judgements"], *silent])
    scores, outcomes = scored(settings(detector="untaught"), **tables)
    assert "untaught" not in scores["subject"] and "untaught" not in outcomes["subject"]
    formless = scores.filter(subject="formless", metric="unparsed_rate")
    assert set(formless["value"]) == {1.0}
    assert scores.filter(metric="hallucination_rate")["value"].null_count() > 0  # no verdict, no rate


def test_an_empty_board_has_no_judges():
    tables = {"items": Item, "samples": Sample, "judgements": Judgement, "generations": Generation}
    scores, outcomes = scored(settings(), **{name: frame(model) for name, model in tables.items()})
    assert set(scores["metric"]) == {"n_turns"} and outcomes.is_empty()
