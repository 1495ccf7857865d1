"""HaluEval (HELMA) as the stages know it: what each part of its protocol is done by."""

from truerate.tracks.halueval import context, labels, plan, published, scores, steps
from truerate.tracks.halueval.graph import GRAPH
from truerate.tracks.halueval.settings import Settings, Sizes
from truerate.tracks.protocol import Protocol


class HaluEval(Protocol):
    """Recognition of hallucinated texts: sampling, filtering, labelled answers, judging, refinement."""

    name = "halueval"
    graph = GRAPH
    settings, sizes = Settings, Sizes
    step_functions = {
        "sample": steps.sample,
        "filter": steps.filter,
        "respond": steps.respond,
        "select": steps.select,
        "recognise": steps.recognise,
        "judge_refined": steps.judge_refined,
    }
    contexts = staticmethod(context.contexts)
    exported = staticmethod(steps.exported)
    score = staticmethod(scores.score)
    label = staticmethod(labels.label)
    topics = staticmethod(steps.topics)
    totals, reasons = published.TOTALS, published.REASONS
    assumed = staticmethod(plan.assumed)
    stand_ins = {"select": plan.select}
    first_drawn = plan.FIRST_DRAWN


PROTOCOL = HaluEval()
