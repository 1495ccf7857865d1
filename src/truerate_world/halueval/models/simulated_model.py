"""Answers of the models to HaluEval's tasks; draws depend on model and question, not on layout."""

import unicodedata

from truerate_world import prompt
from truerate_world.draws import draw, pick, pick_weighted
from truerate_world.encyclopedia import World
from truerate_world.halueval.models import candidate_wording, candidates, verdict_wording
from truerate_world.halueval.models.answers import answer as spoken_of
from truerate_world.halueval.models.claim_checker import PATTERNS, Checker, Finding, speaker
from truerate_world.halueval.models.profiles import PROFILES, Model
from truerate_world.halueval.models.refining import refined
from truerate_world.halueval.models.tasks import CUES, TEXT, Asked, understood
from truerate_world.manners import Answer
from truerate_world.models import base

__all__ = ["CUES", "answer", "guess"]
_EVIDENCE = ("Knowledge", "Document", "Question", "Dialogue History", "User Query")
_WRITERS = {"qa": candidates.qa, "dialogue": candidates.dialogue, "summarization": candidates.summary}


def answer(world: World, model: str, asked: prompt.Asked, sample: int) -> Answer | None:
    """The answer to a prompt of the protocol; None where it is none."""
    task = understood(asked)
    if task is None:
        return None
    checker = speaker(world, "\n".join(task.fields.values()))
    return _HANDLERS[task.purpose](checker, PROFILES[base(model)], task, sample)


def guess(world: World, model: str, asked: prompt.Asked, sample: int) -> Answer | None:
    """A free answer about the entities that a bare message names; None where it names none."""
    spoken = spoken_of(speaker(world, asked.message), PROFILES[base(model)], asked.message, sample)
    if spoken is None:
        return None
    truth = {"task": "general", "labels": spoken.labels, "is_abstention": spoken.is_abstention}
    return Answer("general", spoken.text, truth)


def _sample(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    """Write a hallucinated candidate by the given pattern, or by one that the model chooses."""
    noun = asked.cue.split()[-1]
    right = asked.fields.get("True Response") or asked.fields.get(f"Right {noun}", "")
    named = asked.fields.get("Pattern", "").lower().split()
    given = next((name for name in PATTERNS[asked.task] if name in named), None)
    what = (asked.fields.get(name, "") for name in ("Question", "Dialogue History"))
    key = (model.name, "sample", asked.task, asked.is_conversation, *map(_plain, what), _plain(right), sample)
    pattern = given or pick_weighted(model.taste[asked.task], *key, "pattern")
    truth = {"task": asked.task, "pattern": pattern}
    if draw(*key, pattern, "refusal") < model.refusal:
        worded = candidate_wording.declined(model.name, *key, pattern)
        return worded.answer("sample", **truth, outcome="refused")
    text, outcome = _candidate(checker, model, asked, right, pattern, (*key, pattern))
    if outcome == "restated" and asked.task == "qa":
        if restated := candidate_wording.named_again(right, *key, pattern):
            return restated.answer("sample", **truth, outcome=outcome)
    is_malformed = not given and draw(*key, "malformed") < model.malformed
    shown = None if given or is_malformed else pattern
    worded = candidate_wording.written(model.name, asked, text, right, *key, pattern=shown)
    if is_malformed and worded.read is not None:
        worded, truth = worded._replace(text=f"#{asked.cue}#: {text}"), truth | {"is_malformed": True}
    return worded.answer("sample", **truth, outcome=outcome if worded.read is not None else "unfinished")


def _candidate(
    checker: Checker, model: Model, asked: Asked, right: str, pattern: str, key: tuple
) -> tuple[str, str]:
    """The candidate's text and its outcome: written, lengthened, restated or (not understood) bland."""
    if draw(*key, "restating") < model.restating[asked.task, pattern]:
        return candidates.restated(right, *key), "restated"
    text = _WRITERS[asked.task](checker, asked.fields, pattern, *key)
    if text is None:
        return checker.writer.talk("tail", *key).capitalize() + ".", "bland"
    if asked.task != "dialogue" and draw(*key, "verbosity") < model.verbosity:
        return candidates.lengthened(checker, text, right, *key), "lengthened"
    return text, "written"


def _filter(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    """Name the more plausible of two candidates, by a plausibility that is planted in each text."""
    first, second = _two(asked)
    key = (model.name, "filter", asked.task, *sorted((first, second)), sample)
    better = 1 if draw("plausible", first) >= draw("plausible", second) else 2
    return _chosen(model, asked, first, better, model.filtering, "better", *key)


def _contrast(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    """Name the hallucinated one of two texts; a biased draw names the first, in either order."""
    first, second = _two(asked)
    texts = [asked.fields.get(f"{TEXT[asked.task]} {number}", "") for number in (1, 2)]
    flags = [find(checker, asked, text).is_hallucinated for text in texts]
    key = (model.name, "contrast", asked.task, *sorted((first, second)), *_evidence(asked), sample)
    false = flags.index(True) + 1 if sum(flags) == 1 else 1 + (draw("tie", first) < draw("tie", second))
    return _chosen(model, asked, first, false, model.contrast[asked.task], "hallucinated", *key)


def _chosen(
    model: Model, asked: Asked, first: str, right: int, rate: float, name: str, *key: object
) -> Answer:
    """A choice of the `right` one of two texts at a rate, or of the first by bias."""
    is_biased = draw(*key, "bias") < model.position_bias
    chosen = 1 if is_biased else right if draw(*key) < rate else 3 - right
    is_read = draw(*key, first, "unparsed") >= model.unparsed
    worded = verdict_wording.choice(model.name, asked, chosen, *key, first, is_read=is_read)
    return worded.answer(asked.purpose, **{"task": asked.task, name: right, "is_biased": is_biased})


def _judge(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    """Say Yes to a text taken for hallucinated; knowledge that does not decide it does not help."""
    text = asked.fields.get(TEXT[asked.task], "")
    finding = find(checker, asked, text)
    is_hallucinated, pattern, variant = finding.is_hallucinated, finding.pattern, helped(asked, finding)
    key = (model.name, "recognition", asked.task, _plain(text), *_evidence(asked), asked.variant, sample)
    p = model.p_yes(asked.task, variant, is_hallucinated=is_hallucinated, pattern=pattern)
    verdict = "Yes" if draw(*key) < p else "No"
    is_read = draw(*key, "unparsed") >= model.unparsed
    truth = {"task": asked.task, "variant": variant, "is_hallucinated": is_hallucinated, "pattern": pattern}
    truth |= {"p": p, "verdict": verdict if is_read else None}
    talk = checker.lexicon.words.talk
    steps = f"{talk['reasoning'][0]} {pick(talk['reasoning'][1:-1], *key, 'step')} {talk['reasoning'][-1]}"
    worded = verdict_wording.verdict(model.name, asked, verdict, steps, talk["hedge"], *key, is_read=is_read)
    return worded.answer("recognition", **truth)


def _refine(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    """The text corrected from the knowledge, or left as it is."""
    text = asked.fields.get(TEXT[asked.task], "")
    key = (model.name, "refine", asked.task, _plain(text), *_evidence(asked), sample)
    corrected = refined(checker, asked, text, *key) if draw(*key) < model.refining[asked.task] else None
    worded = candidate_wording.rewritten(model.name, asked, corrected or text, *key)
    return worded.answer("refine", task=asked.task, is_corrected=corrected is not None)


def _teach(checker: Checker, model: Model, asked: Asked, sample: int) -> Answer:
    return Answer("teach", "Understood")


_HANDLERS = {"sample": _sample, "filter": _filter, "recognition": _judge}
_HANDLERS |= {"contrast": _contrast, "refine": _refine, "teach": _teach}


def helped(asked: Asked, finding: Finding) -> str:
    """The variant whose rates apply: knowledge that does not decide the claim is as good as none."""
    return "plain" if asked.variant == "knowledge" and not finding.is_grounded else asked.variant


def find(checker: Checker, asked: Asked, text: str) -> Finding:
    """The truth about a text that a prompt shows, by the evidence in the prompt, else by the world."""
    fields = asked.fields
    knowledge = fields.get("Knowledge", "")
    if asked.task == "qa":
        return checker.qa(fields.get("Question", ""), text, knowledge)
    if asked.task == "dialogue":
        return checker.dialogue(text, knowledge, fields.get("Dialogue History", ""))
    if asked.task == "summarization":
        return checker.summary(text, fields.get("Document", ""))
    return checker.general(fields.get("User Query", ""), text, knowledge)


def _two(asked: Asked) -> tuple[str, str]:
    noun = TEXT[asked.task]
    return _plain(asked.fields.get(f"{noun} 1", "")), _plain(asked.fields.get(f"{noun} 2", ""))


def _evidence(asked: Asked) -> tuple[str, ...]:
    return tuple(_plain(asked.fields[name]) for name in _EVIDENCE if name in asked.fields)


def _plain(text: str) -> str:
    """A text as draws are keyed by it: compatibility forms resolved, case and spacing normalized."""
    return " ".join((text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold().split())
