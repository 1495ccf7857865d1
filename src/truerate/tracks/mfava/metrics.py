"""mFAVA's numbers: a record of each, by the table of a board that it stands in."""

from functools import partial

from truerate.tracks.contract import Metric
from truerate.tracks.mfava.detector_metrics import OF_DETECTORS

_rates = partial(Metric, table="rates")
_counts = partial(Metric, table="counts")
_analyses = partial(Metric, table="analyses")
_points = partial(Metric, table="points")
_spans = partial(Metric, table="spans")
_queries = partial(Metric, table="queries")
_rejected = partial(Metric, table="rejected")
_labels = partial(Metric, table="labels")
_pages = partial(Metric, table="pages")
METRICS = (
    *OF_DETECTORS,
    # ---- rates
    _rates(
        "hallucination_rate",
        "Hallucinated tokens",
        "Share of the tokens of a model's replies that are hallucinated. Headline (prediction-powered): from people's "
        "labels of some replies and the marks of all. Raw: the marked share, no rate. HR_est: times "
        "precision over recall. Rogan–Gladen: (flagged − FPR) / (TPR − FPR). Empty: not identified.",
        source="Angelopoulos et al. 2023; Fay & Herriot 1979; mFAVA, Equation 1; Rogan & Gladen 1978",
        direction="down",
        interval="corrected",
    ),
    _rates(
        "hallucination_rate_std",
        "± over runs",
        "Standard deviation of the rate over detector seeds and reply seeds.",
    ),
    _rates(
        "is_identified",
        "Identified",
        "1 where the interval of TPR − FPR leaves 0 out, so that the Rogan–Gladen rate can be told; else 0.",
        source="Rogan & Gladen 1978",
        direction="up",
    ),
    _rates(
        "sensitivity_low",
        "Band, low",
        "Lower end of the Rogan–Gladen rate while TPR falls to half of what it is on inserted "
        "hallucinations and FPR lies between half and twice; only where nobody labelled natural ones.",
    ),
    _rates(
        "sensitivity_high",
        "Band, high",
        "Upper end of the Rogan–Gladen rate over the same band of TPR and FPR.",
    ),
    _rates(
        "no_answers",
        "No answers",
        "Queries that a model was asked in a language of which none got an answer: it has no rate and no "
        "rank there.",
        unit="count",
    ),
    # ---- counts
    _counts("n_replies", "Replies", "Replies that came.", unit="count"),
    _counts("n_tokens", "Tokens", "Tokens of the replies (N).", source="mFAVA, Equation 1", unit="count"),
    _counts(
        "n_detected",
        "Tokens marked",
        "Tokens that the rates' detector marks (H_det), mean over its seeds.",
        source="mFAVA, Equation 1",
        unit="count",
    ),
    _counts(
        "n_labelled",
        "Replies labelled",
        "Replies that people who are heard labelled: what the headline rate rests on.",
        unit="count",
    ),
    _counts("tokens_per_reply", "Tokens per reply", "Mean length of a reply in tokens.", unit="tenth"),
    _counts(
        "detected_per_reply",
        "Marked tokens per reply",
        "Mean number of marked tokens per reply.",
        unit="tenth",
    ),
    _counts(
        "repeats_rate",
        "Repeats itself",
        "Share of replies that repeat themselves.",
        direction="down",
        interval="share",
    ),
    _counts(
        "dont_know_rate", "Does not know", "Share of replies that say they do not know.", interval="share"
    ),
    _counts(
        "cut_rate",
        "Cut",
        "Share of replies that end at the limit of tokens.",
        direction="down",
        interval="share",
    ),
    _counts(
        "wrong_language_rate",
        "Wrong language",
        "Share of replies in another language than the query's.",
        direction="down",
        interval="share",
    ),
    # ---- analyses
    _analyses(
        "pearson_r", "Pearson r", "Pearson's correlation over the points of an analysis.", unit="number"
    ),
    _analyses(
        "p_value",
        "p",
        "Two-sided p-value; points are taken as independent unless the test is a bootstrap.",
        unit="number",
    ),
    _analyses(
        "mean_difference",
        "Mean difference",
        "Mean of one group minus that of the other: small − large models, declared − other languages, "
        "family − rest.",
        interval="statistic",
    ),
    _analyses(
        "n_points",
        "Points",
        "Points of an analysis: cells of model and language, languages, models, or single estimates.",
        unit="count",
    ),
    # ---- points
    _points(
        "point_x",
        "Across",
        "What a point of an analysis is set against: a fact of a language or of a model.",
        unit="number",
    ),
    _points(
        "point_y",
        "Up",
        "A point's mean rate, or its mean number of hallucinated tokens per reply, by one estimate.",
        unit="number",
    ),
    # ---- spans
    _spans("n_texts", "Texts", "Texts.", unit="count"),
    _spans("n_spans", "Spans", "Marked spans of a type.", unit="count"),
    _spans("span_rate", "Texts with a span", "Share of texts that hold a span of the type."),
    _spans("hallucinated_token_rate", "Tokens in spans", "Share of tokens that the labels mark."),
    # ---- queries
    _queries(
        "answerable_rate",
        "Answerable",
        "Of the queries that were checked, the share that the lead of their article answers, as a model "
        "says.",
        direction="up",
        interval="share",
    ),
    *(
        _queries(name, label, definition, source="mFAVA, Table 9", unit="count")
        for name, label, definition in (
            ("n_articles", "Articles", "Articles that queries are asked about."),
            ("n_queries", "Queries", "Queries that models are asked."),
            (
                "n_categories",
                "Categories",
                "Different categories of the articles, one of each, where their source names them.",
            ),
        )
    ),
    # ---- rejected
    _rejected("n_rejected", "Rejected", "Replies of a step that could not be used, by reason.", unit="count"),
    _rejected(
        "rejected_rate",
        "Rejected",
        "Share of the replies of a step that could not be used, by reason. Step passage: passages that did not "
        "come through all insertions.",
        direction="down",
    ),
    # ---- labels
    _labels(
        "cohen_kappa",
        "Cohen’s κ",
        "Agreement of two annotators on tokens beyond chance, marked or not; mean over the pairs that "
        "share texts.",
        source="Cohen 1960",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "cohen_kappa_typed",
        "Cohen’s κ with type",
        "Agreement of two annotators on tokens and their types beyond chance; mean over the pairs that "
        "share texts.",
        source="Cohen 1960",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "percent_agreement",
        "Agreement",
        "Share of tokens on which two annotators agree that they are marked or not; mean over pairs.",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "percent_agreement_typed",
        "Agreement with type",
        "Share of tokens on which two annotators agree, type included; mean over pairs.",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "silver_gold_kappa",
        "Silver–gold κ",
        "Agreement of the settled gold with silver on tokens beyond chance.",
        source="Cohen 1960",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "silver_gold_kappa_typed",
        "Silver–gold κ with type",
        "Agreement of the settled gold with silver on tokens and their types beyond chance.",
        source="Cohen 1960",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "silver_gold_agreement",
        "Agreement",
        "Share of tokens on which gold and silver agree, type included.",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "screening_agreement",
        "Agreement with silver",
        "Of the tokens that an annotator or silver marks, the share that both mark.",
        source="mFAVA, Section 3.1",
        direction="up",
    ),
    _labels(
        "n_annotators_passed",
        "Labellers who passed",
        "Annotators whose agreement with silver reaches the threshold.",
        unit="count",
    ),
    _labels(
        "plausibility_rate",
        "Rated so",
        "Share of ratings from 1 (very unlikely to fool a reader) to 5 (very likely).",
        source="mFAVA, Section 3.1",
    ),
    # ---- pages
    _pages(
        "with_page_rate",
        "With a page",
        "Share of the answers whose page, in which people looked, comes with the data.",
    ),
)
