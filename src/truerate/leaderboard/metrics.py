"""Metrics that every board may carry, whatever its track."""

from truerate.core.metric import metrics_beside

METRICS = metrics_beside(__file__)
