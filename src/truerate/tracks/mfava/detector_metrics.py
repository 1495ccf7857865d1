"""The numbers that say how well a detector finds what labels mark: a record of each, by the table that it stands in."""

from functools import partial

from truerate.tracks.contract import Metric

_detection = partial(Metric, table="detection")
_mushroom = partial(Metric, table="mushroom")
OF_DETECTORS = (
    # ---- detection
    _detection(
        "token_precision",
        "Precision",
        "Of the tokens that a detector marks, the share that the labels mark; mean over seeds.",
        direction="up",
        interval="statistic",
    ),
    _detection(
        "token_recall",
        "Recall",
        "Of the tokens that the labels mark, the share that the detector marks, whatever type it names; "
        "mean over seeds.",
        direction="up",
        interval="statistic",
    ),
    _detection(
        "token_f1",
        "Token F1",
        "Harmonic mean of precision and recall over all tokens of a language; mean over seeds.",
        direction="up",
        interval="statistic",
    ),
    _detection(
        "token_auroc",
        "AUROC",
        "Probability that a token which the labels mark has a higher p than one which they do not, ties half; "
        "mean over seeds. It does not depend on where the detector begins to mark.",
        direction="up",
        chance=0.5,
        interval="statistic",
    ),
    _detection(
        "token_average_precision",
        "Average precision",
        "Precision at each p, weighted by how much recall rises there; mean over seeds. A detector that "
        "orders nothing has the share of marked tokens.",
        direction="up",
        interval="statistic",
    ),
    _detection(
        "token_precision_std",
        "Precision, ± over seeds",
        "Standard deviation of precision over detector seeds.",
    ),
    _detection(
        "token_recall_std", "Recall, ± over seeds", "Standard deviation of recall over detector seeds."
    ),
    _detection("token_f1_std", "F1, ± over seeds", "Standard deviation of F1 over detector seeds."),
    _detection(
        "token_fpr",
        "FPR",
        "Of the tokens that the labels leave unmarked, the share that the detector marks; mean over seeds.",
        direction="down",
        interval="statistic",
    ),
    _detection(
        "windowed_rate",
        "Read in windows",
        "Share of the texts whose reference does not fit beside them and was read in overlapping windows, of which "
        "each token takes the least suspicious.",
    ),
    _detection(
        "stratum_fpr",
        "FPR by place",
        "Of the unmarked tokens at one place of short (up to four sentences) or long texts, the share that the rates' "
        "detector marks; all languages together.",
        direction="down",
        interval="share",
    ),
    _detection(
        "stratum_recall",
        "Recall by place",
        "Of the tokens that the labels mark at one place of short (up to four sentences) or long texts, the share that the "
        "rates' detector marks; all languages together.",
        direction="up",
        interval="share",
    ),
    _detection(
        "token_f1_typed",
        "F1 with types",
        "F1 over tokens and types together: a token is right where its type is, too (category detectors).",
        direction="up",
        interval="statistic",
    ),
    _detection(
        "token_recall_by_type",
        "Recall by type",
        "Of the tokens of one type, the share that the detector marks, whatever type it names.",
        direction="up",
        interval="statistic",
    ),
    _detection(
        "token_f1_by_type",
        "F1 by type",
        "F1 of the tokens of one type (category detectors).",
        direction="up",
        interval="statistic",
    ),
    # ---- mushroom
    _mushroom(
        "iou",
        "IoU",
        "Marked characters of both sides, intersection over union, 1 where neither marks any; "
        "mean over replies.",
        source="Mu-SHROOM, SemEval-2025 Task 3",
        direction="up",
        interval="statistic",
    ),
    _mushroom(
        "iou_with_page",
        "IoU, with a page",
        "Marked characters of both sides, intersection over union, 1 where neither marks any, over those replies alone that "
        "come with the page in which people looked; mean over replies. Detectors that look words up compare here.",
        source="Mu-SHROOM, SemEval-2025 Task 3",
        direction="up",
        interval="statistic",
    ),
    _mushroom(
        "spearman",
        "Correlation",
        "Rank correlation of both sides' probabilities over the characters of a reply; where a "
        "side is constant, 1 if both are and 0 else; mean over replies.",
        source="Mu-SHROOM, SemEval-2025 Task 3",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _mushroom(
        "spearman_with_page",
        "Correlation, with a page",
        "Rank correlation of both sides' probabilities over the characters of a reply, over those replies "
        "alone that come with the page in which people looked; mean over replies.",
        source="Mu-SHROOM, SemEval-2025 Task 3",
        unit="number",
        direction="up",
        interval="statistic",
    ),
)
