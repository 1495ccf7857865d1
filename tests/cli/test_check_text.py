"""`truerate check` on files of a person's own."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
import yaml

from tests.detectors.tokens import small_networks as small
from truerate.cli import main
from truerate.cli.check_text import Marked, page, pieces, printable
from truerate.config import MFavaSizes
from truerate.core.schemas import SPANS
from truerate.detectors.tokens.family import fit_tokens

ROOT = Path(__file__).parents[2]
BOARD = "own-board"
REFERENCE = "The harbour of Karlomi was built in 1412. Karlomi stands on the river Teru."
ANSWER = "Karlomi was built in 1733 on the river Teru."


def passages():
    """A few labelled texts from which a regression learns that numbers absent from the reference are wrong."""
    rows = []
    for i in range(30):
        year, said = 1000 + 7 * i, 1500 + 3 * i if i % 2 else 1000 + 7 * i
        text = f"Town{i} was built in {said} on the river Teru."
        spans = (
            [{"start": text.index(str(said)), "end": text.index(str(said)) + 4, "type": "entity", "p": None}]
            if i % 2
            else []
        )
        known = {"target_id": f"t{i}", "item_id": f"i{i}", "group_id": f"g{i}", "lang": "en", "task": "train"}
        rows.append(
            known
            | {
                "text": text,
                "spans": spans,
                "reference": f"Town{i} was built in {year}. It is on the river Teru.",
            }
        )
    return pl.DataFrame(rows, schema_overrides={"spans": SPANS})


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with settings, two files, and a regression trained on a board."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").symlink_to(ROOT / "site")
    (tmp_path / "src").symlink_to(ROOT / "src")
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    source = {"reader": "halueval", "path": "somewhere"}
    params |= {
        "boards": {BOARD: {"track": "mfava", "source": "own", "title": "Own"}},
        "sources": {"own": source},
        "public_data": {},
    }
    params["detectors"] = {"tokens": {"tracks": ["mfava"], "members": ["mark-all", "token-lr"]}}
    params["tracks"]["mfava"]["detector"] = {"member": "token-lr", "scope": "multi", "labels": "binary"}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    (tmp_path / "reference.txt").write_text(REFERENCE, "utf-8")
    (tmp_path / "answer.txt").write_text(ANSWER + "\n", "utf-8")
    folder = tmp_path / "data" / "detectors" / BOARD / "tokens"
    folder.mkdir(parents=True)
    only = {
        "train": 1,
        "silver": 1,
        "articles": 1,
        "natural": 0,
        "seeds": [42],
        "scopes": ["multi"],
        "labels": ["binary"],
    }
    size = MFavaSizes.model_validate(only)
    fit_tokens(
        ["token-lr", "mark-all"],
        passages(),
        SimpleNamespace(backbones={}),
        size,
        folder=folder,
        scratch=tmp_path / "scratch",
    )
    return tmp_path


def check(*more, reference="reference.txt", answer="answer.txt"):
    return main(["check", "--reference", reference, "--answer", answer, *more])


def test_json_marks_what_the_reference_does_not_bear_out(project, capsys):
    assert check("--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["text"] == ANSWER
    sure = [ANSWER[one["start"] : one["end"]] for one in told["spans"] if one["p"] > 0.5]
    assert sure == ["1733"] and told["p"] == max(one["p"] for one in told["spans"])


def test_the_terminal_shows_text_and_marked_spans(project, capsys):
    assert check() == 0
    told = capsys.readouterr().out
    assert ANSWER in told
    assert "token-lr, trained on own-board: 4 of 44 characters marked" in told
    assert "21–25  hallucination" in told


def test_a_page_is_written_with_every_text_escaped(project):
    (project / "answer.txt").write_text('<script>alert("1733")</script> & more', "utf-8")
    assert check("--detector", "mark-all", "--html", "page.html") == 0
    written = (project / "page.html").read_text("utf-8")
    assert "&lt;script&gt;" in written and "<script" not in written
    assert 'class="marked"' in written and "http" not in written.replace("http-equiv", "")


@pytest.mark.parametrize(
    ("files", "more", "said"),
    [
        ({}, ["--reference", "gone.txt"], "gone.txt"),
        ({"answer.txt": b"caf\xe9 1733"}, [], "byte 3 is no UTF-8"),
        ({"answer.txt": b" \n"}, [], "it holds no text"),
        ({"reference.txt": b""}, [], "the reference 'reference.txt': it holds no text"),
        ({}, ["--detector", "tiny"], "'tiny' marks no tokens; allowed: mark-all, token-lr"),
    ],
)
def test_mistakes_are_one_line(project, capsys, files, more, said):
    for name, content in files.items():
        (project / name).write_bytes(content)
    assert check(*more) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_before_training_it_says_what_to_run(project, capsys):
    shutil.rmtree(project / "data")
    assert check() == 2
    assert "make demo" in capsys.readouterr().err


def test_a_published_detector_marks_as_the_one_in_its_folder(project, hub_here, capsys):
    small.network(mask="prefix").save(project / "network")
    files = {path.name: path.read_bytes() for path in (project / "network").iterdir()}
    hub_here.put_repo("org/detector", "model", files, tag="v1.0")
    found = []
    for name in ("org/detector@v1.0", str(project / "network")):
        assert (
            main(
                [
                    "check",
                    "--reference",
                    "reference.txt",
                    "--answer",
                    "answer.txt",
                    "--detector",
                    name,
                    "--json",
                ]
            )
            == 0
        )
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1] and found[0]["text"] == ANSWER and found[0]["spans"]
    assert (
        main(["check", "--reference", "reference.txt", "--answer", "answer.txt", "--detector", "org/none"])
        == 2
    )
    assert capsys.readouterr().err.count("\n") == 1


def test_pieces_cover_the_text_once():
    found = Marked(
        "abcdef",
        [{"start": 1, "end": 3, "type": "x", "p": 0.9}, {"start": 3, "end": 4, "type": "x", "p": 0.2}],
        0.9,
        "d",
        "b",
    )
    assert [(one["text"], one["look"]) for one in pieces(found)] == [
        ("a", ""),
        ("bc", "marked"),
        ("d", "suspected"),
        ("ef", ""),
    ]
    assert "".join(one["text"] for one in pieces(found)) == found.text


def test_no_character_steers_the_terminal():
    assert printable("a\x1b[31m\u202eb\n\u200cعربي") == "a\ufffd[31m\ufffdb\n\u200cعربي"


def test_the_page_needs_nothing_else(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert "default-src 'none'" in page(Marked("a", [], 0.0, "d", "b"))
