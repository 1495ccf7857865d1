"""WildHallucinations' numbers: a record of each, by the table of a board that it stands in."""

from functools import partial

from truerate.tracks.contract import Metric

_scores = partial(Metric, table="scores")
_estimates = partial(Metric, table="estimates")
_abstention = partial(Metric, table="abstention")
_facts = partial(Metric, table="facts")
_verification = partial(Metric, table="verification")
_batches = partial(Metric, table="batches")
_labels = partial(Metric, table="labels")
_errors = partial(Metric, table="errors")
_entities = partial(Metric, table="entities")
_checks = partial(Metric, table="checks")
_evidence = partial(Metric, table="evidence")
_rejected = partial(Metric, table="rejected")
METRICS = (
    # ---- scores
    _scores(
        "wildfactscore",
        "WildFactScore",
        "Share of a reply's facts that the evidence supports, mean over the replies that respond. raw: as "
        "the verifier says. corrected: with the verifier's error taken out; empty "
        "where it cannot be told. Others: by labels of a model's own facts; chosen: of these what stands for it.",
        source="WildHallucinations, Section 3.3; Rogan & Gladen 1978",
        direction="up",
        interval="share",
    ),
    _scores(
        "wildfactscore_strict",
        "Strict",
        "Share of replies that respond with a fact × share of these whose every fact is supported; abstention and a "
        "reply without a fact count as 0, unread ones are as in like replies (setting `strict`). Uncorrected, a "
        "false alarm loses the reply: it reads too low; others rest on labels of whole replies.",
        source="WildHallucinations, Section 3.3",
        direction="up",
        interval="share",
    ),
    _scores(
        "wildfactscore_strict_paper",
        "Strict, as printed",
        "Share of the replies that came whose every fact is known to be supported: abstention, a reply without a fact "
        "and one with an unread verdict count as 0.",
        source="WildHallucinations, Section 3.3",
        direction="up",
        interval="share",
    ),
    _scores(
        "factscore_length",
        "Length-penalised",
        "WildFactScore where replies of fewer than γ facts are cut by exp(1 − γ/facts), FActScore's "
        "length penalty.",
        source="FActScore, Min et al. 2023",
        direction="up",
        interval="share",
    ),
    _scores(
        "wildfactscore_dedup",
        "Deduplicated",
        "WildFactScore over the facts that repeat no earlier fact of their reply.",
        direction="up",
        interval="share",
    ),
    _scores(
        "rank_change",
        "Rank change",
        "Places gained in a view against WildFactScore raw over all entities; negative where a model falls.",
        unit="count",
    ),
    _scores(
        "no_answers",
        "No answers",
        "Requests of a model none of which got an answer: its scores are empty, and it has no rank.",
        unit="count",
    ),
    # ---- estimates
    _estimates(
        "n_labelled_facts",
        "Labelled facts",
        "Facts of a model that people labelled, on which its own estimates rest.",
        unit="count",
    ),
    _estimates(
        "n_labelled_replies",
        "Labelled replies",
        "Whole replies of a model that people labelled, on which its estimates of Strict rest.",
        unit="count",
    ),
    # ---- abstention
    _abstention(
        "responding_rate",
        "Responding",
        "Share of replies that do not abstain, by the measured rule or the paper's.",
        source="WildHallucinations, Section 3.3",
        interval="share",
    ),
    _abstention(
        "probe_false_alarm_rate",
        "False alarms",
        "Of the probe set's answers, the share that a rule takes for abstentions.",
        direction="down",
        interval="share",
    ),
    _abstention(
        "probe_miss_rate",
        "Misses",
        "Of the probe set's abstentions, the share that a rule does not see.",
        direction="down",
        interval="share",
    ),
    # ---- facts
    _facts(
        "cut_rate",
        "Cut",
        "Share of replies that end at the limit of tokens; those that are kept are scored as far as they go.",
        direction="down",
        interval="share",
    ),
    _facts(
        "retrieved_rate",
        "With what it was given",
        "Share of replies that came with what the model was given by its own search or tools: citations, results.",
        interval="share",
    ),
    _facts(
        "words_per_response",
        "Words per reply",
        "Mean length in words of the replies that respond.",
        unit="tenth",
        interval="mean",
    ),
    _facts(
        "facts_per_response",
        "Facts per reply",
        "Mean number of facts of the replies that respond.",
        unit="tenth",
        interval="mean",
    ),
    _facts(
        "no_fact_rate",
        "Without a fact",
        "Share of the responding replies in which no fact was found; they enter no WildFactScore and are no success of Strict.",
        direction="down",
        interval="share",
    ),
    _facts(
        "unreadable_rate",
        "Unreadable",
        "Share of the responding replies of which a verdict could not be read or a fact was not written: "
        "none of them tells by itself whether all is supported.",
        direction="down",
        interval="share",
    ),
    _facts(
        "unparsed_fact_rate",
        "Unparsed",
        "Share of facts for which no verdict could be read.",
        direction="down",
        interval="share",
    ),
    _facts(
        "duplicate_fact_rate",
        "Duplicates",
        "Share of facts that say what an earlier one of the reply says.",
        direction="down",
        interval="share",
    ),
    _facts(
        "title_fact_rate",
        "Restate the name",
        "Share of facts that say no more than what the entity is called.",
        direction="down",
        interval="share",
    ),
    _facts("n_responses", "Replies", "Replies that respond.", unit="count"),
    _facts("n_facts", "Facts", "Facts of the replies that respond.", unit="count"),
    # ---- verification
    _verification(
        "verifier_tpr",
        "TPR",
        "Of the facts that people call unsupported, the share that is judged so; weighted by sampling.",
        direction="up",
        interval="share",
    ),
    _verification(
        "verifier_fpr",
        "FPR",
        "Of the facts that people call supported, the share that is judged unsupported; weighted by "
        "sampling.",
        direction="down",
        interval="share",
    ),
    _verification(
        "verifier_accuracy",
        "Accuracy",
        "Share of labelled facts judged as people do; no verdict counts as wrong; weighted by sampling.",
        direction="up",
        interval="share",
    ),
    _verification(
        "verifier_kappa",
        "κ with people",
        "Agreement with the people's labels beyond chance, weighted by sampling.",
        source="Cohen 1960",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _verification(
        "verifier_no_answers",
        "No answers",
        "Facts that a judge was asked about where none got an answer: its rates are empty.",
        unit="count",
    ),
    # ---- batches
    _batches(
        "batch_agreement",
        "Agreement",
        "Of the facts verified twice, the share with the same verdict in a batch and alone.",
        direction="up",
        interval="share",
    ),
    _batches(
        "batch_kappa",
        "κ",
        "Agreement of the verdicts in a batch and alone beyond chance.",
        source="Cohen 1960",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _batches(
        "calls_per_generation", "Calls per reply", "Calls of a step per reply that responds.", unit="number"
    ),
    # ---- labels
    _labels(
        "percent_agreement",
        "Agreement",
        "Share of pairs of labellers who agree on a task.",
        source="Fleiss 1971",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "fleiss_kappa",
        "Fleiss’ κ",
        "Agreement of the labellers beyond chance.",
        source="Fleiss 1971",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "krippendorff_alpha",
        "Krippendorff’s α",
        "Agreement of the labellers beyond chance, gaps allowed (nominal).",
        source="Krippendorff 2004",
        unit="number",
        direction="up",
        interval="statistic",
    ),
    _labels(
        "tie_rate",
        "Ties",
        "Share of labelled tasks without a majority; they are not used.",
        direction="down",
        interval="share",
    ),
    # ---- errors
    _errors(
        "error_rate",
        "Share",
        "Among reviewed facts of one verdict, the share of each kind of error; weighted by sampling.",
        source="WildHallucinations, Tables 7 and 8",
        interval="share",
    ),
    _errors(
        "review_correction",
        "Implied correction",
        "What the review of both kinds of verdicts adds to WildFactScore.",
        interval="corrected",
    ),
    # ---- entities
    _entities(
        "funnel_n",
        "Left",
        "How many are left after each stage, from messages to entities with pages.",
        unit="count",
    ),
    _entities(
        "funnel_precision",
        "Precision",
        "Of the entities kept, the share that should be (closed world).",
        direction="up",
    ),
    _entities(
        "funnel_recall",
        "Recall",
        "Of the entities that should be kept, the share that is (closed world).",
        direction="up",
    ),
    _entities(
        "n_entities",
        "Entities",
        "How many entities have pages, by domain, by how rare the name is and by whether Wikipedia has a page "
        "on them: what the scores are means over.",
        source="WildHallucinations, Figure 2",
        unit="count",
    ),
    # ---- checks
    _checks(
        "entity_unambiguous_rate",
        "Unambiguous",
        "Share of checked entities whose name means one thing.",
        direction="up",
        interval="share",
    ),
    _checks(
        "page_relevant_rate",
        "Relevant pages",
        "Share of the pages of checked entities that are about them.",
        direction="up",
        interval="share",
    ),
    # ---- evidence
    _evidence(
        "pages_per_entity",
        "Pages per entity",
        "Web pages per entity that was searched for.",
        unit="tenth",
        interval="mean",
    ),
    _evidence(
        "words_per_entity",
        "Words per entity",
        "Words of all pages of an entity.",
        unit="count",
        interval="mean",
    ),
    _evidence(
        "wikipedia_rate",
        "With a Wikipedia page",
        "Share of the entities with a page of Wikipedia among theirs.",
        interval="share",
    ),
    _evidence("n_pages", "Pages", "Results of the search by what became of their pages.", unit="count"),
    # ---- rejected
    _rejected("n_rejected", "Rejected", "What a step took out or could not use, by reason.", unit="count"),
)
