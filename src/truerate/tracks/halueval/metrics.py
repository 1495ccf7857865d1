"""HaluEval's numbers: a record of each, by the table of a board that it stands in."""

from functools import partial

from truerate.tracks.contract import Metric

_recognition = partial(Metric, table="recognition")
_contrast = partial(Metric, table="contrast")
_failures = partial(Metric, table="failures")
_refinement = partial(Metric, table="refinement")
_rates = partial(Metric, table="rates")
_candidates = partial(Metric, table="candidates")
_filtering = partial(Metric, table="filtering")
_responses = partial(Metric, table="responses")
_dataset = partial(Metric, table="dataset")
_labels = partial(Metric, table="labels")
METRICS = (
    # ---- recognition
    _recognition(
        "accuracy",
        "Accuracy",
        "Share of texts judged rightly; a verdict that could not be read is wrong; guessing gets 50 %. "
        "Contrast: share of choices that name the hallucinated side, every pair asked in both orders.",
        source="HaluEval, Section 3.1",
        direction="up",
        chance=0.5,
        interval="share",
    ),
    _recognition(
        "accuracy_parsed",
        "Accuracy of readable",
        "Share of texts judged rightly, over readable verdicts alone.",
        direction="up",
        chance=0.5,
        interval="share",
    ),
    _recognition(
        "accuracy_std",
        "± over seeds",
        "Standard deviation of the accuracy over the seeds of a detector; each text counts with the mean of its outcomes.",
    ),
    _recognition(
        "accuracy_one_side",
        "Accuracy, one side",
        "Accuracy over one side per pair, drawn by seed as in the paper's script (contrast: over one order).",
        direction="up",
        chance=0.5,
        interval="share",
    ),
    _recognition(
        "accuracy_matched",
        "Accuracy, matched in length",
        "Accuracy over the pairs matched in form: as many right as hallucinated texts of each length, with and "
        "without a full stop, so that neither tells them apart.",
        direction="up",
        chance=0.5,
        interval="share",
    ),
    _recognition(
        "macro_f1", "Macro F1", "Mean of the F1 of both classes.", direction="up", interval="statistic"
    ),
    _recognition(
        "precision",
        "Precision",
        "Of the texts judged hallucinated, the share that is.",
        direction="up",
        interval="share",
    ),
    _recognition(
        "recall",
        "Recall",
        "Of the hallucinated texts, the share judged so; unreadable verdicts are misses.",
        direction="up",
        interval="share",
    ),
    _recognition(
        "f1",
        "F1",
        "Harmonic mean of precision and recall of the hallucinated class.",
        direction="up",
        interval="statistic",
    ),
    _recognition(
        "precision_right",
        "Precision, right",
        "Of the texts judged right, the share that is.",
        direction="up",
        interval="share",
    ),
    _recognition(
        "recall_right",
        "Recall, right",
        "Of the right texts, the share judged so; unreadable verdicts are misses.",
        direction="up",
        interval="share",
    ),
    _recognition(
        "f1_right",
        "F1, right",
        "Harmonic mean of precision and recall of the right class.",
        direction="up",
        interval="statistic",
    ),
    _recognition(
        "tpr",
        "TPR",
        "True positive rate: of the hallucinated texts with a readable verdict, the share judged "
        "hallucinated. Also by pattern.",
        direction="up",
        interval="share",
    ),
    _recognition(
        "tnr",
        "TNR",
        "True negative rate: of the right texts with a readable verdict, the share judged right.",
        direction="up",
        interval="share",
    ),
    _recognition(
        "unparsed_rate",
        "Unparsed",
        "Share of texts without a verdict: none came, or none could be read from the reply.",
        direction="down",
        interval="share",
    ),
    _recognition(
        "no_answers",
        "No answers",
        "Requests of a judge that got no answer at all, where none of a task did: its scores are empty, "
        "and it has no rank.",
        unit="count",
    ),
    # ---- sample contrast
    _contrast(
        "accuracy_both_orders",
        "Right in both orders",
        "Share of pairs whose hallucinated side is named in both orders; a choice that could not be read is "
        "wrong. Guessing gets 25 %.",
        source="HaluEval, Section 3.2.2",
        direction="up",
        chance=0.25,
        interval="share",
    ),
    _contrast(
        "first_position_rate",
        "Names the first",
        "Share of readable choices that name the text shown first. Every pair is shown in both orders, so that "
        "who goes by the texts alone gets 50 %.",
        chance=0.5,
        interval="share",
    ),
    # ---- failures
    _failures(
        "failure_rate",
        "Missed",
        "1 - TPR of the hallucinated texts of one pattern.",
        source="HaluEval, Section 3.2",
        direction="down",
        interval="share",
    ),
    # ---- rates
    _rates(
        "general_rate",
        "Hallucinated responses",
        "Share of the selected responses to general queries that hallucinate, by a judge's plain verdicts (unread ones at "
        "the share of the others): as flagged, corrected by its errors on other tasks, or from people's labels of every "
        "third response, alone or with all verdicts.",
        source="Rogan & Gladen 1978; Angelopoulos et al. 2023",
        interval="corrected",
    ),
    _rates(
        "is_identified",
        "Identified",
        "Whether the judge's errors on other tasks can correct its rate (1) or its TPR and FPR cannot be told apart (0).",
        unit="count",
    ),
    # ---- refinement
    _refinement(
        "flagged_rate_before",
        "Flagged before",
        "Share of texts judged hallucinated before refinement.",
        interval="share",
    ),
    _refinement(
        "flagged_rate_after",
        "Flagged after",
        "Share of texts judged hallucinated after flagged ones were rewritten with knowledge; one that could "
        "not be rewritten stays flagged.",
        interval="share",
    ),
    _refinement(
        "flagged_rate_after_judge",
        "Flagged after, by another judge",
        "Flagged after refinement, where another model (`refinement_judge`) judges the rewritten text; one without "
        "a rewriting or verdict stays flagged.",
        interval="share",
    ),
    _refinement(
        "refined_same_rate",
        "Is the right answer",
        "Share of the texts that were to be rewritten whose rewriting is the right answer but for case, articles "
        "and punctuation; other names of the answer are not seen. By label too. QA alone.",
        direction="up",
        interval="share",
    ),
    _refinement(
        "refined_contains_rate",
        "Contains the right answer",
        "Share of the texts that were to be rewritten whose rewriting has the words of the right answer in a row, "
        "case, articles and punctuation levelled; other names of the answer are not seen. By label too. QA alone.",
        direction="up",
        interval="share",
    ),
    _refinement(
        "unchanged_rate",
        "Left unchanged",
        "Share of the texts that were to be rewritten that came back as they were, or were said to need no "
        "correction.",
        interval="share",
    ),
    # ---- candidates
    _candidates(
        "candidate_failure_rate",
        "Unusable candidates",
        "Share of requested candidates that cannot be used: none came, none could be read, declined, task "
        "acknowledged and nothing written, empty, the right text, or the right text restated in a sentence.",
        direction="down",
        interval="share",
    ),
    _candidates(
        "cleaned_rate",
        "Cleaned candidates",
        "Share of readable candidates from which something was cut that is no part of the text: a heading, a "
        "preamble, quotation marks, an explanation, a thought, further alternatives … Also by what was cut.",
        interval="share",
    ),
    _candidates("n_candidates", "Usable candidates", "Usable candidates.", unit="count"),
    _candidates(
        "length_rule_broken_rate",
        "Length rule broken",
        "Share of candidates longer than the right text by more words than the instruction allows.",
        direction="down",
        interval="share",
    ),
    # ---- filtering
    _filtering(
        "filter_disagreement_rate",
        "Choice turns with order",
        "Share of candidate pairs whose choice changed with the order in which they were shown.",
        direction="down",
        interval="share",
    ),
    _filtering(
        "filter_first_position_rate",
        "First one taken",
        "Share of readable choices that took the candidate shown first.",
        chance=0.5,
        interval="share",
    ),
    _filtering(
        "filter_unparsed_rate",
        "Unparsed",
        "Share of filtering replies from which no choice could be read.",
        direction="down",
        interval="share",
    ),
    # ---- responses
    _responses(
        "response_similarity",
        "Similarity",
        "Mean pairwise similarity of a query's answers, by the measure named.",
        source="HaluEval, Section 2.2",
        unit="number",
        interval="statistic",
    ),
    _responses(
        "cut_rate",
        "Cut",
        "Share of responses to general queries that end at the limit of tokens.",
        direction="down",
        interval="share",
    ),
    # ---- dataset
    _dataset("n_samples", "Labelled texts", "Labelled texts.", unit="count"),
    _dataset(
        "hallucinated_rate",
        "Hallucinated",
        "Share of labelled texts that are hallucinated.",
        interval="share",
    ),
    _dataset(
        "n_by_pattern",
        "Hallucinated texts",
        "Hallucinated texts of a pattern (the paper's Table 5).",
        unit="count",
    ),
    # ---- labels
    _labels(
        "fleiss_kappa",
        "Fleiss’ κ",
        "Agreement of the drawn labels beyond chance: (P - Pe) / (1 - Pe), P the mean share of agreeing "
        "label pairs per text, Pe the sum of squared label shares.",
        source="Fleiss 1971",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "percent_agreement",
        "Agreement",
        "Mean share of agreeing label pairs per text.",
        source="Fleiss 1971",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "probe_rate",
        "Probes right",
        "Share of the probe set that a labeller got right.",
        direction="up",
        interval="share",
    ),
    _labels(
        "n_annotators_passed", "Labellers who passed", "Labellers who passed the screening.", unit="count"
    ),
)
