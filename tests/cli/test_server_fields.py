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
        if "max_tokens" in asked:
            return 400, {}, b'{"error": {"message": "use max_completion_tokens"}}'
        if asked.get("temperature") == 0.0:
            return 400, {}, b'{"error": {"message": "temperature does not support 0.0"}}'
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
    taken = {"temperature, top_p, seed", "frequency_penalty", "stop", "a system message", "reasoning_effort"}
    assert {found[name][0] for name in taken} == {"ok"}  # though it refuses `max_tokens`
    assert found["temperature 0"][0] == "refused" and "does not support 0.0" in found["temperature 0"][1]
    assert found["another model's name"][0] == "refused"
    assert found["a prompt of 20,000 words"] == (
        "refused",
        '400 {"error": {"message": "maximum context length"}}',
    )


class Endless(Stub):
    """A server that passes over limits and stops, and knows no system message."""

    async def answer(self, body):
        asked = json.loads(body)
        if asked["messages"][0]["role"] == "system":
            return 400, {}, b'{"error": {"message": "System role not supported"}}'
        is_long = "Count" in asked["messages"][0]["content"]
        self.usage = {"prompt_tokens": 20, "completion_tokens": 80 if is_long else 1}
        return 200, {}, self.completion("1, 2, 3, 4, 5" if is_long else "Yes")


class Thinker(Stub):
    """A model that thinks before it answers, for some fifty tokens, its thought apart or in the text."""

    is_apart = True

    async def answer(self, body):
        asked = json.loads(body)
        limit = asked.get("max_tokens") or asked["max_completion_tokens"]
        is_cut, n_out = limit < 50, min(limit, 60)
        self.usage = {"prompt_tokens": 20, "completion_tokens": n_out}
        text = '{"verdict": "Yes"}' if "response_format" in asked else "Yes"
        end = "length" if is_cut else "stop"
        if self.is_apart:
            return 200, {}, self.completion(None if is_cut else text, finish=end, reasoning_content="So?")
        return 200, {}, self.completion(f"<think>So?{'' if is_cut else '</think>' + text}", finish=end)


def told_of(server: Stub, capsys) -> dict[str, tuple[str, str]]:
    """What the command tells of a server, by field."""
    with serving(server) as url:
        values = yaml.safe_load(open("params.yaml").read())
        values["endpoints"]["own"] = {"base_url": url}
        open("params.yaml", "w").write(yaml.safe_dump(values))
        main(["doctor", "--ask", "m", "--json"])
    return {row["name"]: (row["state"], row["detail"]) for row in json.loads(capsys.readouterr().out)}


def test_limits_and_stops_that_are_passed_over_are_told(picky, capsys):
    found = told_of(Endless(), capsys)
    passed_over = {name for name, (state, _) in found.items() if state == "passed over"}
    assert {"max_tokens", "max_completion_tokens", "stop"} <= passed_over
    state, told = found["a prompt of 20,000 words"]
    assert (state, told.split(":")[0]) == ("passed over", "cut to 20 tokens in silence")
    assert found["a system message"] == ("refused", '400 {"error": {"message": "System role not supported"}}')
    assert found["temperature 0"][0] == "ok"


@pytest.mark.parametrize(("is_apart", "where"), [(True, "thought apart"), (False, "thought in the text")])
def test_that_a_model_thinks_is_told_and_hides_nothing(picky, capsys, is_apart, where):
    server = Thinker()
    server.is_apart = is_apart
    found = told_of(server, capsys)
    assert where in found["max_tokens"][1] and found["max_tokens"][0] == "ok"
    assert found["response_format"][0] == "ok"  # there is room for it
    assert found["stop"][0] == "not told"


class Stumbling(Stub):
    """A server that takes every field, but answers each request with a fault that passes at first."""

    async def answer(self, body):
        self.calls[body.hex()] += 1
        if self.calls[body.hex()] == 1:
            status = (429, 500, 502)[len(self.calls) % 3]
            return status, {"retry-after": "0.01"}, b'{"error": {"message": "busy"}}'
        return 200, {}, self.completion("Yes")


def test_a_fault_that_passes_is_no_refusal_of_a_field(picky, capsys):
    found = told_of(Stumbling(), capsys)
    assert "refused" not in {state for state, _ in found.values()}


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


class Apart(Stub):
    """A server that writes the whole answer into a field beside an empty content."""

    field = "reasoning"

    async def answer(self, body):
        return 200, {}, self.completion(None, **{self.field: "Yes."})


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_an_answer_that_stands_in_the_reasoning_is_no_ok(picky, capsys, field):
    server = Apart()
    server.field = field
    found = told_of(server, capsys)
    state, told = found["temperature, top_p, seed"]
    assert state == "no answer" and f"content is empty: the server puts the answer into '{field}'" in told
    assert {found[name][0] for name in ("response_format", "a system message", "max_tokens")} == {"no answer"}


class Barred(Stub):
    """A server that turns every request away."""

    status = 401

    async def answer(self, body):
        return self.status, {}, b'{"error": {"message": "Incorrect API key provided"}}'


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "it refuses the key: set OWN_KEY"),
        (402, "no credit left"),
        (403, "set OWN_KEY, or name another model"),
        (404, "correct `models.m.model`"),
    ],
)
def test_a_server_that_turns_everything_away_is_one_line(picky, refused, monkeypatch, status, advice):
    monkeypatch.setenv("OWN_KEY", "sk-not-shown")
    server = Barred()
    server.status = status
    with serving(server) as url:
        values = yaml.safe_load(open("params.yaml").read())
        values["endpoints"]["own"] = {"base_url": url, "api_key_env": "OWN_KEY"}
        open("params.yaml", "w").write(yaml.safe_dump(values))
        said = refused("doctor", "--ask", "m")
    assert str(status) in said and advice in said and "sk-not-shown" not in said
