"""A small mFAVA board made by hand: three languages × three models, planted rates, detectors, labels, replies, one gap."""

import random

import tiny_rows
from tiny_rows import document, ends, generation, item, judgement, leaderboard_row, sample, span

from tests import records
from truerate.core.schemas import pairs
from truerate.site import Board

NAME = "mfava-closed-world"
LANGUAGES = ("ar", "de", "zh")
MODELS = {"aster": 0.06, "birch": 0.11, "cedar": 0.19}
DETECTORS = {
    "mark-all": 0.21, "mark-none": 0.0, "reference-blind": 0.29, "token-lr": 0.55, "tiny-plain": 0.34, "tiny-prefix": 0.78,
}  # fmt: skip
TYPES = ("entity", "relation", "contradictory", "unverifiable", "invented", "subjective")
SHIFT = {("raw", None): 0.8, ("hr_est", "silver"): 0.9, ("hr_est", "gold"): 1.05, ("rogan-gladen", "silver"): 0.75,
         ("rogan-gladen", "gold"): 0.85, ("rogan-gladen", "natural"): 1.0, ("prediction-powered", "natural"): 1.0}  # fmt: skip
WIDE = ("cedar", "ar", "rogan-gladen", "natural")  # an interval over most of the scale
TEXTS = {
    "ar": "تأسست مدينة ميناء مريديان عام 1842 على يد إلسه فارن. فيها منارة من 45 درجة. يقال إنها أجمل مدن الساحل.",
    "de": "Port Meridian wurde 1842 von Ilse Varn gegründet. Der Leuchtturm hat 45 Stufen. Es ist die schönste Stadt der Küste.",
    "zh": "梅里迪安港由伊尔莎·瓦恩于1842年建立。灯塔有45级台阶🦜。它是海岸上最美的城市。",
}
DIGEST = "4be1a09c77d2"
REPEATS = (
    ("repeats_rate", 0.02, 0.0),
    ("dont_know_rate", 0.0, 0.05),
    ("cut_rate", 0.0, 0.01),
    ("wrong_language_rate", 0.03, 0.0),
)
COUNTS = (
    ("tokens_per_reply", 60.0, 9),
    ("n_replies", 120.0, 0),
    ("n_tokens", 7200.0, 0),
    ("n_detected", 700.0, 0),
)


def row(table, subject, kind, metric, value, *, half=None, ranks=None, n=120, **where):
    interval = ends(value, half, 9.0)
    return leaderboard_row(
        NAME, DIGEST, table, subject, kind, metric, value, interval=interval, ranks=ranks, n=n, where=where
    )


def rates(draw: random.Random) -> list[dict]:
    rows = []

    def add(table, model, metric, value, kind="model", **more):
        rows.append(row(table, model, kind, metric, value, **more))

    for place, (model, base) in enumerate(MODELS.items()):
        for k, lang in enumerate(LANGUAGES):
            truth = round(base * (0.8 + 0.4 * k), 4)
            for replies, change in (("all", 1.0), ("kept", 0.94)):
                whole, rate = {"lang": lang, "replies": replies}, "hallucination_rate"
                add("rates", model, rate, round(truth * change, 4), "planted", estimator="planted", **whole)
                for (estimator, calibration), shift in SHIFT.items():
                    where = whole | {"estimator": estimator, "calibration": calibration}
                    is_told = not (lang == "zh" and calibration == "natural" and model == "birch")
                    value = round(truth * change * shift + draw.uniform(-0.01, 0.01), 4) if is_told else None
                    is_ranked = estimator == "prediction-powered" and replies == "all"
                    ranks = (place + 1, min(3, place + 2)) if is_ranked else None
                    half = 0.3 if (model, lang, estimator, calibration) == WIDE else 0.02
                    add("rates", model, rate, value, half=half, ranks=ranks, **where)
                    if estimator == "hr_est":
                        add("rates", model, f"{rate}_std", 0.011, **where)
                    if estimator == "rogan-gladen" and calibration == "gold":
                        for metric, end in (("sensitivity_low", 0.8), ("sensitivity_high", 2.1)):
                            add("rates", model, metric, round(value * end, 4), calibration="gold", **whole)
                    if estimator == "rogan-gladen":
                        add("rates", model, "is_identified", float(is_told), **where)
            for metric, times, value in REPEATS:
                add("counts", model, metric, times * k + value, half=0.01, lang=lang)
            for metric, value, more in COUNTS:
                add("counts", model, metric, value + more * k, lang=lang)
    return rows


def detection(draw: random.Random) -> list[dict]:
    rows = []

    def add(name, metric, value, half, **where):
        rows.append(
            row("detection", name, "baseline", metric, round(value, 4), half=half, scope="multi", **where)
        )

    for against, loss in (("held-out", 0.9), ("silver", 1.0), ("gold", 0.8), ("natural", 0.6)):
        for name, skill in DETECTORS.items():
            for lang in ("all", *LANGUAGES):
                where = {"against": against, "lang": lang, "labels": "binary"}
                f1 = round(
                    skill * loss + (0 if lang == "all" else draw.uniform(-0.05, 0.05)) * (skill > 0), 4
                )
                for metric, value in (
                    ("f1", f1),
                    ("precision", f1 * 1.05),
                    ("recall", f1 * 0.95),
                    ("fpr", 0.02),
                ):
                    add(name, f"token_{metric}", value, 0.03, **where)
                if name.startswith("tiny"):
                    add(name, "token_f1_std", 0.012, None, **where)
        for kind in TYPES:
            where = {"against": against, "lang": "all", "labels": "category", "type": kind}
            add("tiny-prefix", "token_recall_by_type", draw.uniform(0.3, 0.9), 0.05, **where)
    return rows


def texts_and_labels() -> list[dict]:
    rows = []
    for k, lang in enumerate(LANGUAGES):

        def add(table, subject, metric, value, kind="baseline", lang=lang, **more):
            rows.append(row(table, subject, kind, metric, value, lang=lang, **more))

        where = {"against": "natural", "scope": "multi", "labels": "binary"}
        for name, value in {"mark-all": 0.3, "mark-none": 0.2, "tiny-prefix": 0.44}.items():
            for metric in ("iou", "spearman"):
                add("mushroom", name, metric, value + 0.03 * k, half=0.04, **where)
        for metric, value in (("cohen_kappa", 0.71), ("cohen_kappa_typed", 0.6), ("percent_agreement", 0.93)):
            add("labels", "annotators", metric, value - 0.02 * k, half=0.03)
        for settled in ("max-voting", "closest-to-silver"):
            for metric, value in (("silver_gold_kappa", 0.8), ("silver_gold_kappa_typed", 0.7)):
                add("labels", "gold", metric, value - 0.02 * k, half=0.03, settled=settled)
        for rating, share in enumerate((0.1, 0.2, 0.3, 0.25, 0.15), start=1):
            add("labels", "annotators", "plausibility_rate", share, type="all", rating=rating)
        for source in ("silver", "gold"):
            of = {"label_source": source, "task": "silver"}
            for i, kind in enumerate(TYPES):
                add("spans", "texts", "n_spans", 40.0 - 3 * i - k, type=kind, **of)
            add("spans", "texts", "n_texts", 24.0, **of)
            add("spans", "texts", "hallucinated_token_rate", 0.22, against=source)
        for step, reason in (
            ("insert", "text_changed"),
            ("insert", "malformed_tags"),
            ("translate", "tag_count"),
        ):
            of = {"kind": "model", "step": step, "reason": reason}
            add("rejected", "quill", "rejected_rate", 0.02 + 0.03 * k, half=0.01, **of)
            add("rejected", "quill", "n_rejected", 3.0 + k, **of)
    return rows


def analyses() -> list[dict]:
    rows = []
    results = (
        ("silver-against-gold", 0.91, 0.001),
        ("rate-against-length", 0.12, 0.62),
        ("rate-against-common-crawl", -0.74, 0.03),
    )
    for name, r, p in results:
        for metric, value, half in (("pearson_r", r, 0.2), ("p_value", p, None), ("n_points", 9.0, None)):
            rows.append(row("analyses", name, "baseline", metric, value, half=half, n=9))
    for metric, value in (("mean_difference", 0.041), ("p_value", 0.2)):
        rows.append(row("analyses", "small-against-large", "baseline", metric, value, n=9, test="t-test"))
    return rows


def frames() -> dict:
    """Per language: three silver passages, of which two have gold labels; two wild replies per model, of which one is labelled."""
    documents, items, samples, generations, judgements = [], [], [], [], []

    def judged(target, text):
        marks = {"mark-all": (0, len(text), "hallucination", 1.0), "token-lr": (2, 9, "hallucination", 0.31)}
        for name, mark in (marks | {"tiny-prefix": (14, 26, "hallucination", 0.93)}).items():
            more = {
                "spans": [span(*mark)],
                "p": mark[3],
                "attributes": pairs(seed=42, scope="multi", labels="binary"),
            }
            judgements.append(judgement(f"{target}{name}", name, target, mark[3] > 0.5, **more))

    for lang, text in TEXTS.items():
        own, known = {"lang": lang}, {"lang": lang, "document_ids": [f"d{lang}"]}
        documents.append(document(f"d{lang}", text.split("45")[0], NAME, title="Port Meridian", **own))
        for k in range(3):
            name = f"silver{lang}{k}"
            items.append(item(name, NAME, "silver", question=text[:20] + "?", **known))
            for source in ("silver", "gold")[: 2 if k < 2 else 1]:
                spans = [span(10, 16, "entity"), span(30, 44, "invented")]
                spans = spans if source == "silver" else [span(10, 18, "relation")]
                more = {"label_source": source, "generator": "quill", "spans": spans}
                samples.append(sample(f"{name}-{source}", name, "silver", text, True, **more, **own))
                judged(f"{name}-{source}", text)
        for model in MODELS:
            for k in range(2):
                name, reply, said = f"wild{lang}{k}", f"reply{lang}{model}{k}", f"{model}: {text} {k}"
                if model == "aster":
                    items.append(item(name, NAME, "wild", question="?", attributes=pairs(subset=k), **known))
                facts = pairs(lang=lang, task="wild", subset=k, repeats="yes" if k else None)
                generations.append(generation(reply, name, "answer", model, said, attributes=facts))
                judged(reply, said)
                if k == 0:
                    more = {"generator": model, "spans": [span(9, 20, None, 0.8), span(22, 26, None, 0.4)]}
                    samples.append(sample(f"{reply}-gold", name, "wild", said, True, **more, **own))
    return tiny_rows.frames(
        documents=documents, items=items, samples=samples, generations=generations, judgements=judgements
    )


def mfava_rows() -> list[dict]:
    draw = random.Random(11)
    return rates(draw) + detection(draw) + texts_and_labels() + analyses()


def mfava_board(**more) -> Board:
    source = {"name": "wiki-world", "title": "The closed world", "licence": "CC0-1.0"}
    source |= {"redistribution": "yes"}
    known = frames() | records.of_track("mfava") | {
        "source_card": source | {"citation": "written by this repository"},
        "detector": {"member": "tiny-prefix", "scope": "multi", "labels": "binary"},
    }  # fmt: skip
    title = "mFAVA on the closed world"
    return Board(NAME, "mfava", "wiki-world", title, True, {"writer": "quill"}, **(known | more))
