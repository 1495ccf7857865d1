"""The steps of HaluEval's data set (HELMA, section 2, and recognition, section 3).

Candidates of the one generator that the data set is made of are what is filtered and recognised; those of the
other generators are scored as they are.
"""

from truerate.tracks.contract import Reads, Resources, Step

OF_THE_DATASET = Reads("sample", role="dataset_generator")

GRAPH = (
    Step("sample", "generators", "a generator writes candidates, by both schemes"),
    Step(
        "filter",
        "filter_judge",
        "the judge picks the more plausible of two candidates, in both orders",
        reads=(OF_THE_DATASET,),
    ),
    Step("respond", "responder", "three answers to each general query"),
    Step(
        "recognise",
        "subjects",
        "does the text contain hallucination? every variant, and refinement of what was flagged",
        reads=(OF_THE_DATASET, Reads("filter"), Reads("respond")),
        beside=("judgements",),
        resources=Resources(memory_mb=4_000),  # it may load an encoder that compares the responses
    ),
    Step(
        "judge_refined",
        "refinement_judge",
        "another model judges what the subjects rewrote",
        reads=(Reads("recognise"),),
        beside=("judgements",),
    ),
)
