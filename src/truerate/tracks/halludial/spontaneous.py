"""Samples of spontaneous hallucination: responses with what the annotator says of them (HalluDial section 2.1)."""

from collections.abc import Iterable, Mapping, Sequence

from truerate.core.schemas import pairs, sample_row
from truerate.llm.generation import REASKED, facts, rejected
from truerate.tracks.halludial import annotating, responding
from truerate.tracks.halludial.context import Context
from truerate.tracks.halludial.located import rationale, spans
from truerate.tracks.halludial.settings import Settings
from truerate.tracks.halludial.splits import side_by_sample, side_of

SCENARIO = "spontaneous"
UNREAD = "unread-annotation"  # of a response: what the annotator said of it could not be read, or never came


def base_responses(rows: Iterable[dict], settings: Settings) -> list[dict]:
    """The responses that are annotated: those that were read, in gold history, at the base temperature."""
    return [
        row
        for row in rows
        if row["purpose"] == responding.PURPOSE and row["status"] == "ok" and is_base(facts(row), settings)
    ]


def is_base(known: Mapping[str, str], settings: Settings) -> bool:
    """Whether a response's row is of gold history and the base temperature."""
    return known.get("history") == responding.GOLD and known.get("temperature") == settings.base


def annotations(rows: Iterable[dict]) -> dict[str, dict]:
    """The annotation that stands of each response, read or not, by the response's id."""
    return {
        known["target"]: row
        for row in rows
        if row["purpose"] == annotating.PURPOSE and REASKED not in (known := facts(row))
    }


def samples(
    rows: Sequence[dict], found: Mapping[str, Context], settings: Settings
) -> tuple[list[dict], list[dict]]:
    """Sample rows of annotated responses, and Reject rows of those whose annotation was not read. Where nobody
    annotates there is neither.
    """
    of_response = annotations(rows)
    made, dropped = [], []
    for row in base_responses(rows, settings) if of_response else []:
        annotation = of_response.get(row["generation_id"])
        if annotation is not None and annotation["status"] == "ok":
            made.append(_sample(row, annotation, found[row["item_id"]], settings))
        else:
            dropped.append(rejected(row, UNREAD, _why(annotation)))
    return made, dropped


def _why(annotation: dict | None) -> str:
    """What became of an annotation that was not read."""
    if annotation is None:
        return "no annotation"
    return f"{annotation['status']}: {annotation['reason']}"


def _sample(row: dict, annotation: dict, context: Context, settings: Settings) -> dict:
    """A silver sample; its id is that of the response, so that what is said of one is said of the other."""
    known = facts(annotation)
    is_hallucinated = known["verdict"] == "yes"
    name = row["generation_id"]
    return sample_row(
        sample_id=name,
        item_id=context.item_id,
        group_id=context.group_id,
        task="dialogue",
        lang=context.lang,
        text=row["text"],
        is_hallucinated=is_hallucinated,
        label_source="silver",
        generator=row["model"],
        spans=spans(known) if is_hallucinated else [],
        rationale=rationale(annotation["text"]),
        split=side_of(context.group_id, settings),
        attributes=pairs(
            scenario=SCENARIO,
            scheme=SCENARIO,
            split_by_sample=side_by_sample(name, settings),
            **context.place,
        ),
    )
