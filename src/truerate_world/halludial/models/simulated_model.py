"""The simulated models at work on conversations: a prompt in, an answer out, by draws that depend on the
model and on what is asked, never on layout.
"""

from truerate_world import prompt
from truerate_world.answer import Answer
from truerate_world.draws import draw
from truerate_world.encyclopedia import World
from truerate_world.halludial.models import inducing, judging, responding, verdict_wording, writing_wording
from truerate_world.halludial.models.claims import Checker, checker
from truerate_world.halludial.models.profiles import PROFILES, Model
from truerate_world.halludial.models.tasks import CUES, Asked, levelled, understood
from truerate_world.manners import Worded
from truerate_world.models import base

__all__ = ["CUES", "answer"]


def answer(world: World, model: str, asked: prompt.Asked, sample: int) -> Answer | None:
    """The answer to a prompt of the protocol; None where it is none."""
    task = understood(asked)
    if task is None:
        return None
    return _HANDLERS[task.task](checker(world), PROFILES[base(model)], task, sample)


def _answered(task: str, worded: Worded, **truth: object) -> Answer:
    """An answer as it is worded, with what was planted in it and in its wording."""
    return Answer(task, worded.text, truth | worded.truth, worded.finish)


def _respond(claim_checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key(), sample)
    spoken = responding.response(claim_checker, model, asked, *key)
    warm = (*key, asked.temperature)
    if spoken.outcome == "empty":
        worded = writing_wording.nothing(asked, *warm)
    elif spoken.outcome == "refusal":
        worded = writing_wording.refused(*warm)
    else:
        worded = writing_wording.turn(model.name, asked, spoken.text, *warm)
    return _answered("respond", worded, outcome=spoken.outcome, finding=spoken.finding)


def _induce(claim_checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key("Correct Response", "Kind"), sample)
    written = inducing.induced(claim_checker, model, asked, *key)
    if written.outcome == "declined":
        worded = writing_wording.declined(*key)
    else:
        worded = writing_wording.induced(model.name, written.text, written.segment, written.rationale, *key)
    return _answered(
        "induce", worded, outcome=written.outcome, finding=written.finding, segment=written.segment
    )


def _match(claim_checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key("Correct Response"), sample)
    written = inducing.matched(claim_checker, model, asked, *key)
    worded = writing_wording.turn(model.name, asked, written.text, *key)
    return _answered("match", worded, outcome=written.outcome, finding=written.finding)


def _judge(claim_checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    """A verdict alone, or with segments and reason."""
    key = (model.name, *asked.key("Response"), sample)
    judged = judging.verdict(claim_checker, model, asked, *key)
    verdict, is_read = "Yes" if judged.is_yes else "No", draw(*key, "unparsed") >= model.unparsed
    if asked.task == "detect":
        worded = verdict_wording.word(model.name, asked, verdict, *key, is_read=is_read)
    else:
        worded = verdict_wording.located(
            model.name, asked, verdict, judged.segments, judged.why, *key, is_read=is_read
        )
    truth = {
        "verdict": verdict if is_read else None,
        "segments": judged.segments,
        "is_located": judged.is_located,
    }
    return _answered(asked.task, worded, finding=judging.truth_of(claim_checker, asked), **truth)


def _compare(claim_checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key(), sample)
    chosen, flawed, is_biased = judging.compared(claim_checker, model, asked, *key)
    shown = (*key, *(levelled(asked.fields.get(f"Response {n}", "")) for n in (1, 2)))
    is_read = draw(*shown, "unparsed") >= model.unparsed
    worded = verdict_wording.choice(model.name, asked, chosen, *shown, is_read=is_read)
    return _answered("compare", worded, hallucinated=flawed, is_biased=is_biased)


def _check(claim_checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key("Response", "Evaluation"), sample)
    is_accurate = judging.is_accurate(claim_checker, asked)
    verdict = "Accurate" if draw(*key) < model.p_accurate(is_accurate) else "Inaccurate"
    is_read = draw(*key, "unparsed") >= model.unparsed
    worded = verdict_wording.word(model.name, asked, verdict, *key, is_read=is_read)
    return _answered("meta", worded, is_accurate=is_accurate)


_HANDLERS = {
    "respond": _respond,
    "annotate": _judge,
    "induce": _induce,
    "match": _match,
    "detect": _judge,
    "locate": _judge,
    "compare": _compare,
    "meta": _check,
}
