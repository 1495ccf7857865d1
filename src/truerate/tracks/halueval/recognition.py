"""Recognition (HELMA 3.1): does a text contain hallucination? And its variants: knowledge, chain-of-thought,
sample contrast.

QA and dialogue are judged without knowledge unless the variant gives it; a summary always comes with its
document, so the knowledge variant does not exist for it. Sample contrast shows both sides of a pair, in both
orders, and asks which one is hallucinated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, frame, judgement_row, pairs, unpaired
from truerate.llm import Reply, Request, prompts, structured
from truerate.llm.generation import Prompted, Read, decoding, generation
from truerate.llm.replies.choices import choice
from truerate.llm.replies.reading import cut
from truerate.llm.replies.verdicts import yes_no
from truerate.tracks.halueval import patterns
from truerate.tracks.halueval.context import Context
from truerate.tracks.halueval.filtering import CHOICES, NOUNS
from truerate.tracks.halueval.settings import Settings

PURPOSE = "recognise"
CUE = "Your Judgement"
CONTRAST_CUE = "Your Choice"
VERDICT, REASONED = structured.verdict(), structured.reasoned_verdict(CUE)
N_AT_ONCE = 3072  # texts whose requests and replies are held at a time, in all variants


@dataclass(frozen=True, slots=True)
class Target:
    """One text to judge. `pair_id` and `is_hallucinated` are None for texts that no one has labelled yet."""

    target_id: str
    item_id: str
    text: str
    pair_id: str | None = None
    is_hallucinated: bool | None = None


def targets(samples: pl.DataFrame, responses: pl.DataFrame) -> list[Target]:
    """Every sample, and every selected general response, by id."""
    found = {
        row["sample_id"]: Target(
            row["sample_id"], row["item_id"], row["text"], row["pair_id"], row["is_hallucinated"]
        )
        for row in samples.iter_rows(named=True)
    }
    for row in responses.iter_rows(named=True):
        found.setdefault(row["generation_id"], Target(row["generation_id"], row["item_id"], row["text"]))
    return [found[name] for name in sorted(found)]


def parts(asked_of: Sequence[Target]) -> Iterator[list[Target]]:
    """The texts in parts that are asked about one after another, all texts of an item in one."""
    by_item: dict[str, list[Target]] = {}
    for target in asked_of:
        by_item.setdefault(target.item_id, []).append(target)
    part: list[Target] = []
    for texts in by_item.values():
        part += texts
        if len(part) >= N_AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def requests(
    asked_of: Sequence[Target],
    context_of: dict[str, Context],
    subject: str,
    settings: Settings,
    *,
    knowledge: dict[str, str],
    seed: int,
    prompts_dir: str | None,
) -> list[Prompted]:
    """Every variant's requests. `knowledge` holds, by item id, what the knowledge variant gives; items
    without any are not asked it. `seed` draws the order of the demonstrations.
    """
    asked = []
    for variant in settings.variants:
        if variant == "contrast":
            own = contrast_requests(
                asked_of, context_of, subject, settings, seed=seed, prompts_dir=prompts_dir
            )
            asked.extend(own)
            continue
        for target in asked_of:
            context = context_of[target.item_id]
            given = knowledge.get(target.item_id, "") if variant == "knowledge" else ""
            if variant != "knowledge" or (given and context.task != "summarization"):
                asked.append(
                    one_request(
                        target,
                        context,
                        subject,
                        settings,
                        variant=variant,
                        knowledge=given,
                        seed=seed,
                        prompts_dir=prompts_dir,
                    )
                )
    return asked


def one_request(
    target: Target,
    context: Context,
    subject: str,
    settings: Settings,
    *,
    variant: str,
    knowledge: str = "",
    seed: int,
    prompts_dir: str | None,
    **more: str,
) -> Prompted:
    """The request that judges one text in one variant; `more` are further facts for its rows."""
    values = {
        "has_knowledge": bool(knowledge),
        "knowledge": context.knowledge if context.task == "summarization" else knowledge,
        "history": context.history,
        "question": context.question,
        "text": target.text,
        "is_step_by_step": variant == "chain-of-thought",
        "patterns": patterns.named(context.task, None),
        "demonstrations": patterns.judged(context.task, seed),
    }
    messages = tuple(prompts.render("halueval", f"recognise_{context.task}", prompts_dir, **values))
    known = {"task": context.task, "variant": variant, "target": target.target_id, **more}
    kind = "chain_of_thought" if variant == "chain-of-thought" else "recognition"
    form = REASONED if variant == "chain-of-thought" else VERDICT
    request = Request(subject, messages, decoding(settings.decoding(kind)), form=form)
    return Prompted(request, target.item_id, PURPOSE, known)


def contrast_requests(
    asked_of: Sequence[Target],
    context_of: dict[str, Context],
    subject: str,
    settings: Settings,
    *,
    seed: int,
    prompts_dir: str | None,
) -> list[Prompted]:
    """Both orders of every pair that has a right and a hallucinated side. `seed` draws the order of the
    demonstrations.
    """
    asked = []
    for right, hallucinated in sides(asked_of):
        context = context_of[right.item_id]
        for order, first, second in (
            ("right-first", right, hallucinated),
            ("hallucinated-first", hallucinated, right),
        ):
            messages = _contrast_messages(context, first.text, second.text, seed, prompts_dir)
            request = Request(subject, messages, decoding(settings.recognition), form=CHOICES[context.task])
            attributes = {
                "task": context.task,
                "variant": "contrast",
                "order": order,
                "first": first.target_id,
                "second": second.target_id,
            }
            asked.append(Prompted(request, right.item_id, PURPOSE, attributes))
    return asked


def _contrast_messages(
    context: Context, first: str, second: str, seed: int, prompts_dir: str | None
) -> tuple:
    values = {
        "has_knowledge": False,
        "knowledge": context.knowledge,
        "history": context.history,
        "question": context.question,
        "first": first,
        "second": second,
        "patterns": patterns.named(context.task, None),
        "demonstrations": patterns.compared(context.task, seed),
    }
    return tuple(prompts.render("halueval", f"contrast_{context.task}", prompts_dir, **values))


def sides(asked_of: Sequence[Target]) -> list[tuple[Target, Target]]:
    """The right and the hallucinated side of every pair, by the pair's id."""
    by_pair: dict[str, dict[bool, Target]] = {}
    for target in asked_of:
        if target.pair_id is not None:
            by_pair.setdefault(target.pair_id, {})[target.is_hallucinated] = target
    return [(both[False], both[True]) for _, both in sorted(by_pair.items()) if len(both) == 2]


def collect(
    asked: Sequence[Prompted], replies: Sequence[Reply], *, version: str
) -> tuple[list[dict], list[dict]]:
    """Generation and Judgement rows of all variants' replies. `version` names what answered."""
    generations, judgements = [], []
    for prompted, reply in zip(asked, replies, strict=True):
        is_contrast = prompted.attributes["variant"] == "contrast"
        row = generation(prompted, reply, read(prompted, reply.text))
        generations.append(row)
        judgements.extend(
            _contrast_judgements(prompted, row, version)
            if is_contrast
            else [_judgement(prompted, row, version)]
        )
    return generations, judgements


def read(asked: Prompted, text: str) -> Read:
    """A reply as its question wants it: a choice where two texts were shown, else a judgement."""
    is_contrast = asked.attributes["variant"] == "contrast"
    return read_choice(asked, text) if is_contrast else read_judgement(text)


def read_judgement(text: str) -> Read:
    """A reply as Yes (it contains hallucination) or No; neither or both: unparsed. `cut`: what was taken off
    before it was read.
    """
    found = yes_no(text, CUE, asks="hallucination")
    if found.value is None:
        return Read(text, "unparsed", found.reason, cut(found, "heading"))
    return Read(text, attributes={"verdict": "yes" if found.value else "no", **cut(found, "heading")})


def read_choice(asked: Prompted, text: str) -> Read:
    """A reply as the side that is hallucinated; `choice` is the id of that text."""
    noun = NOUNS[asked.attributes["task"]]
    found = choice(text, (f"{noun} 1", f"{noun} 2"), CONTRAST_CUE, asks="hallucinated")
    if found.value is None:
        return Read(text, "unparsed", found.reason, cut(found, "heading"))
    chosen = asked.attributes["first" if found.value[-1] == "1" else "second"]
    return Read(text, attributes={"choice": chosen, **cut(found, "heading")})


def _judgement(asked: Prompted, row: dict, version: str) -> dict:
    said = unpaired(row["attributes"]).get("verdict")
    names = ("variant", "stage", "sample", "refined_by")
    known = {key: asked.attributes[key] for key in names if key in asked.attributes}
    rationale = row["text"] if known["variant"] == "chain-of-thought" else None
    return _judged(
        row, version, asked.attributes["target"], None if said is None else said == "yes", known, rationale
    )


def _contrast_judgements(asked: Prompted, row: dict, version: str) -> list[dict]:
    """What a choice says of either side: the chosen text is judged hallucinated, the other is not."""
    choice = unpaired(row["attributes"]).get("choice")
    known = {key: asked.attributes[key] for key in ("variant", "order")}
    shown = (asked.attributes["first"], asked.attributes["second"])
    return [
        _judged(row, version, target, None if choice is None else choice == target, known, None)
        for target in shown
    ]


def _judged(
    row: dict, version: str, target: str, verdict: bool | None, known: dict, rationale: str | None
) -> dict:
    """One Judgement row that follows from a Generation row."""
    return judgement_row(
        judgement_id=content_id(row["model"], version, target, known, row["generation_id"]),
        judge=row["model"],
        judge_version=version,
        target_id=target,
        verdict=verdict,
        status=row["status"],
        reason=row["reason"],
        rationale=rationale,
        attributes=pairs(**known),
    )


def judgements(rows: Sequence[dict]) -> pl.DataFrame:
    """Rows as a Judgement frame, in a fixed order."""
    return frame(Judgement, list(rows)).sort("judgement_id")
