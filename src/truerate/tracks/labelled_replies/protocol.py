"""Labelled replies as the stages know them: what each part of the protocol is done by."""

from truerate.tracks.labelled_replies import dataset, scores
from truerate.tracks.labelled_replies.public_tables import public_tables
from truerate.tracks.labelled_replies.settings import Settings, Sizes
from truerate.tracks.protocol import Protocol


class LabelledReplies(Protocol):
    """Rates of named systems from published replies and their labels; nothing is drawn or asked."""

    name = "labelled_replies"
    settings, sizes = Settings, Sizes
    contexts = staticmethod(dataset.contexts)
    exported = staticmethod(dataset.exported)
    score = staticmethod(scores.score)
    targets = staticmethod(dataset.targets)
    public_tables = staticmethod(public_tables)


PROTOCOL = LabelledReplies()
