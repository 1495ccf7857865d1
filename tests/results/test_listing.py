"""What there is to build boards of: each public set once, with what of it a folder lacks."""

import json

import pytest
from house import ROOT

from truerate.cli import main
from truerate.config.layout import Layout
from truerate.core.errors import TruerateError
from truerate.results.sets import LEFT_OUT, lines_of, sets_in
from truerate.sources import readers


@pytest.fixture
def at():
    return Layout.load(str(ROOT / "params.yaml"))


def test_every_set_says_where_it_comes_from_and_what_it_may_be_used_for(at):
    rows = {row["name"]: row for row in sets_in(at, None)}
    assert len(sets_in(at, None)) == len(
        {(entry.reader, entry.folder) for entry in at.p.public_data.values()}
    )
    for row in rows.values():
        assert (
            row["url"].startswith("https://")
            and row["licence"]
            and row["redistribution"] in ("yes", "ids-only", "no")
        )
        assert row["folders"] and row["boards"]
    assert [board["part"] for board in rows["refchecker"]["boards"]] == [
        "zero_context",
        "noisy_context",
        "accurate_context",
    ]
    assert rows["mushroom"]["unproven"] == ["test"]
    # one reader of two layouts, of which one was at hand
    assert rows["ParticleMedia__RAGTruth"]["unproven"] == ["its own source_info.jsonl and response.jsonl"]
    assert {entry.reader for entry in at.p.public_data.values()} <= set(readers())


def test_what_a_folder_lacks_of_a_set_is_named(at, tmp_path):
    (tmp_path / "HaluEval/data").mkdir(parents=True)
    (tmp_path / "HaluEval/data/general_data.json").touch()
    rows = {row["name"]: row for row in sets_in(at, tmp_path)}
    assert rows["halueval"]["found"] == str(tmp_path / "HaluEval") and rows["begin"]["found"] is None
    assert "general replies" not in rows["halueval"]["missing"] and "QA" in rows["halueval"]["missing"]
    text = lines_of(list(rows.values()))
    assert any(line.startswith("  UHGEval") for line in text[text.index("left out") :])
    assert f"    here: {tmp_path / 'HaluEval'}" in text and "    here: not here" in text
    with pytest.raises(TruerateError, match="is no folder; name the one that your sets lie in"):
        sets_in(at, tmp_path / "absent")


def test_the_list_is_json_for_programs_and_a_build_needs_a_folder(at, capsys):
    assert main(["real", "--list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == sets_in(at, None)
    for words, message in (
        (["real"], "name the folder"),
        (["real", "x", "--json"], "goes with `real --list`"),
    ):
        assert main(words) == 2 and message in capsys.readouterr().err


def test_the_guide_names_every_set_and_those_that_are_left_out(at):
    guide = (ROOT / "site/pages/guide/real-data.md").read_text("utf-8")
    repositories = [row["repository"] for row in sets_in(at, None) if row["repository"]]
    repositories += [one for _, one in LEFT_OUT]
    assert [one for one in repositories if one not in guide] == []
