"""The one reader of replies: what a model's reply says, or why that cannot be read.

cutting (wrapping that is not answer) → headings (where the answer stands) → one module per kind of answer:
verdicts (alone, or located with their reason), choices, candidates, responses, induced triples, accuracy,
refusals. Every reader may lose what a person could read; none turns a value
into another, and none invents one.
"""
