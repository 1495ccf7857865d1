"""HalluDial as the stages know it: what each part of its protocol is done by."""

from truerate.tracks.halludial import context, dataset, labels, plan, published, scores, steps
from truerate.tracks.halludial.published import public_tables
from truerate.tracks.halludial.settings import Settings, Sizes
from truerate.tracks.halludial.settings import faults as setting_faults
from truerate.tracks.protocol import Protocol


class HalluDial(Protocol):
    """Dialogue-level hallucination: spontaneous and induced responses, detection, localization and rationale."""

    name = "halludial"
    settings, sizes = Settings, Sizes
    step_functions = {
        "respond": steps.respond,
        "annotate": steps.annotate,
        "induce": steps.induce,
        "detect": steps.detect,
        "meta": steps.meta,
    }
    contexts = staticmethod(context.contexts)
    exported = staticmethod(steps.exported)
    score = staticmethod(scores.score)
    label = staticmethod(labels.label)
    topics = staticmethod(steps.topics)
    training, targets = staticmethod(dataset.training), staticmethod(dataset.targets)
    faults = staticmethod(setting_faults)
    public_tables = staticmethod(public_tables)
    claims = published.CLAIMS
    alike = scores.ALIKE
    assumed = staticmethod(plan.assumed)
    first_drawn = plan.FIRST_DRAWN
    gpu_hours = staticmethod(plan.gpu_hours)


PROTOCOL = HalluDial()
