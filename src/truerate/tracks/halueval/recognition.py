"""Recognition (HELMA 3): does a text contain hallucination? And its variants: knowledge, chain-of-thought,
sample contrast, the authors' words.

QA and dialogue are judged without knowledge unless the variant gives it; a summary always comes with its
document, so the knowledge variant does not exist for it. Sample contrast shows both sides of a pair, in both
orders, and asks which one is hallucinated. The authors' words are templates of the user (`llm.clones`), for
the tasks that have one: asked as `plain` is, so that the two differ in wording alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from truerate.core.keys import content_id
from truerate.core.schemas import Judgement, frame, judgement_row, pairs, unpaired
from truerate.llm import prompts, structured
from truerate.llm.generation import Prompted, Read, generation
from truerate.llm.replies.choices import choice
from truerate.llm.replies.reading import cut
from truerate.llm.replies.verdicts import yes_no
from truerate.llm.request import Reply
from truerate.metrics import judged as joined
from truerate.tracks.asking import Prompter, Reminder
from truerate.tracks.halueval import filtering, patterns
from truerate.tracks.halueval.context import NOUNS, Context

PURPOSE, PLAIN, AUTHORS = "recognise", "plain", "authors"
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
    """Return every sample, and every selected general response, by id."""
    columns = ("sample_id", "item_id", "text", "pair_id", "is_hallucinated")
    by_id = {row[0]: Target(*row) for row in samples.select(columns).iter_rows()}
    for row in responses.select("generation_id", "item_id", "text").iter_rows():
        by_id.setdefault(row[0], Target(*row))
    return [by_id[name] for name in sorted(by_id)]


def parts(of: Sequence[Target]) -> Iterator[list[Target]]:
    """Return the texts in parts that are asked about one after another, all texts of an item in one."""
    by_item: dict[str, list[Target]] = {}
    for target in of:
        by_item.setdefault(target.item_id, []).append(target)
    part: list[Target] = []
    for texts in by_item.values():
        part += texts
        if len(part) >= N_AT_ONCE:
            yield part
            part = []
    if part:
        yield part


# ---- requests ----------------------------------------------------------------------------------------------


def requests(
    of: Sequence[Target],
    contexts: Mapping[str, Context],
    subject: str,
    prompter: Prompter,
    *,
    knowledge: Mapping[str, str],
) -> list[Prompted]:
    """Return every variant's requests; `knowledge`: by item what the knowledge variant gives, where any."""
    asked = []
    worded = {task for task in NOUNS if has_authors_words(task, prompter.prompts_dir)}
    for variant in prompter.settings.variants:
        if variant == "contrast":
            asked += contrast_requests(of, contexts, subject, prompter)
            continue
        for target in of:
            context = contexts[target.item_id]
            if variant == AUTHORS and context.task not in worded:
                continue
            given = knowledge.get(target.item_id, "") if variant == "knowledge" else ""
            if variant != "knowledge" or (given and context.task != "summarization"):
                how = {"variant": variant, "knowledge": given}
                asked.append(one_request(target, context, subject, prompter, **how))
    return asked


def has_authors_words(task: str, prompts_dir: str | None) -> bool:
    """Return whether the user's folder has the authors' words for a task."""
    return prompts.is_there("halueval", f"{prompts.BESIDE}recognise_{task}", prompts_dir)


def one_request(
    target: Target,
    context: Context,
    subject: str,
    prompter: Prompter,
    *,
    variant: str,
    knowledge: str = "",
    **more: str,
) -> Prompted:
    """Return the request that judges one text in one variant; `more` are further facts for its rows."""
    is_step_by_step = variant == "chain-of-thought"
    shown = context.knowledge if context.task == "summarization" else knowledge
    values = context.values | {"knowledge": shown, "has_knowledge": bool(knowledge), "text": target.text}
    values |= {"is_step_by_step": is_step_by_step, "patterns": patterns.named(context.task, None)}
    values["demonstrations"] = patterns.judged(context.task, prompter.seed)
    sampling = prompter.settings.decoding("chain_of_thought" if is_step_by_step else "recognition")
    attributes = {"task": context.task, "variant": variant, "target": target.target_id, **more}
    template = f"{prompts.BESIDE if variant == AUTHORS else ''}recognise_{context.task}"
    how = {"template": template, "form": REASONED if is_step_by_step else VERDICT}
    return prompter.prompted(PURPOSE, subject, target.item_id, sampling, attributes, **how, **values)


def contrast_requests(
    of: Sequence[Target], contexts: Mapping[str, Context], subject: str, prompter: Prompter
) -> list[Prompted]:
    """Return both orders of every pair that has a right and a hallucinated side, by the pair's id."""
    by_pair: dict[str, dict[bool | None, Target]] = {}
    for target in of:
        if target.pair_id is not None:
            by_pair.setdefault(target.pair_id, {})[target.is_hallucinated] = target
    asked = []
    for right, wrong in ((both[False], both[True]) for _, both in sorted(by_pair.items()) if len(both) == 2):
        context = contexts[right.item_id]
        shown = patterns.comparing(context.task, prompter.seed)
        for order, first, second in (("right-first", right, wrong), ("hallucinated-first", wrong, right)):
            both = {"first": first.text, "second": second.text, "has_knowledge": False}
            attributes = {"task": context.task, "variant": "contrast", "order": order}
            attributes |= {"first": first.target_id, "second": second.target_id}
            how = {"template": f"contrast_{context.task}", "form": filtering.CHOICES[context.task]}
            how |= {**context.values, **both, **shown}
            sampling = prompter.settings.recognition
            asked.append(prompter.prompted(PURPOSE, subject, right.item_id, sampling, attributes, **how))
    return asked


def reminder(asked: Prompted) -> Reminder | None:
    """Return the form to repeat after an unread reply of recognition or filtering, else None."""
    if asked.purpose not in (filtering.PURPOSE, PURPOSE):
        return None
    noun = NOUNS.get(asked.attributes["task"] or "", "Response")
    if asked.purpose == filtering.PURPOSE:
        return Reminder("halueval", "remind_choice", {"noun": noun, "cue": f"Best {noun}"})
    if asked.attributes["variant"] == "contrast":
        return Reminder("halueval", "remind_choice", {"noun": noun, "cue": CONTRAST_CUE})
    return Reminder("halueval", "remind_verdict", {"noun": noun.lower()})


# ---- replies -----------------------------------------------------------------------------------------------


def read(asked: Prompted, text: str) -> Read:
    """Read a reply as its question wants it: a choice where two texts were shown, else a judgement."""
    return read_choice(asked, text) if asked.attributes["variant"] == "contrast" else read_judgement(text)


def read_judgement(text: str) -> Read:
    """Read a reply as Yes (it contains hallucination) or No; neither or both: unparsed."""
    reading = yes_no(text, CUE, asks="hallucination")
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cut(reading, "heading"))
    return Read(text, attributes={"verdict": "yes" if reading.value else "no", **cut(reading, "heading")})


def read_choice(asked: Prompted, text: str) -> Read:
    """Read a reply as the side that is hallucinated; `choice` is the id of that text."""
    noun = NOUNS[asked.attributes["task"] or ""]
    reading = choice(text, (f"{noun} 1", f"{noun} 2"), CONTRAST_CUE, asks="hallucinated")
    if reading.value is None:
        return Read(text, "unparsed", reading.reason, cut(reading, "heading"))
    chosen = asked.attributes["first" if reading.value[-1] == "1" else "second"]
    return Read(text, attributes={"choice": chosen, **cut(reading, "heading")})


def collect(
    asked: Sequence[Prompted], replies: Sequence[Reply], *, version: str
) -> tuple[list[dict], list[dict]]:
    """Return Generation and Judgement rows of all variants' replies. `version` names what answered.

    A choice judges both sides: the chosen text is hallucinated, the other is not.
    """
    generations, judged = [], []
    for prompted, reply in zip(asked, replies, strict=True):
        row = generation(prompted, reply, read(prompted, reply.text))
        generations.append(row)
        answer, kept = unpaired(row["attributes"]), prompted.attributes
        if kept["variant"] == "contrast":
            chosen, attributes = answer.get("choice"), {key: kept[key] for key in ("variant", "order")}
            sides = (kept["first"], kept["second"])
            verdicts = {side: None if chosen is None else chosen == side for side in sides}
        else:
            names = ("variant", "stage", "sample", "refined_by")
            attributes = {key: kept[key] for key in names if key in kept}
            word = answer.get("verdict")
            verdicts = {kept["target"]: None if word is None else word == "yes"}
        rationale = row["text"] if kept["variant"] == "chain-of-thought" else None
        outcome = {"status": row["status"], "reason": row["reason"], "rationale": rationale}
        named = {"judge": row["model"], "judge_version": version, "attributes": pairs(**attributes)}
        for target, verdict in verdicts.items():
            name = content_id(row["model"], version, target, attributes, row["generation_id"])
            of_target = {"judgement_id": name, "target_id": target, "verdict": verdict}
            judged.append(judgement_row(**named, **outcome, **of_target))
    return generations, judged


def judgements(rows: Sequence[dict]) -> pl.DataFrame:
    """Return rows as a Judgement frame, in a fixed order."""
    return frame(Judgement, list(rows)).sort("judgement_id")


# ---- judgements beside labels ------------------------------------------------------------------------------


def runs(samples: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """Return `metrics.judged` of the samples, one row per seed of a detector (`seed`; null: it has none); a
    detector counts as plain. `scheme` is null unless the data set holds several published candidates per
    question.
    """
    return joined.judged(
        samples, judgements, variant=PLAIN, sample_keys=("scheme",), judgement_keys=("seed",)
    )


def judged(samples: pl.DataFrame, judgements: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `runs`, a text once whatever the number of a detector's seeds."""
    return joined.over_seeds(runs(samples, judgements))
