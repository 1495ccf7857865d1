"""Refinement (HELMA 3.3): texts that a model flagged are rewritten by it with knowledge, and judged again, by
it and by another judge where the settings name one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from truerate.llm.generation import Prompted, Read, facts
from truerate.llm.replies.reading import cut
from truerate.llm.replies.texts.candidates import refined as read_text
from truerate.llm.request import Reply
from truerate.tracks.asking import Prompter, read_rows
from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.context import NOUNS, Context
from truerate.tracks.halueval.recognition import Target, one_request

PURPOSE = "refine"


def flagged(judged: Sequence[dict]) -> set[str]:
    """Return the ids of texts that the plain variant's judgements call hallucinated."""
    return {row["target_id"] for row in judged if row["verdict"] and facts(row) == {"variant": "plain"}}


def requests(
    of: Sequence[Target],
    contexts: Mapping[str, Context],
    subject: str,
    prompter: Prompter,
    *,
    knowledge: Mapping[str, str],
) -> list[Prompted]:
    """Return one rewriting request per flagged text that there is knowledge to refine with."""
    asked = []
    for target in of:
        context = contexts[target.item_id]
        task = context.task
        given = context.knowledge if task == "summarization" else knowledge.get(target.item_id, "")
        if given:
            values: dict[str, Any] = context.values | {"knowledge": given, "text": target.text}
            values |= {"template": f"refine_{task}", "patterns": patterns.named(task, None)}
            sampling = prompter.settings.decoding("refining")
            of_row = {"task": task, "sample": target.target_id}
            question = prompter.prompted(
                PURPOSE, subject, target.item_id, sampling, of_row, may_decline=True, **values
            )
            asked.append(question)
    return asked


def collect(asked: Sequence[Prompted], replies: Sequence[Reply], of: Sequence[Target]) -> list[dict]:
    """Return Generation rows of refined texts; `of`: the texts that were to be rewritten."""
    texts = {target.target_id: target.text for target in of}

    def read(prompted: Prompted, text: str) -> Read:
        return read_refined(prompted, text, texts[prompted.attributes["sample"] or ""])

    return read_rows(asked, replies, read)


def read_refined(asked: Prompted, text: str, original: str) -> Read:
    """Read a reply as the corrected text. One that gives the text as it was, or says that nothing is to be
    corrected, is that text with `outcome: unchanged`; a refusal abstains; nothing left of it: unparsed.
    """
    reading = read_text(text, NOUNS[asked.attributes["task"] or ""], original)
    if reading.reason == "unchanged":
        return Read(original, attributes={"outcome": "unchanged", **cut(reading)})
    if reading.value is None:
        status = "abstained" if reading.reason == "refusal" else "unparsed"
        return Read(text, status, reading.reason, cut(reading))
    return Read(reading.value, attributes=cut(reading))


def judging_requests(
    refined: Sequence[dict], contexts: Mapping[str, Context], subject: str, prompter: Prompter
) -> list[Prompted]:
    """Return the plain request of every refined text (`stage: refined`; `refined_by`: another model)."""
    asked = []
    for row in refined:
        if row["status"] == "ok":
            target = Target(row["generation_id"], row["item_id"], row["text"])
            more = {"stage": "refined", "sample": facts(row)["sample"]}
            more |= {} if row["model"] == subject else {"refined_by": row["model"]}
            context = contexts[row["item_id"]]
            asked.append(one_request(target, context, subject, prompter, variant="plain", **more))
    return asked
