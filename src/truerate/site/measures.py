"""How a number is called, read and shown: names, directions, units and short definitions of metrics; labels of slice values."""

import re
from dataclasses import dataclass

from markupsafe import Markup

from truerate.site.languages import NAMES, language

ABSENT = Markup("–")


@dataclass(frozen=True)
class Measure:
    """One metric on the page. `direction`: `up` (more is better), `down`, or empty.

    `unit`: `share` (shown in per cent), `number` (two digits), `tenth` (one), `count`.

    `chance` is what guessing gets, where there is such a value. A track's card may define a metric more closely than `definition` does.
    """

    name: str
    label: str
    definition: str = ""
    direction: str = ""
    unit: str = "share"
    chance: float | None = None

    @property
    def arrow(self) -> str:
        """The mark behind a column heading."""
        return {"up": "↑", "down": "↓"}.get(self.direction, "")

    def text(self, value: float | None) -> Markup:
        """A value as printed: shares in per cent with one digit, numbers with two; nothing measured is a dash."""
        if value is None:
            return ABSENT
        shown = {"share": f"{100 * value:.1f}", "tenth": f"{value:.1f}", "count": f"{value:,.0f}".replace(",", "\u2009")}.get(
            self.unit, f"{value:.2f}"
        )
        return Markup(shown.replace("-", "−"))


def _share(name: str, label: str, direction: str = "", definition: str = "", **more) -> Measure:
    return Measure(name, label, definition, direction, **more)


def _count(name: str, label: str) -> Measure:
    return Measure(name, label, unit="count")


_KNOWN = (
    _share("accuracy", "Accuracy", "up", "Share of texts judged rightly; a reply that cannot be read counts as wrong.", chance=0.5),
    _share("accuracy_parsed", "Accuracy of readable", "up", "Share judged rightly among the replies that could be read.", chance=0.5),
    _share("accuracy_one_side", "Accuracy, one side", "up", "Accuracy where a seeded draw shows one side of each pair.", chance=0.5),
    _share("balanced_accuracy", "Balanced accuracy", "up", "Mean of the shares judged rightly in both classes.", chance=0.5),
    _share("macro_f1", "Macro F1", "up", "Mean of the F1 of both classes."),
    _share("precision", "Precision", "up", "Of the texts called hallucinated, the share that is."),
    _share("recall", "Recall", "up", "Of the hallucinated texts, the share called so."),
    _share("f1", "F1", "up", "Harmonic mean of precision and recall."),
    _share("precision_right", "Precision, right", "up", "Of the texts called right, the share that is."),
    _share("recall_right", "Recall, right", "up", "Of the right texts, the share called so."),
    _share("f1_right", "F1, right", "up", "Harmonic mean of both for the right class."),
    _share("tpr", "TPR", "up", "Of the hallucinated texts with a readable verdict, the share called hallucinated."),
    _share("tnr", "TNR", "up", "Of the right texts with a readable verdict, the share called right."),
    _share("fpr", "FPR", "down", "Of the right texts, the share called hallucinated."),
    _share("unparsed_rate", "Unparsed", "down", "Share of replies in which no verdict could be read."),
    _share("abstained_rate", "Abstained", "", "Share of replies that decline to judge."),
    _share("auroc", "AUROC", "up", "Chance that a hallucinated text gets a higher probability than a right one.", chance=0.5),
    _share("failure_rate", "Missed", "down", "Of the hallucinated texts of a pattern with a readable verdict, the share passed as right."),
    _share("recognition_failure_rate", "Missed", "down", "Of the hallucinated texts of a pattern, the share passed as right."),
    _share("candidate_failure_rate", "Unusable candidates", "down", "Share of requested candidates that cannot be used."),
    _share("length_rule_broken_rate", "Length rule broken", "down", "Share of candidates longer than the rule allows."),
    _share("filter_disagreement_rate", "Choice turns with order", "down", "Share of pairs whose choice changed with the order shown."),
    _share(
        "filter_first_position_rate", "First one taken", "", "Share of readable choices that took the candidate shown first.", chance=0.5
    ),
    _share("filter_unparsed_rate", "Unparsed", "down", "Share of filtering replies from which no choice could be read."),
    _share("flagged_rate", "Flagged", "", "Share of texts called hallucinated."),
    _share("flagged_rate_before", "Flagged before", "", "Share of texts called hallucinated before refinement."),
    _share("flagged_rate_after", "Flagged after", "", "The same after flagged texts were rewritten with knowledge."),
    _share("hallucinated_rate", "Hallucinated", "", "Share of labelled texts that contain hallucination."),
    _share("percent_agreement", "Agreement", "up", "Mean share of agreeing pairs of labels per text."),
    _share("probe_rate", "Probes right", "up", "Share of the probe set that a labeller got right."),
    Measure("fleiss_kappa", "Fleiss’ κ", "Agreement of several labellers beyond chance.", "up", unit="number"),
    Measure("cohen_kappa", "Cohen’s κ", "Agreement of two labellers beyond chance.", "up", unit="number"),
    Measure("response_similarity", "Similarity", "Mean pairwise similarity of a query’s answers.", unit="number"),
    _count("n_candidates", "Usable candidates"),
    _count("n_samples", "Labelled texts"),
    _count("n_by_pattern", "Hallucinated texts"),
    _count("n_annotators_passed", "Labellers who passed"),
    _share("shortcut_accuracy", "Accuracy", "", "Cross-validated accuracy of a classifier that checks no fact.", chance=0.5),
    _share("shortcut_balanced_accuracy", "Balanced accuracy", "", "Mean recall of both classes, cross-validated.", chance=0.5),
    _share("shortcut_auroc", "AUROC", "", "Of the shortcut’s scores over the left-out folds.", chance=0.5),
    _share(
        "shortcut_pairwise",
        "Pairs told apart",
        "",
        "Share of pairs whose hallucinated side the feature alone picks, ties half.",
        chance=0.5,
    ),
    _share("hallucination_rate", "Hallucinated tokens", "down", "Share of the tokens of a model’s replies that are hallucinated."),
    _share("hallucination_rate_std", "± over runs", "", "Standard deviation of the rate over detector seeds × reply seeds."),
    Measure(
        "is_identified", "Identified", "Whether the detector’s error leaves anything to be said: 1, or 0 where TPR − FPR may be 0.", "up"
    ),
    _share(
        "sensitivity_low", "Band, low", "", "The rate if the detector’s error on natural hallucinations were at the lower end of the band."
    ),
    _share("sensitivity_high", "Band, high", "", "The rate if the detector’s error on natural hallucinations were at the upper end."),
    _share("token_precision", "Precision", "up", "Of the tokens marked, the share that is hallucinated."),
    _share("token_recall", "Recall", "up", "Of the hallucinated tokens, the share marked."),
    _share("token_f1", "Token F1", "up", "Harmonic mean of precision and recall over tokens."),
    _share("token_fpr", "FPR", "down", "Of the tokens that are not hallucinated, the share marked."),
    _share("token_precision_std", "Precision, ± over seeds", "", "Standard deviation of the precision over detector seeds."),
    _share("token_recall_std", "Recall, ± over seeds", "", "Standard deviation of the recall over detector seeds."),
    _share("token_f1_std", "F1, ± over seeds", "", "Standard deviation of the token F1 over detector seeds."),
    _share("answerable_rate", "Answerable", "up", "Of the queries that were checked, the share that their reference answers."),
    _share("token_recall_by_type", "Recall by type", "up", "Of the hallucinated tokens of a type, the share marked."),
    _share("token_f1_by_type", "F1 by type", "up", "Token F1 of one type against all else."),
    _share("iou", "IoU", "up", "Characters marked by both over characters marked by either; 1 where neither marks any. Mean over answers."),
    Measure(
        "spearman",
        "Correlation",
        "Spearman’s ρ of the probabilities per character; 1 or 0 where one is constant. Mean over answers.",
        "up",
        unit="number",
    ),
    _count("n_tokens", "Tokens"),
    _count("n_detected", "Tokens marked"),
    _count("n_replies", "Replies"),
    Measure("tokens_per_reply", "Tokens per reply", "Mean length of a reply.", unit="tenth"),
    _share("repeats_rate", "Repeats itself", "down", "Share of replies that repeat themselves."),
    _share("dont_know_rate", "Does not know", "", "Share of replies that say they do not know."),
    _share("cut_rate", "Cut", "down", "Share of replies that end at the length limit."),
    _share("wrong_language_rate", "Wrong language", "down", "Share of replies in another language than the question."),
    Measure("pearson_r", "Pearson r", "Linear correlation, from −1 to 1.", unit="number"),
    Measure("p_value", "p", "Chance of a difference or correlation at least as large where there is none.", unit="number"),
    Measure("mean_difference", "Mean difference", "Difference of the means of two groups."),
    _count("n_points", "Points"),
    _count("n_spans", "Spans"),
    _count("n_texts", "Texts"),
    _share("span_rate", "Texts with a span", "", "Share of texts that hold a span of the type."),
    _share("hallucinated_token_rate", "Tokens in spans", "", "Share of tokens that the labels mark."),
    _share("percent_agreement_typed", "Agreement with type", "up", "The same where the types must agree, too."),
    _share("silver_gold_agreement", "Agreement", "up", "Share of tokens on which gold and silver agree, type included."),
    _share(
        "screening_agreement", "Agreement with silver", "up", "Of the tokens that an annotator or silver marks, the share that both mark."
    ),
    _share("token_f1_typed", "F1 with types", "up", "F1 over tokens and types together: a token is right where its type is, too."),
    Measure("detected_per_reply", "Marked tokens per reply", "Mean number of marked tokens in a reply.", unit="tenth"),
    _share("rejected_rate", "Rejected", "down", "Share of passages that were not kept."),
    _count("n_rejected", "Rejected"),
    Measure("cohen_kappa_typed", "Cohen’s κ with type", "The same where the types must agree, too.", "up", unit="number"),
    Measure(
        "silver_gold_kappa",
        "Silver–gold κ",
        "Agreement of the silver with the gold labels beyond chance, token by token.",
        "up",
        unit="number",
    ),
    Measure("silver_gold_kappa_typed", "Silver–gold κ with type", "The same where the types must agree, too.", "up", unit="number"),
    _share(
        "plausibility_rate",
        "Rated so",
        "",
        "Share of rated passages by how likely they are to fool a reader, 1 very unlikely to 5 very likely.",
    ),
)
MEASURES = {measure.name: measure for measure in _KNOWN}

_LABELS = {
    "all": "All", "held-out": "Held-out wordings",
    "silver": "Silver", "gold": "Gold", "natural": "Natural", "raw": "Raw", "hr_est": "HR_est",
    "rogan-gladen": "Rogan–Gladen", "planted": "Planted", "multi": "Multi", "mono": "Mono", "binary": "Binary", "category": "Category",
    "kept": "Kept", "qa": "QA", "dialogue": "Dialogue", "summarization": "Summarization", "general": "General", "plain": "Plain",
    "knowledge": "With knowledge", "chain-of-thought": "Chain of thought", "contrast": "Sample contrast", "one-pass": "One-pass",
    "conversational": "Conversational", "before": "Before", "after": "After", "refined": "After", "comprehension": "Comprehension",
    "factualness": "Factualness", "specificity": "Specificity", "inference": "Inference", "factual": "Factual",
    "non-factual": "Non-factual", "intrinsic": "Intrinsic", "entity": "Entity",
    "relation": "Relation", "contradictory": "Contradictory", "unverifiable": "Unverifiable", "invented": "Invented",
    "subjective": "Subjective", "irrelevant": "Irrelevant",
    "extrinsic-soft": "Extrinsic, soft", "extrinsic-hard": "Extrinsic, hard", "extrinsic-grouped": "Extrinsic, grouped",
    "lexical-lr": "Lexical regression", "answer-ngrams": "The wording (n-grams)", "majority": "The more frequent label",
    "words": "The number of words", "characters": "The number of characters", "final-stop": "A final full stop",
    "trailing-space": "Trailing white space", "overlap": "Overlap with the knowledge", "text": "Whole texts", "word": "Words",
    "annotators": "The labellers", "helma": "HELMA", "mfava": "mFAVA", "train": "Training passages", "article": "Articles",
    "wild": "Replies in the wild", "dont_know": "Does not know", "max-voting": "Max-voting", "closest-to-silver": "Closest to silver",
    "t-test": "t-test", "bootstrap": "paired bootstrap", "passage": "Whole passages", "published": "As published",
    "translate_reference": "Translate the reference", "hallucination": "Hallucination",
}  # fmt: skip
_ORDER = list(_LABELS)
_SAID = {  # values that mean something else under one key
    ("reason", "all"): "All reasons", ("type", "all"): "All types", ("task", "silver"): "Passages", ("rating", "1"): "Very unlikely",
    ("rating", "2"): "Unlikely", ("rating", "3"): "Neutral", ("rating", "4"): "Likely", ("rating", "5"): "Very likely",
    ("source", "no labels"): "No labels", ("source", "gold"): "Gold, by people",
    ("source", "silver"): "Silver, by the writer", ("oddity", "repeats"): "Repeats itself",
}  # fmt: skip
_COUNTED = {"n_samples": "Hallucinated texts", "n_failed": "Texts passed as right"}  # as papers print them
_VARIANTS = {"cot": "chain-of-thought"}


def measure(name: str, values: list[float] = ()) -> Measure:
    """The measure of a metric; an unknown one is named by its words and is a share unless a value says otherwise."""
    if name in MEASURES:
        return MEASURES[name]
    unit = "share" if all(0 <= value <= 1 for value in values) and "kappa" not in name else "number"
    return Measure(name, label(name.removeprefix("shortcut_")), unit=unit)


def label(value: str) -> str:
    """A slice value, step or metric in words: `chain-of-thought` → Chain of thought."""
    if value in _LABELS:
        return _LABELS[value]
    words = value.replace("_", " ").replace("-", " ")
    return words[:1].upper() + words[1:]


def said(key: str | None, value: str) -> str:
    """A slice value in words, by its key: languages by their English names; the Hub id of a model stays as it is."""
    if key == "lang" or "/" in value:
        return language(value) if key == "lang" else value
    return _SAID.get((key, value)) or label(value)


def short(subject: str) -> str:
    """A subject that is no model, in words where there are any: `final-stop` → A final full stop; names stay as they are."""
    return _LABELS.get(subject, subject)


def named(part: str) -> str:
    """One part of a printed quantity in words: a metric, a metric with its variant (`accuracy+cot`), a slice value; else as it is."""
    if part in _COUNTED:
        return _COUNTED[part]
    metric, _, variant = part.partition("+")
    if metric in MEASURES:
        return ", ".join([MEASURES[metric].label] + ([label(_VARIANTS.get(variant, variant)).lower()] if variant else []))
    counted = re.fullmatch(r"(n_samples|n_failed)_type(\d)", part)
    if counted:
        return f"{_COUNTED[counted[1]]}, pattern {counted[2]}"
    return _LABELS.get(part, part)


def place(value: str) -> tuple[int, str]:
    """Where a slice value stands: known ones in the protocol's order, others after them by name."""
    return (_ORDER.index(value) if value in _ORDER else len(_ORDER), NAMES.get(value, (value,))[0])
