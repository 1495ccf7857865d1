"""Labelled replies: published sets that hold replies of named systems with people's labels or a judge's verdicts."""
