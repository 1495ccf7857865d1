"""HaluEval's tables for the site: planted values, baselines, and texts that attack the page."""

import random

import tiny_rows
from tiny_rows import document, ends, item, judgement, leaderboard_row, sample, span

from truerate.core.schemas import pairs

HOSTILE = (
    '<img src=x onerror="window.__xss=1"> and <script>window.__xss=2</script> "quoted" {{ 7*7 }} {% raw %} ${1} `x`',
    '# not a heading\n\n[click](javascript:window.__xss=3) **bold** :smile: --8<-- "/etc/passwd"\n\n'
    "```python\nprint(1)\n```\n{: onclick=alert(1)} *[HTML]: x",
    "</div></article></script><h1 id=escaped>escaped?</h1><!-- \u202eright to left\u202c \x07bell \u2028line -->",
    "&lt;b&gt; &#60;script&#62; &amp;amp; ~~gone~~ | a | b |\n|---|---|\nمرحبا بالعالم 123 𠮷 🦜",
)
MODELS = {"aster": 0.86, "birch": 0.84, "cedar": 0.76, "dogwood": 0.71, "elm": 0.63}
BASELINES = {
    "always": 0.5,
    "never": 0.5,
    "random": 0.49,
    "length": 0.72,
    "punctuation": 0.61,
    "lexical-lr": 0.78,
}
PATTERNS = {
    "qa": ("comprehension", "factualness", "specificity", "inference"),
    "dialogue": ("extrinsic-soft", "extrinsic-hard", "extrinsic-grouped"),
    "summarization": ("factual", "non-factual", "intrinsic"),
}
TASKS = {"qa": 0.02, "dialogue": -0.03, "summarization": -0.06, "general": 0.04}
VARIANTS = {"plain": 0.0, "knowledge": 0.07, "chain-of-thought": -0.02}
DIGEST = "9f2c4b7a1d3e"


def row(board, table, subject, kind, metric, value, *, half=0.03, ranks=None, n=200, **where):
    interval = ends(value, None if kind == "planted" else half)
    return leaderboard_row(
        board, DIGEST, table, subject, kind, metric, value, interval=interval, ranks=ranks, n=n, where=where
    )


def recognition(board: str, draw: random.Random) -> list[dict]:
    rows = []

    def add(name, kind, metric, value, **more):
        rows.append(row(board, "recognition", name, kind, metric, value, **more))

    for variant, gain in VARIANTS.items():
        for task, shift in TASKS.items():
            if task == "summarization" and variant == "knowledge":
                continue
            values = {
                name: round(min(0.97, skill + shift + gain + draw.uniform(-0.04, 0.04)), 4)
                for name, skill in MODELS.items()
            }
            for name, value in values.items():
                better = sum(other > value + 0.06 for other in values.values())
                worse = sum(other < value - 0.06 for other in values.values())
                where = {"task": task, "variant": variant}
                add(name, "model", "accuracy", value, ranks=(1 + better, len(values) - worse), **where)
                for metric, change in (
                    ("accuracy_parsed", 0.01),
                    ("macro_f1", -0.01),
                    ("tpr", -0.05),
                    ("tnr", 0.05),
                ):
                    add(name, "model", metric, round(value + change, 4), half=0.05, **where)
                add(name, "model", "unparsed_rate", round(draw.uniform(0, 0.03), 4), half=0.01, **where)
                for metric in ("tpr", "tnr", "accuracy"):
                    add(name, "planted", metric, round(value + draw.uniform(-0.03, 0.03), 4), **where)
                add(name, "planted", "unparsed_rate", 0.014, **where)
    for task in TASKS:
        for name, value in BASELINES.items():
            add(name, "baseline", "accuracy", round(value - 10 * TASKS[task] / 8, 4), task=task)
    add("ChatGPT, as printed", "published", "accuracy", 0.6259, half=0, task="qa", variant="plain")
    return rows


def patterns(board: str, draw: random.Random) -> list[dict]:
    rows = []

    def add(table, name, kind, metric, value, **where):
        rows.append(row(board, table, name, kind, metric, round(value, 4), **where))

    for name, skill in {"quill": 0.9, **MODELS}.items():
        for task, patterns in PATTERNS.items():
            for pattern in patterns:
                where = {"task": task, "pattern": pattern}
                for scheme in ("one-pass", "conversational"):
                    value = round(max(0.01, (1 - skill) / 2 + draw.uniform(-0.04, 0.14)), 4)
                    for kind, more in (("model", 0), ("planted", 0.01)):
                        add(
                            "candidates",
                            name,
                            kind,
                            "candidate_failure_rate",
                            value + more,
                            scheme=scheme,
                            **where,
                        )
                for variant in ("plain", "knowledge"):
                    value = round(max(0.02, 1 - skill + draw.uniform(-0.1, 0.3)), 4)
                    add("failures", name, "model", "failure_rate", value, variant=variant, **where)
                    add(
                        "recognition",
                        name,
                        "planted",
                        "tpr",
                        1 - max(0, value - 0.02),
                        variant=variant,
                        **where,
                    )
            of = {"task": task, "pattern": patterns[0]}
            add("candidates", name, "model", "candidate_failure_rate", (1 - skill) / 2, **of)
            add(
                "candidates", name, "model", "candidate_failure_rate", 0.02, task=task, reason="same_as_right"
            )
        for task in ("qa", "summarization"):
            broken = draw.uniform(0.3, 0.7)
            add("candidates", name, "model", "length_rule_broken_rate", broken, task=task, scheme="one-pass")
    return rows


def audit(board: str) -> list[dict]:
    values = {
        "words": (0.93, 0.62, 0.71), "final-stop": (0.88, 0.55, 0.52),
        "answer-ngrams": (0.81, 0.66, 0.58), "overlap": (0.64, 0.7, 0.69),
    }  # fmt: skip
    known = {"board": board, "method": "estimator", "n": 200, "inputs": DIGEST}
    return [
        known
        | {"metric": metric, "subject": name, "slice": pairs(task=task, scheme=scheme)}
        | {"value": value, "low": value - 0.03, "high": value + 0.03}
        for metric in ("shortcut_balanced_accuracy", "shortcut_pairwise", "shortcut_auroc")
        for name, found in values.items()
        for task, value in zip(PATTERNS, found, strict=True)
        for scheme in ((None,) if "world" in board else (None, "one-pass", "conversational"))
    ]


def samples(board: str, draw: random.Random) -> dict:
    documents, items, samples, judgements = [], [], [], []
    for k in range(66):
        task = list(PATTERNS)[k % 3]
        name, asked = f"{board[:4]}i{k:04d}", "Who founded Port Meridian, and when?"
        knowledge = f"Port Meridian was founded in {1700 + k} by Ilse Varn. Its lighthouse has {k + 3} steps."
        documents.append(document(f"d{k}", knowledge, board, title=f"Port Meridian {k}"))
        known = {
            "document_ids": [f"d{k}"],
            "history": "[Human]: I am planning a trip.\n[Assistant]: Where to?" if task == "dialogue" else "",
            "question": HOSTILE[3] if k == 4 else "" if task == "summarization" else asked,
        }
        items.append(item(name, board, task, right_answer="Ilse Varn", **known))
        wrong = f"Port Meridian was founded in {1800 + k} by Otto Brandt, the lighthouse keeper."
        wrong = HOSTILE[k] if k < len(HOSTILE) else wrong
        marked = [span(0, min(30, len(wrong)), "non-factual")]
        marked += [span(20, len(wrong), "unverifiable")] if k % 4 == 0 else []
        made = {"generator": "quill", "pattern": PATTERNS[task][k % len(PATTERNS[task])], "spans": marked}
        for is_wrong, text in ((True, wrong), (False, f"It was founded in {1700 + k} by Ilse Varn.")):
            of = f"{name}{'h' if is_wrong else 'r'}"
            more = {"pair_id": name, "label_source": "silver"} | (made if is_wrong else {})
            samples.append(sample(of, name, task, text, is_wrong, **more))
            for judge, skill in MODELS.items():
                verdict = None if draw.random() < 0.03 else is_wrong == (draw.random() < skill)
                how = {"unread": "both_words", "attributes": pairs(variant="plain")}
                judgements.append(judgement(f"{of}{judge}", judge, of, verdict, **how))
    return tiny_rows.frames(documents=documents, items=items, samples=samples, judgements=judgements)
