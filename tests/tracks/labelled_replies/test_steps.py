"""The data set of labelled replies is the source's own."""

from types import SimpleNamespace

from tests.tracks.labelled_replies.made import item, items, judgements, reply, said, samples
from truerate.core.schemas import Generation, frame
from truerate.tracks.labelled_replies.steps import exported, targets


def test_replies_and_verdicts_are_taken_as_published_with_the_match_of_words_beside():
    source = SimpleNamespace(
        items=items(item("item-1", "Oster")),
        samples=samples(reply("a", "1", True, text="In Lund.")),
        judgements=judgements(said("d", "a/1", False)),
    )
    tables, tasks = exported(None, "b", source, {}, {})
    rows = tables["judgements"].select("judge", "verdict").sort("judge").rows()
    assert rows == [("d", False), ("word-match", True)] and tasks == []
    assert tables["samples"].equals(source.samples) and tables["generations"].is_empty()


def test_detectors_judge_what_has_a_text():
    rows = samples(reply("a", "1", True, text=" "), reply("a", "2", True, text="Text."))
    assert targets(rows, frame(Generation))["target_id"].to_list() == ["a/2"]
