"""Stated forms: what is sent of them, what their JSON stands for, and a server that takes none."""

import pytest

from llm.asked import TARGET, asking
from llm.test_keys import variant
from truerate.core.errors import EndpointError
from truerate.llm.ask import ask, recorded
from truerate.llm.request import Request, answered, as_asked
from truerate.llm.store.budget import bound
from truerate.llm.structured import choice, numbered_verdicts, reasoned_verdict, verdict
from truerate.tracks.asking import whole_part
from truerate.tracks.halueval.recognition import read_judgement

VERDICT = verdict()
NUMBERED = numbered_verdicts(("supported", "not supported"))


def formed(text: str, form=VERDICT) -> Request:
    return Request(
        "m", ({"role": "user", "content": text},), {"temperature": 0.0, "max_tokens": 50}, form=form
    )


@pytest.mark.parametrize(
    ("form", "text", "plain"),
    [
        (VERDICT, '{"verdict": "Yes"}', "Yes"),
        (VERDICT, '```json\n{"verdict": "No"}\n```', "No"),
        (reasoned_verdict("Your Judgement"), '{"reasoning": "No. 4 is right.", "verdict": "No"}', "No. 4 is right.\n#Your Judgement#: No"),
        (choice(("Answer 1", "Answer 2")), '{"choice": "Answer 2"}', "Answer 2"),
        (NUMBERED, '{"verdicts": [{"claim": 1, "verdict": "supported"}, {"claim": 2, "verdict": "not supported"}]}',
         "[1] supported\n[2] not supported"),
    ],
)  # fmt: skip
def test_the_json_of_a_form_stands_for_the_text_that_the_prompt_asks_for(form, text, plain):
    assert form.plain(text) == plain


@pytest.mark.parametrize(
    "text",
    ["Yes", "", '{"verdict": ', '{"answer": "Yes"}', '{"verdict": true}', '["Yes"]', '"Yes"', "{}", "null"],
)
def test_a_reply_of_another_form_stays_as_it_is(text):
    assert VERDICT.plain(text) == text


@pytest.mark.parametrize(
    "text", ['{"verdicts": [{"claim": "x", "verdict": "supported"}]}', '{"verdicts": 3}']
)
def test_broken_lists_stay_as_they_are(text):
    assert NUMBERED.plain(text) == text


def test_a_schema_allows_the_words_of_the_reader_and_nothing_else():
    schema = VERDICT.sent()["json_schema"]
    assert schema["schema"]["properties"] == {"verdict": {"type": "string", "enum": ["Yes", "No"]}}
    assert (schema["name"], schema["strict"], schema["schema"]["additionalProperties"]) == (
        "verdict",
        True,
        False,
    )


def test_the_form_is_in_the_key_and_the_bound_where_params_ask_for_it_alone():
    structured, plain = variant(structured="json_schema"), asking("x")
    assert TARGET.key(formed("x")) == TARGET.key(plain) == structured.key(plain)
    assert structured.key(formed("x")) != TARGET.key(plain)
    assert structured.key(formed("x")) != structured.key(formed("x", NUMBERED))
    assert bound(structured, formed("x"))[0] > bound(TARGET, formed("x"))[0] == bound(TARGET, plain)[0]


def test_the_server_is_handed_the_schema_and_the_reply_is_read_as_text(at, stub):
    layout = at(model={"structured": "json_schema"})
    first, second = ask([formed('[[text {"verdict": "Yes"}]]'), asking("[[text {}]]")], layout, label="x")
    assert (first.text, second.text) == ("Yes", "{}")
    assert recorded([first.key], layout)[first.key][0]["params"]["response_format"] == VERDICT.sent()
    assert ask([formed('[[text {"verdict": "Yes"}]]')], layout, label="x")[0].text == "Yes"
    assert stub.n_calls == 2


def test_a_model_without_the_setting_gets_the_request_as_ever(at, stub):
    (reply,) = ask([formed('[[text {"verdict": "Yes"}]]')], at(), label="x")
    assert "response_format" not in stub.stub.last and reply.text == '{"verdict": "Yes"}'


@pytest.mark.parametrize(
    ("model", "setting"),
    [({"structured": "json_schema"}, r"models\.m\.structured"),
     ({"params": {"response_format": {"type": "json_object"}}}, r"models\.m\.params\.response_format")],
)  # fmt: skip
def test_a_server_that_takes_no_schema_ends_the_run_with_the_setting(at, stub, model, setting):
    ask([formed("fine")], at(), label="x")  # it has answered before
    stub.stub.refused = ("response_format",)
    with pytest.raises(EndpointError, match=rf"refuses structured output: 400: .*; set {setting} .* to null"):
        ask([formed(f"{n}") for n in range(50)], at(model=model), label="x")
    assert stub.n_calls < 20


def test_an_object_that_is_whole_was_not_cut_though_blank_space_filled_the_limit():
    """Of a cut text the last line is taken away, which would be the verdict, and a word of the reasoning read."""
    form = reasoned_verdict("Your Judgement")
    whole = '{"reasoning": "It holds hallucination: Yes for the place.", "verdict": "No"}'
    for text in (whole, f"{whole}\n\n\n   "):
        reply = answered("k", text, "length", 1, 1)
        for keeps_cut in (True, False):
            found = as_asked(reply, formed("x", form), keeps_cut=keeps_cut, is_structured=True)
            assert (found.status, found.finish_reason) == ("ok", "stop")
            assert read_judgement(found.text).attributes["verdict"] == "no"
    for n in range(1, len(whole)):
        reply = answered("k", whole[:n], "length", 1, 1)
        found = as_asked(reply, formed("x", form), keeps_cut=True, is_structured=True)
        assert (found.text, found.finish_reason) == (whole[:n], "length")
        assert "verdict" not in read_judgement(whole_part(found.text)).attributes
    assert as_asked(reply, formed("x", form), keeps_cut=False, is_structured=True).reason == "length"
