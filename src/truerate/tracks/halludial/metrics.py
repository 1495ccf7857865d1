"""HalluDial's numbers: a record of each, by the table of a board that it stands in."""

from functools import partial

from truerate.tracks.contract import Metric

_detection = partial(Metric, table="detection", interval="share")
_statistic = partial(Metric, table="detection", interval="statistic", direction="up")
_comparison = partial(Metric, table="comparison", interval="share")
_reliability = partial(Metric, table="reliability")
_location = partial(Metric, table="location", interval="statistic", direction="up")
_rates = partial(Metric, table="rates")
_labels = partial(Metric, table="labels")
_dataset = partial(Metric, table="dataset")
_making = partial(Metric, table="making", interval="share", direction="down")
DETECTION = (
    _statistic(
        "balanced_accuracy",
        "Balanced accuracy",
        "Mean of the recall of both classes; a verdict that could not be read is a miss. Always Yes, always No and "
        "guessing get 50 % whatever the share of hallucinated texts.",
        chance=0.5,
    ),
    _detection(
        "accuracy",
        "Accuracy",
        "Share of texts judged rightly; a verdict that could not be read is wrong. Comparison: share of choices "
        "that name the hallucinated response, every pair asked in both orders.",
        source="HalluDial, Table 2",
        direction="up",
    ),
    _detection(
        "accuracy_parsed",
        "Accuracy of readable",
        "Share of texts judged rightly, over readable verdicts alone, as the paper's script counts it.",
        source="HalluDial, Table 2",
        direction="up",
    ),
    _statistic("macro_f1", "Macro F1", "Mean of the F1 of both classes.", source="HalluDial, Table 2"),
    _detection(
        "precision", "Precision", "Of the texts judged hallucinated, the share that is.", direction="up"
    ),
    _detection(
        "recall",
        "Recall",
        "Of the hallucinated texts, the share judged so; unreadable verdicts are misses.",
        direction="up",
    ),
    _statistic("f1", "F1", "Harmonic mean of precision and recall of the hallucinated class."),
    _detection(
        "precision_right",
        "Precision, right",
        "Of the texts judged free of hallucination, the share that is.",
        direction="up",
    ),
    _detection(
        "recall_right",
        "Recall, right",
        "Of the texts without hallucination, the share judged so; unreadable verdicts are misses.",
        direction="up",
    ),
    _statistic("f1_right", "F1, right", "Harmonic mean of precision and recall of the right class."),
    _detection(
        "tpr",
        "TPR",
        "True positive rate: of the hallucinated texts with a readable verdict, the share judged hallucinated.",
        direction="up",
    ),
    _detection(
        "tnr",
        "TNR",
        "True negative rate: of the right texts with a readable verdict, the share judged right.",
        direction="up",
    ),
    _detection(
        "unparsed_rate",
        "Unparsed",
        "Share of texts without a verdict: none came, or none could be read from the reply.",
        direction="down",
    ),
    Metric(
        "no_answers",
        "No answers",
        "Requests of a judge that got no answer at all, where none did: its scores are empty, and it has no rank.",
        table="detection",
        unit="count",
    ),
    Metric(
        "no_verdicts",
        "No verdict readable",
        "Replies of a judge that never keeps the form, so that no verdict could be read: it has no accuracy and no "
        "rank.",
        table="detection",
        unit="count",
    ),
)
COMPARISON = (
    _comparison(
        "accuracy_both_orders",
        "Right in both orders",
        "Share of pairs whose hallucinated response is named in both orders; an unreadable choice is wrong. "
        "Guessing gets 25 %.",
        source="HalluDial, Table 10",
        direction="up",
        chance=0.25,
    ),
    _comparison(
        "accuracy_one_side",
        "Right in one order",
        "Share of pairs whose hallucinated response is named in the one order that a seeded draw asks.",
        direction="up",
        chance=0.5,
    ),
    _comparison(
        "first_position_rate",
        "Names the first",
        "Share of readable choices that name the response shown first. Every pair is shown in both orders, so that "
        "who goes by the texts alone gets 50 %.",
        source="HalluDial, Table 10",
        chance=0.5,
    ),
)
RELIABILITY = (
    _reliability(
        "ece",
        "Calibration error",
        "Expected calibration error: mean over texts of the gap between a bin's mean p and the share of its texts "
        "that is hallucinated; ten bins.",
        source="Guo et al. 2017",
        direction="down",
        interval="statistic",
    ),
    _reliability("bin_p", "Mean p of the bin", "Mean probability of the texts of one bin of p."),
    _reliability(
        "bin_rate",
        "Hallucinated in the bin",
        "Share of the texts of one bin of p that is hallucinated.",
        interval="share",
    ),
)
LOCATION = (
    _location(
        "rouge_l",
        "ROUGE-L",
        "F1 of the longest common subsequence of words of the judgement and of the label's verdict with its reason; "
        "no stemming. Over positives a missed one counts 0.",
        source="HalluDial, Table 3; Lin 2004",
    ),
    _location(
        "bleu",
        "BLEU-4",
        "Corpus BLEU-4 of the judgements against the labels' verdicts with their reasons. Over positives a missed "
        "one is an empty text.",
        source="HalluDial, Table 3; Papineni et al. 2002",
    ),
    _location(
        "rationale_similarity",
        "Similarity",
        "Mean similarity of a judgement and the label's verdict with its reason, by the measure named. Over "
        "positives a missed one counts 0.",
        source="HalluDial, Table 3",
    ),
    _location(
        "span_f1",
        "Span F1",
        "F1 of the characters of all marked segments together against those of the labels.",
    ),
    _location(
        "span_precision", "Span precision", "Of the characters in marked segments, the share in the labels'."
    ),
    _location(
        "span_recall", "Span recall", "Of the characters in the labels' segments, the share that is marked."
    ),
    _location(
        "token_f1", "Token F1", "F1 of the words that marked segments touch against those of the labels."
    ),
    Metric(
        "marked_rate",
        "Marked",
        "Share of all words that marked segments touch: who quotes a response whole marks all of it.",
        table="location",
        interval="statistic",
    ),
)
RATES = (
    _rates(
        "hallucination_rate",
        "Hallucination rate",
        "Share of turns, or of dialogues with such a turn, that is hallucinated: flagged by the detector (raw), "
        "corrected by its errors, or from people's labels of some of them.",
        source="HalluDial, Section 4",
        direction="down",
        interval="corrected",
    ),
    _rates(
        "labelled_rate",
        "Hallucinated",
        "Share of a writer's responses that people labelled hallucinated: not backed by the given knowledge.",
        source="FaithDial, Section 4; BEGIN",
        direction="down",
        interval="share",
    ),
    _rates(
        "is_identified",
        "Identified",
        "1 where the detector's TPR and FPR differ beyond chance, so that a corrected rate can be told.",
        unit="count",
    ),
    _rates(
        "gold_minus_self",
        "Gold less self",
        "By how much more is flagged with the reference's earlier turns than with the model's own, over dialogues "
        "judged in both.",
        source="HalluDial, Table 9",
        interval="statistic",
    ),
    _rates(
        "gold_minus_self_p",
        "p",
        "Two-sided p-value that gold and self history have one rate, dialogues resampled.",
        unit="number",
    ),
)
TRANSFER = (
    Metric(
        "rate_by_judge",
        "Hallucinated responses",
        "Share of the spontaneous responses of all responders together that is hallucinated: flagged by this judge "
        "(raw), or corrected by its TPR and FPR on induced texts, or on responses that people labelled.",
        table="transfer",
        source="HalluDial, Tables 7 and 8",
        interval="corrected",
    ),
)
LABELS = (
    _labels(
        "annotator_accuracy",
        "Annotator's accuracy",
        "Of the responses that people labelled, the share that the annotator labels as they do.",
        direction="up",
        interval="share",
    ),
    _labels(
        "annotator_tpr",
        "Annotator's TPR",
        "Of the responses that people call hallucinated, the share that the annotator does.",
        direction="up",
        interval="share",
    ),
    _labels(
        "annotator_tnr",
        "Annotator's TNR",
        "Of the responses that people call right, the share that the annotator does.",
        direction="up",
        interval="share",
    ),
    _labels(
        "annotator_kappa",
        "Annotator's κ",
        "Cohen's kappa of the annotator's labels and people's.",
        source="Cohen 1960",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "annotator_span_f1",
        "Annotator's span F1",
        "F1 of the characters that the annotator's segments cover against people's, where both marked some.",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "meta_accuracy",
        "Called accurate",
        "Share of a judge's judgements, with place and reason, that the meta-judge calls accurate; over all, over "
        "those that say Yes and those that say No.",
        source="HalluDial, Table 18",
        direction="up",
        interval="share",
    ),
    _labels(
        "meta_unparsed_rate",
        "Unparsed",
        "Share of the meta-judge's replies from which nothing could be read.",
        direction="down",
        interval="share",
    ),
    _labels(
        "meta_kappa",
        "κ of raters",
        "Cohen's kappa of two raters of the same judgements: models, people, or one of each.",
        source="Cohen 1960",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels("n_annotators_passed", "Annotators heard", "Annotators who passed the screening.", unit="count"),
    _labels(
        "screening_agreement",
        "Agreement with others",
        "Share of the responses on which an annotator says what most of the others say.",
        direction="up",
    ),
    _labels(
        "fleiss_kappa",
        "Fleiss’ κ",
        "Agreement of the annotators who are heard beyond chance, on responses and on judgements.",
        source="Fleiss 1971",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "percent_agreement",
        "Agreement",
        "Mean share of agreeing label pairs per task.",
        source="Fleiss 1971",
        direction="up",
        interval="statistic",
    ),
)
DATASET = (
    _dataset(
        "n_dialogues", "Dialogues", "Dialogues of the source.", source="HalluDial, Table 1", unit="count"
    ),
    _dataset("n_turns", "Turns", "Turns that are answered.", source="HalluDial, Table 1", unit="count"),
    _dataset(
        "turns_per_dialogue", "Turns per dialogue", "Mean number of turns of a dialogue.", unit="number"
    ),
    _dataset("n_samples", "Labelled texts", "Labelled texts.", source="HalluDial, Table 1", unit="count"),
    _dataset("n_by_kind", "Texts of the kind", "Labelled texts of one kind.", unit="count"),
    _dataset(
        "hallucinated_rate",
        "Hallucinated",
        "Share of labelled texts that is labelled hallucinated.",
        source="HalluDial, Table 1",
        interval="share",
    ),
    _dataset(
        "words_per_response", "Words per text", "Mean number of words of a labelled text.", unit="tenth"
    ),
    _dataset(
        "shared_context_rate",
        "Contexts on both sides",
        "Share of contexts (turns) with labelled texts in train and in test, of a split by dialogue or by sample.",
        direction="down",
        interval="share",
    ),
    _dataset(
        "shared_dialogue_rate",
        "Dialogues on both sides",
        "Share of dialogues with labelled texts in train and in test, of a split by dialogue or by sample.",
        direction="down",
        interval="share",
    ),
    _dataset(
        "sibling_rate",
        "Test texts with a sibling",
        "Share of test texts whose context has a text in train, of a split by dialogue or by sample.",
        direction="down",
        interval="share",
    ),
)
MAKING = (
    _making(
        "unread_rate", "No text", "Share of requests that gave no text: none came, or none could be read."
    ),
    _making("too_long_rate", "Too long", "Share of texts that were read that are longer than was asked for."),
    _making(
        "continued_rate",
        "Went on",
        "Share of responses behind which the model wrote on with the dialogue, which was cut off.",
    ),
    _making(
        "restated_rate", "Right one restated", "Share of induced responses that say what the right one says."
    ),
    _making(
        "not_located_rate",
        "Not located",
        "Share of texts said to be hallucinated without a segment that stands in the text.",
    ),
    _making("unchanged_rate", "Unchanged", "Share of paraphrases that are the right response word by word."),
    _making("broken_rate", "Any rule broken", "Share of induced responses that break one of the rules."),
)
METRICS = (*DETECTION, *COMPARISON, *RELIABILITY, *LOCATION, *RATES, *TRANSFER, *LABELS, *DATASET, *MAKING)
