"""Verdicts with place and reason as rows hold them."""

from truerate.tracks.halludial.detecting import rationale, read_located, spans

RESPONSE = "It is Porto, on the Tagus."


def read(reply: str):
    return read_located(reply, RESPONSE, "Annotation", "Lisbon lies on the Tagus.")


def test_a_verdict_keeps_its_segments_and_its_reason():
    found = read('#Annotation#: Yes. The segment "Porto" is wrong, because no mention is made of it.')
    assert found.attributes["verdict"] == "yes"
    assert found.text == 'Yes. The segment "Porto" is wrong, because no mention is made of it.'
    assert spans(found.attributes) == [{"start": 6, "end": 11, "type": "unspecified", "p": None}]
    assert rationale(found.text).startswith("The segment")


def test_a_quotation_that_stands_nowhere_is_counted():
    found = read('Yes. The segment "Madrid" is wrong.')
    assert spans({}) == [] and found.attributes["segments"] is None
    assert (found.attributes["n_quoted"], found.attributes["n_not_located"]) == ("1", "1")


def test_a_bare_no_has_no_reason_and_no_segment():
    found = read("No")
    assert (found.text, found.attributes["verdict"]) == ("No.", "no")
    assert rationale(found.text) is None


def test_a_reply_without_a_verdict_is_unparsed():
    found = read("The response speaks of Porto.")
    assert (found.status, found.reason) == ("unparsed", "absent")
