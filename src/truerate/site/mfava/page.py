"""mFAVA's boards: the heat map first, then how far it can be believed: planted truth, detection, labels,
replies, analyses.
"""

from truerate.core.result_tables import paged
from truerate.site.mfava.analyses import analyses
from truerate.site.mfava.browser import records
from truerate.site.mfava.heatmap import ALL, PLANTED, RATE, heat_map
from truerate.site.mfava.recovery import recovery
from truerate.site.sections import Figure, Page, Rows, Section
from truerate.site.tables import Board
from truerate.site.views import View

LEADER = "leader"  # the table of the detector whose counts make the rates
COUNTED = "detection"
TOKENS = ("token_precision", "token_recall", "token_f1", "token_fpr")
RANKED = (("estimator", "raw"), ("replies", ALL))
RATES = View("rates", (RATE,), switch="lang", across=("estimator", "calibration"), only=(("replies", ALL),))
GRID = ("scope", "labels")
PAGES, WITH_PAGE = (
    "pages",
    "with_page_rate",
)  # how many answers have a page, from the counts of the source's card
LOST = "n_gold_not-inferable_"  # rows whose annotator cannot be told from the order of a published file
PLAIN = ("estimator",)  # what the world counts of its own replies
NATURAL = (("against", "natural"),)
NOTES = {
    "mark-all": "marks every token",
    "mark-none": "marks nothing",
    "reference-blind": "sees the words of the answer alone",
    "token-lr": "finds words in the reference; no network",
    "tiny-plain": "a small network, not told what matches",
    "tiny-prefix": "a small network, told what matches the reference",
}

SECTIONS = (
    Section(
        "Heat map",
        "How much of what a model writes is hallucinated, language by language: the share of tokens in its replies to questions that it "
        "answers from memory. Darker is worse.",
        part="heatmap",
        make=heat_map,
    ),
    Section(
        "Planted against estimated",
        "The closed world knows its own rates, so each estimator can be held against them, cell by cell. On the line is right; above it "
        "the estimate is too high.",
        part="recovery",
        short="Planted truth",
        make=recovery,
    ),
    Section(
        "Ranks, and every estimator beside",
        "One language at a time. Ranks are tested on the raw shares, reply by reply; the corrected rates stand beside them with intervals "
        "that carry the detector’s own error.",
        (RATES,),
        short="Ranks",
    ),
    Section(
        "Detection",
        "Who marks the right tokens. Marking everything, marking nothing, and detectors that never see the reference stand in the same "
        "table: a network has to beat them before its marks mean anything. Held-out wordings, where a source has any, are passages on "
        "references that nothing is learned from; the closed world’s are about things and in phrases that training never shows.",
        (
            View(
                "detection",
                ("token_f1",),
                across=("against",),
                down=GRID,
                only=(("lang", ALL),),
                head="Detector",
                title="All languages, mean token F1",
                notes=NOTES,
            ),
            View(
                "detection",
                ("token_f1",),
                switch="against",
                across=("lang",),
                down=GRID,
                head="Detector",
                n_whiskers=0,
                title="Token F1 by language",
            ),
            View(
                LEADER,
                TOKENS,
                switch="against",
                by=("lang",),
                head="Language",
                n_whiskers=0,
                is_bare=True,
                title="The leading detector: precision, recall, F1",
            ),
            View(
                "detection",
                ("token_recall_by_type",),
                switch="against",
                across=("type",),
                down=(*GRID, "lang"),
                head="Detector",
                n_whiskers=0,
                title="Recall by type",
            ),
            View(
                "detection",
                ("token_f1_by_type",),
                switch="against",
                across=("type",),
                down=(*GRID, "lang"),
                head="Detector",
                n_whiskers=0,
                title="F1 by type",
            ),
            View(
                "detection",
                ("token_f1_typed",),
                switch="against",
                across=("lang",),
                down=GRID,
                head="Detector",
                n_whiskers=0,
                title="F1 with types",
            ),
            View(
                "detection",
                ("token_precision", "token_recall", "token_fpr"),
                switch="against",
                across=("lang",),
                down=GRID,
                head="Detector",
                n_whiskers=0,
                title="Precision, recall and false alarms of every detector",
            ),
        ),
        n_folded=4,
    ),
    Section(
        "Mu-SHROOM",
        "Replies that people labelled in their own languages, by the shared task’s two measures: overlap of the marked characters, and "
        "correlation of the probabilities. Mark-all and mark-none show what each measure gives away. A detector that looks words up in a "
        "page marks nothing where there is none.",
        (
            *(
                View(
                    "mushroom",
                    (metric,),
                    across=("lang",),
                    down=GRID,
                    only=NATURAL,
                    head="Detector",
                    n_whiskers=0,
                    title=title,
                )
                for metric, title in (("iou", "Overlap (IoU)"), ("spearman", "Correlation"))
            ),
            View(
                PAGES,
                (WITH_PAGE,),
                across=("lang",),
                head="Texts",
                n_whiskers=0,
                title="Answers whose page is there to look them up in",
            ),
        ),
        is_flow=True,
    ),
    Section(
        "Gold labels",
        "What people said of the same passages, how far they agree with one another and with the marks that the writer left. Shared "
        "passages are settled by votes or, as in the paper, by the annotator closest to silver, which is circular.",
        (
            View(
                "labels",
                ("cohen_kappa", "cohen_kappa_typed", "percent_agreement", "percent_agreement_typed"),
                by=("lang",),
                head="Language",
                title="Annotators with one another",
                n_whiskers=0,
            ),
            View(
                "labels",
                ("silver_gold_kappa", "silver_gold_kappa_typed", "silver_gold_agreement"),
                across=("settled",),
                by=("lang",),
                head="Language",
                title="Gold with silver, by how shared passages are settled",
                n_whiskers=0,
            ),
            View(
                "labels",
                ("plausibility_rate",),
                by=("lang",),
                across=("rating",),
                head="Language",
                title="Likely to fool a reader",
                form="heat",
                is_bare=True,
            ),
            View(
                "spans",
                ("n_spans",),
                switch="label_source",
                by=("task", "lang"),
                across=("type",),
                lacking=PLAIN,
                head="Language",
                title="Spans by type",
                n_whiskers=0,
            ),
            View(
                "spans",
                ("hallucinated_token_rate",),
                by=("lang",),
                across=("against",),
                head="Language",
                title="Tokens in spans",
                n_whiskers=0,
            ),
            View(
                "labels",
                ("screening_agreement",),
                across=("lang",),
                head="Annotator",
                title="Annotators with silver: the screening",
                n_whiskers=0,
            ),
            View(
                "labels",
                ("n_annotators_passed",),
                by=("lang",),
                head="Language",
                title="Annotators heard",
                n_whiskers=0,
            ),
            View(
                "spans",
                ("n_texts",),
                across=("label_source",),
                by=("task", "lang"),
                head="Language",
                title="Number of texts",
                n_whiskers=0,
            ),
            View(
                "spans",
                ("span_rate",),
                switch="label_source",
                by=("task", "lang"),
                across=("type",),
                head="Language",
                title="Texts that hold a type",
                form="heat",
            ),
        ),
        is_flow=True,
        n_folded=4,
    ),
    Section(
        "Rejected passages",
        "A passage whose tags are malformed, or whose text outside the tags was changed, is not kept, nor is a translation whose tags do "
        "not match. The share by step and reason.",
        (
            View(
                "rejected",
                ("rejected_rate",),
                by=("step", "reason"),
                across=("lang",),
                head="Reason",
                form="heat",
                title="Share",
                is_bare=True,
            ),
            View(
                "rejected",
                ("n_rejected",),
                by=("step", "reason"),
                across=("lang",),
                head="Reason",
                n_whiskers=0,
                title="Number",
            ),
        ),
        is_flow=True,
        has_flags=False,
        short="Rejected",
    ),
    Section(
        "Replies",
        "What is wrong with a reply beyond hallucination. Such replies count in the rates over all replies and not over kept ones.",
        (
            *(
                View("counts", (metric,), across=("lang",), form="heat", title=title, is_bare=True)
                for metric, title in (
                    ("repeats_rate", "Repeats itself"),
                    ("dont_know_rate", "Does not know"),
                    ("cut_rate", "Cut"),
                    ("wrong_language_rate", "Wrong language"),
                )
            ),
            View(
                "counts",
                ("tokens_per_reply",),
                across=("lang",),
                n_whiskers=0,
                title="Tokens per reply",
                is_bare=True,
            ),
            View(
                "counts",
                ("detected_per_reply",),
                across=("lang",),
                n_whiskers=0,
                title="Marked tokens per reply",
                is_bare=True,
            ),
            View(
                "queries",
                ("answerable_rate",),
                by=("lang",),
                head="Language",
                n_whiskers=0,
                title="Queries that the reference answers",
            ),
            View(
                "counts",
                ("n_replies", "n_tokens", "n_detected"),
                across=("lang",),
                n_whiskers=0,
                title="Counts behind the rates",
            ),
        ),
        is_flow=True,
        has_flags=False,
        n_folded=1,
    ),
    Section(
        "Analyses",
        "Do rates go with size, length or the resources of a language? Few points, many questions: each answer stands with what speaks "
        "against it.",
        part="analyses",
        make=analyses,
    ),
)


def derived(rows: Rows, board: Board) -> Rows:
    """The rows with their standard deviation over runs, planted rates beside every estimate, and the table of
    the leading detector.
    """
    spread = {
        _key(row, row["metric"].removesuffix("_std")): row["value"]
        for row in rows
        if row["metric"].endswith("_std")
    }
    rows = [
        row | {"std": spread.get(_key(row, row["metric"]))} if row["kind"] != PLANTED else row for row in rows
    ]
    named = leader(rows, board)
    return (
        rows + _beside(rows) + [_bare(row) for row in rows if _is_leading(row, named)] + _pages(rows, board)
    )


def _pages(rows: Rows, board: Board) -> Rows:
    """The share of Mu-SHROOM's answers that come with a page, per language and over all, as the source's card
    counted them.
    """
    like = next((row for row in rows if row["table"] == "mushroom"), None)
    found = paged(board.source_card.get("counts", {}))
    if like is None:
        return []
    blank = like | {
        "table": PAGES,
        "subject": "answers",
        "metric": WITH_PAGE,
        **dict.fromkeys(("rank_low", "rank_high", "low", "high")),
    }
    return [
        blank | {"slice": {"lang": lang}, "value": with_page / of, "n": of}
        for lang, (with_page, of) in found.items()
    ]


def _key(row: dict, metric: str) -> tuple:
    return (row["subject"], row["kind"], metric, *sorted(row["slice"].items()))


def _beside(rows: Rows) -> Rows:
    """Planted rates under the slice of each estimate, so that a table shows them beside it."""
    modes = {
        (row["slice"].get("estimator"), row["slice"].get("calibration"))
        for row in rows
        if row["metric"] == RATE and row["kind"] == "model"
    }
    planted = [
        row
        for row in rows
        if row["kind"] == PLANTED and row["metric"] == RATE and row["slice"].get("estimator") == PLANTED
    ]
    made = []
    for row in planted:
        for estimator, calibration in sorted(modes, key=str):
            more = {"estimator": estimator, "calibration": calibration}
            made.append(
                row
                | {"slice": row["slice"] | {key: value for key, value in more.items() if value is not None}}
            )
    return made


def leader(rows: Rows, board: Board) -> dict[str, str]:
    """The detector whose counts make the rates, as the board says; else the one with the best F1 against the
    most trusted labels.
    """
    if board.detector:
        return dict(board.detector)
    measured = [
        row
        for row in rows
        if row["metric"] == "token_f1" and row["value"] is not None and row["slice"].get("lang") == ALL
    ]
    trust = ("held-out", "silver", "gold", "natural")
    best = max(
        measured,
        key=lambda row: (trust.index(row["slice"].get("against", trust[0])), row["value"], row["subject"]),
        default=None,
    )
    return (
        {"member": best["subject"], **{key: best["slice"][key] for key in GRID if key in best["slice"]}}
        if best
        else {}
    )


def _is_leading(row: dict, named: dict[str, str]) -> bool:
    is_his = (
        row["table"] == COUNTED
        and row["subject"] == named.get("member")
        and row["metric"] in TOKENS
        and "type" not in row["slice"]
    )
    return is_his and all(row["slice"].get(key, named.get(key)) == named.get(key) for key in GRID)


def _bare(row: dict) -> dict:
    """A row of the leading detector in the table of its own, where its scope and labels need not be said."""
    return row | {
        "table": LEADER,
        "slice": {key: value for key, value in row["slice"].items() if key not in GRID},
    }


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
    named = leader(rows, board)
    how = ", ".join(named[key] for key in GRID if key in named)
    found = [
        ("Replies in the wild", sum(replies), ""),
        ("Languages", len(languages), ""),
        ("Marks by", named.get("member", ""), how),
    ]
    alone = "CJK: a character each" if board.tokenizer == "words" else ""
    counts = board.source_card.get("counts", {})
    lost = sorted(name.removeprefix(LOST) for name in counts if name.startswith(LOST))
    found += [
        ("Annotators", "not told apart", f"{', '.join(lost)}: few texts have several rows, so no κ")
    ] * bool(lost)
    return found + [("Tokens by", board.tokenizer, alone)] * bool(board.tokenizer)


def _ranked(row: dict) -> bool:
    return all(row["slice"].get(key) == value for key, value in RANKED)


DETECTORS = View(
    "detection",
    ("token_f1", "token_precision", "token_recall", "token_fpr"),
    switch="against",
    down=GRID,
    only=(("lang", ALL),),
    head="Detector",
    notes=NOTES,
)
HIDDEN = (
    View(
        "rates", ("hallucination_rate_std", "is_identified", "sensitivity_low", "sensitivity_high")
    ),  # in the cells of the heat map
    View("rates", (RATE,), only=(("replies", "kept"),)),
    View("detection", ("token_precision_std", "token_recall_std", "token_f1_std")),
    View("analyses"),
)
PAGE = Page(
    SECTIONS,
    View("rates", (RATE,), across=("lang",), only=RANKED),
    opening=heat_map,
    detectors=DETECTORS,
    counted="rates",
    rules=COUNTED,
    rules_said=("Detectors", "rules and networks"),
    hidden=HIDDEN,
    beyond="Planted truth, detection, labels, analyses",
    records=records,
    derive=derived,
    figures=figures,
)
