"""Boards of labelled replies: rates by people's labels or a judge's verdicts, and detectors held against people."""

from truerate.site.labelled_replies.labelled_by import OWN, figures, own_family, told
from truerate.site.sections import Page, Part, Section
from truerate.site.views import View

RATE = ("hallucination_rate",)
LEADING = View("rates", RATE, lacking=("rule", "task"))
SECTIONS = (
    Section(
        "Hallucination rates",
        "Share of each system’s replies that is hallucinated, all and by task. Ranks are those that paired tests on the same sources "
        "leave open, corrected for all pairs: systems whose ranges overlap widely are not told apart by it.",
        (
            LEADING,
            View("rates", RATE, across=("task",), having=("task",), lacking=("rule",), title="By task"),
        ),
        n_folded=1,
        part=Part("labelled_replies/labelled_by.html.j2", told),
    ),
    Section(
        "By other rules of the same labels",
        "What counts as hallucinated is a rule: another one gives other rates, and may give another order.",
        (View("rates", RATE, switch="rule", across=("task",), having=("rule",)),),
    ),
    Section(
        "By other judges",
        "The same replies as each judge or detector would rank them, uncorrected: swap the judge, and see whether the order holds.",
        (
            View("rates", ("judged_rate",), switch="judge", lacking=("task",), having=("judge",)),
            View(
                "rates",
                ("judged_rate",),
                switch="judge",
                across=("task",),
                having=("judge", "task"),
                title="By task",
            ),
        ),
        has_flags=False,
        n_folded=1,
    ),
    Section(
        "Labels as published",
        "The share of each label among a system’s replies, and in which files its verdicts stand.",
        (
            View(
                "rates",
                ("label_rate",),
                across=("label",),
                having=("label",),
                n_whiskers=0,
                title="Share of each label",
            ),
            View(
                "rates",
                ("files_rate",),
                across=("files",),
                having=("files",),
                n_whiskers=0,
                title="Files that its verdicts stand in: those of one name may be of another version of the judge",
            ),
        ),
        has_flags=False,
        n_folded=2,
    ),
    Section(
        "Detectors against people",
        "What a detector says of replies that people labelled. Positive is hallucinated: TPR is the share of hallucinated replies that it "
        "finds, TNR that of right ones which it passes. Where texts were picked because detectors disagree, all lie near a guess.",
        (
            View(
                "detectors",
                ("balanced_accuracy", "youden_j", "tpr", "tnr"),
                down=("rule",),
                lacking=("model", "task"),
                head="Detector",
            ),
            View(
                "detectors",
                ("balanced_accuracy", "youden_j", "tpr", "tnr"),
                across=("task",),
                having=("task",),
                lacking=("model", "rule"),
                head="Detector",
                title="By task",
            ),
            View(
                "detectors",
                ("tpr", "tnr"),
                down=("model",),
                across=("task",),
                having=("model",),
                head="Detector",
                title="By whose replies it judged: one error rate for all systems is not enough where these differ",
            ),
        ),
        has_flags=False,
        n_folded=2,
    ),
    Section(
        "Rates by detectors",
        "The rate that each detector gives: the share that it flags; corrected by its errors on people’s labels of the other systems’ "
        "replies, without and with how far these differ; and by a few labels of the system’s own. Where a detector hardly tells the two "
        "classes apart a corrected rate is not identified, and none is shown. People’s rate stands in the first table.",
        (
            View(
                "corrected",
                ("detector_rate",),
                switch="detector",
                across=("estimator",),
                lacking=("task",),
                n_whiskers=4,
            ),
            View(
                "corrected",
                ("detector_rate",),
                switch="detector",
                across=("estimator",),
                down=("task",),
                having=("task",),
                title="By task",
            ),
        ),
        has_flags=False,
        n_folded=1,
        short="Rates by detectors",
    ),
)
PAGE = Page(
    sections=SECTIONS,
    leading=LEADING,
    judging={"detectors": ("tpr", "tnr", "balanced_accuracy", "youden_j")},
    counted="rates",
    baselines="detectors",
    baseline_words=("Detectors", "held against people’s labels"),
    labelled_words=("Replies", "hallucinated"),
    hidden=(View("corrected", ("is_identified",)), View("rates", (OWN,))),
    beyond="By task and rule, labels, detectors",
    flags=own_family,
    figures=figures,
)
