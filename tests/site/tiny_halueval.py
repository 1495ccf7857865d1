"""HaluEval's tables for the site: planted values, baselines, and texts that attack the page."""

import random

from tiny_rows import leaderboard_row

from truerate.core import schemas
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


def row(
    board: str,
    table: str,
    subject: str,
    kind: str,
    metric: str,
    value: float | None,
    *,
    half: float = 0.03,
    ranks=None,
    n=200,
    **where,
):
    interval = (
        (None, None)
        if value is None or kind == "planted"
        else (max(0.0, value - half), min(1.0, value + half))
    )
    return leaderboard_row(
        board, DIGEST, table, subject, kind, metric, value, interval=interval, ranks=ranks, n=n, where=where
    )


def recognition(board: str, draw: random.Random) -> list[dict]:
    rows = []
    for variant, gain in VARIANTS.items():
        for task, shift in TASKS.items():
            if task == "summarization" and variant == "knowledge":
                continue
            values = {
                name: round(min(0.97, skill + shift + gain + draw.uniform(-0.04, 0.04)), 4)
                for name, skill in MODELS.items()
            }
            for name, value in values.items():
                better, worse = (
                    sum(v > value + 0.06 for v in values.values()),
                    sum(v < value - 0.06 for v in values.values()),
                )
                where = {"task": task, "variant": variant}
                rows.append(
                    row(
                        board,
                        "recognition",
                        name,
                        "model",
                        "accuracy",
                        value,
                        ranks=(1 + better, len(values) - worse),
                        **where,
                    )
                )
                for metric, change in {
                    "accuracy_parsed": 0.01,
                    "macro_f1": -0.01,
                    "tpr": -0.05,
                    "tnr": 0.05,
                }.items():
                    rows.append(
                        row(
                            board,
                            "recognition",
                            name,
                            "model",
                            metric,
                            round(value + change, 4),
                            half=0.05,
                            **where,
                        )
                    )
                rows.append(
                    row(
                        board,
                        "recognition",
                        name,
                        "model",
                        "unparsed_rate",
                        round(draw.uniform(0, 0.03), 4),
                        half=0.01,
                        **where,
                    )
                )
                for metric in ("tpr", "tnr", "accuracy"):
                    rows.append(
                        row(
                            board,
                            "recognition",
                            name,
                            "planted",
                            metric,
                            round(value + draw.uniform(-0.03, 0.03), 4),
                            **where,
                        )
                    )
                rows.append(row(board, "recognition", name, "planted", "unparsed_rate", 0.014, **where))
    for task in TASKS:
        for name, value in BASELINES.items():
            rows.append(
                row(
                    board,
                    "recognition",
                    name,
                    "baseline",
                    "accuracy",
                    round(value - 10 * TASKS[task] / 8, 4),
                    task=task,
                )
            )
    rows.append(
        row(
            board,
            "recognition",
            "ChatGPT, as printed",
            "published",
            "accuracy",
            0.6259,
            half=0,
            task="qa",
            variant="plain",
        )
    )
    return rows


def patterns(board: str, draw: random.Random) -> list[dict]:
    rows = []
    for name, skill in {"quill": 0.9, **MODELS}.items():
        for task, patterns in PATTERNS.items():
            for pattern in patterns:
                for scheme in ("one-pass", "conversational"):
                    value = round(max(0.01, (1 - skill) / 2 + draw.uniform(-0.04, 0.14)), 4)
                    where = {"task": task, "pattern": pattern, "scheme": scheme}
                    rows.append(
                        row(board, "candidates", name, "model", "candidate_failure_rate", value, **where)
                    )
                    rows.append(
                        row(
                            board,
                            "candidates",
                            name,
                            "planted",
                            "candidate_failure_rate",
                            round(value + 0.01, 4),
                            **where,
                        )
                    )
                for variant in ("plain", "knowledge"):
                    value = round(max(0.02, 1 - skill + draw.uniform(-0.1, 0.3)), 4)
                    where = {"task": task, "pattern": pattern, "variant": variant}
                    rows.append(row(board, "failures", name, "model", "failure_rate", value, **where))
                    rows.append(
                        row(
                            board,
                            "recognition",
                            name,
                            "planted",
                            "tpr",
                            round(1 - max(0, value - 0.02), 4),
                            **where,
                        )
                    )
            rows.append(
                row(
                    board,
                    "candidates",
                    name,
                    "model",
                    "candidate_failure_rate",
                    round((1 - skill) / 2, 4),
                    task=task,
                    pattern=patterns[0],
                )
            )
            rows.append(
                row(
                    board,
                    "candidates",
                    name,
                    "model",
                    "candidate_failure_rate",
                    0.02,
                    task=task,
                    reason="same_as_right",
                )
            )
        for task in ("qa", "summarization"):
            broken = round(draw.uniform(0.3, 0.7), 4)
            rows.append(
                row(
                    board,
                    "candidates",
                    name,
                    "model",
                    "length_rule_broken_rate",
                    broken,
                    task=task,
                    scheme="one-pass",
                )
            )
    return rows


def audit(board: str) -> list[dict]:
    values = {
        "words": (0.93, 0.62, 0.71),
        "final-stop": (0.88, 0.55, 0.52),
        "answer-ngrams": (0.81, 0.66, 0.58),
        "overlap": (0.64, 0.7, 0.69),
    }
    return [
        {
            "board": board,
            "metric": metric,
            "subject": name,
            "slice": pairs(task=task, scheme=scheme),
            "value": value,
            "low": value - 0.03,
            "high": value + 0.03,
            "method": "estimator",
            "n": 200,
            "inputs": DIGEST,
        }
        for metric in ("shortcut_balanced_accuracy", "shortcut_pairwise", "shortcut_auroc")
        for name, found in values.items()
        for task, value in zip(PATTERNS, found, strict=True)
        for scheme in ((None,) if "world" in board else (None, "one-pass", "conversational"))
    ]


def samples(board: str, draw: random.Random) -> dict:
    documents, items, samples, judgements = [], [], [], []
    for k in range(66):
        task = list(PATTERNS)[k % 3]
        item = f"{board[:4]}i{k:04d}"
        knowledge = f"Port Meridian was founded in {1700 + k} by Ilse Varn. Its lighthouse has {k + 3} steps."
        documents.append(
            {
                "document_id": f"d{k}",
                "lang": "en",
                "title": f"Port Meridian {k}",
                "text": knowledge,
                "source": board,
                "licence": "CC0-1.0",
                "is_wikipedia": False,
            }
        )
        history = "[Human]: I am planning a trip.\n[Assistant]: Where to?" if task == "dialogue" else ""
        question = (
            HOSTILE[3]
            if k == 4
            else ""
            if task == "summarization"
            else "Who founded Port Meridian, and when?"
        )
        items.append(
            {
                "item_id": item,
                "source": board,
                "task": task,
                "lang": "en",
                "group_id": item,
                "document_ids": [f"d{k}"],
                "history": history,
                "question": question,
                "right_answer": "Ilse Varn",
                "attributes": [],
            }
        )
        wrong = (
            HOSTILE[k]
            if k < len(HOSTILE)
            else f"Port Meridian was founded in {1800 + k} by Otto Brandt, the lighthouse keeper."
        )
        marked = [{"start": 0, "end": min(30, len(wrong)), "type": "non-factual", "p": None}]
        if k % 4 == 0:
            marked.append({"start": 20, "end": len(wrong), "type": "unverifiable", "p": None})
        for is_wrong, text in ((True, wrong), (False, f"It was founded in {1700 + k} by Ilse Varn.")):
            name = f"{item}{'h' if is_wrong else 'r'}"
            samples.append(
                {
                    "sample_id": name,
                    "item_id": item,
                    "pair_id": item,
                    "group_id": item,
                    "task": task,
                    "lang": "en",
                    "text": text,
                    "is_hallucinated": is_wrong,
                    "label_source": "silver",
                    "generator": "quill" if is_wrong else None,
                    "pattern": PATTERNS[task][k % len(PATTERNS[task])] if is_wrong else None,
                    "spans": marked if is_wrong else [],
                    "rationale": None,
                    "split": "test",
                    "attributes": [],
                }
            )
            for judge, skill in MODELS.items():
                verdict = None if draw.random() < 0.03 else is_wrong == (draw.random() < skill)
                judgements.append(
                    {
                        "judgement_id": f"{name}{judge}",
                        "judge": judge,
                        "judge_version": "1",
                        "target_id": name,
                        "verdict": verdict,
                        "status": "unparsed" if verdict is None else "ok",
                        "reason": "both_words" if verdict is None else None,
                        "spans": [],
                        "p": None,
                        "rationale": None,
                        "attributes": pairs(variant="plain"),
                    }
                )
    frames = {"documents": documents, "items": items, "samples": samples, "judgements": judgements}
    tables = {
        "documents": schemas.Document,
        "items": schemas.Item,
        "samples": schemas.Sample,
        "judgements": schemas.Judgement,
    }
    return {name: schemas.frame(tables[name], rows) for name, rows in frames.items()}
