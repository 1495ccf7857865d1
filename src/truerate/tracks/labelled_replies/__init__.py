"""Labelled replies: published replies of named systems with people's labels or a judge's verdicts."""
