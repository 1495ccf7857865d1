"""The numbers of labelled replies: a record of each, by the table of a board that it stands in."""

from functools import partial

from truerate.tracks.contract import Metric

_rates = partial(Metric, table="rates", interval="share")
_detectors = partial(Metric, table="detectors")
_corrected = partial(Metric, table="corrected")
METRICS = (
    _rates(
        "hallucination_rate",
        "Hallucinated",
        "Share of the replies that people, or where nobody labelled them a judge, call hallucinated (of answers to "
        "questions: wrong). `rule`: by another rule of the same labels.",
        direction="down",
    ),
    _rates(
        "judged_rate",
        "Judged hallucinated",
        "Share of the replies that a judge or detector calls hallucinated, over its readable verdicts: the board as it would "
        "stand by that judge alone, uncorrected.",
        direction="down",
    ),
    _rates("label_rate", "Share of the label", "Share of the replies that bear this label, as published."),
    _rates(
        "files_rate",
        "Verdict files",
        "Share of the verdicts that stand in files of this name: they may be of different versions of the judge.",
    ),
    _rates(
        "own_judge_rate",
        "Own judge",
        "Share of the verdicts on a system's replies that a judge of the system's own maker gave.",
    ),
    _detectors(
        "tpr",
        "TPR",
        "Share of the replies that people call hallucinated which the detector calls so, over readable verdicts.",
        direction="up",
        interval="share",
    ),
    _detectors(
        "tnr",
        "TNR",
        "Share of the replies that people call right which the detector calls so, over readable verdicts.",
        direction="up",
        interval="share",
    ),
    _detectors(
        "balanced_accuracy",
        "Balanced accuracy",
        "Mean of TPR and TNR; guessing gets 50 %.",
        direction="up",
        chance=0.5,
        interval="statistic",
    ),
    _detectors(
        "youden_j",
        "Youden’s J",
        "TPR + TNR − 1: what a corrected rate is divided by. Where it is near 0 the detector tells nothing of a rate.",
        unit="number",
        direction="up",
        chance=0.0,
        interval="statistic",
        source="Youden 1950",
    ),
    _corrected(
        "detector_rate",
        "Rate by a detector",
        "The rate of hallucinated replies as a detector has it: raw, corrected by its errors on labelled replies of "
        "others, or by a few labels of the subject's own.",
        direction="down",
        interval="corrected",
        source="Rogan & Gladen 1978; Angelopoulos et al. 2023",
    ),
    _corrected(
        "is_identified",
        "Identified",
        "Whether the detector's TPR and FPR differ beyond chance, so that a corrected rate can be told (1) or not (0).",
        unit="count",
    ),
)
