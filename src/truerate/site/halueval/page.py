"""HaluEval's boards: recognition first, then who misses what, how the texts were made, and what is known of
their labels.
"""

from dataclasses import replace

from truerate.site.sections import Figure, Page, Rows, Section
from truerate.site.tables import Board
from truerate.site.views import View

SCORES = ("accuracy", "unparsed_rate")
DETAILS = (
    "accuracy_matched",
    "accuracy_parsed",
    "accuracy_one_side",
    "accuracy_std",
    "macro_f1",
    "precision",
    "recall",
    "f1",
    "precision_right",
    "recall_right",
    "f1_right",
    "tpr",
    "tnr",
)
LEADING = View("recognition", SCORES, switch="variant", across=("task", "scheme"), lacking=("pattern",))
COMPLEMENT = View("recognition", ("tpr",), having=("pattern",))  # one minus the failure rate, which is shown
SECTIONS = (
    Section(
        "Recognition",
        "Each model reads a text and says whether it contains hallucination; of a pair, both sides are asked.",
        (replace(LEADING, extra=DETAILS),),
        lead_unasked="No model has been asked yet. The rows are simple rules that need no model call: what a model has to beat.",
    ),
    Section(
        "Sample contrast",
        "Which of two texts is hallucinated, asked in both orders. Above, accuracy is the share of all choices; here the pairs "
        "with both choices right, and how often the text shown first was named, whatever it says.",
        (
            View(
                "contrast",
                ("accuracy_both_orders", "first_position_rate"),
                across=("task", "scheme"),
                n_whiskers=2,
            ),
        ),
    ),
    Section(
        "Missed hallucinations by pattern",
        "Of the hallucinated texts with a readable verdict, the share passed as right, by the pattern of the text. Darker is worse.",
        (View("failures", ("failure_rate",), switch="variant", across=("task",), form="heat"),),
    ),
    Section(
        "Candidates",
        "How the models fare as writers of hallucinated candidates. Darker is more.",
        (
            View(
                "candidates",
                ("candidate_failure_rate",),
                switch="scheme",
                across=("task",),
                having=("pattern",),
                lacking=("reason",),
                form="heat",
            ),
            View(
                "candidates",
                ("candidate_failure_rate",),
                switch="task",
                across=("reason",),
                having=("reason",),
                lacking=("scheme", "pattern"),
                form="heat",
                title="Why candidates cannot be used",
            ),
            View("candidates", ("length_rule_broken_rate",), across=("task", "scheme"), form="heat"),
            View(
                "candidates",
                ("cleaned_rate",),
                across=("task", "scheme"),
                lacking=("cut",),
                form="heat",
                title="Replies from which something was cut that is no part of the candidate",
            ),
        ),
    ),
    Section(
        "Responses",
        "Responses to general queries that end at the limit of tokens; they are kept as far as they go.",
        (View("responses", ("cut_rate",), by=("task",), head="Task"),),
    ),
    Section(
        "How often responses hallucinate, by each judge",
        "The share of responses to general queries that hallucinate, as each judge would measure it. What it flags is as much the judge’s "
        "error as the responder’s. Errors known from other tasks correct it only as far as they carry over: texts that were made to "
        "hallucinate are not like responses that do. Labels of every third of these responses, with the judge’s verdicts of all (PPI++), "
        "are right on average whatever the judge does, and their interval says what is left open: that is the estimate to use, because "
        "people labelled some of these very responses. What all labels say stands beside it.",
        (View("rates", ("general_rate",), across=("estimator", "calibration"), head="Judge", n_whiskers=0),),
        short="Rates by judges",
        has_flags=False,
    ),
    Section(
        "Refinement",
        "Texts that a model flagged are rewritten by it with knowledge and judged again, by itself and by another judge.",
        (
            View(
                "refinement",
                ("flagged_rate_before", "flagged_rate_after", "flagged_rate_after_judge"),
                switch="task",
                n_whiskers=3,
            ),
            View(
                "refinement",
                ("refined_same_rate", "refined_contains_rate"),
                across=("task", "label"),
                title="Rewritings that say the right answer, of all flagged texts and by their label",
                n_whiskers=2,
            ),
            View(
                "refinement",
                ("unchanged_rate",),
                across=("task",),
                title="Flagged texts that came back as they were",
            ),
        ),
    ),
    Section(
        "Filtering",
        "A judge picks the more plausible of two candidates, in both orders.",
        (
            View(
                "filtering",
                ("filter_disagreement_rate", "filter_first_position_rate", "filter_unparsed_rate"),
                by=("task",),
                head="Task",
            ),
        ),
    ),
    Section(
        "The labelled texts",
        "How many there are, and what is known of their labels.",
        (
            View(
                "dataset",
                ("n_samples", "hallucinated_rate"),
                by=("task", "scheme"),
                head="Texts",
                title="By task",
                n_whiskers=0,
            ),
            View(
                "labels",
                ("fleiss_kappa", "percent_agreement", "n_annotators_passed"),
                by=("task", "unit"),
                head="Labels of",
                title="Agreement of the labellers",
                n_whiskers=0,
            ),
            View(
                "labels",
                ("probe_rate",),
                across=("task",),
                head="Labeller",
                title="Probes that labellers got right",
                n_whiskers=0,
            ),
            View(
                "dataset",
                ("n_by_pattern",),
                across=("scheme",),
                by=("task", "pattern"),
                head="Pattern",
                title="Hallucinated texts",
            ),
        ),
        is_row=True,
    ),
)


def missed(rows: Rows, board: Board) -> Rows:
    """The rows with planted failure rates by pattern, one minus the planted TPR: the closed world names only
    the latter.
    """
    planted = [
        row for row in rows if row["kind"] == "planted" and COMPLEMENT.takes(row) and row["value"] is not None
    ]
    more = [
        row
        | {
            "table": "failures",
            "metric": "failure_rate",
            "value": 1 - row["value"],
            "low": None,
            "high": None,
        }
        for row in planted
    ]
    return rows + more


def figures(rows: Rows, board: Board) -> list[Figure]:
    """How many items the texts are about."""
    return [("Items", board.items.height, "")]


DETECTORS = View(
    "recognition",
    ("accuracy", "tpr", "tnr", "unparsed_rate"),
    ("precision", "recall", "f1", "macro_f1"),
    switch="task",
    across=("scheme",),
    lacking=("pattern",),
    head="Judge",
)
PAGE = Page(
    SECTIONS,
    LEADING,
    detectors=DETECTORS,
    judging={
        "recognition": ("precision", "recall", "f1", "accuracy", "tpr", "tnr", "unparsed_rate"),
        "failures": ("failure_rate",),
    },
    counted="recognition",
    baselines="recognition",
    heads={"labels": "Labeller", "dataset": "Texts"},
    beyond_variants="All {n} variants, patterns, audit",
    hidden=(COMPLEMENT,),
    derive=missed,
    figures=figures,
)
