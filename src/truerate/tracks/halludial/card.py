"""The track's card: what it is, what it does step by step, what its boards rank and what they must not be
read as.
"""

from truerate.tracks.contract import Card, Ranked, Section
from truerate.tracks.halludial.display_words import WORDS

# Keys of the track's own attributes, beside those of core/rights.py, whose values are no words of a text.
ATTRIBUTES = frozenset(
    """
accurate choice continued corpus cut dialogue heard history history_cut judge n_gaps n_not_located n_quoted
n_yes not_located published_split restated scenario second segments split split_by_sample temperature
too_long unchanged words_over
""".split()
)

CARD = Card(
    name="halludial",
    attributes=ATTRIBUTES,
    forms=("halludial",),
    words=WORDS,
    title="HalluDial",
    paper="HalluDial: A Large-Scale Benchmark for Automatic Dialogue-Level Hallucination Evaluation",
    citation=(
        "Luo, W., Shen, T., Li, W., Peng, G., Xuan, R., Wang, H., & Yang, X. (2024). HalluDial: A Large-Scale Benchmark for Automatic "
        "Dialogue-Level Hallucination Evaluation. arXiv:2406.07070."
    ),
    url="https://arxiv.org/abs/2406.07070",
    summary=(
        "Where does a response in a dialogue hallucinate, and why? Judges find it, point at it and give a reason; what is known of "
        "their errors corrects the rates of models per turn and per dialogue."
    ),
    tasks={"dialogue": "turns of dialogues on given knowledge"},
    steps=(
        Section(
            name="Spontaneous hallucination",
            section="2.1",
            text=(
                "Models answer every turn of a dialogue from its knowledge, at temperature 1, one response of at most 80 words. A model "
                "that sees the reference response says whether each is hallucinated, where and why (silver labels)."
            ),
        ),
        Section(
            name="Induced hallucination",
            section="2.2",
            text=(
                "A model makes the right response of a turn factually wrong, and unfaithful, with the segment and the reason. Responses "
                "that are too long, that say the right one again or whose segment stands nowhere are counted. The same model also writes a "
                "faithful paraphrase (matched): against it style tells nothing."
            ),
        ),
        Section(
            name="Splits",
            section="2.3",
            text=(
                "Six of ten dialogues are learned from, the others tested on. The published split is by sample: most of its test texts "
                "share their dialogue with a text to learn from; both are told of each row."
            ),
        ),
        Section(
            name="Detection",
            section="3.1",
            text=(
                "Subjects judge test responses without the reference, one call each, temperature 0. Spontaneous and induced ones are "
                "never pooled into one headline: their shares of hallucinated texts differ too much."
            ),
        ),
        Section(
            name="Localization and rationale",
            section="3.2",
            text=(
                "With three demonstrations subjects quote the hallucinated segments and give a reason. Likeness of reasons is told over "
                "all texts, as published, and over hallucinated ones alone: a bare No agrees with most labels. Another model and people "
                "say of some whether they are accurate."
            ),
        ),
        Section(
            name="Rates",
            section="4",
            text=(
                "A detector judges the responses to test dialogues, with the reference's earlier turns (gold history) and with the model's "
                "own (self history), at several temperatures. The flagged share of turns and of dialogues is shown raw and corrected, by "
                "the labels that the detector was calibrated on: induced ones, or people's of natural responses."
            ),
        ),
        Section(
            name="Comparison",
            section="C",
            text="Which of two responses is hallucinated? Asked in both orders; pairs with both choices right stand beside the mean.",
        ),
    ),
    unit="response",
    ranks=Ranked(
        metric="balanced_accuracy",
        slice={"scenario": "spontaneous", "variant": "zero-shot"},
        what="balanced accuracy on spontaneous responses, unreadable verdicts counted wrong",
    ),
    asked="labelled_rate",
    caveats=(
        "A natural hallucination is what must be found: accuracy on induced ones says little of it, and may be style alone.",
        "Spontaneous labels are a model's, not people's: read how far they agree before a judge of the same family.",
        "What the knowledge and the conversation do not hold counts as hallucinated, even where it is true in the world.",
        "References are people's texts, induced responses a model's: see the shortcut audit, and the matched paraphrases.",
        "Rates corrected by labels of induced responses say little where natural hallucinations are harder to see.",
        "In self history people's turns still answer the reference responses.",
        "The prompts are our own words after the paper's design; published figures were measured with others.",
    ),
)
