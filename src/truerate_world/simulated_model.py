"""The simulated models at work: messages in, an answer out, by draws that depend on the model and on what is
asked, never on layout.
"""

import unicodedata
from dataclasses import dataclass, field

from truerate_world import prompt
from truerate_world.claim_checker import PATTERNS, Finding, Scholar, scholar, speaker
from truerate_world.draws import draw, pick, pick_weighted
from truerate_world.encyclopedia import World
from truerate_world.halueval import candidates
from truerate_world.halueval.answers import answer
from truerate_world.halueval.refining import refined
from truerate_world.mfava import simulated_model as wiki
from truerate_world.models import MODELS, Model
from truerate_world.prompt import TEXT, Asked
from truerate_world.wildhallucinations import simulated_model as web
from truerate_world.wildhallucinations.behaviour_profile import base

__all__ = ["MODELS", "Answer", "reply"]


@dataclass(frozen=True)
class Answer:
    """What a model says. `task` is the purpose it recognised (`unrecognised` where none), `truth` what was
    planted in the reply, `finish` why it ended where that was not its own will (`length`).
    """

    task: str
    text: str
    truth: dict = field(default_factory=dict)
    finish: str | None = None


def reply(
    world: World, model: str, messages: list[dict], *, temperature: float = 0.0, seed: int | None = None
) -> Answer:
    """The answer of a simulated model. Pure: equal arguments give equal answers; `seed` counts only where the
    temperature is above 0.
    """
    asked = prompt.read(messages)
    sample = seed or 0 if temperature > 0 else 0
    if asked.task == "wiki":
        said = "\n".join(message["content"] for message in messages if message["role"] != "user")
        found = wiki.asked_for(world.seed, model, asked, said, sample)
        return (
            Answer(*found)
            if found
            else _unrecognised(_scholar(world, asked), MODELS[base(model)], asked, sample)
        )
    if asked.task == "web" or (asked.task == "general" and web.is_about_an_entity(world, asked)):
        found = web.asked_for(world, model, asked, sample)
        return (
            Answer(*found)
            if found
            else _unrecognised(_scholar(world, asked), MODELS[base(model)], asked, sample)
        )
    return _HANDLERS[asked.purpose](_scholar(world, asked), MODELS[base(model)], asked, sample)


def _scholar(world: World, asked: Asked) -> Scholar:
    """Who works on the prompt: the one who speaks the language of its data."""
    return scholar(world) if len(world.languages) == 1 else speaker(world, "\n".join(asked.fields.values()))


def _sample(known: Scholar, model: Model, asked: Asked, sample: int) -> Answer:
    """A hallucinated candidate by the pattern that is given, or by one of the model's own choice, which it
    names.
    """
    noun = asked.cue.split()[-1]
    right = asked.fields.get("True Response") or asked.fields.get(f"Right {noun}", "")
    given = next(
        (name for name in PATTERNS[asked.task] if name in asked.fields.get("Pattern", "").lower().split()),
        None,
    )
    what = (asked.fields.get(name, "") for name in ("Question", "Dialogue History"))
    key = (model.name, "sample", asked.task, asked.is_conversation, *map(_plain, what), _plain(right), sample)
    pattern = given or pick_weighted(model.taste[asked.task], *key, "pattern")
    text, outcome = _candidate(known, model, asked, right, pattern, (*key, pattern))
    truth = {"task": asked.task, "pattern": pattern, "outcome": outcome}
    if given:
        return Answer("sample", text, truth)
    if draw(*key, "malformed") < model.malformed:
        return Answer("sample", f"#{asked.cue}#: {text}", truth | {"is_malformed": True})
    return Answer("sample", f"#Pattern#: {pattern}\n#{asked.cue}#: {text}", truth)


def _candidate(
    known: Scholar, model: Model, asked: Asked, right: str, pattern: str, key: tuple
) -> tuple[str, str]:
    """The candidate's text and what became of it: written, lengthened, restated, refused or (not understood)
    bland.
    """
    if draw(*key, "refusal") < model.refusal:
        return known.writer.talk("refusal", *key), "refused"
    if draw(*key, "restating") < model.restating[asked.task, pattern]:
        return candidates.restated(right, *key), "restated"
    write = {"qa": candidates.qa, "dialogue": candidates.dialogue, "summarization": candidates.summary}[
        asked.task
    ]
    text = write(known, asked.fields, pattern, *key)
    if text is None:
        return known.writer.talk("tail", *key).capitalize() + ".", "bland"
    if asked.task != "dialogue" and draw(*key, "verbosity") < model.verbosity:
        return candidates.lengthened(known, text, right, *key), "lengthened"
    return text, "written"


def _filter(known: Scholar, model: Model, asked: Asked, sample: int) -> Answer:
    """Which of two candidates is the more plausible, by a plausibility that is planted in each text."""
    first, second = _two(asked)
    key = (model.name, "filter", asked.task, *sorted((first, second)), sample)
    better = 1 if draw("plausible", first) >= draw("plausible", second) else 2
    is_biased = draw(*key, "bias") < model.position_bias
    chosen = 1 if is_biased else better if draw(*key) < model.filtering else 3 - better
    truth = {"task": asked.task, "better": better, "is_biased": is_biased}
    return Answer("filter", f"{TEXT[asked.task]} {chosen}", truth)


def _judge(known: Scholar, model: Model, asked: Asked, sample: int) -> Answer:
    """Yes where the text is taken for hallucinated. Knowledge that does not decide the claim helps as little
    as none.
    """
    text = asked.fields.get(TEXT[asked.task], "")
    found = find(known, asked, text)
    variant = helped(asked, found)
    key = (model.name, "recognition", asked.task, _plain(text), *_evidence(asked), asked.variant, sample)
    p = model.p_yes(asked.task, variant, is_hallucinated=found.is_hallucinated, pattern=found.pattern)
    truth = {
        "task": asked.task,
        "variant": variant,
        "is_hallucinated": found.is_hallucinated,
        "pattern": found.pattern,
        "p": p,
    }
    said = "Yes" if draw(*key) < p else "No"
    if draw(*key, "unparsed") < model.unparsed:
        return Answer("recognition", known.writer.talk("hedge", *key), truth | {"verdict": None})
    if asked.is_step_by_step:
        steps = known.tongue.words.TALK["reasoning"]
        said_so = f"{steps[0]} {pick(steps[1:-1], *key, 'step')} {steps[-1]}\n#{asked.cue}#: {said}"
        return Answer("recognition", said_so, truth | {"verdict": said})
    return Answer("recognition", said, truth | {"verdict": said})


def _contrast(known: Scholar, model: Model, asked: Asked, sample: int) -> Answer:
    """Which of two texts is hallucinated; a biased draw names the first whatever it says, in either order."""
    first, second = _two(asked)
    noun = TEXT[asked.task]
    found = [find(known, asked, asked.fields.get(f"{noun} {place}", "")).is_hallucinated for place in (1, 2)]
    key = (model.name, "contrast", asked.task, *sorted((first, second)), *_evidence(asked), sample)
    false = found.index(True) + 1 if sum(found) == 1 else 1 + (draw("tie", first) < draw("tie", second))
    is_biased = draw(*key, "bias") < model.position_bias
    chosen = 1 if is_biased else false if draw(*key) < model.contrast[asked.task] else 3 - false
    truth = {"task": asked.task, "hallucinated": false, "is_biased": is_biased}
    if draw(*key, first, "unparsed") < model.unparsed:
        return Answer("contrast", known.writer.talk("hedge", *key), truth)
    return Answer("contrast", f"{noun} {chosen}", truth)


def _refine(known: Scholar, model: Model, asked: Asked, sample: int) -> Answer:
    """The text made right from the knowledge, or left as it is."""
    text = asked.fields.get(TEXT[asked.task], "")
    key = (model.name, "refine", asked.task, _plain(text), *_evidence(asked), sample)
    corrected = refined(known, asked, text, *key) if draw(*key) < model.refining[asked.task] else None
    return Answer("refine", corrected or text, {"task": asked.task, "is_corrected": corrected is not None})


def _general(known: Scholar, model: Model, asked: Asked, sample: int) -> Answer:
    """A free answer about the entities that the query names, of the wiki where it is one of its questions."""
    query, seed = asked.fields["User Query"], known.world.seed
    found = wiki.queried(seed, model.name, query, sample)
    spoken = None if found else answer(known, model, query, sample)
    if spoken is None:
        found = found or wiki.queried(seed, model.name, query, sample, is_named=True)
        return Answer(*found) if found else _unrecognised(known, model, asked, sample)
    return Answer(
        "general",
        spoken.text,
        {"task": "general", "labels": spoken.labels, "is_abstention": spoken.is_abstention},
    )


def _teach(known: Scholar, model: Model, asked: Asked, sample: int) -> Answer:
    return Answer("teach", "Understood")


def _unrecognised(known: Scholar, model: Model, asked: Asked, sample: int) -> Answer:
    return Answer("unrecognised", known.writer.talk("bland", model.name))


_HANDLERS = {
    "sample": _sample,
    "filter": _filter,
    "recognition": _judge,
    "contrast": _contrast,
    "refine": _refine,
    "general": _general,
    "teach": _teach,
    "unrecognised": _unrecognised,
}


def helped(asked: Asked, found: Finding) -> str:
    """The variant whose rates apply: knowledge that does not decide the claim is as good as none."""
    return "plain" if asked.variant == "knowledge" and not found.is_grounded else asked.variant


def find(known: Scholar, asked: Asked, text: str) -> Finding:
    """The truth about a text that a prompt shows, by the evidence that the prompt holds and else by the world."""
    fields = asked.fields
    knowledge = fields.get("Knowledge", "")
    if asked.task == "qa":
        return known.qa(fields.get("Question", ""), text, knowledge)
    if asked.task == "dialogue":
        return known.dialogue(text, knowledge, fields.get("Dialogue History", ""))
    if asked.task == "summarization":
        return known.summary(text, fields.get("Document", ""))
    return known.general(fields.get("User Query", ""), text, knowledge)


def _two(asked: Asked) -> tuple[str, str]:
    noun = TEXT[asked.task]
    return _plain(asked.fields.get(f"{noun} 1", "")), _plain(asked.fields.get(f"{noun} 2", ""))


def _evidence(asked: Asked) -> tuple[str, ...]:
    names = ("Knowledge", "Document", "Question", "Dialogue History", "User Query")
    return tuple(_plain(asked.fields[name]) for name in names if name in asked.fields)


def _plain(text: str) -> str:
    """A text as draws are keyed by it: compatibility forms resolved, case and spacing levelled."""
    return " ".join((text if text.isascii() else unicodedata.normalize("NFKC", text)).casefold().split())
