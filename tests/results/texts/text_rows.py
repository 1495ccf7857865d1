"""Rows of texts beside a made-up result."""


def text_row(subject, unit, *, wrong=True, **more):
    """A text of the made-up result by its writer and unit, hallucinated unless said otherwise."""
    words = ("history", "question", "right_answer", "reference", "reference_title", "address", "rationale")
    return {
        "board": "judged", "subject": subject, "unit_id": unit, "drawn": "worst", "lang": "en", "task": "qa",
        **dict.fromkeys(words, ""), "text": "Built in 1900.", "is_hallucinated": wrong, "label_source": "gold",
        "labels": [], "spans": [], "raters": [], "parts": [], "licence": "CC BY 4.0", "reference_licence": "",
    } | more  # fmt: skip
