"""Metrics that every board may carry, whatever its track."""

from pathlib import Path

from truerate.core.metric import read_metrics

METRICS = read_metrics(Path(__file__).with_name("metrics.yaml"))
