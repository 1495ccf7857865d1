"""A probe asks a few prompts of every kind, says how the replies are read, and leaves them for the build."""

import json
import re
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
    """A model that thinks for 3,000 tokens, or for 300 at low effort, its thought apart or in the text."""

    is_apart = True

    async def answer(self, body):
        asked = json.loads(body)
        need = 300 if asked.get("reasoning_effort") == "low" else 3000
        self.calls[body.hex()] += 1
        text, is_cut = ideal(asked["messages"]), asked["max_tokens"] < need
        end = "length" if is_cut else "stop"
        if self.is_apart:
            return 200, {}, self.completion(None if is_cut else text, finish=end, reasoning_content="So?")
        return 200, {}, self.completion(f"<think>So?{'' if is_cut else '</think>' + text}", finish=end)


class Hedging(Mannered):
    """A model that keeps no form but that of structured output."""

    async def answer(self, body):
        asked = json.loads(body)
        self.calls[body.hex()] += 1
        text = ideal(asked["messages"])
        if form := asked.get("response_format"):
            word = text.rsplit("#: ", 1)[-1]
            made = dict.fromkeys(form["json_schema"]["schema"]["properties"], word)
            return 200, {}, self.completion(json.dumps(made))
        is_text = text.startswith(("Understood", "The Weser"))
        return 200, {}, self.completion(text if is_text else "That could be seen either way.")


class Silent(Mannered):
    """A server whose reasoning parser takes the whole answer for thought."""

    async def answer(self, body):
        self.calls[body.hex()] += 1
        return 200, {}, self.completion(None, reasoning_content="The Weser.")


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


@pytest.mark.parametrize("is_apart", [True, False])
def test_what_is_advised_for_a_model_that_thinks_mends_every_kind(at, capsys, is_apart):
    server = Thinker()
    server.is_apart = is_apart
    code, lines = advised(server, capsys)
    assert code == 1 and all("raise `tracks.halueval." in line and "effort" in line for line in lines)
    assert any("sample qa conversational: " in line for line in lines)  # its teaching turns were cut
    assert advised(server, capsys, params={"reasoning_effort": "low"}) == (0, [])
    assert advised(server, capsys, params={"max_tokens": 8192}) == (0, [])


def test_what_is_advised_for_a_model_without_form_mends_every_kind(at, capsys):
    code, lines = advised(Hedging(), capsys)
    assert code == 1 and all("`models.m.structured: json_schema`" in line for line in lines)
    assert {"filter qa", "recognise qa contrast", "recognise dialogue chain-of-thought"} <= {
        line.split(": ")[0].split(" · ")[1] for line in lines
    }
    assert not any("asked again" in line for line in lines)  # told once
    assert advised(Hedging(), capsys, structured="json_schema") == (0, [])


def test_an_answer_among_the_thought_is_named(at, capsys):
    """The probe ends after twenty such replies, for the build would."""
    with serving(Silent()) as url:
        values = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
        values["endpoints"]["own"]["base_url"] = url
        Path("params.yaml").write_text(yaml.safe_dump(values), "utf-8")
        with pytest.raises(TruerateError, match=r"none of them whole.*puts the answer into the reasoning"):
            probe(Layout.load(), "m", n=1)


class Cut(Mannered):
    """The same, cut at its limit of tokens wherever it writes."""

    def completion(self, text, *, finish="stop", **message):
        return super().completion(text, finish="length" if "Weser" in text else finish, **message)


def test_the_words_of_a_reply_that_was_cut_are_shown(at, capsys):
    with serving(Cut()) as url:
        values = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
        values["endpoints"]["own"]["base_url"] = url
        Path("params.yaml").write_text(yaml.safe_dump(values), "utf-8")
        for _ in range(2):  # asked now, and stored
            with pytest.raises(SystemExit):
                main(["probe", "m", "--n", "1", "--board", BOARD])
            told = capsys.readouterr().out
            assert re.search(r"dead \(length\) +The Weser, \d+ m long\.\n", told)


@pytest.mark.parametrize("structured", [None, "json_schema"])
def test_structured_output_is_advised_where_it_is_not_asked_for(at, capsys, structured):
    values = yaml.safe_load(Path("params.yaml").read_text("utf-8"))
    values["models"]["m"]["structured"] = structured
    Path("params.yaml").write_text(yaml.safe_dump(values), "utf-8")
    with pytest.raises(SystemExit):
        main(["probe", "m", "--n", "1", "--board", BOARD])
    lines = capsys.readouterr().out.splitlines()
    hedged = [line for line in lines if "recognise summarization plain: nothing could be read" in line]
    advised = ["`models.m.structured: json_schema` holds it to the form" in line for line in hedged]
    assert advised == [structured is None]


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_limit_of_the_model_itself_is_the_one_to_raise(at, capsys, name):
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
