"""What people are given: whole conversations, and the judgements that the meta-judge gets."""

from collections import Counter

from truerate.tracks.halludial.dataset import annotation_tasks, natural_responses
from truerate.tracks.halludial.meta_judging import Judged
from truerate.tracks.halludial.settings import Labelling

from .made import context, response

RULES = Labelling(n_annotators=2, screening_agreement=0.6)


def test_whole_conversations_evenly_over_the_responders():
    rows = [
        response(f"{model}{group}{turn}", model=model, group_id=group, turn=str(turn))
        for model in ("a", "b") for group in ("g0", "g1", "g2") for turn in range(3)
    ]  # fmt: skip
    kept = natural_responses(rows, 4, 7)
    assert Counter(row["model"] for row in kept) == {"a": 6, "b": 6}
    few, more = ({row["generation_id"] for row in natural_responses(rows, n, 7)} for n in (2, 4))
    assert few < more and len(few) == 6


def test_tasks_say_who_gets_them_and_nothing_of_a_verdict_but_the_evaluation():
    judged = Judged("j", "model", "i0", "It is Porto.", "No. Fine.", False)
    natural, meta = annotation_tasks([response("a")], [judged], {"i0": context()}, RULES)
    assert (natural["kind"], natural["task_id"], natural["response"]) == ("natural", "a", "It is Lisbon.")
    assert (meta["kind"], meta["evaluation"], meta["response"]) == ("meta", "No. Fine.", "It is Porto.")
    assert natural["annotators"] == ["annotator-1", "annotator-2"]
    assert "evaluation" not in natural and "verdict" not in natural
