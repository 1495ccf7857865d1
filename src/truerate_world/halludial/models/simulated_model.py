"""Answers of the models about conversations; draws depend on model and question, not on layout."""

from truerate_world import prompt
from truerate_world.draws import draw
from truerate_world.encyclopedia import World
from truerate_world.halludial.models import inducing, judging, responding, verdict_wording, writing_wording
from truerate_world.halludial.models.claims import Checker, checker
from truerate_world.halludial.models.profiles import PROFILES, Model
from truerate_world.halludial.models.tasks import CUES, Asked, normalized, understood
from truerate_world.manners import Answer
from truerate_world.models import base

__all__ = ["CUES", "answer"]


def answer(world: World, model: str, asked: prompt.Asked, sample: int) -> Answer | None:
    """The answer to a prompt of the protocol; None where it is none."""
    task = understood(asked)
    if task is None:
        return None
    return _HANDLERS[task.task](checker(world), PROFILES[base(model)], task, sample)


def _respond(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key(), sample)
    spoken = responding.response(checker, model, asked, *key)
    warm = (*key, asked.temperature)
    if spoken.outcome == "empty":
        worded = writing_wording.nothing(asked, *warm)
    elif spoken.outcome == "refusal":
        worded = writing_wording.not_continued(*warm)
    else:
        worded = writing_wording.turn(model.name, asked, spoken.text, *warm)
    return worded.answer("respond", outcome=spoken.outcome, finding=spoken.finding)


def _induce(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key("Correct Response", "Kind"), sample)
    written = inducing.induced(checker, model, asked, *key)
    if written.outcome == "declined":
        worded = writing_wording.declined(*key)
    else:
        worded = writing_wording.induced(model.name, written.text, written.segment, written.rationale, *key)
    truth = {"outcome": written.outcome, "finding": written.finding, "segment": written.segment}
    return worded.answer("induce", **truth)


def _match(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key("Correct Response"), sample)
    written = inducing.matched(checker, model, asked, *key)
    worded = writing_wording.turn(model.name, asked, written.text, *key)
    return worded.answer("match", outcome=written.outcome, finding=written.finding)


def _judge(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    """A verdict alone, or with segments and reason."""
    key = (model.name, *asked.key("Response"), sample)
    judged = judging.verdict(checker, model, asked, *key)
    name, verdict = model.name, "Yes" if judged.is_yes else "No"
    is_read = draw(*key, "unparsed") >= model.unparsed
    if asked.task == "detect":
        worded = verdict_wording.word(name, asked, verdict, *key, is_read=is_read)
    else:
        reason = (judged.segments, judged.why)
        worded = verdict_wording.located(name, asked, verdict, *reason, *key, is_read=is_read)
    truth = {"verdict": verdict if is_read else None, "is_located": judged.is_located}
    truth |= {"segments": judged.segments, "finding": judging.truth_of(checker, asked)}
    return worded.answer(asked.task, **truth)


def _compare(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key(), sample)
    chosen, flawed, is_biased = judging.compared(checker, model, asked, *key)
    shown = (*key, *(normalized(asked.fields.get(f"Response {n}", "")) for n in (1, 2)))
    is_read = draw(*shown, "unparsed") >= model.unparsed
    worded = verdict_wording.choice(model.name, asked, chosen, *shown, is_read=is_read)
    return worded.answer("compare", hallucinated=flawed, is_biased=is_biased)


def _check(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    key = (model.name, *asked.key("Response", "Evaluation"), sample)
    is_accurate = judging.is_accurate(checker, asked)
    verdict = "Accurate" if draw(*key) < model.p_accurate(is_accurate) else "Inaccurate"
    is_read = draw(*key, "unparsed") >= model.unparsed
    worded = verdict_wording.word(model.name, asked, verdict, *key, is_read=is_read)
    return worded.answer("meta", is_accurate=is_accurate)


_HANDLERS = {"respond": _respond, "induce": _induce, "match": _match, "compare": _compare, "meta": _check}
_HANDLERS |= dict.fromkeys(("annotate", "detect", "locate"), _judge)
