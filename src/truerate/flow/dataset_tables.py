"""The tables of a board's data set, and those that one of its steps may give besides replies, by name."""

from truerate.core.schemas import Count, Document, Fact, Generation, Item, Judgement, Reject, Sample

DATASET = {
    "items": Item,
    "documents": Document,
    "generations": Generation,
    "facts": Fact,
    "samples": Sample,
    "judgements": Judgement,
    "rejects": Reject,
    "counts": Count,
}
BESIDE = {"judgements": Judgement, "documents": Document, "rejects": Reject}
