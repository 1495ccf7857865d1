"""mFAVA's boards: the heat map first, then how far it can be believed: planted truth, detection, labels,
replies, analyses.
"""

import truerate.site.mfava.views as views
from truerate.site.mfava.analyses import analyses
from truerate.site.mfava.browser import FILTERS, records, targets
from truerate.site.mfava.heatmap import ALL, HEADLINE, NATURAL, RATE, heat_map
from truerate.site.mfava.planted import recovered
from truerate.site.mfava.rows import COUNTED, GRID, derived, leader
from truerate.site.recovery import TEMPLATE as RECOVERY
from truerate.site.sections import Figure, Page, Part, Rows, Section
from truerate.site.tables import Board
from truerate.site.views import View

LOST = "n_gold_not-inferable_"  # rows whose annotator cannot be told from the order of a published file
RANKED = (("estimator", HEADLINE), ("calibration", NATURAL), ("replies", ALL))
HEAT_MAP = Part("mfava/heatmap.html.j2", heat_map)

SECTIONS = (
    Section(
        "Heat map",
        "How much of what a model writes is hallucinated, language by language: the share of tokens in its replies to questions that it "
        "answers from memory, with its interval. Darker is worse; hatched cells could be nearly anything.",
        part=HEAT_MAP,
    ),
    Section(
        "Planted against estimated",
        "The closed world knows its own rates, so each estimator can be held against them, cell by cell. On the line is right; above it "
        "the estimate is too high.",
        short="Planted truth",
        part=Part(RECOVERY, recovered),
    ),
    Section(
        "Ranks, and every estimator beside",
        "One language at a time. Ranks are tested on the prediction-powered rates, which rest on people’s labels of some of the very "
        "replies: two models are compared article by article, by labels and marks together. Every other estimate stands beside with "
        "what it was calibrated on; the raw share takes no rank, as the detector errs otherwise on models that write longer or in "
        "another manner.",
        (views.RATES,),
        short="Ranks",
    ),
    Section(
        "Detection",
        "Who marks the right tokens. Marking everything, marking nothing, and detectors that never see the reference stand in the same "
        "table: a network has to beat them before its marks mean anything. Held-out wordings, where a source has any, are passages on "
        "references that nothing is learned from; the closed world’s are about things and in phrases that training never shows.",
        views.DETECTION,
        n_folded=4,
    ),
    Section(
        "Mu-SHROOM",
        "Replies that people labelled in their own languages, by the shared task’s two measures: overlap of the marked characters, and "
        "correlation of the probabilities. Mark-all and mark-none show what each measure gives away. A detector that looks words up in a "
        "page marks nothing where there is none.",
        views.MUSHROOM,
        is_flow=True,
    ),
    Section(
        "Gold labels",
        "What people said of the same passages, how far they agree with one another and with the marks that the writer left. Shared "
        "passages are settled by votes or, as in the paper, by the annotator closest to silver, which is circular.",
        views.LABELS,
        is_flow=True,
        n_folded=4,
    ),
    Section(
        "Rejected passages",
        "A passage whose tags are malformed, or whose text outside the tags was changed, is not kept, nor is a translation whose tags do "
        "not match. The share by step and reason.",
        views.REJECTED,
        is_flow=True,
        has_flags=False,
        short="Rejected",
    ),
    Section(
        "Replies",
        "What is wrong with a reply beyond hallucination. Such replies count in the rates over all replies and not over kept ones.",
        views.REPLIES,
        is_flow=True,
        has_flags=False,
        n_folded=1,
    ),
    Section(
        "Analyses",
        "Do rates go with size, length or the resources of a language? Few points, many questions: each answer stands with what speaks "
        "against it.",
        part=Part("mfava/analyses.html.j2", analyses),
    ),
)


def figures(rows: Rows, board: Board) -> list[Figure]:
    """How many replies and languages the rates are made of, whose marks are counted, and what a token is."""
    replies = [
        row["n"]
        for row in rows
        if row["metric"] == RATE
        and row["kind"] == "model"
        and _ranked(row)
        and row["slice"].get("lang") != ALL
    ]
    languages = {row["slice"]["lang"] for row in rows if "lang" in row["slice"]} - {ALL}
    detector = leader(rows, board)
    how = ", ".join(detector[key] for key in GRID if key in detector)
    shown = [
        ("Replies in the wild", sum(replies), ""),
        ("Languages", len(languages), ""),
        ("Marks by", detector.get("member", ""), how),
    ]
    alone = "CJK: a character each" if board.tokenizer == "words" else ""
    counts = board.source_card.get("counts", {})
    lost = sorted(name.removeprefix(LOST) for name in counts if name.startswith(LOST))
    shown += [
        ("Annotators", "not told apart", f"{', '.join(lost)}: few texts have several rows, so no κ")
    ] * bool(lost)
    return shown + [("Tokens by", board.tokenizer, alone)] * bool(board.tokenizer)


def _ranked(row: dict) -> bool:
    return all(row["slice"].get(key) == value for key, value in RANKED)


PAGE = Page(
    SECTIONS,
    View("rates", (RATE,), across=("lang",), only=RANKED),
    opening=HEAT_MAP,
    detectors=views.DETECTORS,
    judging={
        "detection": (
            "token_precision",
            "token_recall",
            "token_f1",
            "token_fpr",
            "token_auroc",
            "token_recall_by_type",
        ),
        "mushroom": ("iou", "spearman"),
    },
    counted="rates",
    baselines=COUNTED,
    baseline_words=("Detectors", "rules and networks"),
    hidden=views.HIDDEN,
    beyond="Planted truth, detection, labels, analyses",
    records=records,
    targets=targets,
    is_released_so=True,
    record_filters=tuple(name for name, *_ in FILTERS),
    scripts=("mfava/heatmap.js",),
    record_scripts=("mfava/samples.js",),
    one_label_note=("What a rule earns here by marking words stands under", "Detection"),
    heads={
        "labels": "Labeller",
        "detection": "Detector",
        "mushroom": "Detector",
        "spans": "Texts",
        "rejected": "Step",
        "analyses": "Analysis",
    },
    derive=derived,
    figures=figures,
)
