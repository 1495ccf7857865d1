"""What people are given to label: natural responses (yes or no, with the place), and judgements (accurate or not).

Responses are given out by whole conversations of one responder, so that a dialogue's rate can be told of people's
labels alone.
"""

from collections.abc import Iterable, Mapping, Sequence

from truerate.annotation.tasks import annotators, in_turns
from truerate.core.keys import draw
from truerate.llm.generation import facts
from truerate.tracks.halludial.context import Context
from truerate.tracks.halludial.meta_judging import Judged
from truerate.tracks.halludial.settings import Labelling

NATURAL, META = "natural", "meta"


def annotation_tasks(
    responses: Sequence[dict], judgements: Sequence[Judged], found: Mapping[str, Context], rules: Labelling
) -> list[dict]:
    """The annotation tasks, sorted by `task_id`: responses by `generation_id`, judgements by `judgement_id`.
    Each names the annotators who get it. Nothing in a task says what a model said of the response, but the
    evaluation that is to be judged.
    """
    names = annotators(rules.n_annotators)
    natural = [_task(row["generation_id"], NATURAL, row["text"], found[row["item_id"]]) for row in responses]
    meta = [
        {
            **_task(judgement.judgement_id, META, judgement.response, found[judgement.item_id]),
            "evaluation": judgement.evaluation,
        }
        for judgement in judgements
    ]
    tasks = [{**task, "annotators": names} for task in (*natural, *meta)]
    return sorted(tasks, key=lambda task: task["task_id"])


def _task(task_id: str, kind: str, response: str, context: Context) -> dict:
    return {
        "task_id": task_id,
        "kind": kind,
        "group_id": context.group_id,
        "lang": context.lang,
        "knowledge": context.knowledge,
        "conversation": context.history,
        "response": response,
    }


def natural_responses(rows: Iterable[dict], n: int, seed: int) -> list[dict]:
    """The responses of `n` conversations (a dialogue with one responder), as evenly over the responders as they
    come: each one's dialogues are drawn in a seeded order, in turns.
    """
    by_conversation: dict[tuple[str, str], list[dict]] = {}
    for row in rows:
        known_facts = facts(row)
        name = known_facts["group_id"] if known_facts.get("turn") is not None else row["item_id"]
        by_conversation.setdefault((row["model"], name), []).append(row)
    drawn = in_turns(
        by_conversation,
        owner=lambda key: key[0],
        order=lambda key: (draw(seed, "natural", *key), key),
        turn_order=lambda model, turn: draw(seed, "natural-turn", model, turn),
    )
    return [row for key in drawn[:n] for row in by_conversation[key]]
