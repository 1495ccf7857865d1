"""The track's card: what it is, what it does step by step, what its boards rank and what they must not be
read as.
"""

# Keys of the track's own attributes, beside those of core/rights.py, whose values are no words of a text.
ATTRIBUTES = frozenset(
    """
answerable cut dont_know heard repeats settled subset subset_seed wrong_language plausibility replicate
""".split()
)

CARD = {
    "name": "mfava",
    "attributes": ATTRIBUTES,
    "title": "mFAVA",
    "paper": "How Much Do LLMs Hallucinate across Languages? On Multilingual Estimation of LLM Hallucination in the Wild",
    "citation": (
        "ul Islam, S. O., Lauscher, A., & Glavaš, G. (2025). How Much Do LLMs Hallucinate across Languages? On Multilingual Estimation of "
        "LLM Hallucination in the Wild. arXiv:2502.12769."
    ),
    "url": "https://arxiv.org/abs/2502.12769",
    "summary": (
        "What share of the words that a model writes is hallucinated, language by language? Detectors mark tokens, and what is known of "
        "their errors corrects the rate."
    ),
    "tasks": {
        "train": "labelled passages that detectors learn from, English ones and their translations",
        "held-out": "labelled passages that no detector learns from, English ones and their translations",
        "silver": "passages written from a reference, with inserted hallucinations",
        "article": "encyclopedia articles that queries are written about",
        "wild": "replies to queries that models answer without a reference",
    },
    "steps": [
        {
            "name": "Silver passages",
            "section": "3.1",
            "text": (
                "A model answers a question from a reference, then inserts six types of hallucination, one after the other, each in its own"
                " tags. A passage whose tags are malformed, or whose other text changed, is rejected with its reason."
            ),
        },
        {
            "name": "Gold labels",
            "section": "3.2",
            "text": (
                "People mark hallucinated spans and their types. Annotators who agree too little with silver are not heard. Texts that "
                "several labelled are settled by max-voting over tokens; the paper's way (the annotator closest to silver) is scored, too."
            ),
        },
        {
            "name": "Translate-train",
            "section": "3.3",
            "text": (
                "English training passages are translated with their tags; one whose tags changed in number or order is dropped. Detectors "
                "learn from them, one for all languages (multi) or one per language (mono), binary or by type."
            ),
        },
        {
            "name": "Held-out wordings",
            "section": "",
            "text": (
                "Labelled passages that a source keeps apart are translated like the others and learned from by no detector, nor is any "
                "other passage on their references. Those of the closed world are about entities that no training passage names, and none "
                "shows their inserted sentences, nor the phrases in which they say a fact in other words."
            ),
        },
        {
            "name": "In the wild",
            "section": "4.1",
            "text": (
                "Queries are written about articles, and models answer them alone, five disjoint subsets with a seed each. Replies that "
                "repeat themselves, do not know, are cut or in a wrong language are counted, and rates are given with and without them."
            ),
        },
        {
            "name": "Rates",
            "section": "4.2",
            "text": (
                "A detector marks the replies' tokens against the lead of their article. The flagged share is shown raw, corrected by "
                "precision and recall (the paper's estimate), and by true and false positive rates (Rogan and Gladen), each by the labels "
                "that the detector was calibrated on."
            ),
        },
    ],
    "ranks": {
        "metric": "hallucination_rate",
        "slice": {"estimator": "raw", "replies": "all", "lang": "all"},
        "what": "flagged share of the tokens of replies in the wild, mean over languages; lower is better",
        "higher_is_better": False,
    },
    "metrics": {
        "token_precision": "Of the tokens that a detector marks, the share that the labels mark; mean over seeds.",
        "token_recall": "Of the tokens that the labels mark, the share that the detector marks, whatever type it names; mean over seeds.",
        "token_f1": "Harmonic mean of both over all tokens of a language; mean over seeds.",
        "token_precision_std": "Standard deviation of precision over detector seeds.",
        "token_recall_std": "Standard deviation of recall over detector seeds.",
        "token_f1_std": "Standard deviation of F1 over detector seeds.",
        "token_fpr": "Of the tokens that the labels leave unmarked, the share that the detector marks; mean over seeds.",
        "token_f1_typed": "F1 over tokens and types together: a token is right where its type is, too (category detectors).",
        "token_recall_by_type": "Of the tokens of one type, the share that the detector marks, whatever type it names.",
        "token_f1_by_type": "F1 of the tokens of one type (category detectors).",
        "iou": "Mu-SHROOM: marked characters of both sides, intersection over union, 1 where neither marks any; mean over replies.",
        "spearman": (
            "Mu-SHROOM: rank correlation of both sides' probabilities over the characters of a reply; where a side is constant, 1 if both"
            " are and 0 else; mean over replies."
        ),
        "hallucination_rate": (
            "Share of the tokens of a model's replies that are hallucinated. raw: what the detector marks. hr_est: times precision over "
            "recall (mFAVA Eq. 1). rogan-gladen: (flagged − FPR) / (TPR − FPR). Empty where it cannot be told."
        ),
        "hallucination_rate_std": "Standard deviation of the rate over detector seeds and reply seeds.",
        "is_identified": "1 where the interval of TPR − FPR leaves 0 out, so that the Rogan–Gladen rate can be told; else 0.",
        "sensitivity_low": (
            "Lower end of the Rogan–Gladen rate while TPR falls to half of what it is on inserted hallucinations and FPR lies between half"
            " and twice; only where nobody labelled natural ones."
        ),
        "sensitivity_high": "Upper end of the same band.",
        "n_replies": "Replies that came.",
        "n_tokens": "Tokens of the replies (N).",
        "n_detected": "Tokens that the rates' detector marks (H_det), mean over its seeds.",
        "tokens_per_reply": "Mean length of a reply in tokens.",
        "detected_per_reply": "Mean number of marked tokens per reply.",
        "repeats_rate": "Share of replies that repeat themselves.",
        "dont_know_rate": "Share of replies that say they do not know.",
        "cut_rate": "Share of replies that end at the limit of tokens.",
        "wrong_language_rate": "Share of replies in another language than the query's.",
        "pearson_r": "Pearson's correlation over the points of an analysis.",
        "p_value": "Two-sided p-value; points are taken as independent unless the test is a bootstrap.",
        "mean_difference": "Mean of one group minus that of the other: small − large models, declared − other languages, family − rest.",
        "n_points": "Points of an analysis: cells of model and language, languages, or single estimates.",
        "n_texts": "Texts.",
        "n_spans": "Marked spans of a type.",
        "span_rate": "Share of texts that hold a span of the type.",
        "hallucinated_token_rate": "Share of tokens that the labels mark.",
        "answerable_rate": "Of the queries that were checked, the share that the lead of their article answers, as a model says.",
        "no_answers": "Queries that a model was asked in a language of which none got an answer: it has no rate and no rank there.",
        "n_rejected": "Replies of a step that could not be used, by reason.",
        "rejected_rate": "Their share of the step's replies. Step passage: passages that did not come through all insertions.",
        "cohen_kappa": "Agreement of two annotators on tokens beyond chance, marked or not; mean over the pairs that share texts.",
        "cohen_kappa_typed": "The same where the type must agree, too.",
        "percent_agreement": "Share of tokens on which two annotators agree that they are marked or not; mean over pairs.",
        "percent_agreement_typed": "The same where the type must agree, too.",
        "silver_gold_kappa": "Agreement of the settled gold with silver on tokens beyond chance.",
        "silver_gold_kappa_typed": "The same where the type must agree, too.",
        "silver_gold_agreement": "Share of tokens on which gold and silver agree, type included.",
        "screening_agreement": "Of the tokens that an annotator or silver marks, the share that both mark.",
        "n_annotators_passed": "Annotators whose agreement with silver reaches the threshold.",
        "plausibility_rate": "Share of ratings from 1 (very unlikely to fool a reader) to 5 (very likely).",
    },
    # The table that a metric stands in, by how its name begins.
    "tables": {
        "token_": "detection",
        "iou": "mushroom",
        "spearman": "mushroom",
        "hallucination_rate": "rates",
        "is_identified": "rates",
        "no_answers": "rates",
        "sensitivity_": "rates",
        "n_replies": "counts",
        "n_tokens": "counts",
        "n_detected": "counts",
        "tokens_per_reply": "counts",
        "detected_per_reply": "counts",
        "repeats_rate": "counts",
        "dont_know_rate": "counts",
        "cut_rate": "counts",
        "wrong_language_rate": "counts",
        "pearson_r": "analyses",
        "p_value": "analyses",
        "mean_difference": "analyses",
        "n_points": "analyses",
        "n_texts": "spans",
        "n_spans": "spans",
        "span_rate": "spans",
        "hallucinated_token_rate": "spans",
        "answerable_rate": "queries",
        "n_rejected": "rejected",
        "rejected_rate": "rejected",
        "cohen_kappa": "labels",
        "percent_agreement": "labels",
        "silver_gold_": "labels",
        "screening_agreement": "labels",
        "n_annotators": "labels",
        "plausibility_rate": "labels",
    },
    "caveats": [
        "The raw rate is the detector's as much as the model's: read it beside precision, recall and the corrected rates.",
        "HR_est is exact only where the calibration texts hold as much hallucination as the replies do.",
        "Rates calibrated on inserted hallucinations (silver, gold) say little where natural ones are harder to see.",
        "A detector sees the lead of an article: what is true but stands elsewhere counts as hallucinated.",
        "Scores of different languages are not comparable where their shares of marked tokens differ: see mark-all and mark-none.",
        "Held-out passages test detectors; no rate is calibrated on them.",
        "Silver- and gold-based rates share the same flagged tokens, so that their correlation overstates how well silver serves.",
        "N counts words (a Chinese or Japanese character each) unless the settings name another tokenizer.",
    ],
}
