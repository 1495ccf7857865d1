"""Annotation of spontaneous responses (HalluDial section 2.1): verdict, place and reason by a model that sees the
reference response. Its labels are silver: no person checked them.
"""

from collections.abc import Mapping, Sequence

from truerate.llm import Request, prompts
from truerate.llm.generation import Prompted, Read, decoding
from truerate.tracks.halludial.context import Context, shown
from truerate.tracks.halludial.demonstrations import ANNOTATED
from truerate.tracks.halludial.located import read_located
from truerate.tracks.halludial.settings import Settings

PURPOSE = "annotate"
CUE = "Annotation"


def requests(
    responses: Sequence[dict],
    found: Mapping[str, Context],
    annotator: str,
    settings: Settings,
    *,
    prompts_dir: str | None,
) -> list[Prompted]:
    """One request per response (a Generation row)."""
    asked, decoded = [], decoding(settings.annotating)
    for row in responses:
        context = found[row["item_id"]]
        told, place = shown(context, settings.max_history_words)
        values = {**told, "reference": context.right_answer or "", "text": row["text"]}
        messages = prompts.render("halludial", "annotate", prompts_dir, **values, demonstrations=ANNOTATED)
        known = {"task": "dialogue", "target": row["generation_id"], **place}
        asked.append(Prompted(Request(annotator, tuple(messages), decoded), row["item_id"], PURPOSE, known))
    return asked


def read(asked: Prompted, reply: str, texts: Mapping[str, str], found: Mapping[str, Context]) -> Read:
    """A reply as an annotation of the response that it was asked of; `texts`: responses by id."""
    response = texts[asked.attributes["target"] or ""]
    return read_located(reply, response, CUE, found[asked.item_id].knowledge)
