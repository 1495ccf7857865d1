"""From a board to the Hub and back to a board: built, published and read again by the code of the stages,
without a model.
"""

import json
import shutil
from pathlib import Path
from typing import get_args

import polars as pl
import pytest
import yaml

from tests.hub import stages
from tests.hub.drafts import DAY
from tests.hub.stages import CARD, ROOT, build_board
from truerate.config.data import Author
from truerate.config.layout import Layout
from truerate.core.keys import split_of
from truerate.core.schemas import PAIRS, Sample, Score, load, pair, pairs, read_json, save
from truerate.hub.kept import Kept
from truerate.hub.release import STATEMENT, Draft, Stamp, sha256
from truerate.pipeline import pages, sources
from truerate.pipeline.publishing.author import say_open_questions, with_answers, with_author
from truerate.pipeline.publishing.canary import board_canary
from truerate.pipeline.publishing.datasheet import author_questions
from truerate.pipeline.publishing.release import attested, board_draft

REPO, N = "org/little", 20
DETECTORS = {"members": ["always", "length"], "only": {}, "folds": 2}


def declare(**changes) -> Layout:
    """HaluEval boards on these sources, with two rules."""
    detectors = {"baselines": {"tracks": ["halueval"], **DETECTORS}}
    return stages.declare("halueval", **{"detectors": detectors, **changes})


def build(config: Layout, board: str) -> pl.DataFrame:
    """What the stages of a board make where no model may stand on it; its labelled samples."""
    build_board(config, board)
    return load(Sample, config.labels(board, "samples"))


def published(config: Layout, board: str) -> str:
    """The commit that holds a board."""
    return stages.put_on_hub(config, board, REPO)


def hub_source(commit: str, **more) -> dict:
    """The README's own example."""
    return {
        "reader": "truerate",
        "part": "dialogue",
        "hub": {"repo": REPO, "revision": commit, "config": "dialogue"},
    } | more


def measured(config: Layout, board: str) -> list[tuple]:
    """The scores of the rules that learn nothing from ids, rounded as they are saved."""
    scores = load(Score, config.scores(board, "scores")).filter(pl.col("subject").is_in(["always", "length"]))
    return sorted(
        (row["metric"], row["subject"], str(row["slice"]), str(row["value"]), row["n"])
        for row in scores.to_dicts()
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """A project with one board, built once; dialogues on their own knowledge, each hallucinated in one of its
    two responses.
    """
    folder = tmp_path_factory.mktemp("little")
    (folder / "src").symlink_to(ROOT / "src")
    (folder / "inputs" / "little").mkdir(parents=True)
    (folder / "inputs" / "little" / "source.json").write_text(json.dumps(CARD), "utf-8")
    rows = [
        {
            "knowledge": f"Varn {k} is a town.",
            "dialogue_history": f"[Human]: Hello! [Assistant]: Hi. [Human]: What is Varn {k}?",
            "right_response": f"It is town {k}.",
            "hallucinated_response": f"It is a large and very long river of number {k}.",
        }
        for k in range(N)
    ]
    (folder / "inputs" / "little" / "dialogue_data.json").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), "utf-8"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        at = declare(sources={"little": {"reader": "halueval", "path": "inputs/little"}})
        build(at, "little")
        pages.leaderboard(at)
    lock = "schema: '2.0'\nstages:\n  dataset@little: {cmd: x}\n  dataset@other: {cmd: y}\n"
    (folder / "dvc.lock").write_text(lock, "utf-8")
    return folder


@pytest.fixture
def first(hub_here, built, tmp_path, monkeypatch):
    """A copy of that project, and the labelled samples of its board."""
    shutil.copytree(built, tmp_path, symlinks=True, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    at = Layout.load()
    return at, load(Sample, at.labels("little", "samples"))


def test_the_readme_s_example_reads_back_and_builds(first):
    at, samples = first
    picked = pl.lit(
        pairs(pick="agreed", candidate_scheme="one-pass"), dtype=PAIRS
    )  # as filtering by a model leaves them
    save(Sample, samples.with_columns(attributes=picked), at.labels("little", "samples"))
    here = declare(sources={"back": hub_source(published(at, "little"))})
    second = build(here, "back").with_columns(
        pair("attributes", "published_id"), pair("attributes", "published_split")
    )
    pages.leaderboard(here)
    assert second.height == samples.height == 2 * N
    both = samples.join(second, left_on="sample_id", right_on="published_id", suffix="_back")
    assert both.height == samples.height
    for column in (
        "group_id",
        "task",
        "lang",
        "text",
        "is_hallucinated",
        "label_source",
        "split",
        "spans",
        "pair_id",
    ):
        assert both[column].equals(both[f"{column}_back"], null_equal=True), column
    assert second["split"].equals(second["published_split"]) and set(second["split"]) == {"train", "test"}
    assert measured(here, "back") == measured(at, "little")


def test_groups_of_splits_of_another_making_stay_as_published(first):
    """Whatever rule parted the published groups: what comes back is the published split, and each group is on
    one side.
    """
    at, samples = first
    other = {"train": "test", "test": "train"}
    turned = samples.with_columns(pl.col("split").replace(other))
    save(Sample, turned, at.labels("little", "samples"))
    second = build(declare(sources={"back": hub_source(published(at, "little"))}), "back")
    assert dict(second.select("group_id", "split").iter_rows()) == {
        entry: other[split_of(entry)] for entry in samples["group_id"]
    }
    assert second.group_by("group_id").agg(pl.col("split").n_unique())["split"].to_list() == [1] * N


@pytest.mark.parametrize("config", ["dialogue", None])
def test_the_card_comes_back_and_the_board_may_go_out_again(first, config):
    at, _ = first
    commit = published(at, "little")
    here = declare(
        sources={"back": hub_source(commit, hub={"repo": REPO, "revision": commit, "config": config})}
    )
    build(here, "back")
    pages.leaderboard(here)
    card = read_json(here.source("back", "card.json"))
    assert (card["licence"], card["redistribution"]) == ("cc0-1.0", "yes")
    assert (card["repository"], card["revision"]) == (REPO, commit)
    assert CARD["citation"] in card["citation"] and "arXiv:2305.11747" in card["citation"]
    assert card["url"] == CARD["url"] and set(
        pl.read_parquet(here.source("back", "documents"))["licence"]
    ) == {"cc0-1.0"}
    Path("dvc.lock").write_text("schema: '2.0'\nstages: {}\n", "utf-8")
    readme = board_draft(here, "back", repo="org/again", folder=Path("release")).fixed["README.md"].decode()
    assert (
        readme.startswith("---\nlicense: cc0-1.0\n")
        and f"It was read from `{REPO}` on the Hugging Face Hub, at commit `{commit}`." in readme
    )


def test_the_settings_say_what_the_rights_holder_allows(first):
    """In the place of a card that allows less; YAML reads a bare yes as true."""
    at, _ = first
    files = {"README.md": b"# no licence\n"} | {
        path: content
        for path, content in board_draft(at, "little", repo=REPO, folder=Path("release")).fixed.items()
        if path.startswith("data/dialogue/")
    }
    for path, content in files.items():
        target = Path("inputs/bare") / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    bare = {"reader": "truerate", "path": "inputs/bare"}
    stated = bare | {"rights": {"licence": "CC BY 4.0", "redistribution": yaml.safe_load("yes")}}
    here = declare(sources={"bare": bare, "stated": stated})
    for name, expected in (("bare", ("not stated", "no")), ("stated", ("CC BY 4.0", "yes"))):
        sources.import_source(here, name)
        card = read_json(here.source(name, "card.json"))
        assert (card["licence"], card["redistribution"]) == expected
        assert set(pl.read_parquet(here.source(name, "documents"))["licence"]) == {expected[0]}


# ---- what goes out with it ---------------------------------------------------------------------------------
def test_a_comment_and_another_board_make_no_other_release(first, hub_here):
    at, _ = first
    commit = published(at, "little")
    plain = Path("params.yaml").read_text("utf-8")
    Path("params.yaml").write_text(f"# ask maria at gpu-17.internal\n{plain}", "utf-8")
    assert published(Layout.load(), "little") == commit
    lock = (
        "schema: '2.0'\nstages:\n  check: {cmd: z}\n  dataset@other: {cmd: yy}\n  dataset@little: {cmd: x}\n"
    )
    Path("dvc.lock").write_text(lock, "utf-8")
    values = yaml.safe_load(plain)
    values["sources"]["hidden"] = {"reader": "halueval", "path": "inputs/hidden"}
    values["boards"]["hidden-board"] = {"track": "halueval", "source": "hidden"}
    values["endpoints"]["hidden-endpoint"] = {"base_url": "http://gpu-17.internal/v1"}
    Path("params.yaml").write_text(yaml.safe_dump(values, sort_keys=False), "utf-8")
    assert published(Layout.load(), "little") == commit and len(hub_here.commits(REPO)) == 2
    words = b"".join(hub_here.files(REPO).values())
    assert not [word for word in (b"hidden", b"gpu-17", b"maria", b"dataset@other") if word in words]
    assert yaml.safe_load(hub_here.files(REPO)["build/dvc.lock"]) == {
        "schema": "2.0",
        "stages": {"dataset@little": {"cmd": "x"}},
    }


def test_a_release_holds_its_canary_beside_the_rows(first, hub_here):
    at, _ = first
    published(at, "little")
    there = hub_here.files(REPO)
    line = there["CANARY.txt"].decode().strip()
    assert line == board_canary(at, "little") and line in there["README.md"].decode()
    assert [path for path, content in there.items() if line.encode() in content] == [
        "CANARY.txt",
        "README.md",
    ]
    front = yaml.safe_load(there["README.md"].decode().split("---\n")[1])
    globs = {files["path"] for config in front["configs"] for files in config["data_files"]}
    assert globs and all(path.startswith("data/") for path in globs)


def test_a_setting_of_the_board_s_own_is_another_release(first, hub_here):
    at, _ = first
    published(at, "little")
    second = declare(sources={"little": {"reader": "halueval", "path": "inputs/little"}}, seed=8)
    changed = board_draft(second, "little", repo=REPO, folder=Path("release")).files(
        stamp=Stamp(DAY), changelog="", kept=Kept()
    )
    there = hub_here.files(REPO)
    assert {path for path in changed if sha256(changed[path]) != sha256(there[path])} == {
        "DATASHEET.md",  # it names the seed
        "croissant.json",  # it holds answers of the datasheet
        "build/params.yaml",
        "SHA256SUMS",
        "CHANGELOG.md",
    }


# ---- its datasheet -----------------------------------------------------------------------------------------
def test_the_datasheet_is_answered_by_tables_and_author_and_invents_nothing(first, capsys):
    """Each question stands once; numbers are those of the tables; what the author says is escaped."""
    at, samples = first
    said = {"purpose": "To <b>try</b> | `it`", "contact": "a board of people"}
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return {"What was the set made for? ": said["purpose"]}.get(question, "")

    before = Path("params.yaml").read_text("utf-8")
    config = with_author(at, "little", ask=ask)
    assert set(author_questions()) == set(get_args(Author)) and len(asked) == len(set(asked)) == len(
        get_args(Author)
    )
    assert with_author(config, "little", ask=ask) == config and len(asked) == len(author_questions())  # once
    say_open_questions(config, "little")
    line = capsys.readouterr().err.splitlines()[-1]
    assert "'not said by the author' for creators, funding" in line and "purpose" not in line
    after = Path("params.yaml").read_text("utf-8")
    assert after != before and [row for row in before.splitlines() if row not in after.splitlines()] == [
        "  datasheets: {}"
    ] * before.count("datasheets: {}")
    text = (
        board_draft(Layout.load(), "little", repo=REPO, folder=Path("release")).fixed["DATASHEET.md"].decode()
    )
    assert "- The author: To \\<b\\>try\\</b\\> \\| \\`it\\`" in text
    assert f"- {N} things to ask about and {2 * N} labelled texts." in text
    assert f"- dialogue, published labels: {samples.height} texts, {N} of them hallucinated." in text
    assert f"No groups, of {N}, have texts in more than one split." in text
    assert "**Who paid for it?**\n\n- Not said by the author.\n" in text
    assert "CC0-1.0. What it allows to pass on: yes." in text and f"from seed {at.p.seed}." in text


# https://neurips.cc/Conferences/2026/EvaluationsDatasetsHosting: what a submission's Croissant file must hold
RAI = ("dataLimitations", "dataBiases", "personalSensitiveInformation", "dataUseCases", "dataSocialImpact")
OF_NEURIPS = {
    *(f"rai:{name}" for name in (*RAI, "hasSyntheticData")),
    "prov:wasDerivedFrom",
    "prov:wasGeneratedBy",
}


def test_croissant_answers_what_neurips_asks_with_the_words_of_the_datasheet(first):
    """Each field is there, and each text of it stands in DATASHEET.md, too."""
    at, _ = first
    draft = board_draft(at, "little", repo=REPO, folder=Path("release"))
    written = json.loads(draft.files(stamp=Stamp(DAY), changelog="", kept=Kept())["croissant.json"])
    assert {name for name in OF_NEURIPS if written.get(name) in (None, "", [])} == set()
    sheet = plain(draft.fixed["DATASHEET.md"].decode())
    for name in RAI:
        texts = written[f"rai:{name}"]
        for text in [texts] if isinstance(texts, str) else texts:
            assert plain(text) in sheet, name
    assert written["rai:hasSyntheticData"]  # a model wrote the hallucinated responses of this source
    assert [stage["prov:label"] for stage in written["prov:wasGeneratedBy"]] == ["dataset@little"]


def test_the_statement_of_a_board_and_of_the_site_names_what_made_them(first):
    """A board's own stages and settings with the files of its source; of the site its stage and all settings."""
    at, _ = first
    lock = "schema: '2.0'\nstages:\n  dataset@little: {cmd: x}\n  site: {cmd: y, deps: [{path: z, md5: q}]}\n"
    Path("dvc.lock").write_text(lock, "utf-8")
    site = Draft("space", "site", "the site", {"README.md": b"# Site\n"}, ())
    stated = {}
    for draft, board in (
        (board_draft(at, "little", repo=REPO, folder=Path("release")), "little"),
        (site, ""),
    ):
        whole = attested(at, draft, board).files(stamp=Stamp(DAY), changelog="", kept=Kept())
        statement = json.loads(whole[STATEMENT])
        assert {entry["name"] for entry in statement["subject"]} == whole.keys() - {STATEMENT}
        stated[board] = statement["predicate"]["buildDefinition"]
    commands = {board: definition["externalParameters"]["commands"] for board, definition in stated.items()}
    assert commands == {"little": {"dataset@little": "x"}, "": {"site": "y"}}
    settings, file = stated["little"]["resolvedDependencies"]
    assert settings["name"] == "build/params.yaml" and file["name"] == "dialogue_data.json"
    assert file["digest"] == {"sha256": sha256(Path("inputs/little/dialogue_data.json"))}
    settings, read = stated[""]["resolvedDependencies"]
    assert settings == {"name": "params.yaml", "digest": {"sha256": sha256(Path("params.yaml"))}}
    assert read == {"name": "z", "digest": {"md5": "q"}}


def plain(text: str) -> str:
    """The letters and digits of a text, without the marks that Markdown needs."""
    return "".join(sign for sign in text if sign.isalnum())


@pytest.mark.parametrize(
    "text, is_kept",
    [
        ("# top\nhub:   # what goes out\n  licence: null # x\n", True),
        ("hub:\n  datasheets:   # of boards\n    other: {purpose: p}\n  licence: null\nsite: {a: 1}\n", True),
        ("hub:\n  datasheets: {}  # none yet\n  licence: null\n", True),
        ("hub: {licence: null}\n", False),
        ("hub:\n    licence: null\n", False),
        ("hub:\n  datasheets: {other: {purpose: p}}\n", False),
    ],
)
def test_answers_are_put_into_the_settings_and_no_other_byte_changes(text, is_kept):
    new = with_answers(text, "little", {"purpose": "why: 'so' # é", "funding": ""})
    assert (new is not None) == is_kept
    if new is not None:
        values, before = yaml.safe_load(new), yaml.safe_load(text)
        assert values["hub"].pop("datasheets")["little"] == {"purpose": "why: 'so' # é", "funding": None}
        before["hub"].pop("datasheets", None)
        assert values == before and {*text.split()} - {*new.split()} <= {"{}"}
