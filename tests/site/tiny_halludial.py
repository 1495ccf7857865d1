"""A small HalluDial board made by hand: three judges and a rule in two scenarios, three responders over
temperatures, five labelled responses of two turns.
"""

from tiny_rows import leaderboard_row

from tests import records
from truerate.core import schemas
from truerate.core.schemas import pairs
from truerate.site import Board, Tables

NAME = "halludial-closed-world"
TRACK = "halludial"
JUDGES = {  # TPR and TNR of natural and of induced hallucinations
    "aster": ((0.37, 0.96), (0.64, 0.98)),
    "birch": ((0.45, 0.93), (0.76, 0.88)),
    "hallujudge-tiny": ((0.55, 0.9), (0.92, 0.94)),
    "always-no": ((0.0, 1.0), (0.0, 1.0)),
}
MODELS = ("aster", "birch")
RESPONDERS = {"aster": 0.12, "birch": 0.18, "cedar": 0.27}
TEMPERATURES = ("0.3", "0.7", "1")
DIGEST = "5a7730c1be99"
KNOWLEDGE = "Port Meridian was founded in 1842 by Ilse Varn. Its lighthouse has 45 steps."
RESPONSE = "It was founded in 1901, and its lighthouse has 45 steps."
REPLY = "Ilse Varn founded it 🦜 in 1842."
HISTORY = "[Human]: Hello!\n[Assistant]: Hello. <b>Ask</b> me anything."


def row(table, subject, kind, metric, value, /, *, half=0.03, ranks=None, **where):
    interval = (None, None) if half is None else (max(0.0, value - half), min(1.0, value + half))
    return leaderboard_row(
        NAME, DIGEST, table, subject, kind, metric, value, interval=interval, ranks=ranks, n=72, where=where
    )


def detection() -> list[dict]:
    """Rates of both classes by scenario, zero-shot and three-shot, and what was planted of one judge."""
    rows = []
    for place, (judge, by_scenario) in enumerate(JUDGES.items(), 1):
        kind = "model" if judge in MODELS else "baseline"
        for scenario, (tpr, tnr) in zip(("spontaneous", "induced"), by_scenario, strict=True):
            where = {"scenario": scenario, "variant": "zero-shot"}
            ranks = (place, place + 1) if kind == "model" and scenario == "spontaneous" else None
            rows += [
                row("detection", judge, kind, "balanced_accuracy", (tpr + tnr) / 2, ranks=ranks, **where),
                row("detection", judge, kind, "tpr", tpr, **where),
                row("detection", judge, kind, "tnr", tnr, **where),
            ]
            if kind == "model":
                more = where | {"variant": "three-shot"}
                rows.append(row("detection", judge, kind, "tpr", tpr + 0.05, **more))
                rows.append(row("detection", judge, kind, "tnr", tnr - 0.05, **more))
            if judge == "aster":
                rows.append(row("detection", judge, "planted", "tpr", tpr - 0.02, half=None, **where))
                rows.append(row("detection", judge, "planted", "tnr", tnr, half=None, **where))
        if kind == "model":
            rows.append(
                row(
                    "detection",
                    judge,
                    kind,
                    "tpr",
                    0.8,
                    scenario="induced",
                    kind="factuality",
                    variant="zero-shot",
                )
            )
    return rows


def rates() -> list[dict]:
    """Turn and dialogue rates, both histories, raw and corrected, and over temperatures with planted ones."""
    rows = []
    for responder, base in RESPONDERS.items():
        for k, temperature in enumerate(TEMPERATURES):
            where = {"unit": "turn", "history": "gold", "temperature": temperature}
            rate = round(base * (0.7 + 0.15 * k), 4)
            rows += [
                row("rates", responder, "model", "hallucination_rate", rate / 2, estimator="raw", **where),
                row(
                    "rates",
                    responder,
                    "model",
                    "hallucination_rate",
                    rate,
                    estimator="rogan-gladen",
                    calibration="natural",
                    **where,
                ),
                row("rates", responder, "planted", "hallucination_rate", rate + 0.01, half=None, **where),
            ]
        for unit, times in (("turn", 1), ("dialogue", 3)):
            for history, change in (("gold", 1), ("self", 1.2)):
                where = {"unit": unit, "history": history, "temperature": "1"}
                if (unit, history) != ("turn", "gold"):
                    rows.append(
                        row(
                            "rates",
                            responder,
                            "model",
                            "hallucination_rate",
                            base * times * change,
                            estimator="raw",
                            **where,
                        )
                    )
    return rows


def others() -> list[dict]:
    """A row or two of every other table: balanced beside mixed, place, reason, comparisons, labels, texts."""
    zero, three, compared = ({"variant": name} for name in ("zero-shot", "three-shot", "compare"))
    rows = []
    for judge, skill in (("aster", 0.6), ("birch", 0.7), ("hallujudge-tiny", 0.8)):
        kind = "model" if judge in MODELS else "baseline"
        where = {"scenario": "spontaneous", **zero}
        for metric in ("accuracy", "macro_f1"):
            rows.append(row("detection", judge, kind, metric, skill, **where))
            rows.append(row("detection", judge, kind, metric, skill - 0.1, view="balanced", **where))
        for of in ("factuality", "faithfulness", "reference", "matched"):
            more = {"scenario": "induced", "kind": of, **zero}
            rows.append(row("detection", judge, kind, "balanced_accuracy", skill, **more))
        for over, part in (("all", 0.9), ("positives", 0.4), ("found", 0.6)):
            more = {"scenario": "spontaneous", "over": over, **(three if kind == "model" else zero)}
            for metric in ("span_f1", "token_f1", "rouge_l", "bleu", "marked_rate"):
                rows.append(row("location", judge, kind, metric, skill * part, **more))
            rows.append(
                row("location", judge, kind, "rationale_similarity", skill * part, measure="chrf", **more)
            )
        natural = {"estimator": "rogan-gladen", "calibration": "natural"}
        for more, value in (({"estimator": "raw"}, 0.1), (natural, 0.2)):
            rows.append(row("transfer", judge, kind, "rate_by_judge", value, **more))
        if kind == "model":
            rows.append(
                row("transfer", judge, "planted", "rate_by_judge", 0.22, half=None, estimator="planted")
            )
            rows += _compared(judge, skill, compared)
            rows += [
                row("labels", judge, kind, "meta_accuracy", skill, over=over) for over in ("all", "positives")
            ]
        else:
            rows.append(row("reliability", judge, kind, "ece", 0.08, **where))
            for low in ("0.0–0.1", "0.9–1.0"):
                rows.append(row("reliability", judge, kind, "bin_p", float(low[:3]) + 0.05, bin=low, **where))
                rows.append(row("reliability", judge, kind, "bin_rate", float(low[:3]), bin=low, **where))
    return rows + _texts()


def _compared(judge: str, skill: float, where: dict) -> list[dict]:
    """Reference against induced, both orders and each."""
    rows = []
    for kind in ("factuality", "faithfulness"):
        for metric in ("accuracy_both_orders", "first_position_rate"):
            rows.append(row("comparison", judge, "model", metric, skill, **where, kind=kind))
        for metric in ("accuracy", "accuracy_parsed"):
            rows.append(row("detection", judge, "model", metric, skill, **where, kind=kind))
            for order, change in (("reference-first", -0.2), ("induced-first", 0.2)):
                rows.append(
                    row("detection", judge, "model", metric, skill + change, **where, kind=kind, order=order)
                )
    return rows


def _texts() -> list[dict]:
    """Labels, the texts and how they were made."""
    rows = [
        row("labels", "quill", "model", "annotator_accuracy", 0.9),
        row("labels", "quill", "model", "annotator_kappa", 0.7),
        row("labels", "annotators", "baseline", "fleiss_kappa", 0.8, kind="natural"),
        row("labels", "elm", "model", "meta_kappa", 0.6, **{"raters": "model-people", "with": "ann"}),
        row("dataset", "dataset", "baseline", "n_dialogues", 2.0, half=None),
        row("dataset", "dataset", "baseline", "n_turns", 9.0, half=None),
        row("dataset", "dataset", "baseline", "turns_per_dialogue", 4.5, half=None),
    ]
    for scenario in ("spontaneous", "induced"):
        for metric, value in (("n_samples", 12.0), ("hallucinated_rate", 0.4), ("words_per_response", 14.0)):
            rows.append(row("dataset", "dataset", "baseline", metric, value, half=None, scenario=scenario))
        for split in ("train", "test"):
            rows.append(
                row(
                    "dataset",
                    "dataset",
                    "baseline",
                    "n_samples",
                    6.0,
                    half=None,
                    scenario=scenario,
                    split=split,
                )
            )
        for split, share in (("by-dialogue", 0.0), ("by-sample", 0.9)):
            where = {"scenario": scenario, "split": split}
            rows.append(row("dataset", "dataset", "baseline", "sibling_rate", share, **where))
    rows.append(
        row("dataset", "dataset", "baseline", "n_by_kind", 4.0, half=None, scenario="induced", kind="matched")
    )
    for responder in RESPONDERS:
        rows.append(row("making", responder, "model", "too_long_rate", 0.1, step="respond"))
        where = {"unit": "turn", "temperature": "1", "estimator": "raw"}
        rows.append(row("rates", responder, "model", "gold_minus_self", 0.02, **where))
    return rows


def _span(start, end, kind=None):
    return {"start": start, "end": end, "type": kind or "unspecified", "p": None}


def _sample(
    name, text, wrong, /, *, by=None, split="test", source="silver", item="turn1", spans=(), why=None, **more
):
    return {
        "sample_id": name,
        "item_id": item,
        "pair_id": None,
        "group_id": "dialogue0",
        "task": "dialogue",
        "lang": "en",
        "text": text,
        "is_hallucinated": wrong,
        "label_source": source,
        "generator": by,
        "pattern": more.get("kind") if wrong else None,
        "spans": list(spans),
        "rationale": why,
        "split": split,
        "attributes": pairs(dialogue="0", turn=item[-1], **more),
    }


def _judgement(name, judge, target, verdict, /, *, spans=(), why=None, **more):
    return {
        "judgement_id": name,
        "judge": judge,
        "judge_version": "1",
        "target_id": target,
        "verdict": verdict,
        "status": "unparsed" if verdict is None else "ok",
        "reason": "no-verdict" if verdict is None else None,
        "spans": list(spans),
        "p": None,
        "rationale": why,
        "attributes": pairs(**more),
    }


def frames() -> dict:
    """Two turns of a dialogue: a response with silver and gold labels, an induced one with its reference, one
    that detectors learned from.
    """
    found = RESPONSE.index("1901")
    items = [
        {
            "item_id": f"turn{k}",
            "source": NAME,
            "task": "dialogue",
            "lang": "en",
            "group_id": "dialogue0",
            "document_ids": ["known"],
            "history": HISTORY if k else "",
            "question": "When was Port Meridian founded?" if k else "Hello!",
            "right_answer": REPLY,
            "attributes": pairs(dialogue="0", turn=k),
        }
        for k in range(2)
    ]
    document = {
        "document_id": "known",
        "lang": "en",
        "title": "",
        "text": KNOWLEDGE,
        "url": None,
        "source": NAME,
        "licence": "CC0-1.0",
        "dated": None,
        "is_wikipedia": False,
    }
    samples = [
        _sample(
            "s1",
            RESPONSE,
            True,
            by="cedar",
            spans=[_span(found, found + 4)],
            why="1842.",
            scenario="spontaneous",
        ),
        _sample(
            "g1",
            RESPONSE,
            False,
            by="cedar",
            source="gold",
            scenario="natural",
            generation="s1",
            history="gold",
        ),
        _sample("i1", RESPONSE + " Really.", True, by="quill", scenario="induced", kind="factuality"),
        _sample("i2", REPLY, False, scenario="induced", kind="reference"),
        _sample("t1", "Hi.", False, by="cedar", split="train", item="turn0", scenario="spontaneous"),
    ]
    judgements = [
        _judgement("j1", "aster", "s1", False, variant="zero-shot"),
        _judgement("j2", "aster", "s1", True, spans=[_span(3, 6)], why="It says so.", variant="three-shot"),
        _judgement(
            "j3", "hallujudge-tiny", "i1", True, spans=[_span(found, found + 4)], why="1842.", composed="yes"
        ),
        _judgement("j4", "birch", "i2", None, variant="zero-shot"),
    ]
    return {
        "samples": schemas.frame(schemas.Sample, samples),
        "items": schemas.frame(schemas.Item, items),
        "documents": schemas.frame(schemas.Document, [document]),
        "judgements": schemas.frame(schemas.Judgement, judgements),
    }


def halludial_rows() -> list[dict]:
    """The rows of the board."""
    return detection() + rates() + others()


def halludial_board() -> Board:
    """The board with its texts, which may be shown."""
    return Board(
        name=NAME,
        track=TRACK,
        source="closed-world-dialogues",
        title="HalluDial on the closed world",
        is_simulated=True,
        roles={"annotator": "quill", "inducer": "quill"},
        source_card={
            "name": "closed-world-dialogues",
            "licence": "CC0-1.0",
            "redistribution": "yes",
            "citation": "",
            "url": None,
            "lang": "en",
        },
        track_card=records.card(TRACK),
        metrics=tuple(records.records(TRACK).values()),
        shared_metrics=records.SHARED,
        **frames(),
    )


def halludial_tables() -> Tables:
    """The board alone, as a site."""
    models = {name: {"family": name, "model": f"sim-{name}"} for name in ("quill", *RESPONDERS)}
    rows = schemas.frame(schemas.Row, halludial_rows())
    return Tables(title="truerate", boards=(halludial_board(),), models=models, rows=rows)
