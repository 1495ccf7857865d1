"""The one reader of replies: what a model's reply says, or why that cannot be read.

cutting (wrapping that is not answer) → headings (where the answer stands) → one module per kind of answer:
verdicts (alone, or located with their reason), choices, accuracy, claim verdicts; `texts` (candidates,
responses, refinements, induced triples, refusals, abstentions), taken out by blocks and the words of
texts.yaml; `lists` (facts, names, single words). Every reader may lose what a person could read; none turns a
value into another, and none invents one.
"""
