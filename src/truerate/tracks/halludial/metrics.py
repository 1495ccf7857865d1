"""HalluDial: the metrics that metrics.yaml records, by the table that each stands in."""

from truerate.core.metric import metrics_beside

METRICS = metrics_beside(__file__)
