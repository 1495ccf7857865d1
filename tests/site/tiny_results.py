"""A made-up folder of results: two boards, one of models judged by a model, one of systems labelled by people."""

import json
from pathlib import Path

import polars as pl

from truerate.core.schemas import PAIRS, frame
from truerate.results.texts.table import Text, save_texts

HOSTILE = "evil <script>alert(1)</script> {{7*7}} | *x* [a](javascript:1)"
CARD = {
    "board": "judged", "title": "Judged replies", "track": "none-of-ours", "unit": "reply", "labelled_by": "",
    "judge": "judge-1", "judges_own": ["beta"], "n_subjects": 4, "n_units": 4, "n_clusters": 4, "published": [],
    "set": {"name": "Set", "citation": "Somebody 2025", "licence": "MIT", "url": "https://example.org/set",
            "redistribution": "ids-only"},
    "headline": {"metric": "made_up_rate", "label": "Made-up rate", "unit": "share", "direction": "down",
                 "slice": "", "what": "made up"},
    "metrics": [
        {"name": name, "label": label, "definition": label, "table": "real", "unit": "share", "direction": way,
         "chance": None, "interval": "share", "source": ""}
        for name, label, way in (("made_up_rate", "Made-up rate", "down"), ("responding_rate", "Responding rate", "up"))
    ],
    "confidence": 0.95, "n_bootstrap": 1000, "alpha": 0.05, "seed": 1, "n_left_out": 0,
    "command": "truerate real DATA", "caveats": ["Few units."],
}  # fmt: skip
HEADER = "metric,subject,kind,slice,value,low,high,n,rank_low,rank_high,provenance"
SCORES = [
    "made_up_rate,alpha,model,,0.000000,0.000000,0.490000,4,1,3,aa",
    "made_up_rate,beta,model,,0.250000,0.050000,0.700000,4,1,3,aa",
    "made_up_rate,gamma,model,,0.500000,0.020000,0.980000,4,1,4,aa",
    f'made_up_rate,"{HOSTILE}",model,,1.000000,0.510000,1.000000,4,4,4,aa',
    "made_up_rate,alpha,model,task=qa,0.000000,0.000000,0.660000,2,,,aa",
    "made_up_rate,alpha,model,task=chat,0.000000,0.000000,0.950000,2,,,aa",
    "made_up_rate,beta,model,task=qa,0.500000,0.100000,0.900000,2,,,aa",
    "responding_rate,alpha,model,,0.500000,0.200000,0.800000,4,,,aa",
    "responding_rate,beta,model,,1.000000,0.600000,1.000000,4,,,aa",
]
VALUES = {"alpha": [0, 0, 0, 0], "beta": [1, 0, 0, 0], "gamma": [1, 1, 0, 0], HOSTILE: [1, 1, 1, 1]}


def outcomes(values: dict = VALUES, *, metric: str = "made_up_rate", cluster: str = "c") -> pl.DataFrame:
    """The rows of one metric over everything: unit k of each subject stands in cluster k."""
    rows = [
        ("judged", metric, subject, [], f"u{k}", f"{cluster}{k}", None if value is None else float(value))
        for subject, each in values.items()
        for k, value in enumerate(each)
    ]
    kinds = dict.fromkeys(("board", "metric", "subject", "slice", "unit_id", "cluster_id"), pl.String)
    return pl.DataFrame(rows, schema=kinds | {"slice": PAIRS, "value": pl.Float64}, orient="row")


def write_results(folder: Path, name: str = "judged", *, gamma: str = "gamma", **card: object) -> Path:
    """A board's folder under `folder`, the card's fields replaced by those given, subject gamma named so."""
    place = folder / name
    place.mkdir(parents=True)
    (place / "card.json").write_text(json.dumps(CARD | {"board": name} | card), "utf-8")
    text = "\n".join([HEADER, *SCORES]) + "\n"
    (place / "scores.csv").write_text(text.replace(",gamma,", f",{gamma},"), "utf-8")
    rows = outcomes().with_columns(board=pl.lit(name), subject=pl.col("subject").replace("gamma", gamma))
    rows.write_parquet(place / "rows.parquet")
    return place


WORDS = ("history", "question", "right_answer", "reference", "reference_title", "address", "rationale")
ATTACK = "Built \u202ein 1900\u202c <script>window.__xss = 1</script><img src=x onerror='window.__xss = 2'>"


def text_row(subject: str, unit: str, *, wrong: bool = True, **more: object) -> dict:
    """A text of the made-up board by its writer and unit, hallucinated unless said otherwise."""
    return {
        "board": "judged", "subject": subject, "unit_id": unit, "drawn": "worst", "order": 0, "lang": "en", "task": "qa",
        **dict.fromkeys(WORDS, ""), "text": "Built in 1900.", "is_hallucinated": wrong, "label_source": "gold",
        "labels": [], "spans": [], "raters": [], "parts": [], "licence": "CC BY 4.0", "reference_licence": "",
    } | more  # fmt: skip


def write_texts(place: Path) -> None:
    """Texts beside a board of `write_results`: one whose words attack a page, one with facts, one that is right."""
    span = {"start": 0, "end": 5, "type": "invented", "p": None}
    attack = {
        "text": ATTACK, "question": ATTACK, "reference": ATTACK, "reference_title": ATTACK, "address": "javascript:alert(1)",
        "reference_licence": "MIT", "spans": [span], "labels": [{"key": "kind", "value": ATTACK[:40]}],
        "raters": [{"rater": "w1", "is_hallucinated": True, "spans": [span]}, {"rater": "w2", "is_hallucinated": False, "spans": []}],
    }  # fmt: skip
    parts = [(ATTACK, "no", True), ("The tower is tall.", "yes", False)]
    names = ("text", "label", "is_hallucinated")
    rows = [
        text_row("beta", "u0", **attack),
        text_row("alpha", "u1", wrong=False, drawn="random"),
        text_row(HOSTILE, "u2", order=1, parts=[dict(zip(names, part, strict=True)) for part in parts]),
    ]
    save_texts(frame(Text, [row | {"board": place.name} for row in rows]), place)
