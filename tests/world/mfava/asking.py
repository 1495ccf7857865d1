"""Prompts of the wiki's work as the contract of headings describes them, in other words than the track's
templates.
"""

from truerate_world.encyclopedia import build
from truerate_world.mfava.lang import load
from truerate_world.simulated_model import reply

from ..asking import block, user

WORLD = build(7)


def ask(model, cue, fields, *, temperature=0.7, seed=1, system="Do it with care."):
    return reply(WORLD, model, user(block(cue, fields), system), temperature=temperature, seed=seed)


def passage(model, row, **more):
    fields = {"Language": load(row["lang"]).name, "Question": row["question"], "Reference": row["reference"]}
    return ask(model, "Passage", fields, **more)


def insertion(model, row, kind, text, **more):
    fields = {"Type": kind, "Language": load(row["lang"]).name, "Subject": row["subject"]}
    fields |= {"Reference": row["reference"]} if kind in ("contradictory", "unverifiable") else {}
    return ask(model, "Tagged Passage", fields | {"Passage": text}, **more)


def translation(model, text, code, **more):
    fields = {"Source Language": "English", "Target Language": load(code).name, "Text": text}
    return ask(model, "Translation", fields, temperature=0.0, **more)


def queries(model, title, reference, code, **more):
    return ask(
        model, "Queries", {"Language": load(code).name, "Title": title, "Reference": reference}, **more
    )


def check(model, question, reference):
    return ask(model, "Answerable", {"Question": question, "Reference": reference}, temperature=0.0)


def wild(model, query, *, temperature=1.0, seed=42):
    return reply(WORLD, model, [{"role": "user", "content": query}], temperature=temperature, seed=seed)
