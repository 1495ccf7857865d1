"""A small WildHallucinations board made by hand: entities, web pages, replies cut into facts, verdicts, labels, and texts that attack."""

import random

import tiny_rows
from tiny_rows import document, ends, generation, item, judgement, leaderboard_row, sample

from tests import records
from truerate.core.schemas import pairs
from truerate.site import Board

NAME = "wildhallucinations-closed-world"
DIGEST = "c07d91b2ee54"
MODELS = {"aster": 0.91, "birch": 0.84, "cedar": 0.72, "dogwood": 0.66, "elm": 0.49}
RESPONDING = {"aster": 0.74, "birch": 0.98, "cedar": 1.0, "dogwood": 0.93, "elm": 1.0}
DOMAINS = (
    "geographic",
    "people & personal attributes",
    "culture & entertainment",
    "computing-related",
    "organism",
)
RARITIES = ("10^2", "10^3", "10^4", "10^10")
HOSTILE_URL = "javascript:window.__xss=5"
HOSTILE_TEXT = (
    '<img src=x onerror="window.__xss=6"></script><script>window.__xss=7</script> {{ 7*7 }} [x](javascript:1)'
)
ENTITIES = {  # name -> domain, rarity, whether on Wikipedia, what is true of it
    "Port Meridian": (0, 0, True, "Port Meridian was founded in 1842|It lies on the Varn estuary|Its lighthouse has 45 steps"),
    "Lantern Isle": (
        0, 2, False, "Lantern Isle has two villages|Its highest point is Mount Ebb|A ferry reaches it in forty minutes"
    ),
    "Ilse Varn": (1, 1, True, "Ilse Varn was a shipwright|She was born in Calder in 1806|She drew the plan of the old harbour"),
    "Otto Brandt": (1, 3, False, "Otto Brandt kept the lighthouse|He wrote a book about tides|He died in 1911"),
    "The Glass Orchard": (2, 1, True, "The Glass Orchard is a novel|Mara Lune wrote it|It appeared in 1934"),
    "Tidewheel": (
        3, 2, False, "Tidewheel is a version control program|It was first released in 2011|It is written in Ferrin"
    ),
    "Ebb heron": (4, 2, True, "The ebb heron is a wading bird|It nests on cliffs|Its eggs are green"),
}  # fmt: skip


def row(table, subject, kind, metric, value, /, *, half=None, ranks=None, n=60, **where):
    interval = ends(value, half)
    return leaderboard_row(
        NAME, DIGEST, table, subject, kind, metric, value, interval=interval, ranks=ranks, n=n, where=where
    )


def scores(draw: random.Random) -> list[dict]:
    rows = []
    ranks = {"aster": (1, 1), "birch": (2, 2), "cedar": (3, 4), "dogwood": (3, 4), "elm": (5, 5)}
    moves = {"aster": -1, "birch": 1}
    whole, common = {"estimator": "raw", "set": "all"}, {"estimator": "raw", "set": "common"}
    planted = {"kind": "planted", "estimator": "planted", "set": "all"}
    for name, truth in MODELS.items():
        raw, corrected = round(truth - 0.03, 4), round(truth + draw.uniform(-0.01, 0.01), 4)

        def add(metric, value, *, kind="model", name=name, **more):
            rows.append(row("scores", name, kind, metric, value, **more))

        strict = "wildfactscore_strict"
        add("wildfactscore", raw, half=0.025, ranks=ranks[name], **whole)
        add("wildfactscore", raw - 0.01, half=0.03, ranks=ranks[name], n=41, **common)
        add("wildfactscore", corrected, half=0.04, estimator="corrected", set="all")
        add(strict, round(truth**4, 4), half=0.06, ranks=ranks[name], **whole)
        add(strict, round(truth**4 - 0.02, 4), half=0.07, n=41, **common)
        add("wildfactscore_dedup", raw - 0.012, half=0.025)
        add("factscore_length", raw - 0.06, half=0.03, gamma=10)
        for view in ("common", "corrected", "dedup", "length", "strict"):
            add("rank_change", float(moves.get(name, 0) if view in ("strict", "common") else 0), view=view)
        for metric, value in (("wildfactscore", truth), (strict, round(truth**4 + 0.02, 4))):
            add(metric, value, **planted)
        for key, values in (("domain", DOMAINS), ("wikipedia", ("yes", "no")), ("rarity", RARITIES)):
            for k, value in enumerate(values):
                part, of = (
                    round(min(0.99, raw + 0.05 - 0.04 * k + draw.uniform(-0.04, 0.04)), 4),
                    {key: value},
                )
                add("wildfactscore", part, half=0.09, n=12 + k, **whole, **of)
                add("wildfactscore", part - 0.02, half=0.11, n=8 + k, **common, **of)
                for metric in ("wildfactscore", strict):
                    add(metric, round(part + 0.03, 4), **planted, **of)
    return rows


def replies() -> list[dict]:
    rows = []
    for k, (name, rate) in enumerate(RESPONDING.items()):

        def add(table, metric, value, *, kind="model", name=name, **more):
            rows.append(row(table, name, kind, metric, round(value, 4), **more))

        for rule, change in (("measured", 0.0), ("paper", 0.03)):
            add("abstention", "responding_rate", max(0, rate - change), half=0.03, rule=rule)
        add("abstention", "responding_rate", rate, kind="planted", rule="planted")
        for metric, value in (("words_per_response", 71.4 + 8 * k), ("facts_per_response", 8.2 + k), ("no_fact_rate", 0.01 * k),
                              ("unparsed_fact_rate", 0.004 * k), ("duplicate_fact_rate", 0.03 + 0.01 * k), ("title_fact_rate", 0.08),
                              ("n_responses", 60 * rate), ("n_facts", 480.0 + 20 * k)):  # fmt: skip
            where = {"set": "all"} if metric.endswith("fact_rate") else {}
            # the interval of a mean may lie above 1
            half = 0.01 if metric.endswith("_rate") else None
            add("facts", metric, value, half=half, **where)
            if where:
                add("facts", metric, 0.5, set="common")
    for rule, alarms, misses in (("paper", 0.4, 0.2), ("measured", 0.02, 0.04)):
        for split, more in (("held", 0.0), ("dev", -0.01)):
            for metric, value in (("probe_false_alarm_rate", alarms), ("probe_miss_rate", misses)):
                rows.append(
                    row("abstention", rule, "baseline", metric, value + more, half=0.05, n=80, split=split)
                )
    return rows


def checks() -> list[dict]:
    rows = []

    def add(table, subject, metric, value, kind="baseline", /, **more):
        rows.append(row(table, subject, kind, metric, value, **more))

    judges = {"quill": ("model", 0.88, 0.09, 0.9, 0.77), "token-overlap": ("baseline", 0.6, 0.31, 0.66, 0.29),
              "always": ("baseline", 1.0, 1.0, 0.31, 0.0)}  # fmt: skip
    for judge, (kind, *values) in judges.items():
        for metric, value in zip(("tpr", "fpr", "accuracy", "kappa"), values, strict=True):
            add("verification", judge, f"verifier_{metric}", value, kind, half=0.05, n=200)
    add("batches", "quill", "batch_agreement", 0.962, "model", half=0.02, n=240)
    add("batches", "quill", "batch_kappa", 0.91, "model", half=0.04, n=240)
    for step, calls in (("write_facts", 1.0), ("verify_facts", 1.42), ("verify_facts_single", 0.8)):
        add("batches", "quill", "calls_per_generation", calls, "model", n=300, step=step)
    stages = {"messages": 412, "names": 368, "entities": 291, "public": 262, "unambiguous": 214}
    stages |= {"with-domain": 208, "with-pages": 60}
    for stage, n in stages.items():
        add("entities", "entities", "funnel_n", float(n), n=n, stage=stage)
    add("entities", "entities", "funnel_precision", 0.967, "planted", n=60)
    add("entities", "entities", "funnel_recall", 0.943, "planted", n=246)
    add("entities", "entities", "funnel_n", 246.0, "planted", n=246, stage="eligible")
    gone = {("curate", "no-entity"): 77, ("curate", "private-person"): 26, ("curate", "takedown"): 3, ("curate", "ambiguous"): 48,
            ("curate", "unparsed-domain"): 6, ("curate", "over-limit"): 139, ("evidence", "no-page"): 9, ("read", "toxic"): 11,
            ("read", "not-english"): 33}  # fmt: skip
    for (step, why), n in gone.items():
        add("rejected", "entities", "n_rejected", float(n), n=n, step=step, reason=why)
    for metric, value in (("pages_per_entity", 4.7), ("words_per_entity", 1284.0), ("wikipedia_rate", 0.52)):
        add("evidence", "web", metric, value, half=0.04 if metric.endswith("rate") else None)
    outcomes = {"ok": 282, "robots": 21, "login-host": 14, "timeout": 9, "not-html": 6, "too-large": 2}
    for outcome, n in outcomes.items():
        add("evidence", "web", "n_pages", float(n), n=334, outcome=outcome)
    kinds = {"correct": (0.77, 0.95), "retrieval": (0.1, 0.0), "entailment": (0.06, 0.03), "generation": (0.04, 0.02),
             "contradictory-web": (0.02, 0.0), "outdated": (0.01, 0.0), "unverifiable": (0.0, 0.0)}  # fmt: skip
    for kind, shares in kinds.items():
        for verdict, share in zip(("unsupported", "supported"), shares, strict=True):
            add("errors", "all", "error_rate", share, half=0.05, n=40, kind=kind, verdict=verdict)
            add("errors", "aster", "error_rate", share, "model", half=0.1, n=8, kind=kind, verdict=verdict)
    for k, name in enumerate(MODELS):
        add("errors", name, "review_correction", 0.021 + 0.004 * k, "model", n=80)
    for kind, alpha in (("fact", 0.78), ("review", 0.61)):
        agreed = {"percent_agreement": 0.9, "fleiss_kappa": alpha, "krippendorff_alpha": alpha}
        agreed |= {"tie_rate": 0.02}
        for metric, value in agreed.items():
            add("labels", "annotators", metric, value, half=0.04, n=200, kind=kind)
    add("checks", "entities", "entity_unambiguous_rate", 0.95, half=0.06, n=20)
    add("checks", "entities", "page_relevant_rate", 0.88, half=0.05, n=94)
    return rows


def wildhallucinations_rows() -> list[dict]:
    return scores(random.Random(5)) + replies() + checks()


def _judged(fact: str, judge: str, verdict: bool | None, **more) -> dict:
    return judgement(f"{fact}{judge}{more}", judge, fact, verdict, attributes=pairs(**more))


def frames() -> dict:
    """Per entity two pages (of which one attacks), and per model a reply of three facts; some abstain, some facts have labels."""
    draw = random.Random(3)
    documents, items, generations, facts, judgements, samples = [], [], [], [], [], []
    for k, (title, (domain, rarity, is_wikipedia, truth)) in enumerate(ENTITIES.items()):
        name, truths = f"ent{k}", truth.split("|")
        bodies = [
            f"{'. '.join(truths)}. {end}"
            for end in (HOSTILE_TEXT, "Visitors come in spring, when the herring boats return.")
        ]
        for page, body in enumerate(bodies):
            url = HOSTILE_URL if page and k == 1 else f"http://almanac{page}.invalid/{k}"
            head = HOSTILE_TEXT if page and not k else f"{title} – a guide"
            of = {"licence": "CC0-1.0" if page else "unknown", "is_wikipedia": is_wikipedia and not page}
            documents.append(document(f"d{k}{page}", body, NAME, title=head, url=url, **of))
        asked, digits = HOSTILE_TEXT if k == 6 else title, f"{10 ** (2 + rarity)}.5"
        known = pairs(name=asked, n_chats=3 + k, domain=DOMAINS[domain], rarity=digits, rarity_group=RARITIES[rarity],
                      is_wikipedia="true" if is_wikipedia else "false")  # fmt: skip
        items.append(
            item(name, NAME, "entity", document_ids=[f"d{k}0", f"d{k}1"], question=asked, attributes=known)
        )
        evidence = [f"d{k}0:0-{min(150, len(bodies[0]))}", f"d{k}1:10-{len(bodies[1])}"]
        for model, skill in MODELS.items():
            reply, is_silent = f"r{k}{model}", model == "aster" and k in (1, 3)
            wrongs = [draw.random() > skill for _ in truths]
            sentences = [
                f"{truth}{' or so' if wrong else ''}{', some 200 miles inland' if wrong and i else ''}."
                for i, (truth, wrong) in enumerate(zip(truths, wrongs, strict=True))
            ]
            if k == 2 and model == "cedar":
                sentences[1] = HOSTILE_TEXT
            text = "Here is what I know. " + " ".join(sentences)
            text = f"I am not sure what {title} is." if is_silent else text
            of = pairs(
                lang="en", abstained_paper="false", abstained_measured="true" if is_silent else "false"
            )
            more = {"status": "abstained" if is_silent else "ok", "n_tokens_in": 12, "attributes": of}
            generations.append(generation(reply, name, "generate", model, text, **more))
            if is_silent or (model == "dogwood" and k == 5):
                continue
            made = [
                {"fact_id": f"{reply}f{i}", "generation_id": reply, "item_id": name, "subject": model, "sentence_index": i,
                 "sentence": sentence, "text": sentence.removesuffix("."), "is_duplicate": False,
                 "is_title": i == 0 and model == "elm", "evidence": evidence[: 1 + i % 2]}
                for i, sentence in enumerate(sentences)
            ]  # fmt: skip
            if model == "birch" and k == 0:
                made[2] |= {"is_duplicate": True, "evidence": ["gone:0-9", "d00:5-2", "no place"]}
            facts += made
            for i, (one, wrong) in enumerate(zip(made, wrongs, strict=True)):
                fact, of = one["fact_id"], {"generation": reply, "subject": model}
                is_unread = model == "elm" and k == 4 and i == 1
                verdict = None if is_unread else wrong if draw.random() < 0.9 else not wrong
                judgements.append(_judged(fact, "quill", verdict, **of))
                if k % 3 == 0:
                    judgements.append(_judged(fact, "quill", wrong, **of, stage="single"))
                if k < 3:
                    label = fact if k else f"l{fact}"  # the copy of a fact has its id, or a name of its own
                    known = pairs(fact=fact, weight=1.0)
                    samples.append(
                        sample(label, name, "fact", one["text"], wrong, generator=model, attributes=known)
                    )
                    judgements.append(_judged(label, "token-overlap", draw.random() < 0.5))
                    said = {"kind": "fact", "label": "unsupported" if wrong else "supported"}
                    judgements.append(_judged(fact, "ann", wrong, stage="annotation", **said))
                    if wrong:
                        review = {"kind": "review", "label": "retrieval"}
                        judgements.append(_judged(fact, "ben", False, stage="annotation", **review))
    return tiny_rows.frames(
        documents=documents,
        items=items,
        generations=generations,
        facts=facts,
        judgements=judgements,
        samples=samples,
    )


def wildhallucinations_board(**more) -> Board:
    source = {"name": "closed-world-chats", "title": "Chats of the closed world", "licence": "CC0-1.0"}
    source |= {"redistribution": "yes"}
    source |= {"citation": "written by this repository"}
    known = frames() | records.of_track("wildhallucinations") | {"source_card": source}
    roles = {"extractor": "quill", "curator": "quill", "fact writer": "quill", "verifier": "quill"}
    title = "WildHallucinations on the closed world"
    return Board(NAME, "wildhallucinations", "closed-world-chats", title, True, roles, **(known | more))
