"""`truerate check` on files of a person's own."""

import io
import json
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pytest
import yaml

import truerate
from tests.detectors.fitting import fit_tokens
from tests.detectors.tokens import small_networks as small
from truerate.cli import main
from truerate.cli.check_text import IN_WORDS, in_words, page, pieces, printable, summary
from truerate.core.errors import TruerateError
from truerate.core.schemas import SPANS
from truerate.core.spans.tags import TYPES
from truerate.pipeline.judges.marking import Marked, check_pairs
from truerate.tracks.mfava.settings import Sizes

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
        start = text.index(str(said))
        spans = [{"start": start, "end": start + 4, "type": "entity", "p": None}] if i % 2 else []
        row = {
            "target_id": f"t{i}",
            "item_id": f"i{i}",
            "group_id": f"g{i}",
            "lang": "en",
            "task": "train",
            "text": text,
        }
        rows.append(
            row | {"spans": spans, "reference": f"Town{i} was built in {year}. It is on the river Teru."}
        )
    return pl.DataFrame(rows, schema_overrides={"spans": SPANS})


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A regression trained on a board."""
    folder = tmp_path_factory.mktemp("trained")
    only = {
        "train": 1,
        "silver": 1,
        "articles": 1,
        "natural": 0,
        "seeds": [42],
        "scopes": ["multi"],
        "labels": ["binary"],
    }
    size, how = Sizes.model_validate(only), {"folder": folder / "tokens", "scratch": folder / "scratch"}
    (folder / "tokens").mkdir()
    fit_tokens(["token-lr", "mark-all"], passages(), SimpleNamespace(backbones={}), size, **how)
    return folder / "tokens"


@pytest.fixture
def project(tmp_path, monkeypatch, trained):
    """A folder with settings, two files, and that regression."""
    monkeypatch.chdir(tmp_path)
    for name in ("site", "src"):
        (tmp_path / name).symlink_to(ROOT / name)
    params = yaml.safe_load((ROOT / "params.yaml").read_text("utf-8"))
    params["boards"] = {BOARD: {"track": "mfava", "source": "own", "title": "Own"}}
    params |= {"sources": {"own": {"reader": "halueval", "path": "somewhere"}}, "public_data": {}}
    params["detectors"] = {"tokens": {"tracks": ["mfava"], "members": ["mark-all", "token-lr"]}}
    params["tracks"]["mfava"]["detector"] = {"member": "token-lr", "scope": "multi", "labels": "binary"}
    (tmp_path / "params.yaml").write_text(yaml.safe_dump(params), "utf-8")
    (tmp_path / "reference.txt").write_text(REFERENCE, "utf-8")
    (tmp_path / "answer.txt").write_text(ANSWER + "\n", "utf-8")
    shutil.copytree(trained, tmp_path / "data" / "detectors" / BOARD / "tokens")
    return tmp_path


def check(*more, reference="reference.txt", answer="answer.txt"):
    return main(["check", "--reference", reference, "--answer", answer, *more])


def test_json_marks_what_the_reference_does_not_bear_out(project, capsys):
    assert check("--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["text"] == ANSWER
    sure = [ANSWER[one["start"] : one["end"]] for one in told["spans"] if one["p"] > 0.5]
    assert sure == ["1733"] and told["p"] == max(one["p"] for one in told["spans"])


def test_marks_stand_in_the_text_where_there_is_no_terminal(project, capsys):
    assert check() == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].replace("[?", "").replace("?]", "") == ANSWER.replace("1733", "[[1733]]")
    found = truerate.check(ANSWER, REFERENCE, "token-lr", params=project / "params.yaml")
    assert 0 < found.threshold < 1  # chosen on what was held back, and told
    assert told[2] == f"1 of 9 words marked (p > {found.threshold:g}) by token-lr, trained on own-board"
    assert told[3].startswith("  1733: not borne out by the reference, ") and len(told) == 4


def test_a_terminal_gets_colours_in_place_of_brackets(project, capsys, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert check() == 0
    told = capsys.readouterr().out
    assert "m1733\x1b[0m" in told and "[[" not in told
    monkeypatch.setenv("NO_COLOR", "1")
    assert check() == 0
    assert "[[1733]]" in capsys.readouterr().out


def test_one_of_the_texts_may_come_from_stdin(project, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(f"\ufeff{ANSWER}\n".encode())))
    assert check("--json", answer="-") == 0
    assert json.loads(capsys.readouterr().out)["text"] == ANSWER


def test_many_pairs_are_a_line_each_in_their_order(project, capsys):
    lines = [
        {"reference": REFERENCE, "answer": ANSWER, "id": "years"},
        {"answer": REFERENCE, "reference": REFERENCE},
    ]
    Path("pairs.jsonl").write_text("\n\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    assert main(["check", "--pairs", "pairs.jsonl", "--json"]) == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (second["id"], second["text"]) == ("3", REFERENCE) and not [
        one for one in second["spans"] if one["p"] > 0.5
    ]
    assert check("--json") == 0
    assert first == {"id": "years"} | json.loads(capsys.readouterr().out)
    Path("pairs.csv").write_text(f'id,response,context\nyears,"{ANSWER}","{REFERENCE}"\n', "utf-8")
    assert main(["check", "--pairs", "pairs.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert main(["check", "--pairs", "pairs.jsonl"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].startswith("years  1 of 9 words  ") and "[[1733]]" in shown[0] and len(shown) == 2


GIVE, ALONE = "give --reference FILE and --answer FILE, or --pairs FILE", "--pairs stands alone"
NO_JSON = "line 1: it is no JSON"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "it holds none"),
        ("{", NO_JSON),
        ("[" * 100_000, NO_JSON),
        ('{"reference": "a", "answer": "b"}\n{"reference": "a"}', "line 2: it has no 'answer'"),
        ('{"reference": " ", "answer": "b"}', "answer '1' has no reference to check"),
        ('{"reference": "a", "answer": " "}', "answer '1' has no text to check"),
        ('{"reference": "a", "answer": 5}', "line 1: 'answer' is 5; allowed: text"),
        (
            '{"reference": "a", "answer": "b", "id": true}',
            "line 1: 'id' is True; allowed: text or a whole number",
        ),
        ("1\n2\n3", "line 1: it is no object"),
    ],
)
def test_a_bad_line_is_one_message_and_nothing_is_marked(project, capsys, content, said):
    Path("pairs.jsonl").write_text(content, "utf-8")
    assert main(["check", "--pairs", "pairs.jsonl", "--json"]) == 2
    told = capsys.readouterr()
    assert said in told.err and told.err.count("\n") == 1 and told.out == ""


def test_answers_without_text_or_reference_are_left_out_and_counted(project, capsys):
    lines = ('{"reference": "a", "answer": "b"}', '{"reference": "a", "answer": " "}', '{"answer": "c"}')
    Path("pairs.jsonl").write_text("\n".join(lines), "utf-8")
    assert main(["check", "--pairs", "pairs.jsonl", "--json"]) == 0
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 1
    assert "not checked: 1 answers without text, 1 without a reference" in told.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], GIVE),
        (["--answer", "answer.txt"], GIVE),
        (["--pairs", "p.jsonl", "--answer", "answer.txt"], ALONE),
        (["--pairs", "p.jsonl", "--html", "page.html"], ALONE),
        (["--reference", "-", "--answer", "-"], "stdin is one text"),
    ],
)
def test_options_that_do_not_fit_are_one_line(tmp_path, monkeypatch, capsys, options, said):
    monkeypatch.chdir(tmp_path)
    assert main(["check", *options]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1


def test_the_python_call_says_what_the_command_says(project, capsys, monkeypatch, tmp_path):
    assert check("--json") == 0
    told = json.loads(capsys.readouterr().out)
    found = truerate.check(ANSWER, REFERENCE)
    assert found._asdict() == told
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert truerate.check(ANSWER, REFERENCE, "token-lr", params=tmp_path / "params.yaml") == found
    assert Path.cwd() == tmp_path / "elsewhere"
    pairs = ((ANSWER, REFERENCE) for _ in range(2))
    assert check_pairs(pairs, params=str(tmp_path / "params.yaml")) == [found, found], (
        "a generator is read once"
    )
    with pytest.raises(TruerateError, match="holds no text"):
        truerate.check(" ", REFERENCE)
    with pytest.raises(AttributeError):
        truerate.nothing  # noqa: B018


def test_importing_truerate_brings_nothing_heavy():
    heavy = ("polars", "pydantic", "rich", "torch")
    code = f"import sys, truerate; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_p_and_type_are_told_in_words():
    span = {"start": 0, "end": 1, "type": "invented", "p": 0.96}
    assert in_words(span) == "about something that does not exist (invented), almost certain (p 0.96)"
    assert set(IN_WORDS) == {"hallucination", "absent", *TYPES}


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
    found, names = [], ("org/detector@v1.0", str(project / "network"))
    for name in names:
        assert check("--detector", name, "--json") == 0
        found.append(json.loads(capsys.readouterr().out))
    assert tuple(one.pop("detector") for one in found) == names
    assert found[0] == found[1] and found[0]["text"] == ANSWER and found[0]["spans"]
    assert check("--detector", "org/none") == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_pieces_cover_the_text_once():
    spans = [{"start": 1, "end": 3, "type": "x", "p": 0.9}, {"start": 3, "end": 4, "type": "x", "p": 0.3}]
    marked = Marked("abcdef", spans, 0.9, "d", "b")
    looks = [(one["text"], one["look"]) for one in pieces(marked)]
    assert looks == [("a", ""), ("bc", "marked"), ("d", "suspected"), ("ef", "")]
    lower = marked._replace(threshold=0.25)
    assert [one["look"] for one in pieces(lower)] == ["", "marked", "marked", ""]
    assert "(p > 0.5)" in summary(marked) and "(p > 0.25)" in summary(lower)


def test_no_character_steers_the_terminal():
    assert printable("a\x1b[31m\u202eb\n\u200cعربي") == "a\ufffd[31m\ufffdb\n\u200cعربي"


def test_the_page_needs_nothing_else(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert "default-src 'none'" in page(Marked("a", [], 0.0, "d", "b"))
