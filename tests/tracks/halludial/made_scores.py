"""Small tables for the tests of scores: texts, judgements, responses and items by hand."""

from collections.abc import Iterable

from truerate.config import Statistics
from truerate.core.schemas import generation_row, judgement_row, pairs, sample_row
from truerate.metrics.score_writer import ScoreWriter

WRITER = ScoreWriter("board", "digest", Statistics(confidence=0.95, n_bootstrap=200, alpha=0.05), 7)


def span(start: int, end: int) -> dict:
    return {"start": start, "end": end, "type": "unspecified", "p": None}


def sample(
    name: str, is_hallucinated: bool, *, scenario: str = "spontaneous", kind: str | None = None, **changes
) -> dict:
    """A labelled text of a test dialogue of its own; `changes`: columns, and `more` attributes."""
    attributes = pairs(scenario=scenario, kind=kind, **changes.pop("more", {}))
    ids = {"sample_id": name, "item_id": f"i-{name}", "group_id": f"g-{name}", "text": f"text of {name}"}
    labels = {"is_hallucinated": is_hallucinated, "label_source": "silver", "split": "test"}
    return sample_row(
        **{**ids, **labels, "task": "dialogue", "lang": "en", "attributes": attributes, **changes}
    )


def judgement(
    target: str, verdict: bool | None, *, judge: str = "judge", variant: str | None = "zero-shot", **changes
) -> dict:
    more = changes.pop("more", {})
    name, status = (
        f"{judge}-{target}-{variant}-{sorted(more.items())}",
        "unparsed" if verdict is None else "ok",
    )
    values = {"judgement_id": name, "judge": judge, "judge_version": "1", "target_id": target}
    values |= {"verdict": verdict}
    return judgement_row(
        **{**values, "status": status, "attributes": pairs(variant=variant, **more), **changes}
    )


def reply(name: str, item_id: str, model: str = "aster", purpose: str = "respond", **changes) -> dict:
    """A response of a test dialogue in gold history at temperature 1, or another reply."""
    more = {"history": "gold", "temperature": "1", "split": "test"} if purpose == "respond" else {}
    more |= changes.pop("more", {})
    values = {"generation_id": name, "item_id": item_id, "purpose": purpose, "model": model, "text": name}
    return generation_row(**values | {"attributes": pairs(**more)} | changes)


def item(item_id: str, group_id: str, turn: int | None = 0) -> dict:
    attributes = pairs(turn=turn, dialogue=None if turn is None else group_id)
    ids = {"item_id": item_id, "group_id": group_id, "document_ids": [], "source": "s", "task": "dialogue"}
    ids |= {"lang": "en"}
    return {
        **ids,
        "history": "",
        "question": f"Question {item_id}?",
        "right_answer": None,
        "attributes": attributes,
    }


def values(rows: Iterable[dict], **where: str) -> dict[str, tuple[float | None, int]]:
    """Value and n by metric of the Score rows of exactly this slice."""
    return {
        row["metric"]: (row["value"], row["n"])
        for row in rows
        if {pair["key"]: pair["value"] for pair in row["slice"]} == where
    }
