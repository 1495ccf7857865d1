"""WildHallucinations' boards: who is supported by the web, in every view; then how far that can be believed,
and what it is made of.
"""

from dataclasses import replace

from truerate.site.recovery import TEMPLATE as RECOVERY
from truerate.site.recovery import CellEstimate, held_against, pictured
from truerate.site.sections import Figure, Page, Part, Rows, Section
from truerate.site.tables import Board, n_rows
from truerate.site.views import View
from truerate.site.wildhallucinations.browser import FILTERS, PEOPLE, records, targets, verifier_of
from truerate.site.wildhallucinations.funnel import MADE_OF, PER_ENTITY, funnel
from truerate.site.wildhallucinations.rows import BY, PARTS, address, derived

HEADINGS = {
    "wildfactscore estimator=corrected": "Corrected",
    "wildfactscore estimator=chosen": "Best estimate",
    "wildfactscore_strict estimator=chosen": "Strict, best estimate",
    "wildfactscore set=common": "Common subset",
    "wildfactscore estimator=corrected set=common": "Corrected, common subset",
    "wildfactscore_strict set=common": "Strict, common subset",
    "wildfactscore_dedup set=common": "Deduplicated, common subset",
    "factscore_length set=common": "Length-penalised, common subset",
}
LEADING = View(
    "leading",
    ("wildfactscore", "wildfactscore_strict", "unreadable_rate", "responding_rate"),
    ("no_fact_rate", "facts_per_response", "words_per_response", "n_responses"),
    switch="setting",
    headings=HEADINGS,
)
STRICT_FORMS = "wildfactscore_strict", "wildfactscore_strict_paper"
EVERY = View(
    "scores",
    ("wildfactscore", "wildfactscore_dedup", "factscore_length", *STRICT_FORMS),
    switch="setting",
    headings=HEADINGS | {"factscore_length gamma=10": "Length-penalised"},
    n_whiskers=0,
)
PLACES = ("raw", "corrected", "rogan-gladen-between", "labels-alone", "ppi", "prediction-powered", "chosen")
RECOVERED = ("wildfactscore", "wildfactscore_strict")
ESTIMATES = View(
    "estimates",
    ("wildfactscore", "n_labelled_facts"),
    switch="setting",
    headings={
        "wildfactscore": "Raw",
        "wildfactscore estimator=corrected": "Corrected",
        "wildfactscore estimator=rogan-gladen-between": "Corrected, models differing",
        "wildfactscore estimator=labels-alone": "Own labels alone",
        "wildfactscore estimator=ppi": "PPI",
        "wildfactscore estimator=prediction-powered": "PPI++",
        "wildfactscore estimator=chosen": "Best estimate",
    },
)
STRICT = View(
    "estimates",
    ("wildfactscore_strict", "n_labelled_replies"),
    switch="setting",
    headings={
        f"wildfactscore_strict{name.removeprefix('wildfactscore')}": title
        for name, title in ESTIMATES.headings.items()
    },
    title="Strict, by labels of whole replies",
)
VERIFIER = View(
    "verification",
    ("verifier_accuracy", "verifier_tpr", "verifier_fpr", "verifier_kappa"),
    head="Judge",
    n_whiskers=3,
)


def by_parts(table: str, parts: tuple[str, ...], head: str, title: str) -> View:
    """Scores of parts of the entities: a line per part, a column per model."""
    metrics = ("wildfactscore", "wildfactscore_strict", "responding_rate")
    return View(
        table,
        metrics,
        switch="measure",
        by=parts,
        across=("model",),
        head=head,
        form="heat",
        title=title,
        is_bare=True,
    )


def recovered(rows: Rows, board: Board) -> dict | None:
    """What recovery.html.j2 shows: scores over all entities and over parts of them, each estimator
    against what was planted.
    """
    truth = {address(row): row["value"] for row in rows if row["kind"] == "planted"}
    cells: dict[tuple[str, bool, int], dict[str, CellEstimate]] = {}
    for row in rows:
        is_shown = row["table"] in ("scores", "estimates", *BY.values()) and row["metric"] in RECOVERED
        if is_shown and row["kind"] != "planted" and address(row) in truth:
            is_part = row["table"] in BY.values()
            names = [
                board.vocabulary.value(key, row["slice"][key])
                for key in (*PARTS, "model", "set", "setting")
                if key in row["slice"]
            ]
            where = ", ".join(names if is_part else [row["subject"], *names])
            estimate = CellEstimate(
                row["value"], row["low"], row["high"], planted=truth[address(row)], n=row["n"]
            )
            cells.setdefault(_way(row, is_part), {})[where] = estimate
    estimators = [held_against(_title(way, board), way[0], cells[way]) for way in sorted(cells)]
    return pictured(
        [estimator for estimator in estimators if estimator],
        second="Over",
        join="over",
        dot="model, or model and part",
        is_open=True,
    )


def _way(row: dict, is_part: bool) -> tuple[str, bool, int]:
    """Over what a score is, whether it is Strict, and the place of its estimator."""
    measure = row["slice"].get("measure", PLACES[0])
    estimator = row["slice"].get("estimator", measure if measure in PLACES else PLACES[0])
    is_strict = row["metric"] == "wildfactscore_strict" or measure == "strict"
    return "parts of them" if is_part else "all entities", is_strict, PLACES.index(estimator)


def _title(way: tuple[str, bool, int], board: Board) -> str:
    """`Raw`, `Strict`, or `Strict: Best estimate`."""
    _, is_strict, place = way
    words = board.vocabulary.value("estimator", PLACES[place])
    return words if not is_strict else "Strict" if not place else f"Strict: {words}"


SECTIONS = (
    Section(
        "WildFactScore",
        "What share of what a model says about things that people really ask about is supported by web pages? Over the replies that do "
        "not abstain: read it beside the share that responds, because silence costs nothing here. Strict is the share that responds with a "
        "fact times the share of these, over those that can be read, whose every fact is supported; uncorrected it reads too low: one "
        "false alarm of the verifier loses the whole reply. A reply that neither abstains nor holds a fact enters no WildFactScore and is "
        "no success of Strict.",
        (LEADING,),
        lead_labelled="What share of the facts of a reply do people call supported? Over the replies that do not abstain: read it beside "
        "the share that responds, because silence costs nothing here. Strict is the share that responds with a fact times the share of "
        "these whose every fact is supported. People’s labels are the verdicts: no web page was searched, no verifier asked, nothing is "
        "corrected. A reply that neither abstains nor holds a fact enters no WildFactScore and is no success of Strict.",
    ),
    Section(
        "Views",
        "The same replies counted in other ways. The common entities are those of which every model has a score. Strict, as printed, "
        "is the paper’s: a reply with a verdict that cannot be read is no success. "
        "Sorted by WildFactScore; an arrow says how many places a model gains or loses in a view. Shifts inside a rank range are noise.",
        (EVERY,),
    ),
    Section(
        "What is asked about",
        "Where the score is earned: by the domain of an entity, by whether Wikipedia has a page on it, and by how rare its name is (the "
        "higher its perplexity, the rarer). Where the source brings perplexities, and says whether Wikipedia has a page, these stand: no "
        "other is made. Darker is worse.",
        (
            by_parts("by-domain", ("domain",), "Domain", "By domain"),
            by_parts(
                "by-kind",
                ("rarity", "wikipedia", "region"),
                "Entities",
                "Wikipedia or not, rarity, and region",
            ),
        ),
        is_flow=True,
        has_flags=False,
        short="Domains, rarity",
        lead_labelled="Where the score is earned: by the parts of what was asked about that the publisher of the set names. Darker is "
        "worse.",
    ),
    Section(
        "Abstention",
        "A reply that says it does not know enters no WildFactScore, so the rule that finds such replies decides the score. Two rules, and "
        "how often each errs on probes written for this: answers taken for abstentions, abstentions taken for answers.",
        (
            View(
                "abstention",
                ("responding_rate",),
                across=("rule",),
                title="Share of replies that respond",
                is_bare=True,
            ),
            View(
                "abstention",
                ("probe_false_alarm_rate", "probe_miss_rate"),
                by=("rule",),
                across=("split",),
                head="Rule",
                n_whiskers=2,
                title="The rules on the probe set",
            ),
        ),
        is_flow=True,
        has_flags=False,
    ),
    Section(
        "Facts",
        "What the scores are made of. Repeated facts and facts that only restate the name are easy to support and lift a score; replies "
        "without a fact and facts without a readable verdict enter none.",
        (
            View(
                "facts",
                (
                    "words_per_response",
                    "cut_rate",
                    "facts_per_response",
                    "duplicate_fact_rate",
                    "title_fact_rate",
                    "no_fact_rate",
                    "unreadable_rate",
                    "unparsed_fact_rate",
                    "n_responses",
                    "n_facts",
                ),
                switch="setting",
                n_whiskers=0,
            ),
        ),
        has_flags=False,
    ),
    Section(
        "The verifier’s own error",
        "Facts that people labelled, judged by the verifier and by detectors that need no model call. TPR and FPR correct the score.",
        (
            replace(VERIFIER, title="Against people’s labels"),
            View(
                "labels",
                ("percent_agreement", "fleiss_kappa", "krippendorff_alpha", "tie_rate"),
                by=("kind",),
                head="Labels of",
                n_whiskers=0,
                title="The labellers with one another",
            ),
            View(
                "batches",
                ("batch_agreement", "batch_kappa"),
                head="Judge",
                title="In a batch against one by one",
                is_bare=True,
            ),
            View(
                "batches",
                ("calls_per_generation",),
                across=("step",),
                title="Model calls per reply",
                n_whiskers=0,
                is_bare=True,
            ),
        ),
        is_flow=True,
        short="Verifier",
        lead_labelled="Facts that people labelled, judged by detectors that need no model call and by the judges whose verdicts the set "
        "brings. The score is people’s; none of these corrects it.",
    ),
    Section(
        "Estimates of the score",
        "The same score by every estimator that people’s labels carry. Corrected takes the verifier’s errors from the labels of all "
        "models together; with models differing its interval also holds what these errors differ by from model to model. Own labels "
        "are those of a model’s own facts, each counted for as many as it was drawn from: alone, or with the verdicts of all its "
        "facts (PPI in full, PPI++ as far as they foretell labels), right on average whatever the verifier does. The best estimate is "
        "the one of PPI++ and of the correction with models differing that leaves less open; below 200 labels in all it is PPI++, as "
        "what models differ by is not seen then. Strict is corrected by labels of whole replies alone: one false alarm loses a reply, "
        "and how alarms fall together within a reply is not seen in labels of facts.",
        (replace(ESTIMATES, title="WildFactScore, by labels of facts"), STRICT),
        is_flow=True,
        short="Estimates",
        has_flags=False,
    ),
    Section(
        "Planted against estimated",
        "The closed world knows what is true, so each score can be held against it. On the line is right; above it the score is too high.",
        short="Planted truth",
        part=Part(RECOVERY, recovered),
    ),
    Section(
        "Error analysis",
        "People went over verdicts of both kinds: reviewing unsupported facts alone could only raise a score. Where the passages did not "
        "hold what decides a fact (retrieval) or were misread (entailment), the verdict was wrong; else it stands.",
        (
            View(
                "errors",
                ("error_rate",),
                across=("verdict",),
                head="What people say",
                title="Over all models",
            ),
            View(
                "errors",
                ("review_correction",),
                title="Implied correction of the score",
                n_whiskers=0,
                is_bare=True,
            ),
            View(
                "errors-by-model",
                ("error_rate",),
                switch="verdict",
                by=("kind",),
                across=("model",),
                head="What people say",
                form="heat",
                title="By model",
            ),
        ),
        is_flow=True,
        has_flags=False,
        n_folded=1,
        short="Errors",
    ),
    Section(
        "From chats to entities",
        "Names are taken from messages and go on only if they name an entity that is no private person, mean one thing, have a domain, and "
        "pages on the web.",
        (
            View(
                "checks",
                ("entity_unambiguous_rate", "page_relevant_rate"),
                head="Checked by",
                n_whiskers=2,
                title="What people say of the entities and their pages",
            ),
        ),
        has_flags=False,
        short="Entities",
        part=Part("wildhallucinations/funnel.html.j2", funnel),
    ),
    *MADE_OF,
    Section(
        "Rejects",
        "What was not kept, by step and reason. Nothing leaves the account in silence.",
        (
            View(
                "rejected",
                ("n_rejected",),
                by=("step", "reason"),
                head="Reason",
                n_whiskers=0,
                title="By step and reason",
            ),
        ),
        has_flags=False,
        n_folded=1,
    ),
)


def figures(rows: Rows, board: Board) -> list[Figure]:
    """How many entities, replies and facts the scores are made of, and who verified them."""
    n_entities = board.items.filter(board.items["task"] == "entity").height
    replies = board.generations.filter(board.generations["purpose"] == "generate")
    states = {
        "did not come": replies.filter(replies["status"] == "dead").height,
        "abstain": replies.filter(replies["status"] == "abstained").height,
        "without a fact": round(sum(row["value"] * row["n"] for row in rows if _is_without_facts(row))),
    }
    note = ", ".join(f"{n} {state}" for state, n in states.items() if n)
    figures: list[Figure] = [("Entities", n_entities, ""), ("Replies", replies.height, note)]
    return [*figures, ("Facts", n_rows(board.facts), ""), ("Verified by", verifier_of(board), "")]


def _is_without_facts(row: dict) -> bool:
    """Whether a row is the share of a model's responding replies that hold no fact, over all entities."""
    is_whole = row["table"] == "facts" and not {"set", *PARTS} & set(row["slice"])
    return (
        is_whole and row["metric"] == "no_fact_rate" and row["kind"] == "model" and row["value"] is not None
    )


HIDDEN = (
    View("parts"),
    View("scores", ("rank_change",)),
    View("entities"),
    View("evidence", ("n_pages", *PER_ENTITY)),
)
PAGE = Page(
    SECTIONS,
    LEADING,
    detectors=VERIFIER,
    judging={"verification": ("verifier_tpr", "verifier_fpr", "verifier_accuracy", "verifier_kappa")},
    counted="leading",
    baselines="verification",
    baseline_words=("Detectors", "need no model call"),
    labelled_words=("Labelled facts", "not supported"),
    beyond="Views, domains, evidence, error analysis",
    hidden=HIDDEN,
    records=records,
    targets=targets,
    record_filters=tuple(name for name, *_ in FILTERS),
    record_scripts=("wildhallucinations/samples.js",),
    heads={"labels": "Labeller", "rejected": "Step"},
    derive=derived,
    figures=figures,
    is_labelled=lambda board: verifier_of(board) == PEOPLE,
)
