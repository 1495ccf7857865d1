"""Committed results are what the code of now makes of the public files: the small ones, whose files are at hand as the
publishers have them.
"""

import os
import shutil
from pathlib import Path

import polars as pl
import pytest
from house import ROOT

from truerate.cli import main
from truerate.flow.result_files import CARD, ROWS, SCORES

CLONES = Path(os.environ.get("TRUERATE_CLONES") or ROOT / ".." / "shared" / "data_original").resolve()
SETS = {  # set → what of it is read, its whole clone where nothing is named
    "vectara__FaithBench": (),
    "vectara__FaithJudge": (),
    "wangcunxiang__QA-Eval": (),
    "google-deepmind__long-form-factuality": (),
    "RUCAIBox__HaluEval": ("data/general_data.json",),
}
BOARDS = ("evouna", "factscore", "faithbench", "faithjudge", "halueval-published", "ragtruth")
pytestmark = [pytest.mark.proof, pytest.mark.xdist_group("rebuilt")]


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory) -> Path:
    """The results that a build of these sets writes."""
    if missing := [name for name in SETS if not (CLONES / name).is_dir()]:
        pytest.skip(f"no {CLONES / missing[0]}; name the folder of clones in TRUERATE_CLONES")
    folder = tmp_path_factory.mktemp("rebuilt")
    (folder / "data").mkdir()
    for name, files in SETS.items():
        if not files:
            (folder / "data" / name).symlink_to(CLONES / name)
        for file in files:
            (folder / "data" / name / file).parent.mkdir(parents=True)
            shutil.copy(CLONES / name / file, folder / "data" / name / file)
    told = [
        "real",
        str(folder / "data"),
        "--work",
        str(folder / "work"),
        "--commit-results",
        str(folder / "results"),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert main(told) == 0
    return folder / "results"


@pytest.mark.parametrize("board", BOARDS)
def test_a_committed_result_is_what_the_code_makes_of_the_published_files(rebuilt, board):
    made, committed = rebuilt / board, ROOT / "results" / board
    for name in (CARD, SCORES):
        assert (made / name).read_bytes() == (committed / name).read_bytes(), name
    assert pl.read_parquet(made / ROWS).equals(pl.read_parquet(committed / ROWS))
