"""A small WildHallucinations board made by hand: entities, web pages, replies cut into facts, verdicts, labels, and texts that attack."""

import random

from tests import records
from truerate.core import schemas
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
    "Port Meridian": (
        0,
        0,
        True,
        ("Port Meridian was founded in 1842", "It lies on the Varn estuary", "Its lighthouse has 45 steps"),
    ),
    "Lantern Isle": (
        0,
        2,
        False,
        (
            "Lantern Isle has two villages",
            "Its highest point is Mount Ebb",
            "A ferry reaches it in forty minutes",
        ),
    ),
    "Ilse Varn": (
        1,
        1,
        True,
        (
            "Ilse Varn was a shipwright",
            "She was born in Calder in 1806",
            "She drew the plan of the old harbour",
        ),
    ),
    "Otto Brandt": (
        1,
        3,
        False,
        ("Otto Brandt kept the lighthouse", "He wrote a book about tides", "He died in 1911"),
    ),
    "The Glass Orchard": (
        2,
        1,
        True,
        ("The Glass Orchard is a novel", "Mara Lune wrote it", "It appeared in 1934"),
    ),
    "Tidewheel": (
        3,
        2,
        False,
        (
            "Tidewheel is a version control program",
            "It was first released in 2011",
            "It is written in Ferrin",
        ),
    ),
    "Ebb heron": (4, 2, True, ("The ebb heron is a wading bird", "It nests on cliffs", "Its eggs are green")),
}


def row(table, subject, kind, metric, value, /, *, half=None, ranks=None, n=60, **where):
    low, high = (
        (None, None) if value is None or half is None else (max(0.0, value - half), min(1.0, value + half))
    )
    return {"board": NAME, "table": table, "subject": subject, "kind": kind, "metric": metric, "slice": pairs(**where),
            "rank_low": ranks and ranks[0], "rank_high": ranks and ranks[1], "is_leading": ranks and ranks[0] == 1 and kind == "model",
            "value": value, "low": low, "high": high, "n": n,
            "provenance": DIGEST}  # fmt: skip


def scores(draw: random.Random) -> list[dict]:
    rows = []
    ranks = {"aster": (1, 1), "birch": (2, 2), "cedar": (3, 4), "dogwood": (3, 4), "elm": (5, 5)}
    moves = {"aster": -1, "birch": 1}
    for name, truth in MODELS.items():
        raw, corrected = round(truth - 0.03, 4), round(truth + draw.uniform(-0.01, 0.01), 4)

        def add(metric, value, *, kind="model", name=name, **more):
            rows.append(row("scores", name, kind, metric, value, **more))

        add("wildfactscore", raw, half=0.025, ranks=ranks[name], estimator="raw", set="all")
        add("wildfactscore", raw - 0.01, half=0.03, ranks=ranks[name], estimator="raw", set="common", n=41)
        add("wildfactscore", corrected, half=0.04, estimator="corrected", set="all")
        add(
            "wildfactscore_strict",
            round(truth**4, 4),
            half=0.06,
            ranks=ranks[name],
            estimator="raw",
            set="all",
        )
        add("wildfactscore_strict", round(truth**4 - 0.02, 4), half=0.07, estimator="raw", set="common", n=41)
        add("wildfactscore_dedup", raw - 0.012, half=0.025)
        add("factscore_length", raw - 0.06, half=0.03, gamma=10)
        for view in ("common", "corrected", "dedup", "length", "strict"):
            add("rank_change", float(moves.get(name, 0) if view in ("strict", "common") else 0), view=view)
        for metric, value in (("wildfactscore", truth), ("wildfactscore_strict", round(truth**4 + 0.02, 4))):
            add(metric, value, kind="planted", estimator="planted", set="all")
        for key, values in (("domain", DOMAINS), ("wikipedia", ("yes", "no")), ("rarity", RARITIES)):
            for k, value in enumerate(values):
                part = round(min(0.99, raw + 0.05 - 0.04 * k + draw.uniform(-0.04, 0.04)), 4)
                add("wildfactscore", part, half=0.09, n=12 + k, estimator="raw", set="all", **{key: value})
                add(
                    "wildfactscore",
                    part - 0.02,
                    half=0.11,
                    n=8 + k,
                    estimator="raw",
                    set="common",
                    **{key: value},
                )
                for metric in ("wildfactscore", "wildfactscore_strict"):
                    add(
                        metric,
                        round(part + 0.03, 4),
                        kind="planted",
                        estimator="planted",
                        set="all",
                        **{key: value},
                    )
    return rows


def replies() -> list[dict]:
    rows = []
    for k, (name, rate) in enumerate(RESPONDING.items()):
        for rule, change in (("measured", 0.0), ("paper", 0.03)):
            rows.append(
                row(
                    "abstention",
                    name,
                    "model",
                    "responding_rate",
                    round(max(0, rate - change), 4),
                    half=0.03,
                    rule=rule,
                )
            )
        rows.append(row("abstention", name, "planted", "responding_rate", rate, rule="planted"))
        for metric, value in (("words_per_response", 71.4 + 8 * k), ("facts_per_response", 8.2 + k), ("no_fact_rate", 0.01 * k),
                              ("unparsed_fact_rate", 0.004 * k), ("duplicate_fact_rate", 0.03 + 0.01 * k), ("title_fact_rate", 0.08),
                              ("n_responses", 60 * rate), ("n_facts", 480.0 + 20 * k)):  # fmt: skip
            where = {"set": "all"} if metric.endswith("fact_rate") else {}
            rows.append(
                row(
                    "facts",
                    name,
                    "model",
                    metric,
                    round(value, 4),
                    half=0.01 if metric.endswith("_rate") else None,
                    **where,
                )
            )
            if where:
                rows.append(row("facts", name, "model", metric, 0.5, set="common"))
    for rule, alarms, misses in (("paper", 0.4, 0.2), ("measured", 0.02, 0.04)):
        for split, more in (("held", 0.0), ("dev", -0.01)):
            rows.append(
                row(
                    "abstention",
                    rule,
                    "baseline",
                    "probe_false_alarm_rate",
                    alarms + more,
                    half=0.05,
                    n=80,
                    split=split,
                )
            )
            rows.append(
                row(
                    "abstention",
                    rule,
                    "baseline",
                    "probe_miss_rate",
                    misses + more,
                    half=0.05,
                    n=80,
                    split=split,
                )
            )
    return rows


def checks() -> list[dict]:
    rows = []
    judges = {"quill": ("model", 0.88, 0.09, 0.9, 0.77), "token-overlap": ("baseline", 0.6, 0.31, 0.66, 0.29),
              "always": ("baseline", 1.0, 1.0, 0.31, 0.0)}  # fmt: skip
    for judge, (kind, *values) in judges.items():
        for metric, value in zip(("tpr", "fpr", "accuracy", "kappa"), values, strict=True):
            rows.append(row("verification", judge, kind, f"verifier_{metric}", value, half=0.05, n=200))
    rows.append(row("batches", "quill", "model", "batch_agreement", 0.962, half=0.02, n=240))
    rows.append(row("batches", "quill", "model", "batch_kappa", 0.91, half=0.04, n=240))
    for step, calls in (("write_facts", 1.0), ("verify_facts", 1.42), ("verify_facts_single", 0.8)):
        rows.append(row("batches", "quill", "model", "calls_per_generation", calls, n=300, step=step))
    stages = {
        "messages": 412,
        "names": 368,
        "entities": 291,
        "public": 262,
        "unambiguous": 214,
        "with-domain": 208,
        "with-pages": 60,
    }
    for stage, n in stages.items():
        rows.append(row("entities", "entities", "baseline", "funnel_n", float(n), n=n, stage=stage))
    rows.append(row("entities", "entities", "planted", "funnel_precision", 0.967, n=60))
    rows.append(row("entities", "entities", "planted", "funnel_recall", 0.943, n=246))
    rows.append(row("entities", "entities", "planted", "funnel_n", 246.0, n=246, stage="eligible"))
    gone = {("curate", "no-entity"): 77, ("curate", "private-person"): 26, ("curate", "takedown"): 3, ("curate", "ambiguous"): 48,
            ("curate", "unparsed-domain"): 6, ("curate", "over-limit"): 139, ("evidence", "no-page"): 9, ("read", "toxic"): 11,
            ("read", "not-english"): 33}  # fmt: skip
    rows += [
        row("rejected", "entities", "baseline", "n_rejected", float(n), n=n, step=step, reason=why)
        for (step, why), n in gone.items()
    ]
    for metric, value in (("pages_per_entity", 4.7), ("words_per_entity", 1284.0), ("wikipedia_rate", 0.52)):
        rows.append(
            row("evidence", "web", "baseline", metric, value, half=0.04 if metric.endswith("rate") else None)
        )
    for outcome, n in {
        "ok": 282,
        "robots": 21,
        "login-host": 14,
        "timeout": 9,
        "not-html": 6,
        "too-large": 2,
    }.items():
        rows.append(row("evidence", "web", "baseline", "n_pages", float(n), n=334, outcome=outcome))
    kinds = {"correct": (0.77, 0.95), "retrieval": (0.1, 0.0), "entailment": (0.06, 0.03), "generation": (0.04, 0.02),
             "contradictory-web": (0.02, 0.0), "outdated": (0.01, 0.0), "unverifiable": (0.0, 0.0)}  # fmt: skip
    for kind, shares in kinds.items():
        for verdict, share in zip(("unsupported", "supported"), shares, strict=True):
            rows.append(
                row(
                    "errors",
                    "all",
                    "baseline",
                    "error_rate",
                    share,
                    half=0.05,
                    n=40,
                    kind=kind,
                    verdict=verdict,
                )
            )
            rows.append(
                row(
                    "errors", "aster", "model", "error_rate", share, half=0.1, n=8, kind=kind, verdict=verdict
                )
            )
    rows += [
        row("errors", name, "model", "review_correction", 0.021 + 0.004 * k, n=80)
        for k, name in enumerate(MODELS)
    ]
    for kind, alpha in (("fact", 0.78), ("review", 0.61)):
        for metric, value in (
            ("percent_agreement", 0.9),
            ("fleiss_kappa", alpha),
            ("krippendorff_alpha", alpha),
            ("tie_rate", 0.02),
        ):
            rows.append(row("labels", "annotators", "baseline", metric, value, half=0.04, n=200, kind=kind))
    rows.append(row("checks", "entities", "baseline", "entity_unambiguous_rate", 0.95, half=0.06, n=20))
    rows.append(row("checks", "entities", "baseline", "page_relevant_rate", 0.88, half=0.05, n=94))
    return rows


def wildhallucinations_rows() -> list[dict]:
    return scores(random.Random(5)) + replies() + checks()


def _fact_rows(
    reply: str, item: str, name: str, sentences: list[str], documents: list[str], texts: dict[str, str]
) -> list[dict]:
    rows = []
    for k, sentence in enumerate(sentences):
        evidence = [
            f"{documents[0]}:0-{min(150, len(texts[documents[0]]))}",
            f"{documents[1]}:10-{len(texts[documents[1]])}",
        ]
        rows.append({"fact_id": f"{reply}f{k}", "generation_id": reply, "item_id": item, "subject": name, "sentence_index": k,
                     "sentence": sentence, "text": sentence.removesuffix("."), "is_duplicate": False, "is_title": k == 0 and name == "elm",
                     "evidence": evidence[: 1 + k % 2]})  # fmt: skip
    return rows


def _judged(fact: str, judge: str, verdict: bool | None, **more) -> dict:
    return {"judgement_id": f"{fact}{judge}{more}", "judge": judge, "judge_version": "1", "target_id": fact, "verdict": verdict,
            "status": "unparsed" if verdict is None else "ok", "reason": None, "spans": [], "p": None, "rationale": None,
            "attributes": pairs(**more)}  # fmt: skip


def frames() -> dict:
    """Per entity two pages (of which one attacks), and per model a reply of three facts; some abstain, some facts have labels."""
    draw = random.Random(3)
    documents, items, generations, facts, judgements, samples = [], [], [], [], [], []
    texts = {}
    for k, (title, (domain, rarity, is_wikipedia, truths)) in enumerate(ENTITIES.items()):
        item = f"ent{k}"
        for page in range(2):
            body = (
                ". ".join(truths)
                + ". "
                + ("Visitors come in spring, when the herring boats return." if page else HOSTILE_TEXT)
            )
            texts[f"d{k}{page}"] = body
            documents.append({"document_id": f"d{k}{page}", "lang": "en", "title": HOSTILE_TEXT if page and not k else f"{title} – a guide",
                              "text": body, "url": HOSTILE_URL if page and k == 1 else f"http://almanac{page}.invalid/{k}",
                              "source": NAME, "licence": "CC0-1.0" if page else "unknown", "dated": None,
                              "is_wikipedia": is_wikipedia and not page})  # fmt: skip
        items.append({"item_id": item, "source": NAME, "task": "entity", "lang": "en", "group_id": item,
                      "document_ids": [f"d{k}0", f"d{k}1"], "history": "", "question": HOSTILE_TEXT if k == 6 else title,
                      "right_answer": None,
                      "attributes": pairs(name=HOSTILE_TEXT if k == 6 else title, n_chats=3 + k, domain=DOMAINS[domain],
                                          rarity=f"{10 ** (2 + rarity)}.5", rarity_group=RARITIES[rarity],
                                          is_wikipedia="true" if is_wikipedia else "false")})  # fmt: skip
        for name, skill in MODELS.items():
            reply = f"r{k}{name}"
            is_silent = name == "aster" and k in (1, 3)
            wrongs = [draw.random() > skill for _ in truths]
            sentences = [
                f"{truth}{' or so' if wrong else ''}{', some 200 miles inland' if wrong and i else ''}."
                for i, (truth, wrong) in enumerate(zip(truths, wrongs, strict=True))
            ]
            if k == 2 and name == "cedar":
                sentences[1] = HOSTILE_TEXT
            text = (
                f"I am not sure what {title} is."
                if is_silent
                else "Here is what I know. " + " ".join(sentences)
            )
            generations.append({"generation_id": reply, "item_id": item, "purpose": "generate", "model": name, "sample_index": 0,
                                "params": "{}", "text": text, "finish_reason": "stop", "status": "abstained" if is_silent else "ok",
                                "reason": None, "prompt_key": "k", "n_tokens_in": 12, "n_tokens_out": 60, "cost_usd": 0.0,
                                "attributes": pairs(lang="en", abstained_paper="false",
                                                    abstained_measured="true" if is_silent else "false")})  # fmt: skip
            if is_silent or (name == "dogwood" and k == 5):
                continue
            made = _fact_rows(reply, item, name, sentences, [f"d{k}0", f"d{k}1"], texts)
            if name == "birch" and k == 0:
                made[2] |= {"is_duplicate": True, "evidence": ["gone:0-9", "d00:5-2", "no place"]}
            facts += made
            for i, (one, wrong) in enumerate(zip(made, wrongs, strict=True)):
                verdict = (
                    None
                    if name == "elm" and k == 4 and i == 1
                    else wrong
                    if draw.random() < 0.9
                    else not wrong
                )
                judgements.append(_judged(one["fact_id"], "quill", verdict, generation=reply, subject=name))
                if k % 3 == 0:
                    judgements.append(
                        _judged(
                            one["fact_id"], "quill", wrong, generation=reply, subject=name, stage="single"
                        )
                    )
                if k < 3:
                    label = (
                        one["fact_id"] if k else f"l{one['fact_id']}"
                    )  # the copy of a fact has its id, or a name of its own
                    samples.append({"sample_id": label, "item_id": item, "pair_id": None, "group_id": item, "task": "fact", "lang": "en",
                                    "text": one["text"], "is_hallucinated": wrong, "label_source": "gold", "generator": name,
                                    "pattern": None, "spans": [], "rationale": None, "split": "test",
                                    "attributes": pairs(fact=one["fact_id"], weight=1.0)})  # fmt: skip
                    judgements.append(_judged(label, "token-overlap", draw.random() < 0.5))
                    said = {
                        "stage": "annotation",
                        "kind": "fact",
                        "label": "unsupported" if wrong else "supported",
                    }
                    judgements.append(_judged(one["fact_id"], "ann", wrong, **said))
                    if wrong:
                        review = {"stage": "annotation", "kind": "review", "label": "retrieval"}
                        judgements.append(_judged(one["fact_id"], "ben", False, **review))
    made = {"documents": documents, "items": items, "generations": generations, "facts": facts, "judgements": judgements,
            "samples": samples}  # fmt: skip
    tables = {"documents": schemas.Document, "items": schemas.Item, "generations": schemas.Generation, "facts": schemas.Fact,
              "judgements": schemas.Judgement, "samples": schemas.Sample}  # fmt: skip
    return {name: schemas.frame(tables[name], rows) for name, rows in made.items()}


def wildhallucinations_board(**more) -> Board:
    source = {
        "name": "closed-world-chats",
        "title": "Chats of the closed world",
        "licence": "CC0-1.0",
        "redistribution": "yes",
        "citation": "written by this repository",
    }
    known = frames() | {
        "source_card": source,
        "track_card": records.card("wildhallucinations"),
        "metrics": tuple(records.records("wildhallucinations").values()),
        "shared_metrics": records.SHARED,
    }
    roles = {"extractor": "quill", "curator": "quill", "fact writer": "quill", "verifier": "quill"}
    title = "WildHallucinations on the closed world"
    return Board(NAME, "wildhallucinations", "closed-world-chats", title, True, roles, **(known | more))
