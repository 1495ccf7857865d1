"""Labelled replies of our own, as a source holds them."""

from types import SimpleNamespace

from truerate.core.schemas import Item, Judgement, Sample, frame, judgement_row, pairs, sample_row
from truerate.metrics.score_writer import ScoreWriter

STATISTICS = SimpleNamespace(confidence=0.95, n_bootstrap=400, alpha=0.05)
WRITER = ScoreWriter("b", "i", STATISTICS, 7)


def settings(few_labels=0, least_youden_j=0.2):
    """The track's settings."""
    return SimpleNamespace(few_labels=few_labels, least_youden_j=least_youden_j)


def layout(**settings_of):
    """What `score` asks of a layout."""
    return SimpleNamespace(
        p=SimpleNamespace(statistics=STATISTICS, seed=7, track=lambda board: settings(**settings_of))
    )


def reply(subject, unit, is_hallucinated, *, by="gold", cluster=None, task="qa", text="x", **attributes):
    """One reply; its name is `subject/unit`."""
    ids = {"sample_id": f"{subject}/{unit}", "item_id": f"item-{unit}", "group_id": cluster or unit}
    label = {"is_hallucinated": is_hallucinated, "label_source": by, "split": "test"}
    about = {"task": task, "lang": "en", "text": text, "generator": subject}
    return sample_row(**ids, **label, **about, attributes=pairs(unit=unit, **attributes))


def samples(*rows):
    """Replies as a table."""
    return frame(Sample, list(rows))


def verdict_of(judge, target, verdict):
    """One judgement of a reply."""
    name = f"{judge} {target}"
    return judgement_row(judgement_id=name, judge=judge, judge_version="1", target_id=target, verdict=verdict)


def judgements(*rows):
    """Judgements as a table."""
    return frame(Judgement, list(rows))


def item(name, right_answer):
    """A question with its golden answers."""
    row = {"item_id": name, "source": "s", "task": "qa", "lang": "en", "group_id": name, "document_ids": []}
    return row | {"history": "", "question": "q", "right_answer": right_answer, "attributes": []}


def items(*rows):
    """Items as a table."""
    return frame(Item, list(rows))


def cells(scores, *metrics):
    """Scores as `(metric, subject, slice) → (value, n)`, of some metrics or of all."""
    by_slice = {}
    for row in scores:
        if row["metric"] in (metrics or (row["metric"],)):
            slice_ = " ".join(f"{cell['key']}={cell['value']}" for cell in row["slice"])
            by_slice[row["metric"], row["subject"], slice_] = row["value"], row["n"]
    return by_slice
