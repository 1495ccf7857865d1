"""The track's card: what it is, what it does step by step, what its boards rank and what they must not be
read as.
"""

from truerate.tracks.contract import Card, Ranked, Section
from truerate.tracks.halueval.display_words import WORDS

# Keys of the track's own attributes, beside those of core/rights.py, whose values are no words of a text.
ATTRIBUTES = frozenset(
    """
candidate choice index position refined_by second candidate_scheme drawn pick selected too_long understood n_yes
similarity words_over
""".split()
)

CARD = Card(
    name="halueval",
    attributes=ATTRIBUTES,
    words=WORDS,
    title="HaluEval",
    paper="HaluEval: A Large-Scale Hallucination Evaluation Benchmark for Large Language Models",
    citation=(
        "Li, J., Cheng, X., Zhao, W. X., Nie, J.-Y., & Wen, J.-R. (2023). HaluEval: A Large-Scale Hallucination Evaluation "
        "Benchmark for Large Language Models. EMNLP 2023. arXiv:2305.11747 (first version: HELMA)."
    ),
    url="https://arxiv.org/abs/2305.11747",
    summary=(
        "Can a model tell whether a text contains hallucination? Pairs of right and hallucinated texts, and labelled answers to"
        " user queries."
    ),
    tasks={
        "qa": "answers to questions about given knowledge",
        "dialogue": "the next response of a dialogue that rests on knowledge",
        "summarization": "summaries of a document",
        "general": "answers to free user queries, labelled by people",
    },
    steps=(
        Section(
            name="Sampling",
            section="2.1",
            text=(
                "For every question, dialogue and document a model writes hallucinated counterparts of the right text: one in "
                "one pass, one after being taught the task over several turns. Each is wrong by a pattern, assigned by seed or "
                "chosen by the model. Candidates that are empty, declined or say what the right text says are rejected and "
                "counted."
            ),
        ),
        Section(
            name="Filtering",
            section="2.1",
            text=(
                "A judge that has seen right texts beside wrong ones picks the more plausible of the two candidates, in both "
                "orders. Where the orders disagree a seeded draw decides and the row is marked."
            ),
        ),
        Section(
            name="General queries",
            section="2.2",
            text=(
                "Several answers are drawn per query. The queries whose answers are least alike are labelled by people, who are"
                " screened on probes; the label is the majority's. Agreement is Fleiss' kappa over the drawn labels."
            ),
        ),
        Section(
            name="Recognition",
            section="3.1",
            text=(
                "Every subject says of every text whether it contains hallucination, at temperature 0, both sides of every "
                "pair. QA and dialogue are judged without knowledge unless the variant gives it; a summary comes with its "
                "document."
            ),
        ),
        Section(
            name="Variants",
            section="3.2.2",
            text=(
                "Knowledge (the source's own or retrieved by BM25; not for summaries), chain-of-thought, and sample contrast: "
                "which of the two sides is hallucinated, asked in both orders. Its accuracy is that of all choices, as in the "
                "paper's Table 9; pairs with both choices right stand beside it, and how often the first was named."
            ),
        ),
        Section(
            name="Refinement",
            section="3.3",
            text=(
                "Texts that a subject flagged are rewritten by it with knowledge and judged again, by it and by another model; "
                "answers to general queries with what BM25 finds (Table 10). The flagged share is shown before and after, "
                "and of QA whether the rewriting says the right answer."
            ),
        ),
    ),
    unit="text",
    ranks=Ranked(
        metric="accuracy",
        slice={
            "variant": "plain",
        },
        what="recognition accuracy per task, unreadable verdicts counted wrong, both sides of every pair",
    ),
    caveats=(
        "The boards rank recognition, not how often a model hallucinates.",
        (
            "Right and hallucinated texts may differ in form: see the shortcut audit and the baselines before reading an accuracy."
        ),
        "A generator, a filter judge and a subject of one family share their blind spots; such rows are flagged.",
        (
            "Length and a full stop tell nothing in the pairs matched in form: an accuracy that falls there was made by them in part."
        ),
        "Accuracy hides how a judge treats the two classes: read TPR and TNR beside it.",
        "The prompts are our own words after the paper's design; published figures were measured with others.",
    ),
)
