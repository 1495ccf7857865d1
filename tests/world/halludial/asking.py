"""Prompts about conversations by the contract of headings, in other words than the templates."""

from truerate_world.encyclopedia import build
from truerate_world.halludial.models.claims import checker
from truerate_world.halludial.models.temperature import asked_at
from truerate_world.halludial.sources import dialogue, spoken
from truerate_world.simulated_model import reply

from ..asking import block, user

WORLD = build(7)
KNOWN = checker(WORLD)
MODELS = ("sim-quill", "sim-aster", "sim-birch", "sim-cedar", "sim-dogwood", "sim-elm")


def turns(n, first=0):
    """The turns of `n` dialogues as rows: dialogue, turn, knowledge, history (a list), reference."""
    return [
        {"dialogue": place, "turn": turn, "reference": row["response"]}
        | {name: row[name] for name in ("knowledge", "history")}
        for place in range(first, first + n)
        for turn, row in enumerate(dialogue(KNOWN, place)["utterances"])
    ]


def ask(model, cue, row, *, temperature=0.0, seed=0, system="Do it with care.", **fields):
    given = {"Knowledge": row["knowledge"], "Conversation": spoken(row["history"])}
    named = {name.replace("_", " "): text for name, text in fields.items()}
    messages = user(block(cue, given | named), system)
    with asked_at(temperature):
        return reply(WORLD, model, messages, temperature=temperature, seed=seed, only="halludial")


def respond(model, row, temperature=1.0, seed=0):
    return ask(model, "Next Response", row, temperature=temperature, seed=seed)


def annotate(model, row, text):
    return ask(model, "Annotation", row, Reference_Response=row["reference"], Response=text)


def induce(model, row, kind, seed=0):
    return ask(
        model,
        "Induced Response",
        row,
        temperature=1.0,
        seed=seed,
        Correct_Response=row["reference"],
        Kind=kind,
    )


def match(model, row, seed=0):
    return ask(
        model, "Faithful Paraphrase", row, temperature=1.0, seed=seed, Correct_Response=row["reference"]
    )


def detect(model, row, text):
    return ask(model, "Is It Hallucinated", row, Response=text)


def locate(model, row, text):
    return ask(model, "Judgement And Reason", row, Response=text)


def compare(model, row, first, second):
    return ask(model, "Hallucinated One", row, Response_1=first, Response_2=second)


def meta(model, row, text, evaluation):
    return ask(model, "Evaluation Is", row, Response=text, Evaluation=evaluation)


def finding(row, text):
    """The truth about a response to a turn."""
    return KNOWN.finding(text, row["knowledge"], spoken(row["history"]))
