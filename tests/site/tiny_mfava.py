"""A small mFAVA board made by hand: three languages × three models, planted rates, detectors, labels, replies, one gap."""

import random

from tiny_rows import leaderboard_row

from tests import records
from truerate.core import schemas
from truerate.core.schemas import pairs
from truerate.site import Board

NAME = "mfava-closed-world"
LANGUAGES = ("ar", "de", "zh")
MODELS = {"aster": 0.06, "birch": 0.11, "cedar": 0.19}
DETECTORS = {
    "mark-all": 0.21,
    "mark-none": 0.0,
    "reference-blind": 0.29,
    "token-lr": 0.55,
    "tiny-plain": 0.34,
    "tiny-prefix": 0.78,
}
TYPES = ("entity", "relation", "contradictory", "unverifiable", "invented", "subjective")
MODES = (
    ("raw", None),
    ("hr_est", "silver"),
    ("hr_est", "gold"),
    ("rogan-gladen", "silver"),
    ("rogan-gladen", "gold"),
    ("rogan-gladen", "natural"),
    ("prediction-powered", "natural"),
)
WIDE = ("cedar", "ar", "rogan-gladen", "natural")  # an interval over most of the scale
SHIFT = {("raw", None): 0.8, ("hr_est", "silver"): 0.9, ("hr_est", "gold"): 1.05, ("rogan-gladen", "silver"): 0.75,
         ("rogan-gladen", "gold"): 0.85, ("rogan-gladen", "natural"): 1.0, ("prediction-powered", "natural"): 1.0}  # fmt: skip
TEXTS = {
    "ar": "تأسست مدينة ميناء مريديان عام 1842 على يد إلسه فارن. فيها منارة من 45 درجة. يقال إنها أجمل مدن الساحل.",
    "de": "Port Meridian wurde 1842 von Ilse Varn gegründet. Der Leuchtturm hat 45 Stufen. Es ist die schönste Stadt der Küste.",
    "zh": "梅里迪安港由伊尔莎·瓦恩于1842年建立。灯塔有45级台阶🦜。它是海岸上最美的城市。",
}
DIGEST = "4be1a09c77d2"


def row(table, subject, kind, metric, value, *, half=None, ranks=None, n=120, **where):
    interval = (None, None) if value is None or half is None else (max(0.0, value - half), value + half)
    return leaderboard_row(
        NAME, DIGEST, table, subject, kind, metric, value, interval=interval, ranks=ranks, n=n, where=where
    )


def rates(draw: random.Random) -> list[dict]:
    rows = []
    for place, (model, base) in enumerate(MODELS.items()):
        for k, lang in enumerate(LANGUAGES):
            truth = round(base * (0.8 + 0.4 * k), 4)
            for replies, change in (("all", 1.0), ("kept", 0.94)):
                rows.append(
                    row(
                        "rates",
                        model,
                        "planted",
                        "hallucination_rate",
                        round(truth * change, 4),
                        lang=lang,
                        estimator="planted",
                        replies=replies,
                    )
                )
                for estimator, calibration in MODES:
                    where = {
                        "lang": lang,
                        "estimator": estimator,
                        "calibration": calibration,
                        "replies": replies,
                    }
                    is_told = not (lang == "zh" and calibration == "natural" and model == "birch")
                    value = (
                        round(truth * change * SHIFT[estimator, calibration] + draw.uniform(-0.01, 0.01), 4)
                        if is_told
                        else None
                    )
                    ranks = (
                        (place + 1, min(3, place + 2))
                        if estimator == "prediction-powered" and replies == "all"
                        else None
                    )
                    rows.append(
                        row(
                            "rates",
                            model,
                            "model",
                            "hallucination_rate",
                            value,
                            half=0.3 if (model, lang, estimator, calibration) == WIDE else 0.02,
                            ranks=ranks,
                            **where,
                        )
                    )
                    if estimator == "hr_est":
                        rows.append(row("rates", model, "model", "hallucination_rate_std", 0.011, **where))
                    if estimator == "rogan-gladen" and calibration == "gold":
                        for metric, end in (("sensitivity_low", 0.8), ("sensitivity_high", 2.1)):
                            bare = {"lang": lang, "calibration": "gold", "replies": replies}
                            rows.append(row("rates", model, "model", metric, round(value * end, 4), **bare))
                    if estimator == "rogan-gladen":
                        rows.append(row("rates", model, "model", "is_identified", float(is_told), **where))
            for metric, value in (
                ("repeats_rate", 0.02 * k),
                ("dont_know_rate", 0.05),
                ("cut_rate", 0.01),
                ("wrong_language_rate", 0.03 * k),
            ):
                rows.append(row("counts", model, "model", metric, value, half=0.01, lang=lang))
            for metric, value in (
                ("tokens_per_reply", 60.0 + 9 * k),
                ("n_replies", 120.0),
                ("n_tokens", 7200.0),
                ("n_detected", 700.0),
            ):
                rows.append(row("counts", model, "model", metric, value, lang=lang))
    return rows


def detection(draw: random.Random) -> list[dict]:
    rows = []
    for against, loss in (("held-out", 0.9), ("silver", 1.0), ("gold", 0.8), ("natural", 0.6)):
        for name, skill in DETECTORS.items():
            for lang in ("all", *LANGUAGES):
                where = {"against": against, "lang": lang, "scope": "multi", "labels": "binary"}
                f1 = round(
                    skill * loss + (0 if lang == "all" else draw.uniform(-0.05, 0.05)) * (skill > 0), 4
                )
                for metric, value in (
                    ("token_f1", f1),
                    ("token_precision", f1 * 1.05),
                    ("token_recall", f1 * 0.95),
                    ("token_fpr", 0.02),
                ):
                    rows.append(
                        row("detection", name, "baseline", metric, round(value, 4), half=0.03, **where)
                    )
                if name.startswith("tiny"):
                    rows.append(row("detection", name, "baseline", "token_f1_std", 0.012, **where))
        for kind in TYPES:
            where = {"against": against, "lang": "all", "scope": "multi", "labels": "category", "type": kind}
            rows.append(
                row(
                    "detection",
                    "tiny-prefix",
                    "baseline",
                    "token_recall_by_type",
                    round(draw.uniform(0.3, 0.9), 4),
                    half=0.05,
                    **where,
                )
            )
    return rows


def texts_and_labels() -> list[dict]:
    rows = []
    for k, lang in enumerate(LANGUAGES):
        for name in ("mark-all", "mark-none", "tiny-prefix"):
            value = {"mark-all": 0.3, "mark-none": 0.2, "tiny-prefix": 0.44}[name] + 0.03 * k
            rows += [
                row(
                    "mushroom",
                    name,
                    "baseline",
                    metric,
                    value,
                    half=0.04,
                    lang=lang,
                    against="natural",
                    scope="multi",
                    labels="binary",
                )
                for metric in ("iou", "spearman")
            ]
        for metric, value in (("cohen_kappa", 0.71), ("cohen_kappa_typed", 0.6), ("percent_agreement", 0.93)):
            rows.append(
                row("labels", "annotators", "baseline", metric, value - 0.02 * k, half=0.03, lang=lang)
            )
        for settled in ("max-voting", "closest-to-silver"):
            for metric, value in (("silver_gold_kappa", 0.8), ("silver_gold_kappa_typed", 0.7)):
                rows.append(
                    row(
                        "labels",
                        "gold",
                        "baseline",
                        metric,
                        value - 0.02 * k,
                        half=0.03,
                        lang=lang,
                        settled=settled,
                    )
                )
        for rating, share in enumerate((0.1, 0.2, 0.3, 0.25, 0.15), start=1):
            rows.append(
                row("labels", "annotators", "baseline", "plausibility_rate", share, lang=lang, rating=rating)
            )
        for source in ("silver", "gold"):
            for i, kind in enumerate(TYPES):
                rows.append(
                    row(
                        "spans",
                        "texts",
                        "baseline",
                        "n_spans",
                        40.0 - 3 * i - k,
                        lang=lang,
                        type=kind,
                        label_source=source,
                        task="silver",
                    )
                )
            rows.append(
                row(
                    "spans",
                    "texts",
                    "baseline",
                    "n_texts",
                    24.0,
                    lang=lang,
                    label_source=source,
                    task="silver",
                )
            )
            rows.append(
                row("spans", "texts", "baseline", "hallucinated_token_rate", 0.22, lang=lang, against=source)
            )
        for step, reason in (
            ("insert", "text_changed"),
            ("insert", "malformed_tags"),
            ("translate", "tag_count"),
        ):
            rows.append(
                row(
                    "rejected",
                    "quill",
                    "model",
                    "rejected_rate",
                    0.02 + 0.03 * k,
                    half=0.01,
                    lang=lang,
                    step=step,
                    reason=reason,
                )
            )
            rows.append(
                row("rejected", "quill", "model", "n_rejected", 3.0 + k, lang=lang, step=step, reason=reason)
            )
    return rows


def analyses() -> list[dict]:
    found = {
        "silver-against-gold": (0.91, 0.001, 9),
        "rate-against-length": (0.12, 0.62, 9),
        "rate-against-common-crawl": (-0.74, 0.03, 9),
    }
    rows = []
    for name, (r, p, n) in found.items():
        for metric, value in (("pearson_r", r), ("p_value", p), ("n_points", float(n))):
            rows.append(
                row(
                    "analyses",
                    name,
                    "baseline",
                    metric,
                    value,
                    half=0.2 if metric == "pearson_r" else None,
                    n=n,
                )
            )
    rows += [
        row("analyses", "small-against-large", "baseline", metric, value, n=9, test="t-test")
        for metric, value in (("mean_difference", 0.041), ("p_value", 0.2))
    ]
    return rows


def _span(start, end, kind, p=None):
    return {"start": start, "end": end, "type": kind, "p": p}


def frames() -> dict:
    """Per language: three silver passages, of which two have gold labels; two wild replies per model, of which one is labelled."""
    documents, items, samples, generations, judgements = [], [], [], [], []

    def judged(target, text, lang):
        for name in ("mark-all", "token-lr", "tiny-prefix"):
            spans = {
                "mark-all": [_span(0, len(text), "hallucination", 1.0)],
                "token-lr": [_span(2, 9, "hallucination", 0.31)],
                "tiny-prefix": [_span(14, 26, "hallucination", 0.93)],
            }[name]
            judgements.append(
                {
                    "judgement_id": f"{target}{name}",
                    "judge": name,
                    "judge_version": "1",
                    "target_id": target,
                    "verdict": spans[0]["p"] > 0.5,
                    "status": "ok",
                    "reason": None,
                    "spans": spans,
                    "p": spans[0]["p"],
                    "rationale": None,
                    "attributes": pairs(seed=42, scope="multi", labels="binary"),
                }
            )

    for lang, text in TEXTS.items():
        documents.append(
            {
                "document_id": f"d{lang}",
                "lang": lang,
                "title": "Port Meridian",
                "text": text.split("45")[0],
                "url": None,
                "source": NAME,
                "licence": "CC0-1.0",
                "dated": None,
                "is_wikipedia": False,
            }
        )
        for k in range(3):
            item = f"silver{lang}{k}"
            items.append(
                {
                    "item_id": item,
                    "source": NAME,
                    "task": "silver",
                    "lang": lang,
                    "group_id": item,
                    "document_ids": [f"d{lang}"],
                    "history": "",
                    "question": text[:20] + "?",
                    "right_answer": None,
                    "attributes": [],
                }
            )
            for source in ("silver", "gold")[: 2 if k < 2 else 1]:
                spans = (
                    [_span(10, 16, "entity"), _span(30, 44, "invented")]
                    if source == "silver"
                    else [_span(10, 18, "relation")]
                )
                samples.append(
                    {
                        "sample_id": f"{item}-{source}",
                        "item_id": item,
                        "pair_id": None,
                        "group_id": item,
                        "task": "silver",
                        "lang": lang,
                        "text": text,
                        "is_hallucinated": True,
                        "label_source": source,
                        "generator": "quill",
                        "pattern": None,
                        "spans": spans,
                        "rationale": None,
                        "split": "test",
                        "attributes": [],
                    }
                )
                judged(f"{item}-{source}", text, lang)
        for model in MODELS:
            for k in range(2):
                item, reply = f"wild{lang}{k}", f"reply{lang}{model}{k}"
                if model == "aster":
                    items.append(
                        {
                            "item_id": item,
                            "source": NAME,
                            "task": "wild",
                            "lang": lang,
                            "group_id": item,
                            "document_ids": [f"d{lang}"],
                            "history": "",
                            "question": "?",
                            "right_answer": None,
                            "attributes": pairs(subset=k),
                        }
                    )
                said = f"{model}: {text} {k}"
                generations.append(
                    {
                        "generation_id": reply,
                        "item_id": item,
                        "purpose": "answer",
                        "model": model,
                        "sample_index": 0,
                        "params": "{}",
                        "text": said,
                        "finish_reason": "stop",
                        "status": "ok",
                        "reason": None,
                        "prompt_key": "k",
                        "n_tokens_in": 9,
                        "n_tokens_out": 60,
                        "cost_usd": 0.0,
                        "attributes": pairs(lang=lang, task="wild", subset=k, repeats="yes" if k else None),
                    }
                )
                judged(reply, said, lang)
                if k == 0:
                    samples.append(
                        {
                            "sample_id": f"{reply}-gold",
                            "item_id": item,
                            "pair_id": None,
                            "group_id": item,
                            "task": "wild",
                            "lang": lang,
                            "text": said,
                            "is_hallucinated": True,
                            "label_source": "gold",
                            "generator": model,
                            "pattern": None,
                            "spans": [_span(9, 20, None, 0.8), _span(22, 26, None, 0.4)],
                            "rationale": None,
                            "split": "test",
                            "attributes": [],
                        }
                    )
    made = {
        "documents": documents,
        "items": items,
        "samples": samples,
        "generations": generations,
        "judgements": judgements,
    }
    tables = {
        "documents": schemas.Document,
        "items": schemas.Item,
        "samples": schemas.Sample,
        "generations": schemas.Generation,
        "judgements": schemas.Judgement,
    }
    return {name: schemas.frame(tables[name], rows) for name, rows in made.items()}


def mfava_rows() -> list[dict]:
    draw = random.Random(11)
    return rates(draw) + detection(draw) + texts_and_labels() + analyses()


def mfava_board(**more) -> Board:
    source = {
        "name": "wiki-world",
        "title": "The closed world",
        "licence": "CC0-1.0",
        "redistribution": "yes",
        "citation": "written by this repository",
    }
    known = frames() | {
        "source_card": source,
        "track_card": records.card("mfava"),
        "metrics": tuple(records.records("mfava").values()),
        "shared_metrics": records.SHARED,
        "detector": {"member": "tiny-prefix", "scope": "multi", "labels": "binary"},
    }
    return Board(
        NAME, "mfava", "wiki-world", "mFAVA on the closed world", True, {"writer": "quill"}, **(known | more)
    )
