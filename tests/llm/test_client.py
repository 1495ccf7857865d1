"""What goes out with a call, and by which way."""

import pytest

from llm.asked import asking
from truerate.core.errors import TruerateError
from truerate.llm import ask
from truerate.llm.transport.client import proxy_for

VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
ELSEWHERE = {"base_url": "http://models.invalid/v1"}


@pytest.fixture
def proxies(monkeypatch):
    """Sets variables of proxies, and no others hold."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    return lambda **values: [monkeypatch.setenv(name, value) for name, value in values.items()]


def test_a_call_brings_the_key_and_is_billed_to_nobody_but_at_openai(at, stub, monkeypatch):
    monkeypatch.setenv("STUB_KEY", "some key")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody")
    ask([asking("x")], at(endpoint={"api_key_env": "STUB_KEY"}), label="x")
    sent = stub.stub.headers
    assert (sent["authorization"], sent["content-type"]) == ("Bearer some key", "application/json")
    assert "org-of-somebody" not in sent.values()


def test_a_call_goes_by_the_proxy_that_the_environment_names(at, stub, proxies):
    proxies(http_proxy=stub.url.removesuffix("/v1"))
    (reply,) = ask([asking("x")], at(endpoint=ELSEWHERE), label="x")
    assert (reply.text, stub.stub.headers["host"]) == ("echo: x", "models.invalid")


def test_a_host_that_the_environment_takes_out_is_asked_itself(at, stub, proxies):
    proxies(http_proxy=stub.url.removesuffix("/v1"), no_proxy="models.invalid")
    with pytest.raises(TruerateError, match="models.invalid"):
        ask([asking("x")], at(endpoint=ELSEWHERE), label="x")
    assert stub.n_calls == 0


def test_which_proxy_an_address_has(proxies):
    assert proxy_for("https://models.invalid/v1") is None
    proxies(https_proxy="http://gate:3128", all_proxy="other:80", no_proxy="inside.invalid")
    named = [proxy_for(f"{scheme}://models.invalid/v1") for scheme in ("https", "http", "HTTPS")]
    assert named == ["http://gate:3128", "http://other:80", "http://gate:3128"]
    assert [proxy_for(url) for url in ("https://a.inside.invalid/v1", "http://127.0.0.1:80/v1", "no address")] == [
        None, None, None,
    ]  # fmt: skip
    assert proxy_for("http://[half/v1") is None
