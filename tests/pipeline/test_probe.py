"""A probe asks a few prompts of every kind, says how the replies are read, and leaves them for the build."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from committed import ROOT, with_sources

from tests.small_world import tables_of
from tests.stub import Stub, serving
from truerate.cli import main
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.core.schemas import save
from truerate.pipeline.checks.probe import probe, would_ask
from truerate.pipeline.dataset_tables import SOURCE
from truerate.pipeline.planning.plan import plan

BOARD = "halueval-closed-world"
SIZES = {"qa": 4, "dialogue": 4, "summarization": 4, "general": 4, "general_pool": 6}


class Mannered(Stub):
    """A model with manners: it refuses to write falsehoods in summaries, thinks without end over dialogues, puts
    verdicts on questions in bold, and hedges over summaries.
    """

    async def answer(self, body):
        asked = json.loads(body)["messages"][-1]["content"]
        self.calls[body.hex()] += 1
        return 200, {}, self.completion(*self.said(asked))

    def said(self, asked: str) -> tuple[str]:
        if "#Your Judgement#" in asked or "Judgement" in asked.rsplit("\n", 1)[-1]:
            if "#Summary#" in asked:
                return ("Yes as to the dates. No as to the places.",)
            return ("**Yes**",) if "#Question#" in asked else ("<think>Is that so? Perhaps",)
        if asked.rstrip().endswith("Understood."):
            return ("Understood.",)
        return (
            ("I cannot help with that.",) if "#Document#" in asked else (f"The Weser, {len(asked)} m long.",)
        )


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return tables_of(tmp_path_factory.mktemp("world"))


@pytest.fixture
def at(tables, tmp_path, monkeypatch):
    """The committed settings with one board, on which one model with manners does all."""
    monkeypatch.setenv("TRUERATE_STORE", str(tmp_path / "responses.sqlite"))
    with_sources(tmp_path, monkeypatch)
    with serving(Mannered()) as url:
        values = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
        values["endpoints"]["own"] = {"base_url": url}
        values["models"]["m"] = {"endpoint": "own", "model": "mannered"}
        values["boards"] = {BOARD: values["boards"][BOARD]}
        values["sizes"]["demo"]["halueval"] = SIZES
        roles = {role: "m" for role in ("dataset_generator", "filter_judge", "responder")}
        values["tracks"]["halueval"] |= roles | {"generators": ["m"], "subjects": ["m"]}
        (tmp_path / "params.yaml").write_text(yaml.safe_dump(values), "utf-8")
        layout = Layout.load()
        for table, model in SOURCE.items():
            save(model, getattr(tables, table), layout.source("closed-world", table))
        (tmp_path / layout.source("closed-world") / "card.json").write_text("{}")
        yield layout


def read(found) -> dict[str, list[str]]:
    """The outcomes of the replies by kind of prompt."""
    outcomes: dict[str, list[str]] = {}
    for one in found.replies:
        said = one.status + (f" {one.reason}" if one.reason else "")
        outcomes.setdefault(f"{one.kind.purpose} {one.kind.name}", []).append(said)
    return outcomes


def test_every_kind_is_asked_and_told_as_it_is_read(at):
    found = probe(at, "m", n=2)
    outcomes = read(found)
    assert outcomes["sample summarization one-pass"] == ["abstained refusal"] * 2
    assert outcomes["sample qa one-pass"] == outcomes["sample qa conversational"] == ["ok"] * 2
    assert outcomes["recognise qa plain"] == ["ok"] * 2
    assert outcomes["recognise dialogue plain"] == ["dead thought_only"] * 2
    assert all(one.startswith("unparsed") for one in outcomes["recognise summarization plain"])
    assert {len(told) for told in outcomes.values()} == {2}


def test_what_was_asked_is_paid_and_the_build_finds_it(at):
    cost = would_ask(at, "m", n=2)[BOARD]
    before = plan(at, BOARD)
    found = probe(at, "m", n=2)
    after = plan(at, BOARD)
    own = {one.reply.key for one in found.replies if one.is_own}
    assert before["n_stored"].sum() == 0 and cost.n_calls >= len(own)
    assert after["n_stored"].sum() >= len(own) > 0
    assert not any(one.reply.is_stored for one in found.replies)  # it says of none that it was there before
    assert all(one.reply.is_stored for one in probe(at, "m", n=2).replies)  # nothing is asked twice


def test_the_command_says_what_mends_it_and_ends_with_1(at, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["probe", "m", "--n", "1", "--board", BOARD])
    told = capsys.readouterr().out
    assert ended.value.code == 1
    assert (
        "recognise dialogue plain: thought took all 1024 tokens: raise `tracks.halueval.recognition.max_tokens`"
        in told
    )
    assert "sample summarization one-pass: the model declines" in told
    assert (
        "dead (thought_only)     Is that so? Perhaps" in told
    )  # what it said is shown, though nothing can be made of it


class Thinker(Mannered):
    """A model that thinks for 3,000 tokens, or for 300 at low effort, in the text."""

    async def answer(self, body):
        asked = json.loads(body)
        need = 300 if asked.get("reasoning_effort") == "low" else 3000
        self.calls[body.hex()] += 1
        text, is_cut = ideal(asked["messages"]), asked["max_tokens"] < need
        end = "length" if is_cut else "stop"
        return 200, {}, self.completion(f"<think>So?{'' if is_cut else '</think>' + text}", finish=end)


def ideal(messages: list[dict]) -> str:
    """A reply in the very form that the prompt asks for."""
    cue = messages[-1]["content"].rstrip().rsplit("\n", 1)[-1]
    if cue.endswith("Understood."):
        return "Understood."
    if "Choice" in cue or "Best" in cue:
        whole = "\n".join(one["content"] for one in messages)
        return next(f"{noun} 1" for noun in ("Response", "Summary", "Answer") if f"#{noun} 1#" in whole)
    if cue == "#Reasoning#:":
        return "They were compared.\n#Your Judgement#: Yes"
    return "Yes" if "Judgement" in cue else f"The Weser, {len(str(messages))} m long."


def advised(server: Mannered, capsys, **entry: object) -> tuple[int, list[str]]:
    """The exit code of a probe of a server, and its advice, with these settings of the model."""
    with serving(server) as url:
        values = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
        values["endpoints"]["own"]["base_url"] = url
        values["models"]["m"] = {"endpoint": "own", "model": "mannered", **entry}
        values["llm"]["max_attempts"] = 1
        Path("params.yaml").write_text(yaml.safe_dump(values), "utf-8")
        try:
            code = main(["probe", "m", "--n", "1", "--board", BOARD, "--json"])
        except SystemExit as ended:
            code = ended.code
        return code, json.loads(capsys.readouterr().out)["advice"]


def test_what_is_advised_for_a_model_that_thinks_mends_every_kind(at, capsys):
    server = Thinker()
    code, lines = advised(server, capsys)
    assert code == 1 and all("raise `tracks.halueval." in line and "effort" in line for line in lines)
    assert any("sample qa conversational: " in line for line in lines)  # its teaching turns were cut
    assert advised(server, capsys, params={"reasoning_effort": "low"}) == (0, [])
    assert advised(server, capsys, params={"max_tokens": 8192}) == (0, [])


def test_a_limit_of_the_model_itself_is_the_one_to_raise(at, capsys):
    name = "max_completion_tokens"
    values = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    values["models"]["m"]["params"] = {name: 77}
    Path("params.yaml").write_text(yaml.safe_dump(values), "utf-8")
    with pytest.raises(SystemExit):
        main(["probe", "m", "--n", "1", "--board", BOARD])
    assert f"thought took all 77 tokens: raise `models.m.params.{name}`, " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("model", "n", "boards", "line"),
    [
        ("nobody", 1, [], "model 'nobody' is not declared"),
        ("m", 0, [], "allowed: 1 and more"),
        ("m", 1, ["none"], "board 'none' is not declared"),
    ],
)
def test_a_mistake_is_one_line(at, model, n, boards, line):
    with pytest.raises(TruerateError, match=line):
        probe(at, model, n=n, boards=boards)


def test_a_model_in_no_role_is_probed_as_one_of_those_compared(at, capsys):
    """A declared model needs no edit of `tracks`: the prompts are those that it would get as a subject."""
    values = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    values["models"]["fresh"] = {"endpoint": "own", "model": "mannered"}
    Path("params.yaml").write_text(yaml.safe_dump(values), "utf-8")
    found = probe(Layout.load(), "fresh", n=1)
    assert dict(found.roles) == {BOARD: ("subjects",)}
    assert {one.kind.purpose for one in found.replies} == {"recognise", "refine"}
    assert all(not one.reply.is_stored for one in found.replies)
    with pytest.raises(SystemExit):
        main(["probe", "fresh", "--n", "1"])
    told = capsys.readouterr().out
    assert "nothing was asked: all of them stood in the response store" in told
    assert f"{BOARD}: its settings name 'fresh' in no role; it was asked as one of its `subjects`" in told


def test_a_simulated_model_is_asked_nothing_on_real_data(at):
    real = at.p.sources["closed-world"].model_copy(update={"is_simulated": False})
    p = at.p.model_copy(update={"sources": {**at.p.sources, "closed-world": real}})
    with pytest.raises(TruerateError, match="'cedar' is asked nothing on"):
        probe(replace(at, p=p), "cedar", n=1)
