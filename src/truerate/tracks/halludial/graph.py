"""The steps of HalluDial's data set (sections 2 and 3) and of its rates (section 4)."""

from truerate.tracks.contract import Reads, Step

SAMPLES = (Reads("respond"), Reads("annotate"), Reads("induce"))  # what samples are made of

GRAPH = (
    Step(
        "respond",
        "responders",
        "a model answers every turn, the reference's turns before it; test dialogues also at other temperatures, "
        "and turn after turn with its own",
    ),
    Step(
        "annotate",
        "annotator",
        "is the response hallucinated, where and why? with the reference in view",
        reads=(Reads("respond"),),
    ),
    Step(
        "induce",
        "inducer",
        "a factuality and a faithfulness hallucination of every turn, and a faithful paraphrase",
    ),
    Step(
        "detect",
        "subjects",
        "a subject judges responses without a reference, says of some where and why, and which of two is hallucinated",
        reads=SAMPLES,
        beside=("judgements",),
    ),
    Step(
        "meta",
        "meta_judge",
        "are judgements with their place and reason accurate?",
        reads=(*SAMPLES, Reads("detect")),
    ),
)
