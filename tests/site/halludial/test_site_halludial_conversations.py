"""The sample browser's records of responses in dialogues."""

import dataclasses

from opened_scripts import values_of
from tiny_halludial import HISTORY, KNOWLEDGE, RESPONSE, halludial_board

from truerate.site.samples.browser import scripts
from truerate.site.samples.located import conversation, outcome, records
from truerate.site.tables import Tables


def span(start, end):
    return {"start": start, "end": end, "type": None, "p": None}


def by_id(n_max=100):
    made, index = records(halludial_board(), n_max)
    return {record["id"]: record for record in made}, index


def test_a_conversation_is_cut_at_its_speakers():
    assert conversation(HISTORY, "When?") == [
        [True, "Hello!"],
        [False, "Hello. <b>Ask</b> me anything."],
        [True, "When?"],
    ]
    assert conversation("User: a\nb\nAssistant: c", "") == [[True, "a\nb"], [False, "c"]]
    assert conversation("", "") == [] and conversation("no speaker", "q") == [
        [True, "no speaker"],
        [True, "q"],
    ]


def test_a_response_with_two_labels_is_one_record_led_by_people():
    found, index = by_id()
    assert set(found) == {"g1", "i1", "i2", "t1"} and index["n"] == index["n_all"] == 4
    both = found["g1"]
    assert [label[:2] for label in both["labels"]] == [["gold", False], ["silver", True]] and not both[
        "wrong"
    ]
    silver = both["layers"].index("silver")
    marked = [part[0] for part in both["text"] if silver in [mark[0] for mark in part[1]] and part[0] != part]
    assert "".join(marked) == "1901" and RESPONSE[18:22] == "1901"
    assert both["labels"][1][2] == "1842." and both["knowledge"] == KNOWLEDGE
    assert both["turns"][-1] == [True, "When was Port Meridian founded?"] and both["by"] == "cedar"


def test_what_judges_say_has_its_segments_and_a_composed_reason_is_called_so():
    found, _ = by_id()
    zero, three = found["g1"]["said"][1], found["g1"]["said"][0]
    assert zero[:2] == ["aster · zero-shot", False] and zero[4] is False
    assert three[1] is True and three[3] == "It says so."
    layer = found["g1"]["layers"].index("aster · three demonstrations")
    assert ["was", [[layer, "hallucinated segment", 0]]] in found["g1"]["text"]
    (judge,) = found["i1"]["said"]
    assert judge[0] == "hallujudge-tiny" and judge[3:] == ["1842.", True]


def test_outcomes_tell_a_found_hallucination_from_a_found_segment():
    label = {"is_hallucinated": True, "spans": [span(0, 5)]}
    assert outcome({"verdict": None, "spans": None}, label) == "u"
    assert outcome({"verdict": False, "spans": None}, label) == "w"
    assert outcome({"verdict": True, "spans": [span(4, 8)]}, label) == "r"
    assert outcome({"verdict": True, "spans": [span(5, 8)]}, label) == "p"
    assert outcome({"verdict": True, "spans": []}, label) == "r"


def test_the_index_names_what_can_be_filtered():
    _, index = by_id()
    assert index["form"] == "located" and index["judges"]["aster · three demonstrations"].strip("-") == "w"
    assert [value for value, _ in index["columns"]["source"]["values"]] == ["silver", "gold"]
    codes = index["columns"]["source"]["codes"]
    assert [0, 1] in [sorted(code) for code in codes]  # a record with both labels
    assert index["judges"]["birch · zero-shot"].replace("-", "") == "u"


def test_what_nothing_learned_from_comes_first():
    assert set(by_id(1)[0]) == {"g1"} and "t1" not in by_id(3)[0]


def test_texts_stay_closed_where_rights_do():
    board = halludial_board()
    closed = dataclasses.replace(
        board, source=board.name, source_card=board.source_card | {"redistribution": "ids-only"}
    )
    tables = Tables(title="t", boards=(board, closed), models={}, rows=None)
    told = values_of(scripts(tables, closed))
    ids = told[f"samples/{closed.name}/0.js"]
    assert [record["id"] for record in ids] and not any("text" in record for record in ids)
    files = dict(scripts(tables, board))
    assert len(files) == 4 and "<b>" not in "".join(files.values())
