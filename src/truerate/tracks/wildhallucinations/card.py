"""The track's card: what it is, what it does step by step, what its boards rank and what they must not be
read as.
"""

# Keys of the track's own attributes, beside those of core/rights.py, whose values are no words of a text.
ATTRIBUTES = frozenset(
    """
abstained_measured abstained_paper unambiguous n_malformed n_missed n_results n_unsupported rarity
rarity_group weight
""".split()
)

CARD = {
    "name": "wildhallucinations",
    "attributes": ATTRIBUTES,
    "title": "WildHallucinations",
    "paper": "WildHallucinations: Evaluating Long-form Factuality in LLMs with Real-World Entity Queries",
    "citation": (
        "Zhao, W., Goyal, T., Chiu, Y. Y., Jiang, L., Newman, B., Ravichander, A., Chandu, K., Le Bras, R., Cardie, C., Deng, Y., & "
        "Choi, Y. (2024). WildHallucinations: Evaluating Long-form Factuality in LLMs with Real-World Entity Queries. arXiv:2407.17468."
    ),
    "url": "https://arxiv.org/abs/2407.17468",
    "summary": (
        "How much of what a model says about entities that people really ask about is supported by the web? Replies are cut into atomic "
        "facts, each is checked against web pages, and silence is told beside the score."
    ),
    "tasks": {
        "chat": "turns of users, of which the entities' names are taken",
        "entity": "entities that models are asked about, with web pages as evidence",
        "fact": "atomic facts of replies that people labelled as supported or not",
    },
    "steps": [
        {
            "name": "Entities",
            "section": "2.1",
            "text": (
                "Proper nouns are taken from users' messages. A model verifies each, and what is private, ambiguous or of no domain is "
                "taken out; every removal keeps its reason."
            ),
        },
        {
            "name": "Web evidence",
            "section": "2.2",
            "text": "The name is searched for, the pages found are fetched and their main text kept. An entity without a page is dropped.",
        },
        {
            "name": "Replies",
            "section": "3.1",
            "text": (
                "Each model is asked about each entity in one sentence. Replies that say that the model does not know abstain; the paper's"
                " rule for that and a measured one stand side by side."
            ),
        },
        {
            "name": "Facts and verdicts",
            "section": "3.2",
            "text": (
                "A model cuts a reply into atomic facts, another says of each whether passages of the pages support it. Some facts are "
                "verified a second time, one by one, to hold the batches against."
            ),
        },
        {
            "name": "Scores",
            "section": "3.3",
            "text": (
                "WildFactScore is the mean share of supported facts of the replies that respond; Strict asks that all of them are, and "
                "counts abstention as 0; a reply that cannot be read to the end is as the others that respond. Both are also shown on the "
                "entities about which every model responds."
            ),
        },
        {
            "name": "Error analysis",
            "section": "4.3",
            "text": (
                "People label a weighted sample of facts, which gives the verifier's true and false positive rates and a corrected score. "
                "A review of unsupported and of supported facts says why verdicts are wrong."
            ),
        },
    ],
    # who has one is a model, also one that a source brings and params.yaml does not name
    "asked": "responding_rate",
    "ranks": {
        "metric": "wildfactscore",
        "slice": {"estimator": "raw", "set": "all"},
        "what": "mean share of supported facts over the replies that respond; higher is better",
        "higher_is_better": True,
    },
    "metrics": {
        "wildfactscore": (
            "Share of a reply's facts that the evidence supports, mean over the replies that respond. raw: as the verifier says. corrected:"
            " with the verifier's error taken out (Rogan and Gladen); empty where it cannot be told."
        ),
        "wildfactscore_strict": (
            "Share of replies that respond × share of the readable ones of these whose every fact is supported; abstention counts as 0, "
            "unreadable ones stand beside it. Uncorrected: a false alarm of the verifier loses the reply, so that it reads too low."
        ),
        "factscore_length": "WildFactScore where replies of fewer than γ facts are cut by exp(1 − γ/facts), FActScore's length penalty.",
        "wildfactscore_dedup": "WildFactScore over the facts that repeat no earlier fact of their reply.",
        "responding_rate": "Share of replies that do not abstain, by the measured rule or the paper's.",
        "words_per_response": "Mean length in words of the replies that respond.",
        "facts_per_response": "Mean number of facts of the replies that respond.",
        "no_fact_rate": "Share of the responding replies in which no fact was found; they enter neither score.",
        "unreadable_rate": (
            "Share of the responding replies of which a verdict could not be read or a fact was not written: Strict cannot tell whether "
            "all is supported."
        ),
        "unparsed_fact_rate": "Share of facts for which no verdict could be read.",
        "duplicate_fact_rate": "Share of facts that say what an earlier one of the reply says.",
        "title_fact_rate": "Share of facts that say no more than what the entity is called.",
        "n_responses": "Replies that respond.",
        "no_answers": "Requests of a model none of which got an answer: its scores are empty, and it has no rank.",
        "n_facts": "Facts of the replies that respond.",
        "rank_change": "Places gained in a view against WildFactScore raw over all entities; negative where a model falls.",
        "verifier_no_answers": "Facts that a judge was asked about where none got an answer: its rates are empty.",
        "verifier_tpr": "Of the facts that people call unsupported, the share that is judged so; weighted by sampling.",
        "verifier_fpr": "Of the facts that people call supported, the share that is judged unsupported; weighted by sampling.",
        "verifier_accuracy": "Share of labelled facts judged as people do; no verdict counts as wrong; weighted by sampling.",
        "verifier_kappa": "Agreement with the people's labels beyond chance (Cohen), weighted by sampling.",
        "batch_agreement": "Of the facts verified twice, the share with the same verdict in a batch and alone.",
        "batch_kappa": "The same beyond chance (Cohen).",
        "calls_per_generation": "Calls of a step per reply that responds.",
        "funnel_n": "How many are left after each stage, from messages to entities with pages.",
        "funnel_precision": "Of the entities kept, the share that should be (closed world).",
        "funnel_recall": "Of the entities that should be kept, the share that is (closed world).",
        "n_rejected": "What a step took out or could not use, by reason.",
        "pages_per_entity": "Web pages per entity that was searched for.",
        "words_per_entity": "Words of all pages of an entity.",
        "wikipedia_rate": "Share of the entities with a page of Wikipedia among theirs.",
        "n_pages": "Results of the search by what became of their pages.",
        "error_rate": "Among reviewed facts of one verdict, the share of each kind of error; weighted by sampling.",
        "review_correction": "What the review of both kinds of verdicts adds to WildFactScore.",
        "entity_unambiguous_rate": "Share of checked entities whose name means one thing.",
        "page_relevant_rate": "Share of the pages of checked entities that are about them.",
        "percent_agreement": "Share of pairs of labellers who agree on a task.",
        "fleiss_kappa": "Agreement of the labellers beyond chance (Fleiss).",
        "krippendorff_alpha": "Agreement of the labellers beyond chance (Krippendorff, nominal).",
        "tie_rate": "Share of labelled tasks without a majority; they are not used.",
        "probe_false_alarm_rate": "Of the probe set's answers, the share that a rule takes for abstentions.",
        "probe_miss_rate": "Of the probe set's abstentions, the share that a rule does not see.",
    },
    # Endings of metrics of which less is better, beside the shared ones.
    "lower_is_better": (
        "no_fact_rate",
        "unreadable_rate",
        "duplicate_fact_rate",
        "title_fact_rate",
        "unparsed_fact_rate",
        "error_rate",
        "tie_rate",
        "probe_false_alarm_rate",
        "probe_miss_rate",
    ),
    # The table that a metric stands in, by how its name begins.
    "tables": {
        "wildfactscore": "scores",
        "factscore_length": "scores",
        "no_answers": "scores",
        "responding_rate": "replies",
        "words_per_response": "replies",
        "facts_per_response": "replies",
        "no_fact_rate": "replies",
        "unreadable_rate": "replies",
        "unparsed_fact_rate": "replies",
        "duplicate_fact_rate": "replies",
        "title_fact_rate": "replies",
        "n_responses": "replies",
        "n_facts": "replies",
        "rank_change": "ranks",
        "verifier_": "verifier",
        "batch_": "verifier",
        "calls_per_generation": "verifier",
        "funnel_": "entities",
        "n_rejected": "rejected",
        "pages_per_entity": "evidence",
        "words_per_entity": "evidence",
        "wikipedia_rate": "evidence",
        "n_pages": "evidence",
        "error_rate": "review",
        "review_correction": "review",
        "entity_unambiguous_rate": "entities",
        "page_relevant_rate": "entities",
        "percent_agreement": "labels",
        "fleiss_kappa": "labels",
        "krippendorff_alpha": "labels",
        "tie_rate": "labels",
        "probe_": "abstention",
    },
    "caveats": [
        "WildFactScore leaves abstention out: a model that speaks only of what it knows scores high. Read it beside the responding rate,"
        " Strict and the common entities.",
        "The common entities are those about which every model of the panel responds: one more model changes them, so that scores on them"
        " compare within one release alone.",
        "The verifier errs: in the paper a fifth to a quarter of the facts called unsupported were not (Table 7). Raw scores are the "
        "verifier's as much as the model's.",
        "The correction takes the verifier's error to be the same for all models. It does not carry over to Strict, which is shown raw.",
        "Strict punishes length: the more facts, the less likely that all are supported.",
        "Short replies, repeated facts and facts that restate the name raise the score: see the length penalty and the score without"
        " duplicates.",
        "A review of unsupported facts alone could only raise a score; supported ones are reviewed, too.",
        "The paper's rule of abstention takes some answers for abstentions, and misses others and all that are not English: see the probe"
        " set.",
        "What the web says is the measure: pages change, contradict one another and may be wrong.",
        "Rarity is the perplexity of the bare name, which depends on the model that it is taken from.",
    ],
}
