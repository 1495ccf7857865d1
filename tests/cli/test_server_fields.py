"""What `truerate doctor --ask` tells of a server, over loopback."""

import json
from typing import ClassVar

import pytest
import yaml
from committed import ROOT

from tests.stub import Stub, serving
from truerate.cli import main
from truerate.llm.structured import verdict


class Picky(Stub):
    """A server that refuses `max_tokens`, passes over structured output, and knows its own name alone."""

    forms: ClassVar[list] = []  # of structured output that was asked for

    async def answer(self, body):
        asked = json.loads(body)
        self.forms.append(asked.get("response_format"))
        if asked["model"] != "picky":
            return 404, {}, b'{"error": {"message": "no such model"}}'
        if len(asked["messages"][0]["content"]) > 10_000:
            return 400, {}, b'{"error": {"message": "maximum context length"}}'
        if asked.get("max_tokens") == 3 and "logprobs" not in asked:
            return 400, {}, b'{"error": {"message": "use max_completion_tokens"}}'
        return 200, {}, self.completion("Yes <b>")


@pytest.fixture
def picky(tmp_path, monkeypatch):
    """A folder whose params.yaml names a model on that server."""
    monkeypatch.chdir(tmp_path)
    for name in ("src", "rules"):
        (tmp_path / name).symlink_to(ROOT / name)
    values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    with serving(Picky()) as url:
        values["endpoints"]["own"] = {"base_url": url}
        values["models"]["m"] = {"endpoint": "own", "model": "picky"}
        (tmp_path / "params.yaml").write_text(yaml.safe_dump(values), "utf-8")
        yield


def test_each_field_is_told_as_the_server_takes_it(picky, capsys):
    assert main(["doctor", "--ask", "m", "--json"]) == 0
    found = {row["name"]: (row["state"], row["detail"]) for row in json.loads(capsys.readouterr().out)}
    assert found["max_tokens"][0] == "refused" and "max_completion_tokens" in found["max_tokens"][1]
    assert found["max_completion_tokens"][0] == "ok" and "10 + 5 tokens" in found["max_completion_tokens"][1]
    assert found["response_format"][0] == found["logprobs"][0] == "passed over"
    assert found["another model's name"][0] == "refused"
    assert found["a prompt of 20,000 words"] == (
        "refused",
        '400 {"error": {"message": "maximum context length"}}',
    )


def test_structured_output_is_asked_for_in_the_form_that_builds_send(picky, capsys):
    Picky.forms.clear()
    main(["doctor", "--ask", "m", "--json"])
    assert [form for form in Picky.forms if form] == [verdict().sent()]
    assert verdict().sent()["json_schema"]["strict"] is True


def test_nobody_at_the_address_is_one_line(picky, refused, monkeypatch):
    values = yaml.safe_load(open("params.yaml").read())
    values["endpoints"]["own"] = {"base_url": "http://127.0.0.1:9/v1"}
    open("params.yaml", "w").write(yaml.safe_dump(values))
    assert "http://127.0.0.1:9/v1" in refused("doctor", "--ask", "m")
    assert "start the server or correct the `base_url`" in refused("doctor", "--ask", "m")
    assert "model 'none' is not declared" in refused("doctor", "--ask", "none")


def test_a_key_that_is_not_set_is_one_line(picky, refused, monkeypatch):
    values = yaml.safe_load(open("params.yaml").read())
    values["endpoints"]["own"]["api_key_env"] = "NO_SUCH_KEY"
    open("params.yaml", "w").write(yaml.safe_dump(values))
    assert "the variable NO_SUCH_KEY is not set" in refused("doctor", "--ask", "m")
