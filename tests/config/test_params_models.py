"""Endpoints and models of params.yaml: where they are, and what they are known by."""

import pytest
from test_params import edited

from truerate.config import Endpoint, load_params
from truerate.core.errors import TruerateError


def two_hosts(p: dict, **second) -> None:
    p["endpoints"] |= {
        "hosted": {"base_url": "https://one.example/v1"},
        "local": {"base_url": "http://127.0.0.1:9/v1"},
    }
    p["models"] |= {
        "a": {"endpoint": "hosted", "model": "llama-8b"},
        "b": {"endpoint": "local", "model": "llama-8b", **second},
    }


def test_one_name_at_two_endpoints_is_refused_in_a_line_that_asks_for_an_identity(tmp_path):
    with pytest.raises(TruerateError) as caught:
        load_params(edited(tmp_path, two_hosts))
    said = str(caught.value)
    assert (
        "models.a (endpoint 'hosted') and models.b (endpoint 'local') would share their replies as 'llama-8b'"
        in said
    )
    assert "identity:" in said and "\n" not in said


def test_two_aliases_on_one_endpoint_may_share_their_replies(tmp_path):
    assert load_params(
        edited(tmp_path, lambda p: p["models"].update(again=dict(p["models"]["aster"])))
    ).model("again")


@pytest.mark.parametrize(
    ("endpoint", "address"),
    [
        ({}, "https://api.openai.com/v1"),
        ({"base_url": "http://host:8000/v1/"}, "http://host:8000/v1"),
        ({"launch": "serve --port {port}"}, Endpoint(launch="serve --port {port}").address),
    ],
)
def test_an_address_names_the_place_and_no_secret(endpoint, address):
    assert Endpoint(**endpoint).address == address
    assert (
        Endpoint(launch="serve --port {port} --other").address
        != Endpoint(launch="serve --port {port}").address
    )


@pytest.mark.parametrize(
    "url", ["http://user:S3cret@host/v1", "https://host/v1?api_key=S3cret", "https://host/v1#S3cret"]
)
def test_an_address_with_a_secret_is_refused(tmp_path, url):
    with pytest.raises(TruerateError, match="endpoints.e.base_url: must hold no user") as caught:
        load_params(edited(tmp_path, lambda p: p["endpoints"].update(e={"base_url": url})))
    assert "S3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "option", ["--api-key S3cret", "--api_key=S3cret", "--hf-token 'S3cret'", "-token S3cret"]
)
def test_a_command_with_a_secret_is_refused(tmp_path, option):
    with pytest.raises(TruerateError, match="endpoints.e.launch: holds a literal key") as caught:
        load_params(
            edited(tmp_path, lambda p: p["endpoints"].update(e={"launch": f"serve --port {{port}} {option}"}))
        )
    assert "S3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "extra", [{"messages": []}, {"model": "x"}, {"stream": True}, {"n": 2, "top_k": 3}, {"max_tokens": 1}]
)
def test_an_extra_body_says_nothing_that_the_request_says(tmp_path, extra):
    with pytest.raises(TruerateError, match="models.aster.extra_body: .*every request has its own"):
        load_params(edited(tmp_path, lambda p: p["models"]["aster"].update(extra_body=extra)))


# ---- how unread and cut replies are dealt with -------------------------------------------------------------


def test_the_rules_for_cut_replies_are_the_tracks_and_above_them_those_of_params(tmp_path):
    p = load_params(edited(tmp_path, lambda p: p["llm"].update(cut={"recognise": "drop"})))
    rules = p.rules_of_cut("halueval")
    assert (rules["recognise"], rules["filter"], rules["respond"]) == ("drop", "read", "keep")


@pytest.mark.parametrize(
    ("llm", "said"),
    [
        ({"cut": {"recognize": "read"}}, r"llm\.cut: no track asks a model for 'recognize'.*recognise"),
        ({"cut": {"recognise": "cut"}}, r"llm\.cut\.recognise: .*keep.*read.*drop"),
        ({"reask": 2}, r"llm\.reask: "),
    ],
)
def test_rules_that_cannot_hold_are_one_line(tmp_path, llm, said):
    with pytest.raises(TruerateError, match=said) as caught:
        load_params(edited(tmp_path, lambda p: p["llm"].update(llm)))
    assert "\n" not in str(caught.value)
