"""The tables that a terminal shows of a board of labelled replies."""

from tests.tracks.labelled_replies.made import items, judgements, layout, reply, said, samples
from truerate.core.schemas import Generation, frame
from truerate.tracks.labelled_replies.public_tables import public_tables
from truerate.tracks.labelled_replies.scores import score

CARD = {"labelled_by": "people"}


def tables(rows, *verdicts):
    own = {"items": items(), "samples": samples(*rows), "judgements": judgements(*verdicts)}
    scores, _ = score(layout(), "b", **own, generations=frame(Generation), inputs="i")
    return public_tables(own["samples"], scores, CARD)


def test_a_line_per_subject_lowest_rate_first_with_its_tasks_and_rules():
    rows = [
        reply("a", "1", True, part="nq", rule_strict=True),
        reply("a", "2", True, part="tq", rule_strict=False),
    ]
    rows += [reply("b", "1", False, part="nq", rule_strict=False)]
    _, (title, rates), *_ = tables(rows)
    assert "labelled by people" in title
    assert rates.columns == ["subject", "n", "all", "nq", "strict", "tq"]
    assert rates["subject"].to_list() == ["b", "a"] and rates["n"].to_list() == [1, 2]


def test_what_is_not_identified_says_so():
    rows = [reply(name, str(k), k < 10) for name in "ab" for k in range(20)]
    verdicts = [said("d", row["sample_id"], True) for row in rows]
    *_, (_, detectors), (_, corrected) = tables(rows, *verdicts)
    assert detectors.select("subject", "rule", "n").rows() == [("d", None, 40)]
    assert corrected.sort("subject")["rogan-gladen"].to_list() == ["not identified"] * 2
    assert corrected["raw"][0].startswith("1.000")


def test_a_board_without_detectors_has_no_such_tables():
    *_, (_, detectors), (_, corrected) = tables([reply("a", "1", True)])
    assert detectors.is_empty() and corrected.is_empty()
