"""The boards of public files: found in a folder, built apart by the same stages, their tables written between markers."""

import json
from pathlib import Path

import pytest
from house import move_in

from truerate.errors import TruerateError
from truerate.layout import Layout
from truerate.real import boards_in

GENERAL = [
    {"ID": str(n), "user_query": f"What is {n}?", "chatgpt_response": f"It is {n}, they say.", "hallucination": "yes" if n % 3 else "no"}
    | {"hallucination_spans": [f"It is {n}"] if n % 3 else []}
    for n in range(24)
]
CANDIDATES = [
    {"knowledge": f"Town {n} lies on river {n}.", "question": f"On which river lies town {n}?", "right_answer": f"River {n}"}
    | {"hallucinated_answer": f"It lies on the great lake number {n + 1}, not on a river."}
    for n in range(24)
]


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    """A folder of public files, in the published format."""
    folder = tmp_path_factory.mktemp("public") / "halueval"
    folder.mkdir()
    for name, rows in (("general", GENERAL), ("qa_candidates_one_turn", CANDIDATES), ("qa_candidates_multi_turn", CANDIDATES)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps({"row": n, **row}) + "\n" for n, row in enumerate(rows)), "utf-8")
    return folder.parent


@pytest.mark.slow
def test_public_files_become_boards_and_tables(public, tmp_path):
    house = move_in(tmp_path / "truerate")
    house.run("truerate", "real", str(public), "--readme", "README.md")
    table = (house.folder / "README.md").read_text("utf-8").split("<!-- real -->")[1].split("<!-- /real -->")[0]
    assert "halueval-published" in table and "| general | – | gold | 24 | 16 | 66.7 % | 16 |" in table
    # every candidate here is longer than its right answer, so length picks the hallucinated side of every pair
    words = [line for line in table.splitlines() if line.startswith("| qa | one-pass | words |")]
    assert len(words) == 1 and "| 1.000 (" in words[0]
    page = (house.folder / "build/real/build/site/boards/halueval-published.html").read_text("utf-8")
    assert "closed, fictional world" not in page and "aster" not in page.split("<main", 1)[1].split("</main", 1)[0]
    assert (house.folder / "dvc.lock").exists() is False, "the committed lock is not touched"


def test_nothing_known_in_a_folder_names_what_was_looked_for(tmp_path):
    at = Layout.load(str(Path(__file__).parents[1] / "params.yaml"))
    with pytest.raises(TruerateError, match="looked for the folders halueval, xsum"):
        boards_in(at, tmp_path)
    with pytest.raises(TruerateError, match="is no folder"):
        boards_in(at, tmp_path / "absent")
