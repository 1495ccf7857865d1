"""The catalogue of measures: what each metric is called, which way is better, how its values are shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

ABSENT = Markup("–")


@dataclass(frozen=True)
class Measure:
    """One metric on the page. `direction`: `up` (more is better), `down`, or empty.

    `unit`: `share` (shown in per cent), `number` (two digits), `tenth` (one), `count`.

    `chance` is what guessing gets, where there is such a value; `chance_where` where it differs, by key and
    value of the slice. A track's card may define a metric more closely than `definition` does.
    """

    name: str
    label: str
    definition: str = ""
    direction: str = ""
    unit: str = "share"
    chance: float | None = None
    chance_where: Mapping[tuple[str, str], float] = field(default_factory=dict, hash=False)

    def guessed(self, slice_: Mapping[str, str]) -> float | None:
        """What guessing gets in a slice; None where there is no such value."""
        return next(
            (chance for (key, value), chance in self.chance_where.items() if slice_.get(key) == value),
            self.chance,
        )

    @property
    def arrow(self) -> str:
        """The mark behind a column heading."""
        return {"up": "↑", "down": "↓"}.get(self.direction, "")

    def text(self, value: float | None) -> Markup:
        """A value as printed: shares in per cent with one digit, numbers with two; nothing measured is a dash."""
        if value is None:
            return ABSENT
        shown = {
            "share": f"{100 * value:.1f}",
            "tenth": f"{value:.1f}",
            "count": f"{value:,.0f}".replace(",", "\u2009"),
        }.get(self.unit, f"{value:.2f}")
        return Markup(shown.replace("-", "−"))


def _share(name: str, label: str, direction: str = "", definition: str = "", **more) -> Measure:
    return Measure(name, label, definition, direction, **more)


def _count(name: str, label: str) -> Measure:
    return Measure(name, label, unit="count")


_KNOWN = (
    _share(
        "accuracy",
        "Accuracy",
        "up",
        "Share of texts judged rightly; a reply that cannot be read counts as wrong.",
        chance=0.5,
        chance_where={("variant", "contrast"): 0.25},  # a pair is right only if both of its orders are: ½ · ½
    ),
    _share(
        "accuracy_parsed",
        "Accuracy of readable",
        "up",
        "Share judged rightly among the replies that could be read.",
        chance=0.5,
    ),
    _share(
        "accuracy_one_side",
        "Accuracy, one side",
        "up",
        "Accuracy where a seeded draw shows one side of each pair.",
        chance=0.5,
    ),
    _share(
        "balanced_accuracy",
        "Balanced accuracy",
        "up",
        "Mean of the shares judged rightly in both classes.",
        chance=0.5,
    ),
    _share("macro_f1", "Macro F1", "up", "Mean of the F1 of both classes."),
    _share("precision", "Precision", "up", "Of the texts called hallucinated, the share that is."),
    _share("recall", "Recall", "up", "Of the hallucinated texts, the share called so."),
    _share("f1", "F1", "up", "Harmonic mean of precision and recall."),
    _share("precision_right", "Precision, right", "up", "Of the texts called right, the share that is."),
    _share("recall_right", "Recall, right", "up", "Of the right texts, the share called so."),
    _share("f1_right", "F1, right", "up", "Harmonic mean of both for the right class."),
    _share(
        "tpr",
        "TPR",
        "up",
        "Of the hallucinated texts with a readable verdict, the share called hallucinated.",
    ),
    _share("tnr", "TNR", "up", "Of the right texts with a readable verdict, the share called right."),
    _share("fpr", "FPR", "down", "Of the right texts, the share called hallucinated."),
    _share("unparsed_rate", "Unparsed", "down", "Share of replies in which no verdict could be read."),
    _share("abstained_rate", "Abstained", "", "Share of replies that decline to judge."),
    _share(
        "auroc",
        "AUROC",
        "up",
        "Chance that a hallucinated text gets a higher probability than a right one.",
        chance=0.5,
    ),
    _share(
        "failure_rate",
        "Missed",
        "down",
        "Of the hallucinated texts of a pattern with a readable verdict, the share passed as right.",
    ),
    _share(
        "recognition_failure_rate",
        "Missed",
        "down",
        "Of the hallucinated texts of a pattern, the share passed as right.",
    ),
    _share(
        "candidate_failure_rate",
        "Unusable candidates",
        "down",
        "Share of requested candidates that cannot be used.",
    ),
    _share(
        "length_rule_broken_rate",
        "Length rule broken",
        "down",
        "Share of candidates longer than the rule allows.",
    ),
    _share(
        "filter_disagreement_rate",
        "Choice turns with order",
        "down",
        "Share of pairs whose choice changed with the order shown.",
    ),
    _share(
        "filter_first_position_rate",
        "First one taken",
        "",
        "Share of readable choices that took the candidate shown first.",
        chance=0.5,
    ),
    _share(
        "filter_unparsed_rate",
        "Unparsed",
        "down",
        "Share of filtering replies from which no choice could be read.",
    ),
    _share("flagged_rate", "Flagged", "", "Share of texts called hallucinated."),
    _share(
        "flagged_rate_before", "Flagged before", "", "Share of texts called hallucinated before refinement."
    ),
    _share(
        "flagged_rate_after",
        "Flagged after",
        "",
        "The same after flagged texts were rewritten with knowledge.",
    ),
    _share("hallucinated_rate", "Hallucinated", "", "Share of labelled texts that contain hallucination."),
    _share("percent_agreement", "Agreement", "up", "Mean share of agreeing pairs of labels per text."),
    _share("probe_rate", "Probes right", "up", "Share of the probe set that a labeller got right."),
    Measure(
        "fleiss_kappa", "Fleiss’ κ", "Agreement of several labellers beyond chance.", "up", unit="number"
    ),
    Measure(
        "krippendorff_alpha",
        "Krippendorff’s α",
        "Agreement of several labellers beyond chance, gaps allowed.",
        "up",
        unit="number",
    ),
    _share(
        "tie_rate",
        "Ties",
        "down",
        "Share of labelled texts whose labels have no majority; they are counted apart.",
    ),
    Measure("cohen_kappa", "Cohen’s κ", "Agreement of two labellers beyond chance.", "up", unit="number"),
    Measure(
        "response_similarity", "Similarity", "Mean pairwise similarity of a query’s answers.", unit="number"
    ),
    _count("n_candidates", "Usable candidates"),
    _count("n_samples", "Labelled texts"),
    _count("n_by_pattern", "Hallucinated texts"),
    _count("n_annotators_passed", "Labellers who passed"),
    _share(
        "shortcut_accuracy",
        "Accuracy",
        "",
        "Cross-validated accuracy of a classifier that checks no fact.",
        chance=0.5,
    ),
    _share(
        "shortcut_balanced_accuracy",
        "Balanced accuracy",
        "",
        "Mean recall of both classes, cross-validated.",
        chance=0.5,
    ),
    _share("shortcut_auroc", "AUROC", "", "Of the shortcut’s scores over the left-out folds.", chance=0.5),
    _share(
        "shortcut_pairwise",
        "Pairs told apart",
        "",
        "Share of pairs whose hallucinated side the feature alone picks, ties half.",
        chance=0.5,
    ),
    _share(
        "hallucination_rate",
        "Hallucinated tokens",
        "down",
        "Share of the tokens of a model’s replies that are hallucinated.",
    ),
    _share(
        "hallucination_rate_std",
        "± over runs",
        "",
        "Standard deviation of the rate over detector seeds × reply seeds.",
    ),
    Measure(
        "is_identified",
        "Identified",
        "Whether the detector’s error leaves anything to be said: 1, or 0 where TPR − FPR may be 0.",
        "up",
    ),
    _share(
        "sensitivity_low",
        "Band, low",
        "",
        "The rate if the detector’s error on natural hallucinations were at the lower end of the band.",
    ),
    _share(
        "sensitivity_high",
        "Band, high",
        "",
        "The rate if the detector’s error on natural hallucinations were at the upper end.",
    ),
    _share("token_precision", "Precision", "up", "Of the tokens marked, the share that is hallucinated."),
    _share("token_recall", "Recall", "up", "Of the hallucinated tokens, the share marked."),
    _share("token_f1", "Token F1", "up", "Harmonic mean of precision and recall over tokens."),
    _share("token_fpr", "FPR", "down", "Of the tokens that are not hallucinated, the share marked."),
    _share(
        "token_precision_std",
        "Precision, ± over seeds",
        "",
        "Standard deviation of the precision over detector seeds.",
    ),
    _share(
        "token_recall_std",
        "Recall, ± over seeds",
        "",
        "Standard deviation of the recall over detector seeds.",
    ),
    _share("token_f1_std", "F1, ± over seeds", "", "Standard deviation of the token F1 over detector seeds."),
    _share(
        "answerable_rate",
        "Answerable",
        "up",
        "Of the queries that were checked, the share that their reference answers.",
    ),
    _share(
        "token_recall_by_type",
        "Recall by type",
        "up",
        "Of the hallucinated tokens of a type, the share marked.",
    ),
    _share("token_f1_by_type", "F1 by type", "up", "Token F1 of one type against all else."),
    _share(
        "iou",
        "IoU",
        "up",
        "Characters marked by both over characters marked by either; 1 where neither marks any. Mean over answers.",
    ),
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
    _share(
        "wrong_language_rate",
        "Wrong language",
        "down",
        "Share of replies in another language than the question.",
    ),
    Measure("pearson_r", "Pearson r", "Linear correlation, from −1 to 1.", unit="number"),
    Measure(
        "p_value",
        "p",
        "Chance of a difference or correlation at least as large where there is none.",
        unit="number",
    ),
    Measure("mean_difference", "Mean difference", "Difference of the means of two groups."),
    _count("n_points", "Points"),
    _count("n_spans", "Spans"),
    _count("n_texts", "Texts"),
    _share("span_rate", "Texts with a span", "", "Share of texts that hold a span of the type."),
    _share("hallucinated_token_rate", "Tokens in spans", "", "Share of tokens that the labels mark."),
    _share(
        "percent_agreement_typed", "Agreement with type", "up", "The same where the types must agree, too."
    ),
    _share(
        "silver_gold_agreement",
        "Agreement",
        "up",
        "Share of tokens on which gold and silver agree, type included.",
    ),
    _share(
        "screening_agreement",
        "Agreement with silver",
        "up",
        "Of the tokens that an annotator or silver marks, the share that both mark.",
    ),
    _share(
        "with_page_rate",
        "With a page",
        "",
        "Share of the answers whose page, in which people looked, comes with the data.",
    ),
    _share(
        "token_f1_typed",
        "F1 with types",
        "up",
        "F1 over tokens and types together: a token is right where its type is, too.",
    ),
    Measure(
        "detected_per_reply",
        "Marked tokens per reply",
        "Mean number of marked tokens in a reply.",
        unit="tenth",
    ),
    _share("rejected_rate", "Rejected", "down", "Share of passages that were not kept."),
    _count("n_rejected", "Rejected"),
    Measure(
        "cohen_kappa_typed",
        "Cohen’s κ with type",
        "The same where the types must agree, too.",
        "up",
        unit="number",
    ),
    Measure(
        "silver_gold_kappa",
        "Silver–gold κ",
        "Agreement of the silver with the gold labels beyond chance, token by token.",
        "up",
        unit="number",
    ),
    Measure(
        "silver_gold_kappa_typed",
        "Silver–gold κ with type",
        "The same where the types must agree, too.",
        "up",
        unit="number",
    ),
    _share(
        "plausibility_rate",
        "Rated so",
        "",
        "Share of rated passages by how likely they are to fool a reader, 1 very unlikely to 5 very likely.",
    ),
    _share(
        "wildfactscore",
        "WildFactScore",
        "up",
        "Mean over replies of the share of their facts that the web pages support.",
    ),
    _share(
        "wildfactscore_strict",
        "Strict",
        "up",
        "Responding × share of readable responding replies whose every fact is supported.",
    ),
    _share(
        "wildfactscore_dedup",
        "Deduplicated",
        "up",
        "WildFactScore where a fact that repeats an earlier one is left out.",
    ),
    _share(
        "factscore_length",
        "Length-penalised",
        "up",
        "FActScore’s penalty: replies with few facts count for less.",
    ),
    Measure(
        "rank_change",
        "Rank change",
        "Places gained (above 0) or lost against the ranking by WildFactScore.",
        unit="count",
    ),
    _share("responding_rate", "Responding", "", "Share of replies that do not abstain."),
    _share(
        "probe_false_alarm_rate",
        "False alarms",
        "down",
        "Of probes that answer, the share that the rule takes for abstention.",
    ),
    _share(
        "probe_miss_rate",
        "Misses",
        "down",
        "Of probes that decline, the share that the rule takes for an answer.",
    ),
    Measure(
        "words_per_response", "Words per reply", "Mean length of a responding reply in words.", unit="tenth"
    ),
    Measure(
        "facts_per_response",
        "Facts per reply",
        "Mean number of atomic facts of a responding reply.",
        unit="tenth",
    ),
    _share(
        "no_fact_rate",
        "Without a fact",
        "",
        "Share of responding replies in which no fact was found; they enter no score.",
    ),
    _share(
        "unreadable_rate",
        "Unreadable",
        "down",
        "Share of responding replies that Strict cannot judge: a verdict or a fact is missing.",
    ),
    _share(
        "unparsed_fact_rate",
        "Unparsed",
        "down",
        "Share of facts for which no verdict could be read; they enter no score.",
    ),
    _share(
        "duplicate_fact_rate",
        "Duplicates",
        "down",
        "Share of facts that say what an earlier fact of the same reply says.",
    ),
    _share(
        "title_fact_rate",
        "Restate the name",
        "down",
        "Share of facts that only say that what was asked about is what it is called.",
    ),
    _count("n_responses", "Replies"),
    _count("no_answers", "No answers"),
    _count("verifier_no_answers", "No answers"),
    _count("n_facts", "Facts"),
    _share(
        "verifier_tpr", "TPR", "up", "Of the facts that people call unsupported, the share that is called so."
    ),
    _share(
        "verifier_fpr",
        "FPR",
        "down",
        "Of the facts that people call supported, the share that is called unsupported.",
    ),
    _share("verifier_accuracy", "Accuracy", "up", "Share of labelled facts judged as people do."),
    Measure(
        "verifier_kappa",
        "κ with people",
        "Agreement with people’s labels beyond chance.",
        "up",
        unit="number",
    ),
    _share(
        "batch_agreement",
        "Agreement",
        "up",
        "Of the facts verified in a batch and on their own, the share with the same verdict.",
    ),
    Measure("batch_kappa", "κ", "The same agreement beyond chance.", "up", unit="number"),
    Measure("calls_per_generation", "Calls per reply", "Model calls of a step for one reply.", unit="number"),
    _count("funnel_n", "Left"),
    _share(
        "funnel_precision",
        "Precision",
        "up",
        "Of what was kept, the share that was planted as worth keeping.",
    ),
    _share("funnel_recall", "Recall", "up", "Of what was planted as worth keeping, the share that was kept."),
    Measure(
        "pages_per_entity", "Pages per entity", "Mean number of web pages kept for an entity.", unit="tenth"
    ),
    Measure("words_per_entity", "Words per entity", "Mean number of words of these pages.", unit="count"),
    _share(
        "wikipedia_rate",
        "With a Wikipedia page",
        "",
        "Share of entities of which a page is one of Wikipedia.",
    ),
    _count("n_pages", "Pages"),
    _share(
        "error_rate",
        "Share",
        "",
        "Of the reviewed facts with a verdict, the share that people put down to this kind.",
    ),
    _share(
        "review_correction",
        "Implied correction",
        "",
        "By how much the score moves if reviewed verdicts are put right, both kinds.",
    ),
    _share(
        "entity_unambiguous_rate",
        "Unambiguous",
        "up",
        "Of the entities that people checked, the share that means one thing.",
    ),
    _share(
        "page_relevant_rate",
        "Relevant pages",
        "up",
        "Of the pages of checked entities, the share that is about the entity.",
    ),
)
MEASURES = {measure.name: measure for measure in _KNOWN}
