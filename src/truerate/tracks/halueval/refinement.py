"""Refinement (HELMA 3.3): texts that a model flagged are rewritten by it with knowledge, and judged again,
by it and by another judge where the settings name one.
"""

from collections.abc import Sequence

from truerate.llm import Reply, Request, prompts
from truerate.llm.generation import Prompted, Read, decoding, facts, generation
from truerate.llm.replies.reading import cut
from truerate.llm.replies.refinements import refined as read_text
from truerate.tracks.halueval import filtering, patterns
from truerate.tracks.halueval.context import Context
from truerate.tracks.halueval.recognition import Target, one_request
from truerate.tracks.halueval.settings import Settings

PURPOSE = "refine"
NOUNS = filtering.NOUNS | {"general": "Response"}


def flagged(judged: Sequence[dict]) -> set[str]:
    """The ids of texts that the plain variant's judgements call hallucinated."""
    return {row["target_id"] for row in judged if row["verdict"] and facts(row) == {"variant": "plain"}}


def requests(
    asked_of: Sequence[Target],
    found: dict[str, Context],
    subject: str,
    settings: Settings,
    *,
    knowledge: dict[str, str],
    prompts_dir: str | None,
) -> list[Prompted]:
    """One rewriting request per flagged text that there is knowledge to refine with: of a summary its
    document, else what `knowledge` holds for its item.
    """
    asked = []
    for target in asked_of:
        context = found[target.item_id]
        given = context.knowledge if context.task == "summarization" else knowledge.get(target.item_id, "")
        if not given:
            continue
        values = {
            "knowledge": given,
            "history": context.history,
            "question": context.question,
            "text": target.text,
        }
        shown = patterns.named(context.task, None)
        messages = tuple(
            prompts.render("halueval", f"refine_{context.task}", prompts_dir, **values, patterns=shown)
        )
        known = {"task": context.task, "sample": target.target_id}
        asked.append(
            Prompted(
                Request(subject, messages, decoding(settings.decoding("refining"))),
                target.item_id,
                PURPOSE,
                known,
                may_decline=True,
            )
        )
    return asked


def collect(asked: Sequence[Prompted], replies: Sequence[Reply], asked_of: Sequence[Target]) -> list[dict]:
    """Generation rows of refined texts, cleaned of what is no part of them. `asked_of` holds the texts that
    were to be rewritten.
    """
    texts = {target.target_id: target.text for target in asked_of}
    return [
        generation(prompted, reply, read_refined(prompted, reply.text, texts[prompted.attributes["sample"]]))
        for prompted, reply in zip(asked, replies, strict=True)
    ]


def read_refined(asked: Prompted, text: str, original: str) -> Read:
    """A reply as the corrected text. One that gives the text as it was, or says that nothing is to be
    corrected, is that text with `outcome: unchanged`; a refusal abstains; nothing left of it: unparsed.
    """
    found = read_text(text, NOUNS[asked.attributes["task"]], original)
    if found.reason == "unchanged":
        return Read(original, attributes={"outcome": "unchanged", **cut(found)})
    if found.value is None:
        return Read(text, "abstained" if found.reason == "refusal" else "unparsed", found.reason, cut(found))
    return Read(found.value, attributes=cut(found))


def judging_requests(
    refined: Sequence[dict],
    found: dict[str, Context],
    subject: str,
    settings: Settings,
    *,
    seed: int,
    prompts_dir: str | None,
) -> list[Prompted]:
    """The plain recognition request of every refined text, marked `stage: refined` and with the sample it
    came from; where another than `subject` refined it, with `refined_by`.
    """
    asked = []
    for row in refined:
        if row["status"] == "ok":
            target = Target(row["generation_id"], row["item_id"], row["text"])
            more = {"stage": "refined", "sample": facts(row)["sample"]}
            more |= {} if row["model"] == subject else {"refined_by": row["model"]}
            context = found[row["item_id"]]
            asked.append(
                one_request(
                    target,
                    context,
                    subject,
                    settings,
                    variant="plain",
                    seed=seed,
                    prompts_dir=prompts_dir,
                    **more,
                )
            )
    return asked
