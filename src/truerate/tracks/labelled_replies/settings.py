"""The settings of labelled replies."""

from typing import ClassVar

from truerate.config.blocks import Count, Share, SizesOfTrack, Track


class Sizes(SizesOfTrack):
    """Nothing is drawn: a set is taken whole."""


class Settings(Track):
    """What is shown of published replies beside their rates.

    `few_labels`: how many of each subject's own labels the rate that is corrected by a few of them uses, the
    same units for all, drawn by seed; 0: there is no such rate. `least_youden_j`: TPR − FPR on labelled
    replies of others from which on a rate that they correct is told. It is divided by that, so below it a
    slip of one point in TPR or FPR, which no interval knows of where they do not transfer, moves it by many.
    """

    released: ClassVar[tuple[str, ...]] = ("qa", "summarization", "general", "dialogue")
    later: ClassVar[frozenset[str]] = frozenset({"few_labels", "least_youden_j"})

    few_labels: Count
    least_youden_j: Share
