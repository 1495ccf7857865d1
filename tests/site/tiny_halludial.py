"""A small HalluDial board made by hand: three judges and a rule in two scenarios, three responders over temperatures, five
labelled responses of two turns.
"""

import tiny_rows
from tiny_rows import document, ends, item, judgement, leaderboard_row, sample, span

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
RATE = "hallucination_rate"


def row(table, subject, kind, metric, value, /, *, half=0.03, ranks=None, **where):
    interval = ends(value, half)
    return leaderboard_row(
        NAME, DIGEST, table, subject, kind, metric, value, interval=interval, ranks=ranks, n=72, where=where
    )


def kind_of(judge):
    return "model" if judge in MODELS else "baseline"


def detection() -> list[dict]:
    """Rates of both classes by scenario, zero-shot and three-shot, and what was planted of one judge."""
    rows = []
    for place, (judge, by_scenario) in enumerate(JUDGES.items(), 1):
        kind = kind_of(judge)

        def add(metric, value, *, kind=kind, judge=judge, **more):
            rows.append(row("detection", judge, kind, metric, value, **more))

        for scenario, (tpr, tnr) in zip(("spontaneous", "induced"), by_scenario, strict=True):
            where = {"scenario": scenario, "variant": "zero-shot"}
            ranks = (place, place + 1) if kind == "model" and scenario == "spontaneous" else None
            add("balanced_accuracy", (tpr + tnr) / 2, ranks=ranks, **where)
            add("tpr", tpr, **where)
            add("tnr", tnr, **where)
            if kind == "model":
                add("tpr", tpr + 0.05, **where | {"variant": "three-shot"})
                add("tnr", tnr - 0.05, **where | {"variant": "three-shot"})
            if judge == "aster":
                add("tpr", tpr - 0.02, kind="planted", half=None, **where)
                add("tnr", tnr, kind="planted", half=None, **where)
        if kind == "model":
            of = {"scenario": "induced", "kind": "factuality", "variant": "zero-shot"}
            rows.append(row("detection", judge, kind, "tpr", 0.8, **of))
    return rows


def rates() -> list[dict]:
    """Turn and dialogue rates, both histories, raw and corrected, and over temperatures with planted ones."""
    rows, natural = [], {"estimator": "rogan-gladen", "calibration": "natural"}
    for responder, base in RESPONDERS.items():
        for k, temperature in enumerate(TEMPERATURES):
            where = {"unit": "turn", "history": "gold", "temperature": temperature}
            rate = round(base * (0.7 + 0.15 * k), 4)
            rows.append(row("rates", responder, "model", RATE, rate / 2, estimator="raw", **where))
            rows.append(row("rates", responder, "model", RATE, rate, **natural, **where))
            rows.append(row("rates", responder, "planted", RATE, rate + 0.01, half=None, **where))
        for unit, times, history, change in (
            ("turn", 1, "self", 1.2),
            ("dialogue", 3, "gold", 1),
            ("dialogue", 3, "self", 1.2),
        ):
            where = {"unit": unit, "history": history, "temperature": "1", "estimator": "raw"}
            rows.append(row("rates", responder, "model", RATE, base * times * change, **where))
    return rows


def others() -> list[dict]:
    """A row or two of every other table: balanced beside mixed, place, reason, comparisons, labels, texts."""
    zero, three = {"variant": "zero-shot"}, {"variant": "three-shot"}
    rows = []
    for judge, skill in (("aster", 0.6), ("birch", 0.7), ("hallujudge-tiny", 0.8)):
        kind = kind_of(judge)
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
            rows += _compared(judge, skill)
            rows += [
                row("labels", judge, kind, "meta_accuracy", skill, over=over) for over in ("all", "positives")
            ]
        else:
            rows.append(row("reliability", judge, kind, "ece", 0.08, **where))
            for low in ("0.0–0.1", "0.9–1.0"):
                rows.append(row("reliability", judge, kind, "bin_p", float(low[:3]) + 0.05, bin=low, **where))
                rows.append(row("reliability", judge, kind, "bin_rate", float(low[:3]), bin=low, **where))
    return rows + _texts()


def _compared(judge: str, skill: float) -> list[dict]:
    """Reference against induced, both orders and each."""
    rows = []
    for kind in ("factuality", "faithfulness"):
        where = {"variant": "compare", "kind": kind}
        for metric in ("accuracy_both_orders", "first_position_rate"):
            rows.append(row("comparison", judge, "model", metric, skill, **where))
        for metric in ("accuracy", "accuracy_parsed"):
            rows.append(row("detection", judge, "model", metric, skill, **where))
            for order, change in (("reference-first", -0.2), ("induced-first", 0.2)):
                rows.append(row("detection", judge, "model", metric, skill + change, **where, order=order))
    return rows


def _texts() -> list[dict]:
    """Labels, the texts and how they were made."""
    rows = [
        row("labels", "quill", "model", "annotator_accuracy", 0.9),
        row("labels", "quill", "model", "annotator_kappa", 0.7),
        row("labels", "annotators", "baseline", "fleiss_kappa", 0.8, kind="natural"),
        row("labels", "elm", "model", "meta_kappa", 0.6, **{"raters": "model-people", "with": "ann"}),
    ]

    def add(metric, value, half=None, **where):
        rows.append(row("dataset", "dataset", "baseline", metric, value, half=half, **where))

    for metric, value in (("n_dialogues", 2.0), ("n_turns", 9.0), ("turns_per_dialogue", 4.5)):
        add(metric, value)
    for scenario in ("spontaneous", "induced"):
        for metric, value in (("n_samples", 12.0), ("hallucinated_rate", 0.4), ("words_per_response", 14.0)):
            add(metric, value, scenario=scenario)
        for split in ("train", "test"):
            add("n_samples", 6.0, scenario=scenario, split=split)
        for split, share in (("by-dialogue", 0.0), ("by-sample", 0.9)):
            add("sibling_rate", share, 0.03, scenario=scenario, split=split)
    rows.append(
        row("dataset", "dataset", "baseline", "n_by_kind", 4.0, half=None, scenario="induced", kind="matched")
    )
    for responder in RESPONDERS:
        rows.append(row("making", responder, "model", "too_long_rate", 0.1, step="respond"))
        where = {"unit": "turn", "temperature": "1", "estimator": "raw"}
        rows.append(row("rates", responder, "model", "gold_minus_self", 0.02, **where))
    return rows


def frames() -> dict:
    """Two turns of a dialogue: a response with silver and gold labels, an induced one with its reference, one that detectors
    learned from.
    """
    found = RESPONSE.index("1901")
    marked = [span(found, found + 4, "unspecified")]

    def labelled(name, text, wrong, scenario, *, by=None, turn=1, facts=None, **more):
        facts = {"dialogue": "0", "turn": str(turn), "scenario": scenario} | (facts or {})
        more |= {"group_id": "dialogue0", "generator": by, "attributes": pairs(**facts)}
        return sample(name, f"turn{turn}", "dialogue", text, wrong, **{"label_source": "silver"} | more)

    def judged(name, judge, target, verdict, **more):
        known = {key: more.pop(key) for key in ("spans", "rationale") if key in more}
        return judgement(name, judge, target, verdict, unread="no-verdict", attributes=pairs(**more), **known)

    items = [
        item(
            f"turn{k}", NAME, "dialogue", group_id="dialogue0", document_ids=["known"], history=HISTORY if k else "",
            question="When was Port Meridian founded?" if k else "Hello!", right_answer=REPLY,
            attributes=pairs(dialogue="0", turn=k),
        )
        for k in range(2)
    ]  # fmt: skip
    induced = {"kind": "factuality"}
    samples = [
        labelled("s1", RESPONSE, True, "spontaneous", by="cedar", spans=marked, rationale="1842."),
        labelled(
            "g1",
            RESPONSE,
            False,
            "natural",
            by="cedar",
            label_source="gold",
            facts={"generation": "s1", "history": "gold"},
        ),
        labelled(
            "i1", RESPONSE + " Really.", True, "induced", by="quill", facts=induced, pattern="factuality"
        ),
        labelled("i2", REPLY, False, "induced", facts={"kind": "reference"}),
        labelled("t1", "Hi.", False, "spontaneous", by="cedar", split="train", turn=0),
    ]
    shown = {"spans": [span(3, 6, "unspecified")], "rationale": "It says so."}
    judgements = [
        judged("j1", "aster", "s1", False, variant="zero-shot"),
        judged("j2", "aster", "s1", True, variant="three-shot", **shown),
        judged("j3", "hallujudge-tiny", "i1", True, spans=marked, rationale="1842.", composed="yes"),
        judged("j4", "birch", "i2", None, variant="zero-shot"),
    ]
    known = [document("known", KNOWLEDGE, NAME)]
    return tiny_rows.frames(samples=samples, items=items, documents=known, judgements=judgements)


def halludial_rows() -> list[dict]:
    """The rows of the board."""
    return detection() + rates() + others()


def halludial_board() -> Board:
    """The board with its texts, which may be shown."""
    source = {"name": "closed-world-dialogues", "licence": "CC0-1.0", "redistribution": "yes", "citation": ""}
    return Board(
        name=NAME,
        track=TRACK,
        source="closed-world-dialogues",
        title="HalluDial on the closed world",
        is_simulated=True,
        roles={"annotator": "quill", "inducer": "quill"},
        source_card=source | {"url": None, "lang": "en"},
        **records.of_track(TRACK),
        **frames(),
    )


def halludial_tables() -> Tables:
    """The board alone, as a site."""
    models = {name: {"family": name, "model": f"sim-{name}"} for name in ("quill", *RESPONDERS)}
    rows = schemas.frame(schemas.Row, halludial_rows())
    return Tables(title="truerate", boards=(halludial_board(),), models=models, rows=rows)
