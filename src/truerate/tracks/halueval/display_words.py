"""How pages show the values of the track's tables, in the order in which tables list them."""

from truerate.tracks.contract import Words

PATTERNS = range(1, 5)  # of a task, as the paper numbers them
# as the paper prints them, by its name: another paper's samples are not hallucinated all
COUNTED = {"helma:n_samples": "Hallucinated texts", "helma:n_failed": "Texts passed as right"}

WORDS = Words(
    values={
        "qa": "QA",
        "dialogue": "Dialogue",
        "summarization": "Summarization",
        "general": "General",
        "plain": "Plain",
        "knowledge": "With knowledge",
        "chain-of-thought": "Chain of thought",
        "cot": "Chain of thought",
        "contrast": "Sample contrast",
        "one-pass": "One-pass",
        "conversational": "Conversational",
        "before": "Before",
        "after": "After",
        "refined": "After",
        "comprehension": "Comprehension",
        "factualness": "Factualness",
        "specificity": "Specificity",
        "inference": "Inference",
        "factual": "Factual",
        "non-factual": "Non-factual",
        "intrinsic": "Intrinsic",
        "unverifiable": "Unverifiable",
        "irrelevant": "Irrelevant",
        "extrinsic-soft": "Extrinsic, soft",
        "extrinsic-hard": "Extrinsic, hard",
        "extrinsic-grouped": "Extrinsic, grouped",
        "helma": "HELMA",
        "raw": "As flagged",
        "rogan-gladen": "Corrected",
        "rogan-gladen-between": "Corrected, tasks differing",
        "labels-alone": "Labels of a third",
        "ppi": "Labels of a third, verdicts (PPI)",
        "prediction-powered": "Labels of a third, verdicts (PPI++)",
        "people": "All labels",
        "other-tasks": "by other tasks",
    },
    quantities=COUNTED
    | {
        f"{name}_type{pattern}": f"{words}, pattern {pattern}"
        for name, words in COUNTED.items()
        for pattern in PATTERNS
    },
)
