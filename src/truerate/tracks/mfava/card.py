"""The track's card: what it is, what it does step by step, what its boards rank and what they must not be
read as.
"""

from truerate.tracks.contract import Card, Ranked, Section
from truerate.tracks.mfava.display_words import WORDS

# Keys of the track's own attributes, beside those of core/rights.py, whose values are no words of a text.
ATTRIBUTES = frozenset(
    """
answerable cut dont_know heard repeats settled subset subset_seed wrong_language plausibility replicate
""".split()
)

CARD = Card(
    name="mfava",
    attributes=ATTRIBUTES,
    words=WORDS,
    title="mFAVA",
    paper="How Much Do LLMs Hallucinate across Languages? On Multilingual Estimation of LLM Hallucination in the Wild",
    citation=(
        "ul Islam, S. O., Lauscher, A., & Glavaš, G. (2025). How Much Do LLMs Hallucinate across Languages? On Multilingual Estimation of "
        "LLM Hallucination in the Wild. arXiv:2502.12769."
    ),
    url="https://arxiv.org/abs/2502.12769",
    summary=(
        "What share of the words that a model writes is hallucinated, language by language? Detectors mark the tokens of all replies, "
        "people label some, and both together give the rate."
    ),
    tasks={
        "train": "labelled passages that detectors learn from, English ones and their translations",
        "held-out": "labelled passages that no detector learns from, English ones and their translations",
        "silver": "passages written from a reference, with inserted hallucinations",
        "article": "encyclopedia articles that queries are written about",
        "wild": "replies to queries that models answer without a reference",
    },
    steps=(
        Section(
            name="Silver passages",
            section="3.1",
            text=(
                "A model answers a question from a reference, then inserts six types of hallucination, one after the other, each in its own"
                " tags. A reply whose tags are malformed, or whose other text changed, is rejected with its reason and asked for"
                " again; the passage is lost when the last try is refused, too."
            ),
        ),
        Section(
            name="Gold labels",
            section="3.1",
            text=(
                "People mark hallucinated spans and their types, in passages and in replies. Annotators who agree too little with "
                "silver are not heard. Most replies get one person each, as a label of one more reply tells more of a rate than a "
                "second label; what several labelled is settled by max-voting over tokens; the paper's way (the annotator closest to "
                "silver) is scored, too."
            ),
        ),
        Section(
            name="Translate-train",
            section="3.1",
            text=(
                "English training passages are translated with their tags; one whose tags changed in number or order is dropped. Detectors "
                "learn from them, one for all languages (multi) or one per language (mono), binary or by type."
            ),
        ),
        Section(
            name="Held-out wordings",
            section="",
            text=(
                "Labelled passages that a source keeps apart are translated like the others and learned from by no detector, nor is any "
                "other passage on their references. Those of the closed world are about entities that no training passage names, and none "
                "shows their inserted sentences, nor the phrases in which they say a fact in other words."
            ),
        ),
        Section(
            name="In the wild",
            section="4.1",
            text=(
                "Queries are written about articles, and models answer them alone, five disjoint subsets with a seed each. Replies that "
                "repeat themselves, do not know, are cut or in a wrong language are counted, and rates are given with and without them."
            ),
        ),
        Section(
            name="Rates",
            section="4.1",
            text=(
                "A detector marks the replies' tokens against the lead of their article. How often it is wrong depends on whose reply "
                "it reads, so people label some of the very replies, drawn by chance: from their labels and the marks of all follows "
                "the rate that models are ranked by (prediction-powered). Beside it stand the raw share, the paper's estimate by "
                "precision and recall, and Rogan and Gladen's by true and false positive rates, each by the labels that the detector "
                "was calibrated on."
            ),
        ),
    ),
    unit="reply",
    ranks=Ranked(
        metric="hallucination_rate",
        slice={"estimator": "prediction-powered", "calibration": "natural", "replies": "all", "lang": "all"},
        what="the hallucinated share of the tokens of replies in the wild, from people's labels of some of them and a detector's marks of "
        "all, mean over languages; lower is better",
    ),
    caveats=(
        "The raw rate is the detector's as much as the model's: models whose replies differ in length or style are not comparable by it, "
        "and it takes no rank.",
        "A headline rate is the rate as people see it: what the one person who labelled a reply passes over is not counted.",
        "HR_est is exact only where the calibration texts hold as much hallucination as the replies do.",
        "Rates calibrated on inserted hallucinations (silver, gold) say little where natural ones are harder to see; without labels of "
        "replies a rate is not identified.",
        "A detector sees the lead of an article unless its board gives it more: what is true but stands elsewhere counts as hallucinated.",
        "Scores of different languages are not comparable where their shares of marked tokens differ: see mark-all and mark-none.",
        "Held-out passages test detectors; no rate is calibrated on them.",
        "Silver- and gold-based rates share the same flagged tokens, so that their correlation overstates how well silver serves.",
        "N counts words (a Chinese or Japanese character each) unless the settings name another tokenizer.",
    ),
)
