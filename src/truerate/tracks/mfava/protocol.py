"""mFAVA as the stages know it: what each part of its protocol is done by."""

from truerate.tracks.mfava import context, labels, plan, scores, steps
from truerate.tracks.mfava.published import public_tables
from truerate.tracks.mfava.settings import Settings, Sizes
from truerate.tracks.mfava.settings import faults as setting_faults
from truerate.tracks.protocol import Protocol


class MFava(Protocol):
    """Token-level detection in many languages, and rates of hallucination in the wild."""

    name = "mfava"
    settings, sizes = Settings, Sizes
    step_functions = {
        "silver": steps.silver,
        "translate": steps.translate,
        "query": steps.query,
        "check": steps.check,
        "answer": steps.answer,
    }
    contexts = staticmethod(context.contexts)
    exported = staticmethod(steps.exported)
    score = staticmethod(scores.score)
    scored_columns = steps.SCORED_COLUMNS
    scored_judgements = staticmethod(scores.scored_judgements)
    scored_parts = staticmethod(scores.scored_parts)
    label = staticmethod(labels.label)
    training, targets = staticmethod(steps.training), staticmethod(steps.targets)
    faults = staticmethod(setting_faults)
    public_tables = staticmethod(public_tables)
    assumed = staticmethod(plan.assumed)
    first_drawn = plan.FIRST_DRAWN
    label_precision, label_notes = staticmethod(plan.labels), staticmethod(plan.label_notes)
    gpu_hours = staticmethod(plan.gpu_hours)


PROTOCOL = MFava()
