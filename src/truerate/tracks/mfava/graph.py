"""The steps of mFAVA's data set (section 3): silver passages, translate-train, queries and replies in the wild."""

from truerate.tracks.contract import Reads, Resources, StandIn, Step

WEIGHTS = (
    "seq2seq"  # the setting that names weights which translate in a model's place, and their name in paths
)

GRAPH = (
    Step("silver", "writer", "a passage from a reference, then six separate insertions into it"),
    Step(
        "translate",
        "translator",
        "the English training passages and their references in every other language",
        stand_in=StandIn(WEIGHTS, setting=WEIGHTS),
        resources=Resources(memory_mb=8_000),  # the weights, where it is they that translate
    ),
    Step("query", "query_writer", "knowledge-intensive queries about each article"),
    Step(
        "check",
        "checker",
        "does the reference answer the query? on a sample",
        reads=(Reads("query", is_needed=True),),
    ),
    Step(
        "answer",
        "subjects",
        "a subject answers the queries alone, each subset with its own seed",
        reads=(Reads("query"),),
    ),
)
