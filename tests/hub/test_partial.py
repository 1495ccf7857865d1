"""A board on texts of three licences: two tasks go out whole under their own, the third as ids, and no sentence of it leaves."""

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import datasets
import polars as pl
import pytest
import yaml

from tests.hub import small_board as small
from tests.hub import stages
from tests.hub.drafts import DAY, laid, put
from truerate.core.errors import SettingsError, SourceError, TruerateError
from truerate.core.schemas import PAIRS, Generation, frame, pairs, read_json, save
from truerate.hub.kept import Kept
from truerate.hub.release import Stamp
from truerate.pipeline import pages, sources
from truerate.pipeline.publishing import site_tables
from truerate.pipeline.publishing.parted import parted
from truerate.pipeline.publishing.release import board_draft
from truerate.site.samples import browser
from truerate.site.samples.packing import unpacked

N = 12
ARTICLE = "The mayor of Varn {k} said on Tuesday that the old stone bridge over the river would be closed until spring."
SUMMARY = "The old stone bridge of Varn {k} stays closed until spring, its mayor says."
MADE_UP = "The new iron bridge of Varn {k} opens in autumn, its mayor says with a smile."
TASKS = {
    "dialogue": {"licence": "CC BY-NC 4.0"},
    "summarization": {
        "name": "Daily <b>News</b>", "licence": "articles: copyright of Daily News", "redistribution": "no",
        "url": "https://example.org/news",
    },
}  # fmt: skip
RIGHTS = {"name": "Seeds", "licence": "CC BY-SA 4.0", "redistribution": "yes", "tasks": TASKS}


def rows(task: str, k: int) -> dict:
    if task == "qa":
        return {
            "knowledge": f"Town {k} was founded in 18{k:02d}.", "question": f"When was town {k} founded?",
            "right_answer": f"In 18{k:02d}.", "hallucinated_answer": f"Some time in 17{k:02d}, it is thought.",
        }  # fmt: skip
    if task == "dialogue":
        return {
            "knowledge": f"Varn {k} is a town.", "dialogue_history": f"[Human]: What is Varn {k}?",
            "right_response": f"It is town {k}.", "hallucinated_response": f"It is river number {k}.",
        }  # fmt: skip
    filled = {key: text.format(k=k) for key, text in (("document", ARTICLE), ("right_summary", SUMMARY))}
    return filled | {"hallucinated_summary": MADE_UP.format(k=k)}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """The project with its board built; three replies on a qa item: a plain one, one that quotes an article, and
    a refined one.
    """
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "src").symlink_to(stages.ROOT / "src")
    (folder / "inputs" / "mixed").mkdir(parents=True)
    for task in ("qa", "dialogue", "summarization"):
        lines = "".join(json.dumps(rows(task, k)) + "\n" for k in range(N))
        (folder / "inputs" / "mixed" / f"{task}_data.json").write_text(lines, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        detectors = {"baselines": {"tracks": ["halueval"], "members": ["always"], "only": {}, "folds": 2}}
        source = {"reader": "halueval", "path": "inputs/mixed", "rights": RIGHTS}
        at = stages.declare("halueval", {"mixed": source}, detectors=detectors)
        stages.build_board(at, "mixed")
        pages.leaderboard(at)
        item = pl.read_parquet(at.dataset("mixed", "items")).filter(task="qa")["item_id"][0]
        texts = {
            "plain": ("respond", "It was founded long ago."),
            "quoting": ("respond", f"As the paper has it: {ARTICLE.format(k=3)[4:]}"),
            "refined": ("refine", "It was founded in 1800."),
        }
        replies = [
            small.BOARD["generation"]
            | {"generation_id": name, "item_id": item, "purpose": purpose, "text": text}
            for name, (purpose, text) in texts.items()
        ]
        save(Generation, frame(Generation, replies), at.dataset("mixed", "generations"))
        Path("dvc.lock").write_text("schema: '2.0'\nstages:\n  dataset@mixed: {cmd: x}\n", "utf-8")
        yield at, folder


@pytest.fixture
def partial(mixed, monkeypatch, tmp_path):
    """The board's draft with `hub.partial`."""
    at, folder = mixed
    monkeypatch.chdir(folder)
    p = at.p.model_copy(update={"hub": at.p.hub.model_copy(update={"partial": True})})
    return board_draft(type(at)(p), "mixed", repo="org/mixed", folder=tmp_path / "release")


def words_in(content: bytes, path: str) -> str:
    """All that a file says: of Parquet every value."""
    if path.endswith(".parquet"):
        return json.dumps(pl.read_parquet(io.BytesIO(content)).to_dicts(), ensure_ascii=False, default=str)
    return content.decode()


def contents(draft) -> dict[str, bytes]:
    files = draft.files(stamp=Stamp(DAY), changelog="", kept=Kept())
    return {path: data if isinstance(data, bytes) else data.read_bytes() for path, data in files.items()}


def test_the_card_of_the_source_says_what_holds_of_each_task(mixed):
    at, _ = mixed
    card = read_json(Path(mixed[1]) / at.source("mixed", "card.json"))
    assert card["redistribution"] == "no" and set(card["rights_by_task"]) == {"qa", *TASKS}
    assert card["rights_by_task"]["qa"]["licence"] == "CC BY-SA 4.0"
    assert card["rights_by_task"]["dialogue"] | TASKS["dialogue"] == card["rights_by_task"]["dialogue"]


def test_by_default_such_a_board_is_refused_and_says_how_it_may_go_out(mixed, monkeypatch):
    at, folder = mixed
    monkeypatch.chdir(folder)
    with pytest.raises(TruerateError, match="redistribution is 'no'.*hub.partial: true.*dialogue, qa whole"):
        board_draft(at, "mixed", repo="org/mixed", folder=Path("release"))


def browser_of(at, *, is_partial: bool) -> tuple[dict[str, str], dict]:
    """What the sample browser is given of the board, by path and unpacked, and what its page says."""
    hub = at.p.hub.model_copy(update={"partial": is_partial})
    config = type(at)(at.p.model_copy(update={"hub": hub}))
    board = site_tables.board_tables(config, "mixed")
    tables = replace(site_tables.site_tables(config), boards=[board])
    told = {}
    for path, script in browser.scripts(tables, board):
        packed = re.findall(r'"([A-Za-z0-9+/=]{16,})"', script)
        told[path] = "" if "/words/" in path else "\n".join(unpacked(text).decode() for text in packed)
    return told, browser.context(tables)


def test_the_sample_browser_shows_open_tasks_whole_and_the_others_as_ids(mixed, monkeypatch):
    at, folder = mixed
    monkeypatch.chdir(folder)
    told, page = browser_of(at, is_partial=True)
    assert [name for name, _ in page["shown"]] == ["mixed", "mixed-ids"]
    assert [board.name for board in page["named"]] == ["mixed-ids"] and page["closed"] == []
    whole, ids = (
        "\n".join(text for path, text in told.items() if path.startswith(f"samples/{name}/"))
        for name in ("mixed", "mixed-ids")
    )
    assert "stone bridge" not in whole + ids and "iron bridge" not in whole + ids
    assert "Town 3 was founded in 1803." in whole and "Town 3" not in ids
    samples = pl.read_parquet(at.labels("mixed", "samples"))
    withheld = samples.filter(task="summarization")["sample_id"].to_list()
    assert len(withheld) == 2 * N and all(name in ids and name not in whole for name in withheld)
    assert "https://example.org/news" in ids
    told, page = browser_of(at, is_partial=False)
    assert told == {} and page["shown"] == []


def test_no_word_of_the_withheld_task_leaves_and_the_rest_is_whole(partial):
    """Of the article, its summaries, and what quotes it; the withheld rows keep ids, labels and checksums."""
    files = contents(partial)
    told = {path: words_in(content, path) for path, content in files.items()}
    for path, text in told.items():
        assert "stone bridge" not in text and "iron bridge" not in text, path
    assert (
        "Town 3 was founded in 1803."
        in told["data/qa/train-00000-of-00001.parquet"] + told["data/qa/test-00000-of-00001.parquet"]
    )
    by_config: dict[str, list] = {}
    for path, content in files.items():
        if path.endswith(".parquet"):
            by_config.setdefault(path.split("/")[1], []).append(pl.read_parquet(io.BytesIO(content)))
    sizes = {name: sum(frame.height for frame in frames) for name, frames in by_config.items()}
    wanted = {"qa": 2 * N, "dialogue": 2 * N, "summarization-ids": 2 * N, "items-ids": N, "documents-ids": N}
    assert sizes | wanted == sizes
    assert sizes["items-cc-by-sa-4.0"] == sizes["items-cc-by-nc-4.0"] == N
    assert "text" not in by_config["summarization-ids"][0].columns
    assert by_config["summarization-ids"][0]["text_sha256"].null_count() == 0
    assert {"generation_id": by_config["generations"][0]["generation_id"].to_list()} == {
        "generation_id": ["plain"]
    }
    assert sorted(by_config["generations-ids"][0]["generation_id"]) == ["quoting", "refined"]


def test_card_notes_and_rebuild_say_what_goes_how_and_why(partial):
    files = contents(partial)
    card, rebuild = files["README.md"].decode(), files["rebuild/REBUILD.md"].decode()
    head = yaml.safe_load(card.split("---\n")[1])
    assert {"cc-by-sa-4.0", "cc-by-nc-4.0", "other"} == set(head["license"])
    assert next(entry for entry in head["configs"] if entry.get("default"))["config_name"] == "qa"
    assert "no, ids and labels: texts of Daily \\<b\\>News\\</b\\>, articles: copyright of Daily News" in card
    assert "| summarization | [Daily \\<b\\>News\\</b\\>](<https://example.org/news>) |" in rebuild
    assert "<b>" not in card.replace("\\<b\\>", "")
    notes = {line.split(":")[0]: line for line in partial.notes}
    assert notes["config qa"] == f"config qa: {2 * N} rows, with texts; CC BY-SA 4.0"
    assert "ids and labels (texts of Daily <b>News</b>, articles" in notes["config summarization-ids"]
    assert "ids and labels (what is of summarization, rests" in notes["config generations-ids"]


def test_each_config_is_loaded_by_datasets(partial, tmp_path):
    folder = str(laid(contents(partial), tmp_path / "set"))
    for config in ("qa", "summarization-ids", "items-ids", "leaderboard"):
        loaded = datasets.load_dataset(folder, config, cache_dir=str(tmp_path / "cache"))
        assert sum(split.num_rows for split in loaded.values()) > 0


def test_the_dry_run_says_it_and_the_open_tasks_read_back(partial, hub_here, tmp_path, monkeypatch):
    """A source without a config reads the tasks whose texts are there."""
    lines: list[str] = []
    put(partial, to="org/mixed", dry_run=True, lines=lines)
    assert [line for line in lines if "config summarization-ids" in line and "ids and labels" in line]
    laid(contents(partial), tmp_path / "inputs" / "again")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").symlink_to(stages.ROOT / "src")
    at = stages.declare("halueval", {"again": {"reader": "truerate", "path": "inputs/again"}})
    sources.import_source(at, "again")
    assert set(pl.read_parquet(at.source("again", "samples"))["task"]) == {"qa", "dialogue"}
    by_task = read_json(at.source("again", "card.json"))["rights_by_task"]
    assert {task: rights["licence"] for task, rights in by_task.items()} == {
        "qa": "cc-by-sa-4.0",
        "dialogue": "cc-by-nc-4.0",
    }  # so that it may go out again in part


def test_of_one_licence_that_is_open_for_one_task_alone_only_named_documents_go_out():
    """Of d0 no item says that it is of the open task; a sample whose evidence names it stays with it."""
    of_task = {"name": "x", "url": None, "licence": "MIT"}
    by_task = {"qa": of_task | {"redistribution": "yes"}, "held-out": of_task | {"redistribution": "no"}}
    card, tables = {"rights_by_task": by_task}, small.tables()
    sides = parted(tables, card=card)
    assert sorted(sides.open["documents"].collect()["document_id"]) == ["d1", "d2", "d3"]
    assert sides.bare["documents"].collect()["document_id"].to_list() == ["d0"]
    assert set(sides.open["samples"].collect()["task"]) == {"qa"}
    assert set(sides.bare["samples"].collect()["task"]) == {"held-out"}
    evidence = pl.Series([pairs(evidence="d0:0-3"), *[[]] * 11], dtype=PAIRS)
    samples = tables["samples"].with_columns(attributes=evidence, task=pl.lit("qa"))
    sides = parted(tables | {"samples": samples}, card=card)
    assert sides.bare["samples"].collect()["sample_id"].to_list() == ["s00"]


@pytest.mark.parametrize(
    "tasks, error, line",
    [
        ({"general": {"redistribution": "no"}}, SourceError, "no task 'general'; its tasks: dialogue, qa"),
        ({"qa": {"licens": "MIT"}}, SettingsError, "licens"),
    ],
)
def test_a_wrong_task_is_refused_in_one_line(mixed, tmp_path, monkeypatch, tasks, error, line):
    _, folder = mixed
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").symlink_to(stages.ROOT / "src")
    (tmp_path / "inputs").mkdir()
    source = {"reader": "halueval", "path": str(folder / "inputs" / "mixed"), "rights": {"tasks": tasks}}
    with pytest.raises(error, match=line) as refused:
        sources.import_source(stages.declare("halueval", {"mixed": source}), "mixed")
    assert "\n" not in str(refused.value)
