"""Committed results are what the code of now makes of the public files, where these are at hand as the
publishers have them.
"""

import os
import shutil
from pathlib import Path

import polars as pl
import pytest
from house import ROOT

from truerate.cli import main
from truerate.config.layout import Layout
from truerate.results.files import CARD, ROWS, SCORES, TABLE, save_result
from truerate.results.labels import LABELS
from truerate.results.published_table import result_of_table, tables_in
from truerate.results.texts.table import TEXTS

CLONES = Path(os.environ.get("TRUERATE_CLONES") or ROOT / ".." / "shared" / "data_original").resolve()
# Mu-SHROOM with the text of all of its pages, and mFAVA's files, in folders of these names
PAGES = Path(os.environ.get("TRUERATE_DATA") or ROOT / ".." / "shared" / "data").resolve()
LEARNED = "learned"
NETWORKS = "tiny-"  # two runs agree with one another, but the last bits of weights hang on the processor
OF_ITS_OWN = (
    "metric",
    "subject",
    "slice",
    "value",
    "low",
    "high",
    "n",
)  # of a score: ranks hang on the others
# build → its sets, each with what of it is read (its whole clone where nothing is named), and its boards
BUILDS = {
    "replies": (
        {
            "vectara__FaithBench": (),
            "vectara__FaithJudge": (),
            "wangcunxiang__QA-Eval": (),
            "google-deepmind__long-form-factuality": (),
            "RUCAIBox__HaluEval": ("data/general_data.json",),
        },
        ("evouna", "factscore", "faithbench", "faithjudge", "halueval-published", "ragtruth"),
    ),
    "detection": (
        {
            "google__BEGIN-dataset": (),
            "McGill-NLP__FaithDial": (),
            "amazon-science__RefChecker": (),
            "google-research-datasets__xsum_hallucination_annotations": (),
        },
        (
            "begin",
            "faithdial-audit",
            "refchecker-accurate-context",
            "refchecker-noisy-context",
            "refchecker-zero-context",
            "xsum-hallucinations",
        ),
    ),
    # mFAVA's silver texts are what its detectors learn from
    LEARNED: ({"mushroom": (), "mfava": ()}, ("mushroom", "mfava-published")),
}


@pytest.fixture(scope="session")
def rebuilt(tmp_path_factory):
    """A function that gives the folder of results which a build writes; each build is made once."""
    built: dict[str, Path] = {}

    def results_of(build: str) -> Path:
        if build not in built:
            built[build] = _built(build, tmp_path_factory.mktemp(f"rebuilt_{build}"))
        return built[build]

    return results_of


def _built(build: str, folder: Path) -> Path:
    sets, _ = BUILDS[build]
    parent, named = (PAGES, "TRUERATE_DATA") if build == LEARNED else (CLONES, "TRUERATE_CLONES")
    if missing := [name for name in sets if not (parent / name).is_dir()]:
        pytest.skip(f"no {parent / missing[0]}; name the folder that holds it in {named}")
    (folder / "data").mkdir()
    for name, files in sets.items():
        if not files:
            (folder / "data" / name).symlink_to(parent / name)
        for file in files:
            (folder / "data" / name / file).parent.mkdir(parents=True)
            shutil.copy(parent / name / file, folder / "data" / name / file)
    results = folder / "results"
    command = ["real", str(folder / "data"), "--work", str(folder / "work"), "--commit-results", str(results)]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        assert main(command) == 0
    return results


@pytest.mark.proof
@pytest.mark.parametrize(
    ("build", "board"),
    [
        pytest.param(build, board, marks=pytest.mark.xdist_group(f"rebuilt-{build}"), id=board)
        for build, (_, boards) in BUILDS.items()
        for board in boards
        if build != LEARNED
    ],
)
def test_a_committed_result_is_what_the_code_makes_of_the_published_files(rebuilt, build, board):
    built, committed = rebuilt(build) / board, ROOT / "results" / board
    for name in (CARD, SCORES):
        assert (built / name).read_bytes() == (committed / name).read_bytes(), name
    assert pl.read_parquet(built / ROWS).equals(pl.read_parquet(committed / ROWS))
    for name in (LABELS, TEXTS):
        assert (built / name).is_file() == (committed / name).is_file()
        if (built / name).is_file():
            assert pl.read_parquet(built / name).equals(pl.read_parquet(committed / name)), name


@pytest.mark.proof
@pytest.mark.xdist_group(f"rebuilt-{LEARNED}")
@pytest.mark.parametrize("board", BUILDS[LEARNED][1])
def test_what_no_network_said_is_made_anew_where_networks_learn_too(rebuilt, board):
    folders = (rebuilt(LEARNED) / board, ROOT / "results" / board)
    is_untrained = ~pl.col("subject").str.starts_with(NETWORKS)
    built, committed = (
        pl.read_csv(folder / SCORES).filter(is_untrained).select(OF_ITS_OWN) for folder in folders
    )
    assert built.height > 0 and built.equals(committed)
    made_rows, committed_rows = (pl.read_parquet(folder / ROWS).filter(is_untrained) for folder in folders)
    assert made_rows.equals(committed_rows)
    assert (folders[0] / CARD).read_bytes() == (folders[1] / CARD).read_bytes()


@pytest.mark.skipif(not CLONES.is_dir(), reason="no published files beside the project")
def test_a_committed_table_is_what_the_code_makes_of_the_published_figures(tmp_path):
    config = Layout.load(str(ROOT / "params.yaml"))
    tables = tables_in(config, CLONES)
    assert sorted(tables) == ["bullshitbench", "vectara-summaries"]
    for board, folder in tables.items():
        save_result(result_of_table(board, config.p.published_tables[board], folder), tmp_path / board)
        for name in (CARD, SCORES, TABLE):
            assert (tmp_path / board / name).read_bytes() == (ROOT / "results" / board / name).read_bytes()


def test_each_committed_result_is_rebuilt():
    tables = Layout.load(str(ROOT / "params.yaml")).p.published_tables
    boards = sorted([*tables, *(board for _, boards in BUILDS.values() for board in boards)])
    assert boards == sorted(path.name for path in (ROOT / "results").iterdir() if path.is_dir())
