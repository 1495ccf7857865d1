"""Capitals' one number."""

from truerate.tracks.contract import Metric

METRICS = (
    Metric(
        name="capital_accuracy",
        label="Right capitals",
        definition="Share of the questions in whose answer the capital stands; no answer is a wrong one.",
        source="Capitals, section 3",
        table="answers",
        direction="up",
        interval="share",
    ),
)
