"""What the end of a build says of its replies: nothing where all went well."""

from pathlib import Path

import pytest

from truerate.config.layout import Layout
from truerate.core.schemas import Generation, frame, pairs, write_parquet
from truerate.pipeline import build_summary
from truerate.pipeline.causes import BUILD

ROOT = Path(__file__).parents[2]
HELD, OTHER = "halueval-closed-world", "mfava-closed-world"


@pytest.fixture
def at(tmp_path, monkeypatch) -> Layout:
    layout = Layout.load(str(ROOT / "params.yaml"))
    monkeypatch.chdir(tmp_path)
    return layout


def replies(
    n: int,
    status: str = "ok",
    reason: str | None = None,
    *,
    model: str = "elm",
    purpose: str = "recognise",
    **more,
) -> list[dict]:
    """Rows that differ by their keys alone."""
    known = {
        "item_id": "i",
        "sample_index": 0,
        "params": "{}",
        "text": "",
        "cost_usd": 0.0,
        "finish_reason": "stop",
    }
    of = {"model": model, "purpose": purpose, "status": status, "reason": reason}
    return [
        known | of | more | {"generation_id": f"{of}{i}", "prompt_key": f"{status}{reason}{i}"}
        for i in range(n)
    ]


def built(config: Layout, board: str, *rows: list[dict]) -> list[str]:
    write_parquet(frame(Generation, sum(rows, [])), Path(config.dataset(board, "generations")))
    return build_summary.lines(config)


def test_a_build_that_went_well_says_nothing(at):
    assert build_summary.lines(at) == []
    assert (
        built(
            at,
            HELD,
            replies(5),
            replies(4, "unparsed", "no_verdict"),
            replies(9, "abstained", purpose="sample"),
        )
        == []
    )
    assert (
        built(at, OTHER, replies(3, "dead", "refusal"), replies(3)) == []
    )  # half is not most, and a refusal is the model's own


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([replies(5), replies(6, "unparsed", "no_verdict")], "recognise: 6 unread of 11"),
        ([replies(2), replies(3, "dead", "context_length")], "recognise: 3 dead of 5"),
        ([replies(4), replies(5, finish_reason="length")], "recognise: 5 cut of 9"),
        ([replies(1, "dead", "length")], "recognise: 1 cut of 1"),
        ([replies(4), replies(2, "dead", "refusal"), replies(2, "unparsed"), replies(1, finish_reason="length")],
         "recognise: 2 dead, 2 unread, 1 cut of 9"),
        ([replies(9), replies(1, "unparsed", purpose="refine")], "refine: 1 unread of 1"),
    ],
)  # fmt: skip
def test_a_model_of_which_most_replies_of_a_step_are_of_no_use_is_named(at, rows, said):
    (line,) = built(at, HELD, *rows, replies(20, model="aster"))
    assert line == f"board '{HELD}': most replies of model 'elm' are of no use: {said}"


def test_a_model_that_answers_under_another_name_is_told(at):
    (line,) = built(at, HELD, replies(3, attributes=pairs(served="loaded.gguf")), replies(2))
    assert line == (
        "model 'elm': 3 of its replies were given by 'loaded.gguf'; see to models.elm.model or to the server"
    )


def test_dead_letters_for_faults_of_an_endpoint_are_counted_with_the_command_that_asks_them_again(at):
    broken = [
        row | {"prompt_key": "one turn"} for row in replies(4, "dead", "teaching turn: timeout")
    ]  # one letter, four candidates
    built(at, HELD, replies(20), replies(2, "dead", "rejected"), broken)
    (line,) = built(
        at, OTHER, replies(9), replies(1, "dead", "content_filter"), replies(2, "dead", "rejected")
    )
    assert line.startswith(
        "3 requests were given up for faults of an endpoint (rejected 2, timeout 1), on halueval-closed-world, mfava-"
    )
    assert (
        "`truerate llm dead --retry rejected` and `truerate llm dead --retry timeout` and then `dvc repro`"
        in line
    )


def test_a_stage_says_it_at_its_end_and_a_whole_build_once_at_its_own(at, capsys, monkeypatch):
    build_summary.print_build_summary(at)
    assert capsys.readouterr().err == ""
    built(at, HELD, replies(1, "dead", "rejected"))
    build_summary.print_build_summary(at, [HELD])
    assert capsys.readouterr().err.count("truerate: ") == 2
    build_summary.print_build_summary(at, [OTHER])
    monkeypatch.setenv(BUILD, "1")
    build_summary.print_build_summary(at)
    assert capsys.readouterr().err == ""
