"""The asking steps against the closed world's simulated models, which read the prompts as a model would."""

import subprocess
import sys
from collections import Counter

import pytest

from truerate.config import Params, load_params
from truerate.config.layout import Layout
from truerate.core.schemas import Judgement, frame
from truerate.core.spans.tags import TYPES
from truerate.sources.raw import wiki_files
from truerate.tracks.mfava import steps

from .tiny_wiki import ROOT

BOARD = "mfava-closed-world"
LANGS = ("en", "zh", "ar")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The data set of a small wiki in three scripts: its tables and tasks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setenv("TRUERATE_STORE", str(tmp_path_factory.mktemp("store") / "responses.sqlite"))
        values = load_params("params.yaml").model_dump()
        values["sizes"]["demo"]["mfava"] |= {
            "train": 8,
            "held_out": 4,
            "silver": 6,
            "articles": 3,
            "natural": 2,
        }
        values |= {"profile": "demo", "n_shards": 1}
        values["tracks"]["mfava"] |= {"languages": LANGS}
        at, folder = Layout(Params.model_validate(values)).on(BOARD), tmp_path_factory.mktemp("wiki")
        sizes = [
            "--train",
            "8",
            "--held-out",
            "4",
            "--silver",
            "6",
            "--articles",
            "3",
            "--languages",
            ",".join(LANGS),
        ]
        subprocess.run(
            [sys.executable, "-m", "truerate_world", "write-wiki", str(folder), "--seed", "7", *sizes],
            check=True,
        )
        tables = wiki_files.read(folder, name="closed-world-wiki", on_bad_row="stop")
        replies = {
            name: getattr(steps, name)(at, BOARD, "quill", tables, 0, {})
            for name in ("silver", "translate", "query")
        }
        replies |= {
            name: getattr(steps, name)(at, BOARD, "aster", tables, 0, replies) for name in ("check", "answer")
        }
        yield steps.exported(at, BOARD, tables, replies, {"judgements": frame(Judgement)})


def test_every_prompt_is_understood(made):
    generations = made[0]["generations"]
    ok = Counter(generations.filter(status="ok")["purpose"])
    assert ok["write"] == 18 and ok["query"] == 9 and ok["check"] == 18 and ok["translate_reference"] == 24
    assert ok["answer"] >= 15 and ok["translate"] >= 18  # the world cuts some replies and loses some tags


def test_most_passages_come_through_all_rounds_in_every_language(made):
    silver = made[0]["samples"].filter(task="silver")
    n = Counter(silver["lang"])
    assert set(n) == set(LANGS) and silver.height >= 9
    assert all({span["type"] for span in row["spans"]} == set(TYPES) for row in silver.iter_rows(named=True))


def test_held_out_passages_are_judged_in_every_language_and_taught_in_none(made):
    tables = made[0]
    learned, judged = (
        steps.training(tables["samples"]),
        steps.targets(tables["samples"], tables["generations"]),
    )
    assert set(judged.filter(task="held-out")["lang"]) == set(LANGS) and set(learned["task"]) == {"train"}
    assert not set(learned["group_id"]) & set(judged["group_id"])


def test_translations_keep_the_marked_share(made):
    train = made[0]["samples"].filter(task="train")
    share = {
        lang: sum(span["end"] - span["start"] for row in rows for span in row["spans"])
        / sum(len(row["text"]) for row in rows)
        for lang in LANGS
        if (rows := train.filter(lang=lang).to_dicts())
    }
    assert set(share) == set(LANGS) and all(abs(share[lang] - share["en"]) < 0.15 for lang in LANGS)
