"""Numbers that every board may carry, whatever its track: a record of each."""

from functools import partial

from truerate.core.metric import Metric

_audit = partial(Metric, table="audit", chance=0.5)
METRICS = (
    _audit(
        "shortcut_accuracy",
        "Accuracy",
        "Share of texts that a classifier which checks no fact judges rightly, cross-validated.",
        interval="share",
    ),
    _audit(
        "shortcut_balanced_accuracy",
        "Balanced accuracy",
        "Mean of the shares that a classifier which checks no fact judges rightly in both classes, cross-validated.",
        interval="statistic",
    ),
    _audit(
        "shortcut_auroc",
        "AUROC",
        "Chance that a classifier which checks no fact gives a hallucinated text a higher score than a right one; "
        "over the left-out folds.",
        interval="statistic",
    ),
    _audit(
        "shortcut_pairwise",
        "Pairs told apart",
        "Share of pairs whose hallucinated side the feature alone picks, ties half.",
        interval="share",
    ),
)
