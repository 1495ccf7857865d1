"""The track's card: what it is, what its boards rank and what they must not be read as."""

from truerate.tracks.contract import Card, Ranked, Section
from truerate.tracks.labelled_replies.display_words import WORDS

# Keys of the track's own attributes, beside those of core/rights.py, whose values are no words of a text.
ATTRIBUTES = frozenset(
    """
begin corpus files judge n_due_to_null n_implicit_true own_judge part published_split purpose quality row rule_clear rule_evident
rule_strict rule_uncorrected source_id system unit vrm
""".split()
)

CARD = Card(
    name="labelled_replies",
    attributes=ATTRIBUTES,
    words=WORDS,
    title="Labelled replies",
    paper="Published sets of replies with people's labels or a judge's verdicts",
    citation=(
        "The sets are those of their publishers, who are named on each board. Rates, intervals and rank ranges are computed from their "
        "labels and verdicts alone."
    ),
    url="https://arxiv.org/abs/2505.04847",
    summary=(
        "How many replies of each system are hallucinated, by the labels and verdicts that were published with them; and what "
        "detectors say of the same replies."
    ),
    tasks={
        "qa": "answers to questions",
        "summarization": "summaries of given texts",
        "general": "texts written from given data",
        "dialogue": "turns of conversations on given knowledge",
    },
    steps=(
        Section(
            "Replies",
            "1",
            "Replies of named systems are taken as published, one per system and source. Nothing is drawn, nothing is asked.",
        ),
        Section(
            "Labels",
            "2",
            "People's labels count. Where nobody labelled the replies a judge's verdicts do, which the page says; the judge's own "
            "family is flagged, and its error is unknown where no verdict stands beside a label.",
        ),
        Section(
            "Rates",
            "3",
            "The share of hallucinated replies per system, with an interval that keeps the replies to one source together, and the "
            "ranks that paired tests on the same sources leave open. Where each source gives one pair of replies the test is exact "
            "(McNemar), else the bootstrap of sources; corrected by Holm for all pairs.",
        ),
        Section(
            "Detectors",
            "4",
            "What detectors say of the replies is held against people's labels: TPR, TNR and their mean. Then it makes a rate of each "
            "system: raw; corrected by the detector's errors on labelled replies of the other systems; and by a few labels of its own.",
        ),
    ),
    unit="reply",
    ranks=Ranked(
        metric="hallucination_rate",
        slice={},
        what="the share of hallucinated replies, by people's labels or a judge's verdicts",
    ),
    asked="hallucination_rate",
    is_audited=False,
    takes_errata=True,
    caveats=(
        "A judge's verdicts are not people's labels: a board that rests on them says so, and its judge's error is not in the intervals.",
        "Sources are those that the publishers chose: a rate holds for such sources, and for no others.",
        "A corrected rate rests on errors on other systems' replies: where a detector errs otherwise on this one it is off.",
    ),
)
