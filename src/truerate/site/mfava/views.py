"""The tables of mFAVA's pages."""

from truerate.site.mfava.heatmap import ALL, RATE
from truerate.site.mfava.rows import GRID, LEADER, PAGES, TOKENS, WITH_PAGE
from truerate.site.views import View

PLAIN = ("estimator",)  # what the world counts of its own replies
NATURAL = (("against", "natural"),)
ORDER = ("token_auroc", "token_average_precision")
NOTES = {
    "mark-all": "marks every token",
    "mark-none": "marks nothing",
    "reference-blind": "sees the words of the answer alone",
    "token-lr": "finds words in the reference; no network",
    "token-tree": "boosted trees on what the reference holds around a word",
    "tiny-plain": "a small network, not told what matches",
    "tiny-prefix": "a small network, told what matches the reference",
}
RATES = View("rates", (RATE,), switch="lang", across=("estimator", "calibration"), only=(("replies", ALL),))
DETECTORS = View(
    "detection",
    ("token_f1", "token_precision", "token_recall", "token_fpr", *ORDER),
    switch="against",
    down=GRID,
    only=(("lang", ALL),),
    head="Detector",
    notes=NOTES,
)
DETECTION = (
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
        "detection",
        ORDER,
        switch="against",
        down=(*GRID, "lang"),
        head="Detector",
        n_whiskers=0,
        title="AUROC and average precision: how well p orders tokens",
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
        down=(*GRID, "lang"),
        head="Detector",
        n_whiskers=0,
        title="Precision, recall and false alarms of every detector",
    ),
    *(
        View(
            "detection",
            (metric,),
            across=("stratum",),
            down=(*GRID, "against"),
            head="Detector",
            title=title,
        )
        for metric, title in (
            ("stratum_fpr", "False alarms by the place of a sentence"),
            ("stratum_recall", "Recall by the place of a sentence"),
        )
    ),
    View(
        "detection",
        ("windowed_rate",),
        switch="against",
        across=("lang",),
        down=GRID,
        head="Detector",
        n_whiskers=0,
        title="Texts whose reference was read in windows",
    ),
)
MUSHROOM = (
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
        for metric, title in (
            ("iou", "Overlap (IoU)"),
            ("iou_with_page", "Overlap (IoU) over the answers that have a page"),
            ("spearman", "Correlation"),
            ("spearman_with_page", "Correlation over the answers that have a page"),
        )
    ),
    View(
        PAGES,
        (WITH_PAGE,),
        across=("lang",),
        head="Texts",
        n_whiskers=0,
        title="Answers whose page is there to look them up in",
    ),
)
LABELS = (
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
)
REJECTED = (
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
)
REPLIES = (
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
        "queries",
        ("n_articles", "n_queries", "n_categories"),
        by=("lang",),
        head="Language",
        n_whiskers=0,
        title="Articles, queries and their categories",
    ),
    View(
        "counts",
        ("n_replies", "n_tokens", "n_detected"),
        switch="lang",
        n_whiskers=0,
        title="Counts behind the rates",
    ),
)
HIDDEN = (
    View(
        "rates", ("hallucination_rate_std", "is_identified", "sensitivity_low", "sensitivity_high")
    ),  # in the cells of the heat map
    View("rates", (RATE,), only=(("replies", "kept"),)),
    View("detection", ("token_precision_std", "token_recall_std", "token_f1_std")),
    View("analyses"),
    View("points"),  # in the pictures of the analyses
)
