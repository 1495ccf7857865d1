"""The track's card: what it is, what it does step by step, what its boards rank and what they must not be
read as.
"""

# Keys of the track's own attributes, beside those of core/rights.py, whose values are no words of a text.
ATTRIBUTES = frozenset(
    """
candidate choice index position second candidate_scheme drawn pick selected too_long understood n_yes
similarity words_over
""".split()
)

CARD = {
    "name": "halueval",
    "attributes": ATTRIBUTES,
    "title": "HaluEval",
    "paper": "HaluEval: A Large-Scale Hallucination Evaluation Benchmark for Large Language Models",
    "citation": (
        "Li, J., Cheng, X., Zhao, W. X., Nie, J.-Y., & Wen, J.-R. (2023). HaluEval: A Large-Scale Hallucination Evaluation "
        "Benchmark for Large Language Models. EMNLP 2023. arXiv:2305.11747 (first version: HELMA)."
    ),
    "url": "https://arxiv.org/abs/2305.11747",
    "summary": (
        "Can a model tell whether a text contains hallucination? Pairs of right and hallucinated texts, and labelled answers to"
        " user queries."
    ),
    "tasks": {
        "qa": "answers to questions about given knowledge",
        "dialogue": "the next response of a dialogue that rests on knowledge",
        "summarization": "summaries of a document",
        "general": "answers to free user queries, labelled by people",
    },
    "steps": [
        {
            "name": "Sampling",
            "section": "2.1",
            "text": (
                "For every question, dialogue and document a model writes hallucinated counterparts of the right text: one in "
                "one pass, one after being taught the task over several turns. Each is wrong by a pattern, assigned by seed or "
                "chosen by the model. Candidates that are empty, declined or say what the right text says are rejected and "
                "counted."
            ),
        },
        {
            "name": "Filtering",
            "section": "2.1",
            "text": (
                "A judge that has seen right texts beside wrong ones picks the more plausible of the two candidates, in both "
                "orders. Where the orders disagree a seeded draw decides and the row is marked."
            ),
        },
        {
            "name": "General queries",
            "section": "2.2",
            "text": (
                "Several answers are drawn per query. The queries whose answers are least alike are labelled by people, who are"
                " screened on probes; the label is the majority's. Agreement is Fleiss' kappa over the drawn labels."
            ),
        },
        {
            "name": "Recognition",
            "section": "3.1",
            "text": (
                "Every subject says of every text whether it contains hallucination, at temperature 0, both sides of every "
                "pair. QA and dialogue are judged without knowledge unless the variant gives it; a summary comes with its "
                "document."
            ),
        },
        {
            "name": "Variants",
            "section": "3.3",
            "text": (
                "Knowledge (the source's own or retrieved by BM25; not for summaries), chain-of-thought, and sample contrast: "
                "which of the two sides is hallucinated, asked in both orders and right only if both are."
            ),
        },
        {
            "name": "Refinement",
            "section": "3.3",
            "text": (
                "Texts that a subject flagged are rewritten by it with knowledge and judged again; the flagged share is shown "
                "before and after."
            ),
        },
    ],
    "ranks": {
        "metric": "accuracy",
        "slice": {
            "variant": "plain",
        },
        "what": "recognition accuracy per task, unreadable verdicts counted wrong, both sides of every pair",
        "higher_is_better": True,
    },
    "metrics": {
        "accuracy": (
            "Share of texts judged rightly; a verdict that could not be read is wrong; guessing gets 50 %. Contrast: the hallucinated "
            "side named in both orders; guessing gets 25 %."
        ),
        "accuracy_parsed": "The same over readable verdicts alone.",
        "accuracy_one_side": "Accuracy over one side per pair, drawn by seed as in the paper's script (contrast: over one order).",
        "macro_f1": "Mean of the F1 of both classes.",
        "precision": "Of the texts judged hallucinated, the share that is.",
        "recall": "Of the hallucinated texts, the share judged so; unreadable verdicts are misses.",
        "f1": "Harmonic mean of precision and recall of the hallucinated class.",
        "precision_right": "Of the texts judged right, the share that is.",
        "recall_right": "Of the right texts, the share judged so; unreadable verdicts are misses.",
        "f1_right": "Harmonic mean of precision and recall of the right class.",
        "tpr": (
            "True positive rate: of the hallucinated texts with a readable verdict, the share judged hallucinated. Also by pattern."
        ),
        "tnr": "True negative rate: of the right texts with a readable verdict, the share judged right.",
        "failure_rate": "1 - TPR of the hallucinated texts of one pattern.",
        "unparsed_rate": "Share of texts without a verdict: none came, or none could be read from the reply.",
        "no_answers": "Requests of a judge that got no answer at all, where none of a task did: its scores are empty, and it has no rank.",
        "flagged_rate_before": "Share of texts judged hallucinated before refinement.",
        "flagged_rate_after": "The same after flagged texts were rewritten with knowledge; one that could not be rewritten stays flagged.",
        "candidate_failure_rate": (
            "Share of requested candidates that cannot be used: none came, none could be read, declined, empty, or the same as "
            "the right text."
        ),
        "n_candidates": "Usable candidates.",
        "length_rule_broken_rate": "Share of candidates longer than the right text by more words than the instruction allows.",
        "filter_disagreement_rate": "Share of candidate pairs whose choice changed with the order in which they were shown.",
        "filter_first_position_rate": "Share of readable choices that took the candidate shown first.",
        "filter_unparsed_rate": "Share of filtering replies from which no choice could be read.",
        "response_similarity": "Mean pairwise similarity of a query's answers, by the measure named.",
        "n_samples": "Labelled texts.",
        "hallucinated_rate": "Share of labelled texts that are hallucinated.",
        "n_by_pattern": "Hallucinated texts of a pattern (the paper's Table 5).",
        "fleiss_kappa": (
            "Agreement of the drawn labels beyond chance: (P - Pe) / (1 - Pe), P the mean share of agreeing label pairs per "
            "text, Pe the sum of squared label shares."
        ),
        "percent_agreement": "Mean share of agreeing label pairs per text.",
        "probe_rate": "Share of the probe set that a labeller got right.",
        "n_annotators_passed": "Labellers who passed the screening.",
    },
    "caveats": [
        "The boards rank recognition, not how often a model hallucinates.",
        (
            "Right and hallucinated texts may differ in form: see the shortcut audit and the baselines before reading an accuracy."
        ),
        "A generator, a filter judge and a subject of one family share their blind spots; such rows are flagged.",
        "Accuracy hides how a judge treats the two classes: read TPR and TNR beside it.",
        "The prompts are our own words after the paper's design; published figures were measured with others.",
    ],
}
