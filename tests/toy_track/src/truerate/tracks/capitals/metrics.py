"""Capitals: the metric that metrics.yaml records."""

from truerate.core.metric import metrics_beside

METRICS = metrics_beside(__file__)
