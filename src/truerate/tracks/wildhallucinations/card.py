"""The track's card: what it is, what it does step by step, what its boards rank and what they must not be
read as.
"""

from truerate.tracks.contract import Card, Ranked, Section
from truerate.tracks.wildhallucinations.display_words import WORDS

# Keys of the track's own attributes, beside those of core/rights.py, whose values are no words of a text.
ATTRIBUTES = frozenset(
    """
abstained_measured abstained_paper unambiguous n_missed n_results n_unsupported rarity
rarity_group weight
""".split()
)

CARD = Card(
    name="wildhallucinations",
    attributes=ATTRIBUTES,
    words=WORDS,
    title="WildHallucinations",
    paper="WildHallucinations: Evaluating Long-form Factuality in LLMs with Real-World Entity Queries",
    citation=(
        "Zhao, W., Goyal, T., Chiu, Y. Y., Jiang, L., Newman, B., Ravichander, A., Chandu, K., Le Bras, R., Cardie, C., Deng, Y., & "
        "Choi, Y. (2024). WildHallucinations: Evaluating Long-form Factuality in LLMs with Real-World Entity Queries. arXiv:2407.17468."
    ),
    url="https://arxiv.org/abs/2407.17468",
    summary=(
        "How much of what a model says about entities that people really ask about is supported by the web? Replies are cut into atomic "
        "facts, each is checked against web pages, and silence is told beside the score."
    ),
    tasks={
        "chat": "turns of users, of which the entities' names are taken",
        "entity": "entities that models are asked about, with web pages as evidence",
        "fact": "atomic facts of replies that people labelled as supported or not",
    },
    steps=(
        Section(
            name="Entities",
            section="2.1",
            text=(
                "Proper nouns are taken from users' messages. A model verifies each, and what is private, ambiguous or of no domain is "
                "taken out; every removal keeps its reason."
            ),
        ),
        Section(
            name="Web evidence",
            section="2.2",
            text="The name is searched for, the pages found are fetched and their main text kept. An entity without a page is dropped.",
        ),
        Section(
            name="Replies",
            section="3.1",
            text=(
                "Each model is asked about each entity in one sentence. Replies that say that the model does not know abstain; the paper's"
                " rule for that and a measured one stand side by side."
            ),
        ),
        Section(
            name="Facts and verdicts",
            section="3.2",
            text=(
                "A model cuts a reply into atomic facts, another says of each whether passages of the pages support it. Some facts are "
                "verified a second time, one by one, to hold the batches against."
            ),
        ),
        Section(
            name="Scores",
            section="3.3",
            text=(
                "WildFactScore is the mean share of supported facts of the replies that respond; Strict asks that all of them are, and "
                "counts abstention as 0; verdicts that could not be read are as the others of like replies. Both are also shown on the "
                "entities about which every model responds."
            ),
        ),
        Section(
            name="Error analysis",
            section="4.3",
            text=(
                "People label a weighted sample of facts, which gives the verifier's true and false positive rates and a corrected score. "
                "A review of unsupported and of supported facts says why verdicts are wrong."
            ),
        ),
    ),
    # who has one is a model, also one that a source brings and params.yaml does not name
    asked="responding_rate",
    unit="reply",
    ranks=Ranked(
        metric="wildfactscore",
        slice={"estimator": "raw", "set": "all"},
        what="mean share of supported facts over the replies that respond; higher is better",
    ),
    caveats=(
        "WildFactScore leaves abstention out: a model that speaks only of what it knows scores high. Read it beside the responding rate,"
        " Strict and the common entities.",
        "The common entities are those about which every model of the panel responds: one more model changes them, so that scores on them"
        " compare within one release alone.",
        "Strict punishes length: the more facts, the less likely that all are supported.",
        "Short replies, repeated facts and facts that restate the name raise the score: see the length penalty and the score without"
        " duplicates.",
        "Rarity is the perplexity of the bare name, which depends on the model that it is taken from.",
    ),
    judged_caveats=(
        "The verifier errs: in the paper a fifth to a quarter of the facts called unsupported were not (Table 7). Raw scores are the "
        "verifier's as much as the model's.",
        "The correction takes the verifier's error to be the same for all models. It does not carry over to Strict, which is raw but where "
        "people labelled whole replies.",
        "A review of unsupported facts alone could only raise a score; supported ones are reviewed, too.",
        "What the web says is the measure: pages change, contradict one another and may be wrong.",
        "The paper's rule of abstention takes some answers for abstentions, and misses others and all that are not English: see the probe"
        " set.",
    ),
)
