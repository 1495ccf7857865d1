"""Annotation of spontaneous responses (HalluDial section 2.1): verdict, place and reason by a model that sees the
reference response. Its labels are silver: no person checked them.
"""

from collections.abc import Iterable, Mapping, Sequence

from truerate.core.schemas import pairs, sample_row
from truerate.llm.generation import REASKED, Prompted, Read, facts, rejected
from truerate.tracks.halludial import responding
from truerate.tracks.halludial.context import Context, side_by_sample, side_of
from truerate.tracks.halludial.detecting import rationale, read_located, spans
from truerate.tracks.halludial.prompting import ANNOTATE, CUES, RESPOND, Questions
from truerate.tracks.halludial.settings import Settings


def requests(
    responses: Sequence[dict], contexts: Mapping[str, Context], annotator: str, questions: Questions
) -> list[Prompted]:
    """Return one question per response (a Generation row)."""
    asked = []
    for row in responses:
        context, attributes = contexts[row["item_id"]], {"target": row["generation_id"]}
        values = {"reference": context.right_answer or "", "text": row["text"]}
        sampling = questions.settings.annotating
        asked.append(questions.question(ANNOTATE, annotator, context, sampling, attributes, **values))
    return asked


def read(question: Prompted, reply: str, texts: Mapping[str, str], contexts: Mapping[str, Context]) -> Read:
    """Return a reply as an annotation of the response that it was asked of; `texts`: responses by id."""
    response = texts[question.attributes["target"] or ""]
    return read_located(reply, response, CUES[ANNOTATE], contexts[question.item_id].knowledge)


# ---- Samples of spontaneous hallucination: responses with what the annotato --------------------------------


SCENARIO = "spontaneous"
UNREAD = "unread-annotation"  # of a response: what the annotator said of it could not be read, or never came


def base_responses(rows: Iterable[dict], settings: Settings) -> list[dict]:
    """The responses that are annotated: those that were read, in gold history, at the base temperature."""
    return [
        row
        for row in rows
        if row["purpose"] == RESPOND and row["status"] == "ok" and is_base(facts(row), settings)
    ]


def is_base(known: Mapping[str, str], settings: Settings) -> bool:
    """Whether a response's row is of gold history and the base temperature."""
    return known.get("history") == responding.GOLD and known.get("temperature") == settings.base


def annotations(rows: Iterable[dict]) -> dict[str, dict]:
    """The annotation that stands of each response, read or not, by the response's id."""
    return {
        known["target"]: row
        for row in rows
        if row["purpose"] == ANNOTATE and REASKED not in (known := facts(row))
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
