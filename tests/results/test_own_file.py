"""`truerate real FILE`: a board of a person's own labelled answers."""

import html

import pytest
from house import ROOT, move_in

from truerate.cli import main
from truerate.results.own_file import board_name

# four systems, eight questions each; hallucinated: none, two, two and all of the eight
N_WRONG = {"alder": 0, "birch": 2, "cedar": 2, "dogwood": 8}
ROWS = [
    f"{system},Question {n}?,Town {n} has {n} wells.,It has {n + (n < wrong)} wells.,{n < wrong}"
    for system, wrong in N_WRONG.items()
    for n in range(8)
]
FILE = "\n".join(["system,question,reference,answer,hallucinated", *ROWS]) + "\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "give --licence LICENCE, --name NAME"),
        (["--name", "Wells"], "give --licence LICENCE"),
        (["--name", "7", "--licence", "MIT"], "--name '7': allowed: a name with a letter"),
        (["--name", "W", "--licence", "MIT", "--redistribution", "perhaps"], "allowed: ids-only, no, yes"),
        (["--name", "W", "--licence", "MIT", "--map", "answr=a"], "allowed: ROLE=FIELD"),
        (["--name", "W", "--licence", "MIT", "--map", "answer=a"], "no line has 'a'"),
        (["--name", "W", "--licence", "MIT", "--map", "label=question"], "line 2: 'question' is"),
        (["--name", "W", "--licence", "MIT", "--labels", "absent.csv"], "no file 'absent.csv' with labels"),
    ],
)
def test_what_is_missing_is_one_line_before_anything_is_built(options, says, tmp_path, monkeypatch, capsys):
    path, work = tmp_path / "wells.csv", tmp_path / "work"
    path.write_text(FILE, "utf-8")
    monkeypatch.chdir(ROOT)
    assert main(["real", str(path), "--work", str(work), *options]) == 2
    message = capsys.readouterr().err
    assert says in message and message.count("\n") == 1 and not work.exists()


@pytest.mark.parametrize(("name", "says"), [("", "no file in "), ("absent", "no file or folder ")])
def test_a_folder_without_a_file_is_no_board(name, says, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert main(["real", str(tmp_path / name), "--name", "Wells", "--licence", "MIT"]) == 2
    assert says in capsys.readouterr().err


def test_outside_of_a_clone_a_line_says_where_boards_are_built(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wells.csv").write_text(FILE, "utf-8")
    assert main(["real", "wells.csv", "--name", "Wells", "--licence", "MIT"]) == 2
    assert "boards are built in a clone of truerate" in capsys.readouterr().err


def test_a_boards_name_is_one_of_folders():
    assert board_name("Wells of Öland, 2026 (v2)") == "wells-of-öland-2026-v2"


@pytest.mark.slow
def test_one_command_makes_the_page_with_ranks_of_a_file(tmp_path):
    house = move_in(tmp_path / "truerate")
    (house.folder / "wells.csv").write_text(FILE, "utf-8")
    done = house.run("truerate", "real", "wells.csv", "--name", "Wells", "--licence", "CC-BY-4.0")
    assert "32 labelled answers of 4 systems (alder 8, birch 8, cedar 8, dogwood 8)" in done.stderr
    work = house.folder / "build/wells"
    assert "built: wells\n" in done.stdout
    assert "| birch | 8 | 0.250 (0.071–0.591) |" in (work / "tables.md").read_text("utf-8")
    rows = house.table("build/wells/data/leaderboard/rows.parquet").filter(
        metric="hallucination_rate", board="wells", kind="model"
    )
    # sign tests on eight questions, Holm over six pairs: alder and dogwood differ on all (p = 2/2⁸, times 6 .047),
    # birch and cedar from dogwood on six (p = 2/2⁶, times 5 .16)
    ranks = {row["subject"]: (row["value"], row["rank_low"], row["rank_high"]) for row in rows.to_dicts()}
    assert ranks["alder"] == (0.0, 1, 3) and ranks["dogwood"] == (1.0, 2, 4)
    assert ranks["birch"] == ranks["cedar"] == (0.25, 1, 4)
    page = html.unescape((work / "build/site/data.html").read_text("utf-8"))
    assert "CC-BY-4.0" in page and "nothing may be republished" in page
