"""WildHallucinations as the stages know it: what each part of its protocol is done by."""

from truerate.tracks.protocol import Protocol
from truerate.tracks.wildhallucinations import (
    checks,
    context,
    labels,
    plan,
    scores,
    steps,
)
from truerate.tracks.wildhallucinations.public_tables import public_tables
from truerate.tracks.wildhallucinations.settings import Settings, Sizes


class WildHallucinations(Protocol):
    """Entities from real chats, pages of the web as evidence, atomic facts, WildFactScore."""

    name = "wildhallucinations"
    settings, sizes = Settings, Sizes
    step_functions = {
        "extract": steps.extract,
        "curate": steps.curate,
        "evidence": steps.evidence,
        "generate": steps.generate,
        "facts": steps.facts,
    }
    contexts = staticmethod(context.contexts)
    exported = staticmethod(steps.exported)
    queried, sliced = steps.QUERIED, steps.SLICED
    score = staticmethod(scores.score)
    scored, scored_columns = steps.SCORED, steps.SCORED_COLUMNS
    thinned = staticmethod(scores.thinned)
    label = staticmethod(labels.label)
    labelled = staticmethod(labels.labelled)
    labelled_columns = steps.LABELLED_COLUMNS
    faults = staticmethod(checks.faults)
    public_tables = staticmethod(public_tables)
    assumed = staticmethod(plan.assumed)
    stand_ins = {"evidence": plan.evidence}
    services = staticmethod(plan.services)


PROTOCOL = WildHallucinations()
